"""Notes on the intervals of a comparison: where there is none, and where they hold the mean less often than they say.

The figures are simulated: ``tests/statistics/test_coverage.py`` fails where one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from berrypick.analysis.comparison.comparison import Estimate, Method, Pair
from berrypick.data.results import Note
from berrypick.data.words import counted
from berrypick.evaluation.notes import some
from berrypick.statistics.intervals import EQUAL, FEW, INTERVALS, STUDENTISED

#: Below so many topics the bootstrap intervals are known to be too narrow.
FEW_TOPICS = 10
#: How many of 100 expanded 95% intervals hold the mean of scores over so many topics.
HELD = {2: 50, 3: 73, 4: 85, 5: 91, 6: 92, 7: 93, 8: 93, 9: 94}
#: How many hold the mean difference where so many topics differ.
HELD_DIFFERING = {1: 50, 2: 75, 3: 84, 4: 88}
#: How many studentised ones hold the mean of costs with zeros over up to so many topics.
HELD_COSTS = {5: 85, 10: 89, 24: 92}


def interval_notes(
    estimates: Sequence[Estimate], units: Sequence[int], pairs: Sequence[Pair], method: Method
) -> Iterator[Note]:
    """Notes on estimates, over so many topics or clusters each, and on pairs."""
    simulated = method.interval == "expanded" and method.confidence == 0.95
    percent, unit = f"{100 * method.confidence:.4g}%", "cluster" if method.cluster else "topic"
    drawn = [n for one, n in zip(estimates, units, strict=True) if one.interval in (*INTERVALS, FEW)]
    fewest = min(drawn, default=FEW_TOPICS)
    if fewest < FEW_TOPICS:
        text = f"some means are over {counted(fewest, unit)}; with fewer than {FEW_TOPICS} {unit}s, {percent} "
        text += "intervals are too narrow"
        held = HELD.get(fewest) if simulated else None
        yield Note("few topics", text if held is None else f"{text}: over {fewest}, about {held} of 100 hold the mean")
    for measure in dict.fromkeys(one.measure for one in estimates):
        yield from _without(measure, estimates, pairs)
        if simulated:
            costs = [n for one, n in zip(estimates, units, strict=True)
                     if one.measure == measure and one.interval == STUDENTISED]  # fmt: skip
            yield from _narrow_costs(measure, costs, percent, unit)
            yield from _narrow_differences(measure, pairs, percent)


def _without(measure: str, estimates: Sequence[Estimate], pairs: Sequence[Pair]) -> Iterator[Note]:
    """Values that are all equal have no interval."""
    runs = [one.run for one in estimates if one.measure == measure and one.interval == EQUAL]
    if runs:
        text = f"no interval where all topics have the same value: {some(runs, 5)}"
        yield Note("no interval", text, measure=measure)
    equal = [one for one in pairs if one.measure == measure and one.interval == EQUAL]
    if equal:
        text = f"no interval where all topics differ alike: {named_pairs(equal)}"
        yield Note("no interval", text, measure=measure)


def _narrow_costs(measure: str, units: Sequence[int], percent: str, unit: str) -> Iterator[Note]:
    fewest = min(units, default=0)
    held = next((share for most, share in HELD_COSTS.items() if 0 < fewest <= most), None)
    if held is not None:
        text = f"{percent} intervals of costs with zeros, or far from log-normal, are too narrow: over "
        text += f"{counted(fewest, unit)}, about {held} of 100 hold the mean"
        yield Note("narrow interval", text, measure=measure)


def _narrow_differences(measure: str, pairs: Sequence[Pair], percent: str) -> Iterator[Note]:
    found = [one for one in pairs if one.measure == measure and one.interval in INTERVALS and one.topics >= FEW_TOPICS]
    found = [one for one in found if one.wins + one.losses in HELD_DIFFERING]
    if found:
        fewest = min(one.wins + one.losses for one in found)
        text = f"{percent} intervals of differences are too narrow where few topics differ (with {fewest}, about "
        text += f"{HELD_DIFFERING[fewest]} of 100 hold the difference): {named_pairs(found)}"
        yield Note("narrow interval", text, measure=measure)


def named_pairs(pairs: Sequence[Pair]) -> str:
    """The first pairs, and how many more there are."""
    more = f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else ""
    return ", ".join(f"{pair.run} and {pair.versus}" for pair in pairs[:3]) + more
