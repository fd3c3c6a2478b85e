"""Bounds of the p-value of the randomisation test, against all sign changes."""

import itertools
import math

import numpy as np
import pytest
from many_cases import at_length

from berrypick.statistics.sign_changes import randomisation_bounds
from berrypick.statistics.statistics import randomisation_test


def by_enumeration(differences):
    seen = abs(sum(differences)) - 1e-9
    sums = [sum(sign * one for sign, one in zip(signs, differences, strict=True))
            for signs in itertools.product((1, -1), repeat=len(differences))]  # fmt: skip
    return sum(abs(one) >= seen for one in sums) / len(sums)


@pytest.mark.parametrize("seed", range(at_length(20, 200)))
def test_bounds_hold_the_share_of_all_sign_changes(seed):
    random = np.random.default_rng(seed)
    differences = random.normal(random.uniform(0, 1), 1, random.integers(1, 11))
    if seed % 3 == 0:
        differences = np.round(differences, 1)
    p = by_enumeration(differences.tolist())
    for cells in (1 << 8, 1 << 14):
        low, high = randomisation_bounds(differences, cells)
        assert low <= p + 1e-12 and p <= high + 1e-12
        assert low >= 2.0 ** (1 - len(differences)), "what was seen is one of the sign changes"


def test_hits_have_the_binomial_p_value():
    """30 wins and 8 losses on 38 topics that differ, of 100."""
    differences = np.array([1.0] * 30 + [-1.0] * 8 + [0.0] * 62)
    p = 2 * sum(math.comb(38, k) for k in range(30, 39)) / 2**38
    assert randomisation_bounds(differences, 1 << 14) == pytest.approx((p, p), rel=1e-9)
    assert randomisation_bounds(np.full(40, 0.3), 16) == pytest.approx((2.0**-39, 2.0**-39))
    assert randomisation_bounds(np.array([0.5, -0.5]), 16) == (1.0, 1.0)
    assert randomisation_bounds(np.zeros(3), 16) == (1.0, 1.0)


def test_more_cells_bring_bounds_closer_and_a_sample_lies_between():
    differences = np.random.default_rng(5).normal(0.25, 1, 90)
    wide, close = (randomisation_bounds(differences, 1 << power) for power in (12, 18))
    assert wide[0] <= close[0] <= close[1] <= wide[1] and close[1] / close[0] < 1.02
    drawn = randomisation_test(differences[:, None], resamples=200_000).p[0]
    assert close[0] * 0.9 < drawn < close[1] * 1.1
