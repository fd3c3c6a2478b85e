"""The best-first search for recall values, gains and efforts: both forms give the same lists and digits."""

import signal

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_cases import at_length
from slow_list_twins import candidates, in_both_forms

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.ideal import list_search, set_queue
from berrypick.ideal.gain_steps import NumberLaw
from berrypick.ideal.list_problem import Problem, Search
from berrypick.ideal.list_search import BestFirst, compiled_search
from berrypick.ideal.number_problem import NumberProblem
from berrypick.ideal.priced import Priced
from berrypick.ideal.set_queue import Turns
from berrypick.ideal.tangents import Knapsack, coarse
from berrypick.kernels import native

pytestmark = pytest.mark.skipif(native() is None, reason="no compiled kernels")
#: Values that make ties, and others.
PRICE = st.sampled_from([1.0, 1.0, 2.0, 3.0]) | st.floats(0.1, 5)
OBJECTIVES = st.sampled_from(["length", "inverse"])
NODES = st.sampled_from([1, 2, 5, 30])
LISTED = st.sampled_from([0, 0, 8])


@st.composite
def problems(draw):
    """Candidates with many ties, gains, and a gain that is wanted."""
    rows = draw(candidates())
    targets = rows.shape[1]
    many = {"min_size": len(rows), "max_size": len(rows)}
    effort = np.ones(len(rows)) if draw(st.booleans()) else np.array(draw(st.lists(PRICE, **many)))
    outside = np.zeros(rows.shape)
    if draw(st.integers(0, 3)) == 0:
        outside = np.where(rows == 1, 0.0, draw(PRICE))
    gains = np.array(draw(st.lists(PRICE, min_size=targets, max_size=targets)))
    wanted = float(gains.sum() * draw(st.sampled_from([0.1, 0.3, 0.5, 0.8, 1])) * (1 - 1e-9))
    return Priced(rows, effort, outside), gains, wanted


@given(candidates(), OBJECTIVES, NODES, LISTED)
def test_both_forms_find_the_same_for_recall_values(rows, objective, nodes, listed):
    """The same list, value, bound and gap, to the last digit; also where all sets of a few are listed."""
    wanted = range(1, rows.shape[1] + 1)
    fast, plain = in_both_forms(lambda: list_search.search_numbers(rows, wanted, objective, Search(nodes)), listed)
    assert repr(fast) == repr(plain)  # nan where no list surely suffices
    assert [one.gap for one in fast] == [one.gap for one in plain]


@given(problems(), OBJECTIVES, NODES, LISTED)
def test_both_forms_find_the_same_for_gains(problem, objective, nodes, listed):
    """Also where all orders of a few are listed, and where gains and efforts are equal by chance."""
    priced, gains, wanted = problem

    def search():
        useful = priced.take(np.flatnonzero((priced.rows > 0).any(axis=1)))
        return list_search.find(Problem.of_gain(useful, gains, wanted, objective), Search(nodes))

    fast, plain = in_both_forms(search, listed)
    assert repr(fast) == repr(plain)
    assert fast.gap == plain.gap


@pytest.mark.parametrize("objective", ["length", "inverse"])
@pytest.mark.parametrize("sure", ["all", "some", "none"])
def test_both_forms_find_the_same_among_many(objective, sure):
    rng = np.random.default_rng(3)
    rows = np.vstack([np.eye(5)[: {"all": 5, "some": 3, "none": 0}[sure]], np.round(rng.random((24, 5)) * 0.5, 1)])
    fast, plain = in_both_forms(lambda: list_search.search_numbers(rows, [2, 3, 4], objective, Search(3)))
    assert repr(fast) == repr(plain)
    assert any(one.gap > 0 for one in fast) or (objective, sure) == ("length", "none")  # none surely suffices


@pytest.mark.parametrize("objective", ["length", "inverse"])
@pytest.mark.parametrize("effort", ["equal", "whole", "any"])
def test_both_forms_find_the_same_among_many_that_cost(objective, effort):
    rng = np.random.default_rng(3)
    rows = np.vstack([np.eye(6), np.round(rng.random((60, 6)) * 0.5, 1)])
    efforts = {"equal": np.ones(66), "whole": rng.integers(1, 5, 66).astype(float), "any": rng.random(66) + 0.2}
    priced, gains = Priced(rows, efforts[effort], np.zeros(rows.shape)), np.array([3.0, 3, 2, 2, 1, 1])
    fast, plain = in_both_forms(lambda: list_search.search(priced, gains, [9.0], objective, Search(6)))
    assert fast == plain
    assert any(one.gap > 0 for one in fast)


def with_ties(seed):
    """A few candidates of which many lists score the same, and the targets themselves."""
    rng = np.random.default_rng(seed)
    targets, count = int(rng.integers(4, 9)), int(rng.integers(8, 25))
    reach, some = rng.random((count, targets)), rng.random((count, targets)) < 0.5
    hubs = np.round(reach * 4) / 4 * some * 0.75 if seed % 2 else np.round(reach * some, 1)
    return np.vstack([np.eye(targets), hubs])


#: Recall values for which another bound is found if sets that are put aside are not compared with those that are taken,
#: be it by their score (503) or by when they were found (965, 1255).
ASIDE = [(503, "length", 4), (539, "length", 4), (965, "inverse", 5), (1255, "length", 4)]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "objective", "r"), ASIDE)
def test_sets_that_are_put_aside_change_nothing(seed, objective, r):
    """The plain form looks at what every set leads to when it is taken."""
    fast, plain = in_both_forms(lambda: list_search.search_numbers(with_ties(seed), [r], objective, Search(24)))
    assert repr(fast) == repr(plain)


@given(candidates(), OBJECTIVES, st.data())
def test_improving_a_list_does_not_depend_on_what_was_tried_before(rows, objective, data):
    rows = rows[(rows > 0).any(axis=1)]
    hypothesis.assume(len(rows))
    made = [NumberProblem(Priced.of_rows(rows), 1 + rows.shape[1] // 2, objective) for _ in range(2)]
    order = tuple(data.draw(st.permutations(range(len(rows))))[: data.draw(st.integers(0, len(rows)))])
    made[0].first()
    assert made[0].improved(order) == made[1].improved(order) == made[0].improved(order)


@given(problems(), OBJECTIVES, st.data())
def test_exchanges_are_scored_alike_one_by_one_and_side_by_side(problem, objective, data):
    """Each number of candidates that is left over by fours."""
    rows = problem[0].rows
    made = NumberProblem(Priced.of_rows(rows), 1 + rows.shape[1] // 2, objective)
    order = tuple(data.draw(st.permutations(range(len(rows))))[: data.draw(st.integers(1, len(rows)))])
    place = data.draw(st.integers(0, len(order) - 1))
    options = np.array([i for i in range(len(rows)) if i == order[place] or i not in order])
    fast, plain = in_both_forms(lambda: made.exchanged_scores(order, place, options))
    assert (fast == plain).all()
    for option, score in zip(options, plain, strict=True):
        assert made.exchanged_scores(order, place, np.array([option])) == score


def test_more_ranks_than_are_bounded_one_by_one():
    """Nothing is sure, and so many candidates are needed that the list of the greedy order is cut."""
    rows = np.eye(45) * np.linspace(0.3, 0.9, 45)
    fast, plain = in_both_forms(lambda: list_search.search_numbers(rows, [3, 44], "inverse", Search(1)))
    assert fast == plain
    assert fast[0].value > 0


@pytest.mark.parametrize(("kernels", "tens"), [("native", 10), ("numpy", at_length(3, 10))])
def test_a_gain_may_take_a_hundred_candidates(kernels, tens, monkeypatch):
    """The targets alone: the dearest first until the gain is reached."""
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    gains = np.array([3.0] * 3 * tens + [2.0] * 3 * tens + [1.0] * 4 * tens)
    wanted, needed = [9 * tens - 0.5, 15.0 * tens, 19.0 * tens], (3 * tens, 6 * tens, 10 * tens)
    for one, ranks in zip(
        list_search.search(Priced.of_rows(np.eye(10 * tens)), gains, wanted, "length", Search(1)), needed, strict=True
    ):
        assert one.value == ranks and len(one.order) == ranks
    found = bp.ideal_lists(
        {"q": {f"d{i}": int(gain) for i, gain in enumerate(gains)}}, "epnav(ideal='certified',nodes=1)@1"
    )
    assert [one.value for one in found] == [10 * tens]


@pytest.mark.parametrize("objective", ["length", "inverse"])
def test_many_chances_are_no_certainty(objective):
    """The product of a thousand chances is 0 to rounding; there is still no list that surely suffices."""
    rows = np.full((1100, 3), 0.6)
    (found,) = list_search.search(Priced.of_rows(rows), np.array([1.0, 2, 3]), [6.0], objective, Search(1))
    assert np.isnan(found.value) if objective == "length" else 0 < found.value < 1


def test_a_candidate_is_consulted_once():
    """Few candidates, and more ways to a list that suffices than there are candidates."""
    rows = np.vstack([np.eye(5), [[0.0, 0.5, 0.8, 0.3, 0.3]]])
    problem = NumberProblem(Priced.of_rows(rows), 3, "length")
    pool, ready = BestFirst(problem, problem.first()).pool((5,), problem.walked((5,)))
    assert pool.tolist() == [0, 1, 2, 3, 4] and ready.all()
    fast, plain = in_both_forms(lambda: list_search.search_numbers(rows, [3, 4, 5], "length", Search(2)))
    assert fast == plain


@given(candidates(), st.integers(1, 6))
def test_both_forms_have_the_same_law_of_numbers(rows, r):
    law = NumberLaw(rows.shape[1], r)
    fast, plain = in_both_forms(lambda: (*law.tails(rows, 1.0 - rows), law.expected(rows, 1.0 - rows)))
    for one, other in zip(fast, plain, strict=True):
        assert (one == other).all()
    np.testing.assert_allclose(fast[0] + fast[1], 1, rtol=1e-12)


@given(problems(), st.data())
def test_both_forms_score_and_cut_lists_alike(problem, data):
    priced, gains, wanted = problem
    orders = st.permutations(range(len(priced.rows)))
    lists = [data.draw(orders)[: data.draw(st.integers(0, len(priced.rows)))] for _ in range(3)]
    for objective in ("length", "inverse"):
        for made in (
            Problem.of_gain(priced, gains, wanted, objective),
            NumberProblem(Priced.of_rows(priced.rows), 1 + len(gains) // 2, objective),
        ):
            fast, plain = in_both_forms(lambda: (made.scores(lists), [made.cut(one) for one in lists]))  # noqa: B023
            assert (fast[0] == plain[0]).all() and fast[1] == plain[1]


def test_last_digits_do_not_decide_which_are_the_largest():
    values = np.array([0.1, 0.3, 0.1 + 0.2, 0.3 * (1 - 1e-8), 0.5])
    for same in (values, values[[0, 2, 1, 3, 4]]):
        assert Knapsack(np.ones(5), np.array([2.0])).filled(same, 2.0).tolist() == [0, 1, 0, 0, 1]


@given(st.floats(-1e300, 1e300))
def test_coarse_numbers_are_not_smaller(value):
    found = float(coarse(np.float64(value)))
    assert found >= value - abs(value) * 1e-13
    assert found == value or abs(found - value) <= max(abs(value) * 2**-30, 5e-324)
    assert float(coarse(np.float64(found))) == found


def wide(rng, kind):
    """A problem that takes long."""
    rows = np.vstack([np.eye(8), rng.random((300, 8)) * 0.3])
    if kind == "number":
        return NumberProblem(Priced.of_rows(rows), 6, "length")
    gains = rng.integers(1, 4, 8) * 1.0
    priced = Priced(rows, rng.integers(1, 6, 308).astype(float), np.zeros(rows.shape))
    return Problem.of_gain(priced, gains, float(gains.sum()) * 0.6, "length")


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
@pytest.mark.parametrize("kind", ["number", "gain"])
def test_a_search_can_be_interrupted(kind):
    """Between two sets, not only at the end."""

    def interrupt(*_):
        raise KeyboardInterrupt

    problem = wide(np.random.default_rng(2), kind)
    best = problem.first()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            compiled_search(problem, best, Turns(50_000, None))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", ["number", "gain"])
def test_a_search_outlives_its_problem_and_keeps_its_candidates(kind):
    problem = wide(np.random.default_rng(4), kind)
    best, goal = problem.first()
    search = problem.compiled.search(problem.priced.dominated.view(np.uint8), np.array(best), goal)
    problem.priced.rows[:] = np.nan
    del problem
    assert search.step() and search.step()
    assert -goal >= -search.bound() > 0
