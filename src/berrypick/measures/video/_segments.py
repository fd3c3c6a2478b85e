"""What the video segment measures share (MediaEval search and hyperlinking)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.kernels.intervals import merge
from berrypick.topics.ranked_gains import rows_by_document
from berrypick.topics.topic import JudgedTopic

Segment = tuple[str, int, int]


def results(judged: JudgedTopic, watched: bool = True) -> list[Segment]:
    """(video, start, end) in ranked order, in whole seconds; where all are watched, their lengths must be known."""
    ranking = judged.ranking_spans
    assert ranking.start is not None and ranking.end is not None
    if watched:
        ranking.lengths()
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    start, end = np.floor(ranking.start).astype(np.int64), np.floor(ranking.end).astype(np.int64)
    return list(zip(names, start.tolist(), end.tolist(), strict=True))


def relevant(judged: JudgedTopic, merged: bool) -> dict[str, list[tuple[int, int]]]:
    """Relevant segments by video, in whole seconds; those that touch joined, or all as they are."""
    text = judged.relevant_spans
    start, end = np.floor(text.start).astype(np.int64), np.floor(text.end).astype(np.int64)
    found: dict[str, list[tuple[int, int]]] = {}
    for video, indices in rows_by_document(text.document).items():
        low, high = merge(start[indices], end[indices]) if merged else (start[indices], end[indices])
        found[video] = list(zip(low.tolist(), high.tolist(), strict=True))
    return found


def average_precision(flags: Sequence[bool], total: int) -> float:
    """Precision at each relevant position, added up and divided by what is relevant in all."""
    relevant_so_far = np.cumsum(np.asarray(flags, dtype=np.float64))
    positions = np.flatnonzero(flags)
    return float((relevant_so_far[positions] / (positions + 1)).sum()) / total if total else 0.0
