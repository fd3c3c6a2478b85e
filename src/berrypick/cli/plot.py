"""berrypick plot."""

from __future__ import annotations

from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, progress_bar, show_notes, tell
from berrypick.data.errors import UsageError
from berrypick.data.merged_notes import merge_notes
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import with_bounds


@click.command(
    "plot",
    short_help="Draw a figure for a paper: curves, topics or means.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("truth")
@click.argument("runs", nargs=-1)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("-o", "--output", "target", type=flags.OutputType(), metavar="FILE", help="File to write, instead of "
              "FILE.")  # fmt: skip
@flags.measures("EPRUM nxCG@10")
@click.option("--kind", type=click.Choice(["curves", "topics", "means", "together"]),
              help="What to draw. [default: see above]")  # fmt: skip
@click.option("-q", "--per-topic", is_flag=True, help="Same as --kind topics.")
@click.option("--width", metavar="LENGTH", help="Width: 8.5cm, 3.3in, 240pt. [default: 8.5cm; several panels: 17.5cm]")
@click.option("--height", metavar="LENGTH", help="Height. [default: by the width]")
@click.option(
    "--font-size", type=click.FloatRange(4, 40), default=8, show_default=True, metavar="PT", help="Font size."
)
@click.option("--dpi", type=click.IntRange(30, 2400), default=300, show_default=True, help="Resolution of a PNG.")
@click.option("--until", type=float, metavar="X", help="Last rank, recall level or effort of curves.")
@click.option(
    "--bands/--no-bands", "band", default=None, help="Confidence bands around curves. [default: up to 3 runs]"
)
@click.option("--baseline", metavar="RUN", help="Run to compare the others with. [default: the first]")
@flags.resampling_options(1000)
@flags.evaluation
def plot_command(file: str | None, target: str | None, kind: str | None, per_topic: bool, **settings: Any) -> None:
    """Draw a figure for a paper; FILE ends in .png, .svg or .pdf.

    \b
    curves   the mean curve behind each measure that has one, with bands over topics
    topics   values per topic, two runs side by side; several runs, each beside the baseline
    means    the mean of each run with its interval
    together bounds without the independence assumption, for each run (EPRUM)

    Default: curves if a measure has one; otherwise topics for one or two runs, means for more. Needs Altair and
    vl-convert: pip install 'berrypick[report]'.

    \b
    berrypick plot truth.qrels a.run b.run -m 'EPRUM nxCG@10' curves.pdf
    berrypick plot truth.jsonl a.jsonl b.jsonl -m charR@5 --kind means --width 12cm means.svg
    """
    from berrypick.report.figures import plots

    if target is not None and file is not None:
        settings["runs"] = (*settings["runs"], file)  # the last of the arguments is a run then
    target = target or file
    if not settings["runs"] or target is None:
        raise UsageError("plot needs a truth, runs, and a file to write last: FILE.png, FILE.svg or FILE.pdf")
    flags.refuse_inputs(target, settings)
    figure = plots.Figure.of(target, "topics" if per_topic else kind, settings)
    with progress_bar() as progress:
        jobs = settings.pop("jobs")
        evaluation = Evaluation.prepare(*flags.inputs(settings), **settings)
        if figure.kind == "together":
            evaluation = with_bounds(evaluation)
        results = evaluation.run(curves=figure.kind in (None, "curves"), progress=progress, jobs=jobs)
    summary, notes = figure.draw(results)
    show_notes(merge_notes([*results.notes, *notes], len(results.runs)))
    tell(f"{target}: {summary}")
