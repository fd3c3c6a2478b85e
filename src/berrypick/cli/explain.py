"""berrypick explain."""

from __future__ import annotations

import sys
from typing import Any

import click

from berrypick.analysis.explain import explain
from berrypick.cli import flags
from berrypick.cli.output import HELP, show
from berrypick.given.convert import RunFile, TruthFile
from berrypick.tables import text


@click.command(
    "explain", short_help="Show how one number is computed.", context_settings=HELP, cls=flags.EvaluationCommand
)
@click.argument("truth")
@click.argument("run")
@click.option("--topic", required=True, help="Topic to explain: its name or its question.")
@click.option("-m", "--measure", "requested", required=True, help="Measure to explain, e.g. EPRUM.")
@flags.simulation
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Random seed of readers."
)
@flags.reader_draws
@flags.evaluation_options
def explain_command(
    truth: str, run: str, topic: str, requested: str, format_truth: str | None, format_run: str | None, **settings: Any
) -> None:
    """Show how one number is computed: what each rank leads to, and the terms of the sum.

    \b
    berrypick explain truth.qrels my.run --topic 1 -m EPRUM
    """
    value = explain(TruthFile(truth, format_truth), RunFile(run, format_run), requested, topic, **settings)
    if sys.stdout.isatty():
        from berrypick.tables import terminal

        show(terminal.explanation(value, terminal.width(), terminal.decorated(sys.stdout)), True)
    else:
        show(text.explanation(value))
