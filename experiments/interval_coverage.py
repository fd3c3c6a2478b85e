"""How often the intervals of ``correlate`` and ``stability`` hold what they should.

    python experiments/interval_coverage.py [--seeds N]

Runs are drawn with true means, topics with difficulties and differences of their own; N sets of topics, with a 95%
interval each. Counted: intervals that hold the tau of the true means, and the expected discriminative power.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from _collection import arguments
from data import told

import berrypick as bp
from berrypick.data.results import ALL, MeasureInfo, Results, Row
from berrypick.data.signature import Signature
from berrypick.statistics.discrimination import achieved_levels
from berrypick.statistics.rank_correlation import kendall_tau

#: (runs, topics, spread of the true means, correlation of the true means under the two measures)
CASES = (
    (8, 30, 0.5, 0.9), (40, 50, 0.5, 0.9), (18, 472, 0.1, 0.9), (20, 50, 0.3, 0.95), (40, 30, 0.2, 0.9),
)  # fmt: skip
POWER_CASES = ((10, 50, 0.2), (20, 50, 0.4), (8, 30, 0.3), (4, 100, 0.2))


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=200)
    random = np.random.default_rng(1)
    print(f"95% intervals that hold the truth, of {given.seeds}")
    print("tau: runs  topics  spread   held   mean tau  true tau")
    for runs, topics, spread, agreement in CASES[: 1 if given.small else None]:
        print(tau_line(random, given.seeds, runs, topics, spread, agreement), flush=True)
    print("discriminative power: runs  topics  spread   held   expected")
    for runs, topics, spread in POWER_CASES[: 1 if given.small else None]:
        print(power_line(random, max(2, given.seeds // 10), runs, topics, spread), flush=True)


def tau_line(random: np.random.Generator, seeds: int, runs: int, topics: int, spread: float, agreement: float) -> str:
    held, found, truth = 0, [], []
    for _ in range(seeds):
        one = random.normal(0, spread, runs)
        other = agreement * one + np.sqrt(1 - agreement**2) * random.normal(0, spread, runs)
        difficulty, noise = random.normal(size=(topics, 1)), random.normal(size=(topics, runs))
        first = one + difficulty + noise
        second = other + difficulty + 0.8 * noise + 0.6 * random.normal(size=(topics, runs))
        pair = bp.correlate(as_results(A=first, B=second), resamples=400)[0]
        true = float(kendall_tau(one[None], other[None])[0])
        held += pair.tau.low <= true <= pair.tau.high
        found.append(pair.tau.value)
        truth.append(true)
    return f"     {runs:4}  {topics:6}  {spread:6}   {held / seeds:.3f}  {np.mean(found):.3f}     {np.mean(truth):.3f}"


def power_line(random: np.random.Generator, seeds: int, runs: int, topics: int, spread: float) -> str:
    means, load = random.normal(0, spread, runs), 0.7 * random.normal(size=(3, runs))

    def drawn() -> np.ndarray:
        common = random.normal(size=(topics, 1)) + random.normal(size=(topics, 3)) @ load
        made: np.ndarray = means + common + 0.7 * random.normal(size=(topics, runs))
        return made

    first, second = np.triu_indices(runs, 1)

    def share(values: np.ndarray) -> float:
        levels = achieved_levels(values[:, first] - values[:, second], resamples=200, seed=0)
        return float((levels <= 0.05).mean())

    expected = float(np.mean([share(drawn()) for _ in range(20 * seeds)]))
    held = 0
    for _ in range(seeds):
        power = bp.stability(as_results(A=drawn()), resamples=200, splits=1)["A"].power
        held += power.low <= expected <= power.high
    return f"                      {runs:4}  {topics:6}  {spread:6}   {held / seeds:.3f}  {expected:.3f}"


def as_results(**tables: np.ndarray) -> Results:
    """Tables of topics x runs as results of measures."""
    signature = Signature("made", (("version", "0"),))
    rows = [
        Row(f"r{run}", str(topic), name, float(value), signature)
        for name, table in tables.items()
        for (topic, run), value in np.ndenumerate(table)
    ]
    means = [
        Row(f"r{run}", ALL, name, float(table[:, run].mean()), signature)
        for name, table in tables.items()
        for run in range(table.shape[1])
    ]
    return Results(rows, means, (), {name: MeasureInfo(name) for name in tables})


if __name__ == "__main__":
    with told():
        main()
