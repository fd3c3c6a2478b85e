"""User models that the papers name: siblings, no return, groups, trails, coverage with memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
import twins
import twins_text
import worlds
from generated import span_worlds
from hypothesis import given

import berrypick as bp


def seen(user, targets, results, **options):
    """What has been seen of each target after each rank."""
    truth, run = worlds.span_truth({"1": targets}), worlds.span_run({"1": results})
    judged = bp.judge(truth, run, "1", user=user, **options)
    return np.array([judged.reach.expected_seen(k) for k in range(1, judged.reach.ranks + 1)])


# --- hierarchy, distance --------------------------------------------------------------------------------------------


def test_siblings_by_hand():
    """Sections of 40 and 10 under one article: .5 x 10/40 to the sibling, 10/60 up, nothing to a cousin."""
    article, left, right, deep = (("d", path) for path in ("/a[1]", "/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[1]/p[1]"))
    truth = twins_text.graded_truth({right: (3, 3), article: (0, 0), left: (0, 0), deep: (0, 0)},
                                    {right: 10.0, article: 60.0, left: 40.0, deep: 5.0})  # fmt: skip
    run = twins_text.element_run([[left], [deep], [article], [right]])
    judged = bp.judge(truth, run, "1", user="hierarchy(siblings=0.5)")
    assert judged.reach.dense().ravel().tolist() == pytest.approx([0.5 * 10 / 40, 0, 10 / 60, 1])
    assert bp.judge(truth, run, "1", user="hierarchy").reach.dense().ravel().tolist() == pytest.approx([0, 0, 1 / 6, 1])


def test_siblings_are_elements():
    with pytest.raises(bp.UsageError, match="siblings"):
        seen("hierarchy(siblings=0.5)", [("d", 0, 5)], [("d", 5, 9)])


def test_distance_by_its_two_laws():
    """Gap 50: 1/(1 + e^.5) and 1/(1 + .5). A result that contains the target, or is it, is there."""
    targets, results = [("d", 100, 110)], [("d", 0, 50), ("d", 100, 111), ("d", 100, 110), ("d", 99, 109)]
    logistic, inverse = (
        bp.judge(worlds.span_truth({"1": targets}), worlds.span_run({"1": results}), "1", user=user).reach.dense()
        for user in ("distance(theta=0.01)", "distance(theta=0.01,law='inverse')")
    )
    assert logistic.ravel().tolist() == pytest.approx([1 / (1 + math.exp(0.5)), 1, 1, 0.5])
    assert inverse.ravel().tolist() == pytest.approx([1 / 1.5, 1, 1, 1])


# --- no return ------------------------------------------------------------------------------------------------------


def test_a_reader_who_does_not_return_to_a_document():
    """Two results in d, one in e, one in d again: only the first rank of d is consulted."""
    targets = [("d", 0, 10), ("d", 20, 30), ("e", 0, 10)]
    results = [("d", 0, 10), ("e", 0, 10), ("d", 20, 30)]
    assert seen("classical", targets, results)[-1].tolist() == [1, 1, 1]
    assert seen("classical(returns=False)", targets, results)[-1].tolist() == [1, 0, 1]
    assert seen("coverage(returns=False)", targets, results)[-1].tolist() == [1, 0, 1]


def test_the_places_of_one_rank_are_one_visit():
    targets, results = [("d", 0, 10), ("d", 20, 30)], [("d", 0, 10, 1), ("d", 20, 30, 1), ("e", 0, 5, 2)]
    assert seen("classical(returns=False)", targets, results)[-1].tolist() == [1, 1]


# --- fetch_browse ---------------------------------------------------------------------------------------------------


def test_runs_with_groups_keep_them():
    targets = [("d", 0, 10), ("d", 20, 30)]
    results = [("d", 0, 10, 1), ("d", 20, 30, 1), ("d", 40, 50, 2)]
    assert seen("fetch_browse(consider=0.5)", targets, results).tolist() == [[1, 0.5], [1, 0.5]]
    assert len(seen("fetch_browse(consider=0.5,group='document')", targets, results)) == 1


def test_fewer_go_on_once_something_was_found():
    """consider .8, after .5: the second pointer is considered by .8 x .5, as the first surely found something; behind
    a first pointer that finds nothing by .8; a third, after a find with .8, by .64 x (.2 + .8 x .5)."""
    user = "fetch_browse(consider=0.8,after=0.5)"
    a, b, c = ("d", 0, 10), ("d", 20, 30), ("d", 40, 50)
    assert seen(user, [a, b], [a, b])[-1].tolist() == pytest.approx([1, 0.4])
    assert seen(user, [b], [a, b])[-1].tolist() == pytest.approx([0.8])
    assert seen(user, [b, c], [a, b, c])[-1].tolist() == pytest.approx([0.8, 0.64 * (0.2 + 0.8 * 0.5)])


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
            expected = twins.covered_share(world.results[: k + 1], target)
            assert found[k, x] == pytest.approx(expected, abs=1e-12)


def test_memory_by_paths():
    """A section of 100 with paragraphs of 30 and 40: 30, then 70, then the section itself."""
    section, one, two = ("d", "/s[1]"), ("d", "/s[1]/p[1]"), ("d", "/s[1]/p[2]")
    truth = twins_text.graded_truth({section: (3, 3), one: (0, 0), two: (0, 0)}, {section: 100.0, one: 30.0, two: 40.0})
    run = twins_text.element_run([[one], [two], [section]])
    judged = bp.judge(truth, run, "1", user="coverage(memory=True)")
    assert [judged.reach.expected_seen(k)[0] for k in (1, 2, 3)] == pytest.approx([0.3, 0.7, 1.0])
