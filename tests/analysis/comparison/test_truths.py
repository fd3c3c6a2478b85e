"""Saved numbers of two truths."""

import json
import re

import pytest

import berrypick as bp

TRUTH = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}, "q3": {"c": 1}}
OTHER = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}, "q4": {"c": 1}}  # q1 is judged differently, q3 and q4 by one each
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}, "q3": {"c": 1.0}, "q4": {"d": 1.0}}


def evaluated(truth, name="mine", measures="AP"):
    return bp.evaluate(truth, {name: RUN}, measures)


def test_diff_refuses_two_truths_and_names_the_remedies():
    with pytest.raises(bp.UsageError) as error:
        bp.diff(evaluated(TRUTH), evaluated(OTHER))
    text = str(error.value)
    assert "3 of 4 topics are judged differently or only in one (q1, q3, q4)" in text
    assert "common_topics=True compares the topic that is judged identically" in text
    assert "different_truth=True compares all" in text


def test_diff_of_common_topics_has_their_means():
    found = bp.diff(evaluated(TRUTH), evaluated(OTHER), common_topics=True)
    assert not found and found.compared == 2  # q2 and the mean
    assert [(one.old, one.new) for one in found.summaries] == [(1.0, 1.0)]
    assert str(found.notes[0]) == "1 topic judged identically, 3 skipped (q1, q3, q4)"


def test_diff_of_different_truths_has_a_note():
    found = bp.diff(evaluated(TRUTH), evaluated(OTHER), different_truth=True)
    # q1: (1/2 = .5) before, both relevant now; the means are over (.5, 1, 1) and (1, 1, 0)
    assert [(one.old, one.new) for one in found.summaries] == [(pytest.approx(2.5 / 3), pytest.approx(2 / 3))]
    assert found.notes[0].kind == "two truths"


def test_comparing_results_refuses_two_truths():
    both = bp.concat(evaluated(TRUTH, "old"), evaluated(OTHER, "new"))
    with pytest.raises(bp.UsageError, match="different judgements"):
        bp.compare(both)
    common = bp.compare(both, common_topics=True)
    assert [one.topics for one in common.estimates] == [1, 1] and common.pairs[0].unpaired == 0
    assert (
        common.estimates[0].signature["topics-sum"] == evaluated({"q2": {"z": 1}}).mean_rows[0].signature["topics-sum"]
    )
    assert any(note.kind == "two truths" for note in bp.compare(both, different_truth=True).notes)


def test_one_truth_needs_no_word():
    both = bp.concat(evaluated(TRUTH, "old"), evaluated(dict(reversed(TRUTH.items())), "new"))
    assert not [note for note in bp.compare(both).notes if "truth" in note.kind]
    assert bp.compare(both, common_topics=True).pairs[0].topics == 3


def test_counts_are_added_up_over_common_topics():
    one, other = (evaluated(truth, measures="NumRet") for truth in ({**TRUTH, "q4": {"c": 1}}, OTHER))
    [summary] = bp.diff(one, other, common_topics=True).summaries
    assert (summary.old, summary.new) == (2.0, 2.0)  # of q2 and q4, one result each


def test_misuse():
    results = evaluated(TRUTH)
    with pytest.raises(bp.UsageError, match="choose"):
        bp.diff(results, results, common_topics=True, different_truth=True)
    with pytest.raises(bp.UsageError, match="is for results"):
        bp.compare(TRUTH, {"mine": RUN}, "AP", common_topics=True)
    with pytest.raises(bp.UsageError, match="no topic is judged identically"):
        bp.diff(results, evaluated({"q1": {"b": 1}}), common_topics=True)


def saved(path, truth, without=False):
    """Results in a file, as berrypick writes them now or wrote them before signatures had sums."""
    evaluated(truth).save(path)
    if without:
        path.write_text(re.sub(r"\|(truth|topics)-sum:\w+", "", path.read_text()))
    return str(path)


def test_files_without_sums_are_compared_with_a_note(tmp_path):
    old, new = saved(tmp_path / "old.json", TRUTH, without=True), saved(tmp_path / "new.json", OTHER)
    found = bp.diff(old, new)
    assert "saved without truth-sum" in str(found.notes[0])
    with pytest.raises(bp.UsageError, match="evaluate again"):
        bp.diff(old, new, common_topics=True)


@pytest.mark.parametrize("kind", ["json", "jsonl", "parquet"])
def test_commands_exit_with_two(kind, tmp_path, berrypick):
    files = [tmp_path / f"{name}.{kind}" for name in ("old", "new")]
    for path, truth, name in zip(files, (TRUTH, OTHER), ("old", "new"), strict=True):
        evaluated(truth, name).save(path)
    names = list(map(str, files))
    for command in (["diff", *names, "--rename", "old=new"], ["compare", *names]):
        refused = berrypick(*command)
        assert refused.code == 2 and "--common-topics compares the topic" in refused.err and not refused.out
        for flag in ("--common-topics", "--different-truth"):
            assert berrypick(*command, flag).code == 0
    shown = berrypick("diff", *names, "--rename", "old=new", "--common-topics", "-o", "json")
    assert shown.code == 0 and json.loads(shown.out) == []
