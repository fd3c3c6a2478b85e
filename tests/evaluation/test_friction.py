"""Everyday friction: notes on many runs, digits in pipes, groups with counts, long names, a baseline in a test."""

import json

import pytest

import berrypick as bp
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import Note
from berrypick.pytest import assert_retrieval


def test_notes_on_many_runs_that_differ_in_numbers_are_one():
    notes = [Note("overlap", f"{n}.5% of the text repeats q12", run=f"r{n}") for n in range(3, 11)]
    [one] = merge_notes(notes, 8)
    assert str(one) == "all 8 runs: 3.5 to 10.5% of the text repeats q12"
    assert len(merge_notes(notes[:5], 8)) == 5  # few are told one by one
    other = [Note("a", f"document d{n} is missing", run=f"r{n}") for n in range(8)]
    assert len(merge_notes(other, 8)) == 8  # digits of a name are no number


def spans(tmp_path):
    rows = [("a", "x", 10), ("b", "y", 5), ("c", "x", 7), ("d", "z", 20), ("e", "z", 1)]
    truth = [{"topic": t, "doc": "d", "start": 0, "end": 20, "kind": kind} for t, kind, _ in rows]
    run = [{"topic": t, "doc": "d", "start": 0, "end": end, "rank": 1} for t, _, end in rows]
    for name, lines in (("truth", truth), ("run", run)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "truth.jsonl", tmp_path / "run.jsonl"


def test_digits_in_a_pipe_are_those_of_a_table(tmp_path, berrypick):
    files = spans(tmp_path)
    (tmp_path / "run.jsonl").write_text('{"topic": "a", "doc": "d", "start": 0, "end": 7, "rank": 1}\n')
    words = ["evaluate", *files, "-m", "charR@5", "--topics", "run"]
    assert berrypick(*words).out.splitlines()[-1].endswith("\t0.3500")
    assert berrypick(*words, "-p", "2").out.splitlines()[-1].endswith("\t0.35")
    assert berrypick(*words, "-o", "tsv").out.splitlines()[-1].endswith("\t0.35")
    (tmp_path / "run.jsonl").write_text('{"topic": "a", "doc": "d", "start": 0, "end": 60, "rank": 1}\n')
    words[4] = "charP@5"
    assert berrypick(*words).out.splitlines()[-1].endswith("\t0.3333")
    assert berrypick(*words, "-o", "tsv").out.splitlines()[-1].endswith("\t0.3333333333333333")
    assert '"value": 0.3333333333333333' in berrypick(*words, "-o", "json").out


def test_a_baseline_in_a_test(tmp_path):
    truth = {f"q{i}": {"a": 1} for i in range(12)}
    good = {topic: {"a": 2.0, "b": 1.0} for topic in truth}
    bad = {topic: {"b": 2.0, "a": 1.0} for topic in truth}
    assert_retrieval(truth, good, baseline=bad)
    assert_retrieval(truth, {"mine": good}, "RR >= 0.9", baseline={"main": good})
    with pytest.raises(AssertionError, match=r"RR is significantly worse than baseline, 0.5000 against 1.0000"):
        assert_retrieval(truth, bad, "RR >= 0.1", baseline=good)
    assert_retrieval(truth, bad, "RR >= 0.1", baseline=good, margin=0.5)
    one = {**good, "q0": bad["q0"]}  # one of twelve is no significant drop
    assert_retrieval(truth, one, "RR > 0.9", baseline=good)
    with pytest.raises(bp.UsageError, match="margin needs baseline"):
        assert_retrieval(truth, bad, "RR >= 0.1", margin=0.5)
    with pytest.raises(bp.UsageError, match="the baseline is one run, not 2"):
        assert_retrieval(truth, bad, "RR >= 0.1", baseline={"a": good, "b": bad})


def test_groups_have_counts_intervals_and_an_order(tmp_path, berrypick):
    """Recall: y 5 of 20; x (10 and 7) of 40; z (20 and 1) of 40: the worst comes first."""
    files = spans(tmp_path)
    words = ["evaluate", *files, "-m", "charR@5", "--by", "kind"]
    rows = [line.split() for line in berrypick(*words, "-o", "table").out.splitlines()[2:]]
    assert [row[1:4] for row in rows] == [["y", "1", "0.2500"], ["x", "2", "0.4250"], ["z", "2", "0.5250"],
                                          ["all", "5", "0.4300"]]  # fmt: skip
    assert rows[1][4:] == ["[0.3500,", "0.5000]"]  # of two values no interval is wider than they are
    found = {row["group"]: row for row in json.loads(berrypick(*words, "-o", "json").out)}
    assert (found["x"]["topics"], found["x"]["low"], found["x"]["high"]) == (2, 0.35, 0.5)
    compared = bp.compare(files[0], files[1], "charR@5", by="kind")
    assert list(compared.groups) == ["y", "x", "z"]
    assert found[None]["low"] == compared.estimate("charR@5", "run").low


def test_long_names_are_shown_without_what_they_have_in_common(tmp_path, berrypick):
    files = spans(tmp_path)
    names = [f"experiments-2026-11-retriever-{size}-overlap-none" for size in ("100", "2000")]
    for name in names:
        (tmp_path / f"{name}.jsonl").write_bytes(files[1].read_bytes())
    runs = [tmp_path / f"{name}.jsonl" for name in names]
    done = berrypick("evaluate", files[0], *runs, "-m", "charR@5", "-o", "table")
    assert [line.split()[0] for line in done.out.splitlines()[2:]] == ["...100...", "...2000..."]
    assert f"...100... is {names[0]}" in done.err
    assert names[0] in berrypick("evaluate", files[0], *runs, "-m", "charR@5", "-o", "csv").out
    shown = berrypick("compare", files[0], *runs, "-m", "charR@5", "-o", "table").out
    assert "...2000..." in shown and f"...100... is {names[0]}." in shown
    assert names[1] not in shown
    assert berrypick("evaluate", files[0], runs[0], "-m", "charR@5", "-o", "table").out.count(names[0]) == 1
