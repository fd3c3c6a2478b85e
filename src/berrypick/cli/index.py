"""berrypick index."""

from __future__ import annotations

import os

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, progress_bar, refuse_overwriting, show_notes, tell
from berrypick.documents.xml import build_index


@click.command("index", short_help="Index the structure of XML documents, for --collection.", context_settings=HELP)
@click.argument("folder")
@click.argument("file", metavar="[FILE]", required=False)
@flags.file_to_write("File to write, instead of FILE.", "file")
@click.option("--jobs", type=click.IntRange(1), help="Number of processes. [default: number of cores]")
def index_command(folder: str, target: str, jobs: int | None) -> None:
    """Index the structure of the XML documents in FOLDER; use FILE as --collection afterwards.

    Run the same command again to continue after an interruption. Unreadable documents are reported and skipped. Needs
    pyarrow: pip install 'berrypick[chunks]'.

    \b
    berrypick index collection collection.idx
    berrypick evaluate truth.qrels my.run -m EPRUM --user hierarchy --collection collection.idx
    """
    refuse_overwriting(target, [folder])
    try:
        with progress_bar("indexing", "documents") as progress:
            made = build_index(folder, target, jobs, progress)
    except KeyboardInterrupt:
        if os.path.exists(f"{target}.partial"):
            show_notes([f"interrupted; run the same command to continue from {target}.partial"])
        raise
    for problem in made.problems:
        tell(os.path.join(folder, problem))
    show_notes(made.notes())
