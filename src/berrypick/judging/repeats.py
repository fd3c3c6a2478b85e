"""Pointers that stand twice in the list of a topic."""

from __future__ import annotations

import numpy as np

from berrypick.core.arrays import BoolArray
from berrypick.core.run import Ranking, Run, repeated_pointers
from berrypick.kernels import native


def repeats_of(run: Run) -> dict[str, BoolArray]:
    """For each topic whose list points to something twice: which pointers occur earlier in the list too."""
    kept: dict[str, dict[str, BoolArray]] = vars(run)  # beside the run's own values: found once
    if "_repeats" not in kept:
        found: dict[str, BoolArray] = {}
        for i in np.flatnonzero(_suspects(run)).tolist():
            repeated, _ = repeated_pointers(run.ranking(run.topics[i]))
            if repeated.any():
                found[run.topics[i]] = repeated
        kept["_repeats"] = found
    return kept["_repeats"]


def _suspects(run: Run) -> BoolArray:
    """Topics that may point to something twice; all others surely do not."""
    compiled, names = native(), run.uncoded
    out = np.empty(len(run.topics), dtype=bool)
    if compiled is not None and names is not None:
        compiled.repeated_names(run.bounds, names.column, names.places[0], out)  # rows move within their topic
        return out
    if compiled is None or run.path is not None:
        return np.array([_may_repeat(ranking) for _, ranking in run.rankings()], dtype=bool)
    document = np.ascontiguousarray(run.document, dtype=np.int32)
    if run.start is None or run.end is None:
        compiled.repeated_documents(run.bounds, document, len(run.documents), out)
        return out
    start, end = (  # as whole numbers that are equal where positions are: 0.0 makes one zero of -0.0 and 0.0
        places if places.dtype == np.int64 else (places.astype(np.float64) + 0.0).view(np.int64)
        for places in (run.start, run.end)
    )
    compiled.repeated_spans(run.bounds, document, np.ascontiguousarray(start), np.ascontiguousarray(end), out)
    return out


def _may_repeat(ranking: Ranking) -> bool:
    """False if surely no pointer occurs twice: equal pointers have equal fingerprints, and one sort compares these."""
    columns = [ranking.start, ranking.end, ranking.path, ranking.path_end]
    mixed = ranking.document.astype(np.uint64)
    for column in columns:
        if column is not None:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # 0.0 makes one zero of -0.0 and 0.0
            mixed = (mixed * _MIXING) ^ (mixed >> _SHIFT)
            mixed += bits * _SPREADING
    mixed.sort()
    return bool((mixed[1:] == mixed[:-1]).any())


#: Odd numbers without pattern, and a shift that brings high bits down: a fingerprint of several columns.
_MIXING, _SPREADING, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(29)
