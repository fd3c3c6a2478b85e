"""Relevant and retrieved spans as tables: CSV and Parquet."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

from berrypick.data.exchange import one_set_each
from berrypick.data.origin import Origin
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.files.files import head, is_parquet
from berrypick.formats._records import RecordsFormat, RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.chosen_fields import ChosenFields
from berrypick.rows.column_plan import typed_run
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.fields import TABLE, Aliases, Role, has_name, is_span_header, plain_name
from berrypick.rows.json_lines import span_fields
from berrypick.rows.relevance_fields import OF_TRUTHS_ALONE, is_beir
from berrypick.rows.run_rows import as_read, rows_of_run, run_of_columns, run_of_rows
from berrypick.rows.span_scan import scan_judged_table, scan_table, typed_judgements
from berrypick.rows.table_files import (
    MAGIC,
    Part,
    header_of,
    parquet_names,
    run_column,
    table_header,
    table_parts,
    table_rows,
    typed_parquet,
    write_csv,
    write_parquet,
)
from berrypick.rows.truth_rows import rows_of_truth, truth_of_rows

#: Columns that only runs have, and only truths.
OF_RUNS = ("score", "distance", "rank")
OF_TRUTHS = ("grade", "judged", "is_impossible")


def _has_columns(header: set[str], role: Role, ours: tuple[str, ...]) -> bool:
    own = "quote" if role == "truth" else "tag"
    if role == "truth" and not {"set", "hop"}.isdisjoint(header) and {"rank", "score"}.isdisjoint(header):
        return True
    known = {**TABLE[role], "grade": Aliases(OF_TRUTHS_ALONE)}
    return own in header or any(has_name(header, known[name]) for name in ours)


def _without_null(row: dict[str, Any]) -> dict[str, Any]:
    """An empty cell says nothing, so that no answer is a switch in tables."""
    return {"topic": row["topic"], "is_impossible": True} if "answer" in row else row


def _in_columns(row: dict[str, Any]) -> dict[str, Any]:
    """A box and the size of its page as columns."""
    if "page" not in row:
        return row
    edges = dict(zip(("x0", "y0", "x1", "y1"), row.pop("box", ()), strict=False))
    sizes = dict(zip(("page_width", "page_height"), row.pop("page_size", ()), strict=False))
    return row | edges | sizes


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    order = ["topic", "doc", "start", "end", "start_line", "end_line", "start_time", "end_time", "page", "x0", "y0",
             "x1", "y1", "page_width", "page_height", "quote", "text", "grade", "set", "hop", "rank", "score", "tag",
             "offsets", "judged", "is_impossible"]  # fmt: skip
    used = dict.fromkeys(("topic", "doc") if rows else ())  # a table has both, also if no row names a document
    used |= dict.fromkeys(name for row in rows for name in row)
    return [*(name for name in order if name in used), *(name for name in used if name not in order)]


def _comments(value: Truth | Run) -> str:
    """Topics whose rows would be taken for comments; empty if there are none."""
    bad = next((topic for topic in value.topics if topic.lstrip().startswith(("#", "\ufeff"))), None)
    return f"a row cannot begin with {bad!r}" if bad is not None else ""


def first_names(path: str) -> list[str]:
    """The names of fields in the first row of a table or of JSON Lines, or in the first rows of a JSON list."""
    if is_parquet(path):
        return parquet_names(path)
    first = head(path)
    text = "\n".join(first).lstrip("\ufeff \t\n")
    if text.startswith("["):
        return list(dict.fromkeys(line_names(text[1:])))
    return line_names(first[0]) if text.startswith("{") else [*header_of(first)] if first else []


class _SpanTable(RecordsFormat):
    """The columns of a format of JSON lines."""

    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".parquet")
    without: ClassVar[tuple[Role, tuple[str, ...]]]  # columns that such a table does not have

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        if lines[0].startswith(MAGIC):
            return True
        header = header_of(lines)
        of_beir = cls.role == "truth" and is_beir(map(plain_name, header))
        return is_span_header(header) and (of_beir or not _has_columns(header, *cls.without))

    @classmethod
    def accepts(cls, value: Any) -> str:
        return cls.lines.accepts(value) or _comments(value)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        rows = cls._rows(value)
        write_csv(rows, _columns(rows), out)

    @classmethod
    def write_parquet(cls, value: Any, out: Any) -> None:
        rows = cls._rows(value)
        write_parquet(rows, _columns(rows), out)

    @classmethod
    def _rows(cls, value: Any) -> list[dict[str, Any]]:
        records = rows_of_run(value) if isinstance(value, Run) else rows_of_truth(value)
        rows = (_in_columns(_without_null(record)) for record in records)
        return [one for row in rows for one in one_set_each(row)]


class SpanTableTruth(_SpanTable, TruthRecords):
    """Relevant spans as a table, CSV or Parquet: columns ``topic``, ``doc``, ``start``, ``end``, perhaps ``grade``.

    The first row names the columns, in any order; others are fields of topics. They mean the same as the JSON fields of
    span-truth; columns ``quote``, ``offsets``, ``judged``, ``is_impossible``, ``set`` and ``hop`` are possible too (a
    span of several sets has a row for each). CSV cells are separated by commas (or all by TABs, or by semicolons, where
    numbers may have decimal commas) and may be quoted; an empty cell is a missing value. Parquet needs pyarrow.

    Sample::

        topic,doc,start,end,grade
        1,guide.md,120,260,1
        1,faq.md,0,80,0.5
    """

    format_name: ClassVar[str] = "span-table-truth"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ("PAR1", ",", "\t", ";")
    before: ClassVar[tuple[str, ...]] = ("span-table-run",)
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = "topic,doc,start,end,grade"
    without: ClassVar[tuple[Role, tuple[str, ...]]] = ("run", OF_RUNS)
    holds_empty_topics: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = TruthRecords.lines.holds

    takes_fields: ClassVar[bool] = True

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        chosen = ChosenFields.of(options.get("fields"))
        if not chosen and (topics := cls._judged(path)) is not None:
            return Truth("spans", topics, Origin(path, cls.format_name))
        reader = FieldParser("truth", chosen=chosen)
        needed = () if options.get("fields") else ("topic", "doc")
        rows = span_fields(table_rows(path, problems, needed, reader), reader, problems)
        truth = truth_of_rows(rows, problems, path).changed(format=cls.format_name)
        reader.refuse_unknown(path)
        return truth

    @staticmethod
    def _judged(path: str) -> dict[str, TopicTruth] | None:
        """Judged spans that are read column by column; None if rows have to be read one by one."""
        if is_parquet(path):
            table = typed_parquet(path, "truth")
            return None if table is None else typed_judgements(table.plan, table.columns, table.line)
        header = table_header(path)
        return None if header is None else scan_judged_table(path, *header)


class SpanTableRun(_SpanTable, RunRecords):
    """Retrieved spans as a table, CSV or Parquet: columns ``topic``, ``doc``, ``start``, ``end``, ``rank``, ``score``.

    Of rank and score either may be missing, or both; ``tag`` in the first row names the run. The columns
    and the order they give are those of span-run; tables are written as in span-table-truth. A column ``run`` names the
    run of each row, so that one table holds several; of a Parquet file in the order of its runs one is read at a time.

    Sample::

        topic,doc,start,end,score
        1,guide.md,100,300,7.1
        1,faq.md,0,200,6.4
    """

    format_name: ClassVar[str] = "span-table-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ("PAR1", ",", "\t", ";")
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = "topic,doc,start,end,score"
    holds: ClassVar[frozenset[str]] = RunRecords.lines.holds
    states_empty_lists: ClassVar[bool] = False  # unless a Parquet file has columns of lists
    without: ClassVar[tuple[Role, tuple[str, ...]]] = ("truth", OF_TRUTHS)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        """``part``: one run of a Parquet file of several."""
        part: Part | None = options.get("part")
        parser = FieldParser("run")
        if (table := typed_parquet(path, "run", part) if is_parquet(path) else None) is not None:
            columns = typed_run(table.plan, table.columns)
            if columns is not None:
                parser.leave((*table.left, *table.unread))
                return as_read(run_of_columns({**columns, "tag": table.tag, "line": table.line}, path), parser)
        header = table_header(path) if part is None else None
        if header is not None and (columns := scan_table(path, *header, parser)) is not None:
            return as_read(run_of_columns(columns, path), parser)
        rows = span_fields(table_rows(path, problems, ("topic", "doc"), parser, part), parser, problems)
        return as_read(run_of_rows(rows, problems, path), parser)

    @classmethod
    def split(cls, path: str) -> list[Run | Part]:
        """The runs of a table with a column ``run``: parts of a Parquet file, to be read when they are needed, or all
        read where their rows are mixed and in CSV. Empty if there is no such column."""
        if is_parquet(path):
            parts = table_parts(path)
            return [*parts] if parts is not None else [*cls._read_all(path)]
        if not path.lower().removesuffix(".gz").endswith((".csv", ".tsv")):
            return []
        header = header_of(head(path) or [""])
        of_runs = is_span_header(header) and run_column(header) and not _has_columns(header, "truth", OF_TRUTHS)
        return [*cls._read_all(path)] if of_runs else []

    @classmethod
    def _read_all(cls, path: str) -> list[Run]:
        rows: dict[str, list[Any]] = {}
        problems = Problems(path)
        reader = FieldParser("run")
        table = table_rows(path, problems, ("topic", "doc", "run"), reader)
        for number, text, fields in span_fields(table, reader, problems):
            name = "" if fields.get("run") is None else str(fields["run"])
            if not name:
                problems.report("run is missing", number, text, "name the run in every row")
            rows.setdefault(name, []).append((number, text, fields))
        runs = [run_of_rows(iter(held), problems, path) for held in rows.values()]
        return [as_read(run, reader) for run in runs]
