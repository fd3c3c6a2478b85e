"""Retrieved spans as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.assemble import assemble
from berrypick.core.boxes import Boxes, Place
from berrypick.core.columns import LineRange
from berrypick.core.run import Run, place_record
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.io.json_lines import Fields, Rows, plain, positions, write_lines
from berrypick.formats.io.span_scan import scan_spans
from berrypick.formats.io.step_details import StepDetails, record_of
from berrypick.formats.io.values import result_counts
from berrypick.formats.span_truth import PAGES, is_span_line, is_task, line_names, span_records
from berrypick.inputs.counted_places import UNIT
from berrypick.inputs.fields import FieldReader, ours_of
from berrypick.inputs.layouts import one_place_each

#: Fields that only truths have.
OF_TRUTHS = ("grade", "judged", "answer", "is_impossible", "quote")
#: Names that are those of grades in a truth only.
OF_SCORES = ("score",)
SEVERAL = "several runs are a table (CSV or Parquet) with a column run, or a file for each"


class SpanRun(Format):
    """Retrieved spans, one JSON object per line: ``topic``, ``doc``, ``start``, ``end``, perhaps ``rank`` or ``score``.

    With ranks the order is by rank, and lines with the same rank are one list item that points to several places;
    else with scores by score, largest first, file order within ties; else the order of the lines. Offsets as in
    span-truth; a file without any offsets retrieves whole documents, or, if its lines have ``text``, the places where
    these texts stand in the documents given as documents. ``text`` beside offsets is checked against the documents, if
    these are given; without them it must have their length. Names of fields as in span-truth. ``tag`` in the first
    line names the run.
    Rows of an agent's steps may say what these cost and whether they were used: ``tokens``, ``seconds``, ``lines``,
    ``used``.
    ``{"topic": "9", "results": []}`` says that the run returns nothing for a topic on purpose.

    Sample::

        {"topic": "1", "doc": "guide.md", "start": 100, "end": 300, "score": 7.1}
        {"topic": "1", "doc": "faq.md", "start": 0, "end": 200, "score": 6.4}
    """

    format_name: ClassVar[str] = "span-run"
    role: ClassVar[Role] = "run"
    shape: ClassVar[str] = '{"topic": "1", "doc": "guide.md", "start": 100, "end": 300, "score": 7.1}'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")
    json_names: ClassVar[tuple[str, ...]] = ("topic", "doc", "start", "end", "score", "rank", "text")
    holds_empty_topics: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"places on pages", "lines", "seconds"})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return is_span_line(line_names(lines[0]), lines[0]) and not any(map(_is_other, lines))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        reader = FieldReader("run")
        columns = scan_spans(path, reader)
        if columns is None:
            run = cls.from_records(span_records(path, problems, reader), problems, path)
        else:
            texts, line = columns.pop("text"), columns["line"]
            run = cls.of_columns(columns, path)
            if texts is not None and run.line is not None:
                rows = np.searchsorted(line[:], run.line)
                run = run.changed(quoted=cls._quoted(texts, rows))
        return run.changed(unread=tuple(reader.unread))

    @staticmethod
    def _quoted(texts: list[str], rows: IntArray) -> dict[int, str]:
        """The texts of rows in the order of the run; a chunk that is retrieved for many topics is kept once."""
        once: dict[str, str] = {}
        held = ((i, texts[row]) for i, row in enumerate(rows.tolist()))
        return {i: once.setdefault(text, text) for i, text in held if text.strip()}

    @classmethod
    def of_columns(cls, columns: dict[str, Any], path: str) -> Run:
        """A run whose columns have been checked, as :func:`assemble` takes them."""
        order: Any = next((name for name in ("rank", "score") if columns[name] is not None), "file")
        if isinstance(line := columns["line"], LineRange):
            columns = {**columns, "line": replace(line, kind=np.int64)}
        run = assemble(**columns, order=order, source=path, format=cls.format_name, duplicates="keep")
        lines = vars(run).get("line")  # unless they are still a range
        return run if lines is None else run.changed(line=lines.astype(np.int64))

    @classmethod
    def from_records(cls, rows: Rows, problems: Problems, path: str) -> Run:
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
        empty: dict[str, Fields] = {}
        once: dict[str, str] = {}  # a chunk is retrieved for many topics
        others: dict[str, tuple[str, ...]] = {}
        items: list[int] = []  # rows of several places are one item of the list
        details, unit = StepDetails(), ""
        tag = name = ""
        for item, number, text, value in one_place_each(rows):
            fields = Fields(number, text, value, problems)
            if not tag and isinstance(value.get("tag"), str):
                tag = value["tag"]
            if "results" in value:
                _returns_nothing(fields, empty)
                continue
            unnamed = value.get("doc") is None and _says_by_text(value)
            names = fields.name("topic"), "" if unnamed else fields.name("doc")
            place = None if PAGES.isdisjoint(value) else fields.place(empty_allowed=True)
            span = fields.span(empty_allowed=True) if place is None else None
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
            for column, other, key in ((score, given[0], "score"), (rank, given[1], "rank")):
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
            document.append(names[1])
            line.append(number)
            score.append(given[0])
            rank.append(given[1])
            items.append(item)
            if isinstance(words := value.get("text"), str) and words.strip():
                quoted[len(line) - 1] = once.setdefault(words, words)
            if (files := value.get("doc_else")) is not None:
                others[names[1]] = files if others.get(names[1], files) == files else ()
            if span is not None:
                start.append(span[0])
                end.append(span[1])
            if place is not None:
                places.append(place)
        boxes = Boxes.of(places) if places else None
        begin, stop = (positions(start), positions(end)) if start else boxes.extent() if boxes else (None, None)
        ranks = np.array(rank, dtype=np.float64) if rank and rank[0] is not None else None
        scores = np.array(score, dtype=np.float64) if score and score[0] is not None else None
        if ranks is None and places and len({*items}) < len(items):
            ranks = _ranks_of_items(topic, items, scores)
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
            order="rank" if ranks is not None else "score" if scores is not None else "file",
            source=path,
            format=cls.format_name,
            duplicates="keep",
        )
        for name in run.topics:
            if name in empty:
                empty[name].fail(f"topic {name} is said to have no results, but other lines have some")
        run = run.with_empty(empty)
        rows = run.line if run.line is not None else np.arange(len(line))
        held = details.columns(rows)
        run = replace(run, line=np.array(line, dtype=np.int64)[rows], other_names=others, unit=unit, details=held)
        if not quoted:
            return run
        return replace(run, quoted={i: quoted[row] for i, row in enumerate(rows.tolist()) if row in quoted})

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run):
            return "it is not a run"
        return "the run points to elements by their paths" if value.path is not None else ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_lines(cls.to_records(value), out)

    @classmethod
    def to_records(cls, value: Any) -> Iterator[dict[str, Any]]:
        """A run as lines have it; the first one names it."""
        tag = {"tag": value.tag} if value.tag else {}
        for record in _results(value):
            yield record | tag
            tag = {}

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return [*result_counts(value), *([f"tag {value.tag}"] if value.tag else [])]


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


def _ranks_of_items(topic: list[str], items: list[int], score: FloatArray | None) -> FloatArray:
    """Ranks from 1 where some items have several rows: by score, else as they come."""
    order = sorted(range(len(items)), key=lambda row: (0.0 if score is None else -float(score[row]), items[row]))
    known: dict[str, dict[int, int]] = {}
    for row in order:
        held = known.setdefault(topic[row], {})
        held.setdefault(items[row], len(held) + 1)
    return np.array([known[topic[row]][items[row]] for row in range(len(items))], dtype=np.float64)


def _returns_nothing(fields: Fields, empty: dict[str, Fields]) -> None:
    """A topic for which the run returns nothing on purpose."""
    topic = fields.name("topic")
    if fields.value["results"] != []:
        fields.fail("results must be an empty list, or left out", "give every result a line of its own")
    elif any(fields.value.get(name) is not None for name in ("doc", "start", "end", "score", "rank")):
        fields.fail("has both a result and an empty list of results", "keep one of them")
    elif fields.good:
        empty.setdefault(topic, fields)


def _is_other(first: str) -> bool:
    """Whether a line is one of a truth, or a task to be judged."""
    names = line_names(first)
    graded = any(name in OF_TRUTHS or ours_of(name, "truth") == "grade" for name in names if name not in OF_SCORES)
    in_sets = any(name in ("set", "hop") for name in names) and not any(name in ("rank", *OF_SCORES) for name in names)
    return graded or in_sets or is_task(first)
