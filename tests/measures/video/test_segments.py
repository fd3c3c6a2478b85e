"""Intervals and the matching of segments, against sets of characters."""

import itertools

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import span_worlds
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.kernels.intervals import intersections, merge, union_length

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)).map(lambda p: (p[0], p[0] + p[1])), max_size=8)


def columns(spans):
    return np.array([s for s, _ in spans], dtype=np.int64), np.array([e for _, e in spans], dtype=np.int64)


def inside(spans):
    return {i for start, end in spans for i in range(start, end)}


@given(SPANS)
def test_merged_intervals_hold_the_same_and_do_not_touch(spans):
    start, end = merge(*columns(spans))
    merged = list(zip(start.tolist(), end.tolist(), strict=True))
    assert inside(merged) == inside(spans)
    assert all(a < b for a, b in merged)
    assert all(one[1] < other[0] for one, other in itertools.pairwise(merged))
    assert union_length(*columns(spans)) == len(inside(spans))


@given(SPANS, SPANS)
def test_intersections(some, others):
    found = intersections(*columns(some), *columns(others))
    for i, one in enumerate(some):
        for j, other in enumerate(others):
            assert found[i, j] == len(inside([one]) & inside([other]))


def test_fractions_of_seconds():
    start, end = merge(np.array([0.5, 1.25, 7.0]), np.array([1.25, 2.0, 7.5]))
    assert (start.tolist(), end.tolist()) == ([0.5, 7.0], [2.0, 7.5])


@given(span_worlds(), st.sampled_from([0, 1 / 3, 0.5, 2 / 3, 1]), st.sampled_from([0, 1 / 3, 0.5, 2 / 3, 1]))
def test_matching_by_the_rule_of_trecvid_2001(world, ki, ri):
    truth, run = handmade.span_truth({"1": world.targets}), handmade.span_run({"1": world.results})
    asked = [f"SegP(ki={ki!r},ri={ri!r})", f"SegR(ki={ki!r},ri={ri!r})"]
    precision, recall = bp.evaluate(truth, run, asked).mean()["run"].values()

    def match(result, target):
        common = len(slow_twins.characters([result]) & slow_twins.characters([target]))
        enough = common >= ki * (target[2] - target[1]) - 1e-9 and common >= ri * (result[2] - result[1]) - 1e-9
        return enough and common > 0

    good = [any(match(result, target) for target in world.targets) for result in world.results]
    found = [any(match(result, target) for result in world.results) for target in world.targets]
    assert precision == pytest.approx(sum(good) / len(good), abs=1e-12)
    assert recall == pytest.approx(sum(found) / len(found), abs=1e-12)


def test_thresholds_are_reached_when_equal():
    """1/3 of the target, 2/3 of the result, both >=."""
    truth = handmade.span_truth({"1": [("d", 0, 30)]})
    for result, matched in [(("d", 20, 35), 1.0), (("d", 21, 35), 0.0), (("d", 20, 36), 0.0)]:
        values = bp.evaluate(truth, handmade.span_run({"1": [result]}), "SegP SegR").mean()["run"]
        assert values == {"SegP": matched, "SegR": matched}


def test_a_repeated_result_keeps_its_place_and_matches_nothing():
    truth = handmade.span_truth({"1": [("d", 0, 30)]})
    run = handmade.span_run({"1": [("d", 0, 30), ("d", 0, 30)]})
    assert bp.evaluate(truth, run, "SegP SegR").mean()["run"] == {"SegP": 0.5, "SegR": 1.0}


def test_whole_documents_need_lengths_and_then_are_segments():
    truth = handmade.document_truth({"1": {"d": 1, "e": 1}})
    run = handmade.document_run({"1": ["d", "x"]})
    with pytest.raises(bp.UsageError, match="collection="):
        bp.evaluate(truth, run, "SegP")
    values = bp.evaluate(truth, run, "SegP SegR", collection=handmade.lengths(d=10, e=10, x=10)).mean()["run"]
    assert values == {"SegP": 0.5, "SegR": 0.5}


def test_a_threshold_missed_by_rounding_alone_is_reached():
    """0.1 x 3 is a little more than 0.3 in floating point."""
    from berrypick.data.assemble import assemble
    from berrypick.data.truth import TopicTruth, Truth

    topic = TopicTruth("1", ("v",), np.ones(1), np.array([0.0]), np.array([3.0]))
    run = assemble(tag="run", topic=["1"], document=["v"], start=np.array([0.0]), end=np.array([0.3]))
    assert bp.evaluate(Truth("spans", {"1": topic}), run, "SegR(ki=0.1,ri=0)").mean()["run"]["SegR(ki=0.1,ri=0)"] == 1


def _backwards():
    """One relevant segment, and results that lead to it from its end towards its start."""
    truth = {"1": {"v#0-1000": 1}}
    run = {"1": {f"v#{start}-{start + 10}": float(start) for start in (900, 800, 700, 600)}}
    return truth, run


def test_aptol_counts_a_segment_once():
    truth, run = _backwards()
    found = bp.evaluate(truth, run, "APtol")
    assert found.mean() == {"run": {"APtol": 1}}
    assert not [note for note in found.notes if note.kind == "above one"]


@given(span_worlds())
def test_aptol_is_at_most_one(world):
    truth, run = handmade.span_truth({"1": world.targets}), handmade.span_run({"1": world.results})
    means = bp.evaluate(truth, run, "APtol(tolerance=1) APtol(tolerance=5)").mean()["run"]
    assert all(value is None or 0 <= value <= 1 + 1e-12 for value in means.values())


def test_precisions_of_many_characters():
    """Summed one by one, or by harmonic numbers: the same."""
    from berrypick.measures.passages import passage2ap

    for hits, counted, more in ((0, 0, 50), (7, 1000, 100_000), (3, 3, 10), (0, 12, 1)):
        slow = sum((hits + i) / (counted + i) for i in range(1, more + 1))
        assert passage2ap._precisions(hits, counted, more) == pytest.approx(slow, rel=1e-12)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(passage2ap, "_SUMMED", 0)
            assert passage2ap._precisions(hits, counted, more) == pytest.approx(slow, rel=1e-9)


def test_too_many_bins_are_refused():
    with pytest.raises(bp.UsageError, match="bin=300 is too short: up to v from 0 to 9007199254740991"):
        bp.score("APbin", {"q": {"v#10-20": 1}}, {"q": {f"v#0-{2**53 - 1}": 1}})


def test_passage_ap_says_where_the_order_of_the_gold_counts():
    """A result [0, 10) takes gold [0, 9), 9/10, or [8, 30), 2/10, whichever comes first; the other is never met."""
    run = handmade.span_run({"1": [("d", 0, 10)]})

    def found(*gold):
        results = bp.evaluate(handmade.span_truth({"1": [("d", *span) for span in gold]}), run, "PassageAP")
        said = [note for note in map(str, results.notes) if "in the order of the truth's lines" in note]
        return results.mean()["run"]["PassageAP"], len(said)

    assert found((0, 9), (8, 30)) == (pytest.approx(0.9 / 2), 1)
    assert found((8, 30), (0, 9)) == (pytest.approx(0.2 / 2), 1)
    assert found((0, 4), (5, 30)) == (pytest.approx(0.4 / 2), 1)  # one result meets both
    assert found((20, 30), (25, 40), (0, 9)) == (pytest.approx(0.9 / 3), 1)
    assert found((0, 9), (20, 30)) == (pytest.approx(0.9 / 2), 0)
