"""Simulated gates: the power at the detectable drop, false "worse", and how far useless edits inflate a score.

    python experiments/gates.py [--seeds N]

Hits: 0/1 values of rate 0.6; an edit draws a fifth of them again, so no edit changes the true mean. Scores: uniform
values; an edit adds normal noise. The gate is that of ``berrypick compare``: the paired randomisation test at 0.05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
from _collection import arguments
from data import told
from mean_coverage import table

from berrypick.analysis.comparison.detectable import GateTest, Sight
from berrypick.analysis.ledger.looks import level_of
from berrypick.data.arrays import FloatArray
from berrypick.statistics import statistics

ALPHA, RATE, EDITED, EDITS = 0.05, 0.6, 0.2, 100


def p_value(differences: FloatArray) -> float:
    """The p-value of the gate; hits are counted exactly."""
    if np.isin(differences, (-1.0, 0.0, 1.0)).all():
        return sign_p(int((differences > 0).sum()), int((differences < 0).sum()))
    return float(statistics.randomisation_test(differences[:, None], resamples=2000, seed=0)[0][0])


@cache
def sign_p(wins: int, losses: int) -> float:
    """The p-value of hits, whose sign changes are throws of a coin."""
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def useless_edit(hits: FloatArray, random: np.random.Generator) -> FloatArray:
    """Draw a fifth of the hits again."""
    again = random.random(len(hits)) < EDITED
    return np.where(again, random.random(len(hits)) < RATE, hits).astype(float)


def noisy_scores(scores: FloatArray, random: np.random.Generator) -> FloatArray:
    """Add noise, the mean stays."""
    return scores + random.normal(0.0, 0.15, len(scores))


def inflation(topics: int, runs: int, ledger: bool, seed: int = 0) -> float:
    """By how much the score of the system that is kept after 100 useless edits exceeds its true mean."""
    random = np.random.default_rng([seed, topics])
    found = []
    for _ in range(runs):
        kept = (random.random(topics) < RATE).astype(float)
        first = kept
        for look in range(1, EDITS + 1):
            edited = useless_edit(kept, random)
            better = edited.mean() > kept.mean()
            if better and (not ledger or p_value(edited - kept) <= level_of(look, ALPHA)):
                kept = edited
        found.append(kept.mean() - RATE)
        assert ledger or kept.mean() >= first.mean()
    return float(np.mean(found))


def false_worse(topics: int, runs: int, edit: Callable[..., FloatArray], seed: int = 0) -> float:
    """How often the gate calls a useless edit worse."""
    random, count = np.random.default_rng([seed, 1, topics]), 0
    for _ in range(runs):
        base = _drawn(edit, topics, random)
        differences = edit(base, random) - base
        count += bool(differences.mean() < 0 and p_value(differences) <= ALPHA)
    return count / runs


def power(topics: int, runs: int, edit: Callable[..., FloatArray], seed: int = 0) -> float:
    """How often the gate reports a drop of the size that it printed, on other topics."""
    random = np.random.default_rng([seed, 2, topics])
    chances = []
    for _ in range(runs):
        base = _drawn(edit, topics, random)
        drop = Sight(edit(base, random), base, GateTest(ALPHA)).smallest().drop
        if drop is None:
            continue
        reported = 0
        for _ in range(20):
            base = _drawn(edit, topics, random)
            new = edit(base, random)
            if edit is useless_edit:
                new = np.where(random.random(topics) < drop / RATE, 0.0, new)
            else:
                new = new - drop
            differences = new - base
            reported += bool(differences.mean() < 0 and p_value(differences) <= ALPHA)
        chances.append(reported / 20)
    return float(np.mean(chances))


def _drawn(edit: Callable[..., FloatArray], topics: int, random: np.random.Generator) -> FloatArray:
    return (random.random(topics) < RATE).astype(float) if edit is useless_edit else random.random(topics)


def price(look: int) -> int:
    """Wins without a loss that a claim of "better" needs."""
    return next(wins for wins in range(1, 100) if 2.0 ** (1 - wins) <= level_of(look, ALPHA))


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=150)
    runs, counts = given.seeds, (30,) if given.small else (30, 100, 300)
    both = (useless_edit, noisy_scores)
    rows: dict[str, Callable[[int], float]] = {
        "inflation, no ledger": lambda topics: inflation(topics, runs, ledger=False),
        "inflation, with a ledger": lambda topics: inflation(topics, runs, ledger=True),
        **{f"false worse, {name}": partial(false_worse, runs=10 * runs, edit=edit)
           for name, edit in zip(("hits", "scores"), both, strict=True)},
        **{f"power at the drop, {name}": partial(power, runs=max(2, runs // 4), edit=edit)
           for name, edit in zip(("hits", "scores"), both, strict=True)},
    }  # fmt: skip
    table(f"after {EDITS} useless edits, and for one; {runs} simulations", "topics", counts,
          ((name, [of(topics) for topics in counts]) for name, of in rows.items()))  # fmt: skip
    print("\nwins without a loss that better needs: " + ", ".join(f"look {k}: {price(k)}" for k in (1, 10, 100)))


if __name__ == "__main__":
    with told():
        main()
