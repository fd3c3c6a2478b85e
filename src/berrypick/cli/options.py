"""Options that several commands share; evaluation options are generated from EvaluationOptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from berrypick.analysis.statistics import CORRECTIONS, TESTS
from berrypick.cli.output import default_output
from berrypick.evaluation.options import Option, options
from berrypick.report.tabular import OUTPUTS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def combine(*decorators: Decorator) -> Decorator:
    """Several options as one, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


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
        click.option(
            "--resamples",
            type=int,
            default=resamples,
            show_default=True,
            metavar="N",
            help="Number of bootstrap and randomisation samples.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Random seed."),
    )


#: Simulated readers beside what is computed.
simulation = click.option(
    "--simulate", type=click.IntRange(2), metavar="N", help="Simulate N readers, and show how they differ."
)

#: How runs are compared.
comparison = combine(
    click.option("--baseline", metavar="RUN", help="Run to compare with, by name or file. [default: the first]"),
    click.option(
        "--test", type=click.Choice(TESTS), default="randomisation", show_default=True, help="Paired significance test."
    ),
    click.option(
        "--correction",
        type=click.Choice(CORRECTIONS),
        default="holm",
        show_default=True,
        help="Correction for multiple comparisons.",
    ),
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


formats = combine(
    click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]"),
    click.option("--format-run", metavar="NAME", help="Run file format. [default: detect]"),
)


def _flag(option: Option) -> Decorator:
    """The command-line option of an evaluation option, under its name; older names are accepted and not shown."""
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
#: Those that name files or folders.
FILES = tuple(option.name for option in options() if option.file)
