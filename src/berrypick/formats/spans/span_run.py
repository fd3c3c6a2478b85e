"""Retrieved spans as JSON Lines."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

from berrypick.data.run import Run
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.spans.span_truth import is_span_line, is_task, line_names, span_records
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.fields import plain_name
from berrypick.rows.json_lines import write_lines
from berrypick.rows.relevance_fields import OF_TRUTHS_ALONE
from berrypick.rows.run_rows import as_read, rows_of_run, run_of_columns, run_of_rows
from berrypick.rows.span_scan import scan_spans
from berrypick.rows.values import result_counts

#: Fields that only truths have.
OF_TRUTHS = ("grade", "judged", "answer", "is_impossible", "quote")


class SpanRun(Format):
    """Retrieved spans, one JSON object per line: ``topic``, ``doc``, ``start``, ``end``, perhaps ``rank`` or ``score``.

    With ranks the order is by rank, and lines with the same rank are one list item that points to several places;
    else with scores by score, largest first, file order within ties; else the order of the lines. A line may hold a
    topic with a list of results (``results``, ``contexts``, ``documents``, ...): a list is in ranked order, whatever
    its scores. The option ``order`` says otherwise. Offsets as in
    span-truth; a file without any offsets retrieves whole documents, or, if its lines have ``text``, the places where
    these texts stand in the documents given as documents. ``text`` beside offsets is checked against the documents, if
    these are given; without them it must have their length. Names of fields as in span-truth. ``tag`` in the first
    line names the run.
    Rows of an agent's steps may say what these cost and whether they were used: ``tokens``, ``seconds``, ``lines``,
    ``used``.
    Rows may name the ``stage`` of a pipeline that they belong to: each stage is a list of its own, and the last one is
    scored (option stage).
    ``{"topic": "9", "results": []}`` says that the run returns nothing for a topic on purpose. A line may hold the list
    of results of its topic (``results``, ``retrieved``, ``contexts`` ..); a topic has one such line. A topic that a
    file with such lines does not mention is absent; in a file of rows alone it counts as an empty list (option
    missing).
    ``id`` beside a ``question`` names the topic where the truth has a topic of that name.

    Sample::

        {"topic": "1", "doc": "guide.md", "start": 100, "end": 300, "score": 7.1}
        {"topic": "1", "doc": "faq.md", "start": 0, "end": 200, "score": 6.4}
    """

    format_name: ClassVar[str] = "span-run"
    role: ClassVar[Role] = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    before: ClassVar[tuple[str, ...]] = ("genomics-run", "inex-fol-run", "mediaeval-run")
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = '{"topic": "1", "doc": "guide.md", "start": 100, "end": 300, "score": 7.1}'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")
    json_names: ClassVar[tuple[str, ...]] = ("topic", "doc", "start", "end", "score", "rank", "text")
    holds_empty_topics: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"places on pages", "lines", "seconds", "stages"})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return is_span_line(line_names(lines[0]), lines[0]) and not any(map(_is_other, lines))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        reader = FieldParser("run")
        columns = scan_spans(path, reader)
        if columns is None:
            run = run_of_rows(span_records(path, problems, reader), problems, path)
        else:
            run = run_of_columns(columns, path)
        return as_read(run, reader)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run):
            return "it is not a run"
        return "the run points to elements by their paths" if value.path is not None else ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_lines(rows_of_run(value), out)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        names = ", ".join(one.stage for one in value.stages)
        stages = [f"stages {names} (counts of the last)"] if value.earlier else []
        return [*result_counts(value), *([f"tag {value.tag}"] if value.tag else []), *stages]


def _is_other(first: str) -> bool:
    """Whether a line is one of a truth, or a task to be judged."""
    names = line_names(first)
    graded = any(name in OF_TRUTHS or plain_name(name) in OF_TRUTHS_ALONE for name in names)
    in_sets = any(name in ("set", "hop") for name in names) and not any(name in ("rank", "score") for name in names)
    return graded or in_sets or is_task(first)
