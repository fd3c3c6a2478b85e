"""berrypick simulate."""

from __future__ import annotations

from typing import Any

import click

from berrypick.analysis.simulation.simulation import simulate
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar


@click.command(
    "simulate",
    short_help="Simulate readers: each measure beside its simulated value.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.measures("EPRUM PRUM epnav")
@flags.whole_number("--readers", 10_000, "Readers to simulate for each topic.", click.IntRange(2))
@flags.whole_number("--seed", 0, "Random seed.", click.IntRange(0))
@flags.together
@click.option("-q", "--per-topic", is_flag=True, help="Show a row per topic as well as the means.")
@flags.output()
@flags.evaluation
def simulate_command(output: Output, places: int | None, **settings: Any) -> None:
    """Simulate readers of RUNS, and show each measure beside the mean of what they get.

    Readers go down the list as the user model says: they follow links, play a video until they give up, move up and
    down a tree. The difference is what the hypotheses behind the exact value cost. All runs have the same readers.

    \b
    berrypick simulate truth.qrels a.run b.run -m 'EPRUM PRUM' --navigation clicks.tsv --readers 100000
    """
    with progress_bar("simulating", "readers") as progress:
        found = simulate(*flags.inputs(settings), progress=progress, **settings)
    flags.show_analysis(found, output, places)
