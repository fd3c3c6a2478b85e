"""berrypick simulate."""

from __future__ import annotations

from typing import Any

import click

from berrypick.analysis.simulation import simulate
from berrypick.cli import options
from berrypick.cli.output import HELP, painter, progress_bar, show, show_notes
from berrypick.corpus.convert import RunFile, TruthFile
from berrypick.report import tabular


@click.command("simulate", context_settings=HELP)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("EPRUM PRUM epnav")
@click.option(
    "--readers",
    type=click.IntRange(2),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Readers to simulate for each topic.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Random seed.")
@click.option("-q", "--per-topic", is_flag=True, help="Show a row per topic as well as the means.")
@options.output()
@options.evaluation
def simulate_command(
    truth: str,
    runs: tuple[str, ...],
    requested: tuple[str, ...],
    output: str,
    places: int | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Simulate readers of RUNS, and show each measure beside the mean of what they get.

    Readers go down the list as the user model says: they follow links, play a video until they give up, move up and
    down a tree. The difference is what the hypotheses behind the exact value cost. All runs have the same readers.

    \b
    berrypick simulate truth.qrels a.run b.run -m 'EPRUM PRUM' --navigation clicks.tsv --readers 100000
    """
    with progress_bar("simulating", "readers") as progress:
        found = simulate(
            TruthFile(truth, format_truth),
            [RunFile(run, format_run) for run in runs],
            list(requested),
            progress=progress,
            **settings,
        )
    show_notes(found.notes)
    show(tabular.render(found, output, places, painter()), output == "table")
