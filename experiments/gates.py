"""Simulated gates: the power at the detectable drop, false "worse", and how far useless edits inflate a score.

    python experiments/gates.py [--seeds N]

Hits: 0/1 values of rate 0.6; an edit draws a fifth of them again, so no edit changes the true mean. Scores: uniform
values; an edit adds normal noise. Clusters: three topics each, which have one value and change together. The gate is
that of ``berrypick compare``: the paired randomisation test at 0.05. A dash: more than half of the gates print no drop.
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

ALPHA, RATE, EDITED, EDITS, CLUSTER = 0.05, 0.6, 0.2, 100, 3
Edit = Callable[[FloatArray, np.random.Generator], FloatArray]


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


def false_worse(topics: int, runs: int, edit: Edit, cluster: int = 1, seed: int = 0) -> float:
    """How often the gate calls a useless edit worse."""
    random, count = np.random.default_rng([seed, 1, topics, *_stream(cluster)]), 0
    for _ in range(runs):
        base, new = _pair(edit, topics, cluster, random)
        count += _is_worse(new - base, cluster)
    return count / runs


def power(topics: int, runs: int, edit: Edit, cluster: int = 1, seed: int = 0) -> float:
    """How often the gate reports a drop of the size that it printed, on other topics; nan if it rarely prints one."""
    random = np.random.default_rng([seed, 2, topics, *_stream(cluster)])
    chances = []
    for _ in range(runs):
        base, new = _pair(edit, topics, cluster, random)
        of = None if cluster == 1 else np.arange(len(base)) // cluster
        drop = Sight(new, base, GateTest(ALPHA), of).smallest().drop
        if drop is None:
            continue
        reported = 0
        for _ in range(20):
            base, new = _pair(edit, topics, cluster, random)
            if edit is useless_edit:
                new = np.where(random.random(len(new)) < drop / RATE, 0.0, new)
            else:
                new = new - drop
            reported += _is_worse(new - base, cluster)
        chances.append(reported / 20)
    return float(np.mean(chances)) if 2 * len(chances) >= runs else float("nan")


def _stream(cluster: int) -> list[int]:
    """What tells the random numbers of clusters from those of topics."""
    return [] if cluster == 1 else [cluster]


def _pair(edit: Edit, topics: int, cluster: int, random: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """The values of the baseline and of an edit of it."""
    units = topics // cluster
    base = (random.random(units) < RATE).astype(float) if edit is useless_edit else random.random(units)
    return np.repeat(base, cluster), np.repeat(edit(base, random), cluster)


def _is_worse(differences: FloatArray, cluster: int) -> bool:
    if cluster > 1:
        differences = differences.reshape(-1, cluster).sum(axis=1)
    return bool(differences.mean() < 0 and p_value(differences) <= ALPHA)


def price(look: int) -> int:
    """Wins without a loss that a claim of "better" needs."""
    return next(wins for wins in range(1, 100) if 2.0 ** (1 - wins) <= level_of(look, ALPHA))


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=1000)
    runs, counts = given.seeds, (30,) if given.small else (30, 100, 300)
    edits = {"hits": (useless_edit, 1), "scores": (noisy_scores, 1),
             "hit clusters": (useless_edit, CLUSTER), "score clusters": (noisy_scores, CLUSTER)}  # fmt: skip
    rows: dict[str, Callable[[int], float]] = {
        "inflation, no ledger": lambda topics: inflation(topics, runs, ledger=False),
        "inflation, with a ledger": lambda topics: inflation(topics, runs, ledger=True),
        **{f"worse, {name}": partial(false_worse, runs=10 * runs, edit=edit, cluster=cluster)
           for name, (edit, cluster) in edits.items()},
        **{f"power, {name}": partial(power, runs=max(2, runs // 10), edit=edit, cluster=cluster)
           for name, (edit, cluster) in edits.items()},
    }  # fmt: skip
    table(f"after {EDITS} useless edits, and for one; {runs} simulations", "topics", counts,
          ((name, [of(topics) for topics in counts]) for name, of in rows.items()))  # fmt: skip
    print("\nwins without a loss that better needs: " + ", ".join(f"look {k}: {price(k)}" for k in (1, 10, 100)))


if __name__ == "__main__":
    with told():
        main()
