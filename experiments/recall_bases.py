"""INEX 2006 measures, section 8: do small elements, and the kind of recall base, change which system wins?

    python experiments/recall_bases.py [FOLDER] [--out FOLDER]

Assessments by specificity, as at INEX 2006. Kendall's tau between rankings of 48 runs, with 95% intervals over topics:
all assessments against those without small inline elements (table 1: nxCG on runs without overlap, MAep on thorough
ones), and the ideal against the full recall base (table 2).
"""

from __future__ import annotations

import numpy as np
from _collection import World, arguments, read_world
from _figures import save_results
from _rankers import RANKERS, runs

import berrypick as bp
from berrypick.core import paths

RANKS = (5, 10, 25, 50)
FOCUSED = [f"nxCG@{k}" for k in RANKS]
FULL = [f"nxCG(base='full')@{k}" for k in RANKS]
TABLE_1 = {"nxCG@5": 0.929, "nxCG@10": 0.933, "nxCG@25": 0.899, "nxCG@50": 0.875, "MAep": 0.948}
TABLE_2 = {"nxCG@5": 0.819, "nxCG@10": 0.803, "nxCG@25": 0.845, "nxCG@50": 0.842}


def main() -> None:
    given = arguments(__doc__ or "")
    world = read_world(given.collection, given.topics)
    rankers = 2 if given.topics else len(RANKERS)
    focused = list(runs(world, overlap=False, rankers=rankers))
    thorough = list(runs(world, overlap=True, rankers=rankers))
    small = ",".join(sorted(world.small_names))
    print(f"{world.describe()}; {len(focused)} runs; Kendall's tau between their rankings")
    print(f"{share_of_small(world):.0%} of the elements whose text is all relevant are small ones: {small}")

    def evaluated(systems: list[bp.Run], measures: list[str], ignored: str | None = None) -> bp.Results:
        return bp.evaluate(world.specific, systems, measures, collection=world.collection, ignore_elements=ignored)

    everything = bp.concat(evaluated(focused, [*FOCUSED, *FULL]), evaluated(thorough, ["MAep"]))
    filtered = bp.concat(evaluated(focused, FOCUSED, small), evaluated(thorough, ["MAep"], small))
    print("all assessments against those without small elements     here   95% interval     tau_AP   paper")
    for pair in bp.correlate({"all": everything, "filtered": filtered}).pairs:
        print(line(pair, TABLE_1))
    print("ideal recall base against full recall base               here   95% interval     tau_AP   paper")
    for measure, full in zip(FOCUSED, FULL, strict=True):
        print(line(bp.correlate(everything, measures=[measure, full])[0], TABLE_2))
    if given.out is not None:
        save_results(everything, given.out / "all.json")
        save_results(filtered, given.out / "filtered.json")


def line(pair: object, paper: dict[str, float]) -> str:
    tau, top, measure = pair.tau, pair.tau_ap, pair.measure
    if tau.value is None:
        return f"  {measure:<50}  undefined: {pair.reason}"
    bounds = "" if tau.low is None else f"[{tau.low:6.3f}, {tau.high:6.3f}]"
    return f"  {measure:<52} {tau.value:6.3f}   {bounds:<17} {top.value:6.3f}    {paper[measure]:.3f}"


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
    main()
