"""What simulated readers get of EPRUM."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.reader_sessions import ReaderSessions, sorted_rows, weighted_inverse
from berrypick.topics.topic import JudgedTopic

if TYPE_CHECKING:
    from berrypick.measures.readers.eprum import EPRUM


def reader_values(measure: EPRUM, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
    """Give a reader who sees the r-th target at rank k E[ML*_r]/k; readers differ in what is ideal for them."""
    levels = _reader_weights(measure, judged)
    if len(levels) == 1 and levels[0][1] is not None:
        return ReaderValues.of(_worth_of(measure, sessions.first, sessions.ordered, levels[0][1]))
    found, counts = np.zeros(sessions.count), np.zeros(sessions.count)
    for place, (ideal, worth) in enumerate(levels):
        if worth is not None:
            who = sessions.level == place
            first = sessions.first[np.ix_(ideal, who)]
            found[who], counts[who] = _worth_of(measure, first, sorted_rows(first), worth), 1.0
    return ReaderValues.of(found, counts)


def _worth_of(measure: EPRUM, first: FloatArray, ordered: FloatArray, worth: FloatArray) -> FloatArray:
    if measure.rank is not None:
        return worth[(first <= measure.rank).sum(axis=0)] / measure.rank
    return weighted_inverse(worth, ordered)


@lru_cache(maxsize=8)
def _reader_weights(measure: EPRUM, judged: JudgedTopic) -> list[tuple[BoolArray, FloatArray | None]]:
    """By satisfaction level: what is ideal, and what a reader's 1/rank at each recall value is worth.

    With rank= it is E[ML*_f] for f = 0, 1 .. instead. None for levels that do not count.
    """
    found: list[tuple[BoolArray, FloatArray | None]] = []
    for _, ideal, reach in judged.levels:
        if measure.r is not None and measure.r > reach.targets:
            found.append((ideal, None))
            continue
        best = measure.ideal_lists(judged, ideal, reach).ideal
        wanted = np.array(measure.recall_values(reach.targets)) - 1
        worth = np.zeros(reach.targets)
        worth[wanted] = (best.length[wanted] if measure.norm == "product" else 1.0 / best.inverse[wanted]) / len(wanted)
        found.append((ideal, worth if measure.rank is None else np.concatenate([[0.0], best.length])))
    return found
