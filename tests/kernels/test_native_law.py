"""The law of the number seen, in both forms, against sixty-digit arithmetic and against each other.

Everything here runs on the NumPy kernels and on the compiled ones, and on the compiled ones both by divide and conquer
and plainly. The slow twins make each product anew, from the definition, in decimal numbers of sixty digits, whose
range of exponents is not that of a double.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, localcontext
from os import environ

import counted_work
import numpy as np
import pytest
from generated_inputs import PROBABILITIES
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick import kernels
from berrypick.data.reach import Reach
from berrypick.kernels import poisson_binomial
from berrypick.kernels.poisson_binomial import consulted, events, law, number_seen, weighted_law

FORMS = ["numpy", "tree", "plain"]
#: Below this, doubles have no digits left to keep.
SMALLEST = Decimal("1e-300")


@contextmanager
def form(name: str) -> Iterator[None]:
    """Compute in one form: with NumPy, or compiled and by divide and conquer, or compiled and plainly."""
    if name != "numpy" and kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    before = environ.get("BERRYPICK_KERNELS")
    environ["BERRYPICK_KERNELS"] = "numpy" if name == "numpy" else "native"
    compiled = kernels._native
    try:
        if compiled is not None and name != "numpy":
            kernels._native = _Forced(compiled, 1 if name == "tree" else 2)
        poisson_binomial._number_seen.cache_clear()
        yield
    finally:
        kernels._native = compiled
        environ.pop("BERRYPICK_KERNELS")
        if before is not None:
            environ["BERRYPICK_KERNELS"] = before


class _Forced:
    """The compiled kernels, with the choice between their two ways taken away from them."""

    def __init__(self, compiled, number):
        self.compiled, self.number = compiled, number

    def __getattr__(self, name):
        function = getattr(self.compiled, name)
        if name in ("law_over_events", "weighted_law", "consulted"):
            return lambda *given: function(*given, form=self.number)
        return function


# --- slow twins ------------------------------------------------------------------------------------------------------


Factor = tuple[Decimal, Decimal]


def product(factors: list[Factor]) -> list[Decimal]:
    """Coefficients of the product of (seen z + unseen)."""
    mass = [Decimal(1)]
    for p, q in factors:
        mass = [
            (mass[f] * q if f < len(mass) else Decimal(0)) + (mass[f - 1] * p if f else Decimal(0))
            for f in range(len(mass) + 1)
        ]
    return mass


def states(matrix: np.ndarray) -> Iterator[list[Factor]]:
    """(seen, unseen) of every target after each row that reaches anything."""
    before = [(Decimal(0), Decimal(1))] * matrix.shape[1]
    for row in matrix.tolist():
        if any(row):
            before = met(before, row)
            yield before


def met(state: list[Factor], row: list[float]) -> list[Factor]:
    """seen + unseen p and unseen (1 - p)."""
    return [(s + q * Decimal(p), q * (1 - Decimal(p))) for (s, q), p in zip(state, row, strict=True)]


def twin_laws(matrix: np.ndarray) -> list[list[Decimal]]:
    return [product(after) for after in states(matrix)]


def twin_consulted(matrix: np.ndarray, exact: bool) -> tuple[list[Decimal], list[Decimal], list[Decimal]]:
    """Equation 5's sums over ranks, straight from equation 8 or from the specification's coefficients."""
    t = matrix.shape[1]
    new, read = [Decimal(0)] * (t + 1), [Decimal(0)] * (t + 1)
    state = [(Decimal(0), Decimal(1))] * t
    for row in matrix.tolist():
        mass = product(state)
        nothing = product([(s, q * (1 - Decimal(p))) for (s, q), p in zip(state, row, strict=True)])
        for s in range(t + 1):
            read[s] += mass[s]
            if mass[s] == 0:
                continue
            if exact:
                new[s] += mass[s] - nothing[s]
                continue
            not_new = Decimal(1)
            for x, p in enumerate(row):
                if p:
                    others = product(state[:x] + state[x + 1 :])
                    given_unseen = others[s] if s < t else Decimal(0)
                    not_new *= 1 - state[x][1] * Decimal(p) * given_unseen / mass[s]
            new[s] += mass[s] * (1 - not_new)
        state = met(state, row)
    return new, read, product(state)


def same(found: np.ndarray, exact: list[Decimal], within: Decimal = Decimal("1e-12")) -> None:
    """Every entry to within a relative error; entries that no double can hold to within the smallest double."""
    assert len(found) == len(exact)
    for f, (value, wanted) in enumerate(zip(found.tolist(), exact, strict=True)):
        if wanted < SMALLEST:
            assert 0 <= value <= 2e-300, (f, value, wanted)
        else:
            assert abs(Decimal(value) / wanted - 1) < within, (f, value, wanted)


@pytest.fixture(autouse=True)
def sixty_digits():
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        yield


#: Whatever a probability may be, the smallest double and the last one below 1 included.
anything = st.one_of(PROBABILITIES, st.sampled_from([5e-324, 1e-308, 1e-160, 1e-17, 1 - 2**-53, 1.0]), st.floats(0, 1))


@st.composite
def matrices(draw, ranks=12, targets=7):
    shape = draw(st.integers(1, ranks)), draw(st.integers(1, targets))
    share = draw(st.sampled_from([0.15, 0.5, 1.0]))
    kept = draw(st.lists(st.floats(0, 1), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    values = draw(st.lists(anything, min_size=len(kept), max_size=len(kept)))
    return np.array([v if k <= share else 0.0 for k, v in zip(kept, values, strict=True)]).reshape(shape)


def sparse_reach(seed: int, ranks: int, targets: int, each: int, scale: float = 1.0) -> Reach:
    """Every rank reaches a few targets."""
    rng = np.random.default_rng(seed)
    target = np.concatenate([rng.choice(targets, min(each, targets), replace=False) for _ in range(ranks)])
    rank = np.repeat(np.arange(ranks), min(each, targets))
    return Reach.from_entries(ranks, targets, rank, target, rng.random(len(rank)) * scale)


# --- against the twins -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMS)
@given(matrix=matrices())
def test_laws(name, matrix):
    with form(name):
        found = number_seen(Reach.of(matrix))
    wanted = twin_laws(matrix)
    assert found.shape == (len(wanted), matrix.shape[1] + 1)
    for row, exact in zip(found, wanted, strict=True):
        same(row, exact)


@pytest.mark.parametrize("name", FORMS)
@given(matrix=matrices(), seed=st.integers(0, 2**32 - 1))
def test_weighted_sums_of_laws(name, matrix, seed):
    wanted = twin_laws(matrix)
    weight = np.random.default_rng(seed).random(len(wanted))
    with form(name):
        found = weighted_law(Reach.of(matrix), weight)
    sums = [
        sum((Decimal(w) * row[f] for w, row in zip(weight.tolist(), wanted, strict=True)), Decimal(0))
        for f in range(matrix.shape[1] + 1)
    ]
    same(found, sums)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=40)
@given(matrix=matrices(ranks=8, targets=5))
def test_what_prum_sums(name, exact, matrix):
    with form(name):
        found = consulted(Reach.of(matrix), exact)
    with localcontext() as context:
        context.prec = 400  # the twin forms differences: of numbers that agree in 324 digits, if it comes to that
        twin = twin_consulted(matrix, exact)
    for column, wanted in zip(found, twin, strict=True):
        same(column, wanted)


@pytest.mark.parametrize("name", FORMS)
@given(matrix=matrices(ranks=6, targets=6))
def test_rows_that_have_nothing_to_do_with_each_other(name, matrix):
    reach = Reach.of(matrix)
    order = np.random.default_rng(0).permutation(len(reach.events))
    with form(name):
        found = law(reach.seen[order], reach.unseen[order])
    wanted = twin_laws(matrix)
    for row, event in zip(found, order.tolist(), strict=True):
        same(row, wanted[event])


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("ranks", "targets", "each", "scale"), [(300, 60, 5, 1.0), (200, 80, 3, 1e-3), (64, 30, 30, 1)]
)
def test_every_entry_of_longer_lists(name, ranks, targets, each, scale):
    reach = sparse_reach(ranks, ranks, targets, each, scale)
    with form(name):
        found = number_seen(reach)
    for event, after in enumerate(states(reach.dense())):
        if event % 16 == 0 or event == ranks - 1:
            same(found[event], product(after), Decimal("1e-13"))


@pytest.mark.parametrize("name", FORMS)
def test_a_thousand_targets(name):
    """The last ranks of a long list, every entry; a third of the law cannot be held by doubles at all."""
    reach = sparse_reach(7, 400, 1000, 5, 0.3)
    with form(name):
        last = number_seen(reach)[-1] if name != "numpy" else law(reach.seen[-1:], reach.unseen[-1:])[0]
    *_, after = states(reach.dense())
    same(last, product([(p, q) for p, q in after if p]) + [Decimal(0)] * sum(1 for p, _ in after if not p))


@pytest.mark.parametrize("name", ["tree", "plain"])
def test_errors_that_all_targets_share_do_not_add_up(name):
    """All targets meet the same probabilities at every rank: an error in one of them is made a hundred times."""
    ranks, targets = 700, 100
    rank = np.repeat(np.arange(ranks), targets)
    reach = Reach.from_entries(ranks, targets, rank, np.tile(np.arange(targets), ranks), np.full(len(rank), 1e-3 / 3))
    with form(name):
        last = number_seen(reach)[-1]
    unseen = (1 - Decimal(1e-3 / 3)) ** ranks
    same(last, product([(1 - unseen, unseen)] * targets), Decimal("5e-14"))


# --- the forms against each other ------------------------------------------------------------------------------------


@given(
    st.integers(1, 90), st.integers(1, 70), st.integers(1, 6), st.sampled_from([1e-9, 0.1, 1.0]), st.integers(0, 10**6)
)
def test_all_forms_agree_on_longer_lists(ranks, targets, each, scale, seed):
    found = {}
    for name in FORMS:
        reach = sparse_reach(seed, ranks, targets, each, scale)
        reach.probability[::7] = 1.0  # some surely
        with form(name):
            weight = 1.0 / np.arange(1.0, 1 + len(events(reach)))
            found[name] = [
                number_seen(reach),
                weighted_law(reach, weight),
                *consulted(reach, False),
                *consulted(reach, True),
            ]
    for name in FORMS[1:]:
        for one, other in zip(found["numpy"], found[name], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("exact", [False, True])
def test_prum_as_the_papers_print_it(name, exact):
    with form(name):
        found = bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], exact=exact)
        curve = bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]])
    assert found.round(5).tolist() == ([0.69137, 0.64623] if exact else [0.69137, 0.63561])
    assert curve.round(4).tolist() == [0.8056, 0.7488]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "matrix", [np.zeros((0, 3)), np.zeros((4, 3)), np.zeros((2, 0)), np.zeros((0, 0)), np.ones((1, 1))]
)
def test_lists_and_topics_with_nothing_in_them(name, matrix):
    reach = Reach.of(matrix)
    with form(name):
        new, read, last = consulted(reach, False)
        assert number_seen(reach).shape == (len(reach.events), matrix.shape[1] + 1)
        assert weighted_law(reach, np.ones(len(reach.events))).shape == (matrix.shape[1] + 1,)
    assert read.sum() == matrix.shape[0]
    assert new.sum() == (1 if matrix.any() else 0)
    assert last.sum() == 1


# --- certain topics --------------------------------------------------------------------------------------------------

certain = matrices(ranks=10, targets=6).map(lambda matrix: (matrix > 0.5).astype(float))


@pytest.mark.parametrize("name", FORMS)
@given(matrix=certain)
def test_where_nothing_is_random_nothing_is_computed(name, matrix):
    """0 and 1 only: exact numbers, without a law."""

    def refuse(*_):
        raise AssertionError("a law was computed")

    reach = Reach.of(matrix)
    with form(name), pytest.MonkeyPatch.context() as patch:
        patch.setattr(poisson_binomial, "law", refuse)
        patch.setattr(Reach, "seen", property(refuse))
        if kernels._native is not None:
            patch.setattr(poisson_binomial, "entries", refuse)
        mass = number_seen(reach)
        curve = bp.eprum(matrix)
        found = consulted(reach, False), consulted(reach, True)
    count = [len(np.flatnonzero(matrix[:k].any(axis=0))) for k in reach.events.tolist()]
    assert mass.tolist() == np.eye(matrix.shape[1] + 1)[count].tolist()
    first = {r: k for k, r in reversed([(k, c) for c, k in zip(count, reach.events.tolist(), strict=True)])}
    for r in range(1, matrix.shape[1] + 1):
        ranks = [k for c, k in first.items() if c >= r]
        assert curve[r - 1] == pytest.approx(r / min(ranks) if ranks else 0.0, rel=1e-14)
    for columns, exact in zip(found, (False, True), strict=True):
        for column, wanted in zip(columns, twin_consulted(matrix, exact), strict=True):
            assert column.tolist() == [float(value) for value in wanted]


def test_a_certain_topic_of_any_size_costs_next_to_nothing(monkeypatch):
    """A million ranks, ten thousand targets: the law of it would not fit into memory."""
    for name in ("entries", "law"):  # what both forms begin with
        monkeypatch.delattr(poisson_binomial, name)

    def work(share):
        rng = np.random.default_rng(3)
        ranks, targets, entries = 10**6 // share, 10**4 // share, 10**5 // share
        rank = np.sort(rng.choice(ranks, entries, replace=False))
        reach = Reach(ranks, targets, rank, rng.integers(0, targets, entries), np.ones(entries))
        return lambda: (weighted_law(reach, np.ones(entries)), consulted(reach, False))

    work(1)()
    assert counted_work.calls(work(1)) == counted_work.calls(work(1000))
    assert counted_work.peak(work(1)) < 10 * 8 * 10**5  # ten columns


# --- manners ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tree", "plain"])
def test_the_interpreter_is_free_while_kernels_run(name):
    reach = sparse_reach(1, 4000, 400, 60)
    weight = np.ones(4000)
    bounds: list[float] = []

    def work():
        with form(name):
            while len(bounds) < 4 or bounds[-1] - bounds[-2] < 0.05:
                bounds.append(time.perf_counter())
                for _ in range(1 + len(bounds) // 4):
                    weighted_law(reach, weight)
                bounds.append(time.perf_counter())
                if len(bounds) > 40:
                    break

    if kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    thread = threading.Thread(target=work)
    ticks = []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.0005)
    thread.join()
    begin, end = bounds[-2], bounds[-1]
    inside = [tick for tick in ticks if begin + 0.1 * (end - begin) < tick < end - 0.1 * (end - begin)]
    assert len(inside) >= 3, "nothing else ran while the kernel did"


@pytest.mark.parametrize("name", ["tree", "plain"])
def test_the_same_bits_every_time(name):
    with form(name):
        reach = sparse_reach(5, 200, 150, 4)
        weight = 1.0 / np.arange(1.0, 201.0)
        first = [weighted_law(reach, weight), *consulted(reach, False)]
        for one, other in zip(first, [weighted_law(reach, weight), *consulted(reach, False)], strict=True):
            assert one.tobytes() == other.tobytes()


def test_columns_that_are_not_contiguous_are_taken_too():
    wide = np.zeros((40, 3), dtype=np.int64)
    reach = sparse_reach(2, 20, 9, 2)
    wide[:, 0], wide[:, 1] = reach.rank, reach.target
    odd = Reach(20, 9, wide[:, 0], wide[:, 1], np.repeat(reach.probability, 2)[::2])
    np.testing.assert_array_equal(number_seen(odd), number_seen(reach))
