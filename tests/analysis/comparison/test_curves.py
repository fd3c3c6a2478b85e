"""Mean curves with bands, against hand-worked numbers and a slow twin."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from handmade_results import generated
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import berrypick as bp
from berrypick.analysis.comparison.curves import _at, bands, corners
from berrypick.data.results import ALL, Results, Row
from berrypick.data.score import CurveColumns
from berrypick.evaluation.requested import measure_info, resolve_measures
from berrypick.evaluation.scored import mean_curve
from berrypick.statistics import statistics


def made(curves, run="a", measure="M"):
    """Results of one run whose topics have these common curves."""
    topics = [Row(run, str(i), measure, 0.5, "s", curve, curve) for i, curve in enumerate(curves)]
    known = [curve for curve in curves if curve is not None]
    return Results(topics, [Row(run, ALL, measure, 0.5, "s", mean_curve(known))])


def twin(curves, by_rank, confidence, resamples, seed):
    """Bands point by point, with dictionaries, each point bootstrapped on its own."""
    longest = max(curves, key=len)
    found = []
    for x, _ in longest:
        values = []
        for curve in curves:
            known = dict(curve)
            if x in known:
                values.append(known[x])
            elif by_rank:
                values.append(curve[-1][1] if curve else 0.0)
        column = np.array(values, dtype=float)[:, None]
        low, high = statistics.bootstrap(column, confidence=confidence, resamples=resamples, seed=seed)
        if len(values) > 1 and all(min(value, abs(value - 1)) <= 1e-12 for value in values):
            hits = stats.binomtest(sum(value > 0.5 for value in values), len(values))
            low, high = ([end] for end in hits.proportion_ci(confidence, method="wilson"))
        elif max(values) - min(values) <= 1e-12:
            low = high = [math.nan]
        found.append((x, math.fsum(values) / len(values), low[0], high[0]))
    return found


def test_three_topics_by_hand():
    """Lists of 1, 2 and 3 ranks, and one topic that is missing: what has ended goes on at its last value."""
    (band,) = bands(made([[(1, 1.0)], [(1, 0.0), (2, 0.5)], [(1, 0.2), (2, 0.4), (3, 0.6)], []]))
    assert band.x == (1, 2, 3)
    assert band.y == (pytest.approx(1.2 / 4), pytest.approx(1.9 / 4), pytest.approx(2.1 / 4))
    assert band.topics == 4
    for y, low, high in zip(band.y, band.low, band.high, strict=True):
        assert 0 <= low < y < high <= 1


def test_levels_end_where_they_are_not_defined():
    """At the last level one topic is left: a mean, but no interval."""
    (band,) = bands(made([[(0.5, 1.0), (1.0, 0.5)], [(0.5, 0.0)]]))
    assert (band.x, band.y) == ((0.5, 1.0), (0.5, 0.5))
    assert band.low[0] is not None and band.low[1] is None and band.high[1] is None


def test_equal_topics_have_no_band():
    """No spread is seen, so nothing is known of other topics; but every curve starts from 0, and hits are Wilson's."""
    (band,) = bands(made([[(0.0, 0.0), (0.5, 0.25), (0.75, 1.0), (1.0, 0.0)]] * 10))
    assert band.low == (0.0, None, pytest.approx(10 / (10 + 1.959964**2)), 0.0)
    assert band.high == (0.0, None, 1.0, pytest.approx(1.959964**2 / (10 + 1.959964**2)))


def test_one_topic_has_a_curve_and_no_band():
    (band,) = bands(made([[(1, 0.25), (2, 0.75)]]))
    assert band.y == (0.25, 0.75) and band.low == band.high == (None, None)


@given(st.booleans(), st.lists(st.lists(st.floats(0, 1), max_size=6), max_size=6), st.integers(0, 63))
def test_curves_as_columns_are_as_lists_of_points(by_rank, heights, which):
    """All as lists, all as columns, or some of each: the mean and the bands are the same, digit for digit."""
    curves = [[(k if by_rank else k / 8, y) for k, y in enumerate(one, start=1)] for one in heights]
    mixed = [
        CurveColumns(tuple(x for x, _ in curve), np.array([y for _, y in curve])) if which >> i & 1 else curve
        for i, curve in enumerate(curves)
    ]
    assert curves == mixed and repr(curves) == repr(mixed) and [one[-1:] for one in mixed] == [c[-1:] for c in curves]
    assert repr(mean_curve(mixed)) == repr(mean_curve(curves))
    if any(curves):
        assert repr(bands(made(mixed), resamples=100)) == repr(bands(made(curves), resamples=100))


@given(
    st.booleans(),
    st.lists(st.lists(st.floats(0, 1), max_size=6), min_size=1, max_size=6).filter(any),
    st.integers(0, 3),
)
def test_bands_are_those_of_the_twin(by_rank, heights, seed):
    levels = [k if by_rank else k / 8 for k in range(1, 7)]
    curves = [list(zip(levels, ys, strict=False)) for ys in heights]
    (band,) = bands(made(curves), confidence=0.9, resamples=100, seed=seed)
    expected = twin(curves, by_rank, 0.9, 100, seed)
    assert band.x == tuple(x for x, _, _, _ in expected)
    np.testing.assert_allclose(band.y, [y for _, y, _, _ in expected], atol=1e-12)
    for side, bounds in ((2, band.low), (3, band.high)):
        shown = [math.nan if bound is None else bound for bound in bounds]
        np.testing.assert_allclose(shown, [point[side] for point in expected], atol=1e-12)


@pytest.fixture
def evaluated(tmp_path):
    qrels, runs = generated()
    (tmp_path / "t.qrels").write_text(qrels)
    for name, content in zip("ab", runs, strict=True):
        (tmp_path / f"{name}.run").write_text(content)

    def run(measures, **options):
        files = [tmp_path / "a.run", tmp_path / "b.run"]
        return bp.evaluate(tmp_path / "t.qrels", files, measures, units=100, curves=True, **options)

    return run


MEASURES = "EPRUM AP PRUM ExpectedRatio"


def test_the_mean_is_that_of_the_evaluation(evaluated):
    results = evaluated(MEASURES)
    drawn = results.curves()
    found = bands(results)
    assert [(band.measure, band.run) for band in found] == [
        (measure, run) for measure in MEASURES.split() if measure != "AP" for run in "ab"
    ]
    for band in found:
        assert list(zip(band.x, band.y, strict=True)) == drawn[band.run][band.measure][ALL]
        assert band.topics == 12
        assert all(low <= y <= high for low, y, high in zip(band.low, band.y, band.high, strict=True))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bands_and_processes_do_not_matter(evaluated):
    results = evaluated("EPRUM")
    assert bands(results) == bands(evaluated("EPRUM", jobs=2))
    assert bands(results, seed=1) != bands(results)
    narrow, wide = bands(results, confidence=0.5)[0], bands(results, confidence=0.99)[0]
    assert narrow.high[50] - narrow.low[50] < wide.high[50] - wide.low[50]


def test_without_intervals_the_means_are_the_same(evaluated):
    results = evaluated("EPRUM")
    for plain, full in zip(bands(results, intervals=False), bands(results), strict=True):
        assert (plain.x, plain.y, plain.topics) == (full.x, full.y, full.topics)
        assert set(plain.low) == set(plain.high) == {None}


def test_axes_are_the_measures_own(evaluated):
    requested = {one.text: one for one in resolve_measures("EPRUM AP")}
    assert requested["EPRUM"].info().curve_axes == ("recall", "expected precision")
    assert requested["AP"].info().curve_axes == ("", "") and not requested["AP"].info().has_curve
    assert measure_info("Unheard(of=1)") is None


def test_without_curves_there_is_nothing(evaluated):
    assert bands(evaluated("AP")) == []
    with pytest.raises(bp.UsageError, match="confidence"):
        bands(evaluated("EPRUM"), confidence=95)
    with pytest.raises(bp.UsageError, match="resamples"):
        bands(evaluated("EPRUM"), resamples=1)


# --- thinning ---------------------------------------------------------------------------------------------------------


def test_a_long_curve_keeps_its_corners():
    x = np.arange(1, 5001, dtype=float)
    y = np.interp(x, [1, 17, 18, 2500, 4000, 5000], [0, 0.5, 0.1, 0.1, 0.9, 0.9])
    kept = corners(x, y, 400)
    assert {0, 16, 17, 2499, 3999, 4999} == set(kept.tolist()), "straight lines need no points between"
    np.testing.assert_allclose(np.interp(x, x[kept], y[kept]), y, atol=1e-12)


def test_no_more_points_than_asked_for_and_none_far_off():
    draw = np.random.default_rng(1)
    x = np.arange(1, 3001, dtype=float)
    y = np.cumsum(draw.random(3000)) / 1500
    kept = corners(x, y, 400)
    assert len(kept) == 400 and kept[0] == 0 and kept[-1] == 2999
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() < 0.01
    assert corners(x[:400], y[:400], 400).tolist() == list(range(400))


def test_bands_of_long_lists_are_thinned_alike():
    draw = random.Random(2)
    curves = [[(k, draw.random() / k) for k in range(1, 1501)] for _ in range(5)]
    results = made(curves)
    (thin,), (full,) = bands(results), bands(results, points=2000)
    assert len(thin.x) == 400 and len(full.x) == 1500
    whole = {x: rest for x, *rest in zip(full.x, full.y, full.low, full.high, strict=True)}
    assert all(whole[x] == rest for x, *rest in zip(thin.x, thin.y, thin.low, thin.high, strict=True))


@pytest.mark.parametrize("by_rank", [True, False])
def test_curves_at_the_same_places_are_as_each_alone(by_rank):
    draw = np.random.default_rng(7)
    places = list(range(1, 9)) if by_rank else [level / 8 for level in range(1, 9)]
    curves = [[(x, float(draw.random())) for x in places] for _ in range(5)]
    x = np.array([places[0], places[3], places[-1], 2 * places[-1], places[2] / 3])
    odd = [(places[1], 0.5)]
    one_by_one = np.vstack([_at(x, [curve, odd], by_rank)[0] for curve in curves])
    assert np.array_equal(_at(x, curves, by_rank), one_by_one, equal_nan=True)
    assert np.isnan(one_by_one).any() != by_rank
