"""berrypick nuggets."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, show_notes


@click.command(
    "nuggets",
    short_help="Count nuggets retrieved and said, lost, said only, neither.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("stated")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--assigned", required=True, multiple=True, metavar="FILE", help="Nuggets that the answers state: one file per run."
)
@click.option(
    "--share", type=float, default=0.5, show_default=True, help="Minimum share of a span that must be retrieved."
)
@click.option("--iou", type=float, metavar="X", help="Minimum intersection over union of a result and a span, instead.")
@click.option("--at", type=click.IntRange(min=1), metavar="K", help="Count only the first K results.")
@click.option("--only-support", is_flag=True, help="Count partly supported nuggets as not said.")
@flags.output_format(("table", "tsv", "csv", "json", "jsonl", "markdown", "latex"))
@flags.evaluation_options
def nuggets_command(
    stated: str,
    runs: tuple[str, ...],
    assigned: tuple[str, ...],
    output: Output,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Count, for each run, nuggets retrieved and said, retrieved and lost, said without being retrieved, and neither.

    STATED has the spans that state a nugget: lines of JSON with topic, doc, start, end and nugget, its text.

    \b
    berrypick nuggets stated.jsonl run.jsonl --assigned assigned.jsonl
    """
    from berrypick.analysis.retrieved_said import retrieved_said

    if format_truth not in (None, "span-truth"):
        raise click.BadParameter("STATED must be JSON Lines", param_hint="--format-truth")
    found = retrieved_said(stated, [formats.read_run(run, format_run) for run in runs], list(assigned), **settings)
    show_notes([str(note) for note in found.notes])
    output.show(lambda form, paint: found.table(form))
