"""EPRUM section 7: how EPRUM and ep/gr agree over runs and topics, in a focused task.

    python experiments/correlation.py [FOLDER] [--out FOLDER]

48 runs without overlap, assessments with exhaustivity. Pearson's correlation of the two measures over all pairs of run
and topic, over the highest and over the other values, with 95% intervals from resampled topics; Kendall's tau and
tau_AP between the two rankings of the runs, by ``berrypick correlate``.
"""

from __future__ import annotations

import numpy as np
from _collection import arguments, read_world
from _figures import save_results
from _rankers import RANKERS, runs

import berrypick as bp

EPRUM, MAEP = "EPRUM(user='hierarchy',quant='generalised')", "MAep(base='ideal',quant='generalised')"
TOP = 48 / 645  # the share of the values that the paper looks at apart
RESAMPLES = 1000


def main() -> None:
    given = arguments(__doc__ or "")
    world = read_world(given.collection, given.topics)
    systems = list(runs(world, overlap=False, rankers=2 if given.topics else len(RANKERS)))
    results = bp.evaluate(world.exhaustive, systems, [EPRUM, MAEP], collection=world.collection)
    values = table(results)
    print(f"{world.describe()}; {len(systems)} runs without overlap: {values[..., 0].size} pairs of values")
    print("                                 here   95% interval      paper")
    for name, choose, paper in (
        ("Pearson, all pairs", everything, "0.75"),
        ("Pearson, highest 7.4%", highest, "about 0.9"),
        ("Pearson, the others", others, "0.65"),
    ):
        print(f"{name:<30} {shown(values, choose)}   {paper}")
    found = bp.correlate(results)[0]
    for name, one in (("Kendall's tau of the rankings", found.tau), ("tau_AP", found.tau_ap)):
        print(f"{name:<30} {with_interval(one.value, one.low, one.high)}   -")
    if found.reason:
        print(f"undefined: {found.reason}")
    if given.out is not None:
        save_results(results, given.out / "correlation.json")


def table(results: bp.Results) -> np.ndarray:
    """topics x runs x measures."""
    values = results.per_topic()
    topics = results.topics
    return np.array(
        [[[values[run][measure][topic] for measure in (EPRUM, MAEP)] for run in results.runs] for topic in topics],
        dtype=np.float64,
    )


def everything(pairs: np.ndarray) -> np.ndarray:
    return pairs


def highest(pairs: np.ndarray) -> np.ndarray:
    """The pairs with the highest mean of both measures."""
    return pairs[np.argsort(-pairs.sum(axis=1), kind="stable")[: round(TOP * len(pairs))]]


def others(pairs: np.ndarray) -> np.ndarray:
    return pairs[np.argsort(-pairs.sum(axis=1), kind="stable")[round(TOP * len(pairs)) :]]


def pearson(pairs: np.ndarray) -> float | None:
    """None where it is undefined: fewer than three pairs, or a side without spread."""
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if len(pairs) < 3 or (pairs.std(axis=0) <= 1e-12).any():
        return None
    return float(np.corrcoef(pairs.T)[0, 1])


def shown(values: np.ndarray, choose: object) -> str:
    def of(some: np.ndarray) -> float | None:
        return pearson(choose(some.reshape(-1, 2)))

    random = np.random.default_rng(2006)
    draws = [of(values[random.integers(0, len(values), len(values))]) for _ in range(RESAMPLES)]
    known = [value for value in draws if value is not None]
    low, high = np.quantile(known, [0.025, 0.975]) if known else (None, None)
    return with_interval(of(values), low, high)


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "undefined               "
    return f"{value:6.3f}" + ("" if low is None else f"   [{low:6.3f}, {high:6.3f}]")


if __name__ == "__main__":
    main()
