"""A run from columns in the order of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Narrow, Positions
from berrypick.data.columns import (
    Coded,
    LateCodes,
    LineRange,
    Moved,
    NameColumn,
    Packed,
    Stretches,
    narrow,
    taken,
    unpacked,
)
from berrypick.data.origin import Origin
from berrypick.data.run import Duplicates, Run
from berrypick.data.run_parts import Ordering

if TYPE_CHECKING:
    from berrypick.data.boxes import Boxes


#: Topics of so many rows on average are sorted one by one.
LONG = 32


def assemble(
    *,
    tag: str,
    topic: Sequence[str] | Coded | Stretches,
    document: Sequence[str] | Coded | NameColumn,
    start: Positions | Packed | None = None,
    end: Positions | Packed | None = None,
    score: FloatArray | Packed | None = None,
    rank: FloatArray | Packed | None = None,
    line: Narrow | LineRange | None = None,
    path: Sequence[str] | Coded | None = None,
    path_end: Sequence[str] | None = None,
    boxes: Boxes | None = None,
    task: str = "",
    order: Literal["trec", "rank", "score", "file"] = "file",
    source: str = "",
    format: str = "",
    duplicates: Duplicates = "error",
    notes: tuple[str, ...] = (),
    own_columns: bool = False,
) -> Run:
    """Columns in file order to a run.

    ``order``: 'trec' by score descending, then document name descending; 'rank' by the rank column, equal ranks
    being one list item; 'score' by score descending, file order within ties; 'file' in the order of lines.
    ``path`` holds element paths, or with ``path_end`` the points of passages ('' there for an element).
    ``own_columns``: the columns are not shared and may be changed.
    """
    topics = topic if isinstance(topic, Stretches) else _coded(topic)
    documents = document if isinstance(document, NameColumn) else _coded(document)
    paths, path_code, path_end_code = ((), None, None) if path is None else _path_codes(path, path_end)
    stretch, begins = topics.stretches()
    grouped = bool((stretch[1:] > stretch[:-1]).all())  # every topic is one stretch
    scores, ranks = (column.whole if isinstance(column, Packed) else column for column in (score, rank))
    by = ranks if order == "rank" else None if order == "file" else scores
    assert by is not None or order == "file"
    disordered = 0 if scores is None or order == "rank" else _disordered_topics(scores, topics, begins, grouped)
    sorted_rows: IntArray | None = None
    in_order = disordered == 0 if order != "rank" or by is None else not _out_of_order(by, begins, falling=False).any()
    if not grouped or (by is not None and not in_order):
        key = by if by is None or order == "rank" else -by
        # ties of a TREC run are put in order below, whatever it is here
        sorted_rows = _sorted_rows(key, topics, begins if grouped else None, stable=order != "trec")
        begins = np.searchsorted(topics.codes[sorted_rows], np.arange(len(topics.names)))
    rows: IntArray | Moved | None = sorted_rows
    if order == "trec" and scores is not None:
        rows = _ties_by_name(sorted_rows, begins, scores, documents, own_columns)
    count = topics.count if isinstance(topics, Stretches) else len(topics.codes)
    bounds = np.append(begins, count).astype(np.int64)
    columns: dict[str, Any] = {
        "tag": tag,
        "topics": tuple(topics.names),
        "bounds": bounds,
        "start": None if start is None else taken(start, rows),
        "end": None if end is None else taken(end, rows),
        "score": None if score is None else taken(score, rows),
        "line": None if line is None else narrow(taken(line, rows)),
        "origin": Origin(source, format, notes),
        "ordering": Ordering(
            "score" if order == "trec" else order,
            duplicates,
            "rank" if order == "rank" else "score" if score is not None and order != "file" else "none",
            task=task,
            disordered=disordered,
        ),
        "paths": paths,
        "path": None if path_code is None else taken(path_code, rows),
        "path_end": None if path_end_code is None else taken(path_end_code, rows),
        "boxes": boxes if boxes is None or sorted_rows is None else boxes[sorted_rows],
    }
    if order == "rank" and ranks is not None:
        columns["item"] = _list_items(taken(ranks, rows), bounds)
    if isinstance(documents, NameColumn):
        return Run(names=LateCodes(replace(documents, order=rows)), **columns)
    return Run(names=Coded(documents.names, narrow(taken(documents.codes, rows))), **columns)


def _disordered_topics(scores: FloatArray, topics: Coded | Stretches, begins: IntArray, grouped: bool) -> int:
    """The number of topics whose scores do not fall, in the order of the file."""
    if grouped:
        return rising_topics(scores, begins)
    by_topic = np.argsort(topics.codes, kind="stable")
    firsts = np.searchsorted(topics.codes[by_topic], np.arange(len(topics.names)))
    return rising_topics(scores[by_topic], firsts)


def _sorted_rows(key: FloatArray | None, topics: Coded | Stretches, begins: IntArray | None, stable: bool) -> IntArray:
    """The rows topic by topic, within each by rising key; ``begins`` are those of topics that are one stretch each."""
    many = len(topics.names)
    if key is None or begins is None or not len(key) >= LONG * many == LONG * len(begins):
        return np.lexsort((topics.codes,) if key is None else (key, topics.codes))
    ends = pairwise([*begins.tolist(), len(key)])  # one by one, which stays in the caches
    return np.concatenate([a + np.argsort(key[a:b], kind="stable" if stable else None) for a, b in ends])


def in_trec_order(run: Run) -> Run:
    """Whole documents by score, as in a TREC run: equal scores by name, the larger one first."""
    assert run.score is not None and run.line is not None
    line = unpacked(run.line)
    rows = np.argsort(line if run.ordering.given is None else run.ordering.given, kind="stable")  # as they stood
    topic = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))
    ordered = assemble(
        tag=run.tag,
        topic=Coded([name for name in run.topics if run.size(name)], topic[rows]),
        document=Coded(list(run.documents), run.document[rows]),
        score=run.score[rows],
        line=np.arange(len(rows)),
        order="trec",
        source=run.source,
        format=run.format,
    )
    assert ordered.line is not None
    places = unpacked(ordered.line)
    given = None if run.ordering.given is None else places.astype(np.int64)
    ordered = ordered.changed(line=narrow(line[rows][places]), given=given)
    ordered = ordered.with_empty([name for name in run.topics if not run.size(name)])
    return ordered.changed(
        asked=run.of_topics.asked, missing=run.of_topics.missing, costs=run.of_topics.costs, notes=run.notes
    )


def _coded(names: Sequence[str] | Coded) -> Coded:
    return names if isinstance(names, Coded) else Coded.of(names)


def _list_items(rank: FloatArray, bounds: IntArray) -> Narrow:
    """From 0 within every topic; equal ranks are one list item."""
    new_item = np.ones(len(rank), dtype=bool)
    new_item[1:] = rank[1:] != rank[:-1]
    new_item[bounds[:-1]] = True
    item = np.cumsum(new_item, dtype=np.int32) - np.int32(1)
    item -= np.repeat(item[bounds[:-1]], np.diff(bounds))
    return item


def _out_of_order(by: FloatArray, begins: IntArray, falling: bool) -> BoolArray:
    """For each row but the last, whether the next row of its topic has the larger value, or the smaller one."""
    wrong = by[1:] > by[:-1] if falling else by[1:] < by[:-1]
    wrong[begins[1:] - 1] = False
    return wrong


def rising_topics(score: FloatArray, begins: IntArray) -> int:
    """The number of topics with a score above that of the row before."""
    rising = np.flatnonzero(_out_of_order(score, begins, falling=True))
    return len(np.unique(np.searchsorted(begins, rising, side="right")))


def _ties_by_name(
    rows: IntArray | None, begins: IntArray, score: FloatArray, documents: Coded | NameColumn, in_place: bool
) -> IntArray | Moved | None:
    """Where rows of a topic have equal scores, the document with the larger name first."""
    ordered = taken(score, rows)
    tied = np.zeros(len(ordered), dtype=bool)  # rows that have the score of the row before
    np.equal(ordered[1:], ordered[:-1], out=tied[1:])
    tied[begins[1:]] = False
    if not tied.any():
        return rows
    places = np.flatnonzero(tied | np.append(tied[1:], False))  # these and the rows before
    group = np.cumsum(~tied[places])
    stood = places if rows is None else rows[places]
    moved = stood[np.lexsort((stood, -_alphabetical(documents, stood), group))]
    if rows is None:
        return Moved(places, moved, in_place)
    rows[places] = moved
    return rows


def _alphabetical(documents: Coded | NameColumn, rows: IntArray) -> IntArray:
    """Numbers that order some rows by the names of their documents, the same for the same name."""
    if isinstance(documents, NameColumn):
        names = documents.names_at(rows)
        known = {name: place for place, name in enumerate(sorted(set(names)))}
        return np.array([known[name] for name in names], dtype=np.int64)
    met, local = np.unique(documents.codes[rows], return_inverse=True)  # only the names that are tied need an order
    found = np.empty(len(met), dtype=np.int64)
    names = [documents.names[i] for i in met.tolist()]
    found[sorted(range(len(met)), key=names.__getitem__)] = np.arange(len(met))
    return found[local]


def _path_codes(
    path: Sequence[str] | Coded, path_end: Sequence[str] | None
) -> tuple[Sequence[str], IntArray | None, IntArray | None]:
    starts = _coded(path)
    if not path_end:
        return starts.names, starts.codes, None
    known = {name: code for code, name in enumerate(starts.names)}
    codes = [known.setdefault(end, len(known)) if end else -1 for end in path_end]
    return list(known), starts.codes, np.array(codes, dtype=np.int64)
