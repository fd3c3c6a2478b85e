"""berrypick ideal."""

from __future__ import annotations

from typing import Any

import click

from berrypick.analysis import ideal_table
from berrypick.analysis.ideal_lists import gap_note, ideal_lists, missing_navigation
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar, show_notes
from berrypick.given.convert import TruthFile


@click.command(
    "ideal",
    short_help="Search for the best list of each topic, with a proven bound.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.option(
    "-m",
    "--measure",
    "requested",
    multiple=True,
    default=("EPRUM",),
    show_default=True,
    help="EPRUM, EPRUM(r=2), EPRUM@0.5, epnav, epnav@0.5; EPRUM(ideal='certified',norm='bounded') for the largest "
    "E[A/ML], epnav(ideal='certified',norm='bounded') for the largest E[1/effort].",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Number of sets to examine for each recall value or gain. [auto]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="End the search for a recall value or gain after S seconds; results may then differ between machines.",
)
@click.option("--gap", type=click.FloatRange(0), metavar="X", help="Relative gap above which a note says so. [0.05]")
@flags.output(ideal_table.OUTPUTS)
@flags.evaluation_options
def ideal_command(
    truth: str,
    requested: tuple[str, ...],
    gap: float | None,
    output: Output,
    places: int | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Search the best list for each topic of TRUTH, and prove how far from the best it can be.

    For each recall value r: the list, the expected number of ranks that it takes to see r targets (value), a bound that
    no list of the candidates is below, and the relative gap between the two; with gap 0 no list is better. With epnav
    the same for each gain: the expected effort until it is reached, and the gain-recall level up to which the list is
    ideal.

    \b
    berrypick ideal truth.qrels --navigation clicks.tsv -o json
    berrypick ideal truth.qrels -m 'EPRUM(r=2)' --user markov --navigation visits.sessions --nodes 5000
    berrypick ideal truth.jsonl -m epnav --user hierarchy --effort chars --collection documents
    """
    with progress_bar("searching") as progress:
        found = ideal_lists(TruthFile(truth, format_truth), list(requested), progress=progress, **settings)
    show_notes([*missing_navigation(found), *gap_note(found, gap)])
    output.show(lambda form, paint: ideal_table.render(found, form, places, paint))
