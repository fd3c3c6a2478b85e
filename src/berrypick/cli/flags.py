"""Options that several commands share; evaluation options are generated from EvaluationOptions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click
from click.shell_completion import CompletionItem

from berrypick.cli.output import Output, names_file, refuse_overwriting, show_notes
from berrypick.comparison.statistics import CORRECTIONS, TESTS
from berrypick.comparison.tabular import Tabular
from berrypick.core.errors import UsageError, nearest
from berrypick.evaluation.options import Option, options
from berrypick.inputs.convert import RunFile, TruthFile
from berrypick.judging.seen_together import TOGETHER
from berrypick.report.analysis_table import OUTPUTS, render

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


#: What simulated readers see together.
together = click.option(
    "--together",
    type=click.Choice(TOGETHER),
    help="How a reader's chances of several targets hang together at a rank: as the user model walks, independently, "
    "as many or as few together as reach allows. [default: walk; independent where the model has none]",
)

#: Simulated readers beside what is computed.
simulation = combine(
    click.option(
        "--simulate", type=click.IntRange(2), metavar="N", help="Simulate N readers, and show how they differ."
    ),
    together,
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


class OutputType(click.types.StringParamType):
    """A value of -o: the name of a format, or a file, which has a dot or a slash."""

    name = "output"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self.choices = list(choices)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices and not names_file(value):
            close = nearest(value, self.choices)
            known = f" is none of {', '.join(self.choices)}{close}" if self.choices else " is no file"
            self.fail(f"{value!r}{known}; a file has a dot or a slash, such as ./{value}", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        words = [CompletionItem(name) for name in self.choices if name.startswith(incomplete)]
        return words or [CompletionItem(incomplete, type="file")]


def output_format(choices: Sequence[str], about: str = "", default: str | None = None, form: bool = True) -> Decorator:
    """What is printed or written, as ``output``; where --format means another thing, the extension says the format."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def read(*, outputs: tuple[str, ...], form: str | None = None, **settings: Any) -> Any:
            standard = default or ("table" if sys.stdout.isatty() else "tsv")
            chosen = Output.read(outputs, form, choices, standard) if outputs or form else Output(standard)
            if chosen.target is not None:
                refuse_overwriting(chosen.target, _files(settings), settings.get("documents"))
            return function(output=chosen, **settings)

        return read

    standard = default or "table on a terminal, else tsv"
    named = click.option(
        "--format", "form", type=click.Choice(choices), metavar="NAME",
        help="Format of the file, or to print. [default: by the file's extension]",
    )  # fmt: skip
    given = click.option(
        "-o", "--output", "outputs", type=OutputType(choices), multiple=True, metavar="FORMAT|FILE",
        help=f"Format to print, {', '.join(choices)}{about}; or file to write. Repeatable. [default: {standard}]",
    )  # fmt: skip
    return combine(given, *([named] if form else []), decorate)


def _files(settings: dict[str, Any]) -> list[str]:
    """All that a command was given and that may be a file."""
    several = [value if isinstance(value, (list, tuple)) else [value] for value in settings.values()]
    return [value for values in several for value in values if isinstance(value, str) and "\0" not in value]


def file_to_write(help: str, older: str | None = None) -> Decorator:
    """-o FILE as ``target``, required; ``older`` is the argument or option that names the file as well."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def read(*, target: str | None, **settings: Any) -> Any:
            named = settings.pop(older) if older else None
            context = click.get_current_context()
            if target is not None and named is not None:
                raise UsageError(f"two files to write, {target} and {named}; name one")
            if target is None and named is None:
                lacking = next(one for one in context.command.params if one.name == (older or "target"))
                raise click.MissingParameter(ctx=context, param=lacking)
            return function(target=named if target is None else target, **settings)

        return read

    return combine(click.option("-o", "--output", "target", type=OutputType(), metavar="FILE", help=help), decorate)


def output(choices: Sequence[str] = OUTPUTS, about: str = "") -> Decorator:
    """How results are printed."""
    places = click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [default: 4]")
    return combine(output_format(choices, about), places)


def show_analysis(found: Tabular, output: Output, places: int | None) -> None:
    """Print or write what an analysis found, and print its notes."""
    show_notes(found.notes)
    output.show(lambda form, paint: render(found, form, places, paint))


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
