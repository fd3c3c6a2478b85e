"""Ideal lists in the slow and obvious form, and random candidates to try them on."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

from berrypick.data.arrays import FloatArray
from berrypick.ideal import list_search
from berrypick.ideal.list_problem import Search
from berrypick.ideal.priced import Priced

EXPONENTS = (0.5, 1, 3)
#: Probabilities that make ties, and others.
REACH = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.5, 1.0]) | st.floats(0, 1)


@st.composite
def candidates(draw):
    """Candidates with many ties, with a sure one for every target or not."""
    targets, count = draw(st.integers(1, 5)), draw(st.integers(0, 12))
    numbers = st.lists(REACH, min_size=count * targets, max_size=count * targets)
    others = np.array(draw(numbers), dtype=np.float64).reshape(count, targets)
    return np.vstack([np.eye(targets), others]) if draw(st.booleans()) or not count else others


def in_both_forms(search, listed=0):
    """What a search finds compiled and plain; all sets of so many candidates are listed, and all orders of half of
    them."""
    found = []
    for kernels in ("native", "numpy"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BERRYPICK_KERNELS", kernels)
            patch.setattr(list_search, "MOST_LISTED", listed)
            patch.setattr(list_search, "MOST_ORDERED", listed // 2)
            found.append(search())
    return found


def random_rows(rng, most=8, targets=4, own=0.8):
    """Candidates: usually the targets themselves, and others of several kinds."""
    t = int(rng.integers(1, targets + 1))
    count = int(rng.integers(0, most - t + 1))
    others = rng.random((count, t)) ** rng.choice(EXPONENTS) * (rng.random((count, t)) < rng.choice([0.4, 1]))
    if rng.random() < 0.3:
        others = np.round(others * 4) / 4  # equal and sure ones
    return np.vstack([np.eye(t), others]) if rng.random() < own or not count else others


def reached(gains, seen, wanted):
    """P(gain >= wanted), by listing who has seen what."""
    total = 0.0
    for bits in itertools.product((0, 1), repeat=len(gains)):
        if sum(g for g, b in zip(gains, bits, strict=True) if b) >= wanted:
            total += math.prod(s if b else 1 - s for s, b in zip(seen, bits, strict=True))
    return total


def first_readers(row, outside):
    """Everything that a result can show at once, save nothing: its probability, and what browsing to it costs."""
    for met in itertools.product((0, 1), repeat=len(row)):
        if any(met):
            yield math.prod(q if hit else 1 - q for q, hit in zip(row, met, strict=True)), math.fsum(outside * met)


@dataclass(frozen=True)
class Spent:
    """A list up to some rank, as the definition has it."""

    seen: FloatArray
    paid: FloatArray
    effort: float = 0.0
    reached: float = 0.0
    length: float = 0.0
    inverse: float = 0.0

    @classmethod
    def nothing(cls, gains):
        return cls(np.zeros(len(gains)), np.zeros(len(gains)))

    def append(self, priced, gains, wanted, i):
        paid = self.paid + (1 - self.seen) * priced.rows[i] * priced.outside[i]
        seen = 1 - (1 - self.seen) * (1 - priced.rows[i])
        effort = self.effort + priced.effort[i]
        share = reached(gains, seen, wanted)
        if min(gains) >= wanted:  # reader by reader: who has seen nothing before, and what each sees now
            added = list(first_readers(priced.rows[i], priced.outside[i]))
            nothing = math.prod(1 - self.seen)
            length = self.length + nothing * sum(p * (effort + cost) for p, cost in added)
            inverse = self.inverse + nothing * sum(p / (effort + cost) for p, cost in added)
            return Spent(seen, paid, effort, share, length, inverse)
        spent = effort
        for x in range(len(gains)):
            if seen[x] > 0:
                spent += min(1.0, seen[x] / share if share else 1.0) * paid[x] / seen[x]
        first = share - self.reached
        return Spent(seen, paid, effort, share, self.length + first * spent, self.inverse + first / spent)

    def values(self, gains, wanted):
        """E[ce] (None where the gain is not sure) and E[1/ce]."""
        sure = sum(g for g, s in zip(gains, self.seen, strict=True) if s == 1) >= wanted
        return (self.length if sure else None), self.inverse


def values(priced, gains, wanted, order):
    """E[ce] (None where the gain is not sure) and E[1/ce] of a list."""
    spent = Spent.nothing(gains)
    for i in order:
        spent = spent.append(priced, gains, wanted, i)
    return spent.values(gains, wanted)


def best_values(priced, gains, wanted):
    """The least E[ce] and the largest E[1/ce] of all lists."""
    lengths, inverses = [], []

    def extend(spent, left):
        for i in left:
            longer = spent.append(priced, gains, wanted, i)
            length, inverse = longer.values(gains, wanted)
            lengths.extend([] if length is None else [length])
            inverses.append(inverse)
            extend(longer, left - {i})

    extend(Spent.nothing(gains), frozenset(range(len(priced.rows))))
    return min(lengths, default=None), max(inverses)


def random_case(rng, browsing):
    rows = random_rows(rng, most=5, targets=3)
    t = rows.shape[1]
    gains = [np.ones(t), rng.integers(1, 4, t).astype(float), rng.random(t) + 0.1][rng.integers(3)]
    effort = [np.ones(len(rows)), rng.integers(1, 6, len(rows)).astype(float), rng.random(len(rows)) + 0.1]
    outside = np.where(rows == 1, 0.0, rng.random(rows.shape) * 2) if browsing else np.zeros(rows.shape)
    wanted = float(gains.sum() * rng.choice([0.1, 0.3, 0.5, 0.7, 1]) * (1 - 1e-9))
    return Priced(rows, effort[rng.integers(3)], outside), gains, wanted


def check(priced, gains, wanted, nodes, proved):
    """The list has the value that is stated, is never better than the best, and the bound never worse."""
    least, largest = best_values(priced, gains, wanted)
    (found,) = list_search.search(priced, gains, [wanted], "length", Search(nodes))
    if least is None:
        assert math.isnan(found.value)
    else:
        assert values(priced, gains, wanted, found.order)[0] == pytest.approx(found.value, rel=1e-9)
        assert found.bound <= least * (1 + 1e-9) and found.value >= least * (1 - 1e-9)
        assert not proved or (found.gap == 0 and found.value == pytest.approx(least, rel=1e-9))
    (found,) = list_search.search(priced, gains, [wanted], "inverse", Search(nodes))
    assert values(priced, gains, wanted, found.order)[1] == pytest.approx(found.value, rel=1e-9, abs=1e-300)
    assert found.bound >= largest * (1 - 1e-9) and found.value <= largest * (1 + 1e-9)
    assert not proved or (found.gap == 0 and found.value == pytest.approx(largest, rel=1e-9, abs=1e-300))
