"""Options that several commands share; evaluation options are generated from EvaluationOptions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from berrypick.cli.output import Output, names_file, refuse_overwriting, refuse_same, show, show_notes, tell
from berrypick.data.drawn import READERS
from berrypick.data.errors import UsageError, nearest
from berrypick.evaluation.options import Option, options
from berrypick.given.convert import RunFile, TruthFile
from berrypick.statistics.method_names import CORRECTIONS, TESTS
from berrypick.tables.analysis_table import OUTPUTS, render
from berrypick.topics.seen_together import TOGETHER

if TYPE_CHECKING:
    from berrypick.tables.tabular import Tabular

#: A message names so many formats at most.
MOST_LISTED = 16

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
#: Digits shown where nothing else is asked for.
PLACES = 4


#: Headings of options in the help, in this order.
HEADINGS = (
    "Options", "Gates", "Statistics", "Assumptions", "Saved results", "Files and output", "Judgements",
    "Runs and topics", "Text and places", "Readers and effort", "XML elements and campaigns",
)  # fmt: skip
#: Headings of options that are not options of an evaluation; those that are not here are common.
SUBJECTS = {
    "family": "Statistics", "pairs": "Statistics", "interval": "Statistics", "confidence": "Statistics",
    "resamples": "Statistics", "seed": "Statistics", "test": "Statistics", "correction": "Statistics",
    "cluster": "Statistics", "fail_over": "Gates", "margin": "Gates", "must_see": "Gates", "over": "Assumptions",
    "scale": "Assumptions", "points": "Assumptions", "assumptions": "Assumptions", "picture": "Assumptions",
    "common_topics": "Saved results", "different_truth": "Saved results", "report": "Text and places",
    "reader_draws": "Readers and effort", "simulate": "Readers and effort", "together": "Readers and effort",
    "form": "Files and output", "format_truth": "Files and output", "format_run": "Files and output",
    "curves": "Files and output", "model_truth": "Judgements", "layout": "Files and output",
}  # fmt: skip


class EvaluationCommand(click.Command):
    """A command that takes the options of an evaluation: its help shows the common ones first, others by subject."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        subjects = SUBJECTS | {option.name: option.subject for option in options()}
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(subjects.get(parameter.name or "", "Options"), []).append(record)
        for subject in sorted(sections, key=lambda one: HEADINGS.index(one) if one in HEADINGS else len(HEADINGS)):
            with formatter.section(subject):
                formatter.write_dl(sections[subject])


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


def measures(example: str, default: str = "the task's measures") -> Decorator:
    return click.option(
        "-m",
        "--measure",
        "requested",
        multiple=True,
        help=f"Measures, e.g. '{example}'. [default: {default}]",
    )


#: What a diagnosis counts as found, and whether runs are stages of a pipeline.
diagnosis = combine(
    click.option(
        "-k", type=click.IntRange(min=1), default=5, show_default=True, help="Number of first results to look at."
    ),
    click.option("--stages", is_flag=True, help="Treat the runs as successive stages of one pipeline."),
    click.option("--budget", type=float, metavar="N", help="Budget for reading a list, in units of --effort."),
    click.option(
        "--share",
        type=float,
        default=0.5,
        show_default=True,
        help="Minimum share of a target that a result must cover.",
    ),
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
    help="Joint distribution of the targets seen at a rank: by the user model's walk, independent, or the most or the "
    "least overlap that reach allows. [default: walk; independent where the model has none]",
)

#: Simulated readers beside what is computed.
simulation = combine(
    click.option(
        "--simulate", type=click.IntRange(2), metavar="N", help="Simulate N readers, and show how they differ."
    ),
    together,
)

#: The uncertainty of a fitted user model.
reader_draws = click.option(
    "--reader-draws", type=click.IntRange(0), default=READERS, show_default=True, metavar="N",
    help="With a fitted user model: readers to draw for the interval over readers; 0 for none.",
)  # fmt: skip

#: What to do with saved numbers of two truths.
truths = combine(
    click.option(
        "--common-topics", is_flag=True, help="Of saved results: compare only topics with identical judgements."
    ),
    click.option("--different-truth", is_flag=True, help="Of saved results: compare values of different judgements."),
)

#: Judgements by a model beside those by people.
model_truth = click.option(
    "--model-truth", metavar="FILE", help="Judgements by a model; TRUTH has those by people, of a random sample of its "
    "topics. Means are then model-assisted.",
)  # fmt: skip

#: Counting looks at a truth.
ledger = combine(
    click.option(
        "--ledger", metavar="FILE", help="Append a line for each look at the truth; each look makes the test of "
        "'better' stricter.",
    ),
    click.option(
        "--ledger-head", metavar="SUM", help="With --ledger: exit with 2 if the line with this checksum is missing."
    ),
    click.option("--commit", metavar="TEXT", help="With --ledger: version of the code to record."),
)  # fmt: skip

#: What is resampled.
cluster = click.option(
    "--cluster",
    metavar="FIELD|FILE",
    help="Resample and test whole clusters of topics: by a field, by doc, or by a file with topic, TAB, cluster.",
)

#: How runs are compared.
comparison = combine(
    click.option("--baseline", metavar="RUN", help="Run to compare with, by file or name. [default: the first]"),
    choice("--test", TESTS, "randomisation", "Paired significance test."),
    choice("--correction", CORRECTIONS, "holm", "Correction for multiple comparisons."),
    cluster,
)


class OutputType(click.types.StringParamType):
    """A value of -o: the name of a format, or a file, which has a dot or a slash."""

    name = "output"

    def __init__(self, choices: Sequence[str] | Callable[[], Sequence[str]] = ()) -> None:
        self._choices = choices

    @property
    def choices(self) -> list[str]:
        return list(self._choices() if callable(self._choices) else self._choices)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not names_file(value) and value not in self.choices:
            close = nearest(value, self.choices)
            listed = (
                f" is not one of {', '.join(self.choices)}" if len(self.choices) < MOST_LISTED else " is not a format"
            )
            known = f"{listed}{close}" if self.choices else " is not a file"
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
            if not outputs and not form and settings.get("places", 4) is None:
                settings["places"] = PLACES  # in a pipe as on a terminal, unless digits or a format are asked for
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
            file = _file_of([target] if target else [], settings.pop(older) if older else None)
            return function(target=_needed(file, older or "target"), **settings)

        return read

    return combine(click.option("-o", "--output", "target", type=OutputType(), metavar="FILE", help=help), decorate)


def file_or_print(
    help: str, choices: Callable[[], Sequence[str]], default: str | None = None, older: str | None = None
) -> Decorator:
    """-o FILE and -o FORMAT as ``result``: where a value goes that a file of some format can hold.

    The option ``form`` names the format of the file; without a file it is the one to print.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def read(*, outputs: tuple[str, ...], form: str | None = None, **settings: Any) -> Any:
            file = _file_of([one for one in outputs if names_file(one)], settings.pop(older) if older else None)
            words = [one for one in outputs if not names_file(one)]
            if len(words) > 1 or (words and form and file is None):
                two = " and ".join([*words, *([form] if form else [])])
                raise UsageError(f"{two} are two formats to print; give one")
            if file is None and not words:
                words = [form or _needed(None, older or "outputs")]
            return function(result=Destination(file, form or default, words[0] if words else None), **settings)

        return read

    given = click.option(
        "-o", "--output", "outputs", type=OutputType(choices), multiple=True, metavar="FILE|FORMAT", help=help
    )
    return combine(given, decorate)


def _file_of(files: Sequence[str], named: str | None) -> str | None:
    """Return the one file to write."""
    both = [*files, *([] if named is None else [named])]
    if len(both) > 1:
        raise UsageError(f"two files to write, {both[0]} and {both[1]}; name one")
    return both[0] if both else None


def _needed(file: str | None, name: str) -> str:
    """Return the file; without one, the argument or option that names it is missing."""
    if file is None:
        context = click.get_current_context()
        lacking = next(one for one in context.command.params if one.name == name)
        raise click.MissingParameter(ctx=context, param=lacking)
    return file


@dataclass(frozen=True)
class Destination:
    """Where a value goes that a file of some format can hold: a file, the standard output, or both."""

    file: str | None
    written: str | None
    printed: str | None

    @property
    def format(self) -> str | None:
        """The format that decides what is read; None where the name of the file does."""
        return self.written if self.file is not None else self.printed

    def refuse_overwriting(self, inputs: Sequence[str | None], documents: str | None = None) -> None:
        """Refuse to write over anything that a command reads."""
        if self.file is not None:
            refuse_overwriting(self.file, inputs, documents)

    def give(self, write: Callable[[str, str | None], str]) -> None:
        """Write the file and print; ``write`` takes a file and its format, and says what was written."""
        if self.file is not None:
            tell(f"{self.file}: {write(self.file, self.written)}")
        if self.printed is not None:
            from pathlib import Path  # with the next one loads much that few need
            from tempfile import TemporaryDirectory

            with TemporaryDirectory() as folder:
                path = Path(folder, "printed.txt")
                said = write(str(path), self.printed)
                show(path.read_text(encoding="utf-8", errors="surrogatepass"))
            tell(f"standard output: {said}")


def output(choices: Sequence[str] = OUTPUTS, about: str = "") -> Decorator:
    """How results are printed."""
    places = click.option(
        "-p",
        "--places",
        type=click.IntRange(0, 17),
        help="Digits shown. [default: 4; all of them in tsv and csv that -o names]",
    )
    return combine(output_format(choices, about), places)


def show_analysis(found: Tabular, output: Output, places: int | None) -> None:
    """Print or write what an analysis found, and print its notes."""
    show_notes(found.notes)
    output.show(lambda form, paint: render(found, form, places, paint))


def check_picture(picture: str, settings: dict[str, Any]) -> None:
    """Refuse a file that no figure can be written to, before the work."""
    from berrypick.report.figures.export import FigureFile

    FigureFile(picture).check()
    refuse_inputs(picture, settings)


def draw(found: Any, picture: str, shown: str = "") -> None:
    """Write the figure of an analysis, and tell what it shows and how large it is."""
    from berrypick.report.figures.export import FigureFile

    tell(f"{picture}: {shown}{FigureFile(picture).draw(found)}")


formats = combine(
    click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]"),
    click.option("--format-run", metavar="NAME", help="Run file format. [default: detect]"),
)


def joined(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The texts of a flag that is given several times, as one."""
    return ",".join(values) or None


def _flag(option: Option) -> Decorator:
    """The command-line option of an evaluation option, under its name; older names are accepted and not shown."""
    if option.kind is bool:
        return click.option(option.flags[0], option.name, is_flag=True, help=option.help)
    kind: Any = click.Choice(option.choices) if option.choices else option.kind
    shown: dict[str, Any] = {"metavar": option.metavar, "help": option.help, "type": kind}
    if option.repeatable:
        shown |= {"multiple": True, "callback": joined}
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

#: Where results without a place are listed.
unplaced_report = click.option(
    "--report", metavar="FILE", help="JSON Lines file to write: results whose text is not in the documents."
)


@contextmanager
def listing_unplaced(path: str | None, settings: dict[str, Any], output: Output) -> Iterator[list[Mapping[str, Any]]]:
    """Write the results without a place that a command finds to a file, also where they are an error."""
    from berrypick.documents.unplaced import UnplacedTexts

    found: list[Mapping[str, Any]] = []
    if path is None:
        yield found
        return
    refuse_inputs(path, settings)
    if output.target is not None:
        refuse_same(output.target, path)
    try:
        yield found
    except UnplacedTexts as error:
        _write_unplaced(error.rows, path)
        raise
    _write_unplaced(found, path)


def _write_unplaced(rows: Sequence[Mapping[str, Any]], path: str) -> None:
    from berrypick.files.files import atomic_writer
    from berrypick.rows.json_lines import write_lines

    with atomic_writer(path) as out:
        write_lines(({**row} for row in rows), out)


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
    files = [settings.get(name) for name in (*FILES, "titles", "model_truth")]
    refuse_overwriting(target, [settings["truth"], *settings["runs"], *files], settings["documents"])
