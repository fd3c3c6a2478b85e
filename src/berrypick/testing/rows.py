"""Truths and runs taken apart into rows, changed, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.boxes import Boxes
from berrypick.data.columns import Coded, unpacked
from berrypick.data.origin import Origin
from berrypick.data.run import Run
from berrypick.data.run_parts import Ordering, TopicFacts
from berrypick.data.truth import TopicTruth, Truth

#: Columns of judged units: tuples, and arrays.
_NAMES = ("document", "path", "aspects", "sets", "hops")
_NUMBERS = ("grade", "start", "end", "exhaustivity", "specificity", "size", "rsize", "boxes")


class Result(NamedTuple):
    """One row of a run; what the run does not have is None."""

    document: str
    rank: int
    start: Any = None
    end: Any = None
    score: float | None = None
    line: int | None = None
    path: str | None = None
    path_end: str = ""
    boxes: Boxes | None = None  # of one row
    details: Mapping[str, Any] = {}  # of its step

    @property
    def name(self) -> str:
        """What a person calls it."""
        if self.boxes is not None:
            return self.boxes.name(self.document, 0)
        place = "" if self.start is None else f"#{self.start:g}-{self.end:g}"
        return self.document + (self.path or "") + (f"..{self.path_end}" if self.path_end else "") + place


def results_of(run: Run, topic: str) -> list[Result]:
    """The rows of one topic, in ranked order."""
    ranking = run.ranking(topic)
    size = len(ranking)

    def column(values: Any) -> Any:
        return [None] * size if values is None else values.tolist()

    paths = [ranking.path_of(row) if ranking.path is not None else (None, "") for row in range(size)]
    columns = map(column, (ranking.start, ranking.end, ranking.score, ranking.line))
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    rows = zip(names, ranking.rank.tolist(), *columns, paths, strict=True)
    boxes = [None if ranking.boxes is None else ranking.boxes[row : row + 1] for row in range(size)]
    details = [{name: held[row] for name, held in ranking.details.items()} for row in range(size)]
    beside = zip(boxes, details, strict=True)
    return [
        Result(*row[:-1], *row[-1])._replace(boxes=place, details=held)
        for row, (place, held) in zip(rows, beside, strict=True)
    ]


def lists_of(run: Run) -> dict[str, list[Result]]:
    """The rows of all topics."""
    return {topic: results_of(run, topic) for topic in run.topics}


def with_lists(run: Run, lists: Mapping[str, Sequence[Result]]) -> Run:
    """The run with other lists; ranks are renumbered so that none is empty, rows of equal ranks stay together."""
    rows = [row for found in lists.values() for row in found]
    documents = {name: code for code, name in enumerate(dict.fromkeys(row.document for row in rows))}
    ends = (part for row in rows for part in (row.path, row.path_end) if part)
    paths = {name: code for code, name in enumerate(dict.fromkeys(ends))}

    def column(take: Callable[[Result], Any], like: Any) -> Any:
        return None if like is None else np.array([take(row) for row in rows], dtype=like.dtype)

    return Run(
        run.tag,
        tuple(lists),
        np.array([0, *accumulate(map(len, lists.values()))], dtype=np.int64),
        Coded(list(documents), np.array([documents[row.document] for row in rows], dtype=np.int32)),
        np.array([rank for found in lists.values() for rank in _numbered(found)], dtype=np.int32),
        start=column(lambda row: row.start, unpacked(run.start)),
        end=column(lambda row: row.end, unpacked(run.end)),
        score=column(lambda row: row.score, unpacked(run.score)),
        line=column(lambda row: row.line, unpacked(run.line)),
        origin=Origin(run.source, run.format),
        ordering=Ordering(duplicates=run.ordering.duplicates, ties=run.ordering.ties, task=run.ordering.task),
        of_topics=TopicFacts(extra=run.of_topics.extra, missing=run.of_topics.missing),
        paths=list(paths),
        path=column(lambda row: paths[row.path or ""], run.path),
        path_end=column(lambda row: paths.get(row.path_end, -1), run.path_end),
        boxes=None if run.boxes is None else Boxes.joined([row.boxes for row in rows if row.boxes is not None]),
        unit=run.unit,
        details={name: _details(rows, name, held) for name, held in run.details.items()},
    )


def _details(rows: Sequence[Result], name: str, like: Any) -> Any:
    """What rows say of their steps; a new one says nothing."""
    nothing = "" if like.dtype == object else np.nan
    return np.array([row.details.get(name, nothing) for row in rows], dtype=like.dtype)


def _numbered(rows: Sequence[Result]) -> list[int]:
    """Ranks from 0 without gaps."""
    number = {rank: i for i, rank in enumerate(dict.fromkeys(row.rank for row in rows))}
    return [number[row.rank] for row in rows]


def judged_rows(topic: TopicTruth, order: Sequence[int] | IntArray) -> TopicTruth:
    """Some of the judged units, in another order; lines of a file keep their numbers, whatever stands in them."""
    places = np.asarray(order, dtype=np.int64)
    columns: dict[str, Any] = {}
    for name in _NAMES:
        held = getattr(topic, name)
        columns[name] = None if held is None else tuple(held[i] for i in places.tolist())
    for name in _NUMBERS:
        held = getattr(topic, name)
        columns[name] = None if held is None else held[places]
    lines = None if topic.line is None else np.sort(topic.line[places])
    return replace(topic, line=lines, **columns)


def with_topics(truth: Truth, topics: Mapping[str, TopicTruth]) -> Truth:
    """The truth with other topics, as one that was read."""
    return truth.changed(topics=dict(topics), annotators={}, notes=(), skipped={})


def relevant_rows(topic: TopicTruth) -> list[int]:
    """The judged units that are relevant."""
    found: list[int] = np.flatnonzero(topic.grade > 0).tolist()
    return found


def as_result(topic: TopicTruth, row: int, rank: int, like: Result | None) -> Result:
    """A judged unit as a result at some rank, with a score and a line where other results have them."""
    return Result(
        topic.document[row],
        rank,
        None if topic.start is None else topic.start[row].item(),
        None if topic.end is None else topic.end[row].item(),
        None if like is None or like.score is None else like.score - 1.0,
        None if like is None or like.line is None else like.line + 1,
        None if topic.path is None else topic.path[row],
        boxes=None if topic.boxes is None else topic.boxes[row : row + 1],
    )
