"""Slow, obvious twins of everything the kernels compute cleverly.

Two ways to be obvious: enumerate every way a reader's coin flips can fall (scenarios), or write the definition with
subsets in exact fractions. Nothing here imports berrypick.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[float]]


# --- scenarios: which rank leads to which target, as independent coins ---------------------------------------------


def scenarios(reach: Matrix) -> Iterator[tuple[float, list[int | None]]]:
    """(probability, rank at which each target is first seen, from 1) for every outcome of all coins."""
    targets = len(reach[0]) if len(reach) else 0
    coins = [(k, x) for k, row in enumerate(reach) for x, p in enumerate(row) if 0 < p < 1]
    sure = {(k, x) for k, row in enumerate(reach) for x, p in enumerate(row) if p == 1}
    for flips in itertools.product([False, True], repeat=len(coins)):
        probability = math.prod(
            reach[k][x] if heads else 1 - reach[k][x] for (k, x), heads in zip(coins, flips, strict=True)
        )
        leads = sure | {coin for coin, heads in zip(coins, flips, strict=True) if heads}
        yield probability, [min((k + 1 for k, y in leads if y == x), default=None) for x in range(targets)]


def rank_of(first_seen: Sequence[int | None], r: int) -> int | None:
    """The rank at which the r-th target is seen: ML_r."""
    ranks = sorted(rank for rank in first_seen if rank is not None)
    return ranks[r - 1] if len(ranks) >= r else None


def expected_inverse(reach: Matrix, r: int) -> float:
    """E[A_r/ML_r]."""
    found = ((p, rank_of(first, r)) for p, first in scenarios(reach))
    return math.fsum(p / k for p, k in found if k is not None)


def expected_length(reach: Matrix, r: int) -> float | None:
    """E[ML_r]; None if some reader never sees r targets."""
    found = [(p, rank_of(first, r)) for p, first in scenarios(reach) if p > 0]
    if any(k is None for _, k in found):
        return None
    return math.fsum(p * k for p, k in found)


def law(reach: Matrix, k: int) -> list[float]:
    """P(F_k = f) for f = 0..t."""
    mass: list[list[float]] = [[] for _ in range(len(reach[0]) + 1)]
    for p, first in scenarios(reach):
        mass[sum(1 for rank in first if rank is not None and rank <= k)].append(p)
    return [math.fsum(values) for values in mass]


def expected_ratio(reach: Matrix, k: int, weight: Sequence[float]) -> float:
    seen = (
        p * w
        for p, first in scenarios(reach)
        for rank, w in zip(first, weight, strict=True)
        if rank is not None and rank <= k
    )
    return math.fsum(seen) / math.fsum(weight)


def prum_exact(reach: Matrix, r: int, targets: int, units: int | None) -> float:
    """E[CL(r)]/E[C(r)] over scenarios, the unranked part by Cooper's formula (appendix A.3)."""
    ranked = len(reach)
    leading, consulted = [], []
    for p, first in scenarios(reach) if ranked else [(1.0, [None] * targets)]:
        last = rank_of(first, r)
        discovering = {rank for rank in first if rank is not None and (last is None or rank <= last)}
        if last is not None:
            leading.append(p * len(discovering))
            consulted.append(p * last)
        elif p > 0:
            assert units is not None
            s = sum(1 for rank in first if rank is not None)
            irrelevant = (units - ranked - (targets - s)) / (targets - s + 1)
            leading.append(p * (len(discovering) + r - s))
            consulted.append(p * (ranked + (r - s) * (1 + irrelevant)))
    return math.fsum(leading) / math.fsum(consulted)


def effort_precision(
    reach: Matrix, gains: Sequence[float], effort: Sequence[float], target_effort: Sequence[float], level: float
) -> float:
    """ce_ideal(gr) x E[1/ce_run(gr)], scenario by scenario."""
    wanted = level * math.fsum(gains) * (1 - 1e-9)
    spent = list(itertools.accumulate(effort))
    inverse = []
    for p, first in scenarios(reach):
        for k in range(1, len(reach) + 1):
            gain = math.fsum(g for g, rank in zip(gains, first, strict=True) if rank is not None and rank <= k)
            if gain >= wanted:
                inverse.append(p / spent[k - 1])
                break
    return ideal_effort(gains, target_effort, wanted) * math.fsum(inverse)


def ideal_effort(gains: Sequence[float], effort: Sequence[float], wanted: float) -> float:
    order = sorted(range(len(gains)), key=lambda x: (-gains[x], effort[x], x))
    spent = gain = 0.0
    for x in order:
        spent, gain = spent + effort[x], gain + gains[x]
        if gain >= wanted:
            break
    return spent


# --- definitions with subsets, in exact fractions --------------------------------------------------------------


def exactly(reach: Matrix) -> list[list[Fraction]]:
    return [[Fraction(p) for p in row] for row in reach]


def seen(reach: Matrix, k: int) -> list[Fraction]:
    """P(x seen after rank k) (equation 1)."""
    rows = exactly(reach)[:k]
    return [1 - math.prod((1 - row[x] for row in rows), start=Fraction(1)) for x in range(len(reach[0]))]


def subset_law(probabilities: Sequence[Fraction], f: int) -> Fraction:
    """P(F = f) as a sum over the subsets of f targets (equation 7)."""
    indices = range(len(probabilities))
    total = Fraction(0)
    for subset in itertools.combinations(indices, f):
        total += math.prod(
            (probabilities[x] if x in subset else 1 - probabilities[x] for x in indices), start=Fraction(1)
        )
    return total


def prum_equation_8(reach: Matrix, r: int, targets: int, units: int | None) -> Fraction:
    """Equation 5 with equation 8, as printed."""
    ranked = len(reach)
    law_after = [
        [subset_law(seen(reach, i) if ranked else [Fraction(0)] * targets, s) for s in range(targets + 1)]
        for i in range(ranked + 1)
    ]
    numerator = denominator = Fraction(0)
    for i in range(1, ranked + 1):
        before, now = seen(reach, i - 1), seen(reach, i)
        for s in range(r):
            p = law_after[i - 1][s]
            if p == 0:
                continue
            nothing_new = Fraction(1)
            for x in range(targets):
                others = [before[y] for y in range(targets) if y != x]
                nothing_new *= 1 - (now[x] - before[x]) * subset_law(others, s) / p
            numerator += p * (1 - nothing_new)
            denominator += p
    for s in range(r):
        p = law_after[ranked][s]
        if p:
            assert units is not None
            unranked = units - ranked
            numerator += p * (r - s)
            denominator += p * (r - s) * (1 + Fraction(unranked - (targets - s), targets - s + 1))
    return numerator / denominator


def raghavan(relevant: Sequence[bool], targets: int, units: int, r: int) -> float:
    """Probability of relevance of a strict ranking followed by an unordered rest (appendix B of PRUM)."""
    found = list(itertools.accumulate(relevant))
    if found and found[-1] >= r:
        return r / (found.index(r) + 1)
    ranked, e = len(relevant), found[-1] if found else 0
    return r / (r + (ranked - e) + (r - e) * (units - ranked - (targets - e)) / (targets - e + 1))


# --- ideal lists ---------------------------------------------------------------------------------------------------


def lists_of(candidates: Matrix) -> Iterator[tuple[int, ...]]:
    """Every order of every non-empty set of candidates."""
    for size in range(1, len(candidates) + 1):
        yield from itertools.permutations(range(len(candidates)), size)


def _tails(candidates: Matrix, order: Sequence[int], r: int) -> list[Fraction]:
    """P(F_k >= r) at the ranks of a list."""
    rows = [candidates[i] for i in order]
    return [
        sum((subset_law(seen(rows, k), f) for f in range(r, len(rows[0]) + 1)), start=Fraction(0))
        for k in range(1, len(rows) + 1)
    ]


def list_length(candidates: Matrix, order: Sequence[int], r: int) -> float | None:
    """E[ML_r] of one list of candidates; None if it does not surely reach r."""
    tails = _tails(candidates, order, r)
    return float(1 + sum(1 - tail for tail in tails)) if tails[-1] == 1 else None


def list_inverse(candidates: Matrix, order: Sequence[int], r: int) -> float:
    """E[A_r/ML_r] of one list of candidates."""
    tails = [Fraction(0), *_tails(candidates, order, r)]
    return float(sum((tails[k] - tails[k - 1]) / k for k in range(1, len(tails))))


def best_length(candidates: Matrix, r: int) -> float | None:
    """The least E[ML_r] over all lists."""
    lengths = [list_length(candidates, order, r) for order in lists_of(candidates)]
    return min((length for length in lengths if length is not None), default=None)


def best_inverse(candidates: Matrix, r: int) -> float:
    """The largest E[A_r/ML_r] over all lists."""
    return max((list_inverse(candidates, order, r) for order in lists_of(candidates)), default=0.0)


# --- a line walked one unit at a time ------------------------------------------------------------------------------


def visit(
    entry: int,
    end: int | None,
    unseen: Sequence[tuple[int, int, int]],
    tau: int,
    keeps_viewing: bool,
    t_init: int,
    seen: Sequence[tuple[int, int]] = (),
    rho: float | None = None,
) -> tuple[set[int], int]:
    """(targets found, units wasted) of one visit, second by second, on whole numbers.

    A second inside what was seen before spends 1/rho of the patience, any other without anything new 1/tau; the first
    t_init of them spend nothing.
    """
    if end is None or entry >= end:
        return set(), 1
    found: set[int] = set()
    stretch_end: int | None = None  # while something relevant is on, where it stops
    free, spent = t_init, Fraction(0)
    position = entry
    while position < end:
        if stretch_end is not None and position >= stretch_end:
            if not keeps_viewing:
                return found, 0
            stretch_end, free, spent = None, 0, Fraction(0)
        here = [(start, stop, x) for start, stop, x in unseen if start <= position < stop and x not in found]
        if here:
            found |= {x for _, _, x in here}
            stretch_end = max([stretch_end or 0, *(stop for _, stop, _ in here)])
        elif stretch_end is None:
            repeated = rho is not None and any(start <= position < stop for start, stop in seen)
            if free:
                free -= 1
            elif not repeated:
                spent += Fraction(1, tau)
            elif rho is not None and rho != math.inf:
                spent += 1 / Fraction(rho)
            if spent >= 1:
                return found, 1
        position += 1
    return found, 0 if stretch_end is not None else 1


def walk(
    entries: Sequence[tuple[str, int]],
    lengths: dict[str, int],
    targets: Sequence[tuple[str, int, int]],
    tau: int,
    keeps_viewing: bool = True,
    t_init: int = 0,
    rho: float | None = None,
) -> tuple[list[set[int]], list[int]]:
    """What each visit finds, and how many targets had been found when each unit was wasted."""
    seen_so_far: set[int] = set()
    per_visit, at_unit = [], []
    for document, entry in entries:
        unseen = [
            (start, stop, x) for x, (d, start, stop) in enumerate(targets) if d == document and x not in seen_so_far
        ]
        seen = [(start, stop) for x, (d, start, stop) in enumerate(targets) if d == document and x in seen_so_far]
        found, wasted = visit(entry, lengths.get(document), unseen, tau, keeps_viewing, t_init, seen, rho)
        seen_so_far |= found
        per_visit.append(found)
        at_unit += [len(seen_so_far)] * wasted
    return per_visit, at_unit


def t2i(at_unit: Sequence[int], found: int, units: int) -> float:
    values = [(at_unit[t - 1] if t <= len(at_unit) else found) / t for t in range(1, units + 1)]
    return math.fsum(values) / units


def search_length(at_unit: Sequence[int], found: int, targets: int, wanted: int, irrelevant: int) -> float:
    """ESL from a walk; ``irrelevant`` is I."""
    j = sum(1 for before in at_unit if before < wanted)
    s = max(0, wanted - found)
    return j + s * max(0, irrelevant - j) / (targets - found + 1)


# --- text as sets of characters ------------------------------------------------------------------------------------


def characters(spans: Sequence[tuple[str, int, int]]) -> set[tuple[str, int]]:
    return {(document, i) for document, start, end in spans for i in range(start, end)}


def covered_share(regions: Sequence[tuple[str, int, int]], target: tuple[str, int, int]) -> float:
    wanted = characters([target])
    return len(wanted & characters(regions)) / len(wanted)


# --- effort with browsing, as printed -----------------------------------------------------------------------------


def browsing_precision(
    reach: Matrix,
    gains: Sequence[float],
    effort: Sequence[float],
    target_effort: Sequence[float],
    outside: Matrix,
    level: float,
) -> float:
    """ce_ideal(gr) x sum_k (P(cg[k-1] < gr) - P(cg[k] < gr)) / ce[k], with the effort of what is browsed to.

    Where any target has the gain, reader by reader: what each has spent at the rank of the first target.
    """
    wanted = level * math.fsum(gains) * (1 - 1e-9)
    outcomes = list(scenarios(reach))
    targets = range(len(gains))
    if min(gains) >= wanted:
        inverse = 0.0
        for p, first in outcomes:
            k = min((rank for rank in first if rank is not None), default=None)
            if k is not None:
                browsed = math.fsum(outside[k - 1][x] for x in targets if first[x] == k)
                inverse += p / (math.fsum(effort[:k]) + browsed)
        return ideal_effort(gains, target_effort, wanted) * inverse

    def reached(k: int) -> float:
        return math.fsum(
            p
            for p, first in outcomes
            if math.fsum(g for g, rank in zip(gains, first, strict=True) if rank is not None and rank <= k) >= wanted
        )

    total = 0.0
    for k in range(1, len(reach) + 1):
        now, before = reached(k), reached(k - 1)
        if now <= 0:
            continue
        spent = math.fsum(effort[:k])
        after = [float(value) for value in seen(reach, k)]
        for x in targets:
            if after[x] > 0:
                grown = [float(seen(reach, j)[x] - seen(reach, j - 1)[x]) for j in range(1, k + 1)]
                mean = math.fsum(d * outside[j][x] for j, d in enumerate(grown)) / after[x]
                spent += min(1.0, after[x] / now) * mean
        total += (now - before) / spent
    return ideal_effort(gains, target_effort, wanted) * total


# --- list items -----------------------------------------------------------------------------------------------------


def item_reach(rows, consider, after, miss, cascade=False):
    """P(target found) in an item of several pointers, by all decisions and all that each pointer may lead to."""
    targets = len(rows[0])
    states = {(True, frozenset()): 1.0}  # whether the reader is still in the item, and what was found
    for position, row in enumerate(rows):
        following = {}
        for (inside, found), p in states.items():
            willing = consider if cascade else consider**position
            chance = 1 if position == 0 else inside * willing * (after if found else miss)
            missed = not cascade, found
            following[missed] = following.get(missed, 0.0) + p * (1 - chance)
            for met in itertools.product((False, True), repeat=targets):
                share = math.prod(q if hit else 1 - q for q, hit in zip(row, met, strict=True))
                more = True, found | {x for x, hit in enumerate(met) if hit}
                following[more] = following.get(more, 0.0) + p * chance * share
        states = following
    return [sum(p for (_, found), p in states.items() if x in found) for x in range(targets)]


def at_least(seen: Sequence[float], number: int) -> float:
    """P(so many targets seen), by who has seen what."""
    return sum(
        math.prod(s if hit else 1 - s for s, hit in zip(seen, met, strict=True))
        for met in itertools.product((False, True), repeat=len(seen))
        if sum(met) >= number
    )


def item_lists(documents: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every list of items: any pointers of one document in any order, each pointer once."""

    def further(left: frozenset[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
        yield ()
        for document in {documents[i] for i in left}:
            own = [i for i in sorted(left) if documents[i] == document]
            for length in range(1, len(own) + 1):
                for item in itertools.permutations(own, length):
                    for rest in further(left - set(item)):
                        yield (item, *rest)

    yield from further(frozenset(range(len(documents))))


def best_item_lists(rows, documents, chances, gains, wanted):
    """For each gain wanted the least E[rank] of any list that surely has it (None: no list), and the largest
    E[1/rank]."""
    known = {}
    least, most = [None] * len(wanted), [0.0] * len(wanted)
    for one in item_lists(documents):
        seen, before = [0.0] * len(gains), [0.0] * len(wanted)
        length, inverse = [0.0] * len(wanted), [0.0] * len(wanted)
        for rank, item in enumerate(one, start=1):
            if item not in known:
                known[item] = item_reach([rows[i] for i in item], *chances)
            seen = [1 - (1 - s) * (1 - p) for s, p in zip(seen, known[item], strict=True)]
            sums = {0.0: 1.0}
            for s, g in zip(seen, gains, strict=True):
                following = {}
                for total, p in sums.items():
                    following[total] = following.get(total, 0.0) + p * (1 - s)
                    following[total + g] = following.get(total + g, 0.0) + p * s
                sums = following
            for n, gain in enumerate(wanted):
                reached = sum(p for total, p in sums.items() if total >= gain)
                length[n] += (reached - before[n]) * rank
                inverse[n] += (reached - before[n]) / rank
                before[n] = reached
        sure = sum(g for s, g in zip(seen, gains, strict=True) if s >= 1 - 1e-15)
        for n, gain in enumerate(wanted):
            if one and sure >= gain:
                least[n] = length[n] if least[n] is None else min(least[n], length[n])
            most[n] = max(most[n], inverse[n])
    return least, most
