"""berrypick correlate."""

from __future__ import annotations

from typing import Any

import click

from berrypick.analysis.trust.correlation import correlate
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar


@click.command(
    "correlate", short_help="Correlate rankings of runs by two measures or two truths.", context_settings=HELP
)
@click.argument("results", nargs=-1, required=True)
@click.option("-m", "--measure", "requested", multiple=True, help="Measures of the results. [default: all of them]")
@flags.cluster
@flags.resampling_options(10_000)
@flags.output()
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
    flags.show_analysis(found, output, places)
