"""berrypick sweep."""

from __future__ import annotations

from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar, show_notes, tell
from berrypick.data.errors import UsageError, shorten
from berrypick.data.results import merge_notes
from berrypick.data.words import counted
from berrypick.inputs.titles import read_titles
from berrypick.tables import tables

#: Ways to cut texts and to rank chunks that are there by name.
CHUNKERS, RETRIEVERS = ("fixed", "sentences", "paragraphs", "elements"), ("fts5", "bm25")


@click.command("sweep", short_help="Evaluate a grid of chunkers and retrievers.", context_settings=HELP)
@click.argument("truth")
@click.option("--documents", metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text.")
@click.option("--words", metavar="PATH", help="Words with boxes, instead of texts, where boxes on pages are judged.")
@click.option(
    "--grid", "grids", multiple=True, metavar="NAME=V,..", help="Values to try, e.g. size=200,400 (repeatable)."
)
@click.option(
    "--chunker", "chunkers", multiple=True, type=click.Choice(CHUNKERS), help="How to cut texts. [default: fixed]"
)
@click.option(
    "--retriever", "retrievers", multiple=True, type=click.Choice(RETRIEVERS), help="How to rank. [default: fts5]"
)
@click.option("--queries", metavar="FILE", help="Questions: topic, TAB, text. [default: those of the truth]")
@click.option(
    "--runs", metavar="FOLDER", help="Runs to evaluate instead; their names say settings, e.g. size=200.jsonl."
)
@click.option("--keep", metavar="FOLDER", help="Folder to write the runs to.")
@flags.measures("charR@5 charP@5")
@flags.output(tables.OUTPUTS)
@click.option("--jobs", type=int, default=1, show_default=True, help="Number of processes.")
def sweep_command(
    truth: str,
    documents: str | None,
    grids: tuple[str, ...],
    chunkers: tuple[str, ...],
    retrievers: tuple[str, ...],
    queries: str | None,
    requested: tuple[str, ...],
    output: Output,
    places: int | None,
    **settings: Any,
) -> None:
    """Evaluate a grid of chunkers, retrievers and their parameters on TRUTH, or a folder of runs.

    Settings that cannot be told from the best are listed: a difference that these topics do not show is no reason to
    choose.

    \b
    berrypick sweep truth.jsonl --documents texts --grid size=200,400,800 --grid overlap=0,100 -m charR@5
    """
    from berrypick.analysis.sweep import chunkers as cutting
    from berrypick.analysis.sweep import retrievers as ranking
    from berrypick.analysis.sweep.sweep import sweep

    steps: dict[str, Any] = {"grid": _grid(grids)} if grids else {}
    if settings["runs"] is not None and (grids or chunkers or retrievers or queries or settings["words"]):
        raise UsageError(
            "--runs evaluates runs that are there: it takes no --grid, --chunker, --retriever, --queries or --words"
        )
    if chunkers:
        steps["chunkers"] = {name: getattr(cutting, name) for name in chunkers}
    if retrievers:
        steps["retrievers"] = {name: getattr(ranking, name) for name in retrievers}
    if queries is not None:
        steps["queries"] = read_titles(queries)
    with progress_bar("sweeping", "settings") as progress:
        found = sweep(documents, truth, measures=list(requested), progress=progress, **steps, **settings)
    show_notes(merge_notes(found.results.notes, len(found.results.runs)))
    output.show(lambda form, paint: found.table(form, places))
    for measure in found.measures:
        first, *others = found.as_good(measure)
        shown = ", ".join(shorten(name, 60) for name in others[:10]) + (
            f" and {len(others) - 10} more" * (len(others) > 10)
        )
        same = f"; not told from it by {counted(len(found.results.topics), 'topic')}: {shown}" if others else ""
        tell(f"{measure}: the best is {first}{same}")


def _grid(texts: tuple[str, ...]) -> dict[str, list[Any]]:
    """Parameters and the values to try."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, sign, values = text.partition("=")
        if not sign or not name.strip() or not all(one.strip() for one in values.split(",")):
            raise UsageError(f"--grid takes a parameter and values, as in size=200,400, not {text!r}")
        if name.strip() in found:
            raise UsageError(f"--grid: {name.strip()} is given twice")
        found[name.strip()] = [_value(one.strip()) for one in values.split(",")]
    return found


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
