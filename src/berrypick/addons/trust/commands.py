"""berrypick correlate, stability and power."""

from __future__ import annotations

from typing import Any

import click

from berrypick.addons.trust.correlation import correlate
from berrypick.addons.trust.power import power
from berrypick.addons.trust.stability import stability
from berrypick.cli import options
from berrypick.cli.output import HELP, Output, progress_bar, tell


@click.command(
    "correlate", short_help="Correlate rankings of runs by two measures or two truths.", context_settings=HELP
)
@click.argument("results", nargs=-1, required=True)
@click.option("-m", "--measure", "requested", multiple=True, help="Measures of the results. [default: all of them]")
@options.resampling_options(10_000)
@options.output()
def correlate_command(
    results: tuple[str, ...], requested: tuple[str, ...], output: Output, places: int | None, **settings: Any
) -> None:
    """Correlate rankings of runs in RESULTS, files written by evaluate -q -o json: Kendall's tau and tau_AP.

    One file: every pair of its measures. Several files (two truths, two user models): each measure they share.

    \b
    berrypick evaluate truth.qrels *.run -m 'EPRUM AP' -q -o json > results.json
    berrypick correlate results.json
    """
    with progress_bar("correlating", "pairs") as progress:
        found = correlate(*results, measures=list(requested), progress=progress, **settings)
    options.show_analysis(found, output, places)


@click.command(
    "stability", short_help="Measure how well measures tell runs apart on these topics.", context_settings=HELP
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("EPRUM nxCG@10")
@options.whole_number("--splits", 1000, "Number of random halves of the topics.", click.IntRange(1))
@options.resampling_options(1000)
@click.option("--plot", "picture", metavar="FILE", help="Also draw a figure: FILE.png, FILE.svg or FILE.pdf.")
@options.output()
@options.evaluation
def stability_command(picture: str | None, output: Output, places: int | None, **settings: Any) -> None:
    """Measure how well MEASURES tell RUNS apart: discriminative power (bootstrap tests) and swap rates.

    \b
    berrypick stability truth.jsonl *.run -m 'charR@5 EPRUM' --plot stability.svg
    """
    if picture is not None:
        from berrypick.report.export import check_target, converter

        check_target(picture)
        converter()
        options.refuse_inputs(picture, settings)
    with progress_bar("resampling", "steps") as progress:
        found = stability(*options.inputs(settings), progress=progress, **settings)
    if picture is not None:
        from berrypick.report.chart_theme import PAPER
        from berrypick.report.export import write_picture

        size = write_picture(found.plot(theme=PAPER), picture, PAPER)
        tell(f"{picture}: {len(found)} measures, {size}")
    options.show_analysis(found, output, places)


@click.command("power", short_help="Find how many topics it takes to see a difference.", context_settings=HELP)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("EPRUM nxCG@10")
@click.option("--detect", type=float, multiple=True, metavar="X", help="Difference of means to detect; repeatable.")
@click.option("--power", type=float, default=0.8, show_default=True, metavar="P", help="Probability of detecting it.")
@options.resampling_options(1000)
@options.output()
@options.evaluation
def power_command(output: Output, places: int | None, **settings: Any) -> None:
    """Find the smallest difference that the topics can show, and the topics needed for a difference of --detect.

    \b
    berrypick power truth.jsonl a.jsonl b.jsonl -m charR@5 --detect 0.03
    """
    with progress_bar() as progress:
        found = power(*options.inputs(settings), progress=progress, **settings)
    options.show_analysis(found, output, places)
