"""berrypick sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar, refuse_overwriting, show_notes, tell
from berrypick.data.errors import UsageError, shorten
from berrypick.data.merged_notes import merge_notes
from berrypick.data.words import counted
from berrypick.inputs.titles import read_titles
from berrypick.tables import tables

if TYPE_CHECKING:
    from berrypick.analysis.sweep.sweep import Sweep

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
    "--runs", metavar="FOLDER", help="Existing runs to evaluate, named by their settings, e.g. size=200.jsonl."
)
@click.option("--keep", metavar="FOLDER", help="Folder to write the runs to.")
@click.option(
    "--confirm",
    type=float,
    metavar="SHARE",
    help="Share of topics held out, on which the best setting is evaluated.",
)
@flags.ledger
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
    choose. The expected optimism says by how much the best setting looks better than it will be on other topics;
    --confirm evaluates it on topics that were not used, chosen by a hash of their names.

    \b
    berrypick sweep truth.jsonl --documents texts --grid size=200,400,800 --grid overlap=0,100 -m charR@5
    """
    from berrypick.analysis.sweep import chunkers as cutting
    from berrypick.analysis.sweep import retrievers as ranking
    from berrypick.analysis.sweep.sweep import sweep

    steps: dict[str, Any] = {"grid": _grid(grids)} if grids else {}
    if settings["runs"] is not None and (grids or chunkers or retrievers or queries or settings["words"]):
        raise UsageError(
            "--runs evaluates existing runs: it takes no --grid, --chunker, --retriever, --queries or --words"
        )
    if chunkers:
        steps["chunkers"] = {name: getattr(cutting, name) for name in chunkers}
    if retrievers:
        steps["retrievers"] = {name: getattr(ranking, name) for name in retrievers}
    if queries is not None:
        steps["queries"] = read_titles(queries)
    if settings["ledger"] is not None:
        refuse_overwriting(settings["ledger"], [truth, queries, documents, settings["words"]])
    with progress_bar("sweeping", "settings") as progress:
        found = sweep(documents, truth, measures=list(requested), progress=progress, **steps, **settings)
    show_notes(merge_notes(found.results.notes, len(found.results.runs)))
    output.show(lambda form, paint: found.table(form, places))
    for measure in found.measures:
        first, *others = found.as_good(measure)
        shown = ", ".join(shorten(name, 60) for name in others[:10]) + (
            f" and {len(others) - 10} more" * (len(others) > 10)
        )
        same = f"; {counted(len(found.results.topics), 'topic')} cannot distinguish it from {shown}" if others else ""
        tell(f"{measure}: the best is {first}{same}")
        _tell_trust(found, measure)
    if found.ledger_head:
        tell(f"ledger: {settings['ledger']}: head {found.ledger_head}")


def _tell_trust(found: Sweep, measure: str) -> None:
    """Print the expected optimism of the best setting, and what confirms it."""
    best = found.best(measure)
    if best["optimism"] is not None and len(found) > 1:
        tell(f"{measure}: expected optimism of the best: {best['optimism']:.4f}, the drop to expect on other topics")
    if found.confirmed is None:
        return
    topics, low, high = counted(best["confirmed_topics"], "other topic"), best["confirmed_low"], best["confirmed_high"]
    value = "undefined" if best["confirmed"] is None else f"{best['confirmed']:.4f}"
    tell(f"{measure}: confirmed on {topics}: {value}" + ("" if low is None else f" [{low:.4f}, {high:.4f}]"))


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
