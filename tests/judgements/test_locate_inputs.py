"""What locate takes, where it writes, and what it moves."""

from __future__ import annotations

import json

import polars
import pytest

import berrypick as bp
from berrypick.documents import locator as locating

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick dry."
DOCUMENTS = {"garden": TEXT, "shed": "Tools are kept dry."}
CUT, CUTS = TEXT.index("Cut"), "Cut the old canes"


def meaning(truth):
    return {name: topic.sets for name, topic in truth.topics.items()}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["text", "page_content", "chunk"])
def test_a_text_that_is_no_quote_is_not_dropped_without_a_word(name, tmp_path, berrypick):
    rows = [{"topic": "1", "doc": "garden", name: CUTS}]
    with pytest.raises(bp.UsageError, match=f"judges whole documents, and {name} is not read"):
        bp.locate(rows, DOCUMENTS)
    (tmp_path / "garden.txt").write_text(TEXT)
    done = berrypick("locate", lines(tmp_path / "t.jsonl", rows), tmp_path / "o.jsonl", "--documents", tmp_path)
    assert done.code == 2 and "a text that is to be found is called quote" in done.err
    assert not (tmp_path / "o.jsonl").exists()


def test_what_is_not_read_is_said_where_a_file_is_written(tmp_path, berrypick):
    """A file that was converted does not have it any more."""
    truth = lines(tmp_path / "t.jsonl", [{"topic": "1", "doc": "garden", "text": CUTS}])
    assert "t.jsonl: unread: text" in berrypick("convert", truth, tmp_path / "o.jsonl", "--from", "span-truth").err
    span = {"topic": "1", "doc": "garden.txt", "start": CUT, "end": CUT + len(CUTS), "colour": "red"}
    run = lines(tmp_path / "r.jsonl", [{**span, "rank": 1}])
    assert "r.jsonl: unread: colour" in berrypick("convert", run, tmp_path / "p.jsonl", "--from", "span-run").err
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "garden.txt").write_text(TEXT)
    judged = lines(tmp_path / "u.jsonl", [span, {**span, "start": 0, "end": 4, "colour": "blue"}])  # no field of topics
    texts = ("--from", tmp_path / "texts", "--to", tmp_path / "texts")
    assert "u.jsonl: unread: colour" in berrypick("relocate", judged, *texts, "-o", tmp_path / "q.jsonl").err


def test_locate_takes_files_and_all_the_rest(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "garden").write_text(TEXT)
    (tmp_path / "t.jsonl").write_text(json.dumps({"topic": "1", "quote": CUTS}))
    frame = polars.DataFrame({"qid": [1], "quote": [CUTS]})
    for truth in (tmp_path / "t.jsonl", str(tmp_path / "t.jsonl"), bp.read_truth(tmp_path / "t.jsonl"), frame):
        for documents in (str(tmp_path / "texts"), tmp_path / "texts", DOCUMENTS):
            found = bp.locate(truth, documents)
            assert found.topics["1"].start.tolist() == [CUT] and found.offsets == "chars"
    with pytest.raises(bp.UsageError, match="a truth is a file"):
        bp.locate(3, DOCUMENTS)
    with pytest.raises(bp.UsageError, match="documents are a folder, a file or a mapping of name to text, not int"):
        bp.locate(frame, 3)
    with pytest.raises(bp.UsageError, match="the text of garden is a int, not a str"):
        bp.locate(frame, {"garden": 3})


def test_quotes_without_documents():
    with pytest.raises(bp.UsageError, match="documents="):
        bp.locate("file")


def test_quotes_keep_their_sets(tmp_path):
    rows = [
        {"topic": "1", "doc": "a", "quote": "old canes", "set": "x"},
        {"topic": "1", "quote": "old canes", "doc": "a", "set": "y"},
        {"topic": "1", "doc": "a", "start": 0, "end": 3, "quote": "Cut", "set": "y"},
    ]
    path = lines(tmp_path / "truth.jsonl", rows)
    texts = {"a": "Cut the old canes."}
    located = bp.locate(path, texts)
    assert meaning(located) == {"1": (("x", "y"), ("y",))}
    again = tmp_path / "again.jsonl"
    bp.read_truth(path).write(again)
    assert meaning(bp.locate(again, texts)) == {"1": (("y",), ("x", "y"))}  # quotes are written after spans
    rows[2]["quote"], rows[2]["start"], rows[2]["end"] = "Burn", 0, 4
    with pytest.raises(bp.UsageError, match="topic 1 names sets or hops, which would look complete without"):
        bp.locate(lines(path, rows), texts, partial=True)


def test_repair_moves_to_the_only_place(tmp_path):
    """Where the quote stands twice near the span, or farther away, the span stays as it is, and is counted."""
    text = "no no no. Yes. " + "x" * 20
    record = {"topic": "q", "doc": "d", "start": 2, "end": 6, "quote": "no"}
    truth = lines(tmp_path / "truth.jsonl", [record])
    assert bp.locate(truth, {"d": text}, repair=1).topics["q"].start.tolist() == [3]
    assert bp.locate(truth, {"d": text}, repair=3).topics["q"].start.tolist() == [2]
    assert bp.locate(truth, {"d": text}).topics["q"].start.tolist() == [2]


SENTENCES = "It rained. Cut the old canes in autumn. Then rest. \n Compost needs air. It does."


@pytest.mark.parametrize(
    ("quote", "low", "high"),
    [
        ("Cut the old canes in autumn.", -1, 0),
        ("Cut the old canes in autumn.", 0, 1),
        ("Cut the old canes in autumn.", -1, 1),
        ("Cut the old canes in autumn. ", -1, -1),
        ("Cut the old canes in autumn.", -1, -1),
        ("Cut the old canes in autumn.", 1, 1),
        ("Cut the old canes in autumn", -1, -1),
        (" Compost needs air.", -2, -2),
        (" Compost needs air.", 1, 1),
        (" Compost needs air.", -1, 0),
    ],
)
def test_spans_that_catch_white_space_are_moved(quote, low, high):
    at = SENTENCES.index(quote)
    truth = {"q": [{"doc": "d", "start": at + low, "end": at + len(quote) + high, "quote": quote}]}
    found = bp.locate(truth, {"d": SENTENCES}, repair=2)
    assert (found.topics["q"].start.tolist(), found.topics["q"].end.tolist()) == ([at], [at + len(quote)])
    assert "1 span moved to the quote" in found.notes


def test_lines_are_no_text(tmp_path):
    truth = lines(tmp_path / "t.jsonl", [{"topic": "1", "doc": "a.py", "start_line": 1, "end_line": 4}])
    with pytest.raises(bp.UsageError, match="stretches of lines; locate only finds spans of text"):
        bp.locate(truth, {"a.py": "x"})


def test_an_input_is_not_written_over(tmp_path, monkeypatch, berrypick):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/d").write_text("0123456789")
    lines(tmp_path / "t.jsonl", [{"topic": "1", "doc": "d", "start": 0, "end": 10}])
    before = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    for target in ("t.jsonl", "texts/d"):
        done = berrypick("locate", "t.jsonl", target, "--documents", "texts")
        assert done.code == 2 and "refusing to overwrite" in done.err and "name another file" in done.err
    assert before == {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "o.jsonl").write_text("old")
    assert berrypick("locate", "t.jsonl", "o.jsonl", "--documents", "texts").code == 0
    assert (tmp_path / "o.jsonl").read_text() != "old"


def test_many_quotes_are_found_together(monkeypatch):
    texts = {f"d{n}": " ".join(f"w{n}{i}" for i in range(300)) for n in range(5)}
    chunks = [text[at : at + 90].strip() for text in texts.values() for at in range(0, len(text), 90)][::7]
    truth = {"q": [{"quote": chunk} for chunk in chunks]}
    alone, sought = bp.locate(truth, texts).to_records(), []
    monkeypatch.setattr(locating, "MANY", 1)
    monkeypatch.setattr(locating, "LITTLE", 0)
    find = locating.find_many
    monkeypatch.setattr(locating, "find_many", lambda wanted, texts: sought.append(len(wanted)) or find(wanted, texts))
    assert bp.locate(truth, texts).to_records() == alone
    assert sought == [len(chunks)]
