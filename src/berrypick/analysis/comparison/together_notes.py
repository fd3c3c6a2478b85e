"""Differences between runs that are smaller than what reach alone leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from berrypick.analysis.comparison.comparison import Pair
from berrypick.data.results import Note
from berrypick.evaluation.proved import Bounded, Proved

#: The most pairs of runs that a note names.
NAMED = 3


def together_notes(pairs: Sequence[Pair], proved: Proved) -> list[Note]:
    """A note for each measure on pairs whose intervals, whatever is seen together, are wider than their difference."""
    found = []
    for measure in proved.measures:
        own = [pair for pair in pairs if pair.measure == measure.text and pair.difference]
        open_ = [text for pair in own if (text := _open(pair, measure, proved))]
        if open_:
            more = f" and {len(open_) - NAMED} more pairs" if len(open_) > NAMED else ""
            text = (
                "whatever readers see together, reach alone proves no more than an interval, which is wider than the "
                f"difference between {', '.join(open_[:NAMED])}{more}; {measure.low.text} and {measure.high.text} are "
                "its ends for each run"
            )
            found.append(Note("together", text, measure=measure.text))
    return found


def _open(pair: Pair, measure: Bounded, proved: Proved) -> str:
    """The pair with its difference and the bounds of it, where these are farther apart than it is from 0; else ''."""
    bounds = proved.difference(measure, pair.run, pair.versus)
    if bounds is None or pair.difference is None or bounds[1] - bounds[0] <= abs(pair.difference):
        return ""
    low, high = bounds
    order = "the order stays" if low * high > 0 else "either may be ahead"
    return f"{pair.run} and {pair.versus} ({pair.difference:+.4f}; from {low:+.4f} to {high:+.4f}, so {order})"
