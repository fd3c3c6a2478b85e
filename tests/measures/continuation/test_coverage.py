"""Coverage: the answer seen against reading, by hand and character by character."""

from __future__ import annotations

import random
from itertools import pairwise

import handmade
import pytest
from hypothesis import given
from hypothesis import strategies as st
from two_spans import value

import berrypick as bp
from berrypick.measures.continuation.coverage import CoverageBand, coverage_band, coverage_budgets
from berrypick.tables.text import explanation

TEXT = "".join(random.Random(5).choices("ab c,d\n", k=1000))
DOCUMENTS = {"d": TEXT, "e": TEXT[::-1]}


# --- coverage -------------------------------------------------------------------------------------------------------


def test_coverage_by_hand():
    truth = handmade.span_truth({"1": [("d", 100, 200)]})
    assert value([("d", 0, 200)], "Coverage(budget=400)", truth) == pytest.approx(0.625)  # the page's example
    assert value([("d", 100, 200)], "Coverage(budget=100)", truth) == pytest.approx(0.5)
    assert value([("d", 100, 200)], "Coverage(budget=50)", truth) == pytest.approx(0.25)  # up to half of it
    assert value([("d", 300, 400), ("d", 100, 200)], "Coverage(budget=200)", truth) == pytest.approx(0.25)
    twice = [("d", 100, 150), ("d", 100, 150), ("d", 100, 200)]  # 50 read, 50 again, 50 again, then the rest
    assert value(twice, "Coverage(budget=200)", truth) == pytest.approx((12.5 + 50 * 0.5 + 50 * 0.5 + 37.5) / 200)
    assert value([("e", 0, 100)], "Coverage", truth) == 0


def test_coverage_counts_tokens_where_texts_are_known():
    text = "one two three. four five six seven"
    at = text.index("three")
    truth = handmade.span_truth({"1": [("d", at, at + 5)]})
    run = handmade.span_run({"1": [("d", 0, len(text))]})
    results = bp.evaluate(truth, run, "Coverage(budget=4)", documents={"d": text})
    assert results.mean()["run"]["Coverage(budget=4)"] == pytest.approx((0.5 + 1) / 4)  # tokens: one two THREE .
    assert "effort:tokens|tokenizer:words" in str(results.mean_rows[0].signature)
    chars = bp.evaluate(truth, run, "Coverage(budget=20,effort='chars')", documents={"d": text})
    assert chars.mean_rows[0].value == pytest.approx((2.5 + 20 - at - 5) / 20)
    assert "effort:chars" in str(chars.mean_rows[0].signature)
    also = bp.evaluate(truth, run, "Coverage(budget=20)", documents={"d": text}, effort="chars")
    assert also.mean_rows[0].value == chars.mean_rows[0].value
    with pytest.raises(bp.UsageError, match="documents="):
        bp.evaluate(truth, run, "Coverage(effort='tokens')")


def test_budgets_and_explanation():
    truth = handmade.span_truth({"1": [("d", 100, 200)]})
    run = handmade.span_run({"1": [("d", 0, 180)]})
    results = bp.evaluate(truth, run, "Coverage", curves=True)
    curve = results.curves()["run"]["Coverage"]["1"]
    assert coverage_budgets(curve) == {0.5: pytest.approx(150), 0.8: pytest.approx(180), 0.95: None}
    told = explanation(bp.explain(truth, run, "Coverage", "1"))
    assert "50%    150" in told and "95%  never" in told
    assert coverage_budgets([], (0.5,)) == {0.5: None}


def test_the_band_holds_the_mean_and_narrows_with_topics():
    few = [[(0, 0), (100, level)] for level in (0.2, 0.4, 0.9)]
    band = coverage_band(few, 200, points=21, resamples=500)
    assert isinstance(band, CoverageBand) and len(band.effort) == 21
    assert band.mean[-1] == pytest.approx(0.5)
    assert all(low <= middle <= high for low, middle, high in zip(band.low, band.mean, band.high, strict=True))
    many = coverage_band(few * 30, 200, points=21, resamples=500)
    assert many.high[-1] - many.low[-1] < band.high[-1] - band.low[-1]
    assert coverage_band(few, 200, seed=1) == coverage_band(few, 200, seed=1)
    assert coverage_band([[], [(0, 0), (10, 1)]], 20).mean[-1] == 0.5  # a topic without results
    for wrong in ({"confidence": 1.0}, {"resamples": 0}, {"points": 1}):
        with pytest.raises(bp.UsageError):
            coverage_band(few, 200, **wrong)
    with pytest.raises(bp.UsageError):
        coverage_band([], 200)


# --- against a plain twin -------------------------------------------------------------------------------------------

spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 60), st.integers(1, 25)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)
lists = st.lists(spans, min_size=1, max_size=6)
targets = st.lists(spans, min_size=1, max_size=3, unique=True)


def coverage_twin(results, wanted, budget):
    """Character by character; the area of a curve that is straight within each character."""
    relevant = {(d, i) for d, start, end in wanted for i in range(start, end)}
    seen, level, area, read = set(), 0.0, 0.0, 0
    for d, start, end in results:
        for i in range(start, end):
            if read == budget:
                break
            new = (d, i) in relevant and (d, i) not in seen
            seen.add((d, i))
            following = level + new / len(relevant)
            area += (level + following) / 2
            level, read = following, read + 1
    return (area + (budget - read) * level) / budget


@given(lists, targets, st.integers(1, 120))
def test_coverage_agrees_with_reading_character_by_character(results, wanted, budget):
    truth = handmade.span_truth({"1": wanted})
    found = value(results, f"Coverage(budget={budget})", truth)
    assert found == pytest.approx(coverage_twin(results, wanted, budget), abs=1e-12)


# --- invariances ----------------------------------------------------------------------------------------------------


def cut(spans, rng):
    """The same text in other pieces, in place."""
    pieces = []
    for document, start, end in spans:
        places = sorted({start, end, *(rng.randint(start, end) for _ in range(rng.randint(0, 3)))})
        pieces += [(document, a, b) for a, b in pairwise(places)]
    return pieces


@given(lists, targets, st.integers(0, 10**6))
def test_splitting_in_place_leaves_coverage_unchanged(results, wanted, seed):
    """At every number of characters and of tokens, wherever the cut falls, inside a word too."""
    truth = handmade.span_truth({"1": wanted})
    again = cut(results, random.Random(seed))
    for options in ({}, {"documents": DOCUMENTS}):
        for budget in (7, 40, 500):
            measure = f"Coverage(budget={budget})"
            assert value(again, measure, truth, **options) == pytest.approx(value(results, measure, truth, **options))
