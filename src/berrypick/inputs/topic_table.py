"""Tables of topics: one row a topic, with fields such as a domain, a source or a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from berrypick.data.errors import InputError, UsageError, nesting_refused
from berrypick.data.truth import TopicField, TopicFields
from berrypick.files.files import content, head, reusable
from berrypick.files.problems import Problems
from berrypick.inputs.column_tables import plain_names
from berrypick.inputs.frames import _values, is_frame
from berrypick.rows.fields import TABLE, plain_name
from berrypick.rows.json_lines import Fields, records
from berrypick.rows.table_files import header_of, table_rows

#: The field of a file that has one column besides the topic and no header.
ONLY = "cluster"


def read_topic_table(given: Any) -> dict[str, TopicField]:
    """Fields by name, from a file (CSV, TSV or Parquet with a column topic, or JSON Lines), a data frame, or
    ``{topic: {field: value}}``."""
    if isinstance(given, (str, PathLike)):
        with reusable(fspath(given)), nesting_refused(fspath(given)):
            return _read_file(fspath(given))
    fields = TopicFields(("topic",))
    if is_frame(given):
        columns = {name: column.to_list() for name, column in _values(given).items()}
        names = _topic_column(columns)
        topics = plain_names("topic", columns.pop(names), [])
        for number, topic in enumerate(topics, start=1):
            if topic is None:
                raise InputError("topic is missing", path="the topic table", line=number)
            fields.add(topic, {name: values[number - 1] for name, values in columns.items()}, f"row {number}")
        return fields.found()
    if not isinstance(given, Mapping) or not all(isinstance(row, Mapping) for row in given.values()):
        raise UsageError(
            f"a topic table is a file, a data frame or {{topic: {{field: value}}}}, not {type(given).__name__}"
        )
    for topic, row in given.items():
        fields.add(str(topic), row, f"topic {topic}")
    return fields.found()


def _topic_column(columns: Mapping[str, Any]) -> str:
    if found := _topic_names(columns):
        return found[0]
    raise InputError(f"the topic table has no column topic; it has {', '.join(columns)}")


def _topic_names(names: Iterable[str]) -> list[str]:
    """The names of a topic among others, the best first."""
    known = TABLE["truth"]["topic"].all
    return sorted((name for name in names if plain_name(name) in known), key=lambda name: known.index(plain_name(name)))


def _read_file(path: str) -> dict[str, TopicField]:
    problems = Problems(path)
    fields = TopicFields(("topic",))
    if _first_line(path).startswith("{"):
        lines = records(path, problems)
    else:
        lines = table_rows(path, problems, ("topic",))
    for number, text, row in lines:
        if "topic" not in row and (names := _topic_names(row)):
            row = {"topic": row[names[0]], **{name: value for name, value in row.items() if name != names[0]}}
        fields.add(Fields(number, text, row, problems).name("topic"), row, f"{path}:{number}")
    return fields.found()


def _first_line(path: str) -> str:
    return next(iter(head(path, 1)), "").lstrip()


def read_clusters(path: str) -> TopicField:
    """``topic``, TAB, cluster in each line; or a table with a column topic and one other."""
    with reusable(path), nesting_refused(path):
        return _read_clusters(path)


def _read_clusters(path: str) -> TopicField:
    first = _first_line(path)
    if first.startswith("{") or _topic_names(header_of([first])):
        found = _read_file(path)
        if len(found) == 1:
            return next(iter(found.values()))
        if ONLY in found:
            return found[ONLY]
        raise InputError(
            f"has {len(found)} columns besides topic: {', '.join(found)}",
            path=path,
            remedy=f"keep one, call one {ONLY}, or name the table and the column",
        )
    fields = TopicFields()
    for number, text in content(path, Problems(path)):
        topic, tab, cluster = text.rstrip("\r\n").partition("\t")
        if not tab or not topic.strip() or not cluster.strip():
            raise InputError("is not a topic, a TAB and a cluster", path=path, line=number, text=text)
        fields.add(topic.strip(), {ONLY: cluster.strip()}, f"{path}:{number}")
    return fields.found().get(ONLY, TopicField())
