"""The order of results: what the option ``order`` changes, and notes on orders that contradict the scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.columns import unpacked
from berrypick.data.errors import Message, UsageError, option
from berrypick.data.results import Note
from berrypick.data.run import Run

GivenOrder = Literal["file", "score"]
#: Share of topics above which a file in another order than its scores is worth a note.
MOST_DISORDERED = 0.1


def in_order(run: Run, order: GivenOrder | None) -> Run:
    """Return the run in the order of the file, or by falling score; ranks are kept."""
    if order is None or not run.size():
        return run
    if run.ordering.order == "rank":
        note = Message(f"{option('order', order)} has no effect: the results have ranks, which order them")
        return run.changed(notes=(*run.notes, note))
    if order == "file":
        return run.changed(disordered=0) if run.ordering.order != "score" else _reordered(run, _by_line(run), "file")
    if run.ordering.order == "score":
        return run.changed(disordered=0)
    if run.score is None:
        raise UsageError(f"{run.source or run.tag or 'the run'} has no scores, which {option('order', 'score')} needs")
    return _reordered(run, np.lexsort((-unpacked(run.score), _topic_of_rows(run))), "score")


def order_notes(run: Run) -> Iterator[Note]:
    """Yield a note where the scores contradict the order of the lists, or of the file."""
    topics = int((np.diff(run.bounds) > 0).sum())
    where = f"in {run.ordering.disordered} of {topics} topics"
    if run.ordering.order == "list" and run.ordering.disordered:
        sort = option("order", "score")
        yield Note("order", Message(f"scores do not fall {where}; lists count as they are ({sort} sorts by score)"))
    elif run.ordering.order == "score" and run.ordering.disordered > MOST_DISORDERED * topics:
        keep = option("order", "file")
        text = f"{where} the file has another order than the scores, which count; {keep} keeps the order of the file"
        yield Note("order", Message(text))


def _topic_of_rows(run: Run) -> IntArray:
    return np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))


def _by_line(run: Run) -> IntArray:
    """The rows as they stood in the file."""
    place = unpacked(run.line) if run.ordering.given is None else run.ordering.given
    return np.lexsort((np.arange(run.size()) if place is None else place, _topic_of_rows(run)))


def _reordered(run: Run, rows: IntArray, order: GivenOrder) -> Run:
    """The run with the rows of each topic in another order."""
    ties = "score" if order == "score" else "none"
    return run.reordered(rows).changed(ties=ties, order=order, disordered=0, given=None)
