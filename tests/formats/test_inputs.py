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


def test_what_is_no_table_of_spans_is_told_as_before(tmp_path):
    (tmp_path / "r.txt").write_text("one,two,three\n1,2,3\n")
    with pytest.raises(bp.InputError, match="is not a recognised run format"):
        bp.read_run(tmp_path / "r.txt")
    (tmp_path / "n.csv").write_text("home\tdocs\t0.5\n")
    assert len(bp.read_navigation(tmp_path / "n.csv").rows) == 1
