"""Differences as text: tables, Markdown, LaTeX, CSV, TSV, JSON."""

from __future__ import annotations

from berrypick.analysis.comparison.difference import Difference
from berrypick.data.score import Table
from berrypick.tables import tables
from berrypick.tables.analysis_table import OUTPUTS


def render_difference(
    difference: Difference, output: str = "table", places: int | None = None, paint: tables.Paint = tables.plain
) -> str:
    """A difference in one of OUTPUTS, with a final newline."""
    tables.check_choice("output", output, OUTPUTS)
    if output in ("json", "jsonl"):
        return tables.json_text(difference.records(), output)
    if output in ("csv", "tsv"):
        return tables.separated(difference.records(), list(difference.shown), output, places)
    found = _difference_tables(difference, 4 if places is None else places)
    if not found:
        return f"no differences: {difference.compared} values are equal\n"
    return "\n".join(tables.for_people(table, output, paint) for table in found)


def _difference_tables(difference: Difference, places: int) -> list[Table]:
    if not difference:
        return []

    def signed(old: float | None, new: float | None) -> str:
        return "" if old is None or new is None else f"{new - old:+.{places}f}"

    summaries = [
        [one.run, one.measure, tables.shown(one.old, places), tables.shown(one.new, places), signed(one.old, one.new),
         str(one.better), str(one.worse), str(one.same), str(one.undefined), str(one.added), str(one.removed)]
        for one in difference.summaries
    ]  # fmt: skip
    header = ["run", "measure", "old", "new", "change", "better", "worse", "same", "undefined", "added", "removed"]
    found = [Table("Means, and topics by kind of change", header, summaries, "<<" + ">" * 9)]
    rows = [
        [one.run, one.measure, one.topic, tables.shown(one.old, places), tables.shown(one.new, places),
         signed(one.old, one.new) or one.status]
        for one in difference.topics
    ]  # fmt: skip
    if rows:
        found.append(Table("Topics", ["run", "measure", "topic", "old", "new", "change"], rows, "<<<>>>"))
    return found
