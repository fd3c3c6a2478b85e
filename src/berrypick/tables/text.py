"""Results and explanations as text: aligned tables, TSV, CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from berrypick.data.costs import cost_cells, cost_columns
from berrypick.data.errors import UsageError, one_line
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import ALL, Note, Results
from berrypick.data.score import Explanation, Table
from berrypick.files.files import atomic_writer, file_name
from berrypick.tables import tables
from berrypick.tables.tables import Paint, elided, plain, shown

OUTPUTS = tables.OUTPUTS
#: The columns of model-assisted means beside the value.
_ASSISTED = ("low", "high", "people", "model", "worth")


def render(
    results: Results,
    output: str,
    per_topic: bool,
    places: int | None,
    paint: Paint = plain,
    beside: Mapping[tuple[str, str], Mapping[str, Any]] | None = None,
) -> str:
    """Results in one of OUTPUTS, with a final newline.

    ``beside`` has more fields of some topics, by run and topic: for programs these topics have rows even where others
    have none.
    """
    tables.check_choice("output", output, OUTPUTS)
    if output in ("json", "jsonl"):
        return tables.json_text(_records(results, per_topic, beside), output)
    if output in ("tsv", "csv"):
        more = [] if results.groups is None else ["group"]
        bounds = [] if results.groups is None else ["topics", "low", "high"]
        bounds += [] if results.drawn is None else ["reader_low", "reader_high"]
        bounds += [] if results.model is None else [*_ASSISTED]
        records = _records(results, per_topic, beside)
        spent = cost_columns(one.get("costs", {}) for one in records if one["topic"] == ALL)
        bounds += ["_".join(column) for column in spent]
        bounds += list(next(iter(beside.values()))) if beside else []
        names = ["run", "topic", *more, "measure", "value", *bounds]
        nothing = dict.fromkeys(bounds)
        return tables.separated([nothing | one | _costs_in_row(one) for one in records], names, output, places)
    table = pivot(
        results, per_topic, 4 if places is None else places, elided(results.runs) if output == "table" else {}
    )
    strong = () if paint is plain or per_topic or results.groups is not None else best(results)
    means = tables.for_people(table, output, paint, strong)
    if results.model is not None:
        means += "\n" + tables.for_people(assisted_table(results, 4 if places is None else places), output, paint)
    if results.drawn is None or not results.drawn.values:
        return means
    return means + "\n" + tables.for_people(reader_table(results, 4 if places is None else places), output, paint)


def reader_table(results: Results, places: int) -> Table:
    """The means with their intervals over readers drawn from a fitted user model."""
    drawn = results.drawn
    assert drawn is not None
    rows = []
    for row in (*results.group_rows, *results.mean_rows):
        low, high = results.reader_interval(row)
        if low is not None and high is not None:
            group = [] if results.groups is None else [row.group or ALL]
            ends = f"[{shown(low, places)}, {shown(high, places)}]"
            rows.append([row.run, *group, row.measure, shown(row.value, places), ends])
    percent = f"{100 * drawn.confidence:.4g}%"
    keys = ["run", *([] if results.groups is None else ["group"]), "measure"]
    title = f"{percent} intervals over {drawn.readers} readers drawn from {drawn.source}; topics as they are"
    return Table(title, [*keys, "value", f"{percent} of readers"], rows, "<" * len(keys) + "><")


def assisted_table(results: Results, places: int) -> Table:
    """The model-assisted means with their intervals, what they are made of, and how the model differs from people."""
    rows = []
    for row in results.mean_rows:
        of = row.summary
        worth, correlation = of["worth"], of["correlation"]
        rows.append([
            row.run, row.measure, shown(row.value, places), _interval(of, places), shown(of["people"], places),
            shown(of["model"], places), "-" if worth is None else f"{worth:.0f}",
            "-" if of["bias"] is None else f"{of['bias']:+.{places}f}",
            _interval({"low": of["bias_low"], "high": of["bias_high"]}, places),
            "-" if correlation is None else f"{correlation:.2f}",
        ])  # fmt: skip
    names = ["run", "measure", "value", "95% interval", "people", "model", "worth", "model - people", "95% interval",
             "correlation"]  # fmt: skip
    title = "Model-assisted means. worth: topics judged by people alone needed for an interval as narrow"
    return Table(title, names, rows, "<<><>>>><>")


def _costs_in_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """The costs of a row as columns of their own: those of a topic under the mean, as in a table. They have digits of
    their own, since a price in cents of a cent is 0 to four places."""
    costs = record.get("costs", {})
    return {
        f"{name}_{statistic}": f"{value:.10g}"
        for name, of in costs.items()
        for statistic, value in (of.items() if isinstance(of, Mapping) else [("mean", of)])
    }


def _records(
    results: Results, per_topic: bool, beside: Mapping[tuple[str, str], Mapping[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """The rows; where topics have groups, means with the number of topics that have a value, and the interval."""
    records = results.records(per_topic or bool(beside))
    if beside:
        more = [(one, beside.get((one["run"], one["topic"]))) for one in records]
        records = [{**one, **(of or {})} for one, of in more if per_topic or of or one["topic"] == ALL]
    if results.model is not None:  # rows of topics have these fields too, for tables
        records = [{**dict.fromkeys(_ASSISTED), **one} if one["topic"] != ALL else one for one in records]
    if results.groups is None:
        return records
    known = group_intervals(results)
    nothing = dict.fromkeys(("topics", "low", "high", "interval"))
    keys = [(one["run"], one["measure"], one["group"]) for one in records]
    return [one | (known[key] if one["topic"] == ALL else nothing) for one, key in zip(records, keys, strict=True)]


def group_intervals(results: Results) -> dict[tuple[str, str, str | None], dict[str, Any]]:
    """For each run, measure and group (None: all topics) the topics that have a value, and the bounds of their mean:
    the interval of ``compare``, with a confidence of 95%."""
    from berrypick.statistics.intervals import mean_intervals

    groups: dict[str | None, Any] = {None: results}
    groups |= {name: results.only_group(name) for name in (results.groups.names if results.groups else ())}
    found: dict[tuple[str, str, str | None], dict[str, Any]] = {}
    for group, part in groups.items():
        for run, of_run in part.per_topic().items():
            for measure, values in of_run.items():
                drawn = [value for _, value in sorted(values.items()) if value is not None]  # by the names of topics
                known = np.array(drawn, dtype=np.float64)
                low, high, (kind,) = mean_intervals(known[:, None], costs=results.info(measure).unbounded)
                bounds = (None, None) if np.isnan(low[0]) else (float(low[0]), float(high[0]))
                found[run, measure, group] = {
                    "topics": len(known), "low": bounds[0], "high": bounds[1], "interval": kind
                }  # fmt: skip
    return found


def worst_first(results: Results) -> list[str]:
    """Groups of topics, those with the worst mean of the first measure first: what to look at next."""
    first = results.measures[0]
    sign = 1 if results.info(first).higher_is_better else -1
    means: dict[str, list[float]] = {}
    for row in results.group_rows:
        if row.measure == first and row.value is not None:
            means.setdefault(str(row.group), []).append(sign * row.value)
    names = list(results.groups.names) if results.groups else []
    return sorted(names, key=lambda name: sum(means[name]) / len(means[name]) if name in means else math.inf)


def save_results(results: Results, path: str | PathLike[str]) -> None:
    """Write all rows, in the format that the name ends in."""
    from pathlib import Path  # loads urllib

    name = file_name(path)
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in (".json", ".jsonl", ".parquet"):
        raise UsageError(f"{name}: results are saved as .json, .jsonl or .parquet")
    with atomic_writer(name) as out:
        if ending == ".parquet":
            from berrypick.rows.table_files import write_parquet

            rows = results.records()
            write_parquet(rows, ["run", "topic", "measure", "value", "signature"], out.buffer)
        else:
            out.write(render(results, ending[1:], per_topic=True, places=None))


def results_text(results: Results) -> str:
    """The means as a plain table, with the notes."""
    return render(results, "table", per_topic=False, places=None).rstrip("\n") + notes_text(results.notes, results.runs)


def notes_text(notes: Sequence[Note], runs: Sequence[str] = ()) -> str:
    """Notes under a table, one a line; what is said of several of the runs is said once."""
    return "".join(f"\nnote: {one_line(str(note))}" for note in merge_notes(notes, len(runs)))


def best(results: Results) -> list[tuple[int, int]]:
    """Cells of the table of means that hold the best value of their column, where values differ."""
    means = list(results.mean().values())
    found = []
    for column, measure in enumerate(results.measures, start=1):
        values = [values.get(measure) for values in means]
        known = [value for value in values if value is not None]
        if known and min(known) < max(known):
            wanted = max(known) if results.info(measure).higher_is_better else min(known)
            found += [(row, column) for row, value in enumerate(values) if value == wanted]
    return found


def pivot(results: Results, per_topic: bool, places: int, shorter: Mapping[str, str] | None = None) -> Table:
    """A row per run (and topic, and group of topics), a column per measure. ``shorter``: how runs are shown."""
    grouped = results.groups is not None
    lines: list[list[str]] = []
    keys = ["run", *(["topic"] if per_topic else []), *(["group"] if grouped else [])]
    measures = list(results.measures)
    by_run: dict[str, dict[tuple[str, str | None], dict[str, float | None]]] = {}
    for row in (*(results.topic_rows if per_topic else ()), *results.group_rows, *results.mean_rows):
        by_run.setdefault(row.run, {}).setdefault((row.topic, row.group), {})[row.measure] = row.value
    order = {name: i for i, name in enumerate(worst_first(results))} if grouped else {}
    bounds = group_intervals(results) if grouped else {}
    costs = {group: results.costs(topics) for group, topics in results.members().items()}
    columns = cost_columns(costs[None].values())
    for run, values_of in by_run.items():
        rows = list(values_of.items())
        if grouped:  # topics stay where they are, groups follow, all topics come last
            rows.sort(key=lambda row: -1 if row[0][0] != ALL else order.get(str(row[0][1]), len(order)))
        for (topic, group), values in rows:
            shown_group = group or (ALL if topic == ALL else "")
            name = (shorter or {}).get(run, run)
            names = [name, *([topic] if per_topic else []), *([shown_group] if grouped else [])]
            cells = [shown(values.get(measure), places) for measure in measures]
            if grouped:
                known = [bounds[run, measure, group] if topic == ALL else {} for measure in measures]
                names.append(str(max((one["topics"] for one in known if one), default="")))
                cells = [f"{cell} {_interval(one, places)}".rstrip() for cell, one in zip(cells, known, strict=True)]
            spent_here = costs[group].get(run, {}) if topic == ALL else _own_costs(results, run, topic)
            lines.append([*names, *cells, *cost_cells(spent_here, columns)])
    spent = [" ".join(column) for column in columns]
    if grouped:
        align = "<" * len(keys) + ">" + "<" * len(measures) + ">" * len(spent)
        return Table("", [*keys, "topics", *measures, *spent], lines, align=align)
    return Table("", [*keys, *measures, *spent], lines, align="<" * len(keys) + ">" * len([*measures, *spent]))


def _own_costs(results: Results, run: str, topic: str) -> dict[str, dict[str, float]]:
    """The costs of one topic, in the columns of means."""
    facts = results.run_facts.get(run)
    return {name: {"mean": value} for name, value in facts.costs.get(topic, {}).items()} if facts else {}


def _interval(bounds: Mapping[str, Any], places: int) -> str:
    from berrypick.statistics.intervals import EQUAL

    if bounds.get("low") is None:
        return "[no spread]" if bounds.get("interval") == EQUAL else ""
    return f"[{bounds['low']:.{places}f}, {bounds['high']:.{places}f}]"


def explanation(value: Explanation) -> str:
    """An explanation as plain text."""
    parts = [f"{one_line(value.title)}\n"]
    for part in value.parts:
        parts.append(tables.aligned(part) if isinstance(part, Table) else f"{one_line(part)}\n")
    return "\n".join(parts)
