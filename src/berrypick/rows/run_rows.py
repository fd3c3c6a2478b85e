"""Rows of results as a run, whatever carrier they come from, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from berrypick.data.arrays import Positions
from berrypick.data.assemble import assemble
from berrypick.data.columns import LineRange, unpacked
from berrypick.data.pointers import place_record
from berrypick.data.run import Run
from berrypick.files.problems import Problems
from berrypick.rows.column_plan import ColumnCosts
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_rows import FieldError, FieldRow, names_of
from berrypick.rows.json_lines import Fields, Rows, plain
from berrypick.rows.layouts import one_place_each
from berrypick.rows.loader_fields import PAGE_FIELDS
from berrypick.rows.row_parser import PAGES
from berrypick.rows.run_parser import RunParser
from berrypick.rows.stage_rows import by_stage, run_of_stages
from berrypick.rows.step_details import record_of


def run_of_columns(columns: dict[str, Any], path: str, listed: bool = False) -> Run:
    """A run whose columns have been checked, as :func:`assemble` takes them, perhaps with ``text``, ``unit`` and
    ``costs``; ``listed``: they come from lists."""
    columns = dict(columns)
    order: Any = next((name for name in ("rank", "score") if columns[name] is not None), "file")
    if listed and order != "rank":
        order = "file"
    line, texts = columns["line"], columns.pop("text", None)
    unit, costs = columns.pop("unit", ""), columns.pop("costs", ColumnCosts())
    by_row = texts is not None or bool(costs.details)
    if by_row:
        columns["line"] = np.arange(len(line))
    elif isinstance(line, LineRange):
        columns["line"] = replace(line, kind=np.int64)
    run = assemble(**columns, order=order, source=path, format="span-run", duplicates="keep")
    if listed and order != "rank":
        run = run.changed(order="list")
    if by_row and run.line is not None:
        rows = unpacked(run.line)
        details = {name: column[rows] for name, column in costs.details.items()}
        run = run.changed(line=line[:][rows], details=details, quoted={} if texts is None else _quoted(texts, rows))
    if isinstance(run.line, np.ndarray):
        run = run.changed(line=run.line.astype(np.int64))
    return run.changed(unit=unit, costs=costs.topics, notes=costs.notes) if unit or costs.topics else run


def _quoted(texts: Sequence[str], rows: Positions) -> dict[int, str]:
    """The texts of rows in the order of the run; a chunk that is retrieved for many topics is kept once."""
    once: dict[str, str] = {}
    held = ((i, texts[row]) for i, row in enumerate(rows.tolist()))
    return {i: once.setdefault(text, text) for i, text in held if text.strip()}


def run_of_rows(rows: Rows, problems: Problems, path: str) -> Run:
    """Read rows of any source by our names: lines of JSON, a table, a data frame."""
    found = by_stage(_with_page_places(rows), problems)
    if isinstance(found, dict) and found:
        return run_of_stages(found, lambda held: _run_of(held, RunParser(problems, one_stage=True), path))
    return _run_of(() if isinstance(found, dict) else found, RunParser(problems), path)


def _run_of(rows: Rows, parser: RunParser, path: str) -> Run:
    parser.read(rows)
    return parser.run(path)


def rows_of_run(value: Any) -> Iterator[dict[str, Any]]:
    """A run as lines have it; the first one names it. Rows of stages name these."""
    tag = {"tag": value.tag} if value.tag else {}
    for one in value.stages:
        stage = {"stage": one.stage} if one.stage else {}
        for record in _results(one):
            yield record | stage | tag
            tag = {}


def as_read(run: Run, reader: FieldParser) -> Run:
    """The run with what the reader of its rows did not read, and whether topics without a row are absent."""
    return run.changed(
        earlier=tuple(as_read(one, reader) for one in run.earlier),
        unread=(*run.origin.unread, *(name for name in reader.unread if name not in run.origin.unread)),
        missing="absent" if reader.entries.nested else run.of_topics.missing,
    )


def _with_page_places(rows: Rows) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Rows with the places that loaders leave beside their texts, where every row has a good one; else without any.

    A truth of pages says later what is wrong with them.
    """
    rows = iter(rows)
    first = next(rows, None)
    if first is None or (PAGE_FIELDS not in first[2] and PAGES.isdisjoint(first[2])):
        yield from () if first is None else chain([first], rows)
        return
    held = [first, *rows]
    if not any(PAGE_FIELDS in value for _, _, value in held):
        yield from held
        return
    read = [_page_row(value) for _, _, value in held]
    good = all(value is not None for value in read)
    for (number, text, value), found in zip(held, read, strict=True):
        yield number, text, found if good and found is not None else value


def _page_row(value: dict[str, Any]) -> dict[str, Any] | None:
    """A row with its place on a page as our fields; None where that cannot be read, or is less than its text says."""
    if PAGE_FIELDS not in value:
        return None if PAGES.isdisjoint(value) and "results" not in value else value
    if value.get("start") is not None:
        return None
    try:
        [places] = FieldParser("run").read(value[PAGE_FIELDS])
    except FieldError:
        return None
    row = FieldRow({**value, **{name: held for name, held in places.items() if name in PAGES}})
    row.called = {**names_of(value), **names_of(places)}
    problems = Problems("", strict=False)
    for _, number, text, one in one_place_each([(0, "", row)]):
        if PAGES.isdisjoint(one) or Fields(number, text, one, problems).page_place(empty_allowed=True) is None:
            return None
    return None if problems.found else row


def _results(value: Any) -> Iterator[dict[str, Any]]:
    above = 0
    for topic, ranking in value.rankings():
        own = {name: plain(value) for name, value in value.of_topics.costs.get(topic, {}).items()}
        if not len(ranking):
            yield {"topic": topic, "results": [], **own}
        for row in range(len(ranking)):
            record: dict[str, Any] = {"topic": topic, "doc": ranking.documents[int(ranking.document[row])]}
            if ranking.boxes is not None:
                record |= ranking.boxes.record(row)
            elif ranking.start is not None:
                record |= place_record(ranking.unit, plain(ranking.start[row]), plain(ranking.end[row]))
            if above + row in value.texts.quoted:
                record["text"] = value.texts.quoted[above + row]
            if not record["doc"]:
                del record["doc"]  # the text says which one it is
            if value.ordering.ties == "rank" or (value.ordering.ties == "none" and ranking.score is not None):
                record["rank"] = int(ranking.rank[row]) + 1
            if ranking.score is not None:
                record["score"] = float(ranking.score[row])
            yield record | record_of(ranking.details, row) | own
            own = {}  # the first row has them
        above += len(ranking)
