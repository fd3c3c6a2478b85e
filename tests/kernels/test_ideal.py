"""Ideal lists against all permutations."""

import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import candidate_rows, reaches
from hypothesis import given, settings

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.kernels.lists import ideal


@given(candidate_rows(most=4))
@settings(max_examples=25)
def test_exact_is_the_best_of_all_orders(candidates):
    found = ideal.exact(Reach.of(candidates))
    for r in range(1, candidates.shape[1] + 1):
        assert found.length[r - 1] == pytest.approx(slow_twins.best_length(candidates, r), abs=1e-12)
        assert found.inverse[r - 1] == pytest.approx(slow_twins.best_inverse(candidates, r), abs=1e-12)
        # the list that is named has the length that is named
        assert slow_twins.list_length(candidates, found.lists[r - 1], r) == pytest.approx(
            found.length[r - 1], abs=1e-12
        )


@given(reaches(ranks=(1, 4), targets=(1, 3), coins=5))
@settings(max_examples=30)
def test_exact_on_any_rows_at_all(rows):
    """Rows among which no list may surely suffice: then there is no length."""
    found = ideal.exact(Reach.of(rows))
    for r in range(1, rows.shape[1] + 1):
        best = slow_twins.best_length(rows, r)
        assert (
            math.isnan(found.length[r - 1]) if best is None else found.length[r - 1] == pytest.approx(best, abs=1e-12)
        )
        assert found.inverse[r - 1] == pytest.approx(slow_twins.best_inverse(rows, r), abs=1e-12)


@given(candidate_rows(most=6, targets=4))
@settings(max_examples=100)
def test_exact_is_no_longer_than_greedy_and_greedy_no_longer_than_r(candidates):
    exact, greedy = ideal.exact(Reach.of(candidates)), ideal.greedy(Reach.of(candidates))
    r = np.arange(1, candidates.shape[1] + 1)
    assert (exact.length <= greedy.length + 1e-12).all()
    assert (greedy.length <= r).all()
    assert (exact.inverse >= greedy.inverse - 1e-12).all()
    assert (greedy.inverse >= 1 / r - 1e-12).all()
    assert (np.diff(exact.length) >= -1e-12).all(), "more targets cannot take fewer ranks"


def greedy_twin(rows, r):
    """For r: append the candidate with the largest E[min(F, r)], the first of equals, until r is sure."""
    chosen, left = [], list(range(len(rows)))
    while left:

        def gain(i, chosen=chosen):
            law = slow_twins.law(rows[[*chosen, i]], len(chosen) + 1)
            return sum(min(f, r) * p for f, p in enumerate(law))

        best = max(gain(i) for i in left)
        pick = next(i for i in left if gain(i) >= best - 1e-12)
        chosen.append(pick)
        left.remove(pick)
        if sum(slow_twins.law(rows[chosen], len(chosen))[:r]) == 0:
            break
    return chosen


@given(candidate_rows(most=5, targets=3))
def test_greedy_follows_its_rule(candidates):
    found = ideal.greedy(Reach.of(candidates))
    for r in range(1, candidates.shape[1] + 1):
        chosen = greedy_twin(candidates, r)
        if list(found.lists[r - 1]) != chosen:
            # candidates so close that rounding decides; the values must then agree
            mine = slow_twins.list_length(candidates, found.lists[r - 1], r)
            assert mine == pytest.approx(slow_twins.list_length(candidates, chosen, r), abs=1e-9)
        own = slow_twins.list_length(candidates, found.lists[r - 1], r)
        assert found.length[r - 1] == pytest.approx(min(own, r), abs=1e-12)


def test_targets_are_found_one_by_one():
    found = ideal.by_targets(3)
    assert found.length.tolist() == [1, 2, 3]
    assert found.inverse.tolist() == [1, 1 / 2, 1 / 3]


def test_more_than_eight_candidates_are_refused():
    assert bp.eprum(np.eye(8), ideal="exact").tolist() == pytest.approx([1.0] * 8)
    with pytest.raises(bp.UsageError, match="certified"):
        bp.eprum(np.eye(9), ideal="exact")
    assert bp.eprum(np.eye(9), ideal="greedy").tolist() == pytest.approx([1.0] * 9)


def test_candidates_come_from_truth_and_navigation_never_from_the_run():
    """b and c are wanted, a leads to both; whether the run has a or not, the ideal list may use it."""
    from berrypick.data.navigation import ReachTable

    truth = handmade.document_truth({"1": {"b": 1, "c": 1}})
    table = ReachTable({("a", "b"): 0.9, ("a", "c"): 0.9})
    for ranked in (["b", "c"], ["a", "b", "c"]):
        matrix = [[{"a": 0.9, "b": 1, "c": 0}[d], {"a": 0.9, "b": 0, "c": 1}[d]] for d in ranked]
        value = bp.evaluate(
            truth, handmade.document_run({"1": ranked}), "EPRUM(r=2,ideal='exact')", navigation=table
        ).mean()["run"]["EPRUM(r=2,ideal='exact')"]
        assert value == pytest.approx(1.29 * slow_twins.expected_inverse(matrix, 2), abs=1e-12)


def test_several_spans_of_one_document_are_several_candidates():
    spans = [("d", 0, 10), ("d", 20, 30), ("e", 0, 5)]
    truth, run = handmade.span_truth({"1": spans}), handmade.span_run({"1": spans})
    values = bp.evaluate(truth, run, "EPRUM EPRUM(ideal='exact') EPRUM(ideal='greedy')").mean()["run"]
    assert list(values.values()) == pytest.approx([1, 1, 1])


def test_a_target_that_the_table_makes_hard_to_reach_is_still_a_candidate():
    """A unit reaches itself with 1 unless the table says otherwise; then no list surely suffices."""
    from berrypick.data.navigation import ReachTable

    truth = handmade.document_truth({"1": {"a": 1}})
    run = handmade.document_run({"1": ["a"]})
    results = bp.evaluate(truth, run, "EPRUM EPRUM(ideal='exact')", navigation=ReachTable({("a", "a"): 0.5}))
    assert results.mean()["run"] == {"EPRUM": 0.5, "EPRUM(ideal='exact')": None}
