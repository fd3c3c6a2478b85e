"""berrypick correlate."""

from __future__ import annotations

import click

from berrypick.analysis.correlation import correlate
from berrypick.cli import options
from berrypick.cli.output import chosen_output, painter, progress_bar, show, show_notes
from berrypick.report import tabular


@click.command("correlate")
@click.argument("results", nargs=-1, required=True)
@click.option("-m", "--measure", "requested", multiple=True, help="Measures of the results. [default: all of them]")
@options.resampling_options(10_000)
@options.output
def correlate_command(
    results: tuple[str, ...],
    requested: tuple[str, ...],
    confidence: float,
    resamples: int,
    seed: int,
    output: str | None,
    places: int | None,
) -> None:
    """Correlate rankings of runs in RESULTS, files written by evaluate -q -o json: Kendall's tau and tau_AP.

    One file: every pair of its measures. Several files (two truths, two user models): each measure they share.

    \b
    berrypick evaluate truth.qrels *.run -m 'EPRUM AP' -q -o json > results.json
    berrypick correlate results.json
    """
    with progress_bar("correlating", "pairs") as progress:
        found = correlate(
            *results,
            measures=list(requested),
            confidence=confidence,
            resamples=resamples,
            seed=seed,
            progress=progress,
        )
    show_notes(found.notes)
    chosen = chosen_output(output)
    show(tabular.render(found, chosen, places, painter()), chosen == "table")
