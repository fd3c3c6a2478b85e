"""The command line, on the public functions only."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import click

from berrypick import formats, kernels, measures, options, users
from berrypick._version import __version__
from berrypick.analysis.compare import FAMILIES, PAIRS, compare
from berrypick.analysis.difference import diff, renamed
from berrypick.analysis.gates import Gates
from berrypick.analysis.statistics import INTERVALS
from berrypick.core import spec as specs
from berrypick.core.declared import Declared
from berrypick.core.errors import BerrypickError, InputError, UsageError, nearest, shorten
from berrypick.core.explanation import Table
from berrypick.core.run import Run
from berrypick.core.truth import OFFSETS, Truth
from berrypick.corpus.index import build_index, is_index, read_index
from berrypick.corpus.locate import QUOTES, THRESHOLD, locate
from berrypick.evaluate import evaluate, explain
from berrypick.formats._base import counted, flows
from berrypick.judging import refuse_duplicates
from berrypick.measures import _documents as document_measures
from berrypick.references import bibtex, cited
from berrypick.report import comparison as comparisons
from berrypick.report import terminal, text
from berrypick.setting import make_setting, read_collection


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit codes: 0 fine, 1 a gate was not met, 2 wrong usage or bad input, 130 interrupted."""
    _open_closed_streams()
    try:
        code = cli.main(args=arguments, prog_name="berrypick", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except BerrypickError as error:
        _fail(str(error))
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "berrypick"
        _fail(f"{error.format_message()} (see '{command} --help')")
    except click.ClickException as error:
        _fail(error.format_message())
    except (BrokenPipeError, _NobodyReads):
        # the reader of the pipe has gone (head, less); the rest of the output is nobody's business
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except MemoryError:
        _fail("not enough memory for this input")
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still in the buffer cannot be written
        _fail(f"the output could not be written ({error.strerror})")


def _open_closed_streams() -> None:
    """Streams that were closed before we began (>&-, 2>&-): results cannot be written then, which is told when there
    are any; notes are for nobody. Files that are opened later must not get the numbers of these streams."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)  # takes the lowest number that is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (open to the end)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


class _NobodyReads(Exception):
    """Whoever was to read the output has gone."""


class _Commands(click.Group):
    """Click takes a pipe without a reader for a failure; it is none."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _without_reader():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _without_reader():
            return super().invoke(ctx)


@contextmanager
def _without_reader() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise _NobodyReads from None


def _say(message: str, err: bool = False, nl: bool = True) -> None:
    """Print. Names come from files, so on a terminal no control character is passed through; data in a pipe stays as it
    is, but for halves of characters, which no file can hold."""
    stream = sys.stderr if err else sys.stdout
    if err or stream.isatty():
        message = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in message)
    with suppress(BrokenPipeError) if err else nullcontext():  # results are printed also if nobody reads the notes
        click.echo(message.encode("utf-8", "backslashreplace").decode("utf-8"), err=err, nl=nl)


def _fail(message: str) -> None:
    _say(f"berrypick: {message}", err=True)
    sys.exit(2)


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        _say(f"berrypick {__version__}, kernels: {kernels.in_use()}")
        context.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Version and kernels."
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Measure retrieval systems that point into documents: elements, passages, chunks, video segments, linked pages.

    \b
    berrypick demo                                     see it work
    berrypick evaluate truth.qrels my.run -m 'EPRUM'   evaluate a run
    berrypick list measures                            what can be measured
    """
    if context.invoked_subcommand is None:
        _say(context.get_help(), err=True)
        sys.exit(2)


@cli.command("evaluate")
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("EPRUM PRUM@0.5 nDCG@10")
@click.option("-q", "--per-topic", is_flag=True, help="A row per topic as well as the means.")
@click.option("-o", "--output", type=click.Choice(text.OUTPUTS), help="[table on a terminal, else tsv]")
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [4]")
@click.option("--curves", is_flag=True, help="The curves behind the numbers: in JSON, or small under the table.")
@click.option(
    "--seed", type=int, metavar="N", expose_value=False, help="As elsewhere; nothing here is drawn at random."
)
@options.evaluation
def evaluate_command(
    truth: str,
    runs: tuple[str, ...],
    asked: tuple[str, ...],
    per_topic: bool,
    output: str | None,
    places: int | None,
    curves: bool,
    topics: Any,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Evaluate RUNS against TRUTH. Files may come through pipes; - is standard input."""
    _need_measures(asked, settings)
    chosen = _chosen(output)
    if curves and chosen not in ("json", "jsonl", "table"):
        raise UsageError("--curves goes with -o json, -o jsonl or -o table")
    with _progress() as progress:
        results = evaluate(
            formats.read_truth(truth, format_truth),
            [formats.read_run(run, format_run) for run in runs],
            list(asked),
            topics=topics,
            curves=curves,
            progress=progress,
            **settings,
        )
    _notes(results.notes)
    _show(text.render(results, chosen, per_topic, places, _paint()), chosen == "table")
    if curves and chosen == "table":
        _show("\n" + terminal.curves_of(results, sys.stdout), True)


@cli.command("compare")
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("charR@5 IoU@5")
@options.comparison
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="measure",
    show_default=True,
    help="What is corrected together: the comparisons under one measure, or under all.",
)
@click.option(
    "--pairs", type=click.Choice(PAIRS), default="all", show_default=True, help="All pairs, or those with the baseline."
)
@click.option(
    "--interval", type=click.Choice(INTERVALS), default="expanded", show_default=True, help="Bootstrap interval."
)
@options.draws(10_000)
@click.option("--fail-under", multiple=True, metavar="M=X", help="Exit code 1 if a run's mean is below, 'charR@5=0.8'.")
@click.option("--fail-over", multiple=True, metavar="M=X", help="Exit code 1 if a run's mean is above, 'Overlap=0.2'.")
@click.option("--fail-if-worse", metavar="RUN", help="Exit code 1 if a run is significantly worse than this one.")
@click.option("-o", "--output", type=click.Choice(comparisons.OUTPUTS), help="[table on a terminal, else tsv]")
@click.option("--layout", type=click.Choice(comparisons.LAYOUTS), help="A table per measure, or one. [LaTeX: runs]")
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [4]")
@options.evaluation
def compare_command(
    truth: str,
    runs: tuple[str, ...],
    asked: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    fail_if_worse: str | None,
    output: str | None,
    layout: str | None,
    places: int | None,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Compare RUNS: means with intervals, paired tests, effect sizes; gates for continuous integration.

    Exit code 1 if a gate (--fail-under, --fail-over, --fail-if-worse) is not met, with a line for each reason.
    """
    gates = Gates.read(fail_under, fail_over, fail_if_worse)
    with _progress() as progress:
        found = compare(
            formats.read_truth(truth, format_truth),
            [formats.read_run(run, format_run) for run in runs],
            gates.measures(asked, settings["protocol"], settings["task"]),
            **gates.baseline(settings),
            progress=progress,
        )
    reasons = gates.unmet(found)
    _notes([*found.notes, *gates.notes(found)])
    chosen = _chosen(output)
    _show(comparisons.render(found, chosen, places, layout, _paint()), chosen == "table")
    _gates(reasons)


@cli.command("report")
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@options.measures("EPRUM nxCG@10")
@click.option("--html", required=True, metavar="FILE", help="The page to write.")
@click.option("--title", default="", help="What stands on top of the page.")
@click.option("--titles", metavar="FILE", help="What topics are about: a file of topic, TAB, title.")
@click.option("--readers", default="auto", show_default=True, metavar="SPECS", help="User models to step through.")
@click.option("--depth", type=click.IntRange(1), default=100, show_default=True, help="Results shown of each list.")
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    default=15,
    show_default=True,
    metavar="MB",
    help="Most megabytes of the page.",
)
@options.comparison
@options.draws(10_000)
@options.evaluation
def report_command(
    truth: str,
    runs: tuple[str, ...],
    asked: tuple[str, ...],
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Write a page that shows what the numbers mean: tables, curves, topics, documents, readers. One file, no network.

    It shows where the results of RUNS fall in the documents: give the texts with --documents, or XML with --collection.
    """
    _need_measures(asked, settings)
    _spare_inputs(settings["html"], [truth, *runs, *_files_of(settings)], settings["documents"])
    from berrypick.report.page import write_report

    with _progress() as progress:
        made = write_report(
            formats.read_truth(truth, format_truth),
            [formats.read_run(run, format_run) for run in runs],
            list(asked),
            command=shlex.join(["berrypick", *sys.argv[1:]]),
            progress=progress,
            **settings,
        )
    _notes([*made.notes, *(f"left out: {what}" for what in made.left_out)])
    pieces = f"{made.topics} topics, {made.documents} documents with text or structure, {made.size / 1e6:.1f} MB"
    _say(f"{settings['html']}: {pieces}", err=True)


@cli.command("plot")
@click.argument("truth")
@click.argument("runs", nargs=-1)
@click.argument("target", metavar="FILE")
@options.measures("EPRUM nxCG@10")
@click.option("--kind", type=click.Choice(["curves", "topics", "means"]), help="What is drawn. [see above]")
@click.option("-q", "--per-topic", is_flag=True, help="The same as --kind topics.")
@click.option("--width", metavar="LENGTH", help="Of the picture: 8.5cm, 3.3in, 240pt. [8.5cm; several panels 17.5cm]")
@click.option("--height", metavar="LENGTH", help="Of the picture. [by the width]")
@click.option("--font-size", type=click.FloatRange(4, 40), default=8, show_default=True, metavar="PT", help="Of text.")
@click.option("--dpi", type=click.IntRange(30, 2400), default=300, show_default=True, help="Dots per inch of a PNG.")
@click.option("--until", type=float, metavar="X", help="The last rank, recall level or effort of curves.")
@click.option("--bands/--no-bands", "band", default=None, help="Intervals around curves. [for up to 3 runs]")
@click.option("--baseline", metavar="RUN", help="The run beside which topics of others are drawn. [the first]")
@options.draws(1000)
@options.evaluation
def plot_command(
    truth: str,
    runs: tuple[str, ...],
    target: str,
    asked: tuple[str, ...],
    kind: str | None,
    per_topic: bool,
    format_truth: str | None,
    format_run: str | None,
    **settings: Any,
) -> None:
    """Draw RUNS for a paper: FILE ends in .png, .svg or .pdf.

    \b
    curves   the mean curve behind each measure that has one, with bands over topics
    topics   two runs side by side, sorted by difference; of more, each beside the baseline
    means    the mean of each run with its interval

    Curves are drawn if a measure has one; otherwise topics of one or two runs, and means of more.
    """
    from berrypick.report import plots

    if not runs:
        raise UsageError("plot takes the truth, the runs, and last the picture: FILE.png, FILE.svg or FILE.pdf")
    _need_measures(asked, settings)
    _spare_inputs(target, [truth, *runs, *_files_of(settings)], settings["documents"])
    figure = plots.Figure.of(target, "topics" if per_topic else kind, settings)
    with _progress() as progress:
        results = evaluate(
            formats.read_truth(truth, format_truth),
            [formats.read_run(run, format_run) for run in runs],
            list(asked),
            curves=figure.kind in (None, "curves"),
            progress=progress,
            **settings,
        )
    made = figure.draw(results)
    _notes([*results.notes, *made.notes])
    _say(f"{target}: {made.told}", err=True)


@cli.command("diff")
@click.argument("old")
@click.argument("new")
@click.option("--tolerance", type=float, default=1e-9, show_default=True, help="Largest change that does not count.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="A run that has another name now.")
@click.option("--force", is_flag=True, help="Compare numbers that were computed in different ways all the same.")
@click.option("--fail-if-different", is_flag=True, help="Exit code 1 if anything differs.")
@click.option(
    "-o", "--output", type=click.Choice(comparisons.DIFFERENCE_OUTPUTS), help="[table on a terminal, else tsv]"
)
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [4]")
def diff_command(
    old: str,
    new: str,
    tolerance: float,
    rename: tuple[str, ...],
    force: bool,
    fail_if_different: bool,
    output: str | None,
    places: int | None,
) -> None:
    """What changed between OLD and NEW, two files written by evaluate -q -o json, topic by topic."""
    found = diff(old, new, tolerance=tolerance, force=force, rename=renamed(rename))
    _notes(found.notes)
    chosen = _chosen(output)
    _show(comparisons.render_difference(found, chosen, places, _paint()), chosen == "table")
    _gates([found.reason] if fail_if_different and found else [])


@cli.command("explain")
@click.argument("truth")
@click.argument("run")
@click.option("--topic", required=True, help="The topic.")
@click.option("-m", "--measure", "asked", required=True, help="The measure.")
@options.reading
def explain_command(
    truth: str, run: str, topic: str, asked: str, format_truth: str | None, format_run: str | None, **settings: Any
) -> None:
    """Show the working of one number: what each rank leads to, and the terms of the sum."""
    value = explain(
        formats.read_truth(truth, format_truth), formats.read_run(run, format_run), topic, asked, **settings
    )
    if sys.stdout.isatty():
        _show(terminal.explanation(value, terminal.width(), terminal.decorated(sys.stdout)), True)
    else:
        _show(text.explanation(value))


@cli.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--format", "format_name", metavar="NAME", help="The format, if not to be recognised.")
def check(files: tuple[str, ...], format_name: str | None) -> None:
    """Recognise, validate and count FILES; every problem with its line. Exit code 2 if there is any."""
    good = True
    for path in files:
        try:
            with formats.standing(path):
                good &= _check(path, format_name)
        except InputError as error:
            _say(str(error))
            good = False
    if not good:
        sys.exit(2)


def _check(path: str, format_name: str | None) -> bool:
    """Tell what is in a file and all that is wrong with it; whether nothing is."""
    if format_name is None and not flows(path) and is_index(path):
        _say(f"{path}: {_index_told(path)}")
        return True
    problems = formats.Problems(path, strict=False)
    chosen = formats.by_name(format_name) if format_name else formats.sniff(path)
    value = chosen.read(path, problems)
    found = [str(problem) for problem in problems.found]
    if chosen.role == "run":
        try:
            refuse_duplicates(value, make_setting())
        except BerrypickError as error:
            found.append(str(error))
    facts = [*chosen.describe(value), *(f"{count} {what}" for what, count in problems.counts.items())]
    others = [] if format_name else [other.name() for other in formats.sniff_all(path) if other is not chosen]
    also = f" (or {', '.join(others)}: the content leaves it open)" if others else ""
    _say(f"{path}: {chosen.name()}{also}, {', '.join(facts)}")
    for message in found:
        _say("  problem: " + message.replace("\n", "\n    "))
    return not found


def _index_told(path: str) -> str:
    """What an index of a collection holds."""
    read_index(path)  # says what is wrong with it, or missing here
    from berrypick.corpus.index_read import Index

    facts = Index(path).facts
    told = ["index of a collection", counted(facts.documents, "document"), counted(facts.elements, "element")]
    return ", ".join([*told, *([f"{facts.unreadable} unreadable"] if facts.unreadable else [])])


@cli.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", metavar="NAME", help="Format of IN, if not to be recognised.")
@click.option("--to", "target_format", metavar="NAME", help="Format of OUT, if its ending does not tell.")
@click.option("--collection", metavar="FOLDER", help="The XML documents, to restate elements as spans or the reverse.")
def convert(
    source: str, target: str, source_format: str | None, target_format: str | None, collection: str | None
) -> None:
    """Write IN again as OUT, in another format that carries the same information.

    With the XML documents at hand, spans become elements and points, and elements and points become spans.
    """
    _spare_inputs(target, [source, collection])
    with formats.standing(source):
        could_be = [] if source_format else formats.sniff_all(source)
        role = None if source_format else _role_wanted(target, target_format, could_be)
        value = formats.read_any(source, role, source_format)
    if collection is not None:
        value = _restated(value, collection, target, target_format)
    try:
        chosen = formats.write(value, target, target_format)
    except UsageError as error:
        if len(could_be) < 2:
            raise
        others = ", ".join(one.name() for one in could_be)
        raise UsageError(f"{error}; {source} could be any of {others}: --from says which") from None
    _say(f"{target}: {chosen.name()}, {', '.join(chosen.describe(value))}", err=True)


def _role_wanted(target: str, target_format: str | None, could_be: list[type[formats.Format]]) -> Any:
    """Whether a truth or a run is to be written, as far as the format or the ending of the target tells; None where it
    does not, or where what is read can only be something else."""
    if target_format:
        return formats.by_name(target_format).role
    ending = Path(target.removesuffix(".gz")).suffix
    roles = {one.role for one in formats.registered().values() if ending in one.suffixes}
    return roles.pop() if len(roles) == 1 and roles <= {one.role for one in could_be} else None


def _restated(value: Any, collection: str, target: str, target_format: str | None) -> Any:
    """The value as it is if the target can hold it, else in terms of the XML documents, or of their text."""
    from berrypick.corpus.resolve import restated

    if not isinstance(value, (Run, Truth)):
        raise UsageError("--collection goes with truths and runs")
    if isinstance(value, Truth) and value.offsets not in (None, "chars"):
        counting = f"{value.source}: offsets count {value.offsets}"
        raise UsageError(f"{counting}; 'berrypick locate' turns them into characters")
    ending = [suffix for suffix in Path(target).suffixes if suffix != ".gz"][-1:]
    wanted = [formats.by_name(target_format)] if target_format else list(formats.registered().values())
    able = [f for f in wanted if not f.accepts(value) and (target_format or ending == [] or ending[0] in f.suffixes)]
    return value if able else restated(value, read_collection(collection))


@cli.command("locate")
@click.argument("truth")
@click.argument("target", metavar="FILE")
@click.option("--documents", required=True, metavar="PATH", help="The texts: a folder, or JSON Lines of doc and text.")
@click.option("--quotes", type=click.Choice(QUOTES), default="exact", show_default=True, help="How quotes are found.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100, min_open=True),
    default=THRESHOLD,
    show_default=True,
    help="Least similarity for --quotes fuzzy, in per cent.",
)
@click.option("--offsets", type=click.Choice(OFFSETS), help="What offsets in TRUTH count; FILE has chars. [chars]")
@click.option("--format-truth", metavar="NAME", help="Format of TRUTH, if not to be recognised.")
def locate_command(
    truth: str,
    target: str,
    documents: str,
    quotes: Any,
    threshold: float,
    offsets: Any,
    format_truth: str | None,
) -> None:
    """Find the quotes of TRUTH in the documents and write their spans to FILE.

    A quote that is missing or stands in several places is reported with its candidates; then nothing is written.
    """
    _spare_inputs(target, [truth], documents)
    read = formats.read_truth(truth, format_truth)
    found = locate(read, documents, quotes, offsets, threshold)
    if offsets is not None and read.offsets not in (None, offsets):
        _notes([f"{truth}: offsets count {read.offsets}, as it says, and not {offsets}"])
    formats.write(found, target, None if target.endswith((".csv", ".parquet")) else "span-truth")
    _say(f"{target}: {', '.join(formats.by_name('span-truth').describe(found))}", err=True)


@cli.command("index")
@click.argument("folder")
@click.argument("target", metavar="FILE")
@click.option("--jobs", type=click.IntRange(1), help="Processes to share the work. [as many as there are cores]")
def index_command(folder: str, target: str, jobs: int | None) -> None:
    """Store the structure of the XML documents in FOLDER in FILE, once; FILE then serves as --collection.

    An interrupted attempt is continued by the same command. Documents that cannot be read are reported and left out.
    """
    _spare_inputs(target, [folder])
    try:
        with _progress("indexing", "documents") as progress:
            made = build_index(folder, target, jobs, progress)
    except KeyboardInterrupt:
        if os.path.exists(f"{target}.partial"):
            _notes([f"interrupted; the same command goes on from what is kept in {target}.partial"])
        raise
    for problem in made.problems:
        _say(os.path.join(folder, problem), err=True)
    _notes(made.notes())


@cli.command("list")
@click.argument("what", type=click.Choice(["measures", "users", "formats"]))
def list_command(what: str) -> None:
    """List measures, users (user models) or formats."""
    if what == "formats":
        rows = [[name, value.role, _first_line(value)] for name, value in formats.registered().items()]
        _show(_paint()(Table("", ["format", "role", "what it is"], rows, "<<<"), ()), True)
        return
    known: dict[str, type[Declared]] = dict(measures.registered() if what == "measures" else users.registered())
    rows = [[name, _first_line(value)] for name, value in known.items()]
    _show(_paint()(Table("", [what.rstrip("s"), "what it is"], rows, "<<"), ()), True)
    if what == "measures":
        _say(f"\nDocument measures, scored by ir_measures: {', '.join(document_measures.names())}")


@cli.command()
@click.argument("kind", type=click.Choice(["measure", "user", "format"]))
@click.argument("name")
@click.option("--bibtex", "as_bibtex", is_flag=True, help="The references as BibTeX.")
def show(kind: str, name: str, as_bibtex: bool) -> None:
    """Explain one measure, user model or format: formula, parameters, reference."""
    if kind == "format":
        _say(_page(formats.by_name(name)))
        return
    known: dict[str, type[Declared]] = dict(measures.registered() if kind == "measure" else users.registered())
    written, name = name, specs.parse(name).name  # charR@5 and t2i(tolerance=300) show charR and t2i
    value = measures.measure_class(name) if kind == "measure" else known.get(name)
    if value is None:
        if kind == "measure" and name in document_measures.names():
            raise UsageError(
                f"{written} is one of ir_measures' measures, and computed by it; its documentation is there"
            )
        raise UsageError(f"unknown {kind} {name}{nearest(name, list(known))}")
    references: tuple[str, ...] = value.references  # type: ignore[attr-defined]
    if as_bibtex:
        _say("\n".join(bibtex(key) for key in references))
        return
    _say(_page(value))
    rows = [[p.name, "none" if p.default is None else repr(p.default), p.help] for p in value.parameters()]
    if rows:
        _show("\n" + _paint()(Table("Parameters", ["name", "default", "meaning"], rows, "<<<"), ()), True)
    if references:
        _say("\nReferences")
        for key in references:
            _say(f"  {cited(key)}")


@cli.command()
@click.option("--html", metavar="FILE", help="Write a report page on the campaign as well.")
def demo(html: str | None) -> None:
    """Evaluate the bundled demonstration under several readers and explain what one sees."""
    from berrypick import demonstration

    _show(demonstration.told())
    if html is not None:
        made = demonstration.campaign.write_page(html)
        _say(f"\n{html}: a page that shows where the results fall ({made.size / 1e6:.1f} MB)", err=True)


def _need_measures(asked: tuple[str, ...], settings: dict[str, Any]) -> None:
    if not asked and not (settings["task"] or settings["protocol"]):
        raise UsageError("no measure is asked for: name some with -m, e.g. -m EPRUM, or a task with --task")


def _chosen(output: str | None) -> str:
    return output or ("table" if sys.stdout.isatty() else "tsv")


def _files_of(settings: dict[str, Any]) -> list[str | None]:
    """The files and folders among the options of an evaluation."""
    return [settings.get(name) for name in ("navigation", "collection", "chunks", "titles")]


def _spare_inputs(target: str, inputs: list[str | None], documents: str | None = None) -> None:
    """What is read is never written over: refuse a target that is one of the inputs, or a file in a folder of them.

    In a folder of ``documents`` every file is a text; in other folders only XML files are read.
    """
    from berrypick.corpus.xml_documents import SUFFIXES

    if not os.path.isfile(target):
        return
    for source in (*inputs, documents):
        if source is None or not os.path.exists(source):
            continue
        if os.path.samefile(target, source):
            raise UsageError(f"{target} is read, and would be written over; name another file to write")
        inside = os.path.isdir(source) and Path(source).resolve() in Path(target).resolve().parents
        if inside and (source == documents or target.lower().endswith(SUFFIXES)):
            raise UsageError(f"{target} is one of the files of {source}, and would be written over; name another file")


def _page(value: type) -> str:
    from textwrap import dedent

    # not inspect.getdoc, which turns TABs into blanks
    page = value.written() if issubclass(value, formats.Format) else value.__doc__ or ""
    first, _, rest = page.partition("\n")
    return f"{value.name()}: {first}\n{dedent(rest).rstrip()}"  # type: ignore[attr-defined]


def _first_line(value: type) -> str:
    return (value.__doc__ or "").strip().splitlines()[0]


def _paint() -> text.Paint:
    """How tables are drawn: for a terminal that can do more, or as plain text."""
    return terminal.painter(sys.stdout)


def _show(content: str, painted: bool = False) -> None:
    """Print; what was painted for a terminal holds control characters, but none that come from a file."""
    if painted and terminal.decorated(sys.stdout):
        click.echo(content, nl=False)
    else:
        _say(content, nl=False)


def _gates(reasons: list[str]) -> None:
    """Exit code 1 if there is a reason to fail."""
    for reason in reasons:
        _say(f"not met: {shorten(reason, 400)}", err=True)
    if reasons:
        sys.stdout.flush()
        sys.exit(1)


def _notes(notes: Any) -> None:
    for note in notes:
        _say(f"note: {note}", err=True)


@contextmanager
def _progress(doing: str = "evaluating", what: str = "topics") -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing in a pipe or where control characters are not wanted."""
    if not terminal.decorated(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn(what), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


if __name__ == "__main__":
    main()
