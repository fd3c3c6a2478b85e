"""Variants with other lists: a span split, results behind a cut-off, a relevant result added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from berrypick.data.boxes import Boxes, overlap
from berrypick.data.truth import TopicTruth
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.testing.case import Case
from berrypick.testing.law import Variant
from berrypick.testing.orders import Measures, Rng, by_documents
from berrypick.testing.rows import (
    Result,
    as_result,
    judged_rows,
    lists_of,
    relevant_rows,
    results_of,
    with_lists,
    with_topics,
)
from berrypick.topics.repeats import repeats_of
from berrypick.users.base import UserModel


def split_span(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """A relevant span, or a result within its list item, as two spans that touch."""
    if case.run.boxes is not None and any("tie-order" not in one.measure.kept_laws() for one in measures):
        return _split_truth(case, rng)  # two results are read in another order than one
    return (_split_truth, _split_run)[number % 2](case, rng) or (_split_run, _split_truth)[number % 2](case, rng)


def _split_truth(case: Case, rng: Rng) -> Variant | None:
    found = [
        (name, row)
        for name, topic in case.truth.topics.items()
        if topic.start is not None and topic.end is not None
        for row in relevant_rows(topic)
        if _place(topic.start[row], topic.end[row], rng) is not None
    ]
    if not found:
        return None
    name, row = found[int(rng.integers(len(found)))]
    topic = case.truth.topics[name]
    assert topic.start is not None and topic.end is not None
    place = _place(topic.start[row], topic.end[row], rng)
    twice = judged_rows(topic, [*range(row + 1), *range(row, len(topic))])
    assert twice.start is not None and twice.end is not None
    start, end = twice.start.copy(), twice.end.copy()
    end[row] = start[row + 1] = place
    boxes = None if twice.boxes is None else twice.boxes.split(row, place)
    topics = {**case.truth.topics, name: replace(twice, start=start, end=end, boxes=boxes)}
    what = f"{topic.name(row)} of the truth split at {place:g}"
    return Variant(case.changed(truth=with_topics(case.truth, topics)), f"topic {name}: {what}")


def _split_run(case: Case, rng: Rng) -> Variant | None:
    if case.run.start is None:
        return None
    lists = {topic: rows for topic, rows in lists_of(case.run).items() if topic in case.truth}
    found = [
        (name, i)
        for name, rows in lists.items()
        for i, row in enumerate(rows)
        if _place(row.start, row.end, rng) is not None
    ]
    if not found:
        return None
    name, i = found[int(rng.integers(len(found)))]
    row = lists[name][i]
    place = _place(row.start, row.end, rng)
    pieces = [row._replace(end=place), row._replace(start=place)]
    if row.boxes is not None:
        both = Boxes.joined([row.boxes, row.boxes]).split(0, place)
        pieces = [piece._replace(boxes=both[i : i + 1]) for i, piece in enumerate(pieces)]
    kept = [one.name for one in lists[name]]
    if any(piece.name in kept for piece in pieces):  # would be a repeated result
        return None
    lists[name] = [*lists[name][:i], *pieces, *lists[name][i + 1 :]]
    what = f"topic {name}: {row.name} of the run split at {place:g}, both at its rank"
    return Variant(case.changed(run=with_lists(case.run, {**lists_of(case.run), **lists})), what)


def _place(start: Any, end: Any, rng: Rng) -> Any:
    """A place inside of a span; None if there is none."""
    if isinstance(start, (int, np.integer)):
        return int(rng.integers(start + 1, end)) if end - start > 1 else None
    middle = (start + end) / 2
    return middle if start < middle < end else None


# --- behind the cut-off -----------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """Where a measure cuts a list."""

    at: int | None
    #: Whether ranks are those of documents.
    documents: bool
    #: Whether results belong to the item of their document, wherever they stand.
    merged: bool


def cut_of(case: Case, one: RequestedMeasure) -> Cut:
    """Where a measure cuts a list."""
    merged = False
    if "user" in one.measure.dependencies():
        model = case.evaluation.contexts[one.text].user
        merged = model.returns is False or type(model).items is not UserModel.items
    at = one.measure.at if one.measure.cutoff == "rank" and not one.measure.cutoff_is else None
    documents = by_documents(case, one)
    return Cut(None if at is None else int(at), documents, merged or (documents and not one.measure.of_documents))


def junk_behind(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """More results behind the cut-off, or those behind it in another order, or none."""
    at, documents, merged = cut_of(case, measures[0])
    if at is None:
        return None
    lists, known, changed = lists_of(case.run), _known(case), []
    repeated = repeats_of(case.run)
    for topic, rows in lists.items():
        cut = _cut(rows, at, documents)
        if cut is None or topic in repeated or topic not in case.truth:
            continue
        behind = rows[cut:]
        if number % 3 == 1 and behind and not merged:
            behind = []
        elif number % 3 == 2 and len(behind) > 1 and not merged:
            places = [row.rank for row in behind]
            order = rng.permutation(len(behind)).tolist()
            behind = [behind[i]._replace(rank=rank) for i, rank in zip(order, places, strict=True)]
        else:
            behind = [*behind, *_junk(rows, known, rng, merged)]
        if behind != rows[cut:]:
            lists[topic] = [*rows[:cut], *behind]
            changed.append(topic)
    if not changed:
        return None
    return Variant(case.changed(run=with_lists(case.run, lists)), f"other results behind rank {at}")


def _cut(rows: Sequence[Result], at: int, of_documents: bool) -> int | None:
    """The first row behind the cut-off; None if the list does not get there."""
    seen: set[str] = set()
    for i, row in enumerate(rows):
        if of_documents and len(seen) == at:
            return i
        if not of_documents and row.rank >= at:
            return i
        seen.add(row.document)
    reached = len(seen) == at if of_documents else bool(rows) and rows[-1].rank == at - 1
    return len(rows) if reached else None


def _known(case: Case) -> list[Result]:
    """Everything that is judged or retrieved for any topic."""
    run = case.run
    found = {row.name: row for topic in run.topics for row in results_of(run, topic)}
    like = next(iter(found.values()), None)
    for topic in case.truth.topics.values():
        if (topic.start is None) == (run.start is None) and (topic.path is None) == (run.path is None):
            found.update((row.name, row) for i in range(len(topic)) for row in [as_result(topic, i, 0, like)])
    return list(found.values())


def _junk(rows: Sequence[Result], known: Sequence[Result], rng: Rng, new_documents: bool) -> list[Result]:
    """Some of what is known and not in a list, after its end."""
    names, documents = {row.name for row in rows}, {row.document for row in rows}
    free = [one for one in known if one.name not in names and not (new_documents and one.document in documents)]
    chosen = rng.permutation(len(free))[: int(rng.integers(1, 6))].tolist()
    return [_after(rows, free[i], n) for n, i in enumerate(chosen)]


def _after(rows: Sequence[Result], one: Result, n: int = 0) -> Result:
    """A result at the n-th rank after the end of a list."""
    if not rows:
        return one._replace(rank=n)
    last = rows[-1]
    score = None if last.score is None else last.score - 1.0 - n
    line = None if last.line is None else max(row.line or 0 for row in rows) + 1 + n
    return one._replace(rank=last.rank + 1 + n, score=score, line=line)


# --- a relevant result ------------------------------------------------------------------------------------------------


def relevant_added(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """A relevant unit that no result overlaps, at the end of the list."""
    lists, told = lists_of(case.run), []
    for name, topic in case.truth.topics.items():
        rows = lists.get(name, [])
        free = [row for row in relevant_rows(topic) if _fits(topic, row, case) and not _met(topic, row, rows)]
        if free and name not in repeats_of(case.run):
            row = free[int(rng.integers(len(free)))]
            like = next((one for found in lists.values() for one in found), None)
            added = _after(rows, as_result(topic, row, 0, like))
            lists[name] = [*rows, added]
            told.append(f"topic {name}: {added.name} added at rank {added.rank + 1}")
    if not told:
        return None
    more = f" (and in {len(told) - 1} more)" if len(told) > 1 else ""
    return Variant(case.changed(run=with_lists(case.run, lists)), told[0] + more)


def _fits(topic: TopicTruth, row: int, case: Case) -> bool:
    """Whether the run points to things of this kind."""
    return (topic.start is None) == (case.run.start is None) and (topic.path is None) == (case.run.path is None)


def _met(topic: TopicTruth, row: int, rows: Sequence[Result]) -> bool:
    """Whether a result overlaps with a judged unit."""
    unit = as_result(topic, row, 0, None)
    for one in rows:
        if one.document != unit.document:
            continue
        if unit.boxes is not None and one.boxes is not None:
            met = overlap(unit.boxes, one.boxes)
        elif unit.start is not None:
            met = (one.start < unit.end and unit.start < one.end) or one[2:4] == unit[2:4]
        elif unit.path is not None and one.path is not None:
            met = f"{one.path}/".startswith(f"{unit.path}/") or f"{unit.path}/".startswith(f"{one.path}/")
        else:
            met = True
        if met:
            return True
    return False
