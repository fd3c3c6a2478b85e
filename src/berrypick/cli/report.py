"""berrypick report."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, progress_bar, show_notes, tell
from berrypick.data.errors import as_flags


@click.command(
    "report",
    short_help="Write an HTML report that shows what is behind the numbers.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.measures("EPRUM nxCG@10")
@flags.file_to_write("HTML file to write.", "html")
@click.option("--html", metavar="FILE", help="Same as -o FILE.")
@click.option("--title", default="", help="Title of the page.")
@click.option("--titles", metavar="FILE", help="Titles of topics: lines of topic, TAB, title; or a field of the truth.")
@click.option(
    "--readers", default="auto", show_default=True, metavar="SPECS", help="User models that the page can switch to."
)
@flags.simulation
@click.option(
    "--depth", type=click.IntRange(1), default=100, show_default=True, help="Number of results to show per ranking."
)
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    default=15,
    show_default=True,
    metavar="MB",
    help="Maximum size of the page.",
)
@click.option("--pages", metavar="FOLDER", help="Pictures of the judged pages: DOC/PAGE.png or .jpg, or DOC.pdf.")
@flags.diagnosis
@flags.comparison
@flags.model_truth
@flags.resampling_options(10_000)
@flags.evaluation
def report_command(target: str, **settings: Any) -> None:
    """Write an HTML report: tables, curves, topics, documents, user models. One file that needs no network.

    To see results in the text of their documents, give the texts with --documents, or XML with --collection. Needs
    vl-convert: pip install 'berrypick[report]'. PDF files under --pages need 'berrypick[pages]'.

    \b
    berrypick report truth.jsonl a.jsonl -m charR@5 --documents texts --html report.html
    """
    flags.refuse_inputs(target, settings)
    from berrypick.report.html.html_report import write_report

    with progress_bar() as progress:
        command = shlex.join(["berrypick", *sys.argv[1:]])
        made = write_report(*flags.inputs(settings), html=target, command=command, progress=progress, **settings)
    show_notes([*made.notes, *(f"left out: {as_flags(what)}" for what in made.omitted)])
    pieces = f"{made.topics} topics, {made.documents} documents with text or structure, {made.size / 1e6:.1f} MB"
    tell(f"{target}: {pieces}")
