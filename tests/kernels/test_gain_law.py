"""The expected ratio, and the law of the cumulated gain."""

import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import reaches
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.kernels import gain_law

LEVELS = (0.01, 0.25, 0.5, 0.77, 1.0)
GAINS = st.one_of(st.sampled_from([1.0, 2.0, 0.5, 3.0]), st.floats(0.01, 10))


@given(reaches(ranks=(1, 6)), st.data())
def test_the_expected_ratio_is_that_of_all_scenarios(matrix, data):
    t = matrix.shape[1]
    weight = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=t, max_size=t))
    value = bp.expected_ratio(matrix, idealism=weight)
    expected = [slow_twins.expected_ratio(matrix, k, weight) for k in range(1, len(matrix) + 1)]
    np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)
    assert (np.diff(value) >= -1e-15).all() and (value <= 1 + 1e-15).all()


@given(reaches(ranks=(1, 5)), st.data())
def test_the_expected_ratio_as_a_measure(matrix, data):
    t = matrix.shape[1]
    grades = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=t, max_size=t))
    truth, run, table = handmade.from_matrix(matrix, grades=grades)
    asked = ["ExpectedRatio", "ExpectedRatio@1", "ExpectedRatio@3", "ExpectedRatio@99"]
    values = bp.evaluate(truth, run, asked, navigation=table).mean()["run"]
    by_rank = [0.0, *bp.expected_ratio(matrix, idealism=grades).tolist()]
    for name, k in zip(asked, (99, 1, 3, 99), strict=True):
        assert values[name] == pytest.approx(by_rank[min(k, len(matrix))], abs=1e-15)


@given(reaches(ranks=(1, 4), targets=(1, 5), coins=7), st.data())
@settings(max_examples=30)
def test_the_law_of_the_gain(matrix, data):
    reach = Reach.of(matrix)
    gains = np.array(data.draw(st.lists(GAINS, min_size=matrix.shape[1], max_size=matrix.shape[1])))
    thresholds = np.array(LEVELS) * gains.sum() * (1 - 1e-9)
    found, doubt, cells = gain_law.reached(gains, reach.seen, reach.unseen, thresholds)
    assert cells == 0 and not doubt.any()
    for event, k in enumerate(reach.events.tolist()):
        for j, threshold in enumerate(thresholds):
            exact = math.fsum(
                p
                for p, first in slow_twins.scenarios(matrix)
                if math.fsum(g for g, rank in zip(gains, first, strict=True) if rank and rank <= k) >= threshold
            )
            assert found[event, j] == pytest.approx(exact, abs=1e-12)


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_where_sums_are_too_many_the_grid_knows_its_precision(targets, seed):
    rng = np.random.default_rng(seed)
    gains, seen = rng.random(targets) + 0.01, rng.random((3, targets))
    seen = np.maximum.accumulate(seen, axis=0)
    thresholds = np.array(LEVELS) * gains.sum() * (1 - 1e-9)
    exact, _, _ = gain_law.reached(gains, seen, 1 - seen, thresholds)
    with pytest.MonkeyPatch.context() as few:
        few.setattr(gain_law, "MOST_SUMS", 0)
        found, doubt, cells = gain_law.reached(gains, seen, 1 - seen, thresholds)
    assert cells > 0
    assert (np.abs(found - exact) <= doubt + 1e-12).all(), "the truth lies within the stated uncertainty"
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.slow
def test_many_equal_gains_stay_exact():
    """300 targets of three grades: few distinct sums."""
    rng = np.random.default_rng(3)
    matrix = np.where(rng.random((200, 300)) < 0.02, rng.random((200, 300)), 0.0)
    reach = Reach.of(matrix)
    gains = rng.integers(1, 4, 300).astype(float)
    _, doubt, cells = gain_law.reached(gains, reach.seen, reach.unseen, np.array([gains.sum() / 3]))
    assert cells == 0 and not doubt.any()
