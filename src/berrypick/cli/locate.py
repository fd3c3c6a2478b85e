"""berrypick locate."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, refuse_same, show_notes
from berrypick.data.truth import OFFSETS
from berrypick.documents.quotes import QUOTES, THRESHOLD
from berrypick.evaluation.notes import reading_notes
from berrypick.judgements.locate import locate


@click.command("locate", short_help="Find quotes in the documents and write their spans.", context_settings=HELP)
@click.argument("truth")
@click.argument("file", metavar="[FILE]", required=False)
@flags.file_or_print(
    "File to write, instead of FILE; or span-truth, to print. Repeatable.", lambda: ["span-truth"], older="file"
)
@click.option("--documents", required=True, metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text.")
@click.option("--quotes", type=click.Choice(QUOTES), default="exact", show_default=True, help="How to match quotes.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100, min_open=True),
    default=THRESHOLD,
    show_default=True,
    help="Minimum similarity for --quotes fuzzy, in percent.",
)
@click.option(
    "--offsets", type=click.Choice(OFFSETS), help="Unit of the offsets in TRUTH; FILE has chars. [default: chars]"
)
@click.option(
    "--repair",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Move offsets that do not match to the only place of their quote within N characters.",
)
@click.option("--partial", is_flag=True, help="Write the spans found and skip the rest.")
@click.option("--report", metavar="FILE", help="JSON Lines file to write: the outcome for every span and quote.")
@click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]")
def locate_command(
    truth: str,
    result: flags.Destination,
    documents: str,
    offsets: Any,
    report: str | None,
    format_truth: str | None,
    **settings: Any,
) -> None:
    """Find the quotes of TRUTH in the documents and write their spans to FILE.

    Quotes that are missing or occur in several places are reported with candidates, as are offsets that do not match
    their quotes, and nothing is written but the report.

    \b
    berrypick locate quotes.jsonl spans.jsonl --documents texts
    """
    result.refuse_overwriting([truth], documents)
    if report is not None:
        refuse_overwriting(report, [truth], documents)
        refuse_same(result.file or "", report)
    read = formats.read_truth(truth, format_truth)
    show_notes(reading_notes(read, truth))
    found = locate(read, documents, offsets=offsets, report=report, **settings)
    show_notes([f"{truth}: {note}" for note in found.notes[len(read.notes) :]])
    if offsets is not None and read.offsets not in (None, offsets):
        show_notes([f"{truth}: offsets are declared as {read.offsets}; --offsets {offsets} is ignored"])

    def write(path: str, form: str | None) -> str:
        formats.write(found, path, None if path.endswith((".csv", ".parquet")) else "span-truth")
        return ", ".join(formats.by_name("span-truth").describe(found))

    result.give(write)
