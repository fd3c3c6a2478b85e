"""What adopt guesses, asks, places and refuses. The text has 4 sentences; places are counted by hand."""

import json
import os
import re
import subprocess
import sys

import pandas
import pytest
from many_cases import each

import berrypick as bp
from berrypick.judgements.adopt.cells import cell_value
from berrypick.judgements.adopt.golden_fields import Guess

TEXT = "Cut the old canes. Water in July. Mulch in May. Water in June."
DOCUMENTS = {"guide.md": TEXT, "faq.md": "Mulch keeps the soil moist all summer long."}
ROWS = [
    {"question": "What is cut?", "context": "Cut the old canes.", "source": "guide.md"},
    {"question": "When is it wet?", "context": "Water in July.", "source": "guide.md"},
]


def spans(truth):
    return {name: [(d, int(s), int(e)) for d, s, e in zip(t.document, t.start, t.end, strict=True)] if len(t) else []
            for name, t in truth.topics.items()}  # fmt: skip


def guesses(truth):
    return {guess.role: guess.field for guess in truth.guesses}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "texts" / name).write_text(text)
    return tmp_path


def put(folder, rows, name="golden.json"):
    path = folder / name
    path.write_text(rows if isinstance(rows, str) else json.dumps(rows))
    return path


# --- placing ----------------------------------------------------------------------------------------------------------

PLACED = [
    ({"context": "Cut the old canes."}, "exact", ("guide.md", 0, 18)),
    ({"context": "  old\n canes "}, "normalised", ("guide.md", 8, 17)),
    ({"context": "Mulch keeps the soil moist all sumer long."}, "fuzzy", ("faq.md", 0, 43)),
    ({"context": "Mulch", "source": "faq"}, "exact", ("faq.md", 0, 5)),
    ({"context": "Mulch", "source": "s3://docs/FAQ.pdf"}, "exact", ("faq.md", 0, 5)),
    ({"doc": "guide.md", "start": 34, "end": 47}, "offsets", ("guide.md", 34, 47)),
    ({"doc": "guide.md", "start": 48, "end": 56, "quote": "Water in"}, "offsets", ("guide.md", 48, 56)),
    ({"doc": "guide.md", "start": 30, "end": 43, "quote": "Mulch in May."}, "moved", ("guide.md", 34, 47)),
    ({"evidence": [{"text": "Mulch in May.", "doc": "guide.md"}]}, "exact", ("guide.md", 34, 47)),
    ({"context": "<2-hop>\n\nMulch in May."}, "exact", ("guide.md", 34, 47)),
]


@each(["row", "status", "place"], PLACED)
def test_gold_is_placed_and_counted(row, status, place):
    truth = bp.adopt([{"question": "Which one?", **row}], DOCUMENTS)
    assert spans(truth) == {"1": [place]}
    assert [case.status for case in truth.cases] == [status]
    word = {"offsets": "at their offsets", "moved": "moved to the quote"}.get(status, status)
    assert f"placed: 1 {word}" in truth.notes


UNPLACED = [
    ({"context": "Prune in winter."}, "missing"),
    ({"context": "Water in"}, "ambiguous"),
    ({"context": "Mulch"}, "ambiguous"),
    ({"context": "Mulch", "source": "else.md"}, "unknown document"),
    ({"source": "guide.md", "start": 50, "end": 70}, "beyond the end"),
]


@each(["row", "status"], UNPLACED)
def test_what_has_no_place_is_refused_or_left_out(folder, berrypick, tmp_path, row, status):
    path, out, report = tmp_path / "g.json", tmp_path / "t.jsonl", tmp_path / "r.jsonl"
    good = {"question": "What is cut?", "context": "Cut the old canes.", "source": "guide.md"}
    path.write_text(json.dumps([good, {"question": "Which one?", **row}]))
    words = ["adopt", path, "--documents", folder / "texts", "-o", out, "--report", report, "--yes"]
    done = berrypick(*words)
    assert done.code == 2 and not out.exists() and "are not in the documents" in done.err
    assert "--partial" in done.err
    [line] = map(json.loads, report.read_text().splitlines())
    assert line["status"] == status and line["question"] == "Which one?" and line["topic"] == "2"
    if status == "ambiguous":
        assert len(line["candidates"]) == 2
    done = berrypick(*words, "--partial")
    assert done.code == 0 and f"not placed: 1 {status}" in done.err and "1 topic skipped" in done.err
    assert spans(bp.read_truth(out)) == {"1": [("guide.md", 0, 18)]}
    assert report.read_text().count("\n") == 1


def test_stricter_rules_can_be_asked_for():
    row = [{"question": "Why?", "context": "Mulch keeps the soil moist all sumer long."}]
    for quotes in ("exact", "normalised"):
        with pytest.raises(bp.InputError, match="1 of 1 quotes are not in the documents"):
            bp.adopt(row, DOCUMENTS, quotes=quotes)
    found = bp.adopt(row, DOCUMENTS)
    assert "the lowest similarity is 98.8%" in "\n".join(found.notes)  # 2 x 42 of 43 + 42 characters in common


# --- guesses ----------------------------------------------------------------------------------------------------------


def test_certain_guesses_need_no_word():
    truth = bp.adopt(ROWS, DOCUMENTS)
    assert guesses(truth) == {"question": "question", "quote": "context", "doc": "source", "topic": ""}
    assert truth.guesses[0] == Guess("question", "question", 2, 2, "'What is cut?'")
    assert [record["question"] for record in truth.to_records()[:2]] == ["What is cut?", "When is it wet?"]
    assert spans(truth) == {"1": [("guide.md", 0, 18)], "2": [("guide.md", 19, 33)]}


UNCERTAIN = [
    # two questions, two quotes, names that say nothing, results of a system, no quotes at all, quotes that are empty
    ([{"question": "What is cut?", "query": "cut what", "context": "Cut the old canes."}], "question"),
    ([{"question": "What?", "evidence": "Cut the old canes.", "passage": "Water in July."}], "quote"),
    ([{"frage": "What is cut?", "stelle": "Cut the old canes."}], "question"),
    ([{"question": "What?", "answer": "Canes.", "contexts": ["Cut the old canes."], "ground_truth": "Canes."}],
     "quote"),
    ([{"question": "What?", "source": "guide.md"}], "quote"),
    ([{"question": "What?", "context": "Cut the old canes."}, {"question": "Who?", "context": None}], "answerable"),
]  # fmt: skip


@each(["rows", "role"], UNCERTAIN)
def test_what_is_not_certain_is_not_taken(folder, berrypick, tmp_path, rows, role):
    path, out = tmp_path / "g.json", tmp_path / "t.jsonl"
    path.write_text(json.dumps(rows))
    done = berrypick("adopt", path, "--documents", folder / "texts", "-o", out)
    assert done.code == 2 and not out.exists()
    assert re.search(rf"^  {role}: .*uncertain", done.err, re.MULTILINE) and "--yes" in done.err
    done = berrypick("adopt", path, "--documents", folder / "texts", "-o", out, "--yes")
    assert done.code == 0 and len(bp.read_truth(out)) == len(rows)


def test_fields_settle_it(folder, berrypick):
    rows = [{"frage": "What is cut?", "stelle": "Cut the old canes.", "wo": "guide.md", "nr": 7, "art": "a"}]
    path, out = put(folder, rows), folder / "t.jsonl"
    said = "question=frage,quote=stelle,doc=wo,topic=nr,group=art"
    done = berrypick("adopt", path, "--documents", folder / "texts", "-o", out, "--fields", said)
    assert done.code == 0, done.err
    assert json.loads(out.read_text().splitlines()[0]) == {
        "topic": "7", "doc": "guide.md", "start": 0, "end": 18, "grade": 1, "offsets": "chars",
        "question": "What is cut?", "art": "a"}  # fmt: skip
    for wrong, message in [
        ("question=fragen", "has no field fragen; did you mean frage?"),
        ("quotes=stelle", "quotes is not one of question, quote"),
        ("frage", "'frage' is not ROLE=NAME"),
        ("quote=stelle,quote=wo", "quote is given twice"),
    ]:
        done = berrypick("adopt", path, "--documents", folder / "texts", "-o", folder / "u.jsonl", "--fields", wrong)
        assert done.code == 2 and message in done.err and not (folder / "u.jsonl").exists()


def test_an_answer_is_a_quote_where_all_stand_in_the_documents():
    rows = [{"question": "What is cut?", "answer": "the old canes"}, {"question": "When?", "answer": "in July"}]
    assert guesses(bp.adopt(rows, DOCUMENTS))["quote"] == "answer"
    with pytest.raises(bp.UsageError, match=r"quote: answer .*2 of 3 texts are in the documents; uncertain"):
        bp.adopt([*rows, {"question": "Who?", "answer": "nobody at all"}], DOCUMENTS)


def test_retrieved_texts_are_no_gold():
    rows = [{"user_input": "What?", "retrieved_contexts": ["Water in July."], "reference_contexts": [TEXT[:18]]}]
    truth = bp.adopt(rows, DOCUMENTS)
    assert spans(truth) == {"1": [("guide.md", 0, 18)]}
    with pytest.raises(bp.InputError, match="found neither a field with quotes"):
        bp.adopt([{"user_input": "What?", "retrieved_contexts": ["Water in July."]}], DOCUMENTS)


def test_names_of_no_document_are_not_used():
    rows = [{**row, "source": "synthetic"} for row in ROWS]
    truth = bp.adopt(rows, DOCUMENTS)
    assert spans(truth)["1"] == [("guide.md", 0, 18)]
    assert "0 of 2 are names of documents: not used" in next(g.why for g in truth.guesses if g.role == "doc")


def test_names_of_documents_show_themselves():
    rows = [{**{k: v for k, v in row.items() if k != "source"}, "wo": row["source"]} for row in ROWS]
    assert guesses(bp.adopt(rows, DOCUMENTS))["doc"] == "wo"


def test_an_id_of_something_else_is_no_topic():
    rows = [{"id": "corpus", **row} for row in ROWS]
    assert list(bp.adopt(rows, DOCUMENTS).topics) == ["1", "2"]
    rows = [{"id": i, **row} for i, row in enumerate(ROWS)]
    assert list(bp.adopt(rows, DOCUMENTS).topics) == ["0", "1"]


def test_rows_of_one_question_are_one_topic():
    rows = [*ROWS, {**ROWS[0], "context": "Mulch in May."}]
    assert spans(bp.adopt(rows, DOCUMENTS))["1"] == [("guide.md", 0, 18), ("guide.md", 34, 47)]


def test_quotes_and_documents_side_by_side():
    row = {"question": "What?", "contexts": ["Mulch", "Mulch"], "sources": ["faq.md", "faq.md"]}
    assert spans(bp.adopt([row], DOCUMENTS))["1"] == [("faq.md", 0, 5)]
    row = {"question": "What?", "contexts": ["Mulch", "Cut"], "sources": ["faq.md", "guide.md"]}
    assert spans(bp.adopt([row], DOCUMENTS))["1"] == [("faq.md", 0, 5), ("guide.md", 0, 3)]


def test_whole_documents_where_they_are_meant():
    truth = bp.adopt([{"question": "What?", "source": "guide.md"}], DOCUMENTS, yes=True)
    assert truth.units == "documents" and truth.topics["1"].document == ("guide.md",)
    assert any("whole documents count as relevant" in guess.why for guess in truth.guesses)


def test_chunks_by_name():
    golden = [{"question": "What?", "chunk_id": ["c1", "c2"]}]
    chunks = [{"id": "c1", "text": "Mulch in May."}, {"id": "c2", "doc": "guide.md", "start": 0, "end": 18}]
    truth = bp.adopt(golden, DOCUMENTS, chunks=chunks)
    assert spans(truth) == {"1": [("guide.md", 34, 47), ("guide.md", 0, 18)]}
    truth = bp.adopt(golden, DOCUMENTS, chunks={"c1": "Mulch in May."}, partial=True)
    assert [case.status for case in truth.problems] == ["unknown chunk"]
    with pytest.raises(bp.InputError, match=r"names relevant chunks \(chunk_id\), but no chunks are given"):
        bp.adopt(golden, DOCUMENTS)
    with pytest.raises(bp.InputError, match="two chunks are called c1"):
        bp.adopt(golden, DOCUMENTS, chunks=[*chunks, {"id": "c1", "text": "Cut"}])


def test_frames_and_objects_are_golden_sets_too():
    class Golden:
        def __init__(self, asked, context):
            self.input, self.context, self._hidden = asked, [context], 1

    held = [Golden(row["question"], row["context"]) for row in ROWS]
    for given in (pandas.DataFrame(ROWS), held, {name: [row[name] for row in ROWS] for name in ROWS[0]}):
        assert spans(bp.adopt(given, DOCUMENTS)) == spans(bp.adopt(ROWS, DOCUMENTS))


def test_formats_of_ours_are_adopted_as_they_are(folder, berrypick):
    squad = {"data": [{"title": "guide", "paragraphs": [{"document_id": "guide.md", "context": TEXT, "qas": [
        {"id": "a", "question": "What is cut?", "answers": [{"text": "canes", "answer_start": 12}]}]}]}]}  # fmt: skip
    done = berrypick("adopt", put(folder, squad), "--documents", folder / "texts", "-o", folder / "t.jsonl")
    assert (
        done.code == 0
        and "squad, which defines its own fields" in done.err
        and "placed: 1 at their offsets" in done.err
    )
    lines = [json.loads(line) for line in (folder / "t.jsonl").read_text().splitlines()]
    assert lines[0]["question"] == "What is cut?" and lines[-1].keys() == {"doc", "checksum"}


# --- files ------------------------------------------------------------------------------------------------------------

TABLE = "question;context;n\r\nWhat is cut?;Cut the old canes.;1\r\nWhen?;Water in July.;2\r\n"
FILES = [
    TABLE.encode("utf-8-sig"),
    TABLE.encode("utf-16"),
    ("sep=;\r\n" + TABLE).encode(),
    TABLE.replace(";", "\t").encode(),
    TABLE.replace("What", "Wh\u00e4t").encode("cp1252"),
    json.dumps({name: {str(i): row[name] for i, row in enumerate(ROWS)} for name in ("question", "context")}).encode(),
    json.dumps({row["question"]: row for row in ROWS}).encode(),
    json.dumps({"rows": [{"row_idx": i, "row": row} for i, row in enumerate(ROWS)]}).encode(),
    json.dumps({"dataset": {"name": "n", "items": ROWS}}).encode(),
    "".join(json.dumps(row) + "\n" for row in ROWS).encode("utf-8-sig"),
    json.dumps([{"input": {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "What?"}]},
                 "context": row["context"], "question": row["question"]} for row in ROWS]).encode(),
]  # fmt: skip


@each("content", FILES, ids=lambda content: repr(content[:30]))
def test_files_of_all_kinds(tmp_path, content):
    path = tmp_path / "golden"
    path.write_bytes(content)
    truth = bp.adopt(path, DOCUMENTS, yes=b"messages" in content)
    assert [*spans(truth).values()] == [[("guide.md", 0, 18)], [("guide.md", 19, 33)]]


CELLS = [
    ("['a', \"it's\"]", ["a", "it's"]),
    ("['a' 'b\\n c']", ["a", "b\n c"]),  # NumPy
    ('["a"]', ["a"]),
    ("[]", []),
    ("{'a': 1}", {"a": 1}),
    ("[1] See [2]", "[1] See [2]"),
    (" ", None),
    ("[x", "[x"),
]


@each(["cell", "value"], CELLS)
def test_cells(cell, value):
    assert cell_value(cell) == value


BAD = [
    ("", "is empty"),
    ("[]", "has no rows"),
    ("[1, 2]", "item 1 of the list is not an object"),
    ('{"a": 1}', "has no rows with questions"),
    ('{"tests": [{"a": 1}], "data": [{"a": 1}]}', "has 2 lists of objects: tests, data"),
    ('[{"question": "a?", "question": "b?"}]', "golden:1: the name 'question' is given twice"),
    ('{"question": "a?"}\n{"question": }', "golden:2: is not JSON"),
    ('[{"question": "a?"}', "is not JSON"),
    ("question,context,question\na,b,c\n", "two columns are called question"),
    ("question,context\na,b,c\n", "golden:2: has 3 cells, and the first line 2"),
    ("just words\n", "is not a readable golden file"),
    ('[{"topic": "1", "color": "red"}]', "found no field with questions"),
    ('[{"question": "a?", "page": 3}]', "page is a position in pages, but there is no quote"),
    ("[" * 100_000, "is nested too deeply"),
]


@each(["content", "said"], BAD, ids=lambda case: repr(case[0][:30]))
def test_bad_files_are_refused_with_their_place(folder, berrypick, tmp_path, content, said):
    path = tmp_path / "golden"
    path.write_text(content)
    done = berrypick("adopt", path, "--documents", folder / "texts", "-o", tmp_path / "t.jsonl")
    assert done.code == 2 and said in done.err and "Traceback" not in done.err and not (tmp_path / "t.jsonl").exists()


@pytest.mark.slow
def test_a_bomb_of_yaml_is_refused(tmp_path, monkeypatch):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    path = tmp_path / "tests.yaml"
    path.write_text("\n".join([*lines, "tests:", "- vars: {question: 'a?', context: *a11}"]))
    with pytest.raises(bp.BerrypickError):
        bp.adopt(path, DOCUMENTS)
    path.write_text("tests:\n- question: a\n  question: b\n")
    with pytest.raises(bp.InputError, match=r"tests.yaml:2: the name 'question' is given twice"):
        bp.adopt(path, DOCUMENTS)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(bp.UsageError, match="YAML needs PyYAML: pip install pyyaml"):
        bp.adopt(path, DOCUMENTS)


def test_inputs_are_not_overwritten(folder, berrypick):
    path = put(folder, ROWS)
    for target in (path, folder / "texts" / "guide.md"):
        before = target.read_text()
        assert berrypick("adopt", path, "--documents", folder / "texts", "-o", target).code == 2
        assert target.read_text() == before


# --- a terminal -------------------------------------------------------------------------------------------------------


def test_with_a_run_that_cannot_be_read_no_truth_is_left(folder, berrypick):
    golden, run, target = put(folder, ROWS), put(folder, "", "run.jsonl"), folder / "truth.jsonl"
    words = ("adopt", golden, run, "--documents", folder / "texts", "-o", target, "--yes")
    result = berrypick(*words)
    assert result.code == 2 and "run.jsonl" in result.err and not target.exists()
    run.write_text('{"topic": "What is cut?", "doc": "guide.md", "start": 0, "end": 9}\n')
    assert "0.25" in berrypick(*words).out and target.exists()


def test_of_fields_without_a_name_the_one_that_is_placed_most_often_is_the_quote():
    documents = {"beer.md": "It should be stored cold. Roasted barley gives it the colour."}
    golden = [
        {"Frage": "Wie lagert man es?", "Antwort": "kalt", "Stelle": "It should be stored cold."},
        {"Frage": "What colours it?", "Antwort": "barley", "Stelle": "Roasted barley gives it the colour."},
        {"Frage": "What is roasted?", "Antwort": "barley", "Stelle": "Roasted barley gives it the colour."},
    ]
    quote = next(one for one in bp.adopt(golden, documents, yes=True).guesses if one.role == "quote")
    assert (quote.field, quote.why, quote.certain) == ("Stelle", "3 of 3 texts are in the documents", False)


# --- on a terminal ----------------------------------------------------------------------------------------------------


def on_a_terminal(folder, keys, *more):
    """The exit code and the output of adopt in a pseudo-terminal; the keys are typed once there is a question."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()
    arguments = ["adopt", "golden.json", "--documents", "texts", "-o", "truth.jsonl", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "berrypick", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
            if keys and b"[y/N]: " in shown:
                os.write(ours, keys)
                keys = b""
    except OSError:  # what Linux says where macOS returns nothing: the other end is closed
        pass
    os.close(ours)
    return process.wait(60), shown.decode().replace("\r\n", "\n")


#: Older files of ragas have what a system retrieved in contexts.
UNCERTAIN = [
    {"question": "What is cut?", "contexts": ["Cut the old canes."], "answer": "Canes.", "ground_truth": "Old canes."}
]


@pytest.mark.parametrize(
    ("keys", "code", "end"),
    [
        (b"\x03", 130, "[y/N]:"),
        (b"\x04", 2, "nothing was written"),
        (b"\n", 2, "nothing was written"),
        (b"n\n", 2, "nothing was written"),
        (b"y\n", 0, "1 topic, 1 judged span"),
    ],
    ids=["Ctrl-C", "Ctrl-D", "return", "n", "y"],
)
def test_a_terminal_is_asked_about_uncertain_guesses(folder, keys, code, end):
    put(folder, UNCERTAIN)
    found, shown = on_a_terminal(folder, keys)
    assert found == code, shown
    assert end in shown and "Traceback" not in shown and shown.count("Is this right?") == 1
    assert (folder / "truth.jsonl").exists() == (code == 0)


def test_a_terminal_is_not_asked_where_every_guess_is_certain(folder):
    put(folder, ROWS)
    found, shown = on_a_terminal(folder, b"")
    assert found == 0, shown
    assert "Is this right" not in shown


@pytest.mark.parametrize("more", [["--yes"], ["--fields", "quote=contexts"]], ids=["yes", "fields"])
def test_a_terminal_is_not_asked_where_options_settle_the_guesses(folder, more):
    put(folder, UNCERTAIN)
    found, shown = on_a_terminal(folder, b"", *more)
    assert found == 0, shown
    assert "Is this right" not in shown
