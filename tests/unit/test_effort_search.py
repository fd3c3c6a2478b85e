"""The best-first search for gains and efforts: the compiled form and the plain one give the same lists and digits."""

import signal

import list_twins
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.core.navigation import ReachTable
from berrypick.kernels import effort_lists, set_queue
from berrypick.kernels.certified import Search
from berrypick.kernels.effort_problem import Priced, Problem
from berrypick.kernels.list_bounds import coarse

pytestmark = pytest.mark.skipif(effort_lists.native() is None, reason="no compiled kernels")
#: Values that make ties, and others.
PRICE = st.sampled_from([1.0, 1.0, 2.0, 3.0]) | st.floats(0.1, 5)


@st.composite
def problems(draw):
    """Candidates with many ties, gains, and a gain that is wanted."""
    rows = draw(list_twins.candidates())
    targets = rows.shape[1]
    many = {"min_size": len(rows), "max_size": len(rows)}
    effort = np.ones(len(rows)) if draw(st.booleans()) else np.array(draw(st.lists(PRICE, **many)))
    outside = np.zeros(rows.shape)
    if draw(st.integers(0, 3)) == 0:
        outside = np.where(rows == 1, 0.0, draw(PRICE))
    gains = np.array(draw(st.lists(PRICE, min_size=targets, max_size=targets)))
    wanted = float(gains.sum() * draw(st.sampled_from([0.1, 0.3, 0.5, 0.8, 1])) * (1 - 1e-9))
    return Priced(rows, effort, outside), gains, wanted


def in_both_forms(search, listed=0):
    return list_twins.in_both_forms(search, effort_lists, MOST_LISTED=listed, MOST_ORDERED=listed // 2)


@given(problems(), st.sampled_from(["length", "inverse"]), st.sampled_from([1, 2, 5, 30]), st.sampled_from([0, 0, 8]))
def test_both_forms_find_the_same(problem, objective, nodes, listed):
    """The same list, value, bound and gap, to the last digit; also where all sets or orders of a few are listed."""
    priced, gains, wanted = problem

    def search():
        useful = priced.take(np.flatnonzero((priced.rows > 0).any(axis=1)))
        return effort_lists._search(Problem(useful, gains, wanted, objective), Search(nodes), 1)

    native, plain = in_both_forms(search, listed)
    assert repr(native) == repr(plain)  # nan where no list surely suffices
    assert native.gap == plain.gap


@pytest.mark.parametrize("objective", ["length", "inverse"])
@pytest.mark.parametrize("effort", ["equal", "whole", "any"])
def test_both_forms_find_the_same_among_many(objective, effort):
    rng = np.random.default_rng(3)
    rows = np.vstack([np.eye(6), np.round(rng.random((60, 6)) * 0.5, 1)])
    efforts = {"equal": np.ones(66), "whole": rng.integers(1, 5, 66).astype(float), "any": rng.random(66) + 0.2}
    priced, gains = Priced(rows, efforts[effort], np.zeros(rows.shape)), np.array([3.0, 3, 2, 2, 1, 1])
    native, plain = in_both_forms(lambda: effort_lists.search(priced, gains, [9.0], objective, Search(6)))
    assert native == plain
    assert any(one.gap > 0 for one in native)


@given(problems(), st.data())
def test_both_forms_score_lists_alike(problem, data):
    priced, gains, wanted = problem
    orders = st.permutations(range(len(priced.rows)))
    lists = [data.draw(orders)[: data.draw(st.integers(0, len(priced.rows)))] for _ in range(3)]
    for objective in ("length", "inverse"):
        native, plain = in_both_forms(lambda: Problem(priced, gains, wanted, objective).scores(lists))  # noqa: B023
        assert (native == plain).all()


@given(st.floats(-1e300, 1e300))
def test_coarse_numbers_are_not_smaller(value):
    found = float(coarse(np.float64(value)))
    assert found >= value - abs(value) * 1e-13
    assert found == value or abs(found - value) <= max(abs(value) * 2**-30, 5e-324)
    assert float(coarse(np.float64(found))) == found


def wide(rng):
    rows = np.vstack([np.eye(8), rng.random((300, 8)) * 0.3])
    return Priced(rows, rng.integers(1, 6, 308).astype(float), np.zeros(rows.shape)), rng.integers(1, 4, 8) * 1.0


@pytest.mark.parametrize("kernels", ["native", "numpy"])
def test_seconds_end_a_search_and_say_so(kernels, monkeypatch):
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    rng = np.random.default_rng(1)
    links = ReachTable({(f"h{i}", f"t{x}"): float(rng.random() * 0.6) for i in range(40) for x in range(5)})
    truth = {"q": {f"t{x}": x % 3 + 1 for x in range(5)}}
    clock = iter([0.0, 1.0, 10.0])  # one set is examined
    monkeypatch.setattr(set_queue.time, "monotonic", lambda: next(clock))
    measure = "epnav(ideal='certified',seconds=5)@1"
    fields = dict(bp.evaluate(truth, {"q": {"t1": 1}}, measure, navigation=links).mean_rows[0].signature.fields)
    assert fields["stopped"] == "seconds"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts: this system has no interval timer")
def test_a_search_can_be_interrupted():
    """Between two sets, not only at the end."""

    def interrupt(*_):
        raise KeyboardInterrupt

    priced, gains = wide(np.random.default_rng(2))
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            effort_lists.search(priced, gains, [float(gains.sum()) * 0.6], "length", Search(5000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_search_outlives_its_problem():
    priced, gains = wide(np.random.default_rng(4))
    problem = Problem(priced, gains, 5.0, "length")
    best, goal = problem.changed(problem.beginning(problem.starts()))
    search = problem.compiled.search(priced.dominated.view(np.uint8), np.array(best), goal)
    del problem
    assert search.step() and search.step()
    assert -goal >= -search.bound() > 0
