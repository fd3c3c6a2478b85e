"""Pointers that stand twice in the list of a topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.columns import as_kept
from berrypick.data.errors import InputError, option
from berrypick.data.run import Ranking, Run, repeated_pointers
from berrypick.kernels import native
from berrypick.kernels.equal_pointers import may_repeat

if TYPE_CHECKING:
    from berrypick.topics.context import JudgingContext


#: What :func:`repeats_of` found, once for each run.
_repeats: WeakKeyDictionary[Run, dict[str, BoolArray]] = WeakKeyDictionary()


def repeats_of(run: Run) -> dict[str, BoolArray]:
    """For each topic whose list points to something twice: which pointers occur earlier in the list too."""
    if (known := _repeats.get(run)) is not None:
        return known
    names, compiled = run.uncoded, native()
    if names is not None and compiled is not None:
        suspects = np.empty(len(run.topics), dtype=bool)
        compiled.repeated_names(run.bounds, names.column, names.places[0], suspects)  # rows move within their topic
    else:
        positions, paths = (as_kept(run.start), as_kept(run.end)), (run.path, run.path_end)
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
    _repeats[run] = found  # when it is whole: threads may share a run
    return found


def ranking_of(run: Run, topic: str, context: JudgingContext) -> Ranking:
    """The list of a topic, as long as it may be, with what is done about repeated results."""
    ranking = run.ranking(topic)
    longest = context.max_ranks
    if longest is not None and ranking.ranks > longest:
        ranking = replace(ranking.rows(ranking.rank < longest), ranks=longest)
    repeats = repeats_of(run)
    repeated = repeats[topic][: len(ranking)] if topic in repeats else None
    if repeated is None or not repeated.any():
        return ranking
    if (context.duplicates or run.ordering.duplicates) == "first":
        return ranking.rows(~repeated).compacted()
    return replace(ranking, repeated=repeated)


def refuse_duplicates(run: Run) -> None:
    """An error if the list of a topic has repeated results."""
    for topic in repeats_of(run):
        ranking = run.ranking(topic)
        repeated, first = repeated_pointers(ranking)
        if repeated.any():
            lines = ranking.line if ranking.line is not None else np.arange(1, len(ranking) + 1)
            pairs = sorted((max(a, b), min(a, b), row) for row in np.flatnonzero(repeated).tolist()
                           for a, b in [(int(lines[row]), int(lines[first[row]]))])  # fmt: skip
            later, earlier, row = pairs[0]
            raise InputError(
                f"{ranking.name(row)} is retrieved twice for topic {topic}, first in line {earlier}",
                path=run.source or run.tag or "the run",
                line=later,
                remedy=f"{option('duplicates', 'first')} drops later ones; "
                f"{option('duplicates', 'keep')} keeps their ranks, without effect",
            )
