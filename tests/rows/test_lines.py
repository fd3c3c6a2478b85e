"""Positions that count lines or seconds: read in every carrier, kept apart from others, and given back."""

import json

import pytest

import berrypick as bp

TRUTH = '{"topic": "1", "doc": "a.py", "start_line": 10, "end_line": 14}\n{"topic": "1", "doc": "b.py", "line": 3}\n'
RUN = (
    '{"topic": "1", "doc": "a.py", "start_line": 12, "end_line": 21, "rank": 1, "tokens": 80, "tool": "Read"}\n'
    '{"topic": "1", "doc": "b.py", "start_line": 3, "end_line": 3, "rank": 1}\n'
    '{"topic": "1", "doc": "a.py", "start_line": 1, "end_line": 11, "rank": 2, "tokens": 20, "used": true}\n'
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.jsonl").write_text(TRUTH)
    (tmp_path / "run.jsonl").write_text(RUN)
    return tmp_path


def test_lengths_are_lines(files):
    """Of lines 10 to 14 and 3, rank 1 shows 12 to 14 and 3: 4 of 6; it reads 11 lines. Rank 2 adds 10 and 11."""
    mean = bp.evaluate(files / "truth.jsonl", files / "run.jsonl", "charR@1 charP@1 charR").mean()["run"]
    assert mean == pytest.approx({"charR@1": 4 / 6, "charP@1": 4 / 11, "charR": 1.0})


def test_half_open_from_zero_inside(files):
    truth, run = bp.read_truth(files / "truth.jsonl"), bp.read_run(files / "run.jsonl")
    assert (truth.unit, run.unit) == ("lines", "lines")
    assert truth["1"].start.tolist() == [9, 2] and truth["1"].end.tolist() == [14, 3]
    assert run["1"].rank.tolist() == [0, 0, 1] and run["1"].lengths().tolist() == [10, 1, 11]
    assert run["1"].details["tokens"][[0, 2]].tolist() == [80, 20] and run["1"].details["tool"].tolist() == [
        "Read",
        "",
        "",
    ]
    assert truth["1"].name(0) == "a.py:10-14" and run["1"].name(1) == "b.py:3"


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_written_as_it_was_read(files, form):
    truth, run = bp.read_truth(files / "truth.jsonl"), bp.read_run(files / "run.jsonl")
    bp.write(truth, files / f"again.{form}", "span-truth" if form == "jsonl" else "span-table-truth")
    bp.write(run, files / f"found.{form}", "span-run" if form == "jsonl" else "span-table-run")
    again, found = bp.read_truth(files / f"again.{form}"), bp.read_run(files / f"found.{form}")
    assert again.to_records() == truth.to_records() and found.to_records() == run.to_records()
    assert found.to_records()[0] == {"topic": "1", "doc": "a.py", "start_line": 12, "end_line": 21, "rank": 1,
                                     "tokens": 80, "tool": "Read"}  # fmt: skip


def test_every_carrier(files):
    rows = [json.loads(line) for line in RUN.splitlines()]
    truth = bp.read_truth(files / "truth.jsonl")
    expected = bp.score("charR@1", truth, bp.read_run(files / "run.jsonl"))
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    carriers = {
        "records": rows,
        "pandas": pandas.DataFrame(rows),
        "polars": polars.DataFrame(rows),
        "other names": [{**{("lineStart" if k == "start_line" else "LINE-END" if k == "end_line" else k): v
                            for k, v in row.items()}} for row in rows],
        "given back": bp.read_run(files / "run.jsonl").to_records(),
    }  # fmt: skip
    for name, carrier in carriers.items():
        assert bp.score("charR@1", truth, carrier) == expected, name
        assert bp.score("charR@1", bp.Truth.from_records(truth.to_records()), carrier) == expected, name
    lists = {"1": [{"doc": "a.py", "start_line": 12, "end_line": 21}, {"doc": "b.py", "line": 3}]}
    assert bp.score("charR@2", truth, lists) == expected
    assert bp.score("charR@1", truth, bp.Run.from_dict(bp.Run.from_dict(lists).to_dict())) == 3 / 6


def test_seconds_by_their_own_names():
    truth = [{"topic": "1", "doc": "v", "start_time": 2.5, "end_time": 12.5}]
    for run in ({"ts": [7.5, 20]}, {"start_sec": 7.5, "end_sec": 20}, {"startTime": 7.5, "endTime": 20}):
        record = {"topic": "1", "doc": "v", **run}
        assert bp.score("charR", truth, [record]) == 0.5
        assert bp.Run.from_records([record]).to_records()[0]["end_time"] == 20
    results = bp.evaluate(truth, [{"topic": "1", "doc": "v", "start": 7.5, "end": 20}], "charR")
    assert "read as seconds" in " ".join(note.text for note in results.notes)


WRONG = [
    ({"start_line": 0, "end_line": 4}, "start_line must be a whole number of at least 1, not 0"),
    ({"start_line": 5, "end_line": 4}, "end_line 4 is before start_line 5"),
    ({"start_line": 5}, "end_line is missing"),
    ({"start_line": 1.5, "end_line": 4}, "must be a whole number"),
    ({"line": 3, "end_line": 4}, "line and end_line are both positions"),
    ({"line": "import os"}, "line must be a whole number"),
    ({"lines": [3, 4]}, "lines cannot be read as a position in lines"),
    ({"lines": "3-4"}, "lines cannot be read as a position in lines"),
    ({"start": 1, "end": 4, "start_line": 1, "end_line": 2}, "are both positions, by lines and by characters"),
    ({"start_time": 1, "end_time": 4, "line": 2}, "are both positions, by lines and by seconds"),
    ({"ts": [1]}, "ts must be two numbers of seconds"),
    ({"start_time": "2026-05-01T10:00:00", "end_time": "2026-05-01T10:00:09"}, "must be a number of seconds"),
    ({"start_time": 4, "end_time": 1}, "not a valid time range"),
    ({"start_ms": 4, "end_ms": 10}, "start_ms is a position in milliseconds"),
    ({"start_line": 1, "end_line": 2, "text": "a\nb\nc"}, "text has 3 lines, and the place 2"),
    ({"start_line": 1, "end_line": 2, "tokens": -1}, "tokens -1 is below 0"),
]


@pytest.mark.parametrize(("place", "why"), WRONG)
def test_refused(tmp_path, place, why):
    (tmp_path / "run.jsonl").write_text(json.dumps({"topic": "1", "doc": "a", "rank": 1, **place}) + "\n")
    with pytest.raises(bp.InputError, match=r"run.jsonl:1: ") as error:
        bp.read_run(tmp_path / "run.jsonl")
    assert why in str(error.value)


def test_units_do_not_mix(files):
    (files / "chars.jsonl").write_text('{"topic": "1", "doc": "a.py", "start": 12, "end": 21, "rank": 1}\n')
    with pytest.raises(bp.InputError, match="start and end, which count characters, and the truth start_line"):
        bp.evaluate(files / "truth.jsonl", files / "chars.jsonl", "charR")
    with pytest.raises(bp.InputError, match="start_line and end_line, which count lines, and the truth start and end"):
        bp.evaluate([{"topic": "1", "doc": "a.py", "start": 1, "end": 9}], files / "run.jsonl", "charR")
    for mixed, read in ((TRUTH, bp.read_truth), (RUN, bp.read_run)):
        (files / "mixed.jsonl").write_text(mixed + mixed.splitlines()[0].replace("_line", "") + "\n")
        with pytest.raises(bp.InputError, match="offsets count characters here, and count lines in line 1"):
            read(files / "mixed.jsonl")


def test_what_counts_characters_is_refused(files):
    given = files / "truth.jsonl", files / "run.jsonl"
    for options, why in (({"effort": "tokens", "documents": {"a.py": "x"}}, "use effort='lines'"),
                         ({"effort": "chars"}, "use effort='lines'")):  # fmt: skip
        with pytest.raises(bp.UsageError, match=why):
            bp.evaluate(*given, "EPRUM", **options)


def test_texts_have_lengths_in_lines(files):
    """Nothing is looked up in them by characters: line 21 of a text of 30 short lines lies inside."""
    texts = {"a.py": "x\n" * 30, "b.py": "y\n" * 4 + "y"}
    results = bp.evaluate(files / "truth.jsonl", files / "run.jsonl", "charR@1", documents=texts)
    assert results.mean()["run"]["charR@1"] == 4 / 6
    from berrypick.evaluation.evaluation import Evaluation

    made = Evaluation.prepare(files / "truth.jsonl", [files / "run.jsonl"], "charR", documents=texts)
    assert dict(made.context.reader.collection.lengths) == {"a.py": 30.0, "b.py": 5.0}


def test_explained_in_lines(files, berrypick):
    shown = berrypick("explain", files / "truth.jsonl", files / "run.jsonl", "--topic", "1", "-m", "charR@1").out
    assert "each line once" in shown


def test_steps_are_ranks(tmp_path):
    rows = [{"topic": "1", "doc": "a", "line": 2, "step": 7}, {"topic": "1", "doc": "b", "line": 2, "step": 4}]
    assert [row["doc"] for row in bp.Run.from_records(rows).to_records()] == ["b", "a"]


def test_what_is_no_cost_is_not_read():
    run = bp.Run.from_records(
        [{"topic": "1", "doc": "a", "start": 0, "end": 4, "rank": 1, "tokens": ["a"], "used": "y"}]
    )
    assert run.details == {} and run.origin.unread == ("tokens",)


def test_paths_that_nearly_match_are_offered_and_not_taken():
    truth = [{"topic": "1", "doc": "src/a.py", "line": 4}, {"topic": "1", "doc": "src/b.py", "line": 4}]
    run = [{"topic": "1", "doc": "repo/src/a.py", "line": 4}, {"topic": "1", "doc": "src/b.py", "line": 9}]
    results = bp.evaluate(truth, run, "charR")
    assert results.mean()["run"]["charR"] == 0.0
    assert any("1 judged path may be a path of the run in another form" in str(note) for note in results.notes)
