"""Intervals, tests, effect sizes and corrections: against SciPy, and against numbers worked out by hand."""

from __future__ import annotations

import doctest
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.statistics import statistics
from berrypick.statistics.statistics import adjusted, bootstrap, effect_size, randomisation_test, t_test

DIFFERENCES = st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=1, max_size=9)


def column(values):
    return np.array(values, dtype=np.float64)[:, None]


def test_examples_in_docstrings():
    assert doctest.testmod(statistics).failed == 0


# randomisation


@given(DIFFERENCES)
def test_all_sign_changes_are_counted(values):
    """Eighths are exact in binary, so that a plain count has no rounding to care about."""
    seen = abs(sum(values))
    signs = itertools.product((-1, 1), repeat=len(values))
    share = np.mean([abs(sum(s * v for s, v in zip(some, values, strict=True))) >= seen for some in signs])
    assert randomisation_test(column(values)).p[0] == pytest.approx(share, abs=1e-15)


def test_by_hand():
    """1, 2 and 3 tenths: 6 of all sums is reached by +++ and --- only; 1 2 -3 sums to 0, which every sum reaches."""
    assert randomisation_test(column([0.1, 0.2, 0.3])).p[0] == 0.25
    assert randomisation_test(column([0.1, 0.2, -0.3])).p[0] == 1.0
    # 4 of the 8 sums of 1, 1, 2 are at least 2 away from 0: +-4 and +-2 (2 ways each: (1,-1,2), (-1,1,2) ..)
    assert randomisation_test(column([0.1, -0.1, 0.2])).p[0] == 0.75


@pytest.mark.slow
@pytest.mark.parametrize("topics", [2, 5, 9, 13])
def test_exact_values_are_those_of_scipy(topics):
    from scipy import stats

    random = np.random.default_rng(topics)
    one, other = random.random(topics), random.random(topics)
    theirs = stats.permutation_test(
        (one, other), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=np.inf
    )  # fmt: skip
    found = randomisation_test(column(one - other))
    assert found.p[0] == pytest.approx(theirs.pvalue, abs=1e-12)
    assert found.statistic[0] == pytest.approx(theirs.statistic, abs=1e-12)
    assert found.exact[0]


@pytest.mark.slow
def test_thirty_topics_are_exact_and_agree_with_drawn_sign_changes():
    values = np.random.default_rng(3).normal(0.1, 0.3, (30, 6))
    exact = randomisation_test(values)
    signs = statistics._sign_changes(30, 100_000, 1)
    drawn = statistics._sampled_share(values, np.abs(values.sum(axis=0)) * (1 - 1e-12), 100_000, signs)
    assert exact.exact.all()
    assert np.abs(exact.p - drawn).max() < 4 * np.sqrt(0.25 / 100_000)
    more = np.vstack([values, np.zeros((50, 6))])  # topics without a difference change nothing
    assert np.array_equal(randomisation_test(more).p, exact.p)


@pytest.mark.slow
def test_drawn_values_are_near_those_of_scipy():
    from scipy import stats

    random = np.random.default_rng(5)
    one, other = random.random(60), random.random(60) + 0.09
    theirs = stats.permutation_test(
        (one, other), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=20_000, rng=np.random.default_rng(1)
    )  # fmt: skip
    found = randomisation_test(column(one - other), resamples=20_000)
    assert not found.exact[0]
    assert found.p[0] == pytest.approx(theirs.pvalue, abs=0.01)


def test_rounding_makes_no_difference_of_ties():
    """In tenths 1 + 2 = 3, in binary it does not quite."""
    assert randomisation_test(column([0.1, 0.2, -0.3])).p[0] == 1.0
    assert 0.1 + 0.2 - 0.3 != 0
    large = np.tile([0.1, 0.2, -0.3], 20)
    assert randomisation_test(column(large)).p[0] == 1.0


def test_a_drawn_p_value_is_never_zero():
    assert randomisation_test(column(np.linspace(0.1, 0.2, 200)), resamples=999).p[0] == 1 / 1000
    assert statistics.smallest_p(200, 999) == 1 / 1000 and statistics.smallest_p(5, 999) == 1 / 16


def test_no_topics():
    empty = np.zeros((0, 2))
    assert np.isnan(randomisation_test(empty).p).all()
    assert np.isnan(t_test(empty).p).all() and np.isnan(effect_size(empty)).all()
    assert np.isnan(bootstrap(empty).low).all()


# Student


@pytest.mark.slow
@pytest.mark.parametrize("topics", [2, 3, 10, 200])
def test_t_is_that_of_scipy(topics):
    from scipy import stats

    random = np.random.default_rng(topics)
    one, other = random.random((topics, 4)), random.random((topics, 4))
    theirs = stats.ttest_rel(one, other)
    found = t_test(one - other)
    assert np.allclose(found.p, theirs.pvalue, rtol=1e-10)
    assert np.allclose(found.statistic, theirs.statistic, rtol=1e-10)


def test_t_by_hand():
    """Differences 1, 2, 3: t = 2 / (1 / sqrt(3)); with two degrees of freedom p = 1 - t / sqrt(t^2 + 2)."""
    found = t_test(column([1.0, 2.0, 3.0]))
    assert found.statistic[0] == pytest.approx(math.sqrt(12))
    assert found.p[0] == pytest.approx(1 - math.sqrt(12 / 14))


def test_t_without_spread():
    found = t_test(np.column_stack([np.zeros(4), np.full(4, 0.1)]))
    assert found.p.tolist() == [1.0, 2 ** (1 - 4)] and found.exact.tolist() == [False, True]
    assert np.isnan(t_test(column([0.3])).p[0])


# effect size


def test_effect_size_by_hand():
    """Differences 1, 2, 3: mean 2, standard deviation 1."""
    assert effect_size(column([1, 2, 3]))[0] == pytest.approx(2)
    assert effect_size(column([0, 0, 0]))[0] == 0
    assert np.isnan(effect_size(column([0.1, 0.1, 0.1]))[0])
    assert np.isnan(effect_size(column([0.1]))[0])
    values = np.random.default_rng(1).normal(size=(20, 1))
    assert effect_size(values)[0] * np.sqrt(20) == pytest.approx(t_test(values).statistic[0])


# corrections


def test_corrections_by_hand():
    p = np.array([0.01, 0.02, 0.03, 0.04])
    assert adjusted(p, "holm") == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert adjusted(p, "bh") == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert adjusted(p, "none") == pytest.approx(p)
    assert adjusted(np.array([0.9, 0.8]), "holm").tolist() == [1.0, 1.0]
    assert adjusted(np.zeros(0), "holm").tolist() == []


def test_undefined_p_values_do_not_count():
    found = adjusted(np.array([0.01, np.nan, 0.04]), "holm")
    assert found[[0, 2]] == pytest.approx([0.02, 0.04]) and np.isnan(found[1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_hochberg_is_that_of_scipy(values):
    from scipy import stats

    p = np.array(values)
    assert np.allclose(adjusted(p, "bh"), stats.false_discovery_control(p), atol=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_its_steps_reject(values):
    """Holm as it is told: go up while p(i) <= alpha/(m - i), stop at the first that is not."""
    p, alpha = np.array(values), 0.05
    rejected = set()
    for place, i in enumerate(np.argsort(p, kind="stable").tolist()):
        if p[i] * (len(p) - place) > alpha:
            break
        rejected.add(i)
    assert set(np.flatnonzero(adjusted(p, "holm") <= alpha).tolist()) == rejected


# bootstrap


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_are_those_of_scipy(ours, theirs, confidence):
    """As near as 50,000 resamples bring both to the truth."""
    from scipy import stats

    values = np.random.default_rng(7).beta(0.5, 1, 40)
    found = bootstrap(column(values), confidence=confidence, resamples=50_000, method=ours)
    other = stats.bootstrap(
        (values,), np.mean, confidence_level=confidence, n_resamples=50_000, method=theirs,
        rng=np.random.default_rng(1)
    ).confidence_interval  # fmt: skip
    assert found.low[0] == pytest.approx(other.low, abs=0.002)
    assert found.high[0] == pytest.approx(other.high, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("topics", [5, 30, 300])
def test_from_the_same_resamples_scipy_reads_the_same_interval(ours, theirs, topics):
    from scipy import stats

    values = np.random.default_rng(topics).beta(0.5, 1, topics)
    found = bootstrap(column(values), resamples=2000, method=ours)
    earlier = stats.bootstrap((values,), np.mean, n_resamples=9, method=theirs, rng=np.random.default_rng(1))
    draws = statistics.resample_counts(topics, 2000, 0)
    earlier.bootstrap_distribution = statistics._resampled_means(column(values), draws)[0]
    other = stats.bootstrap((values,), np.mean, n_resamples=0, bootstrap_result=earlier, method=theirs)
    assert found.low[0] == pytest.approx(other.confidence_interval.low, abs=1e-12)
    assert found.high[0] == pytest.approx(other.confidence_interval.high, abs=1e-12)


def test_expanded_intervals_by_hand():
    """Two topics: the level is so small that the interval ends at the least and the largest value."""
    low, high = bootstrap(column([0.2, 0.6]))
    assert (low[0], high[0]) == pytest.approx((0.2, 0.6))
    wide = bootstrap(np.random.default_rng(1).random((12, 3)))
    narrow = bootstrap(np.random.default_rng(1).random((12, 3)), method="percentile")
    assert (wide.low < narrow.low).all() and (wide.high > narrow.high).all()


@pytest.mark.parametrize("method", statistics.INTERVALS)
def test_equal_values_give_exactly_that_value(method):
    low, high = bootstrap(column([0.3] * 7), method=method)
    assert low[0] == high[0] == pytest.approx(0.3, abs=1e-15)


@pytest.mark.parametrize("method", statistics.INTERVALS)
def test_a_column_does_not_depend_on_its_neighbours(method):
    values = np.random.default_rng(2).random((40, 5))
    together = bootstrap(values, method=method)
    for i in range(5):
        alone = bootstrap(values[:, [i]], method=method)
        assert alone.low[0] == pytest.approx(together.low[i], abs=1e-13)
        assert alone.high[0] == pytest.approx(together.high[i], abs=1e-13)


def test_the_seed_decides():
    values = np.random.default_rng(2).random((50, 1))
    assert bootstrap(values, seed=1) == bootstrap(values, seed=1)
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)
    assert np.array_equal(randomisation_test(values - 0.45, seed=4).p, randomisation_test(values - 0.45, seed=4).p)


def test_more_columns_than_are_treated_at_once(monkeypatch):
    values = np.random.default_rng(2).random((35, 7)) - 0.5
    whole = bootstrap(values, resamples=300), randomisation_test(values, resamples=300)
    monkeypatch.setattr(statistics, "_NEAR", 3)
    parts = bootstrap(values, resamples=300), randomisation_test(values, resamples=300)
    assert np.allclose(whole[0], parts[0], atol=1e-13)
    assert np.array_equal(whole[1].p, parts[1].p)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "expanded", "bca"])
def test_bounds_are_means_that_can_occur(method):
    """What adding the centre back rounds to, -1.4e-17 for one, is not shown as -0.0000."""
    for seed in range(40):
        values = np.random.default_rng(seed).choice(
            [0.0, 0.1, 0.2, 0.7, 1.0], size=(6, 8), p=[0.8, 0.05, 0.05, 0.05, 0.05]
        )
        low, high = statistics.bootstrap(values, resamples=300, method=method)
        assert (low >= values.min(axis=0)).all() and (high <= values.max(axis=0)).all()
        assert ((low == 0) | (low > 1e-9)).all() and not np.signbit(low).any()
        signed = values - values[::-1]
        for bound in statistics.bootstrap(signed, resamples=300, method=method):
            assert ((bound == 0) | (np.abs(bound) > 1e-9)).all()


@pytest.mark.parametrize("method", ["expanded", "percentile"])
@pytest.mark.parametrize("topics", [2, 7, 50])
def test_intervals_are_those_of_sorted_means(method: str, topics: int) -> None:
    """Only the ranks beside the two quantiles are put in order."""
    values = np.random.default_rng(topics).random((topics, 9)).round(2)
    found = statistics.bootstrap(values, resamples=300, method=method)
    centre = values.mean(axis=0)
    draws = statistics.resample_counts(topics, 300, 0)
    means = np.sort(statistics._resampled_means(values - centre, draws), axis=1)
    levels = statistics._levels(values - centre, 0.95, method, None)
    for bound, quantile in zip(found, statistics._quantiles(means, levels), strict=True):
        assert (bound == statistics._undusted(centre + quantile, values)).all()
