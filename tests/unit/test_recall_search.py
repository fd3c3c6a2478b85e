"""The best-first search for recall values: the compiled form and the plain one give the same lists and digits."""

import signal

import list_twins
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.kernels import certified
from berrypick.kernels.certified import BestFirst, Problem, Search, Turns
from berrypick.kernels.list_bounds import nearly_largest

pytestmark = pytest.mark.skipif(certified.native() is None, reason="no compiled kernels")


def in_both_forms(search, listed=0):
    return list_twins.in_both_forms(search, certified, MOST_LISTED=listed)


@given(
    list_twins.candidates(),
    st.sampled_from(["length", "inverse"]),
    st.sampled_from([1, 2, 5, 30]),
    st.sampled_from([0, 0, 8]),
)
def test_both_forms_find_the_same(rows, objective, nodes, listed):
    """The same list, value, bound and gap, to the last digit; also where all sets of a few are listed."""
    wanted = range(1, rows.shape[1] + 1)
    native, plain = in_both_forms(lambda: certified.search(rows, wanted, objective, Search(nodes)), listed)
    assert repr(native) == repr(plain)  # nan where no list surely suffices
    assert [one.gap for one in native] == [one.gap for one in plain]


@pytest.mark.quick
@pytest.mark.parametrize("objective", ["length", "inverse"])
@pytest.mark.parametrize("sure", ["all", "some", "none"])
def test_both_forms_find_the_same_among_many(objective, sure):
    rng = np.random.default_rng(3)
    rows = np.vstack([np.eye(5)[: {"all": 5, "some": 3, "none": 0}[sure]], np.round(rng.random((24, 5)) * 0.5, 1)])
    native, plain = in_both_forms(lambda: certified.search(rows, [2, 3, 4], objective, Search(3)))
    assert repr(native) == repr(plain)
    assert any(one.gap > 0 for one in native) or (objective, sure) == ("length", "none")  # none surely suffices


def test_more_ranks_than_are_bounded_one_by_one():
    """Nothing is sure, and so many candidates are needed that the list of the greedy order is cut."""
    rows = np.eye(45) * np.linspace(0.3, 0.9, 45)
    native, plain = in_both_forms(lambda: certified.search(rows, [3, 44], "inverse", Search(1)))
    assert native == plain
    assert native[0].value > 0


def test_a_candidate_is_consulted_once():
    """Few candidates, and more ways to a list that suffices than there are candidates."""
    rows = np.vstack([np.eye(5), [[0.0, 0.5, 0.8, 0.3, 0.3]]])
    problem = Problem(rows, certified.dominated(rows), 3, "length")
    pool, ready = BestFirst(problem, problem.completed(())).pool((5,), 15)
    assert pool.tolist() == [0, 1, 2, 3, 4] and ready.all()
    native, plain = in_both_forms(lambda: certified.search(rows, [3, 4, 5], "length", Search(2)))
    assert native == plain


@given(list_twins.candidates(), st.integers(1, 6))
def test_both_forms_have_the_same_tails(rows, r):
    seen, unseen = rows, 1.0 - rows
    native, plain = in_both_forms(lambda: certified.tails_of_rows(seen, unseen, r))
    assert (native[0] == plain[0]).all() and (native[1] == plain[1]).all()
    np.testing.assert_allclose(native[0] + native[1], 1, rtol=1e-12)


def test_last_digits_do_not_decide_which_are_the_largest():
    values = np.array([0.1, 0.3, 0.1 + 0.2, 0.3 * (1 - 1e-8), 0.5])
    assert nearly_largest(values, 2).tolist() == nearly_largest(values[[0, 2, 1, 3, 4]], 2).tolist() == [1, 4]


def wide(rng):
    return np.vstack([np.eye(8), rng.random((300, 8)) * 0.3])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts: this system has no interval timer")
def test_a_search_can_be_interrupted():
    """Between two sets, not only at the end."""

    def interrupt(*_):
        raise KeyboardInterrupt

    problem = Problem(rows := wide(np.random.default_rng(2)), certified.dominated(rows), 6, "length")
    best = problem.completed(())
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            certified.compiled_search(problem, best, Turns(50_000, None))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_search_keeps_its_own_candidates():
    rows = wide(np.random.default_rng(4))
    problem = Problem(rows, certified.dominated(rows), 5, "length")
    best = problem.completed(())
    goal, order = problem.finished(best), np.array(best.order)
    search = certified.native().RecallSearch(rows, problem.follows.view(np.uint8), 5, False, problem.most, order, goal)
    rows[:] = np.nan
    assert search.step() and search.step()
    assert -goal >= -search.bound() > 0
