"""berrypick power."""

from __future__ import annotations

from typing import Any

import click

from berrypick.analysis.trust.power import power
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar


@click.command(
    "power",
    short_help="Find how many topics are needed to detect a difference.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.measures("EPRUM nxCG@10")
@click.option("--detect", type=float, multiple=True, metavar="X", help="Difference of means to detect; repeatable.")
@click.option("--power", type=float, default=0.8, show_default=True, metavar="P", help="Probability of detecting it.")
@flags.cluster
@flags.resampling_options(1000)
@flags.output()
@flags.evaluation
def power_command(output: Output, places: int | None, **settings: Any) -> None:
    """Find the smallest difference that the topics can show, and the topics needed for a difference of --detect.

    \b
    berrypick power truth.jsonl a.jsonl b.jsonl -m charR@5 --detect 0.03
    """
    with progress_bar() as progress:
        found = power(*flags.inputs(settings), progress=progress, **settings)
    flags.show_analysis(found, output, places)
