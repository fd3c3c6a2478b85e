"""berrypick pool."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, show_notes, tell
from berrypick.given.convert import RunFile, as_runs

TASKS = ("jsonl", "label-studio", "doccano", "w3c")


@click.command("pool", short_help="Write the passages to judge next, for an annotation tool.", context_settings=HELP)
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-k",
    "--depth",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of results to take from each run.",
)
@click.option(
    "--documents", metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text. Not for boxes on pages."
)
@click.option("--truth", metavar="FILE", help="Judgements so far; text already judged is left out.")
@flags.file_or_print(
    f"File of tasks to write; or format to print: {', '.join(TASKS)}. Repeatable.", lambda: TASKS, "jsonl"
)
@click.option("--format", "form", type=click.Choice(TASKS), help="Format of the tasks. [default: jsonl]")
@click.option(
    "--context", type=click.IntRange(0), default=200, show_default=True, help="Characters of context around a region."
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    metavar="N",
    help="Maximum number of tasks; the most important ones. [default: all]",
)
@click.option(
    "--sample", type=click.IntRange(1), metavar="N", help="Draw N topics at random for people to judge, where a model "
    "judges all of them.",
)  # fmt: skip
@click.option("--seed", type=int, metavar="S", help="With --sample: random seed. [default: 0]")
@click.option("--titles", metavar="FILE", help="Titles of topics: a file with topic, TAB, title.")
@flags.formats
def pool_command(
    runs: tuple[str, ...],
    documents: str | None,
    truth: str | None,
    result: flags.Destination,
    titles: str | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Write what should be judged next: the first results of all RUNS, merged into regions.

    The regions that could change the comparison of the runs most come first. The annotated file is a truth. Of runs of
    boxes on pages, the tasks are pages.

    \b
    berrypick pool old.jsonl new.jsonl -k 5 --documents texts --truth truth.jsonl -o tasks.json --format label-studio
    berrypick pool old.jsonl new.jsonl --documents texts --sample 50 --seed 7 -o tasks.jsonl
    """
    from berrypick.judgements.pool import pool

    result.refuse_overwriting([*runs, truth, titles], documents)
    lists = as_runs([RunFile(run, format_run) for run in runs])  # of traces, a run for each retriever
    for run in lists:
        for note in (*run.notes, *(f"{count} {what}" for what, count in run.skipped.items())):
            tell(f"{run.source}: {note}")
    judged = None if truth is None else formats.read_truth(truth, format_truth)
    found = pool(lists, documents, truth=judged, titles=titles, **settings)
    show_notes(found.notes)

    def write(path: str, form: Any) -> str:
        found.write(path, form)
        return found.progress

    result.give(write)
