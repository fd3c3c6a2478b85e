"""Tables with our column names, and the truth or the runs that they hold.

Every input that is not a file becomes such a table: data frames, records, dictionaries, objects of retrieval libraries.
What the columns mean is said by the formats span-truth and span-run; rows of whole documents with scores, and without
ranks, are ordered as in a TREC run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.assemble import assemble, in_trec_order
from berrypick.data.columns import Coded, LineRange, NameColumn, unpacked
from berrypick.data.costs import TOPIC_COSTS
from berrypick.data.errors import InputError, UsageError, option, shorten
from berrypick.data.origin import Origin
from berrypick.data.run import Duplicates, Missing, Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted, plain_title
from berrypick.documents.placed import CALLED_BY_FILE, FOUND_BY_TEXT
from berrypick.files.problems import Problems
from berrypick.files.scan import LONG
from berrypick.inputs.text_search import TextSearch as TextSearch
from berrypick.kernels import native
from berrypick.rows.arrow_columns import in_order
from berrypick.rows.chosen_fields import NOTHING_CHOSEN, ChosenFields
from berrypick.rows.column_plan import LARGEST, are_names, checked_numbers
from berrypick.rows.counted_places import DETAIL_NUMBERS, UNIT
from berrypick.rows.entries import ENTRY_ID, ONE_LIST, NamedApart, named_apart, two_lists
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_rows import FieldError, FieldRow, names_of
from berrypick.rows.field_values import checked_length
from berrypick.rows.fields import PAGE_NAMES, Role, is_question, plain_name
from berrypick.rows.json_lines import Fields, positions
from berrypick.rows.loader_fields import PAGE_FIELDS
from berrypick.rows.row_lists import LISTED, OF_TOPIC, STRING
from berrypick.rows.run_parser import WAITS
from berrypick.rows.run_rows import run_of_columns, run_of_rows
from berrypick.rows.span_scan import judged_topics
from berrypick.rows.stage_rows import NAME_ALL, NO_NAME, ONLY_SOME, run_of_stages, stage_name
from berrypick.rows.step_details import checked
from berrypick.rows.truth_rows import truth_of_rows

#: Columns that hold names, and those that hold numbers.
NAMES = ("topic", "doc", "run", "set", "hop")
NUMBERS = ("start", "end", "length", "rank", "score", "grade", "page", "page_index", "x0", "y0", "x1", "y1",
           "page_width", "page_height", *DETAIL_NUMBERS)  # fmt: skip
#: Of these, those that may be yes or no; a place that is true is a mistake.
YES_OR_NO = ("score", "grade")


@dataclass(frozen=True)
class ColumnTable:
    """Columns by our names; ``number`` is what messages call a row."""

    columns: Mapping[str, Sequence[Any]]
    where: str
    number: Sequence[int]
    #: Topics that are known even if they have no row.
    topics: tuple[str, ...] = ()
    #: Rows come from lists in ranked order, which counts whatever the scores are.
    lists: bool = False
    notes: tuple[str, ...] = ()
    #: Fields of the input that are not among the columns.
    unread: tuple[str, ...] = ()
    #: What columns are called in the input.
    called: Mapping[str, str] = field(default_factory=dict)
    #: Whether the input can state an empty list, so that a topic that it does not mention is absent.
    nested: bool = False
    #: The costs of topics that have no row to hold them.
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of_columns(cls, columns: Mapping[str, Sequence[Any]], where: str) -> ColumnTable:
        return cls(columns, where, range(1, len(next(iter(columns.values()), ())) + 1))

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], where: str) -> ColumnTable:
        """Rows with our names, of which each has some."""
        names = dict.fromkeys(name for row in rows for name in row)
        return cls.of_columns({name: [row.get(name) for row in rows] for name in names}, where)

    @classmethod
    def of_fields(
        cls, rows: Iterable[Mapping[str, Any]], role: Role, where: str, chosen: ChosenFields = NOTHING_CHOSEN
    ) -> ColumnTable:
        """Rows with the names that others use."""
        reader = FieldParser(role, ends=False, chosen=chosen)
        found, numbers = list[Mapping[str, Any]](), list[int]()
        called: dict[str, str] = {}
        for number, row in enumerate(rows, start=1):
            try:
                held = reader.read({name: v if type(v) is str else _present(v) for name, v in row.items()})
            except FieldError as error:
                text = shorten(str({name: value for name, value in row.items() if value is not None}))
                raise InputError(error.what, path=where, line=number, text=text, remedy=error.remedy) from None
            if role == "run" and held and (twice := reader.entries.add(held[0], 0, reader.is_entry)):
                raise InputError(twice, path=where, line=number, remedy=ONE_LIST)
            found += held
            numbers += [number] * len(held)
            for one in held[:1]:  # an empty list of what is relevant gives no row
                called |= names_of(one)
        table = replace(cls.of_rows(found, where), number=numbers, unread=tuple(reader.unread), called=called)
        return replace(table, nested=reader.entries.nested)

    def plain(self) -> ColumnTable:
        """Values as Python has them, None where one is missing, and ids as texts."""
        notes = list(self.notes)
        columns = {name: _plain_column(name, values, notes) for name, values in self.columns.items()}
        return replace(self, columns=columns, notes=tuple(notes))

    def __len__(self) -> int:
        return len(self.number)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def rows(self) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Every row with the values that it has."""
        for number, cells in zip(self.number, zip(*map(spelt, self.columns.values()), strict=True), strict=True):
            fields = FieldRow({name: cell for name, cell in zip(self.columns, cells, strict=True) if cell is not None})
            fields.called = self.called
            shown = {name: cell for name, cell in fields.items() if name != "text" and not name.startswith("_")}
            yield number, str(shown), fields

    def without(self, *names: str) -> ColumnTable:
        return replace(self, columns={name: values for name, values in self.columns.items() if name not in names})

    def take(self, rows: Sequence[int]) -> ColumnTable:
        columns = {name: _of_rows(values, rows) for name, values in self.columns.items()}
        return replace(self, columns=columns, number=[self.number[row] for row in rows])

    def spelt(self) -> ColumnTable:
        """The table with the values of all columns as Python has them."""
        return replace(self, columns={name: spelt(values) for name, values in self.columns.items()})

    def place(self, row: int) -> str:
        """How messages refer to a row."""
        if self.lists:
            return f"topic {self.columns['topic'][row]}, rank {self.columns[LISTED][row]}"
        return f"{self.where}:{self.number[row]}"

    def error(self, row: int, what: str, remedy: str = "") -> InputError:
        held = {name: spelt(values)[row] for name, values in self.columns.items() if not name.startswith("_")}
        fields = {name: value for name, value in held.items() if value is not None}
        return InputError(what, path=self.place(row), text=str(fields), remedy=remedy)


def spelt(column: Any) -> Sequence[Any]:
    """The values of a column as Python has them, also of names with codes and of arrays."""
    if isinstance(column, Coded):
        names = list(column.names)
        return [names[code] for code in column.codes.tolist()]
    return column.tolist() if isinstance(column, np.ndarray) else column


def _of_rows(column: Any, rows: Sequence[int]) -> Any:
    if isinstance(column, Coded):
        return in_order(column.names, column.codes[np.asarray(rows)])
    return column[np.asarray(rows)] if isinstance(column, np.ndarray) else [column[row] for row in rows]


def _is_typed(column: Any) -> bool:
    return isinstance(column, (Coded, np.ndarray))


# --- values -----------------------------------------------------------------------------------------------------------


def _plain_column(name: str, values: Any, notes: list[str]) -> Any:
    if _is_typed(values):
        return values
    if name in NAMES:
        return plain_names(name, values, notes)
    if (kinds := {*map(type, values)}) <= {int, str} or (kinds == {float} and not any(map(isnan, values))):
        return list(values)
    convert = _grade if name in YES_OR_NO else _number if name in NUMBERS else _present
    return [value if type(value) is float and value == value else convert(value) for value in values]


def plain_names(name: str, values: Sequence[Any], notes: list[str]) -> list[Any]:
    """Texts; whole numbers as texts, also those that have become 1.0 where other values of the column are missing."""
    if {*map(type, values)} == {str}:
        return list(values)
    found, points = [], 0
    for value in values:
        if type(value) is not str:
            value = _present(value)
            if isinstance(value, float) and value.is_integer():
                points += 1
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool):
                value = str(value)
        found.append(value)
    if points:
        example = next(value for value in map(_present, values) if isinstance(value, float) and value.is_integer())
        shown = f"({example} as {int(example)})"
        notes.append(f"{name}: {counted(points, 'number')} with a decimal point read as whole {shown}")
    return found


def _present(value: Any) -> Any:
    """A value as Python has it; None for what is missing: NaN, and NA of pandas."""
    if value is None or value is getattr(sys.modules.get("pandas"), "NA", None):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value


def _number(value: Any) -> Any:
    value = _present(value)
    decimal = sys.modules.get("decimal")  # whoever has such numbers has loaded it
    return float(value) if decimal is not None and isinstance(value, decimal.Decimal) else value  # SQL


def _grade(value: Any) -> Any:
    value = _number(value)
    return float(value) if isinstance(value, bool) else value


def _with_ends(table: ColumnTable, search: TextSearch) -> ColumnTable:
    """Where a row has a start and no end, the end follows from its text, else from its length."""
    if "start" not in table or not ("length" in table or "text" in table):
        return table.without("length")
    missing = [None] * len(table)
    starts, ends, lengths, texts = (table.columns.get(name, missing) for name in ("start", "end", "length", "text"))
    found, units = list(ends), table.columns.get("offsets", missing)
    for row, (start, end, length, text) in enumerate(zip(starts, ends, lengths, texts, strict=True)):
        if is_number(start) and end is None:
            if isinstance(text, str) and text:
                found[row] = start + (len(text) if units[row] == "chars" else search.count(text))
            elif length is not None:
                try:
                    found[row] = start + checked_length(length)
                except FieldError as error:
                    raise table.error(row, error.what, error.remedy) from None
    return replace(table.without("length"), columns={**table.without("length").columns, "end": found})


def _with_units(table: ColumnTable, search: TextSearch) -> ColumnTable:
    """Libraries count characters; where offsets of runs count something else, theirs are converted to it."""
    units = table.columns.get("offsets", ())
    table = table.without("offsets")
    if search.offsets == "chars" or search.texts is None or "chars" not in units:
        return table
    starts, ends = list(table.columns["start"]), list(table.columns["end"])
    for row in (row for row, unit in enumerate(units) if unit == "chars"):
        text = search.texts.text(str(table.columns["doc"][row]), table.place(row))
        if max(starts[row], ends[row]) > len(text):
            raise table.error(row, "the span goes beyond the end of the document")
        starts[row], ends[row] = search.convert(str(table.columns["doc"][row]), starts[row], ends[row])
    return replace(table, columns={**table.columns, "start": starts, "end": ends})


def is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, (bool, str))


# --- a truth ----------------------------------------------------------------------------------------------------------


def _needs_no_grade(table: ColumnTable, row: int) -> bool:
    """Whether a row speaks of a whole document, or of its topic alone."""
    unjudged = _cell(table, "judged", row) is not None and _cell(table, "doc", row) is None
    return unjudged or any(_cell(table, name, row) for name in ("is_impossible", "judged"))


def truth_of_table(table: ColumnTable) -> Truth:
    """Judgements; a column of grades has one in every row."""
    if not len(table):
        raise UsageError(f"{table.where}: the truth judges nothing")
    if not {*table.columns} <= _TYPED | {"grade"}:
        table = table.spelt()
    table = _with_ends(table.plain().without("doc_else"), TextSearch())
    given = table.columns.get("grade", ())
    missing = [] if _is_typed(given) else [row for row, grade in enumerate(given) if grade is None]
    row = next((row for row in missing if not _needs_no_grade(table, row)), None)
    if row is not None:
        name = table.called.get("grade", "grade")
        remedy = f"give {name} in every row, or remove it (all are 1)"
        raise table.error(row, "grade is missing", remedy)
    problems = Problems(table.where)
    truth = _plain_truth(table) or truth_of_rows(table.rows(), problems, table.where)
    absent = sum(topic not in truth for topic in table.topics)
    notes = [f"{counted(absent, 'topic')} without judgements skipped"] if absent else []
    unread = tuple(dict.fromkeys((*table.unread, *truth.origin.unread)))
    notes = [*table.notes, *truth.notes, *notes]
    return truth.changed(source="", notes=tuple(notes), unread=unread, skipped=problems.counts)


def _plain_truth(table: ColumnTable) -> Truth | None:
    """Judged spans or documents column by column; None where a value is not as it should be, so that rows are looked
    at."""
    if any(ours != name for ours, name in table.called.items()):
        return None  # names say more than what is under them: a question is numbered
    if {*table.columns} not in _JUDGED or (read := _checked_columns(table)) is None:
        return None
    topic, document, numbers = read
    grade = numbers.get("grade", np.ones(len(table)))
    line = np.array(table.number, dtype=np.int64)
    span = [numbers[name].astype(np.float64) for name in ("start", "end") if name in numbers]
    topics = judged_topics(topic, document, grade, line, *span)
    if topics is None:
        return None
    return Truth("spans" if span else "documents", topics, Origin(table.where, "span-truth"))


#: Columns that spans have.
_PLACED = ("topic", "doc", "start", "end")
#: Columns that plain judgements have.
_JUDGED = ({*_PLACED}, {*_PLACED, "grade"}, {"topic", "doc", "grade"})


def _checked_columns(table: ColumnTable) -> tuple[Coded, Coded, dict[str, Any]] | None:
    """Topics, documents and numbers of spans or documents; None where a value is not as it should be."""
    names = {name: table.columns[name] for name in ("topic", "doc")}
    numbers = {name: values for name, values in table.columns.items() if name not in (*names, "text")}
    if any(not _is_typed(values) and {*map(type, values)} != {str} for values in names.values()):
        return None
    if any(not _is_typed(values) and not {*map(type, values)} <= {int, float} for values in numbers.values()):
        return None
    topic, document = (one if isinstance(one, Coded) else Coded.of(one) for one in names.values())
    if not are_names(topic) or not are_names(document):
        return None
    if any(not _is_typed(values) and not max(map(abs, values)) < LARGEST for values in numbers.values()):
        return None
    found = {name: np.asarray(values, None if _is_typed(values) else np.float64) for name, values in numbers.items()}
    checked = checked_numbers(found)
    return None if checked is None else (topic, document, checked)


def _cell(table: ColumnTable, name: str, row: int) -> Any:
    return spelt(_of_rows(table.columns[name], [row]))[0] if name in table else None


# --- runs -------------------------------------------------------------------------------------------------------------


def runs_of_table(table: ColumnTable, search: TextSearch, tag: str = "") -> list[Run]:
    """The run that a table holds, or one for every name in its column ``run``."""
    if "run" not in table:
        return [run_of_table(table, tag, search)]
    rows: dict[Any, list[int]] = {}
    for row, name in enumerate(plain_names("run", spelt(table.columns["run"]), [])):
        if not isinstance(name, str) or not name:
            raise table.error(row, "run is missing", "name the run in every row, or remove the column")
        rows.setdefault(name, []).append(row)
    table = table.without("run")
    if len(rows) < 2:
        return [run_of_table(table, tag or next(iter(rows), ""), search)]
    return [run_of_table(table.take(chosen), name, search) for name, chosen in rows.items()]


def run_of_table(table: ColumnTable, tag: str, search: TextSearch) -> Run:
    """One run: lists in their order, rows by rank, else by score; whole documents by score as in a TREC run.

    Rows that name their stage are a run for each stage.
    """
    if stages := _stages(table):
        alone = table.without("stage")
        return run_of_stages(stages, lambda rows: run_of_table(alone.take(rows), tag, search))
    table = table.without("stage")
    if not {*table.columns} <= _TYPED or is_question(table.called.get("topic", "")):
        table = table.spelt()
    scores_alone = bool(table.topics) and not table.lists  # a dictionary of scores, which has no other order
    table, named = _named_by_question(table)
    of_number = dict(zip(table.number, named.row_ids, strict=True)) if named.row_ids else {}
    table = _without_empty_lists(table)
    if tag:
        table = replace(table, where=f"{table.where} ({tag})")
    if not len(table) and not table.topics:
        raise UsageError(f"{table.where}: no topic has any result")
    missing: Missing = "absent" if table.nested else "empty"
    if not len(table):
        run = run_of_rows((), Problems(table.where), "")
        run = with_absent(run, table.topics, table.where).changed(costs=table.costs)
        return run.changed(tag=tag, missing=missing, asked=named.asked)
    table = _with_units(_with_ends(_without_empty_columns(table.plain()), search), search)
    table = _with_file_names(table, search)
    table = _with_strings(table, search)
    of_text = "text" in table
    listed = table.lists or LISTED in table
    chunks = listed or of_text  # of which a document may have several
    table = _with_places(table, search)
    notes = list(table.notes)
    parts = "start" in table or "text" in table or any(name in table for name in PAGE_NAMES)
    if parts or "score" not in table or "rank" in table or listed:
        plain = spans_run(table) or texts_run(table)
        run = plain or run_of_rows(table.rows(), Problems(table.where), table.where)
    else:
        run = documents_run(table) or documents_run_by_rows(table)
    notes += run.notes
    if scores_alone:
        run = run.changed(disordered=0)
    notes += _disagreement(table)
    if absent := sum(topic not in run for topic in table.topics):
        notes += no_results_notes(absent)
        run = with_absent(run, table.topics, table.where)
    duplicates: Duplicates = "keep" if chunks or run.start is not None else "error"
    return run.changed(
        tag=tag,
        source="",
        duplicates=duplicates,
        notes=tuple(notes),
        unread=table.unread,
        of_text=of_text and run.start is None,
        missing="absent" if table.nested else run.of_topics.missing,
        costs={**table.costs, **run.of_topics.costs},
        asked=named.asked,
        row_ids=[of_number[number] for number in unpacked(run.line).tolist()]
        if of_number and run.line is not None
        else (),
    )


def _stages(table: ColumnTable) -> dict[str, list[int]]:
    """The rows of each stage; none where no row names one."""
    named = [_present(value) for value in table.columns.get("stage", ())]
    found: dict[str, list[int]] = {}
    for row, value in enumerate(named if any(value is not None for value in named) else ()):
        if (name := stage_name(value)) is None:
            raise table.error(row, ONLY_SOME if value in (None, "") else NO_NAME, NAME_ALL)
        found.setdefault(name, []).append(row)
    return found


def _named_by_question(table: ColumnTable) -> tuple[ColumnTable, NamedApart]:
    """The table with questions up to white space as topics, and the questions of ids beside them."""
    if table.topics or not is_question(table.called.get("topic", "")):
        return table.without(ENTRY_ID, "id"), NamedApart([], {})
    questions = [plain_title(name) if isinstance(name, str) else name for name in table.columns["topic"]]
    named = NamedApart(questions, {})
    if ENTRY_ID in table or "id" in table:
        none = [None] * len(table)
        ids = [list(map(_present, table.columns.get(name, none))) for name in (ENTRY_ID, "id")]
        named = named_apart(questions, *ids)
    if named.repeated is not None:
        first, second = sorted(named.repeated)
        what = two_lists(str(questions[second]), *(f"entry {table.number[row]}" for row in (first, second)))
        raise InputError(what, path=table.where, line=table.number[second], remedy=ONE_LIST)
    columns = {**table.without(ENTRY_ID, "id").columns, "topic": named.names}
    unread = (*table.unread, *(["id"] if named.unread else []))
    return replace(table, columns=columns, unread=unread), named


def _without_empty_lists(table: ColumnTable) -> ColumnTable:
    """The table without rows that say that their topic has no results; these topics are known all the same."""
    if "results" not in table:
        return table
    empty = [row for row, held in enumerate(table.columns["results"]) if isinstance(held, (list, tuple)) and not held]
    if not empty:
        return table
    named = table.columns["topic"]
    without = {*empty}
    kept = table.take([row for row in range(len(table)) if row not in without])
    kept = kept.without("results") if all(held is None for held in kept.columns["results"]) else kept
    topics = plain_names("topic", [named[row] for row in empty], [])
    own = table.columns.get(OF_TOPIC, [None] * len(table))
    costs = {topic: costs_in(own[row], table.place(row)) for topic, row in zip(topics, empty, strict=True) if own[row]}
    return replace(kept, topics=(*table.topics, *topics), costs={**table.costs, **costs})


def costs_in(given: Mapping[Any, Any], where: str) -> dict[str, float]:
    """The costs among the fields of a topic, checked as those of rows are."""
    problems = Problems(where, strict=False)
    held = {ours: _number(value) for name, value in given.items() if (ours := plain_name(str(name))) in TOPIC_COSTS}
    fields = Fields(0, "", held, problems)
    found = {name: checked(fields, name, value) for name, value in held.items() if value is not None}
    for problem in problems.found:
        raise InputError(problem.what.template, path=where, remedy=problem.remedy.template)
    return {name: value for name, value in found.items() if value is not None}


def with_absent(run: Run, topics: Sequence[Any], where: str) -> Run:
    """The run with topics that have no row: their names are looked at as those of rows are."""
    absent = [topic for topic in plain_names("topic", topics, []) if topic not in run]
    problems = Problems(where, strict=False)
    for topic in absent:
        Fields(0, repr({"topic": topic}), {"topic": topic}, problems).name("topic")
    for problem in problems.found:  # without the number of a row
        raise InputError(problem.what.template, path=where, text=problem.text)
    return run.with_empty(absent)


def no_results_notes(topics: int) -> tuple[str]:
    """The note on topics of a run without results."""
    return (f"{counted(topics, 'topic')} {'has' if topics == 1 else 'have'} no results",)


def _with_file_names(table: ColumnTable, search: TextSearch) -> ColumnTable:
    """Where the name of a document is one that a program made, it is called by that of its file, if a text is; else,
    if there are texts to look in, by none. Without texts the names that were judged decide, later."""
    if "doc_else" not in table or search.texts is None:
        return table
    others, table = table.columns["doc_else"], table.without("doc_else")
    if "doc" not in table:  # texts alone
        return table
    names, files, unnamed = list(table.columns["doc"]), 0, 0
    texts = table.columns.get("text") or [None] * len(table)
    for row, (name, other) in enumerate(zip(names, others, strict=True)):
        if other is None or name in search.texts:
            continue
        if known := [one for one in other if one in search.texts]:
            names[row], files = known[0], files + 1
        elif texts[row] is not None and search.spans:
            names[row], unnamed = None, unnamed + 1
    said = ((files, CALLED_BY_FILE), (unnamed, FOUND_BY_TEXT))
    notes = [note.format(counted(count, "result")) for count, note in said if count]
    return replace(table, columns={**table.columns, "doc": names}, notes=(*table.notes, *notes))


def _without_empty_columns(table: ColumnTable) -> ColumnTable:
    """Runs in one frame need not have the same columns; but scores or ranks that are all missing are a mistake."""
    held = table.without("topic").columns
    empty = [n for n, values in held.items() if not _is_typed(values) and all(value is None for value in values)]
    given = [name for name in ("rank", "score") if name in table]
    if given and all(name in empty for name in given):
        remedy = f"fill the column {given[0]}, or remove it to keep the order of the rows"
        raise table.error(0, f"no row has a {given[0]}", remedy)
    return table.without(*empty)


#: Columns that may stay as codes and arrays, since no step before looks at their values one by one.
_TYPED = frozenset({*_PLACED, "rank", "score", UNIT})
_OF_SPANS = frozenset({*_PLACED, "rank", "score", "text", LISTED})
_OF_TEXTS = frozenset({"topic", "doc", "rank", "score", "text"})


def spans_run(table: ColumnTable) -> Run | None:
    """Spans column by column; None where a value is not as it should be, so that rows are looked at."""
    units = table.columns.get(UNIT, ())
    if len({*units}) > 1 or (units and None in units):
        return None
    table = table.without(UNIT)
    if not {*_PLACED} <= {*table.columns} <= _OF_SPANS or (read := _checked_columns(table)) is None:
        return None
    texts = table.columns.get("text")
    if texts is not None and {*map(type, texts)} != {str}:
        return None
    topic, document, found = read
    listed = found.pop(LISTED, None) is not None
    places = {name: positions(found.pop(name)) for name in ("start", "end")}
    columns = {"tag": "", "rank": None, "score": None, **found, "topic": topic, "document": document, "text": texts}
    columns |= {**places, "unit": str(units[0]) if units else "", "line": _numbers_of_rows(table)}
    return run_of_columns(columns, table.where, listed)


def texts_run(table: ColumnTable) -> Run | None:
    """Texts without offsets column by column; None where a value is not as it should be, so that rows are looked at."""
    if not {"topic", "text"} <= {*table.columns} <= _OF_TEXTS:
        return None
    texts = table.columns["text"]
    if {*map(type, texts)} != {str} or not all(map(str.strip, texts)):
        return None
    named = {"doc": table.columns["topic"], **table.without("text").columns}  # any name where there is none
    if (read := _checked_columns(replace(table, columns=named))) is None:
        return None
    topic, document, found = read
    rows = np.arange(len(table), dtype=np.int64)
    names = document if "doc" in table else Coded([""], np.zeros(len(table), dtype=np.int32))
    columns = {"tag": "", "rank": None, "score": None, "start": None, "end": None, **found}
    run = run_of_columns({**columns, "topic": topic, "line": rows, "document": names}, table.where)
    assert run.line is not None
    once: dict[str, str] = {}  # a chunk is retrieved for many topics
    quoted = {i: once.setdefault(texts[row], texts[row]) for i, row in enumerate(unpacked(run.line).tolist())}
    return run.changed(line=np.array(table.number, dtype=np.int64)[unpacked(run.line)], quoted=quoted)


def documents_run(table: ColumnTable) -> Run | None:
    """Whole documents column by column; None where a value is not as it should be, so that rows are looked at."""
    if "doc" not in table or "end" in table or not {OF_TOPIC, *TOPIC_COSTS}.isdisjoint(table.columns):
        return None
    held = {name: table.columns[name] for name in ("topic", "doc", "score")}
    if (read := _checked_columns(replace(table, columns=held))) is None:
        return None
    topic, coded, found = read
    column = None
    if not _is_typed(table.columns["doc"]) and (compiled := native()) is not None:
        column = compiled.name_column([*table.columns["doc"]])
    document = coded if column is None else NameColumn(column)
    line = np.array(table.number, dtype=np.int64)
    return assemble(tag="", topic=topic, document=document, score=found["score"], line=line, order="trec")


def _numbers_of_rows(table: ColumnTable) -> IntArray | LineRange:
    """The numbers of rows."""
    number = table.number
    if isinstance(number, range) and len(number) >= LONG:
        return LineRange(number.start, len(number))
    return np.array(number, dtype=np.int64)


def documents_run_by_rows(table: ColumnTable) -> Run:
    """The same, with every row checked as in a file."""
    run = run_of_rows(table.rows(), Problems(table.where), table.where)
    return in_trec_order(run).changed(tag="", format="")


def _disagreement(table: ColumnTable) -> list[str]:
    """A note on topics whose ranks are in another order than their scores."""
    if "rank" not in table or "score" not in table:
        return []
    ranks = table.columns["rank"]
    if not _is_typed(ranks) and not all(type(rank) in (int, float) for rank in ranks):
        return []
    named = table.columns["topic"]
    topic = (named if isinstance(named, Coded) else Coded.of(named)).codes
    score = np.array(table.columns["score"], dtype=np.float64)
    order = np.lexsort((-score, np.array(ranks, dtype=np.float64), topic))
    same = topic[order][1:] == topic[order][:-1]
    wrong = np.unique(topic[order][1:][same & (np.diff(score[order]) > 0)])
    if not len(wrong):
        return []
    return [f"{counted(len(wrong), 'topic')} whose ranks and scores give different orders; the ranks count"]


def _with_strings(table: ColumnTable, search: TextSearch) -> ColumnTable:
    """Strings of lists as texts, where the documents are there to find them in, or other results have texts or places;
    else as names of documents, which the truth may turn into texts later."""
    if STRING not in table:
        return table
    strings = [row for row, mark in enumerate(table.columns[STRING]) if mark is not None]
    names = table.columns["doc"]
    if len(strings) == len(table):
        texts = search.texts
        if texts is None or not search.spans or all(names[row] in texts for row in strings):
            return table
    elif "text" not in table and "start" not in table:
        return table.without(STRING)
    held, found = list(names), list(table.columns.get("text") or [None] * len(table))
    for row in strings:
        held[row], found[row] = None, names[row]
    columns = {**table.without(STRING).columns, "doc": held, "text": found}
    return _without_empty_columns(replace(table, columns=columns))


# --- results without offsets ------------------------------------------------------------------------------------------


def _with_places(table: ColumnTable, search: TextSearch) -> ColumnTable:
    """Rows without offsets get the place of their text, unless whole documents are judged and every row names one."""
    if "text" not in table:
        return table
    texts, starts = table.columns["text"], table.columns.get("start") or [None] * len(table)
    if any(name in table for name in PAGE_NAMES):  # the places of such rows are read with them
        return table
    if PAGE_FIELDS in table and search.texts is None:  # which a truth of pages reads
        return table
    names = table.columns.get("doc") or [None] * len(table)
    waiting = [
        row for row, text in enumerate(texts) if text is not None and (starts[row] is None or names[row] is None)
    ]
    if not search.spans and "start" not in table and None not in table.columns.get("doc", [None]):
        return table.without("text")
    if not waiting:  # offsets are there; the texts are compared with the documents later
        return table
    if search.texts is None:
        raise table.error(
            waiting[0],
            "a result has no offsets, only its text" if starts[waiting[0]] is None else "a result names no document",
            f"give the documents to find it in with {option('documents')}, or offsets "
            "(LangChain: add_start_index=True; Haystack: split_idx_start; LlamaIndex: start_char_idx); "
            "documents by their names are {'doc': name}, or {name: score}",
        )
    if search.later:
        return table if all(start is None for start in starts) else _with_waiting(table, waiting)
    from berrypick.inputs.located_rows import located_rows

    found = located_rows(table, waiting, search.texts, search)
    return found if search.spans or "start" in table else found.without("start", "end", "text")


def _with_waiting(table: ColumnTable, waiting: Sequence[int]) -> ColumnTable:
    """Rows without offsets among others, marked: their texts are placed with those of the whole run."""
    rows = {row for row in waiting if table.columns["start"][row] is None}
    return replace(
        table, columns={**table.columns, WAITS: [True if row in rows else None for row in range(len(table))]}
    )
