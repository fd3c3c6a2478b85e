"""berrypick stability."""

from __future__ import annotations

from typing import Any

import click

from berrypick.analysis.trust.stability import stability
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar


@click.command(
    "stability",
    short_help="Measure how well measures tell runs apart on these topics.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.measures("EPRUM nxCG@10")
@flags.whole_number("--splits", 1000, "Number of random halves of the topics.", click.IntRange(1))
@flags.cluster
@flags.resampling_options(1000)
@click.option("--plot", "picture", metavar="FILE", help="Also draw a figure: FILE.png, FILE.svg or FILE.pdf.")
@flags.output()
@flags.evaluation
def stability_command(picture: str | None, output: Output, places: int | None, **settings: Any) -> None:
    """Measure how well MEASURES tell RUNS apart: discriminative power (bootstrap tests) and swap rates.

    \b
    berrypick stability truth.jsonl *.run -m 'charR@5 EPRUM' --plot stability.svg
    """
    if picture is not None:
        flags.check_picture(picture, settings)
    with progress_bar("resampling", "steps") as progress:
        found = stability(*flags.inputs(settings), progress=progress, **settings)
    if picture is not None:
        flags.draw(found, picture, f"{len(found)} measures, ")
    flags.show_analysis(found, output, places)
