"""berrypick abstention."""

from __future__ import annotations

from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, refuse_overwriting, tell
from berrypick.given.convert import RunFile, TruthFile


@click.command(
    "abstention",
    short_help="Show Abstained and Answered at every score threshold.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.output_format(("table", "tsv", "csv", "json", "jsonl"))
@click.option("--plot", "picture", metavar="FILE", help="Draw the trade-off: a file that ends in .png, .svg or .pdf.")
@flags.evaluation_options
def abstention_command(
    truth: str,
    runs: tuple[str, ...],
    output: Output,
    picture: str | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Show what --min-score trades: Abstained and Answered at every score that changes either.

    \b
    berrypick abstention truth.jsonl old.jsonl new.jsonl --plot trade-off.svg
    """
    from berrypick.analysis.abstention import abstention
    from berrypick.report.figures.export import FigureFile

    if picture is not None:
        refuse_overwriting(picture, [truth, *runs])
    found = abstention(TruthFile(truth, format_truth), [RunFile(run, format_run) for run in runs], **settings)
    if picture is not None:
        tell(f"{picture}: {FigureFile(picture).draw(found)}")
    output.show(lambda form, paint: found.table(form))
