"""Results that were saved, read again."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from berrypick.data.costs import TOPIC_COSTS
from berrypick.data.errors import InputError, nesting_refused
from berrypick.data.results import ALL, JUDGED, Note, Results, Row, RunFacts, whole_documents_note
from berrypick.data.signature import Signature
from berrypick.evaluation.requested import measure_info, measure_of_parts
from berrypick.files.files import file_name, head, is_parquet, read_whole, reusable
from berrypick.files.limits import json_cost
from berrypick.files.strict_json import RepeatedName, strict_json
from berrypick.rows.table_files import parquet_columns, parquet_file

#: What files of results do not hold.
_NO_READERS = "the file has no readers, so intervals over them are missing: compare the runs with the truth"
COLUMNS = ("run", "topic", "measure", "value", "signature")


def read_results(path: str | PathLike[str]) -> Results:
    """Read results from a file.

    Rows come back unchanged, with the facts of their measures. Curves are not kept in files, and of notes
    only the one on measures of whole documents where parts were judged.

    Parameters
    ----------
    path : str or path
        A file of ``results.save``, or of ``berrypick evaluate -q -o json`` (or jsonl).

    Returns
    -------
    Results
        The rows of the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> path = os.path.join(tempfile.mkdtemp(), "results.json")
    >>> bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR").save(path)
    >>> bp.read_results(path).mean()
    {'run': {'RR': 1.0}}
    """
    name = file_name(path)
    with reusable(name):
        if is_parquet(name):
            return _results(list(_parquet_rows(name)), name)
        raw = read_whole(name, json_cost)
    try:
        content = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", path=name, remedy=_EXPECTED) from None
    with nesting_refused(name, _EXPECTED):
        records = _records(content, name)
        rows = [_row(record, number, name) for number, record in records]
        found = _results(rows, name, _costs(rows, [record for _, record in records]))
    if any(isinstance(record, dict) and record.get("reader_low") is not None for _, record in records):
        return replace(found, notes=(*found.notes, Note("reader intervals", _NO_READERS)))
    return found


def _costs(rows: Sequence[Row], records: Sequence[Any]) -> dict[str, dict[str, dict[str, float]]]:
    """The costs of topics by run: numbers under their names, as rows of topics have them."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row, record in zip(rows, records, strict=True):
        given = record.get("costs")
        for name in TOPIC_COSTS if isinstance(given, dict) else ():
            if type(value := given.get(name)) in (int, float) and 0 <= value < math.inf:
                found.setdefault(row.run, {}).setdefault(row.topic, {})[name] = float(value)
    return found


def _results(rows: list[Row], path: str, costs: Mapping[str, Any] | None = None) -> Results:
    groups = [row for row in rows if row.signature.get("group")]  # means of groups, which follow from the topics
    rows = [row for row in rows if not row.signature.get("group")]
    last: dict[tuple[str, str], int] = {(row.run, row.measure): i for i, row in enumerate(rows) if row.topic == ALL}
    means = set(last.values())  # a topic may be called "all" too; the mean comes after it
    known = {name: measure_info(name) for name in dict.fromkeys(row.measure for row in rows)}
    info = {name: facts for name, facts in known.items() if facts is not None}
    topics = [row for i, row in enumerate(rows) if i not in means]
    for row in topics:
        if (row.run, row.measure) not in last:  # else the run would be left out without a word
            what = f"has topics of {row.measure} of the run {row.run}, but not their mean (topic {ALL})"
            raise InputError(what, path=path, remedy=_EXPECTED)
    mean_rows = [rows[i] for i in sorted(means)]
    notes = [note for row in mean_rows for note in _notes(row)]
    facts = {row.run: RunFacts(row.run, path, costs=(costs or {}).get(row.run, {})) for row in mean_rows}
    return Results(topics, mean_rows, tuple(notes), info, facts, group_rows=groups)


def _notes(row: Row) -> list[Note]:
    """What a signature has to say of a number."""
    units = row.signature.get(JUDGED)
    if not units:
        return []
    instead = measure_of_parts(row.measure, units)
    return [whole_documents_note(row.measure, instead, units, row.run)] if instead else []


_EXPECTED = "expected the output of berrypick evaluate -q -o json: a list of objects with run, topic, measure, value"


def _records(content: str, path: str) -> list[tuple[int, Any]]:
    """(number, object): of the list, or of the lines."""
    try:
        whole = strict_json(content, nan=True)
        return list(enumerate(whole if isinstance(whole, list) else [whole], start=1))
    except RepeatedName as error:
        raise InputError(str(error), path=path, line=error.line, remedy=error.remedy) from None
    except ValueError:
        pass
    found = []
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            try:
                found.append((number, strict_json(line, nan=True)))
            except RepeatedName as error:
                raise InputError(str(error), path=path, line=number, text=line, remedy=error.remedy) from None
            except ValueError:
                raise InputError("is not JSON", path=path, line=number, text=line, remedy=_EXPECTED) from None
    if not found:
        raise InputError("the file is empty", path=path, remedy=_EXPECTED)
    return found


def _row(record: Any, number: int, path: str) -> Row:
    def fail(what: str) -> InputError:
        return InputError(f"object {number} {what}", path=path, text=json.dumps(record), remedy=_EXPECTED)

    if not isinstance(record, dict):
        raise fail("is not an object")
    for name in ("run", "topic", "measure"):
        if not isinstance(record.get(name), str):
            raise fail(f"has no {name}, or it is not a string")
    value = record.get("value", record)
    if value is not None and not _is_finite(value):
        raise fail("has no value, or it is neither a number nor null")
    signature = record.get("signature")
    return Row(
        record["run"],
        record["topic"],
        record["measure"],
        None if value is None else float(value),
        Signature.parse(signature if isinstance(signature, str) else ""),
    )


def _is_finite(value: Any) -> bool:
    """Whether JSON holds a number here that a float can hold; Python's JSON takes NaN and Infinity as well."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _parquet_rows(path: str) -> Iterator[Row]:
    with parquet_file(path) as file:
        names = file.schema_arrow.names
        if not set(COLUMNS) <= set(names):
            raise InputError(f"has columns {', '.join(names)}", path=path, remedy=_EXPECTED)
        numbers, columns = parquet_columns(file, list(COLUMNS), path, None)
        signatures: dict[Any, Signature] = {}
        for number, *values in zip(numbers, *columns, strict=True):
            row = _row(dict(zip(COLUMNS, values, strict=True)), number, path)
            yield Row(row.run, row.topic, row.measure, row.value, signatures.setdefault(values[-1], row.signature))


def is_saved(path: str) -> bool:
    """Whether a file looks like saved results, and not like a truth or a run."""
    if not os.path.isfile(path):
        return False
    try:
        if is_parquet(path):
            with parquet_file(path) as file:
                return set(COLUMNS) <= set(file.schema_arrow.names)
        start = "".join(head(path)).lstrip()[:2000]
    except InputError:
        return False
    return start.startswith(("[", "{")) and all(f'"{name}"' in start for name in ("run", "measure", "value"))
