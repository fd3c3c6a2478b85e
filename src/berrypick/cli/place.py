"""berrypick place."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, show_notes, tell
from berrypick.data.errors import UsageError
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.documents.quotes import QUOTES
from berrypick.evaluation.notes import reading_notes


@click.command("place", short_help="Turn spans of text into boxes on pages, or back.", context_settings=HELP)
@click.argument("source", metavar="IN")
@click.argument("out", metavar="[OUT]", required=False)
@flags.file_to_write("File to write, instead of OUT.", "out")
@click.option(
    "--words",
    required=True,
    metavar="PATH",
    help="Words: JSON Lines with doc, page, text, box; or ALTO, PAGE XML.",
)
@click.option("--quotes", type=click.Choice(QUOTES), default="exact", show_default=True, help="How to match texts.")
@click.option("--from", "source_format", metavar="NAME", help="Format of IN. [default: detect]")
def place_command(source: str, target: str, words: str, quotes: Any, source_format: str | None) -> None:
    """Turn the spans or texts of a truth or run into boxes on pages, or its boxes into spans.

    So the chunks of a text splitter can be judged against boxes, and boxes against judged text. Offsets count
    characters of the words with one space between them.

    \b
    berrypick place chunks.jsonl boxes.jsonl --words words.jsonl
    """
    from berrypick.judgements.place import place

    refuse_overwriting(target, [source, words])
    value = formats.read_any(source, None, source_format)
    if not isinstance(value, (Truth, Run)):
        raise UsageError(f"{source} is neither a truth nor a run")
    show_notes(reading_notes(value, source))
    found = place(value, words, quotes=quotes)
    show_notes([f"{source}: {note}" for note in found.notes[len(value.notes) :]])
    chosen = formats.write(found, target)
    tell(f"{target}: {chosen.name()}, {', '.join(chosen.describe(found))}")
