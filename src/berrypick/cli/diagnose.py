"""berrypick diagnose."""

from __future__ import annotations

from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, show_notes
from berrypick.data.merged_notes import merge_notes
from berrypick.given.convert import RunFile, TruthFile


@click.command(
    "diagnose",
    short_help="Find out where each answer was lost, and why.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.diagnosis
@click.option(
    "--worst", type=click.IntRange(min=0), default=10, show_default=True, help="Number of topics to show; 0 for none."
)
@click.option(
    "-m", "--measure", "measures", multiple=True, help="Measures to compare between stages, e.g. 'charR@5 RR'."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@flags.output(("table", "tsv", "csv", "json", "jsonl", "markdown", "latex"))
@flags.evaluation_options
def diagnose_command(
    truth: str,
    runs: tuple[str, ...],
    output: Output,
    places: int | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Put every target of TRUTH into one class, for each of RUNS: found, ranked low, wrong document and so on.

    With --stages, RUNS are one pipeline: what the retriever returned, what the reranker made of it, what reached the
    model. A run whose rows name their stage is such a pipeline in one file. With --chunks, answers that a chunk border
    cuts have a class of their own.

    \b
    berrypick diagnose truth.jsonl run.jsonl --documents texts
    berrypick diagnose truth.jsonl first.jsonl reranked.jsonl --stages --chunks chunks.jsonl --documents texts
    """
    from berrypick.analysis.diagnosis.diagnosis import diagnose

    found = diagnose(TruthFile(truth, format_truth), [RunFile(run, format_run) for run in runs], **settings)
    show_notes(merge_notes(found.notes, len(found.runs)))
    output.show(lambda form, paint: found.table(form, places))
