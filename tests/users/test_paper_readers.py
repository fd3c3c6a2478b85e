"""User models that the papers name: distance, and no return."""

from __future__ import annotations

import math

import handmade
import pytest
from reader_reach import seen

import berrypick as bp


def test_distance_by_its_two_laws():
    """Gap 50: 1/(1 + e^.5) and 1/(1 + .5). A result that contains the target, or is it, is there."""
    targets, results = [("d", 100, 110)], [("d", 0, 50), ("d", 100, 111), ("d", 100, 110), ("d", 99, 109)]
    logistic, inverse = (
        bp.judge(handmade.span_truth({"1": targets}), handmade.span_run({"1": results}), "1", user=user).reach.dense()
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


def test_the_places_of_one_rank_are_one_visit():
    targets, results = [("d", 0, 10), ("d", 20, 30)], [("d", 0, 10, 1), ("d", 20, 30, 1), ("e", 0, 5, 2)]
    assert seen("classical(returns=False)", targets, results)[-1].tolist() == [1, 1]
