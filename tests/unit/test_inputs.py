"""Input files as people have them: odd names, wrong columns; and that none of them is written over."""

import json

import pytest

import berrypick as bp

SPANS = '{"topic": "1", "doc": "d", "start": 0, "end": 10}\n'
RUN = '{"topic": "1", "doc": "d", "start": 0, "end": 10, "score": 1}\n'


def refused(done, *parts):
    """One message, exit code 2."""
    assert done.code == 2 and "Traceback" not in done.err and done.err.count("berrypick: ") == 1, done
    for part in parts:
        assert part in done.err, done.err


# --- characters at which some take a line to end ---------------------------------------------------------------------

ODD = ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1e"]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("odd", ODD)
def test_odd_names_are_converted(tmp_path, odd, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    name = f"a{odd}b"
    record = {"topic": f"t{odd}", "doc": name, "start": 0, "end": 3}
    (tmp_path / "run.jsonl").write_text(json.dumps({**record, "score": 1.0}, ensure_ascii=False) + "\n", "utf-8")
    (tmp_path / "truth.jsonl").write_text(json.dumps({**record, "grade": 1}, ensure_ascii=False) + "\n", "utf-8")
    bp.write(bp.read_run(tmp_path / "run.jsonl"), tmp_path / f"r.{ending}")
    bp.write(bp.read_truth(tmp_path / "truth.jsonl"), tmp_path / f"t.{ending}")
    run, truth = bp.read_run(tmp_path / f"r.{ending}"), bp.read_truth(tmp_path / f"t.{ending}")
    assert run.documents == [name] and list(run.topics) == [f"t{odd}"]
    assert truth.topics[f"t{odd}"].document == (name,)


@pytest.mark.parametrize("odd", ODD)
def test_results_with_odd_names_are_compared(tmp_path, berrypick, odd):
    record = {"topic": f"1{odd}2", "doc": f"d{odd}", "start": 0, "end": 10}
    (tmp_path / "t.jsonl").write_text(json.dumps(record), "utf-8")
    (tmp_path / "r.jsonl").write_text(json.dumps({**record, "score": 1, "tag": f"s{odd}s"}), "utf-8")
    done = berrypick("evaluate", tmp_path / "t.jsonl", tmp_path / "r.jsonl", "-m", "EPRUM charR@5", "-q", "-o", "jsonl")
    (tmp_path / "h.jsonl").write_text(done.out, "utf-8")
    assert berrypick("diff", tmp_path / "h.jsonl", tmp_path / "h.jsonl", "--fail-if-different").code == 0


# --- nothing that is read is written over ----------------------------------------------------------------------------


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
    refused(berrypick(*arguments.split()), "refusing to overwrite", "name another file")
    assert before == {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_other_files_are(folder, berrypick):
    (folder / "o.jsonl").write_text("old")
    assert berrypick("convert", "r.jsonl", "o.jsonl").code == 0
    assert berrypick("convert", "r.jsonl", "/dev/null", "--to", "span-run").code == 0


# --- tables with other columns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "r.csv",
            "topic,dokument,start,end\n1,d,0,3\n",
            ["r.csv:1: has no column doc; it has topic, dokument,", "rename"],
        ),
        ("r.csv", "frage,doc,start,end\n1,d,0,3\n", ["has no column topic", "add the column, or rename one to topic"]),
        ("r.txt", "topic,dokument,start,end\n1,d,0,3\n", ["has no column doc", "rename one to doc"]),
        ("r.tsv", "topic\tdok\tstart\tend\n1\td\t0\t3\n", ["has no column doc; it has topic, dok, start, end"]),
        ("r.csv", "a,b\n1,2\n", ["has no column topic; it has a, b", "add the column, or rename one to topic"]),
        ("r.csv", "topic|doc|start|end\n1|d|0|3\n", ["r.csv:1: columns are separated by '|'", "semicolons or TABs"]),
        ("r.txt", '"topic";"doc";"start"\n1;d;0\n', ["r.txt:2: end is missing"]),
        ("r.csv", "topic,doc,start,end,score\n", ["r.csv:1: has column names but no rows"]),
        ("r.csv", "# ours\n\ntopic,doc,start,end,score\n# none\n", ["r.csv:3: has column names but no rows"]),
    ],
)
def test_tables_that_are_almost_right(tmp_path, berrypick, name, content, told):
    (tmp_path / "t.jsonl").write_text(SPANS)
    (tmp_path / name).write_text(content)
    done = berrypick("evaluate", tmp_path / "t.jsonl", tmp_path / name, "-m", "EPRUM")
    refused(done, *told)
    assert "no known" not in done.err and "expected one of" not in done.err
    checked = berrypick("check", tmp_path / name)
    assert checked.code == 2 and told[0].partition("r.csv")[2] in checked.out


def test_what_is_no_table_of_spans_is_told_as_before(tmp_path):
    (tmp_path / "r.txt").write_text("one,two,three\n1,2,3\n")
    with pytest.raises(bp.InputError, match="is in no known run format"):
        bp.read_run(tmp_path / "r.txt")
    (tmp_path / "n.csv").write_text("home\tdocs\t0.5\n")
    assert len(bp.read_navigation(tmp_path / "n.csv").rows) == 1
