"""Order statistics and sign changes: compiled and NumPy forms against each other; blocks of resamples."""

from __future__ import annotations

import doctest
import itertools

import numpy as np
import pytest

from berrypick import kernels
from berrypick.kernels import resampling
from berrypick.statistics import statistics


def test_docstrings():
    assert doctest.testmod(resampling).failed == 0


@pytest.fixture
def plain(monkeypatch):
    """A function with the NumPy kernels."""

    def call(function, *arguments):
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "_native", None)
            return function(*arguments)

    return call


@pytest.mark.parametrize("count", [1, 2, 3, 50, 1023, 1024, 5000])
def test_order_statistics(count, plain):
    rng = np.random.default_rng(count)
    smooth, sorted_rows = rng.normal(size=(5, count)), np.sort(rng.random((3, count)), axis=1)
    tied = rng.integers(0, 4, (5, count)).astype(np.float64)
    odd = np.where(np.arange(count) % 16 == 0, 1.0, rng.normal(size=(4, count)) - 5)  # the sample misleads
    rows = np.concatenate([smooth, tied, odd, -odd, sorted_rows, -sorted_rows, np.full((1, count), 2.0)])
    tails = [0, min(1, count - 1), max(0, count - 2), count - 1]
    for ranks in (tails, [int(0.02 * count), int(0.98 * count)], [count // 2], [0], [count - 1],
                  sorted(rng.integers(0, count, 6).tolist()), []):  # fmt: skip
        wanted = np.unique(np.array(ranks, dtype=np.int64))
        found = resampling.order_statistics(rows, wanted)
        assert (found == np.sort(rows, axis=1)[:, wanted]).all()
        assert (found == plain(resampling.order_statistics, rows, wanted)).all()
        if (compiled := kernels.native()) is not None:  # for processors that cannot compare four values at once
            compiled.order_statistics(rows, wanted, found, wide=False)
            assert (found == np.sort(rows, axis=1)[:, wanted]).all()


@pytest.mark.parametrize("place", [0, 1, 31, 700, 2047])
def test_what_is_not_a_number_has_no_order(place):
    if (compiled := kernels.native()) is None:
        pytest.skip("no compiled kernels")
    rows = np.random.default_rng(place).normal(size=(3, 2048))
    rows[1, place] = np.nan
    for ranks, wide in itertools.product(([3, 2040], [3], [2040], [1000]), (True, False)):
        with pytest.raises(ValueError, match="not a number"):
            compiled.order_statistics(rows, np.array(ranks), np.empty((3, len(ranks))), wide=wide)


@pytest.mark.slow
@pytest.mark.parametrize("topics", [0, 1, 4, 7, 8, 9, 50, 67])
@pytest.mark.parametrize("columns", [0, 1, 7, 8, 9, 130])
def test_drawn_sign_changes(topics, columns, plain):
    rng = np.random.default_rng(topics + columns)
    differences = rng.normal(size=(topics, columns)).round(rng.integers(1, 9))  # of few digits: many equal sums
    signs = rng.choice([-1.0, 1.0], (500, topics))
    least = np.abs(differences.sum(axis=0)) - 1e-12
    found = resampling.extreme_sign_changes(differences, signs, least)
    assert found.tolist() == plain(resampling.extreme_sign_changes, differences, signs, least).tolist()
    slow = [
        sum(abs(float(row @ column)) >= bound for row in signs)
        for column, bound in zip(differences.T, least, strict=True)
    ]
    assert found.tolist() == slow


@pytest.mark.parametrize("digits", [1, 2, 15])
@pytest.mark.parametrize(("topics", "runs"), [(1, 2), (8, 3), (33, 9), (61, 17)])
def test_sign_changes_of_pairs_are_counted_from_those_of_runs(topics, runs, digits, plain):
    rng = np.random.default_rng(100 * topics + digits)
    values = rng.random((topics, runs)).round(digits)  # of few digits: many equal sums
    values[:, 1] = values[:, 0]
    values[rng.integers(topics), 1] += 1e-9  # so near to each other that rounding may decide
    one, other = np.triu_indices(runs, 1)
    differences = values[:, one] - values[:, other]
    differences[np.abs(differences) <= 1e-10] = 0.0
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), (700, topics))
    least = np.abs(differences.sum(axis=0)) - statistics.SAME * np.abs(differences).sum(axis=0)
    asked = differences, signs, least
    pairs = resampling.PairedColumns(values, one, other)
    wanted = resampling.extreme_sign_changes(*asked).tolist()
    assert resampling.extreme_pair_changes(*asked, pairs).tolist() == wanted
    assert plain(resampling.extreme_pair_changes, *asked, pairs).tolist() == wanted
    shifted = resampling.PairedColumns(values + 1e7, one, other)  # sums of runs are too coarse: all pairs by their own
    assert resampling.extreme_pair_changes(*asked, shifted).tolist() == wanted
    with np.errstate(invalid="ignore"):
        infinite = resampling.PairedColumns(values * np.inf, one, other)
        assert resampling.extreme_pair_changes(*asked, infinite).tolist() == wanted


@pytest.mark.parametrize("seed", range(4))
def test_a_test_of_pairs_finds_what_it_finds_column_by_column(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((45, 12)).round(1 + 7 * (seed % 2))
    one, other = np.triu_indices(12, 1)
    differences = values[:, one] - values[:, other]
    differences[:, 3:9] *= rng.random((45, 1)) < 0.5  # some columns are exact, and are not what the runs differ in
    known = resampling.PairedColumns(values, one, other)
    found = statistics.randomisation_test(differences, pairs=known, resamples=900)
    wanted = statistics.randomisation_test(differences, resamples=900)
    assert all(np.array_equal(*both, equal_nan=True) for both in zip(found, wanted, strict=True))


def test_an_interval_does_not_depend_on_the_columns_beside_it():
    values = np.random.default_rng(9).random((50, 300))
    whole = statistics.bootstrap(values, resamples=400)
    for first, end in [(0, 64), (3, 261), (211, 300)]:
        some = statistics.bootstrap(values[:, first:end], resamples=400)
        assert (some.low == whole.low[first:end]).all() and (some.high == whole.high[first:end]).all()


def test_extreme_sums(plain):
    rng = np.random.default_rng(4)
    sets = [rng.normal(size=n) for n in range(13)] + [rng.integers(-2, 3, n) / 10 for n in range(13)]
    values, bounds = np.concatenate(sets), np.cumsum([0, *map(len, sets)])
    for share in (-0.5, 0.0, 0.3, 0.9, 1.0):
        least = np.array([share * np.abs(one).sum() for one in sets])
        found = resampling.extreme_sums(values, bounds, least)
        assert found.tolist() == plain(resampling.extreme_sums, values, bounds, least).tolist()
        for one, own, count in list(zip(sets, least, found, strict=True))[1:8]:
            sums = [float(np.dot(signs, one)) for signs in itertools.product((-1, 1), repeat=len(one))]
            assert share in (0.0, 1.0) or count == sum(total >= own for total in sums)  # there rounding decides


def test_sums_too_large_for_doubles_are_counted_in_the_plain_form():
    values = np.full(4, 1e308)
    with np.errstate(over="ignore", invalid="ignore"):
        found = resampling.extreme_sums(values, np.array([0, 4]), np.array([1.0]))
        assert found.tolist() == [resampling._extreme_sums(values, 1.0)]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["expanded", "percentile", "bca"])
@pytest.mark.parametrize("columns", [1, 63, 64, 65, 512, 530])
def test_a_column_has_the_interval_that_all_its_means_give(columns, method, plain):
    """Blocks of columns, kept draws and the tails alone change nothing."""
    values = np.random.default_rng(columns).random((9, columns))
    found = statistics.bootstrap(values, resamples=1200, method=method)
    centre = values.mean(axis=0)
    means = np.concatenate([times @ (values - centre) / 9 for _, times in statistics.resample_counts(9, 1200, 0)])
    if method == "percentile":
        for bound, level in zip(found, (0.025, 0.975), strict=True):
            np.testing.assert_allclose(bound, centre + np.quantile(means, level, axis=0), rtol=1e-13)
    slow = plain(lambda: statistics.bootstrap(values, resamples=1200, method=method))
    assert (found.low == slow.low).all() and (found.high == slow.high).all()


def test_draws_in_several_pieces_are_drawn_anew(monkeypatch):
    values = np.random.default_rng(1).normal(size=(40, 130))
    whole = statistics.bootstrap(values, resamples=300), statistics.randomisation_test(values, resamples=300).p
    monkeypatch.setattr(statistics, "_CELLS", 40 * 70)
    assert len(statistics._blocks(300, 40)) > 4
    parts = statistics.bootstrap(values, resamples=300), statistics.randomisation_test(values, resamples=300).p
    np.testing.assert_allclose(parts[0], whole[0], atol=0.1)  # other random numbers
    again = statistics.bootstrap(values, resamples=300)
    assert (again.low == parts[0].low).all() and np.abs(parts[1] - whole[1]).max() < 0.2


@pytest.mark.parametrize(("pieces", "kind"), [(2, "float64"), (3, "uint16")])
def test_kept_draws_are_those_that_are_drawn(monkeypatch, pieces, kind):
    values = np.random.default_rng(2).normal(size=(40, 5))
    monkeypatch.setattr(statistics, "_CELLS", 40 * 300 // pieces)
    statistics._kept_draws.cache_clear()
    kept = statistics._kept_draws(40, 300, 0)
    assert [times.dtype.name for _, times in kept] == [kind] * pieces
    for (first, times), (begin, drawn) in zip(kept, statistics.resample_counts(40, 300, 0), strict=True):
        assert first == begin and (times == drawn).all()
    found = [statistics.bootstrap(values, resamples=300) for _ in range(2)]
    statistics._kept_draws.cache_clear()
    monkeypatch.setattr(statistics, "_kept_draws", statistics.resample_counts)
    found.append(statistics.bootstrap(values, resamples=300))
    assert found[0].low.tobytes() == found[1].low.tobytes() == found[2].low.tobytes()
    assert found[0].high.tobytes() == found[1].high.tobytes() == found[2].high.tobytes()
