"""berrypick pool."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, tell
from berrypick.inputs.convert import RunFile, as_runs


@click.command("pool", short_help="Write what should be judged next, for an annotation tool.", context_settings=HELP)
@click.argument("runs", nargs=-1, required=True)
@click.option("-k", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Results of each run.")
@click.option("--documents", required=True, metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text.")
@click.option("--truth", metavar="FILE", help="Judgements so far; what they judge is left out.")
@flags.file_to_write("File of tasks to write.")
@flags.choice("--format", ("jsonl", "label-studio", "doccano", "w3c"), "jsonl", "Tool that the tasks are for.")
@click.option("--context", type=click.IntRange(0), default=200, show_default=True, help="Characters around a region.")
@click.option(
    "--budget", type=click.IntRange(1), metavar="N", help="Most tasks, the most important ones. [default: all]"
)
@click.option("--titles", metavar="FILE", help="Titles of topics: a file with topic, TAB, title.")
@flags.formats
def pool_command(
    runs: tuple[str, ...],
    documents: str,
    truth: str | None,
    target: str,
    format: Any,
    titles: str | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Write what should be judged next: the first results of all RUNS, merged into regions.

    The regions that could change the comparison of the runs most come first. The annotated file is a truth.

    \b
    berrypick pool old.jsonl new.jsonl -k 5 --documents texts --truth truth.jsonl -o tasks.json --format label-studio
    """
    from berrypick.addons.judge.pool import pool

    refuse_overwriting(target, [*runs, *(path for path in (truth, titles) if path)], documents)
    lists = as_runs([RunFile(run, format_run) for run in runs])  # of traces, a run for each retriever
    for run in lists:
        for note in (*run.notes, *(f"{count} {what}" for what, count in run.skipped.items())):
            tell(f"{run.source}: {note}")
    judged = None if truth is None else formats.read_truth(truth, format_truth)
    found = pool(lists, documents, truth=judged, titles=titles, **settings)
    found.write(target, format)
    tell(f"{target}: {found.progress}")
