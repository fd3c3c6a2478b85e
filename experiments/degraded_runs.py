"""EPRUM section 7, figure 4: ideal runs whose elements are moved up and down the tree, m = 0 .. 0.9.

    python experiments/degraded_runs.py [FOLDER] [--seeds N] [--out FOLDER]

Assessments have exhaustivity, as those of INEX 2005. Prints EPRUM (user model hierarchy) and ep/gr for every m, with
95% intervals over seeds, and the precision of both at four recall levels.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from _collection import World, arguments, read_world
from _figures import plot, save
from _synthetic import degraded, ideal_run
from scipy.special import stdtrit

import berrypick as bp

MEASURES = ("EPRUM(user='hierarchy',quant='generalised')", "MAep(base='ideal',quant='generalised')")
LEVELS = (0.25, 0.5, 0.7, 0.9)
MOVES = tuple(m / 10 for m in range(10))


def main() -> None:
    given = arguments(__doc__ or "")
    world = read_world(given.collection, given.topics)
    truth = world.exhaustive
    ideal = ideal_run(truth, quant="generalised")
    print(f"{world.describe()}, {len(ideal)} ideal ones; {given.seeds} seeds")
    values, curves = measured(world, given.seeds)
    print("m    EPRUM   +-     ep/gr   +-      EPRUM@0.25  @0.5   @0.7   @0.9    ep/gr@0.25  @0.5   @0.7   @0.9")
    for place, move in enumerate(MOVES):
        both = "   ".join(f"{mean:.3f}  {half:.3f}" for mean, half in map(interval, values[:, place].T))
        at = "      ".join("  ".join(f"{y:.3f}" for y in curves[:, place, which].mean(axis=0)) for which in (0, 1))
        print(f"{move:<4} {both}       {at}")
    if given.out is not None:
        draw(world, given.out)


def measured(world: World, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """seeds x moves x measures: means over topics; and the mean curves at the recall levels."""
    ideal = ideal_run(world.exhaustive, quant="generalised")
    values, curves = [], []
    for seed in range(seeds):
        runs = [degraded(ideal, world.collection, move, 100 * seed + place) for place, move in enumerate(MOVES)]
        results = bp.evaluate(world.exhaustive, runs, list(MEASURES), collection=world.collection, curves=True)
        means, lines = results.mean(), results.curves()
        values.append([[means[run.tag][measure] for measure in MEASURES] for run in runs])
        curves.append([[at_levels(lines[run.tag][measure]["all"]) for measure in MEASURES] for run in runs])
    return np.array(values), np.array(curves)


def at_levels(curve: object) -> list[float]:
    points = dict(curve)
    return [points[level] for level in LEVELS]


def interval(values: np.ndarray) -> tuple[float, float]:
    """Mean and half of the width of its 95% interval (Student); nan with one seed."""
    seeds = len(values)
    if seeds < 2:
        return float(values.mean()), math.nan
    return float(values.mean()), float(-stdtrit(seeds - 1, 0.025) * values.std(ddof=1) / math.sqrt(seeds))


def draw(world: World, folder: Path) -> None:
    ideal = ideal_run(world.exhaustive, quant="generalised")
    runs = [degraded(ideal, world.collection, move, place) for place, move in enumerate(MOVES)]
    truth, files = save(folder / "degraded", world.exhaustive, runs)
    for measure, name in zip(MEASURES, ("eprum", "epgr"), strict=True):
        target = folder / f"degraded-{name}.svg"
        plot(truth, *files, "-m", measure, "--collection", world.collection.source, "--duplicates", "keep", target)


if __name__ == "__main__":
    main()
