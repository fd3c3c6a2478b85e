"""Notes on differences whose sign depends on what readers see together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from berrypick.analysis.comparison.comparison import Pair
from berrypick.analysis.dependence import TopicEnds, dependence_bounds
from berrypick.data.errors import option
from berrypick.data.results import Note
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import Proved
from berrypick.statistics.topic_values import TIE

#: The most pairs of runs that a note names.
NAMED = 3


def together_notes(pairs: Sequence[Pair], proved: Proved, evaluation: Evaluation) -> list[Note]:
    """A note for each measure on the pairs whose bounds over all joint distributions are wider than the difference."""
    known = {one.text: one for one in proved.measures}
    differing = [pair for pair in pairs if pair.measure in known and pair.difference]
    wide = [
        pair for pair in differing if _is_wide(pair, proved.differences(known[pair.measure], pair.run, pair.versus))
    ]
    ends = dependence_bounds(evaluation, proved, [(pair.measure, pair.run, pair.versus) for pair in wide])
    found = []
    for measure in proved.measures:
        own = [(pair, ends[pair.measure, pair.run, pair.versus]) for pair in wide if pair.measure == measure.text]
        said = [_sentence(pair, of_topics) for pair, of_topics in own if _is_wide(pair, of_topics)]
        if said:
            more = f" and {len(said) - NAMED} more pairs" if len(said) > NAMED else ""
            text = (
                f"without assuming independence, differences are known as intervals only: {'; '.join(said[:NAMED])}"
                f"{more}. {measure.low.text} and {measure.high.text} bound each run; "
                f"{option('assumptions', True)} shows all pairs"
            )
            found.append(Note("together", text, measure=measure.text))
    return found


def mean_ends(ends: TopicEnds) -> tuple[float, float] | None:
    """Bounds of the mean difference; None without any topic."""
    if not ends:
        return None
    low, high = (math.fsum(one[side] for one in ends.values()) / len(ends) for side in (0, 1))
    return low, high


def _is_wide(pair: Pair, ends: TopicEnds) -> bool:
    mean = mean_ends(ends)
    return mean is not None and pair.difference is not None and mean[1] - mean[0] > abs(pair.difference)


def _sentence(pair: Pair, ends: TopicEnds) -> str:
    mean = mean_ends(ends)
    assert mean is not None
    low, high = mean
    if low > TIE or high < -TIE:
        order = "the order stays"
    elif low >= -TIE or high <= TIE:
        order = f"{pair.run if (low >= -TIE) == pair.higher_is_better else pair.versus} is never behind"
    else:
        order = "not proved"
    return f"{pair.run} minus {pair.versus} {pair.difference:+.4f}, from {low:+.4f} to {high:+.4f} ({order})"
