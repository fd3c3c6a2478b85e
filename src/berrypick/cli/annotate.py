"""berrypick annotate."""

from __future__ import annotations

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, show_notes, tell
from berrypick.data.words import counted


@click.command("annotate", short_help="Write a page on which a person judges passages.", context_settings=HELP)
@click.argument("tasks")
@flags.file_to_write("HTML file to write.", "html")
@click.option("--html", metavar="FILE", help="Same as -o FILE.")
@click.option("--annotator", default="", metavar="NAME", help="Name of the person who judges; the page can change it.")
@click.option(
    "--pages",
    metavar="FOLDER",
    help="Pictures of the judged pages: DOC/PAGE.png or .jpg, pages from 1, or DOC.pdf.",
)
def annotate_command(tasks: str, target: str, annotator: str, pages: str | None) -> None:
    """Write a page on which a person judges TASKS, as berrypick pool writes them.

    The page needs no server and no network. It keeps the work in the browser, and saves a truth.

    \b
    berrypick pool old.jsonl new.jsonl --documents texts -o tasks.jsonl
    berrypick annotate tasks.jsonl --html judge.html --annotator Ana
    berrypick annotate boxes.jsonl --html judge.html --pages pictures
    """
    from berrypick.judgements.annotate import annotate

    refuse_overwriting(target, [tasks])
    notes: list[str] = []
    count = annotate(tasks, html=target, annotator=annotator, pages=pages, notes=notes)
    show_notes(notes)
    tell(f"{target}: {counted(count, 'region')} to judge; open it in a browser")
