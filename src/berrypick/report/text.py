"""Results and explanations as text: aligned tables, TSV, CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Sequence

from berrypick.core.explanation import Explanation, Table
from berrypick.core.results import ALL, Note, Results, merge_notes

OUTPUTS = ("table", "tsv", "json", "jsonl", "csv", "markdown", "latex")
UNDEFINED = "-"

Cells = Collection[tuple[int, int]]
#: Turns a table into text; the cells (row, column) stand out where that is possible.
Paint = Callable[[Table, Cells], str]


def plain(table: Table, strong: Cells = ()) -> str:
    """Paint of pipes and files: nothing stands out."""
    return aligned(table)


def render(results: Results, output: str, per_topic: bool, places: int | None, paint: Paint = plain) -> str:
    """Results in one of OUTPUTS, with a final newline."""
    if output == "json":
        body = ",\n ".join(json.dumps(row, ensure_ascii=False) for row in results.records(per_topic))
        return f"[{body}]\n"
    if output == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in results.records(per_topic))
    if output in ("tsv", "csv"):
        return _long(results, per_topic, places, "\t" if output == "tsv" else ",")
    table = pivot(results, per_topic, 4 if places is None else places)
    if output == "markdown":
        return _markdown(table)
    if output == "latex":
        return _latex(table)
    return paint(table, () if paint is plain or per_topic else best(results))


def results_text(results: Results) -> str:
    """The means as a plain table, with the notes."""
    return render(results, "table", per_topic=False, places=None).rstrip("\n") + notes_text(results.notes, results.runs)


def notes_text(notes: Sequence[Note], runs: Sequence[str] = ()) -> str:
    """Notes under a table, one a line; what is said of several of the runs is said once."""
    return "".join(f"\nnote: {_one_line(str(note))}" for note in merge_notes(notes, len(runs)))


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
    """A row per run (and topic), a column per measure."""
    rows = [row for row in results if per_topic or row.topic == ALL]
    measures = list(dict.fromkeys(row.measure for row in rows))
    runs = list(dict.fromkeys(row.run for row in rows))
    values = {(row.run, row.topic, row.measure): row.value for row in rows}
    lines = []
    for run in runs:
        for topic in dict.fromkeys(row.topic for row in rows if row.run == run):
            cells = [shown(values.get((run, topic, measure)), places) for measure in measures]
            lines.append([run, *([topic] if per_topic else []), *cells])
    keys = ["run", "topic"] if per_topic else ["run"]
    return Table("", [*keys, *measures], lines, align="<" * len(keys) + ">" * len(measures))


def shown(value: float | None, places: int) -> str:
    return UNDEFINED if value is None else f"{value:.{places}f}"


def _long(results: Results, per_topic: bool, places: int | None, separator: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "value"])
    for row in results.records(per_topic):
        value = row["value"]
        text = "" if value is None else repr(value) if places is None else f"{value:.{places}f}"
        writer.writerow([row["run"], row["topic"], row["measure"], text])
    return out.getvalue()


def unbroken(cell: str) -> str:
    """A name as one row of a table can hold it: a line break in it would end the row."""
    return " ".join(cell.splitlines())


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(unbroken(cell).replace("|", "\\|") for cell in cells) + " |\n"

    ruler = line([":--" if side == "<" else "--:" for side in alignment(table)])
    return line(table.header) + ruler + "".join(line(row) for row in table.rows)


_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)  # fmt: skip


def latex(cell: str) -> str:
    """A name as LaTeX prints it."""
    return unbroken(cell).translate(_LATEX)


def _latex(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(latex(cell) for cell in cells) + " \\\\\n"

    columns = "".join("l" if side == "<" else "r" for side in alignment(table))
    body = "".join(line(row) for row in table.rows)
    return f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{line(table.header)}\\hline\n{body}\\hline\n\\end{{tabular}}\n"


def alignment(table: Table) -> str:
    return table.align or "<" + ">" * (len(table.header) - 1)


def aligned(table: Table) -> str:
    """Plain text in columns."""
    clean = [[_one_line(cell) for cell in row] for row in [table.header, *table.rows]]
    widths = [max((len(row[i]) for row in clean), default=0) for i in range(len(table.header))]
    sides = alignment(table)
    lines = []
    for row in clean:
        cells = [
            cell.rjust(w) if side == ">" else cell.ljust(w) for cell, w, side in zip(row, widths, sides, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    ruler = "  ".join("-" * width for width in widths)
    head = f"{table.title}\n" if table.title else ""
    return head + "\n".join([lines[0], ruler, *lines[1:]]) + "\n"


def _one_line(cell: str) -> str:
    """Names come from files: no control character reaches the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in cell)


def explanation(value: Explanation) -> str:
    """An explanation as plain text."""
    parts = [f"{_one_line(value.title)}\n"]
    for part in value.parts:
        parts.append(aligned(part) if isinstance(part, Table) else f"{part}\n")
    return "\n".join(parts)
