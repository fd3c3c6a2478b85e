"""A measure of one's own where smaller is better is the right way round wherever runs are ranked."""

from __future__ import annotations

import pytest
from smaller_is_better import TRUTH, Dwell, runs

import berrypick as bp
from berrypick.tables.text import best
from berrypick.tables.text import render as render_results


@pytest.fixture(scope="module")
def results():
    return bp.evaluate(TRUTH, runs(), [Dwell()])


def test_values(results):
    assert results.mean() == {"slow": {"Dwell": 2.0}, "quick": {"Dwell": 0.0}}
    assert results.info("Dwell").higher_is_better is False


def test_comparison(results):
    compared = bp.compare(results, baseline="quick")
    slow = compared.pair("Dwell", "slow", "quick")
    assert slow.worse and not slow.better and (slow.wins, slow.losses) == (0, 12)
    assert compared.estimate("Dwell", "quick").beats == ("a",) and compared.estimate("Dwell", "slow").beats == ()
    assert "Dwell, smaller is better" in str(compared)
    assert r"\textbf{0.0000}" in compared.table("latex") and r"\textbf{2.0000}" not in compared.table("latex")


def test_gates(results):
    compared = bp.compare(results)
    (reason,) = compared.unmet(worse_than="quick")
    assert reason.startswith("slow: Dwell is significantly worse than quick, 2.0000 against 0.0000")
    assert compared.unmet(worse_than="slow") == []


def test_best_of_a_table(results):
    assert best(results) == [(1, 1)]
    marked = []
    render_results(results, "table", False, 4, lambda table, strong: marked.extend(strong) or "")
    assert marked == [(1, 1)]
