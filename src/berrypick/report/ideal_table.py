"""Ideal lists as text."""

from __future__ import annotations

from collections.abc import Sequence

from berrypick.analysis.ideal_lists import IdealList
from berrypick.core.explanation import Table
from berrypick.report import tables
from berrypick.report.tables import Paint, shown

OUTPUTS = ("table", "tsv", "json", "jsonl", "csv", "markdown")


def render(found: Sequence[IdealList], output: str, places: int | None, paint: Paint = tables.plain) -> str:
    """Ideal lists in one of OUTPUTS, with a final newline."""
    if output in ("json", "jsonl"):
        return tables.json_text([one.record() for one in found], output)
    if output in ("tsv", "csv"):
        columns = ["topic", "measure", "r", "readers", "value", "bound", "gap", "list"]
        records = [{**one.record(), "list": " ".join(one.list)} for one in found]
        return tables.separated(records, columns, output, places)
    made = table(found, 4 if places is None else places)
    return tables.markdown(made) if output == "markdown" else paint(made, ())


def table(found: Sequence[IdealList], places: int) -> Table:
    """A row per topic, measure and recall value; columns in which all rows agree are left out."""
    several = len({one.measure for one in found}) > 1
    shares = len({one.readers for one in found}) > 1
    header = ["topic", *(["measure"] if several else []), *(["readers"] if shares else [])]
    rows = []
    for one in found:
        own = [one.topic, *([one.measure] if several else []), *([shown(one.readers, places)] if shares else [])]
        numbers = [shown(value, places) for value in (one.value, one.bound, one.gap)]
        rows.append([*own, str(one.r), *numbers, " ".join(one.list)])
    columns = [*header, "r", "value", "bound", "gap", "list"]
    return Table("", columns, rows, align="<" * len(header) + ">>>>" + "<")
