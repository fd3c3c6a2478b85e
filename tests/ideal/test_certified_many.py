"""Certificates on many random small cases, thousands of them under make fuzz, against every order of the candidates."""

import math

import numpy as np
import pytest
from many_cases import at_length
from slow_list_twins import check, random_case, random_rows

from berrypick.data.reach import Reach
from berrypick.ideal import list_search
from berrypick.ideal.list_problem import Search
from berrypick.kernels import native
from berrypick.kernels.lists import ideal


@pytest.mark.parametrize("seed", range(2))
def test_recall_values(seed, monkeypatch):
    """Never a list better than the best, never a bound that a list passes."""
    monkeypatch.setattr(list_search, "MOST_LISTED", 0)
    rng = np.random.default_rng(1000 + seed)
    checked = 0
    for case in range(at_length(100, 300)):
        rows = random_rows(rng, most=8, targets=5)
        best = ideal.exact(Reach.of(rows))
        wanted = range(1, rows.shape[1] + 1)
        limit = Search((1, 2, 5)[case % 3])
        for r, found in zip(wanted, list_search.search_numbers(rows, wanted, "length", limit), strict=True):
            truly = best.length[r - 1]
            if math.isnan(truly):
                assert math.isnan(found.value)
            else:
                assert found.bound <= truly * (1 + 1e-12) and found.value >= truly * (1 - 1e-12)
            checked += 1
        for r, found in zip(wanted, list_search.search_numbers(rows, wanted, "inverse", limit), strict=True):
            truly = best.inverse[r - 1]
            assert found.bound >= truly * (1 - 1e-12) and found.value <= truly * (1 + 1e-12)
            checked += 1
    assert checked > at_length(500, 1500)


@pytest.mark.parametrize(("kernels", "cases"), [("native", 1000), ("numpy", 100)])
def test_gains(kernels, cases, monkeypatch):
    """The same for gains and efforts that differ, both objectives: neither all sets nor all orders are tried."""
    if kernels == "native" and native() is None:
        pytest.skip("no compiled kernels")
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    monkeypatch.setattr(list_search, "MOST_LISTED", 0)
    monkeypatch.setattr(list_search, "MOST_ORDERED", 0)
    rng = np.random.default_rng(2000)
    for case in range(cases):
        check(*random_case(rng, browsing=case % 3 == 2), nodes=(1, 2, 5)[case // 3 % 3], proved=False)
