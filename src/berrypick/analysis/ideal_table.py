"""Ideal lists as text."""

from __future__ import annotations

from collections.abc import Sequence

from berrypick.analysis.ideal_lists import IdealList
from berrypick.data.score import Table
from berrypick.tables import tables
from berrypick.tables.tables import Paint, shown

OUTPUTS = ("table", "tsv", "json", "jsonl", "csv", "markdown", "latex")


def render(found: Sequence[IdealList], output: str, places: int | None, paint: Paint = tables.plain) -> str:
    """Ideal lists in one of OUTPUTS, with a final newline."""
    tables.check_choice("output", output, OUTPUTS)
    if output in ("json", "jsonl"):
        return tables.json_text([one.record() for one in found], output)
    if output in ("tsv", "csv"):
        columns = ["topic", "measure", "r", "level", "readers", "value", "bound", "gap", "list"]
        columns = [name for name in columns if name != "level" or any(one.level is not None for one in found)]
        records = [{**one.record(), "list": one.listed} for one in found]
        return tables.separated(records, columns, output, places)
    made = table(found, 4 if places is None else places)
    return tables.for_people(made, output, paint)


def table(found: Sequence[IdealList], places: int) -> Table:
    """A row per topic, measure and recall value or gain; columns in which all rows agree are left out."""
    several = len({one.measure for one in found}) > 1
    shares = len({one.readers for one in found}) > 1
    of_numbers, of_gains = (any(getattr(one, name) is not None for one in found) for name in ("r", "level"))
    header = ["topic", *(["measure"] if several else []), *(["readers"] if shares else [])]
    wanted = [*(["r"] if of_numbers or not of_gains else []), *(["level"] if of_gains else [])]
    rows = []
    for one in found:
        own = [one.topic, *([one.measure] if several else []), *([shown(one.readers, places)] if shares else [])]
        cells = {"r": "" if one.r is None else str(one.r), "level": "" if one.level is None else f"{one.level:g}"}
        numbers = [shown(value, places) for value in (one.value, one.bound, one.gap)]
        rows.append([*own, *(cells[name] for name in wanted), *numbers, one.listed])
    columns = [*header, *wanted, "value", "bound", "gap", "list"]
    return Table("", columns, rows, align="<" * len(header) + ">" * (len(wanted) + 3) + "<")
