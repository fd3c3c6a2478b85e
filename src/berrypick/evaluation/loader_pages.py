"""Pages that a loader left beside the texts or offsets of results: places where pages are judged, else unread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.formats.base import Problems
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.json_lines import span_fields
from berrypick.rows.run_rows import run_of_rows

_OFFSETS = "results have offsets beside their pages; the truth judges pages, so the offsets are not read"


def on_pages(run: Run, truth: Truth | None) -> Run:
    """A run whose results are the places on pages that stand beside their texts or offsets.

    A text needs a box, unless whole pages are judged, or nothing but pages (no ``truth``).
    """
    if run.boxes is not None or not run.texts.page_fields:
        return run
    boxes = [] if truth is None else [topic.boxes for topic in truth.topics.values() if topic.boxes is not None]
    with_text = not all(one.whole.all() for one in boxes)
    problems = Problems(run.source or run.tag or "the run")
    reader = FieldParser("run")
    rows = span_fields(_page_rows(run), reader, problems)
    placed = run_of_rows(_with_texts(rows, run) if with_text else rows, problems, problems.path)
    return placed.with_empty(run.topics).changed(
        tag=run.tag,
        source=run.source,
        format=run.format,
        notes=run.notes if run.start is None else (*run.notes, _OFFSETS),
        unread=run.origin.unread,
        traces=run.of_topics.traces,
        costs=run.of_topics.costs,
        other_names=run.texts.other_names,
        missing=run.of_topics.missing,
        order=run.ordering.order,
        disordered=run.ordering.disordered,
    )


def _page_rows(run: Run) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The results of a run with the fields of their pages, by the names that these have in the input."""
    topics = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds)).tolist()
    for row, (topic, code, rank) in enumerate(zip(topics, run.document.tolist(), run.rank.tolist(), strict=True)):
        held = {"topic": run.topics[topic], "doc": run.documents[code], "rank": rank + 1}
        held |= {} if run.score is None else {"score": float(run.score[row])}
        line = row + 1 if run.line is None else int(run.line[row])
        yield line, str(held), {**held, **run.texts.page_fields.get(row, {})}


def _with_texts(rows: Iterator[tuple[int, str, dict[str, Any]]], run: Run) -> Iterator[tuple[int, str, dict[str, Any]]]:
    for row, (number, shown, value) in enumerate(rows):
        yield number, shown, {**value, "text": run.texts.quoted[row]} if row in run.texts.quoted else value


def without_pages(run: Run) -> Run:
    """A run whose results are their texts or offsets; the fields of pages beside them are unread."""
    if not run.texts.page_fields:
        return run
    names = dict.fromkeys((*run.origin.unread, *(name for held in run.texts.page_fields.values() for name in held)))
    if run.boxes is None:
        return run.changed(unread=tuple(names), page_fields={})
    kept = np.zeros(run.size(), dtype=bool)
    kept[[*run.texts.page_fields]] = True
    own = run.keep(kept)
    topics = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))
    if own.size() < len(np.unique(np.column_stack([topics, run.rank]), axis=0)):
        return run  # some results have a page and nothing else
    return own.changed(boxes=None, start=None, end=None, unread=tuple(names), page_fields={})
