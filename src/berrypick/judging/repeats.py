"""Pointers that stand twice in the list of a topic."""

from __future__ import annotations

import numpy as np

from berrypick.core.arrays import BoolArray
from berrypick.core.run import Run, repeated_pointers
from berrypick.kernels import native
from berrypick.kernels.equal_pointers import may_repeat


def repeats_of(run: Run) -> dict[str, BoolArray]:
    """For each topic whose list points to something twice: which pointers occur earlier in the list too."""
    kept: dict[str, dict[str, BoolArray]] = vars(run)  # beside the run's own values: found once
    if "_repeats" in kept:
        return kept["_repeats"]
    names, compiled = run.uncoded, native()
    if names is not None and compiled is not None:
        suspects = np.empty(len(run.topics), dtype=bool)
        compiled.repeated_names(run.bounds, names.column, names.places[0], suspects)  # rows move within their topic
    else:
        positions, paths = (run.start, run.end), (run.path, run.path_end)
        suspects = may_repeat(
            run.bounds,
            run.document,
            len(run.documents),
            [column for column in positions if column is not None],
            [column for column in paths if column is not None],
        )
    found: dict[str, BoolArray] = {}
    for i in np.flatnonzero(suspects).tolist():
        repeated, _ = repeated_pointers(run.ranking(run.topics[i]))
        if repeated.any():
            found[run.topics[i]] = repeated
    kept["_repeats"] = found  # when it is whole: threads may share a run
    return found
