"""Rows of results as a run, whatever carrier they come from, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.assemble import assemble, rising_topics
from berrypick.data.boxes import Boxes, Place
from berrypick.data.columns import LineRange
from berrypick.data.run import Order, Run, place_record
from berrypick.data.strings import is_text
from berrypick.files.problems import Problems
from berrypick.rows.counted_places import UNIT
from berrypick.rows.entries import ENTRY_ID, ONE_LIST, NamedApart, named_apart, two_lists
from berrypick.rows.fields import FieldError, FieldReader, FieldRow, names_of
from berrypick.rows.json_lines import Fields, Rows, plain, positions
from berrypick.rows.layouts import one_place_each
from berrypick.rows.loader_fields import PAGE_FIELDS
from berrypick.rows.row_lists import LISTED, STRING
from berrypick.rows.step_details import StepDetails, record_of
from berrypick.rows.truth_rows import PAGES

#: The key of a row among others with offsets whose place follows from its text.
WAITS = "_waits"


SEVERAL = "several runs are a table (CSV or Parquet) with a column run, or a file for each"


def run_of_columns(columns: dict[str, Any], path: str, listed: bool = False) -> Run:
    """A run whose columns have been checked, as :func:`assemble` takes them; ``listed``: they come from lists."""
    order: Any = next((name for name in ("rank", "score") if columns[name] is not None), "file")
    if listed and order != "rank":
        order = "file"
    if isinstance(line := columns["line"], LineRange):
        columns = {**columns, "line": replace(line, kind=np.int64)}
    run = assemble(**columns, order=order, source=path, format="span-run", duplicates="keep")
    if listed and order != "rank":
        run = run.changed(order="list")
    lines = vars(run).get("line")  # unless they are still a range
    return run if lines is None else run.changed(line=lines.astype(np.int64))


def run_of_rows(rows: Rows, problems: Problems, path: str) -> Run:
    """Checked rows of any source with these columns: lines of JSON, a table, a data frame."""
    topic: list[str] = []
    document: list[str] = []
    line: list[int] = []
    start: list[float] = []
    end: list[float] = []
    places: list[Place] = []
    score: list[float | None] = []
    rank: list[float | None] = []
    quoted: dict[int, str] = {}
    empty: list[tuple[str, Fields]] = []
    own_ids: list[tuple[Any, Any]] = []  # of the entry, and of the row
    once: dict[str, str] = {}  # a chunk is retrieved for many topics
    others: dict[str, tuple[str, ...]] = {}
    items: list[int] = []  # rows of several places are one item of the list
    listed: set[str] = set()  # topics whose results come from lists
    strings: list[int] = []  # rows that are strings of a list: names or texts
    details, unit = StepDetails(), ""
    tag = name = ""
    pages: dict[int, Mapping[str, Any]] = {}
    for item, number, text, value in one_place_each(_with_page_places(rows)):
        fields = Fields(number, text, value, problems)
        if not tag and isinstance(value.get("tag"), str):
            tag = value["tag"]
        if "results" in value:
            if _returns_nothing(fields):
                empty.append((fields.name("topic"), fields))
            continue
        unnamed = value.get("doc") is None and _says_by_text(value)
        names = fields.name("topic"), "" if unnamed else fields.name("doc")
        if STRING in value and not names[1].strip():
            fields.fail("a string of the list of results is blank", "leave it out")
        place = None if PAGES.isdisjoint(value) else fields.place(empty_allowed=True)
        span = fields.span(empty_allowed=True) if place is None else None
        if value.get(WAITS):
            span = -1.0, -1.0
        given = fields.number_of("score"), fields.number_of("rank")
        if not fields.good:
            continue
        if line and (span is None) != (not start):
            fields.fail("only some lines have start and end", "give them for every line, or for none")
            continue
        if line and (place is None) != (not places):
            fields.fail("only some lines have a page", "give it for every line, or for none")
            continue
        counts = str(value.get(UNIT, ""))
        if line and span is not None and counts != unit:
            here, there = (f"count {one or 'characters'}" for one in (counts, unit))
            fields.fail(f"offsets {here} here, and {there} in line {line[0]}", "give the same fields in every line")
        in_list = LISTED in value  # its place there orders it
        earlier = score if not in_list and not listed else ()
        for column, other, key in ((earlier, given[0], "score"), (rank, given[1], "rank")):
            if column and (column[0] is None) != (other is None):
                fields.fail(f"only some lines have a {key}", f"give {key} for every line, or for none")
        own = "" if value.get("run") is None else str(value["run"])
        if line and own != name:
            fields.fail(f"run {own or 'without a name'} after run {name or 'without a name'}", SEVERAL)
        if not fields.good:
            continue
        name, unit = own, counts
        details.add(fields)
        topic.append(names[0])
        own_ids.append((value.get(ENTRY_ID), value.get("id")))
        document.append(names[1])
        line.append(number)
        score.append(given[0])
        rank.append(given[1])
        items.append(item)
        if PAGE_FIELDS in value and items[-2:-1] != [item]:  # once for a result of several places
            pages[len(line) - 1] = value[PAGE_FIELDS]
        if in_list:
            listed.add(names[0])
        if STRING in value and value.get("text") is None:
            strings.append(len(line) - 1)
        if isinstance(words := value.get("text"), str) and words.strip():
            quoted[len(line) - 1] = once.setdefault(words, words)
        if (files := value.get("doc_else")) is not None:
            others[names[1]] = files if others.get(names[1], files) == files else ()
        if span is not None:
            start.append(span[0])
            end.append(span[1])
        if place is not None:
            places.append(place)
    topic, none_found, named = _named_by_question(topic, own_ids, empty, line, problems)
    boxes = Boxes.of(places) if places else None
    begin, stop = (positions(start), positions(end)) if start else boxes.extent() if boxes else (None, None)
    open_strings = _settle_strings(strings, document, quoted, bool(start or places))
    ranks = np.array(rank, dtype=np.float64) if rank and rank[0] is not None else None
    unscored = sum(one is None for one in score)
    scores = None if unscored or not score else np.array(score, dtype=np.float64)
    order: Order = "rank" if ranks is not None else "list" if listed else "file" if scores is None else "score"
    if order == "list" and len(listed) < len({*topic}):
        ranks = _ranks_of_some(topic, listed, score)
    if ranks is None and places and len({*items}) < len(items):
        ranks = _ranks_of_items(topic, items, None if order == "list" else scores)
    run = assemble(
        tag=tag or name,
        topic=topic,
        document=document,
        start=begin,
        end=stop,
        boxes=boxes,
        score=scores,
        rank=ranks,
        line=np.arange(len(line)),  # several rows may stand in one line
        order="rank" if ranks is not None else "file" if order == "list" else order,
        source=path,
        format="span-run",
        duplicates="keep",
        notes=(missing_scores(unscored, len(line)),) if 0 < unscored < len(line) else (),
    ).changed(order=order, strings=open_strings)
    if order == "list" and ranks is not None and run.score is not None:
        run = run.changed(disordered=rising_topics(run.score, run.bounds[:-1]))
    for name in run.topics:
        if name in none_found:
            none_found[name].fail(f"topic {name} is said to have no results, but other lines have some")
    run = run.with_empty(none_found).changed(missing="absent" if empty else "empty", asked=named.asked)
    run = run.changed(unread=("id",)) if named.unread else run
    rows = run.line if run.line is not None else np.arange(len(line))
    held = details.columns(rows)
    if order == "score" and len({*line}) < len(line):
        run = run.changed(given=rows)
    run = replace(run, line=np.array(line, dtype=np.int64)[rows], other_names=others, unit=unit, details=held)
    if pages:
        run = replace(run, page_fields={i: pages[row] for i, row in enumerate(rows.tolist()) if row in pages})
    if quoted:
        run = replace(run, quoted={i: quoted[row] for i, row in enumerate(rows.tolist()) if row in quoted})
    return run.changed(row_ids=[named.row_ids[row] for row in rows.tolist()] if named.row_ids else ())


def rows_of_run(value: Any) -> Iterator[dict[str, Any]]:
    """A run as lines have it; the first one names it."""
    tag = {"tag": value.tag} if value.tag else {}
    for record in _results(value):
        yield record | tag
        tag = {}


def as_read(run: Run, reader: FieldReader) -> Run:
    """The run with what the reader of its rows did not read, and whether topics without a row are absent."""
    return run.changed(
        unread=(*run.unread, *(name for name in reader.unread if name not in run.unread)),
        missing="absent" if reader.entries.nested else run.missing,
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
        [places] = FieldReader("run").read(value[PAGE_FIELDS])
    except FieldError:
        return None
    row = FieldRow({**value, **{name: held for name, held in places.items() if name in PAGES}})
    row.called = {**names_of(value), **names_of(places)}
    problems = Problems("", strict=False)
    for _, number, text, one in one_place_each([(0, "", row)]):
        if PAGES.isdisjoint(one) or Fields(number, text, one, problems).place(empty_allowed=True) is None:
            return None
    return None if problems.found else row


def _says_by_text(value: Mapping[str, Any]) -> bool:
    """Whether a line without the name of its document has a text, which says which one it is."""
    text = value.get("text")
    return isinstance(text, str) and bool(text.strip())


def _results(value: Any) -> Iterator[dict[str, Any]]:
    above = 0
    for topic, ranking in value.rankings():
        if not len(ranking):
            yield {"topic": topic, "results": []}
        for row in range(len(ranking)):
            record: dict[str, Any] = {"topic": topic, "doc": ranking.documents[int(ranking.document[row])]}
            if ranking.boxes is not None:
                record |= ranking.boxes.record(row)
            elif ranking.start is not None:
                record |= place_record(ranking.unit, plain(ranking.start[row]), plain(ranking.end[row]))
            if above + row in value.quoted:
                record["text"] = value.quoted[above + row]
            if not record["doc"]:
                del record["doc"]  # the text says which one it is
            if value.ties == "rank" or (value.ties == "none" and ranking.score is not None):
                record["rank"] = int(ranking.rank[row]) + 1
            if ranking.score is not None:
                record["score"] = float(ranking.score[row])
            yield record | record_of(ranking.details, row)
        above += len(ranking)


def missing_scores(count: int, results: int) -> str:
    """The note on lists in which only some results have a score."""
    return f"{count} of {results} results have no score, so scores are not used; lists keep their order"


def _ranks_of_some(topic: list[str], listed: AbstractSet[str], score: list[float | None]) -> FloatArray:
    """Ranks where only some topics have lists: these as they stand, rows of the others by score."""
    key = [0.0 if name in listed or one is None else -one for name, one in zip(topic, score, strict=True)]
    ranks = np.empty(len(topic))
    ranks[np.argsort(key, kind="stable")] = np.arange(len(topic))
    return ranks


def _settle_strings(strings: list[int], document: list[str], quoted: dict[int, str], placed: bool) -> bool:
    """Make names or texts of strings in lists, and say whether the truth may still decide otherwise.

    Beside other results they are what these are. Where all results are strings they are names, unless some look like
    text.
    """
    alone = len(strings) == len(document)
    if any(map(is_text, (document[row] for row in strings))) if alone else bool(quoted) or placed:
        for row in strings:
            quoted[row], document[row] = document[row], ""
    return alone and bool(strings)


def _ranks_of_items(topic: list[str], items: list[int], score: FloatArray | None) -> FloatArray:
    """Ranks from 1 where some items have several rows: by score, else as they come."""
    order = sorted(range(len(items)), key=lambda row: (0.0 if score is None else -float(score[row]), items[row]))
    known: dict[str, dict[int, int]] = {}
    for row in order:
        held = known.setdefault(topic[row], {})
        held.setdefault(items[row], len(held) + 1)
    return np.array([known[topic[row]][items[row]] for row in range(len(items))], dtype=np.float64)


def _returns_nothing(fields: Fields) -> bool:
    """Whether a line says that the run returns nothing for its topic, on purpose."""
    fields.name("topic")
    if fields.value["results"] != []:
        fields.fail("results must be an empty list, or left out", "give every result a line of its own")
    elif any(fields.value.get(name) is not None for name in ("doc", "start", "end", "score", "rank")):
        fields.fail("has both a result and an empty list of results", "keep one of them")
    return fields.good


def _named_by_question(
    topic: list[str],
    own_ids: list[tuple[Any, Any]],
    empty: list[tuple[str, Fields]],
    line: list[int],
    problems: Problems,
) -> tuple[list[str], dict[str, Fields], NamedApart]:
    """The names of topics, those without results, and the questions of ids beside them."""
    questions = [*topic, *(name for name, _ in empty)]
    every = [*own_ids, *((fields.value.get(ENTRY_ID), None) for _, fields in empty)]
    named = NamedApart(questions, {})
    if any(entry is not None or row is not None for entry, row in every):
        named = named_apart(questions, *zip(*every, strict=True))
    if named.repeated is not None:
        lines = [*line, *(fields.number for _, fields in empty)]
        first, second = sorted(lines[row] for row in named.repeated)
        what = two_lists(questions[named.repeated[1]], f"line {first}", f"line {second}")
        problems.report(what, second, remedy=ONE_LIST)
    none_found: dict[str, Fields] = {}
    for name, (_, fields) in zip(named.names[len(topic) :], empty, strict=True):
        none_found.setdefault(name, fields)
    return named.names[: len(topic)], none_found, named
