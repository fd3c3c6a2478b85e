"""Simulated gates: useless edits with and without a ledger, false "worse", and power at the detectable drop."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from many_cases import at_length

import berrypick as bp

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "experiments"))
gates = import_module("gates")


def run_of(hits):
    return {f"q{topic}": {"a" if hit else "b": 1.0} for topic, hit in enumerate(hits)}


def test_the_ledger_decides_as_the_simulation(tmp_path):
    """Edits that really improve: each claim of the command is that of the plain test at the level of the look."""
    random, path, called = np.random.default_rng(2), tmp_path / "ledger.jsonl", []
    kept = (random.random(30) < 0.3).astype(float)
    for _ in range(at_length(15, 60)):
        edited = np.where(random.random(30) < 0.4, random.random(30) < 0.8, kept).astype(float)
        found = bp.compare({f"q{i}": {"a": 1} for i in range(30)}, {"base": run_of(kept), "new": run_of(edited)}, "P@1",
                           ledger=path)  # fmt: skip
        if ("P@1", "new") not in found.looks:
            continue
        look, pair = found.looks["P@1", "new"], found.pair("P@1", "new", "base")
        p = gates.p_value(edited - kept)
        assert pair.p == pytest.approx(p) and look.level == gates.level_of(look.number, 0.05)
        assert pair.better == (edited.mean() > kept.mean() and p <= look.level)
        assert pair.worse == (edited.mean() < kept.mean() and p <= 0.05)
        called.append(pair.better)
        kept = edited if pair.better else kept
    assert any(called) and not all(called)


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "without"), [(30, 0.36), (100, 0.23), (300, 0.13)])
def test_inflation_after_100_useless_edits(topics, without):
    runs = at_length(40, 400)
    assert gates.inflation(topics, runs, ledger=False) == pytest.approx(without, abs=0.025)
    assert gates.inflation(topics, runs, ledger=True) <= 0.03


@pytest.mark.slow
@pytest.mark.parametrize("topics", [30, 100])
def test_false_worse_is_at_most_alpha(topics):
    """One-sided by direction, so about half of alpha."""
    runs = at_length(300, 4000)
    for edit in (gates.useless_edit, gates.noisy_scores):
        assert gates.false_worse(topics, runs, edit) <= 0.05


@pytest.mark.slow
def test_power_at_the_detectable_drop():
    for edit in (gates.useless_edit, gates.noisy_scores):
        assert 0.75 <= gates.power(100, at_length(25, 200), edit) <= 0.85


def test_the_price():
    assert [gates.price(look) for look in (1, 10, 100)] == [7, 13, 19]
