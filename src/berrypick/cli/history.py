"""berrypick history."""

from __future__ import annotations

import click

from berrypick.analysis.ledger.history import history
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, refuse_overwriting, tell
from berrypick.data.words import counted
from berrypick.tables.analysis_table import OUTPUTS


@click.command("history", short_help="Show the values and looks of a ledger over time.", context_settings=HELP)
@click.argument("ledger")
@flags.measures("charR@5", "all of the ledger")
@click.option("--html", "page", metavar="FILE", help="Write a self-contained page.")
@click.option("--plot", "picture", metavar="FILE", help="Draw FILE.png, FILE.svg or FILE.pdf.")
@click.option("--ledger-head", metavar="SUM", help="Exit with 2 if the line with this checksum is missing.")
@flags.output(OUTPUTS)
def history_command(
    ledger: str,
    requested: tuple[str, ...],
    page: str | None,
    picture: str | None,
    ledger_head: str | None,
    output: Output,
    places: int | None,
) -> None:
    """Show what LEDGER tells: values over time with intervals, the best so far, and the number of looks.

    compare, sweep and assert_retrieval append to a ledger. A change of the truth, or of how values are computed,
    starts a new table. Looks are counted for each truth, and summed over truths that share half of their topics.

    \b
    berrypick compare truth.jsonl old.jsonl new.jsonl -m charR@5 --ledger looks.jsonl --commit "$(git rev-parse HEAD)"
    berrypick history looks.jsonl --html history.html
    """
    for target in (page, picture):
        if target is not None:
            refuse_overwriting(target, [ledger])
    if picture is not None:
        from berrypick.report.figures.export import FigureFile

        FigureFile(picture).check()
    found = history(ledger, list(requested), ledger_head=ledger_head)
    if picture is not None:
        flags.draw(found, picture)
    if page is not None:
        found.write_html(page)
        tell(f"{page}: {counted(len(found.points), 'look')}")
    flags.show_analysis(found, output, places)
