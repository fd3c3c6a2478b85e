"""berrypick compare and diff."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.analysis.compare import FAMILIES, PAIRS, compare
from berrypick.analysis.difference import diff, renamed
from berrypick.analysis.gates import Gates
from berrypick.analysis.statistics import INTERVALS
from berrypick.cli import options
from berrypick.cli.output import chosen_output, exit_if_unmet, painter, progress_bar, show, show_notes
from berrypick.report import comparison as comparisons


@click.command("compare")
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("charR@5 IoU@5")
@options.comparison
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="measure",
    show_default=True,
    help="What is corrected together: the comparisons under one measure, or under all.",
)
@click.option(
    "--pairs", type=click.Choice(PAIRS), default="all", show_default=True, help="All pairs, or those with the baseline."
)
@click.option(
    "--interval", type=click.Choice(INTERVALS), default="expanded", show_default=True, help="Bootstrap interval."
)
@options.resampling_options(10_000)
@click.option("--fail-under", multiple=True, metavar="M=X", help="Exit code 1 if a run's mean is below, 'charR@5=0.8'.")
@click.option("--fail-over", multiple=True, metavar="M=X", help="Exit code 1 if a run's mean is above, 'Overlap=0.2'.")
@click.option("--fail-if-worse", metavar="RUN", help="Exit code 1 if a run is significantly worse than this one.")
@click.option("-o", "--output", type=click.Choice(comparisons.OUTPUTS), help="[table on a terminal, else tsv]")
@click.option("--layout", type=click.Choice(comparisons.LAYOUTS), help="A table per measure, or one. [LaTeX: runs]")
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [4]")
@options.evaluation
def compare_command(
    truth: str,
    runs: tuple[str, ...],
    requested: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    fail_if_worse: str | None,
    output: str | None,
    layout: str | None,
    places: int | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Compare RUNS: means with intervals, paired tests, effect sizes; gates for continuous integration.

    Exit code 1 if a gate (--fail-under, --fail-over, --fail-if-worse) is not met, with a line for each reason.
    """
    gates = Gates.read(fail_under, fail_over, fail_if_worse)
    with progress_bar() as progress:
        found = compare(
            formats.read_truth(truth, format_truth),
            [formats.read_run(run, format_run) for run in runs],
            gates.measures(requested, settings["protocol"], settings["task"]),
            **gates.baseline(settings),
            progress=progress,
        )
    reasons = gates.unmet(found)
    show_notes([*found.notes, *gates.notes(found)])
    chosen = chosen_output(output)
    show(comparisons.render(found, chosen, places, layout, painter()), chosen == "table")
    exit_if_unmet(reasons)


@click.command("diff")
@click.argument("old")
@click.argument("new")
@click.option("--tolerance", type=float, default=1e-9, show_default=True, help="Largest change that does not count.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="A run that has another name now.")
@click.option("--force", is_flag=True, help="Compare numbers that were computed in different ways all the same.")
@click.option("--fail-if-different", is_flag=True, help="Exit code 1 if anything differs.")
@click.option(
    "-o", "--output", type=click.Choice(comparisons.DIFFERENCE_OUTPUTS), help="[table on a terminal, else tsv]"
)
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [4]")
def diff_command(
    old: str,
    new: str,
    tolerance: float,
    rename: tuple[str, ...],
    force: bool,
    fail_if_different: bool,
    output: str | None,
    places: int | None,
) -> None:
    """What changed between OLD and NEW, two files written by evaluate -q -o json, topic by topic."""
    found = diff(old, new, tolerance=tolerance, force=force, rename=renamed(rename))
    show_notes(found.notes)
    chosen = chosen_output(output)
    show(comparisons.render_difference(found, chosen, places, painter()), chosen == "table")
    exit_if_unmet([found.reason] if fail_if_different and found else [])
