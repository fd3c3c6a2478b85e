"""Options that several commands share; evaluation options are generated from EvaluationOptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from berrypick.cli.output import default_output, painter, refuse_overwriting, show, show_notes
from berrypick.comparison.statistics import CORRECTIONS, TESTS
from berrypick.comparison.tabular import Tabular
from berrypick.evaluation.options import Option, options
from berrypick.inputs.convert import RunFile, TruthFile
from berrypick.report.tabular import OUTPUTS, render

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def combine(*decorators: Decorator) -> Decorator:
    """Several options as one, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def choice(flag: str, choices: Sequence[str], default: str, help: str) -> Decorator:
    """One of some names, by default the one that the help shows."""
    return click.option(flag, type=click.Choice(choices), default=default, show_default=True, help=help)


def whole_number(flag: str, default: int, help: str, kind: Any = int) -> Decorator:
    """A whole number, by default the one that the help shows."""
    return click.option(flag, type=kind, default=default, show_default=True, metavar="N", help=help)


def measures(example: str) -> Decorator:
    return click.option(
        "-m",
        "--measure",
        "requested",
        multiple=True,
        help=f"Measures, e.g. '{example}'. [default: the task's measures]",
    )


def resampling_options(resamples: int) -> Decorator:
    """How intervals are computed."""
    return combine(
        click.option(
            "--confidence", type=float, default=0.95, show_default=True, help="Confidence level of intervals and tests."
        ),
        whole_number("--resamples", resamples, "Number of bootstrap and randomisation samples."),
        whole_number("--seed", 0, "Random seed."),
    )


#: Simulated readers beside what is computed.
simulation = click.option(
    "--simulate", type=click.IntRange(2), metavar="N", help="Simulate N readers, and show how they differ."
)

#: How runs are compared.
comparison = combine(
    click.option("--baseline", metavar="RUN", help="Run to compare with, by name or file. [default: the first]"),
    choice("--test", TESTS, "randomisation", "Paired significance test."),
    choice("--correction", CORRECTIONS, "holm", "Correction for multiple comparisons."),
    click.option(
        "--cluster",
        metavar="FIELD|FILE",
        help="Resample and test whole clusters of topics: by a field, by doc, or by a file with topic, TAB, cluster.",
    ),
)


def output_format(choices: Sequence[str], about: str = "") -> Decorator:
    return click.option(
        "-o",
        "--output",
        type=click.Choice(choices),
        default=default_output,
        help=f"Output format{about}. [default: table on a terminal, else tsv]",
    )


def output(choices: Sequence[str] = OUTPUTS, about: str = "") -> Decorator:
    """How results are printed."""
    places = click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [default: 4]")
    return combine(output_format(choices, about), places)


def show_analysis(found: Tabular, output: str, places: int | None) -> None:
    """Print what an analysis found, and its notes."""
    show_notes(found.notes)
    show(render(found, output, places, painter()), output == "table")


formats = combine(
    click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]"),
    click.option("--format-run", metavar="NAME", help="Run file format. [default: detect]"),
)


def _flag(option: Option) -> Decorator:
    """The command-line option of an evaluation option, under its name; older names are accepted and not shown."""
    if option.kind is bool:
        return click.option(option.flags[0], option.name, is_flag=True, help=option.help)
    kind: Any = click.Choice(option.choices) if option.choices else option.kind
    shown: dict[str, Any] = {"metavar": option.metavar, "help": option.help, "type": kind}
    if isinstance(option.default, str):
        shown |= {"default": option.default, "show_default": True}
    decorators = [click.option(option.flags[0], option.name, **shown)]
    decorators += [
        click.option(flag, alias, type=kind, hidden=True)
        for flag, alias in zip(option.flags[1:], option.aliases, strict=True)
    ]
    return combine(*decorators)


#: What every evaluation takes.
evaluation_options = combine(*(_flag(option) for option in options()), formats)

#: The same for whole evaluations.
evaluation = combine(
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of processes."),
    evaluation_options,
)

#: Names of the evaluation options among the arguments of a command.
NAMES = tuple(name for option in options() for name in (option.name, *option.aliases))
#: What an analysis is about.
INPUTS = ("truth", "runs", "requested", "format_truth", "format_run")
#: Options that name files or folders.
FILES = tuple(option.name for option in options() if option.file)


def inputs(settings: dict[str, Any]) -> tuple[TruthFile, list[RunFile], list[str]]:
    """The truth, the runs and the measures of a command, taken out of its arguments."""
    truth, runs, requested, format_truth, format_run = (settings.pop(name) for name in INPUTS)
    return TruthFile(truth, format_truth), [RunFile(run, format_run) for run in runs], list(requested)


def refuse_inputs(target: str, settings: dict[str, Any]) -> None:
    """Refuse to write over anything that a command reads."""
    files = [settings.get(name) for name in (*FILES, "titles")]
    refuse_overwriting(target, [settings["truth"], *settings["runs"], *files], settings["documents"])
