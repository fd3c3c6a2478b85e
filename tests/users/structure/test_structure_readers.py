"""hierarchy with siblings, coverage with memory, and both on spans, by hand and by characters."""

from __future__ import annotations

import math

import handmade
import pytest
import slow_text_twins
import slow_twins
from generated_inputs import span_worlds
from hypothesis import given
from hypothesis import strategies as st
from reader_reach import reach, seen, spans_reach

import berrypick as bp

# --- hierarchy, distance --------------------------------------------------------------------------------------------


def test_siblings_by_hand():
    """Sections of 40 and 10 under one article: .5 x 10/40 to the sibling, 10/60 up, nothing to a cousin."""
    article, left, right, deep = (("d", path) for path in ("/a[1]", "/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[1]/p[1]"))
    truth = slow_text_twins.graded_truth({right: (3, 3), article: (0, 0), left: (0, 0), deep: (0, 0)},
                                    {right: 10.0, article: 60.0, left: 40.0, deep: 5.0})  # fmt: skip
    run = slow_text_twins.element_run([[left], [deep], [article], [right]])
    judged = bp.judge(truth, run, "1", user="hierarchy(siblings=0.5)")
    assert judged.reach.dense().ravel().tolist() == pytest.approx([0.5 * 10 / 40, 0, 10 / 60, 1])
    assert bp.judge(truth, run, "1", user="hierarchy").reach.dense().ravel().tolist() == pytest.approx([0, 0, 1 / 6, 1])


def test_siblings_are_elements():
    with pytest.raises(bp.UsageError, match="siblings"):
        seen("hierarchy(siblings=0.5)", [("d", 0, 5)], [("d", 5, 9)])


# --- coverage with memory -------------------------------------------------------------------------------------------


def test_two_ranks_that_show_the_same_half():
    target, half = [("d", 0, 10)], [("d", 0, 5), ("d", 0, 6)]
    assert seen("coverage", target, half)[-1].tolist() == pytest.approx([1 - 0.5 * 0.4])
    assert seen("coverage(memory=True)", target, half).ravel().tolist() == pytest.approx([0.5, 0.6])


@given(span_worlds())
def test_memory_is_what_ranks_cover_together(world):
    found = seen("coverage(memory=True)", world.targets, world.results)
    for k in range(len(world.results)):
        for x, target in enumerate(world.targets):
            expected = slow_twins.covered_share(world.results[: k + 1], target)
            assert found[k, x] == pytest.approx(expected, abs=1e-12)


def test_memory_by_paths():
    """A section of 100 with paragraphs of 30 and 40: 30, then 70, then the section itself."""
    section, one, two = ("d", "/s[1]"), ("d", "/s[1]/p[1]"), ("d", "/s[1]/p[2]")
    truth = slow_text_twins.graded_truth(
        {section: (3, 3), one: (0, 0), two: (0, 0)}, {section: 100.0, one: 30.0, two: 40.0}
    )
    run = slow_text_twins.element_run([[one], [two], [section]])
    judged = bp.judge(truth, run, "1", user="coverage(memory=True)")
    assert [judged.reach.expected_seen(k)[0] for k in (1, 2, 3)] == pytest.approx([0.3, 0.7, 1.0])


# --- spans -----------------------------------------------------------------------------------------------------


@given(span_worlds(), st.sampled_from([0.2, 0.5, 0.75, 1.0]))
def test_coverage_and_classical_count_characters(world, share):
    covered = spans_reach("coverage", world.targets, world.results)
    classical = spans_reach(f"classical(share={share})", world.targets, world.results)
    for k, result in enumerate(world.results):
        for x, target in enumerate(world.targets):
            part = slow_twins.covered_share([result], target)
            assert covered[k, x] == pytest.approx(part, abs=1e-12)
            assert classical[k, x] == (part >= share - 1e-9)


@given(span_worlds(), st.integers(1, 3))
def test_the_regions_of_one_rank_are_taken_together(world, size):
    """Equal ranks make one list item that points to several places."""
    grouped = [(*result, k // size) for k, result in enumerate(world.results)]
    run = handmade.span_run({"1": grouped})
    truth = handmade.span_truth({"1": world.targets})
    covered = reach("coverage", truth, run)
    assert covered.shape[0] == math.ceil(len(world.results) / size)
    for rank in range(len(covered)):
        regions = [result[:3] for result in grouped if result[3] == rank]
        for x, target in enumerate(world.targets):
            assert covered[rank, x] == pytest.approx(slow_twins.covered_share(regions, target), abs=1e-12)


@given(span_worlds())
def test_hierarchy_is_intersection_over_union(world):
    found = spans_reach("hierarchy", world.targets, world.results)
    for k, result in enumerate(world.results):
        for x, target in enumerate(world.targets):
            both = slow_twins.characters([result]) & slow_twins.characters([target])
            either = slow_twins.characters([result]) | slow_twins.characters([target])
            assert found[k, x] == pytest.approx(len(both) / len(either), abs=1e-12)


def test_hierarchy_of_nested_spans_is_smaller_over_larger():
    assert spans_reach("hierarchy", [("d", 10, 20)], [("d", 0, 40), ("d", 12, 14), ("e", 10, 20)]).tolist() == [
        [0.25],
        [0.2],
        [0.0],
    ]


def test_a_reader_who_does_not_return_to_a_document():
    targets, results = [("d", 0, 10), ("d", 20, 30), ("e", 0, 10)], [("d", 0, 10), ("e", 0, 10), ("d", 20, 30)]
    assert seen("coverage(returns=False)", targets, results)[-1].tolist() == [1, 0, 1]
