"""EPRUM section 7: ideal runs degraded by random moves up and down the tree, m = 0 .. 0.9.

    python experiments/degraded_runs.py FOLDER [--out FOLDER]

Prints the mean EPRUM (reader: hierarchy) and MAep for every m, and the two families of curves.
"""

from __future__ import annotations

from _collection import ReaderContext, arguments
from _drawing import curves_svg

import berrypick as bp
from berrypick.analysis.synthetic import degraded, ideal_run

MEASURES = ("EPRUM(user='hierarchy')", "MAep(base='ideal')")


def main() -> None:
    asked = arguments(__doc__ or "")
    world = ReaderContext(asked.collection, asked.topics, asked.seed)
    ideal = ideal_run(world.truth)
    runs = [degraded(ideal, world.collection, m / 10, asked.seed + m) for m in range(10)]
    results = bp.evaluate(world.truth, runs, list(MEASURES), collection=world.collection, curves=True)
    elements = sum(len(topic) for topic in world.truth.topics.values())
    print(
        f"{len(world.texts)} documents, {len(world.truth)} topics, "
        f"{elements} relevant elements, {len(ideal)} ideal ones"
    )
    print("m     EPRUM    MAep     EPRUM@0.25 @0.5   @0.75  @1      ep/gr@0.25 @0.5   @0.75  @1")
    curves = results.curves()
    for run in runs:
        values = results.mean()[run.tag]
        points = [dict(curves[run.tag][measure]["all"]) for measure in MEASURES]
        at = ["  ".join(f"{found[level]:.3f}" for level in (0.25, 0.5, 0.75, 1.0)) for found in points]
        print(f"{run.tag[2:]:<4}  {values[MEASURES[0]]:.4f}   {values[MEASURES[1]]:.4f}   {at[0]}    {at[1]}")
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
        for measure, name, title in zip(MEASURES, ("eprum", "epgr"), ("EPRUM", "ep/gr"), strict=True):
            drawn = {run.tag: curves[run.tag][measure]["all"] for run in runs}
            picture = curves_svg(drawn, f"{title}: ideal runs with elements moved", "recall level", "precision")
            (asked.out / f"degraded-{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
