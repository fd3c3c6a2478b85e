"""EPRUM section 7, figure 4: ideal runs whose elements are moved up and down the tree, m = 0 .. 0.9.

    python experiments/degraded_runs.py [gnome-user-docs | FOLDER] [--seeds N] [--out FOLDER]

Assessments have exhaustivity, as those of INEX 2005. The ideal run has the ideal elements by decreasing idealism, which
is their gain: exhaustivity / 2 times specificity. Prints EPRUM (user model hierarchy), EPRUM with every ideal element
alike (idealism 1) and ep/gr for every m, with 95% intervals over seeds and over topics; then the precision of EPRUM and
ep/gr at four recall levels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _collection import XML_COLLECTIONS, World, arguments, read_world
from _figures import plot, save
from _resampling import table
from _synthetic import degraded, ideal_run
from data import told
from scipy.special import stdtrit

import berrypick as bp

MEASURES = ("EPRUM(user='hierarchy',quant='generalised')", "MAep(base='ideal',quant='generalised')")
LEVELS = (0.25, 0.5, 0.7, 0.9)
MOVES = tuple(m / 10 for m in range(10))
HEADERS = (
    "m     EPRUM  seeds  topics    alike  seeds  topics    ep/gr  seeds  topics",
    "m     EPRUM @0.25   @0.5   @0.7   @0.9    ep/gr @0.25   @0.5   @0.7   @0.9",
)


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, on=XML_COLLECTIONS)
    world = read_world(given)
    print(
        f"{world.describe()}, {len(ideal_run(world.exhaustive, quant='generalised'))} ideal ones; {given.seeds} seeds"
    )
    values, curves = measured(world, given.seeds, "gain")
    alike, _ = measured(world, given.seeds, None)
    print(f"means, and half of the 95% interval over seeds and over topics\n{HEADERS[0]}")
    for place, move in enumerate(MOVES):
        cells = (spread(one[:, place, :, side]) for one, side in ((values, 0), (alike, 0), (values, 1)))
        print(f"{move:<6}{'    '.join(f'{mean:.3f}  {seeds:.3f}   {topics:.3f}' for mean, seeds, topics in cells)}")
    print(f"\nprecision at recall levels\n{HEADERS[1]}")
    for place, move in enumerate(MOVES):
        at = ("  ".join(f"{y:.3f}" for y in curves[:, place, side].mean(axis=0)) for side in (0, 1))
        print(f"{move:<12}{'          '.join(at)}")
    if given.out is not None:
        draw(world, given.out)


def measured(world: World, seeds: int, idealism: str | None) -> tuple[np.ndarray, np.ndarray]:
    """seeds x moves x topics x measures; and at the recall levels, seeds x moves x measures x levels."""
    ideal = ideal_run(world.exhaustive, quant="generalised")
    values, curves = [], []
    for seed in range(seeds):
        runs = [degraded(ideal, world.collection, move, 100 * seed + place) for place, move in enumerate(MOVES)]
        results = bp.evaluate(
            world.exhaustive, runs, list(MEASURES), collection=world.collection, curves=True, idealism=idealism
        )
        lines = results.curves()
        values.append(table(*((results, measure) for measure in MEASURES)).swapaxes(0, 1))
        curves.append([[at_levels(lines[run.tag][measure]["all"]) for measure in MEASURES] for run in runs])
    return np.array(values), np.array(curves)


def at_levels(curve: object) -> list[float]:
    points = dict(curve)
    return [points[level] for level in LEVELS]


def spread(values: np.ndarray) -> tuple[float, float, float]:
    """The mean of seeds x topics, and half of the width of its 95% interval (Student) over either."""
    return float(values.mean()), half_width(values.mean(axis=1)), half_width(values.mean(axis=0))


def half_width(values: np.ndarray) -> float:
    """nan for one value."""
    number = len(values)
    return float(-stdtrit(number - 1, 0.025) * values.std(ddof=1) / math.sqrt(number)) if number > 1 else math.nan


def draw(world: World, folder: Path) -> None:
    ideal = ideal_run(world.exhaustive, quant="generalised")
    runs = [degraded(ideal, world.collection, move, place) for place, move in enumerate(MOVES)]
    truth, files = save(folder / "degraded", world.exhaustive, runs)
    for measure, name in zip(MEASURES, ("eprum", "epgr"), strict=True):
        target = folder / f"degraded-{name}.svg"
        options = ["--idealism", "gain"] if measure.startswith("EPRUM") else []
        inputs = ["--collection", world.collection.source, "--duplicates", "keep"]
        plot(truth, *files, "-m", measure, *inputs, *options, target)


if __name__ == "__main__":
    with told():
        main()
