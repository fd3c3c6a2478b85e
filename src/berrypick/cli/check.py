"""berrypick check."""

from __future__ import annotations

import os
import sys
from typing import Any

import click
from click.core import ParameterSource

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, drop_output, progress_bar, say, show_notes, tell
from berrypick.data.errors import BerrypickError, InputError, Message, UsageError, as_flags, one_line
from berrypick.data.run import Run
from berrypick.data.truth import Offsets, Truth
from berrypick.documents.by_texts import check_by_texts
from berrypick.documents.collection_files import is_index
from berrypick.documents.text_length import check_run_lengths, check_truth_lengths
from berrypick.documents.texts import Texts, read_texts
from berrypick.evaluation.loader_pages import without_pages
from berrypick.evaluation.run_order import GivenOrder, in_order, order_notes
from berrypick.files.files import is_stream, reusable
from berrypick.formats.judged_files import detected
from berrypick.given.convert import RunFile, TruthFile
from berrypick.rows.fields import unread_note
from berrypick.tables import tables
from berrypick.tables.analysis_table import OUTPUTS, render
from berrypick.topics.repeats import refuse_duplicates

#: Arguments of the command that are not for laws alone.
_OF_CHECK = ("files", "track", "format_name", "laws", "documents", "offsets", "order", "fields")

_law_options = flags.combine(
    click.option("--laws", is_flag=True, help="Test the laws of measures on variants of a truth and runs."),
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
    flags.output_format(OUTPUTS, " (of --laws and --track)", "table", form=False),
    flags.evaluation_options,
)


@click.command(
    "check",
    short_help="Detect the format of files and report every problem.",
    context_settings=HELP,
    cls=flags.EvaluationCommand,
)
@click.argument("files", nargs=-1, required=True)
@click.option("--format", "format_name", metavar="NAME", help="File format. [default: detect]")
@click.option("--track", metavar="TRACK", help="Check runs against the rules of a track file.")
@_law_options
def check_command(
    files: tuple[str, ...], format_name: str | None, track: str | None, laws: bool, **settings: Any
) -> None:
    """Detect the format of FILES, validate them, and report every problem with its line.

    For golden files, print the command that converts them to judgements.

    Files that hold texts and offsets, such as SQuAD, are checked against themselves; with --documents, offsets and
    quotes of all truths and runs are checked against the texts of these. With --order, runs are checked in that order.

    With --laws, FILES are a truth and runs: variants of them are drawn, and every law that the measures declare is
    tried on them (what a value must not depend on, in which direction it moves). The other options of an evaluation
    are for --laws alone.

    With --track, FILES are runs that were handed in for a track: topics, documents, depth, tags, duplicates, ranges,
    missing topics and the number of runs per team are checked.

    Exits with 2 if there is any problem, with 1 if a law is broken.

    \b
    berrypick check truth.qrels *.run
    berrypick check truth.jsonl --documents texts
    berrypick check --laws truth.jsonl my.jsonl -m 'charR@5 spanRR'
    berrypick check --track track.toml runs/*.run
    """
    if track is not None:
        _refuse_options(("files", "track", "outputs"), "has no effect with --track: the track file names the formats")
        _check_track(track, files, settings["output"])
        return
    if laws:
        _check_laws(files, format_name, settings)
        return
    _refuse_options(_OF_CHECK, "needs --laws")
    documents, offsets = settings["documents"], settings["offsets"]
    order, fields = settings["order"], settings["fields"]
    if offsets is not None and documents is None:
        raise UsageError("--offsets needs the texts of the documents: give them with --documents")
    texts = None if documents is None else read_texts(documents)
    good = True
    for path in files:
        try:
            with reusable(path):
                good &= _check(path, format_name, texts, documents, offsets, order, fields)
        except InputError as error:
            _say(as_flags(error))
            good = False
    if not good:
        sys.exit(2)


def _say(message: str) -> None:
    """Print, if anybody reads it: what is wrong decides on the exit code all the same."""
    try:
        say(message)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def _check(
    path: str,
    format_name: str | None,
    texts: Texts | None,
    documents: str | None,
    offsets: Offsets | None,
    order: GivenOrder | None,
    fields: str | None,
) -> bool:
    """Print what a file contains and its problems; return whether there are none."""
    if format_name is None and not is_stream(path) and is_index(path):
        from berrypick.documents.xml import describe_index

        _say(one_line(f"{path}: {describe_index(path)}"))
        return True
    try:
        chosen, alike = (formats.by_name(format_name), []) if format_name else detected(path, fields)
    except InputError:
        if format_name or fields or not _say_golden(path, texts, documents):
            raise
        return True
    value, problems = _read(path, chosen, fields)
    unlike = isinstance(value, Run) and problems.found and not value.topics
    if (chosen.like_golden or unlike) and not format_name and not fields and _say_golden(path, texts, documents):
        return True
    if problems.found:  # the first lines may fit another format as well, and the others only that one
        for other in alike:
            value_of_other, problems_of_other = _read(path, other, fields)
            if not problems_of_other.found:
                chosen, value, problems, alike = other, value_of_other, problems_of_other, []
                break
    found = [as_flags(problem) for problem in problems.found]
    if chosen.role == "run":
        try:
            value = in_order(value, order)
            if value.ordering.duplicates == "error":
                refuse_duplicates(value)
        except BerrypickError as error:
            found.append(as_flags(error))
    said, wrong = check_by_texts(value, texts, offsets) if not found else ([], [])
    found += [as_flags(error) for error in wrong]
    notes = [*(as_flags(Message(note)) for note in (*(value.notes if isinstance(value, Run) else ()), *said))]
    if isinstance(value, Run):
        notes += [as_flags(Message(note.text)) for note in order_notes(value)]
    if isinstance(value, (Truth, Run)):
        beside = isinstance(value, Run) and value.boxes is None and bool(value.texts.page_fields)
        unread = without_pages(value).origin.unread if isinstance(value, Run) and beside else value.origin.unread
        notes += [unread_note(unread)] if unread else []
        notes += [f"positions count {value.unit}"] if value.unit and texts is None else []
        compared = texts is not None or (isinstance(value, Truth) and value.texts)
        found += [] if found or compared or value.unit else _length_problems(value)
    facts = [*chosen.describe(value), *notes, *(f"{count} {what}" for what, count in problems.told().items())]
    also = f" (or {', '.join(other.name() for other in alike)}: the content fits both)" if alike else ""
    _say(one_line(f"{path}: {chosen.name()}{also}, {', '.join(facts)}"))
    for message in found:
        _say("  problem: " + message.replace("\n", "\n    "))
    return not found


def _say_golden(path: str, texts: Texts | None, documents: str | None) -> bool:
    """Print what a golden file contains; return whether the file is one."""
    if is_stream(path) or os.path.isdir(path):
        return False
    from berrypick.judgements.adopt.golden_truth import golden_facts  # few files need it

    facts = golden_facts(path, texts, documents)
    if facts is None:
        return False
    *facts, remedy = (one_line(as_flags(Message(fact))) for fact in facts)
    _say(f"{one_line(path)}: golden file, {', '.join(facts)}\n  {remedy}")
    return True


def _length_problems(value: Truth | Run) -> list[str]:
    """What texts say about the offsets beside them."""
    try:
        check_truth_lengths(value) if isinstance(value, Truth) else check_run_lengths(value)
    except BerrypickError as error:
        return [as_flags(error)]
    return []


def _read(path: str, format: type[formats.Format], fields: str | None) -> tuple[Any, formats.Problems]:
    problems = formats.Problems(path, strict=False)
    more = {"fields": fields} if fields and format.takes_fields else {}
    return formats.read_any(path, None, format, problems, **more), problems


def _check_laws(files: tuple[str, ...], format_name: str | None, settings: dict[str, Any]) -> None:
    """Print which laws hold; exit code 1 if one is broken."""
    from berrypick.testing import laws

    if format_name is not None:
        raise UsageError("--laws reads a truth and runs: use --format-truth and --format-run instead of --format")
    if len(files) < 2:
        raise UsageError("--laws needs a truth and a run: berrypick check --laws TRUTH RUN...")
    truth, *runs = files
    output: Output
    output, variants, seed = (settings.pop(name) for name in ("output", "variants", "seed"))
    requested, format_truth, format_run = (settings.pop(name) for name in ("requested", "format_truth", "format_run"))
    with progress_bar("trying", "laws") as progress:
        found = laws(
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


def _check_track(track: str, files: tuple[str, ...], output: Output) -> None:
    """Print every problem of submissions; exit code 2 if there is any."""
    from berrypick.tracks.submissions import check_track

    found = check_track(track, files)
    show_notes(found.notes)

    def rendered(form: str, paint: tables.Paint) -> str:
        return "".join(f"{one}\n" for one in found.problems) if form == "table" else render(found, form, None, paint)

    try:
        output.show(rendered)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    tell(found.line)
    if found.problems:
        sys.exit(2)


def _refuse_options(allowed: tuple[str, ...], why: str) -> None:
    """Options that have no effect on this check are refused."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name not in allowed:
            needed = f"{why} or --track" if parameter.name == "outputs" else why
            raise UsageError(f"{parameter.opts[0]} {needed}")
