"""berrypick evaluate."""

from __future__ import annotations

import sys
from io import StringIO
from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar, show_notes
from berrypick.core.errors import UsageError
from berrypick.core.results import merge_notes
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions
from berrypick.inputs.convert import RunFile, TruthFile
from berrypick.report import tables, text


@click.command("evaluate", context_settings=HELP)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.measures("EPRUM PRUM@0.5 nDCG@10")
@click.option("-q", "--per-topic", is_flag=True, help="Show a row per topic as well as the means.")
@flags.output(text.OUTPUTS)
@click.option("--curves", is_flag=True, help="Add the curves behind the numbers: to JSON, or below the table.")
@click.option(
    "--seed", type=int, metavar="N", expose_value=False, help="Accepted for consistency; evaluate uses no randomness."
)
@flags.evaluation
def evaluate_command(
    truth: str,
    runs: tuple[str, ...],
    requested: tuple[str, ...],
    per_topic: bool,
    output: Output,
    places: int | None,
    curves: bool,
    jobs: int,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Score RUNS against the judgements in TRUTH. Formats are detected; - is standard input.

    \b
    berrypick evaluate truth.qrels my.run -m 'EPRUM nDCG@10' -q
    berrypick evaluate truth.jsonl chunks.jsonl -m 'charP@5 charR@5' -o json
    """
    if curves and output.formats - {"json", "jsonl", "table"}:
        raise UsageError("--curves needs -o json, -o jsonl or -o table")
    with progress_bar() as progress:
        results = Evaluation._from_options(
            TruthFile(truth, format_truth),
            [RunFile(run, format_run) for run in runs],
            list(requested),
            EvaluationOptions.from_arguments(settings),
        ).run(curves=curves, progress=progress, jobs=jobs)
    show_notes(merge_notes(results.notes, len(results.runs)))

    def render(form: str, paint: tables.Paint) -> str:
        content = text.render(results, form, per_topic, places, paint)
        if curves and form == "table":
            from berrypick.report import terminal

            content += "\n" + terminal.curves_of(results, StringIO() if paint is tables.plain else sys.stdout)
        return content

    output.show(render)
