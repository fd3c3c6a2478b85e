"""berrypick adopt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, refuse_same, show, show_notes, tell
from berrypick.data.errors import UsageError, library
from berrypick.documents.quotes import QUOTES, THRESHOLD
from berrypick.evaluation.notes import skipped_notes

if TYPE_CHECKING:
    from berrypick.data.results import Results


@click.command("adopt", short_help="Convert a golden file to judgements.", context_settings=HELP)
@click.argument("golden")
@click.argument("runs", nargs=-1)
@click.option("--documents", required=True, metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text.")
@flags.file_to_write("Truth to write.")
@click.option(
    "--fields",
    metavar="ROLE=NAME,..",
    multiple=True,
    callback=flags.joined,
    help="Roles of fields, e.g. question=q,quote=ctx,doc=src,topic=id; 'label=' ignores a field.",
)
@click.option(
    "--chunks", metavar="FILE", help="Chunks whose ids the golden file names: id, and text or doc, start, end."
)
@click.option(
    "--contexts",
    type=click.Choice(["all", "any"]),
    help="Contexts that answer a question, for Enough: all of them, or any one. [default: all, with a note]",
)
@click.option("-y", "--yes", is_flag=True, help="Accept uncertain guesses without asking.")
@click.option("--partial", is_flag=True, help="Skip quotes not found in the documents.")
@click.option("--report", metavar="FILE", help="JSON Lines file to write: the quotes that were not found.")
@click.option(
    "--quotes",
    type=click.Choice(QUOTES),
    default="fuzzy",
    show_default=True,
    help="Most lenient quote matching to allow.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100, min_open=True),
    default=THRESHOLD,
    show_default=True,
    help="Minimum similarity for --quotes fuzzy, in percent.",
)
@flags.measures("charR@5 charP@5")
def adopt_command(
    golden: str,
    runs: tuple[str, ...],
    documents: str,
    target: str,
    yes: bool,
    partial: bool,
    report: str | None,
    requested: tuple[str, ...],
    **settings: Any,
) -> None:
    """Build a truth from spans of GOLDEN, whatever program wrote it, and the texts of the documents.

    Shows the guessed role of each field with counts and an example. If a guess is uncertain, asks once on a terminal;
    elsewhere it needs --fields or --yes. Quotes are found exactly, else up to white space and quotation marks, else by
    similarity, each counted. RUNS are evaluated on the truth at once. Parquet files need pyarrow: pip install
    'berrypick[chunks]'.

    \b
    berrypick adopt golden.json --documents texts -o truth.jsonl
    berrypick adopt golden.csv results.jsonl --documents texts -o truth.jsonl --fields question=q,quote=ctx
    """
    from berrypick.judgements.adopt.adopt import Adoption

    chunks = settings["chunks"]
    for path in filter(None, (target, report)):
        refuse_overwriting(path, [golden, chunks, *runs], documents)
    if report is not None:
        refuse_same(target, report)
    if requested and not runs:
        raise UsageError("-m needs runs to evaluate")
    if target.endswith(".parquet"):
        library("pyarrow", "Parquet needs pyarrow", "chunks")  # before a report is written
    adoption = Adoption(golden, documents, **settings)
    for line in adoption.summary():
        tell(line)
    if not yes:
        _settle(adoption)
    truth = adoption.truth(partial, report)
    # runs come first: with one that cannot be read nothing is written
    results = _evaluated(truth, runs, requested, documents) if runs else None
    formats.write(truth, target, None if target.endswith((".csv", ".parquet")) else "span-truth")
    show_notes([*truth.notes, *skipped_notes(truth, golden)])
    tell(f"{target}: {', '.join(formats.by_name('span-truth').describe(truth))}")
    if results is not None:
        _show(results)


def _settle(adoption: Any) -> None:
    """Ask about uncertain guesses on a terminal; elsewhere they are an error."""
    doubtful = adoption.uncertain()
    if not doubtful:
        return
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise adoption.refusal(doubtful)
    try:
        accepted = click.confirm("Is this right?", default=False, err=True)
    except click.Abort as end:  # click raises it for Ctrl-C and Ctrl-D alike
        if isinstance(end.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        tell("")  # Ctrl-D leaves the cursor behind the question
        accepted = False
    if not accepted:
        raise UsageError("nothing was written; name the fields, e.g. --fields question=q,quote=ctx")


def _evaluated(truth: Any, runs: tuple[str, ...], requested: tuple[str, ...], documents: str) -> Results:
    from berrypick.evaluation.functions import evaluate

    return evaluate(truth.changed(notes=()), [*runs], list(requested), documents=documents)


def _show(results: Results) -> None:
    from berrypick.data.merged_notes import merge_notes
    from berrypick.tables import text

    show_notes(merge_notes(results.notes, len(results.runs)))
    show(text.render(results, "table", False, None))
