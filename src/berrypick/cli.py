"""The command line, on the public functions only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from berrypick import formats, kernels, measures, users
from berrypick._version import __version__
from berrypick.core.declared import Declared
from berrypick.core.errors import BerrypickError, InputError, UsageError, nearest
from berrypick.core.explanation import Table
from berrypick.evaluate import EFFORTS, evaluate, explain, make_setting, refuse_duplicates
from berrypick.measures import _documents as document_measures
from berrypick.references import bibtex, cited
from berrypick.report import text


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit codes: 0 fine, 1 a gate was not met, 2 wrong usage or bad input, 130 interrupted."""
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
    except BrokenPipeError:
        # the reader of the pipe has gone (head, less); the rest of the output is nobody's business
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except MemoryError:
        _fail("not enough memory for this input")


def _fail(message: str) -> None:
    click.echo(f"berrypick: {message}", err=True)
    sys.exit(2)


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"berrypick {__version__}, kernels: {kernels.in_use()}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Version and kernels."
)
def cli() -> None:
    """Measure retrieval systems that point into documents: elements, passages, chunks, video segments, linked pages.

    \b
    berrypick demo                                     see it work
    berrypick evaluate truth.qrels my.run -m 'EPRUM'   evaluate a run
    berrypick list measures                            what can be measured
    """


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that evaluate and explain share."""
    for option in reversed(
        [
            click.option(
                "--user", metavar="SPEC", help="User model, e.g. hierarchy or t2i(tolerance=300). [classical]"
            ),
            click.option(
                "--navigation", metavar="FILE", help="Table of reach, links, or sessions, for the user model."
            ),
            click.option("--collection", metavar="PATH", help="Folder of XML documents, or file of document lengths."),
            click.option("--units", type=int, metavar="N", help="Number of retrievable units, ranked ones included."),
            click.option("--idealism", metavar="MAP", help="Grades to the share of readers, e.g. '1=.5,2=1'."),
            click.option(
                "--effort", type=click.Choice(EFFORTS), default="rank", show_default=True, help="What reading costs."
            ),
            click.option(
                "--protocol", metavar="NAME", help="A campaign's own rules: inex2006, inex2010, mediaeval2014, ..."
            ),
            click.option("--task", metavar="NAME", help="thorough, focused, relevant-in-context or best-in-context."),
            click.option("--repair", metavar="RULE", help="Mend runs: drop-overlap, group or first-per-article."),
            click.option(
                "--left-out", default="", metavar="NAMES", help="Element names that count for nothing, e.g. 'a,link'."
            ),
            click.option(
                "--duplicates",
                type=click.Choice(["error", "first", "keep"]),
                help="Repeated results: refuse, drop later ones, or keep them without effect. [by format]",
            ),
            click.option("--format-truth", metavar="NAME", help="Format of the truth, if not to be recognised."),
            click.option("--format-run", metavar="NAME", help="Format of the runs, if not to be recognised."),
        ]
    ):
        function = option(function)
    return function


@cli.command("evaluate")
@click.argument("truth")
@click.argument("runs", nargs=-1, required=True)
@click.option("-m", "--measure", "asked", multiple=True, help="Measures, e.g. 'EPRUM PRUM@0.5 nDCG@10'. [of the task]")
@click.option("-q", "--per-topic", is_flag=True, help="A row per topic as well as the means.")
@click.option("-o", "--output", type=click.Choice(text.OUTPUTS), help="[table on a terminal, else tsv]")
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [4]")
@click.option("--curves", is_flag=True, help="Add the curve behind each number to JSON output.")
@click.option(
    "--topics",
    type=click.Choice(["judged", "run"]),
    help="All judged topics (missing ones count 0), or only those the run answers. [judged, or as the protocol says]",
)
@_options
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
    """Evaluate RUNS against TRUTH."""
    if not asked and not (settings["task"] or settings["protocol"]):
        raise UsageError("no measure is asked for: name some with -m, e.g. -m EPRUM, or a task with --task")
    chosen = output or ("table" if sys.stdout.isatty() else "tsv")
    if curves and chosen not in ("json", "jsonl"):
        raise UsageError("--curves goes with -o json or -o jsonl")
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
    _show(text.render(results, chosen, per_topic, places))


@cli.command("explain")
@click.argument("truth")
@click.argument("run")
@click.option("--topic", required=True, help="The topic.")
@click.option("-m", "--measure", "asked", required=True, help="The measure.")
@_options
def explain_command(
    truth: str, run: str, topic: str, asked: str, format_truth: str | None, format_run: str | None, **settings: Any
) -> None:
    """Show the working of one number: what each rank leads to, and the terms of the sum."""
    value = explain(
        formats.read_truth(truth, format_truth), formats.read_run(run, format_run), topic, asked, **settings
    )
    _show(text.explanation(value))


@cli.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--format", "format_name", metavar="NAME", help="The format, if not to be recognised.")
def check(files: tuple[str, ...], format_name: str | None) -> None:
    """Recognise, validate and count FILES; every problem with its line. Exit code 2 if there is any."""
    bad = False
    for path in files:
        problems = formats.Problems(path, strict=False)
        try:
            chosen = formats.by_name(format_name) if format_name else formats.sniff(path)
            value = chosen.read(path, problems)
        except InputError as error:
            click.echo(str(error))
            bad = True
            continue
        found = [str(problem) for problem in problems.found]
        if chosen.role == "run":
            try:
                refuse_duplicates(value, make_setting(None, None, None, None, None, "rank", "judged", None))
            except BerrypickError as error:
                found.append(str(error))
        facts = [*chosen.describe(value), *(f"{count} {what}" for what, count in problems.counts.items())]
        others = [] if format_name else [other.name() for other in formats.sniff_all(path) if other is not chosen]
        also = f" (or {', '.join(others)}: the content leaves it open)" if others else ""
        click.echo(f"{path}: {chosen.name()}{also}, {', '.join(facts)}")
        for message in found:
            click.echo("  problem: " + message.replace("\n", "\n    "))
        if found:
            bad = True
    if bad:
        sys.exit(2)


@cli.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", metavar="NAME", help="Format of IN, if not to be recognised.")
@click.option("--to", "target_format", metavar="NAME", help="Format of OUT, if its ending does not tell.")
def convert(source: str, target: str, source_format: str | None, target_format: str | None) -> None:
    """Write IN again as OUT, in another format that carries the same information."""
    role = formats.by_name(target_format).role if target_format and not source_format else None
    value = formats.read_any(source, role, source_format)
    chosen = formats.write(value, target, target_format)
    click.echo(f"{target}: {chosen.name()}, {', '.join(chosen.describe(value))}", err=True)


@cli.command("list")
@click.argument("what", type=click.Choice(["measures", "users", "formats"]))
def list_command(what: str) -> None:
    """List measures, users (user models) or formats."""
    if what == "formats":
        rows = [[name, value.role, _first_line(value)] for name, value in formats.registered().items()]
        _show(text.aligned(Table("", ["format", "role", "what it is"], rows, "<<<")))
        return
    known: dict[str, type[Declared]] = dict(measures.registered() if what == "measures" else users.registered())
    rows = [[name, _first_line(value)] for name, value in known.items()]
    _show(text.aligned(Table("", [what.rstrip("s"), "what it is"], rows, "<<")))
    if what == "measures":
        click.echo(f"\nDocument measures, scored by ir_measures: {', '.join(document_measures.names())}")


@cli.command()
@click.argument("kind", type=click.Choice(["measure", "user", "format"]))
@click.argument("name")
@click.option("--bibtex", "as_bibtex", is_flag=True, help="The references as BibTeX.")
def show(kind: str, name: str, as_bibtex: bool) -> None:
    """Explain one measure, user model or format: formula, parameters, reference."""
    if kind == "format":
        click.echo(_page(formats.by_name(name)))
        return
    known: dict[str, type[Declared]] = dict(measures.registered() if kind == "measure" else users.registered())
    value = measures.measure_class(name) if kind == "measure" else known.get(name)
    if value is None:
        if kind == "measure" and document_measures.parse(name) is not None:
            raise UsageError(f"{name} is one of ir_measures' measures, and computed by it; its documentation is there")
        raise UsageError(f"unknown {kind} {name}{nearest(name, list(known))}")
    references: tuple[str, ...] = value.references  # type: ignore[attr-defined]
    if as_bibtex:
        click.echo("\n".join(bibtex(key) for key in references))
        return
    click.echo(_page(value))
    rows = [[p.name, "none" if p.default is None else repr(p.default), p.help] for p in value.parameters()]
    if rows:
        click.echo("\n" + text.aligned(Table("Parameters", ["name", "default", "meaning"], rows, "<<<")), nl=False)
    if references:
        click.echo("\nReferences")
        for key in references:
            click.echo(f"  {cited(key)}")


@cli.command()
def demo() -> None:
    """Evaluate the bundled demonstration under several readers and explain what one sees."""
    from berrypick import demonstration

    _show(demonstration.told())


def _page(value: type) -> str:
    import inspect

    return f"{value.name()}: {inspect.getdoc(value)}"  # type: ignore[attr-defined]


def _first_line(value: type) -> str:
    return (value.__doc__ or "").strip().splitlines()[0]


def _show(content: str) -> None:
    click.echo(content, nl=False)


def _notes(notes: Any) -> None:
    for note in notes:
        click.echo(f"note: {note}", err=True)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("evaluating"), BarColumn(), MofNCompleteColumn(), TextColumn("topics"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("evaluating", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


if __name__ == "__main__":
    main()
