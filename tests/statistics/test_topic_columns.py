"""Differences of all pairs of runs: joined at once, or pair by pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.comparison import compare
from berrypick.statistics.topic_columns import Column, ColumnBlocks


def test_tables_and_columns_give_the_same_blocks():
    rng = np.random.default_rng(2)
    tables = [np.where(rng.random((7, 5)) < gaps, np.nan, rng.random((7, 5))) for gaps in (0.0, 0.3, 0.9)]
    columns = [Column(table[~np.isnan(table[:, i]), i]) for table in tables for i in range(5)]
    one, other = ColumnBlocks.of_tables(tables), ColumnBlocks.of_columns(columns)
    assert one.count == other.count == 15 and one.means() == other.means()
    assert one.lengths.tolist() == other.lengths.tolist() == one.units.tolist()
    for mine, theirs in zip(one.blocks, other.blocks, strict=True):
        assert mine.place.tolist() == theirs.place.tolist() and (mine.values == theirs.values).all()
        assert mine.values.flags.c_contiguous == theirs.values.flags.c_contiguous


def _results(seed: int, turned: bool) -> bp.Results:
    """Runs over the same topics; the last has them in another order, if ``turned``."""
    rng = np.random.default_rng(seed)
    truth = {f"t{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(6)} for i in range(12)}
    truth["t3"] = dict.fromkeys(truth["t3"], 0)  # measures are undefined
    runs = {
        name: {topic: {d: float(rng.integers(0, 5)) for d in judged} for topic, judged in truth.items()}
        for name in ("one", "two", "three")
    }
    found = bp.evaluate(truth, runs, "AP P@3 RR")
    if turned:
        rows = sorted(found.topic_rows, key=lambda row: (row.run == "three", row.topic if row.run == "three" else ""))
        return replace(found, topic_rows=rows)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_joining_topics_at_once_or_pair_by_pair_is_the_same(seed, monkeypatch):
    results = _results(seed, turned=False)
    fast = bp.compare(results, resamples=200)
    monkeypatch.setattr(compare._ComparisonWork, "_table", lambda self, measure: None)
    assert fast.records() == bp.compare(results, resamples=200).records()


def test_topics_in_another_order_are_joined_by_name():
    plain, turned = bp.compare(_results(1, False), resamples=200), bp.compare(_results(1, True), resamples=200)
    assert [pair.difference for pair in plain.pairs] == [pair.difference for pair in turned.pairs]
    assert [pair.p for pair in plain.pairs] == [pair.p for pair in turned.pairs]
