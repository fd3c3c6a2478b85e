"""EPRUM section 7: how EPRUM and ep/gr agree over runs and topics, in a focused task.

    python experiments/correlation.py [gnome-user-docs | FOLDER] [--out FOLDER]

48 runs without overlap, assessments with exhaustivity. The idealism of an element is its gain, exhaustivity / 2 times
specificity: the share of readers for whom it is ideal (EPRUM section 3.1). Pearson's correlation of the two measures
over all pairs of run and topic, over the highest and over the other values, and Kendall's tau and tau_AP between the
two rankings of the runs; the same with an idealism of 1 for every ideal element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from _collection import SMALL_RESAMPLES, XML_COLLECTIONS, arguments, read_world
from _figures import save_results
from _rankers import RANKERS, runs
from _resampling import RESAMPLES, Statistic, line, table, tau, top_tau
from data import told

import berrypick as bp

EPRUM, MAEP = "EPRUM(user='hierarchy',quant='generalised')", "MAep(base='ideal',quant='generalised')"
TOP = 48 / 645  # the share of the values that the paper looks at apart


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, on=XML_COLLECTIONS)
    world = read_world(given)
    systems = list(runs(world, overlap=False, rankers=2 if given.small else len(RANKERS)))
    print(
        f"{world.describe()}; {len(systems)} runs without overlap: {len(systems) * len(world.queries)} pairs of values"
    )
    for idealism, name in (("gain", "idealism by gain"), (None, "every ideal element alike")):
        results = bp.evaluate(world.exhaustive, systems, [EPRUM, MAEP], collection=world.collection, idealism=idealism)
        print(f"\n{name:<31}   here   over topics        over topics, runs   paper")
        values = table((results, EPRUM), (results, MAEP))
        for label, statistic, paper in STATISTICS:
            print(f"{label:<31} {line(values, statistic, SMALL_RESAMPLES if given.small else RESAMPLES)}   {paper}")
        if given.out is not None:
            save_results(results, given.out / f"correlation-{idealism or 'alike'}.json")


def pearson(choose: Callable[[np.ndarray], np.ndarray]) -> Statistic:
    """None where it is undefined: fewer than three pairs, or a side without spread."""

    def found(values: np.ndarray) -> float | None:
        pairs = values.reshape(-1, 2)
        pairs = choose(pairs[~np.isnan(pairs).any(axis=1)])
        if len(pairs) < 3 or (pairs.std(axis=0) <= 1e-12).any():
            return None
        return float(np.corrcoef(pairs.T)[0, 1])

    return found


def highest(pairs: np.ndarray) -> np.ndarray:
    """The pairs with the highest mean of both measures."""
    return pairs[np.argsort(-pairs.sum(axis=1), kind="stable")[: round(TOP * len(pairs))]]


def others(pairs: np.ndarray) -> np.ndarray:
    return pairs[np.argsort(-pairs.sum(axis=1), kind="stable")[round(TOP * len(pairs)) :]]


STATISTICS: tuple[tuple[str, Statistic, str], ...] = (
    ("Pearson, all pairs", pearson(lambda pairs: pairs), "0.75"),
    ("Pearson, highest 7.4%", pearson(highest), "about 0.9"),
    ("Pearson, the others", pearson(others), "0.65"),
    ("Kendall's tau of the rankings", tau, "-"),
    ("tau_AP", top_tau, "-"),
)

if __name__ == "__main__":
    with told():
        main()
