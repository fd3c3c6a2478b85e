"""berrypick evaluate."""

from __future__ import annotations

import sys
from io import StringIO
from typing import Any, TextIO

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, progress_bar, show_notes
from berrypick.data.errors import UsageError
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import Results
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions
from berrypick.given.convert import RunFile, TruthFile
from berrypick.tables import tables, text


@click.command(
    "evaluate", short_help="Score runs against judgements.", context_settings=HELP, cls=flags.EvaluationCommand
)
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@flags.measures("EPRUM PRUM@0.5 nDCG@10")
@click.option("-q", "--per-topic", is_flag=True, help="Show a row per topic as well as the means.")
@flags.output(text.OUTPUTS)
@click.option("--curves", is_flag=True, help="Add the curves behind the numbers: to JSON, or below the table.")
@click.option(
    "--worst", type=click.IntRange(min=1), metavar="N", help="Show the N worst topics, their questions and answers."
)
@flags.model_truth
@flags.unplaced_report
@flags.reader_draws
@flags.evaluation
def evaluate_command(
    truth: str,
    runs: tuple[str, ...],
    requested: tuple[str, ...],
    per_topic: bool,
    output: Output,
    places: int | None,
    curves: bool,
    worst: int | None,
    report: str | None,
    model_truth: str | None,
    jobs: int,
    reader_draws: int,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Score RUNS against the judgements in TRUTH. Formats are detected; - is standard input.

    \b
    berrypick evaluate truth.qrels my.run -m 'EPRUM nDCG@10' -q
    berrypick evaluate truth.jsonl chunks.jsonl -m 'charP@5 charR@5' -o json
    """
    if curves and output.formats - {"json", "jsonl", "table"}:
        raise UsageError("--curves needs -o json, -o jsonl or -o table")
    given = {**settings, "truth": truth, "runs": runs, "model_truth": model_truth}
    with flags.listing_unplaced(report, given, output) as unplaced, progress_bar() as progress:
        judged, lists = TruthFile(truth, format_truth), [RunFile(run, format_run) for run in runs]
        options = EvaluationOptions.from_arguments(settings)
        how: dict[str, Any] = {"curves": curves, "progress": progress, "jobs": jobs, "reader_draws": reader_draws}
        if model_truth is not None:
            from berrypick.evaluation.model_truth import evaluate_with_model

            results, evaluation, _ = evaluate_with_model(judged, lists, list(requested), options, model_truth, **how)
        else:
            evaluation = Evaluation._from_options(judged, lists, list(requested), options)
            results = evaluation.run(**how)
        unplaced += results.unplaced
    show_notes(merge_notes(results.notes, len(results.runs)))
    if "table" in output.formats and (shorter := tables.elided_note(results.runs)):
        show_notes([shorter])

    lost = {}
    if worst is not None:
        from berrypick.analysis.diagnosis.worst_topics import worst_tables, worst_topics

        lost = worst_topics(evaluation, results, worst)

    def render(form: str, paint: tables.Paint) -> str:
        if lost and form in tables.FOR_PROGRAMS:
            plain = form in ("tsv", "csv")
            beside = {key: one.row() if plain else one.record() for key, one in lost.items()}
            return text.render(results, form, per_topic, places, paint, beside)
        content = text.render(results, form, per_topic, places, paint)
        if curves and form == "table":
            content += "\n" + _small_curves(results, StringIO() if paint is tables.plain else sys.stdout)
        for one in worst_tables(lost, results, places) if lost else ():
            content += "\n" + tables.for_people(one, form, paint)
        return content

    output.show(render)


def _small_curves(results: Results, stream: TextIO) -> str:
    """Return a line of blocks for each curve, as wide as the terminal."""
    from berrypick.analysis.comparison.curves import bands
    from berrypick.tables import terminal

    found = bands(results, intervals=False)
    if not found:
        return "no measure has a curve\n"
    columns = terminal.width() if stream.isatty() else 80
    return terminal.small_curves(found, columns, getattr(stream, "encoding", None) or "utf-8")
