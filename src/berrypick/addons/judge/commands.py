"""berrypick abstention, pool, annotate, relocate and agreement."""

from __future__ import annotations

import json
from typing import Any

import click

from berrypick import formats
from berrypick.cli import options
from berrypick.cli.output import HELP, Output, refuse_overwriting, say, show_notes, tell
from berrypick.core.words import counted
from berrypick.evaluation.notes import skipped_notes
from berrypick.formats.io.files import atomic_writer


@click.command("pool", short_help="Write what should be judged next, for an annotation tool.", context_settings=HELP)
@click.argument("runs", nargs=-1, required=True)
@click.option("-k", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Results of each run.")
@click.option("--documents", required=True, metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text.")
@click.option("--truth", metavar="FILE", help="Judgements so far; what they judge is left out.")
@options.file_to_write("File of tasks to write.")
@options.choice("--format", ("jsonl", "label-studio", "doccano", "w3c"), "jsonl", "Tool that the tasks are for.")
@click.option("--context", type=click.IntRange(0), default=200, show_default=True, help="Characters around a region.")
@click.option(
    "--budget", type=click.IntRange(1), metavar="N", help="Most tasks, the most important ones. [default: all]"
)
@click.option("--titles", metavar="FILE", help="Titles of topics: a file with topic, TAB, title.")
@options.formats
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
    lists = [formats.read_run(run, format_run) for run in runs]
    judged = None if truth is None else formats.read_truth(truth, format_truth)
    found = pool(lists, documents, truth=judged, titles=titles, **settings)
    found.write(target, format)
    tell(f"{target}: {found.progress}")


@click.command(
    "abstention", short_help="Trade Abstained for Answered: their values at every least score.", context_settings=HELP
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.output_format(("table", "tsv", "csv", "json", "jsonl"))
@click.option("--plot", "picture", metavar="FILE", help="Draw the trade-off: a file that ends in .png, .svg or .pdf.")
@options.evaluation_options
def abstention_command(
    truth: str,
    runs: tuple[str, ...],
    output: Output,
    picture: str | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Show what --min-score trades: Abstained and Answered at every score that changes either.

    \b
    berrypick abstention truth.jsonl old.jsonl new.jsonl --plot trade-off.svg
    """
    from berrypick.addons.judge.abstention import abstention

    if picture is not None:
        refuse_overwriting(picture, [truth, *runs])
    found = abstention(
        formats.read_truth(truth, format_truth), [formats.read_run(run, format_run) for run in runs], **settings
    )
    if picture is not None:
        from berrypick.report.chart_theme import PAPER
        from berrypick.report.export import check_target, write_picture

        check_target(picture)
        tell(f"{picture}: {write_picture(found.plot(theme=PAPER), picture, PAPER)}")
    output.show(lambda form, paint: found.table(form))


@click.command("annotate", short_help="Write a page on which a person judges.", context_settings=HELP)
@click.argument("tasks")
@options.file_to_write("HTML file to write.", "html")
@click.option("--html", metavar="FILE", help="Same as -o FILE.")
@click.option("--annotator", default="", metavar="NAME", help="Who judges; the page has a field for it.")
def annotate_command(tasks: str, target: str, annotator: str) -> None:
    """Write a page on which a person judges TASKS, as berrypick pool writes them.

    The page needs no server and no network. It keeps the work in the browser, and saves a truth.

    \b
    berrypick pool old.jsonl new.jsonl --documents texts -o tasks.jsonl
    berrypick annotate tasks.jsonl --html judge.html --annotator Ana
    """
    from berrypick.addons.judge.annotate import annotate

    refuse_overwriting(target, [tasks])
    count = annotate(tasks, html=target, annotator=annotator)
    tell(f"{target}: {counted(count, 'region')} to judge; open it in a browser")


@click.command("agreement", short_help="Show how far several annotators agree.", context_settings=HELP)
@click.argument("truth")
@click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]")
def agreement_command(truth: str, format_truth: str | None) -> None:
    """Show how far the annotators of TRUTH agree: Krippendorff's alpha, on characters.

    \b
    berrypick agreement export.json
    """
    from berrypick.addons.judge.agreement import agreement

    read = formats.read_truth(truth, format_truth)
    show_notes(skipped_notes(read, truth))
    say(str(agreement(read)))


@click.command("relocate", short_help="Carry spans into a new version of their documents.", context_settings=HELP)
@click.argument("truth")
@click.option("--from", "old", required=True, metavar="PATH", help="Texts that TRUTH was made on.")
@click.option("--to", "new", required=True, metavar="PATH", help="Their new version.")
@options.file_to_write("Truth to write.")
@click.option("--report", "report", metavar="FILE", help="What became of every span, as JSON Lines.")
@click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]")
def relocate_command(truth: str, old: str, new: str, target: str, report: str | None, format_truth: str | None) -> None:
    """Carry the spans of TRUTH into a new version of their documents.

    Spans are found by their text, by the text around them, and by an alignment of both versions. What has changed or
    come apart is placed and counted; what is ambiguous or gone is left out, and the report has it.

    \b
    berrypick relocate truth.jsonl --from docs-1.0 --to docs-2.0 -o truth-2.0.jsonl --report changes.jsonl
    """
    from berrypick.addons.judge.relocate import CERTAIN, relocate

    refuse_overwriting(target, [truth, *([report] if report else [])], old)
    refuse_overwriting(target, [truth], new)
    if report is not None:
        refuse_overwriting(report, [truth], old)
    read = formats.read_truth(truth, format_truth)
    show_notes(skipped_notes(read, truth))
    found = relocate(read, old, new)
    formats.write(found.truth, target, "span-truth")
    if report is not None:
        with atomic_writer(report) as out:
            for case in found.cases:
                out.write(json.dumps(case.as_dict(), ensure_ascii=False) + "\n")
    tell(f"{target}: {found}")
    unsure = sum(case.status not in CERTAIN for case in found.cases)
    if unsure and report is None:
        show_notes([f"--report FILE lists the {unsure} spans that are to be looked at"])
