"""Formats of video say that their positions count seconds, and nothing takes them for characters."""

import pytest
from format_samples import sample
from many_cases import each

import berrypick as bp
from berrypick import formats

TIMED = [one for one in formats.registry if one.positions == "seconds"]
CHARADES = "GARDEN 24.3 30.4##a person picks a berry.\nHEDGE 0.0 12.1##rain.\n"
IN_SECONDS = '{"topic": "1", "doc": "GARDEN", "start_time": 24, "end_time": 30, "score": 1}\n'
UNDECLARED = '{"topic": "1", "doc": "GARDEN", "start": 24, "end": 30, "score": 1}\n'
WITH_TEXT = '{"topic": "1", "doc": "GARDEN", "start": 24, "end": 30, "text": "berry.", "score": 1}\n'
FOL = "1 Q0 GARDEN 1 1.0 mine 24 6\n"


def put(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@each("timed", TIMED, ids=lambda one: one.name())
def test_every_format_of_video_counts_seconds(tmp_path, timed):
    assert len(TIMED) >= 12
    path = put(tmp_path / "file", sample(timed))
    value = formats.read_any(path, timed.role, timed.name())
    assert value.unit == "seconds"
    runs = formats.split_runs(str(path), timed)
    assert all(run.unit == "seconds" for run in runs)
    again = tmp_path / "again.jsonl"
    bp.write(value, again, f"span-{timed.role}")
    assert '"start_time"' in again.read_text() and formats.read_any(again, timed.role).unit == "seconds"


@each("ending", ["jsonl", "csv", "parquet"])
def test_carriers_keep_seconds(tmp_path, ending):
    truth = bp.read_truth(put(tmp_path / "charades.txt", CHARADES))
    bp.write(truth, tmp_path / f"again.{ending}")
    again = bp.read_truth(tmp_path / f"again.{ending}")
    assert again.unit == "seconds" and list(again["1"]) == list(truth["1"])


def test_frames_and_records_keep_seconds(tmp_path):
    truth = bp.read_truth(put(tmp_path / "charades.txt", CHARADES))
    assert truth["1"][0]["start_time"] == 24.3
    assert bp.Truth.from_records(truth.to_records()).unit == "seconds"
    assert bp.Truth.from_frame(truth.to_pandas()).unit == "seconds"
    assert bp.Truth.from_dict(truth.to_dict()).unit == "seconds"


def test_an_undeclared_run_is_taken_as_seconds_and_said(tmp_path, berrypick):
    truth = put(tmp_path / "charades.txt", CHARADES)
    measure = "spanHit(iou=0.5)@1"
    said = berrypick("evaluate", truth, put(tmp_path / "run.jsonl", UNDECLARED), "-m", measure)
    assert said.code == 0 and "start and end are read as seconds, as in the other file" in said.err
    said = berrypick("evaluate", truth, put(tmp_path / "run.jsonl", IN_SECONDS), "-m", measure)
    assert said.code == 0 and "taken as" not in said.err


@each("run", [WITH_TEXT, FOL])
def test_characters_are_no_seconds(tmp_path, run):
    truth = put(tmp_path / "charades.txt", CHARADES)
    with pytest.raises(bp.InputError, match="count characters, and the truth start_time and end_time, which count sec"):
        bp.evaluate(truth, put(tmp_path / "run.jsonl", run), "spanHit(iou=0.5)@1")


def test_a_truth_of_characters_takes_no_run_of_seconds(tmp_path):
    truth = put(tmp_path / "t.jsonl", '{"topic": "1", "doc": "GARDEN", "start": 4, "end": 9, "offsets": "chars"}\n')
    with pytest.raises(bp.InputError, match="which count seconds, and the truth start and end, which count characters"):
        bp.evaluate(truth, put(tmp_path / "run.jsonl", IN_SECONDS), "spanHit(iou=0.5)@1")


@each(
    ("options", "message"),
    [
        ({"effort": "chars"}, "positions count seconds: use effort='seconds'"),
        ({"effort": "lines"}, "needs a truth with start_line"),
        (
            {"chunks": [{"topic": "1", "doc": "GARDEN", "start": 0, "end": 9}]},
            "positions count seconds, and chunks= counts characters",
        ),
        ({"offsets": "bytes"}, "positions count seconds, and offsets='bytes' is about offsets in texts"),
    ],
)
def test_options_of_text_are_refused(tmp_path, options, message):
    truth, run = put(tmp_path / "charades.txt", CHARADES), put(tmp_path / "run.jsonl", IN_SECONDS)
    texts = {"GARDEN": "x" * 99, "HEDGE": "y" * 99}
    with pytest.raises(bp.UsageError, match=message):
        bp.evaluate(truth, run, "spanHit(iou=0.5)@1", documents=texts, **options)


def test_seconds_are_not_written_as_characters(tmp_path, berrypick):
    run = put(tmp_path / "run.jsonl", IN_SECONDS)
    refused = berrypick("convert", run, tmp_path / "x.fol", "--to", "inex-fol-run")
    assert refused.code == 2 and "the run has seconds, which would be lost" in refused.err
    assert not (tmp_path / "x.fol").exists()
