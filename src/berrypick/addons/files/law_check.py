"""berrypick check --laws."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from berrypick.cli import flags
from berrypick.cli.output import Output, progress_bar, show_notes, tell
from berrypick.core.doors import functions
from berrypick.core.errors import UsageError
from berrypick.inputs.convert import RunFile, TruthFile
from berrypick.report.analysis_table import OUTPUTS, render

#: Arguments of the command that are not for laws alone.
_OF_CHECK = ("files", "format_name", "laws", "documents", "offsets")

law_options = flags.combine(
    click.option("--laws", is_flag=True, help="Try the laws of measures on variants of a truth and runs."),
    flags.measures("charR@5 spanRR"),
    click.option(
        "--variants",
        type=click.IntRange(1),
        default=20,
        show_default=True,
        metavar="N",
        help="Variants drawn for each law and run.",
    ),
    flags.whole_number("--seed", 0, "Random seed of the variants.", click.IntRange(0)),
    flags.output_format(OUTPUTS, " (of --laws)", "table", form=False),
    flags.evaluation_options,
)


def check_laws_of_files(files: tuple[str, ...], format_name: str | None, settings: dict[str, Any]) -> None:
    """Print which laws hold; exit code 1 if one is broken."""
    if format_name is not None:
        raise UsageError("--laws reads a truth and runs: use --format-truth and --format-run instead of --format")
    if len(files) < 2:
        raise UsageError("--laws needs a truth and a run: berrypick check --laws TRUTH RUN...")
    truth, *runs = files
    output: Output
    output, variants, seed = (settings.pop(name) for name in ("output", "variants", "seed"))
    requested, format_truth, format_run = (settings.pop(name) for name in ("requested", "format_truth", "format_run"))
    with progress_bar("trying", "laws") as progress:
        found = functions.need("laws", "--laws")(
            TruthFile(truth, format_truth),
            [RunFile(run, format_run) for run in runs],
            list(requested),
            variants=variants,
            seed=seed,
            progress=progress,
            **settings,
        )
    show_notes(found.notes)
    if output.printed not in ("table", "markdown", "latex"):
        tell(found.line)
    reasons = [f"{one.measure} breaks {one.law}" for one in found.broken]
    output.show(lambda form, paint: render(found, form, None, paint), reasons)


def refuse_law_options() -> None:
    """Options that have no effect on the check of single files are refused."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name not in _OF_CHECK:
            raise UsageError(f"{parameter.opts[0]} needs --laws")
