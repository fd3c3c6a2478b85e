"""Truths and runs from data frames (pandas, polars, Arrow, DuckDB: whatever narwhals reads) and from records.

Records are named tuples, as ir_measures and ir_datasets have them, or dictionaries. The names of columns and fields are
those of ir_measures, PyTerrier, BEIR and our own; :mod:`berrypick.rows.fields` has all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from berrypick.data.errors import InputError, UsageError, library
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.documents.texts import Texts, read_texts
from berrypick.inputs.column_tables import ColumnTable, TextSearch, runs_of_table, truth_of_table
from berrypick.inputs.traces.trace_columns import are_trace_columns
from berrypick.rows.arrow_columns import arrow_column
from berrypick.rows.chosen_fields import ChosenFields
from berrypick.rows.column_names import is_plain, match_columns, unread_names
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_plan import refuse_unknown
from berrypick.rows.fields import Role, has_list, is_span_header, names_topic, ours_of
from berrypick.rows.row_lists import as_lists
from berrypick.rows.truth_rows import OWN_FIELDS

WHERE = "data frame"
#: How the types of columns begin, as narwhals names them, whose cells may say where.
_HOLDS_OBJECTS = ("Obje", "List", "Stru", "Arra")
#: What records of elements have; without it they would be read as whole documents.
OF_ELEMENTS = ("element", "element_end", "passage_start", "entry_point")


def run_from_frame(
    frame: Any,
    *,
    tag: str = "",
    columns: Mapping[str, str] | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
) -> Run:
    """Build a run from a data frame: pandas, polars, Arrow, DuckDB.

    The format span-run says what the columns mean; whole documents with scores and without ranks are ordered as in a
    TREC run.

    Parameters
    ----------
    frame : data frame
        Columns topic, doc, perhaps start and end, rank or score; the names of ir_measures, PyTerrier and BEIR are known
        too.
    tag : str
        The name of the run; by default that of a column ``run``.
    columns : mapping, optional
        Roles of columns with other names, e.g. ``{"topic": "thread", "doc": "page"}``.
    documents : Texts, mapping, str or path, optional
        The texts in which to find results without offsets.
    quotes : {'exact', 'normalised', 'fuzzy'}, optional
        How to match them; missing or ambiguous texts are an error.

    Returns
    -------
    Run
        The run.

    Examples
    --------
    >>> import berrypick as bp
    >>> import pandas
    >>> frame = pandas.DataFrame({"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [2.5, 1.5]})
    >>> bp.run_from_frame(frame, tag="mine").to_dict()
    {'q1': {'a': 2.5, 'b': 1.5}}
    """
    search = TextSearch(None if documents is None else read_texts(documents), quotes)
    runs = runs_of_table(frame_table(frame, "run", columns), search, tag)
    return one_run(runs, "the data frame holds")


def one_run(runs: Sequence[Run], what: str) -> Run:
    """Return the only run of a table; an error if it holds several."""
    if len(runs) > 1:
        raise UsageError(
            f"{what} {len(runs)} runs, {', '.join(run.tag for run in runs)}; "
            "bp.evaluate takes it as it is, or select the rows of one run"
        )
    return runs[0]


def truth_from_frame(frame: Any, *, columns: Mapping[str, str] | None = None) -> Truth:
    """Build a truth from a data frame: pandas, polars, Arrow, DuckDB.

    Parameters
    ----------
    frame : data frame
        Columns topic, doc, perhaps start and end, and grade; or quote for the offsets. Other columns are fields of
        topics.
    columns : mapping, optional
        Roles of columns with other names, e.g. ``{"topic": "thread", "doc": "page"}``.

    Returns
    -------
    Truth
        The judgements.

    Examples
    --------
    >>> import berrypick as bp
    >>> import pandas
    >>> frame = pandas.DataFrame({"topic": ["q1"], "doc": ["guide"], "start": [0], "end": [40]})
    >>> bp.truth_from_frame(frame).to_dict()
    {'q1': {'guide#0-40': 1}}
    """
    return truth_of_table(frame_table(frame, "truth", columns))


def is_frame(value: Any) -> bool:
    """Whether a value looks like a data frame. Its class is asked: the columns of a lazy frame cost time."""
    kind = type(value)
    streams = hasattr(kind, "__arrow_c_stream__") and hasattr(kind, "schema")  # a single column has no schema
    return not isinstance(value, type) and (streams or hasattr(kind, "columns"))


def names_of_frame(frame: Any) -> list[str]:
    """The names of the columns of a data frame."""
    if callable(lazy := getattr(frame, "collect_schema", None)):  # polars would warn
        return [str(name) for name in lazy().names()]
    names = getattr(frame, "column_names", None) or getattr(getattr(frame, "schema", None), "names", None)
    return [str(name) for name in (frame.columns if names is None else names)]


def holds_results(frame: Any) -> bool:
    """Whether a data frame has results and no topics: those of one topic."""
    names = names_of_frame(frame)
    return not names_topic(names) and any(ours_of(name, "run") in ("doc", "text") for name in names)


def frame_rows(frame: Any) -> list[dict[str, Any]]:
    """The rows of a data frame as dictionaries, with the values that they have."""
    columns = {name: held.to_list() for name, held in _values(frame).items()}
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return [as_lists({name: cell for name, cell in row.items() if not _missing(cell)}) for row in rows]


def _missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def frame_table(frame: Any, role: Role, columns: Mapping[str, str] | None = None) -> ColumnTable:
    """The columns of a data frame that mean something, by our names."""
    values = _values(frame)
    _refuse_elements(values)
    if role == "run" and are_trace_columns(values):
        raise InputError("holds spans of traces, not results", path=WHERE, remedy="read them: bp.read_traces(frame)")
    names = match_columns(list(values), role, columns)
    if not is_plain(names, list(values), role) or any(
        str(held.dtype)[:4] in _HOLDS_OBJECTS for held in values.values()
    ):
        return _rows_table({name: held.to_list() for name, held in values.items()}, names, columns or {}, role, WHERE)
    held = {**names, **_topic_fields(names, list(values), role)}
    table = ColumnTable.of_columns({ours: _column(ours, values[theirs]) for ours, theirs in held.items()}, WHERE)
    return replace(table, unread=tuple(unread_names(values, names, role)), called=names)


#: Fields whose columns are read as names with codes or as numbers.
_NAMES, _TYPED = ("topic", "doc", "run"), ("topic", "doc", "run", "start", "end", "rank", "score", "grade")


def _column(ours: str, series: Any) -> Any:
    """The column of a frame as codes or numbers through Arrow; its values where it holds others or Arrow is missing."""
    if ours in _TYPED:
        try:
            typed = arrow_column(series.to_arrow(), ours in _NAMES)
        except Exception:  # pyarrow is not installed, or does not take values of several types
            typed = None
        if typed is not None:
            return typed
    return series.to_list()


def _refuse_elements(names: Iterable[str]) -> None:
    if elements := [name for name in names if name in OF_ELEMENTS]:
        raise InputError(
            f"{', '.join(elements)}: elements of documents can only be read from files",
            remedy="write a file with write(path, format), e.g. in a format of INEX",
        )


def _topic_fields(matched: Mapping[str, str], names: Sequence[str], role: Role) -> dict[str, str]:
    """Columns of a truth that mean nothing to judgements are fields of topics, under their own names."""
    used = {*matched, *matched.values(), *OWN_FIELDS}
    return {name: name for name in names if name not in used} if role == "truth" else {}


def _rows_table(
    values: Mapping[str, Sequence[Any]], names: Mapping[str, str], chosen: Mapping[str, str], role: Role, where: str
) -> ColumnTable:
    """Row by row, where what a column holds decides what it is."""
    settled = {theirs: ours for ours, theirs in chosen.items()}
    if "run" in names:
        settled[names["run"]] = "run"
    columns = {settled.get(name, name): held for name, held in values.items() if name not in chosen or name in settled}
    reader = FieldParser(role, ends=False)
    if (read := reader.read_columns(columns)) is not None:
        return replace(ColumnTable.of_columns(read[0], where), unread=tuple(reader.unread), called=read[1])
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return ColumnTable.of_fields(rows, role, where)


def _values(frame: Any) -> dict[str, Any]:
    """The columns of any data frame."""
    narwhals = library("narwhals.stable.v2", "data frames need narwhals 2 or newer", "frames")
    try:
        native = narwhals.from_native(frame, pass_through=True)
        if not isinstance(native, (narwhals.DataFrame, narwhals.LazyFrame)):  # batches of Arrow, or DuckDB's reader
            native = narwhals.from_arrow(frame, backend="pyarrow")
    except TypeError:
        raise UsageError(f"{type(frame).__name__} is not a data frame that narwhals supports") from None
    except Exception as error:  # columns with the same name, and whatever else the libraries do not allow
        raise InputError(f"the data frame cannot be read: {error}") from None
    try:
        eager: Any = native.collect() if isinstance(native, narwhals.LazyFrame) else native
    except ModuleNotFoundError as error:  # DuckDB hands its rows over as Arrow
        needed = f"{type(frame).__name__} needs {error.name}"
        raise UsageError(f"{needed}: pip install 'berrypick[frames]'") from None
    except Exception as error:  # a query that fails when it is run: every library has its own errors for that
        raise InputError(f"the data frame cannot be read: {error}") from None
    return {str(name): eager[name] for name in eager.columns}


# --- records ----------------------------------------------------------------------------------------------------------


def is_record(value: Any) -> bool:
    """Whether a value is a row by itself: a named tuple, or a dictionary of plain values that names its topic."""
    if isinstance(value, Mapping):
        plain = [str(name) for name, cell in value.items() if not isinstance(cell, (Mapping, list, tuple, set))]
        whole = len(plain) == len(value) or is_span_header(plain)
        return names_topic(plain) and (whole or is_span_header([str(name) for name in value]) or has_list(value))
    return isinstance(value, tuple) and hasattr(value, "_fields")


def chosen_table(records: Sequence[Any], chosen: ChosenFields, where: str) -> ColumnTable:
    """Records or rows of a truth as a table, by the names that a person gives."""
    rows: list[Mapping[Any, Any]] = []
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Mapping) and not hasattr(record, "_fields"):
            raise InputError(f"{type(record).__name__} is not a record", path=where, line=number)
        rows.append(_record_fields(record))
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    _refuse_elements(names)
    refuse_unknown(chosen, names, where)
    return ColumnTable.of_fields(({name: row.get(name) for name in names} for row in rows), "truth", where, chosen)


def _record_fields(record: Any) -> Mapping[Any, Any]:
    return record if isinstance(record, Mapping) else dict(zip(record._fields, record, strict=True))


def records_table(records: Sequence[Any], role: Role) -> ColumnTable:
    """Records as a table. Fields of named tuples are the same throughout; dictionaries may lack some."""
    where = type(records[0]).__name__ if isinstance(records[0], tuple) else "records"
    rows: list[Mapping[Any, Any]] = []
    for number, record in enumerate(records, start=1):
        if not is_record(record):
            raise InputError(f"{type(record).__name__} is not a record with a topic", path=where, line=number)
        row = _record_fields(record)
        no_answer = role == "truth" and row.get("answer", "") is None and row.get("doc") is None
        rows.append({**row, "is_impossible": True} if no_answer else row)  # in a table None says nothing
    known = list(dict.fromkeys(str(name) for row in rows for name in row))
    _refuse_elements(known)
    names = match_columns(known, role, where=where)
    columns = {name: [row.get(name) for row in rows] for name in known}
    objects = any(isinstance(cell, (Mapping, list, tuple)) for row in rows for cell in row.values())
    if objects or not is_plain(names, known, role):
        return _rows_table(columns, names, {}, role, where)
    held = {**names, **_topic_fields(names, known, role)}
    table = ColumnTable.of_columns({ours: columns[theirs] for ours, theirs in held.items()}, where)
    return replace(table, unread=tuple(unread_names(known, names, role)), called=names)
