"""Golden files given as a truth: read as adopt reads them, or refused with the adopt command to type."""

import csv
import io
import json
import re
import shlex
import subprocess

import golden_shapes as shapes
import pandas
import polars
import pytest
from command_process import command
from many_cases import each

import berrypick as bp

ASKED, TEXTS = shapes.ASKED, shapes.TEXTS
#: Of each document the last question with one quote, so that a file of columns has one row per question.
ROWS = [(asked, quotes, document) for asked, quotes, document, _ in ASKED]


def place_of(quote, text):
    """Where a quote is in a text, whatever white space, dashes and apostrophes it has there."""
    words = quote.replace("-", "\u2014").replace("'", "\u2019").split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) or re.search(
        r"\s+".join(map(re.escape, quote.split())), text
    )
    return None if found is None else found.span()


def expected_recall(rows, run):
    """charR@2 by counting characters, in a script that does not know berrypick."""
    shares = []
    for asked, quotes, document in rows:
        wanted = set()
        for quote in quotes:
            start, end = place_of(quote, TEXTS[document])
            wanted |= {(document, at) for at in range(start, end)}
        seen = {(doc, at) for doc, start, end in run[asked] for at in range(start, end)}
        shares.append(len(wanted & seen) / len(wanted))
    return sum(shares) / len(shares)


#: The first half of each document for odd questions, two stretches in the middle for even ones.
RUN = {
    asked: [(document, 0, len(TEXTS[document]) // 2)] if number % 2 else [(document, 30, 130), (document, 150, 190)]
    for number, (asked, _, document) in enumerate(ROWS)
}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Documents, a run, and every golden file that the documentation lists."""
    path = tmp_path_factory.mktemp("golden")
    shapes.write_documents(path)
    for name in shapes.SHAPES:
        shapes.write_shape(name, path)
    found = [
        {"question": asked, "doc": document, "start": start, "end": end, "rank": rank}
        for asked, places in RUN.items()
        for rank, (document, start, end) in enumerate(places, 1)
    ]
    (path / "run.jsonl").write_text(lines(found))
    return path


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def value(done):
    """The number of a command with one run and one measure."""
    assert done.code == 0, done.err
    return json.loads(done.out)[0]["value"]


def evaluate(berrypick, golden, *more):
    return berrypick("evaluate", golden, "run.jsonl", "-m", "charR@2", "-o", "json", *more)


# --- every shape is read, or refused with a command that works --------------------------------------------------------

OF_OTHERS = [name for name in shapes.SHAPES if name != "chunks.json"]


def own_shapes():
    """Rows of one's own, by name; those of one quote a row have it in a cell."""
    lists = {
        "contexts of texts beside an answer": lambda q, d: {"answer": "Words.", "contexts": [{"text": x} for x in q]},
        "contexts": lambda q, d: {"contexts": q},
        "quotes": lambda q, d: {"quotes": q, "doc": d},
        "evidence": lambda q, d: {"evidence": q},
        "passages": lambda q, d: {"passages": [{"text": x, "source": d} for x in q]},
    }
    return {name: [{"question": asked, **made(q, d)} for asked, q, d in ROWS] for name, made in lists.items()}


def one_quote_shapes():
    rows = {
        "quote": lambda i, q, d: {"quote": q, "doc": d},
        "context and answer": lambda i, q, d: {"context": q, "answer": "Words."},
        "answer": lambda i, q, d: {"answer": q},
        "text of an id": lambda i, q, d: {"id": f"q{i}", "text": q, "doc": d},
    }
    single = [(asked, quotes[0], document) for asked, quotes, document in ROWS]
    return {
        name: [{"question": asked, **made(i, quote, document)} for i, (asked, quote, document) in enumerate(single)]
        for name, made in rows.items()
    }


def as_csv(rows):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@pytest.mark.slow
@each("name", OF_OTHERS)
def test_golden_files_of_other_programs(here, berrypick, name):
    done = evaluate(berrypick, name, "--documents", "texts")
    answered = expected_recall(ROWS, RUN)
    assert value(done) == pytest.approx(answered, abs=1e-12)
    said = [line for line in done.err.splitlines() if "read as a golden file" in line]
    assert len(said) == 1 and said[0].startswith(f"note: {name}: ")


@pytest.mark.slow
@each("name", {**own_shapes(), **one_quote_shapes()})
def test_rows_of_ones_own_in_every_carrier(here, berrypick, name):
    several = name in own_shapes()
    rows = own_shapes()[name] if several else one_quote_shapes()[name]
    gold = ROWS if several else [(asked, quotes[:1], document) for asked, quotes, document in ROWS]
    wanted = pytest.approx(expected_recall(gold, RUN), abs=1e-12)
    files = {"own.jsonl": lines(rows), "own.json": json.dumps(rows), "indented.json": json.dumps(rows, indent=2),
             "wrapped.json": json.dumps({"version": 1, "examples": rows})}  # fmt: skip
    if not several:
        files["own.csv"] = as_csv(rows)
    for file, content in files.items():
        (here / file).write_text(content)
        assert value(evaluate(berrypick, file, "--documents", "texts")) == wanted, file
    frame = pandas.DataFrame(rows)
    frame.to_parquet(here / "own.parquet")
    assert value(evaluate(berrypick, "own.parquet", "--documents", "texts")) == wanted
    for given in (rows, iter(rows), {"examples": rows}, frame, polars.DataFrame(rows)):
        results = bp.evaluate(given, "run.jsonl", "charR@2", documents=TEXTS)
        assert results.mean()["run"]["charR@2"] == wanted, type(given)
        assert sum("read as a golden file" in str(note) for note in results.notes) == 1


def test_the_truth_of_adopt_gives_the_same(here, berrypick):
    direct = value(evaluate(berrypick, "ragas.json", "--documents", "texts"))
    assert berrypick("adopt", "ragas.json", "--documents", "texts", "-o", "t.jsonl").code == 0
    assert value(evaluate(berrypick, "t.jsonl")) == direct


@pytest.mark.slow
def test_other_commands_read_them_too(here, berrypick):
    more = ("--documents", "texts")
    wanted = expected_recall(ROWS, RUN)
    compared = berrypick("compare", "deepeval.json", "run.jsonl", "-m", "charR@2", "-o", "json", *more)
    assert json.loads(compared.out)[0]["value"] == pytest.approx(wanted)
    explained = berrypick("explain", "finetune.json", "run.jsonl", "--topic", "q0", "-m", "charR@2", *more)
    assert explained.code == 0 and "charR@2 for topic q0" in explained.out
    page = berrypick("report", "ragas.json", "run.jsonl", "-m", "charR@2", "--html", "page.html", *more)
    assert page.code == 0 and "read as a golden file" in (here / "page.html").read_text()
    assert bp.score("charR@2", "ragas.json", "run.jsonl", documents="texts") == pytest.approx(wanted)


def test_a_pipe(here, pipe):
    golden = pipe((here / "ragas.json").read_text())
    found = bp.evaluate(golden, "run.jsonl", "charR@2", documents="texts").mean()["run"]["charR@2"]
    assert found == pytest.approx(expected_recall(ROWS, RUN))


# --- SQuAD ------------------------------------------------------------------------------------------------------------


def squad():
    """Each document in two paragraphs, with the questions whose answers are in them word for word."""
    data, gold = [], []
    for document, text in TEXTS.items():
        middle = text.index("\n", len(text) // 2) + 1
        paragraphs = []
        for first, last in ((0, middle), (middle, len(text))):
            context, qas = text[first:last], []
            for asked, quotes, where in ROWS:
                if where == document and quotes[0] in context:
                    answer = {"text": quotes[0], "answer_start": context.index(quotes[0])}
                    qas.append({"id": f"s{len(gold)}", "question": asked, "answers": [answer]})
                    gold.append((asked, quotes[:1], document))
            paragraphs.append({"context": context, "qas": qas})
        data.append({"title": document.upper(), "paragraphs": paragraphs})
    data[0]["paragraphs"][0]["qas"].append(
        {"id": "none", "question": shapes.NO_ANSWER, "answers": [], "is_impossible": True}
    )
    return {"version": "2.0", "data": data}, gold


def test_paragraphs_of_squad_in_the_documents(here, berrypick):
    content, gold = squad()
    assert len(gold) >= 4
    for indent in (None, 1):
        (here / "squad.json").write_text(json.dumps(content, indent=indent))
        done = evaluate(berrypick, "squad.json", "--documents", "texts")
        assert value(done) == pytest.approx(expected_recall(gold, RUN), abs=1e-12)
        assert "8 paragraphs of 8 found in the documents, word for word" in done.err
        assert "1 judgement on a whole paragraph skipped" in done.err
    assert berrypick("adopt", "squad.json", "--documents", "texts", "-o", "s.jsonl").code == 0
    assert value(evaluate(berrypick, "s.jsonl")) == pytest.approx(expected_recall(gold, RUN), abs=1e-12)


def test_paragraphs_that_are_not_in_the_documents_keep_the_message(here, berrypick):
    content, _ = squad()
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            paragraph["context"] += " Added later."
    (here / "other.json").write_text(json.dumps(content))
    done = evaluate(berrypick, "other.json", "--documents", "texts")
    assert done.code == 2 and "is not in texts" in done.err


# --- refusals ---------------------------------------------------------------------------------------------------------


def offered(err):
    """The adopt command that the error, an object of JSON, offers."""
    [command] = re.findall(r"berrypick (adopt .+)", json.loads(err.splitlines()[-1])["error"]["message"])
    return shlex.split(command)


UNCERTAIN = {
    "retrieved beside ground truth": [
        {"question": asked, "answer": "Words.", "contexts": quotes, "ground_truth": "Words."}
        for asked, quotes, _ in ROWS
    ],
    "names that say little": [{"q": asked, "ctx": quotes[0], "src": document} for asked, quotes, document in ROWS],
    "a row without a quote": [
        *({"question": asked, "contexts": quotes} for asked, quotes, _ in ROWS),
        {"question": shapes.NO_ANSWER, "contexts": []},
    ],
}


@each("name", UNCERTAIN)
def test_doubtful_fields_name_a_command_that_works(here, berrypick, name):
    for file, content in (("open.jsonl", lines(UNCERTAIN[name])), ("open.json", json.dumps(UNCERTAIN[name]))):
        (here / file).write_text(content)
        done = evaluate(berrypick, file, "--documents", "texts")
        assert done.code == 2 and not done.out and "uncertain" in done.err
        words = offered(done.err)
        adopted = berrypick(*words)
        assert adopted.code == 0, adopted.err
        assert evaluate(berrypick, words[words.index("--output") + 1]).code == 0


OBJECTS = {
    "a text": lambda quotes, document: quotes[0],
    "a list": lambda quotes, document: quotes,
    "an object": lambda quotes, document: {"text": quotes, "doc": document},
    "objects": lambda quotes, document: [{"text": quote, "doc": document} for quote in quotes],
}


@each("name", OBJECTS)
def test_an_object_by_question_names_a_command_that_works(here, berrypick, name):
    """Texts under their questions may be answers in other words, so that a person confirms them."""
    gold = [(asked, quotes[:1] if name == "a text" else quotes, document) for asked, quotes, document in ROWS]
    (here / "object.json").write_text(json.dumps({asked: OBJECTS[name](q, d) for asked, q, d in gold}, indent=1))
    done = evaluate(berrypick, "object.json", "--documents", "texts")
    if done.code:
        words = offered(done.err)
        assert "DOCUMENTS" not in words and berrypick(*words).code == 0
        done = evaluate(berrypick, words[words.index("--output") + 1])
    assert value(done) == pytest.approx(expected_recall(gold, RUN), abs=1e-12)


def test_a_table_without_names_of_columns(here, berrypick):
    """Its first question would be lost as the name of a column."""
    (here / "bare.tsv").write_text("".join(f"{asked}\t{document}\t{quotes[0]}\n" for asked, quotes, document in ROWS))
    done = evaluate(berrypick, "bare.tsv", "--documents", "texts")
    assert done.code == 2 and "bare.tsv:1: the first line has no names of columns" in done.err
    assert berrypick("adopt", "bare.tsv", "--documents", "texts", "-o", "never.jsonl", "--yes").code == 2
    named = "question\tdoc\tquote\n" + (here / "bare.tsv").read_text()
    (here / "named.tsv").write_text(named)
    single = [(asked, quotes[:1], document) for asked, quotes, document in ROWS]
    assert value(evaluate(berrypick, "named.tsv", "--documents", "texts")) == pytest.approx(
        expected_recall(single, RUN)
    )


def test_json_without_questions_offers_no_adopt(here, berrypick):
    (here / "settings.json").write_text('{"chunk_size": 400, "model": "small"}')
    done = evaluate(berrypick, "settings.json", "--documents", "texts")
    assert done.code == 2 and "adopt" not in done.err


def test_what_a_system_retrieved_is_not_gold_even_word_for_word(here, berrypick):
    """Every context is in the documents as it is: the file could be read, and each number would be wrong."""
    exact = [(asked, quotes, document) for asked, quotes, document in ROWS if quotes[0] in TEXTS[document]]
    rows = [{"question": a, "answer": "Words.", "contexts": q, "ground_truth": "Words."} for a, q, _ in exact]
    (here / "samples.jsonl").write_text(lines(rows))
    for given in ("samples.jsonl", rows, pandas.DataFrame(rows)):
        with pytest.raises(bp.InputError, match="may be what a system retrieved"):
            bp.evaluate(given, "run.jsonl", "charR@2", documents="texts")


def test_quotes_that_are_nowhere_name_a_command_that_works(here, berrypick):
    rows = [{"user_input": asked, "reference_contexts": quotes} for asked, quotes, _ in ROWS]
    rows[2]["reference_contexts"] = ["Nothing of the kind has ever been written down anywhere."]
    (here / "lost.json").write_text(json.dumps(rows))
    done = evaluate(berrypick, "lost.json", "--documents", "texts")
    assert done.code == 2 and "1 of 7 quotes are not in the documents" in done.err
    words = offered(done.err)
    assert berrypick(*words).code == 0
    left = [row for number, row in enumerate(ROWS) if number != 2]
    found = value(evaluate(berrypick, words[words.index("--output") + 1]))
    assert found == pytest.approx(expected_recall(left, RUN))


def test_quotes_that_only_a_looser_rule_finds(here, berrypick):
    done = evaluate(berrypick, "ragas.json", "--documents", "texts", "--quotes", "exact")
    assert done.code == 2 and "find similar text as well: --quotes fuzzy" in done.err
    looser = evaluate(berrypick, "ragas.json", "--documents", "texts", "--quotes", "fuzzy")
    assert value(looser) == pytest.approx(expected_recall(ROWS, RUN))
    words = offered(done.err)
    assert berrypick(*words).code == 0
    left = [row for number, row in enumerate(ROWS) if number not in (1, 3)]
    assert value(evaluate(berrypick, words[words.index("--output") + 1])) == pytest.approx(expected_recall(left, RUN))


def test_gold_by_chunk_asks_for_the_chunks(here, berrypick):
    for more in (("--documents", "texts"), ()):
        done = evaluate(berrypick, "chunks.json", *more)
        assert done.code == 2 and "chunks" in done.err
        words = [{"CHUNKS": "chunks.jsonl", "DOCUMENTS": "texts"}.get(word, word) for word in offered(done.err)]
        assert berrypick(*words).code == 0


@pytest.mark.slow
@each("name", [*OF_OTHERS, "squad-like"])
def test_without_documents_the_message_says_what_to_do(here, berrypick, name):
    if name == "squad-like":
        (here / name).write_text(json.dumps([{"q": asked, "ctx": quotes[0]} for asked, quotes, _ in ROWS]))
    done = evaluate(berrypick, name)
    assert done.code == 2 and not done.out and "(run)" not in done.err.replace("samples (run)", "")
    if "adopt" in done.err:
        words = [{"DOCUMENTS": "texts"}.get(word, word) for word in offered(done.err)]
        adopted = berrypick(*words, *(["--yes"] if name == "squad-like" else []))
        assert adopted.code == 0, adopted.err
    else:
        assert "give the documents with --documents" in done.err


def test_a_run_in_the_place_of_the_truth_is_not_adopted(here, berrypick):
    """What a retriever returned stands in the documents word for word; that makes no gold of it."""
    swapped = {
        "results.json": [{"question": a, "results": [{"text": q[0], "source": d, "score": 0.5}]} for a, q, d in ROWS],
        "hits.json": [{"question": a, "retrieved": [{"text": q[0]}]} for a, q, _ in ROWS],
        "ranked.json": [{"question": a, "text": q[0], "rank": 1} for a, q, _ in ROWS],
        "samples.json": [{"user_input": a, "retrieved_contexts": q, "response": "Words."} for a, q, _ in ROWS],
    }
    for name, rows in swapped.items():
        for file, content in ((name, json.dumps(rows)), (f"{name}l", lines(rows))):
            (here / file).write_text(content)
            done = berrypick("evaluate", file, "t.jsonl", "-m", "charR@2", "--documents", "texts")
            assert done.code == 2 and not done.out, file
            assert "result-list (run)" not in done.err


def test_a_plain_truth_with_a_mistake_keeps_its_message(here, berrypick):
    (here / "plain.jsonl").write_text('{"topic": "1", "doc": "currants.md", "quote": "Nothing of the kind"}\n')
    done = berrypick("evaluate", "plain.jsonl", "run.jsonl", "-m", "charR@2", "--documents", "texts")
    assert done.code == 2 and "the quote is not in currants.md" in done.err and "adopt" not in done.err


def test_whole_documents_on_purpose(here, berrypick):
    """Documents are judged where the caller says so, although a text stands beside their names."""
    rows = [{"id": f"q{i}", "question": a, "text": q[0], "doc": d} for i, (a, q, d) in enumerate(ROWS)]
    (here / "both.jsonl").write_text(lines(rows))
    (here / "whole.jsonl").write_text(lines({"question": a, "doc": d, "rank": 1} for a, _, d in ROWS))
    words = ["evaluate", "both.jsonl", "whole.jsonl", "-m", "P@1", "-o", "json", "--documents", "texts"]
    assert value(berrypick(*words, "--whole-documents")) == 1.0


# --- Prodigy ----------------------------------------------------------------------------------------------------------

TASK = {"text": "Cut the old canes.", "topic": "1", "doc": "a", "answer": "accept"}


def test_prodigy_needs_spans_or_tokens(tmp_path, berrypick):
    path = tmp_path / "tasks.jsonl"
    marked = {**TASK, "spans": [{"start": 0, "end": 3, "label": "relevant"}]}
    for first in (marked, {**TASK, "tokens": [{"text": "Cut", "start": 0, "end": 3, "id": 0}]}):
        path.write_text(lines([first, marked]))
        assert bp.read_truth(path).format == "prodigy"
    assert ": prodigy, " in berrypick("check", path).out
    path.write_text(lines([TASK, marked]))  # the first task is judged as a whole
    assert bp.read_truth(path).format == "prodigy"
    golden = {"question": "When?", "answer": "In other words.", "contexts": [{"text": "Cut the old canes."}]}
    for row in (golden, {**golden, "text": "Cut", "spans": []}, {"question": "When?", "text": "Cut", "answer": "Now"}):
        path.write_text(lines([row]))
        assert ": prodigy, " not in berrypick("check", path).out


# --- broken JSON ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["evaluate", "diagnose", "check"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[\n  {"question": "What is cut?", "facts": "old canes"},\n  {"question": "Wh', 3),
        ('[{"question": "What is cut?", "facts": "old canes"}, {"question": "Wh', 1),
        ('{\n  "rows": [\n    {"question": "What is cut?",\n', 4),
    ],
    ids=["list", "one line", "object"],
)
def test_a_golden_file_cut_in_half_is_broken_json(tmp_path, call, text, line):
    (tmp_path / "golden.json").write_text(text)
    (tmp_path / "run.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 4, "rank": 1}\n')
    words = command(call, "golden.json", *(["run.jsonl"] if call != "check" else []))
    found = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    said = found.stdout + found.stderr
    assert found.returncode == 2
    assert f"golden.json:{line}: is not JSON (" in said
    assert "one per line" not in said and "recognised" not in said


def test_a_list_of_a_format_with_lines_has_advice(tmp_path):
    path = tmp_path / "kilt.json"
    path.write_text('[{"id": 7, "input": "q", "output": [{"provenance": [{"wikipedia_id": "41"}]}]}]')
    with pytest.raises(bp.InputError, match="write its objects one per line"):
        bp.read_truth(path)


# --- check ------------------------------------------------------------------------------------------------------------


def checked(folder, *arguments):
    found = subprocess.run(command("check", *arguments), cwd=folder, capture_output=True, text=True)
    return found.returncode, found.stdout


NOT_PLAIN = {  # the others are plain truths as well
    "ragas.json": "quotes in reference_contexts",
    "finetune.json": "chunks in relevant_chunk_ids",
    "labelled_rag.json": "quotes in reference_contexts",
    "haystack.json": "quotes in ground_truth_documents.content",
    "langfuse.json": "quotes in expectedOutput.evidence.quote",
    "promptfoo.yaml": "quotes in vars.context",
    "chunks.json": "chunks in relevant_chunk_ids",
    "deepeval.json": "quotes in context",
    "langsmith.jsonl": "quotes in outputs.contexts",
}


@each("name", NOT_PLAIN)
def test_check_recognises_golden_files(folder, name):
    code, said = checked(folder, name)
    assert code == 0, said
    assert re.match(rf"{re.escape(name)}: golden file, \d+ rows, {re.escape(NOT_PLAIN[name])}\n", said)
    more = " --chunks CHUNKS" if name == "chunks.json" else ""
    target = name.partition(".")[0] + "-truth.jsonl"
    assert f"convert it: berrypick adopt {name} --documents DOCUMENTS --output {target}{more}" in said


def test_check_places_the_quotes_of_a_golden_file(folder):
    code, said = checked(folder, "ragas.json", "--documents", "texts")
    assert code == 0, said
    assert ", placed: " in said
    assert "berrypick adopt ragas.json --documents texts --output ragas-truth.jsonl" in said


def test_check_reports_quotes_of_a_golden_file_that_are_nowhere(folder, tmp_path):
    golden = tmp_path / "golden.json"
    golden.write_text('[{"user_input": "Who?", "reference_contexts": ["Zanzibar exports xylophones."]}]')
    code, said = checked(folder, golden, "--documents", "texts")
    assert code == 2
    assert "1 of 1 quotes are not in the documents" in said and "--documents texts" in said


def test_check_does_not_take_a_list_of_results_for_a_golden_file(folder, tmp_path):
    run = tmp_path / "run.json"
    run.write_text('[{"question": "Who?", "results": [{"text": "old canes", "source": "guide.md"}]}]')
    assert checked(folder, run)[1].startswith(f"{run}: result-list, 1 topic")
