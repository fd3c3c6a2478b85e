"""berrypick annotate."""

from __future__ import annotations

import click

from berrypick.cli.output import HELP, refuse_overwriting, tell
from berrypick.core.words import counted


@click.command("annotate", short_help="Write a page on which a person judges.", context_settings=HELP)
@click.argument("tasks")
@click.option("--html", required=True, metavar="FILE", help="HTML file to write.")
@click.option("--annotator", default="", metavar="NAME", help="Who judges; the page has a field for it.")
def annotate_command(tasks: str, html: str, annotator: str) -> None:
    """Write a page on which a person judges TASKS, as berrypick pool writes them.

    The page needs no server and no network. It keeps the work in the browser, and saves a truth.

    \b
    berrypick pool old.jsonl new.jsonl --documents texts -o tasks.jsonl
    berrypick annotate tasks.jsonl --html judge.html --annotator Ana
    """
    from berrypick.addons.judge.annotate import annotate

    refuse_overwriting(html, [tasks])
    count = annotate(tasks, html=html, annotator=annotator)
    tell(f"{html}: {counted(count, 'region')} to judge; open it in a browser")
