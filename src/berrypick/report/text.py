"""Results and explanations as text: aligned tables, TSV, CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from berrypick.core.errors import UsageError, one_line
from berrypick.core.explanation import Explanation, Table
from berrypick.core.results import ALL, Note, Results, merge_notes
from berrypick.formats.io.files import atomic_writer, file_name
from berrypick.formats.io.table_files import write_parquet
from berrypick.report import tables
from berrypick.report.tables import Paint, plain, shown

OUTPUTS = tables.OUTPUTS


def render(results: Results, output: str, per_topic: bool, places: int | None, paint: Paint = plain) -> str:
    """Results in one of OUTPUTS, with a final newline."""
    tables.check_choice("output", output, OUTPUTS)
    if output in ("json", "jsonl"):
        return tables.json_text(results.records(per_topic), output)
    if output in ("tsv", "csv"):
        names = ["run", "topic", *([] if results.groups is None else ["group"]), "measure", "value"]
        names += [] if results.drawn is None else ["reader_low", "reader_high"]
        return tables.separated(results.records(per_topic), names, output, places)
    table = pivot(results, per_topic, 4 if places is None else places)
    strong = () if paint is plain or per_topic or results.groups is not None else best(results)
    means = tables.for_people(table, output, paint, strong)
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


def save_results(results: Results, path: str | PathLike[str]) -> None:
    """Write all rows, in the format that the name ends in."""
    from pathlib import Path  # loads urllib

    name = file_name(path)
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in (".json", ".jsonl", ".parquet"):
        raise UsageError(f"{name}: results are saved as .json, .jsonl or .parquet")
    with atomic_writer(name) as out:
        if ending == ".parquet":
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


def pivot(results: Results, per_topic: bool, places: int) -> Table:
    """A row per run (and topic, and group of topics), a column per measure."""
    grouped = results.groups is not None
    lines: list[list[str]] = []
    keys = ["run", *(["topic"] if per_topic else []), *(["group"] if grouped else [])]
    measures = list(results.measures)
    by_run: dict[str, dict[tuple[str, str | None], dict[str, float | None]]] = {}
    for row in (*(results.topic_rows if per_topic else ()), *results.group_rows, *results.mean_rows):
        by_run.setdefault(row.run, {}).setdefault((row.topic, row.group), {})[row.measure] = row.value
    for run, values_of in by_run.items():
        for (topic, group), values in values_of.items():
            shown_group = group or (ALL if topic == ALL else "")
            names = [run, *([topic] if per_topic else []), *([shown_group] if grouped else [])]
            lines.append([*names, *(shown(values.get(measure), places) for measure in measures)])
    return Table("", [*keys, *measures], lines, align="<" * len(keys) + ">" * len(measures))


def explanation(value: Explanation) -> str:
    """An explanation as plain text."""
    parts = [f"{one_line(value.title)}\n"]
    for part in value.parts:
        parts.append(tables.aligned(part) if isinstance(part, Table) else f"{one_line(part)}\n")
    return "\n".join(parts)
