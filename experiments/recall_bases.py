"""INEX 2006 measures, section 8: do small elements, and the kind of recall base, change which system wins?

    python experiments/recall_bases.py [gnome-user-docs | FOLDER] [--out FOLDER]

Assessments by specificity, as at INEX 2006. Kendall's tau between rankings of 48 runs, with 95% intervals: all
assessments against those without small inline elements (table 1: nxCG on runs without overlap, MAep on thorough ones),
and the ideal against the full recall base (table 2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from _collection import SMALL_RESAMPLES, XML_COLLECTIONS, World, arguments, read_world
from _figures import save_results
from _rankers import RANKERS, runs
from _resampling import RESAMPLES, line, table, tau
from data import told

import berrypick as bp
from berrypick.data import paths

RANKS = (5, 10, 25, 50)
FOCUSED = [f"nxCG@{k}" for k in RANKS]
FULL = [f"nxCG(base='full')@{k}" for k in RANKS]
TABLE_1 = {"nxCG@5": 0.929, "nxCG@10": 0.933, "nxCG@25": 0.899, "nxCG@50": 0.875, "MAep": 0.948}
TABLE_2 = {"nxCG@5": 0.819, "nxCG@10": 0.803, "nxCG@25": 0.845, "nxCG@50": 0.842}


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, on=XML_COLLECTIONS)
    world = read_world(given)
    rankers = 2 if given.small else len(RANKERS)
    resamples = SMALL_RESAMPLES if given.small else RESAMPLES
    focused = list(runs(world, overlap=False, rankers=rankers))
    thorough = list(runs(world, overlap=True, rankers=rankers))
    small = ",".join(sorted(world.small_names))
    print(f"{world.describe()}; {len(focused)} runs; Kendall's tau between their rankings")
    print(f"{share_of_small(world):.0%} of the elements whose text is all relevant are small ones: {small}")

    def evaluated(systems: list[bp.Run], measures: list[str], ignored: str | None = None) -> bp.Results:
        return bp.evaluate(world.specific, systems, measures, collection=world.collection, ignore_elements=ignored)

    everything = bp.concat(evaluated(focused, [*FOCUSED, *FULL]), evaluated(thorough, ["MAep"]))
    filtered = bp.concat(evaluated(focused, FOCUSED, small), evaluated(thorough, ["MAep"], small))
    print("\nall assessments, without small ones   here   over topics        over topics, runs   paper")
    for measure, paper in TABLE_1.items():
        values = table((everything, measure), (filtered, measure))
        print(f"{measure:<36} {line(values, tau, resamples)}   {paper:.3f}")
    print("\nideal recall base, full recall base   here   over topics        over topics, runs   paper")
    for measure, full in zip(FOCUSED, FULL, strict=True):
        values = table((everything, measure), (everything, full))
        print(f"{measure:<36} {line(values, tau, resamples)}   {TABLE_2[measure]:.3f}")
    if given.out is not None:
        save_results(everything, given.out / "all.json")
        save_results(filtered, given.out / "filtered.json")


def share_of_small(world: World) -> float:
    """Of the elements with specificity 1, the share of small ones (18% link elements at INEX 2006)."""
    found = [
        paths.element_name(path) in world.small_names
        for topic in world.specific.topics.values()
        for path, value in zip(
            topic.path or (), topic.specificity if topic.specificity is not None else (), strict=True
        )
        if value >= 1 - 1e-12
    ]
    return float(np.mean(found)) if found else 0.0


if __name__ == "__main__":
    with told():
        main()
