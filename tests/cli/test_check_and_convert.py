"""Files checked and converted by the commands: formats left open, texts beside offsets, nothing written over."""

from __future__ import annotations

import json

import pytest

import berrypick as bp
from berrypick.documents.offsets import count_units

SPANS = '{"topic": "1", "doc": "d", "start": 0, "end": 10}\n'
RUN = '{"topic": "1", "doc": "d", "start": 0, "end": 10, "score": 1}\n'
#: Lines that all differ, so that each text has one place.
TEXT = "".join(f"Line {i} says that {i * i} berries were picked.\n" for i in range(300))
STARTS = range(1000, 7000, 1000)


def lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def chunks(text: str, shift: int = 0, unit: str = "chars") -> list[dict[str, object]]:
    """Chunks of a text as a retriever gives them, offsets counted in that text."""
    found = []
    for rank, at in enumerate(STARTS, start=1):
        start, end = (count_units(text[:place], unit) + shift for place in (at, at + 200))
        found.append({"topic": "q", "doc": "d", "start": start, "end": end, "text": text[at : at + 200], "rank": rank})
    return found


@pytest.mark.parametrize(
    "records",
    [
        [{"topic": "1", "doc": "a", "start": 0, "end": 5}, {"topic": "1", "doc": "b", "grade": 0}],
        [{"topic": "1", "doc": "a", "start": 0, "end": 5}, {"topic": "1", "doc": "a", "quote": "x"}],
        [{"topic": "1", "doc": "a", "start": 0, "end": 5}] * 30 + [{"topic": "2", "doc": "b", "grade": 0}],
        [{"topic": "1", "doc": "a", "start": 0, "end": 5}] * 30 + [{"topic": "2", "quote": "x"}],
        [{"topic": "1", "doc": "a", "start": 0, "end": 5}, {"topic": "2", "answer": None}],
    ],
)
def test_check_knows_a_truth_with_and_without_spans(files, berrypick, tmp_path, records):
    path = files(mixed_jsonl="".join(json.dumps(record) + "\n" for record in records))["mixed_jsonl"]
    done = berrypick("check", path)
    assert done.code == 0 and done.out.startswith(f"{path}: span-truth, "), done.out


def test_check_still_finds_a_broken_run(files, berrypick):
    rows = [{"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1}, {"topic": "1", "doc": "b", "rank": 2}]
    path = files(run_jsonl="".join(json.dumps(row) + "\n" for row in rows))["run_jsonl"]
    done = berrypick("check", path)
    assert done.code == 2 and "span-run" in done.out and "only some lines have start and end" in done.out


A, B = ({"topic": "1", "doc": doc, "start": 0, "end": 9} for doc in "ab")


def test_a_row_of_grade_0_belongs_to_no_set(tmp_path, berrypick):
    path = tmp_path / "truth.jsonl"
    path.write_text(lines([A | {"set": "x"}, B | {"set": "x", "grade": 0}]))
    said = berrypick("check", path)
    assert "1 set in 1 topic" in said.out
    assert "lines that are not relevant but name a set, ignored" in said.out


def test_lines_and_tables_with_sets_are_no_runs(tmp_path, berrypick):
    rows = [A | {"set": "x"}, B | {"set": "y"}]
    (tmp_path / "truth.csv").write_text("topic,doc,start,end,set\n1,a,0,9,x\n1,b,0,9,y\n")
    (tmp_path / "truth.jsonl").write_text(lines(rows))
    for name in ("truth.jsonl", "truth.csv"):
        said = berrypick("check", tmp_path / name).out
        assert "2 sets in 1 topic" in said and "leaves it open" not in said
    (tmp_path / "run.jsonl").write_text(lines([A | {"set": "x", "rank": 1}]))
    assert "span-run" in berrypick("check", tmp_path / "run.jsonl").out


def test_a_truth_keeps_its_fields_when_it_is_converted(tmp_path, berrypick):
    place = {"doc": "a", "start": 0, "end": 10, "grade": 1}
    topics = {"1": "law", "2": "law", "3": "film"}
    judged = [{"topic": topic, **place, "domain": domain} for topic, domain in topics.items()]
    (tmp_path / "graded.jsonl").write_text(lines([*judged, {"topic": "4", **place}]))
    for name in ("again.jsonl", "again.csv"):
        assert berrypick("convert", tmp_path / "graded.jsonl", tmp_path / name).code == 0
        results = bp.evaluate(tmp_path / name, {"1": {"a#0-5": 1}, "3": {"a#0-10": 1}}, "charR", by="domain")
        assert results.by_group() == {"run": {"charR": {"law": 0.25, "film": 1.0}}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/d").write_text("0123456789")
    (tmp_path / "t.jsonl").write_text(SPANS)
    (tmp_path / "r.jsonl").write_text(RUN)
    (tmp_path / "also.jsonl").symlink_to("r.jsonl")
    (tmp_path / "n.tsv").write_text("a\tb\t0.5\n")
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml/a.xml").write_text("<a>text</a>")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "convert r.jsonl also.jsonl",
        "convert t.jsonl t.jsonl --from span-truth",
    ],
)
def test_an_input_is_not_written_over(folder, berrypick, arguments):
    before = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
    done = berrypick(*arguments.split())
    assert done.code == 2 and done.err.count("berrypick: ") == 1
    assert "refusing to overwrite" in done.err and "name another file" in done.err
    assert before == {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_other_files_are(folder, berrypick):
    (folder / "o.jsonl").write_text("old")
    assert berrypick("convert", "r.jsonl", "o.jsonl").code == 0
    assert berrypick("convert", "r.jsonl", "/dev/null", "--to", "span-run").code == 0


def test_checked_without_characters(tmp_path, berrypick):
    """A text of another length in characters is none of another length in lines."""
    row = {"topic": "1", "doc": "a.py", "start_line": 12, "end_line": 21, "rank": 1, "text": "x"}
    (tmp_path / "quoted.jsonl").write_text(lines([row]))
    shown = berrypick("check", tmp_path / "quoted.jsonl")
    assert shown.code == 0 and "positions count lines" in shown.out


def test_the_command_line_converts_and_checks_tables(files, tmp_path, berrypick):
    path = files(run_jsonl='{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 2}\n')["run_jsonl"]
    for name in ("out.csv", "out.parquet"):
        assert berrypick("convert", path, tmp_path / name, "--from", "span-run").code == 0
        assert "1 topic, 1 result" in berrypick("check", tmp_path / name, "--format", "span-table-run").out


def test_check_with_documents(files, berrypick, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text(TEXT, newline="")
    judged = [{"topic": "q", "doc": "d", "start": at, "end": at + 60, "quote": TEXT[at : at + 60]} for at in STARTS]
    shifted = [{**row, "start": row["start"] + 7, "end": row["end"] + 7} for row in judged]
    beyond = [{"topic": "q", "doc": "d", "start": len(TEXT), "end": len(TEXT) + 9}]
    quotes = [{"topic": "q", "doc": "d", "quote": "Line 12 says"}, {"topic": "q", "doc": "d", "quote": "No such line"}]
    unknown = [{"topic": "q", "doc": "e", "start": 0, "end": 9}]
    cases = {
        "right": (judged, "6 quotes compared with the documents"),
        "plain": ([{"topic": "q", "doc": "d", "start": 5, "end": 9}], "offsets are within the documents"),
        "shifted": (shifted, "6 of 6 quotes are not at their offsets: all are 7 characters too high"),
        "beyond": (beyond, "beyond the end"),
        "quotes": (quotes, "the quote is not in d.txt"),
        "unknown": (unknown, "document e is not in"),
        "run": (chunks(TEXT), "6 texts compared with the documents"),
        "shifted run": (chunks(TEXT, 7), "6 of 6 texts are not at their offsets: all are 7 characters too high"),
        "texts": ([{"topic": "q", "doc": "d", "text": "Line 12 says", "rank": 1}], "1 text found in the documents"),
        "bytes": (chunks(TEXT.replace("berries", "bérries"), unit="bytes"), "not at their offsets"),
    }
    for name, (records, said) in cases.items():
        path = files(**{"some_jsonl": lines(records)})["some_jsonl"]
        found = berrypick("check", path, "--documents", tmp_path / "texts")
        good = name in ("right", "plain", "run", "texts")
        assert (found.code, said in found.out) == (0 if good else 2, True), (name, found.out, found.err)
    assert berrypick("check", path, "--offsets", "bytes").code == 2  # without documents


def test_files_carry_it(tmp_path, files, berrypick):
    lines = '{"topic": "1", "doc": "a", "start": 0, "end": 10}\n{"topic": "1", "doc": "a", "judged": true}\n'
    truth = files(truth_jsonl=lines)["truth_jsonl"]
    for name, to in {"again.jsonl": "span-truth", "again.csv": "span-table-truth"}.items():
        assert berrypick("convert", truth, tmp_path / name, "--to", to).code == 0
        read = bp.read_truth(tmp_path / name)
        assert read.topics["1"].judged_documents == ("a",)
        assert bp.score("charJudged", read, {"1": {"a#5-50": 1, "b#0-15": 0}}) == pytest.approx(45 / 60)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("topic,dokument,start,end\n1,d,0,3\n", ":1: has no column doc; it has topic, dokument,"),
        ("topic|doc|start|end\n1|d|0|3\n", ":1: columns are separated by '|'"),
        ("topic,doc,start,end,score\n", ":1: has column names but no rows"),
        ("# ours\n\ntopic,doc,start,end,score\n# none\n", ":3: has column names but no rows"),
    ],
)
def test_tables_that_are_almost_right(tmp_path, berrypick, content, told):
    (tmp_path / "r.csv").write_text(content)
    checked = berrypick("check", tmp_path / "r.csv")
    assert checked.code == 2 and f"{tmp_path / 'r.csv'}{told}" in checked.out
