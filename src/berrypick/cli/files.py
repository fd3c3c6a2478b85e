"""berrypick check, convert, locate and index."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from berrypick import formats
from berrypick.cli import options
from berrypick.cli.laws import check_laws_of_files, law_options, refuse_law_options
from berrypick.cli.output import HELP, drop_output, progress_bar, refuse_overwriting, say, show_notes, tell
from berrypick.core.errors import BerrypickError, InputError, Message, UsageError, as_flags, one_line
from berrypick.core.navigation import LinkTable
from berrypick.core.run import Run
from berrypick.core.truth import OFFSETS, Offsets, Truth
from berrypick.core.words import counted
from berrypick.documents.checked import check_by_texts, checked_by_itself
from berrypick.documents.locate import locate
from berrypick.documents.quotes import QUOTES, THRESHOLD
from berrypick.documents.text_length import check_run_lengths, check_truth_lengths
from berrypick.documents.texts import Texts, read_texts
from berrypick.evaluation.context import read_collection
from berrypick.evaluation.notes import skipped_notes
from berrypick.formats.io.files import atomic_writer, is_stream, reusable
from berrypick.inputs.fields import unread_note
from berrypick.judging.judge import refuse_duplicates
from berrypick.xml.index import build_index, is_index, read_index


@click.command("check", context_settings=HELP)
@click.argument("files", nargs=-1, required=True)
@click.option("--format", "format_name", metavar="NAME", help="File format. [default: detect]")
@law_options
def check_command(files: tuple[str, ...], format_name: str | None, laws: bool, **settings: Any) -> None:
    """Detect the format of FILES, validate them, and report every problem with its line.

    Files that hold texts and offsets, such as SQuAD, are checked against themselves; with --documents, offsets and
    quotes of all truths and runs are checked against the texts of these.

    With --laws, FILES are a truth and runs: variants of them are drawn, and every law that the measures declare is
    tried on them (what a value must not depend on, in which direction it moves). The other options of an evaluation
    are for --laws alone.

    Exits with 2 if there is any problem, with 1 if a law is broken.

    \b
    berrypick check truth.qrels *.run
    berrypick check truth.jsonl --documents texts
    berrypick check --laws truth.jsonl my.jsonl -m 'charR@5 spanRR'
    """
    if laws:
        check_laws_of_files(files, format_name, settings)
        return
    refuse_law_options()
    documents, offsets = settings["documents"], settings["offsets"]
    if offsets is not None and documents is None:
        raise UsageError("--offsets is about the texts of documents: give them with --documents")
    texts = None if documents is None else read_texts(documents)
    good = True
    for path in files:
        try:
            with reusable(path):
                good &= _check(path, format_name, texts, offsets)
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


def _check(path: str, format_name: str | None, texts: Texts | None, offsets: Offsets | None) -> bool:
    """Print what a file contains and its problems; return whether there are none."""
    if format_name is None and not is_stream(path) and is_index(path):
        _say(one_line(f"{path}: {_describe_index(path)}"))
        return True
    chosen = formats.by_name(format_name) if format_name else formats.sniff(path)
    alike = [] if format_name else [other for other in formats.sniff_all(path) if other is not chosen]
    value, problems = _read(path, chosen)
    if problems.found:  # the first lines may fit another format as well, and the others only that one
        for other in alike:
            value_of_other, problems_of_other = _read(path, other)
            if not problems_of_other.found:
                chosen, value, problems, alike = other, value_of_other, problems_of_other, []
                break
    found = [as_flags(problem) for problem in problems.found]
    if chosen.role == "run":
        try:
            if value.duplicates == "error":
                refuse_duplicates(value)
        except BerrypickError as error:
            found.append(as_flags(error))
    said, wrong = check_by_texts(value, texts, offsets) if not found else ([], [])
    found += [as_flags(error) for error in wrong]
    notes = [*(value.notes if isinstance(value, Run) else ()), *(as_flags(Message(note)) for note in said)]
    if isinstance(value, (Truth, Run)):
        notes += [unread_note(value.unread)] if value.unread else []
        compared = texts is not None or (isinstance(value, Truth) and value.texts)
        found += [] if found or compared else _length_problems(value)
    facts = [*chosen.describe(value), *notes, *(f"{count} {what}" for what, count in problems.counts.items())]
    also = f" (or {', '.join(other.name() for other in alike)}: the content leaves it open)" if alike else ""
    _say(one_line(f"{path}: {chosen.name()}{also}, {', '.join(facts)}"))
    for message in found:
        _say("  problem: " + message.replace("\n", "\n    "))
    return not found


def _length_problems(value: Truth | Run) -> list[str]:
    """What texts say about the offsets beside them."""
    try:
        check_truth_lengths(value) if isinstance(value, Truth) else check_run_lengths(value)
    except BerrypickError as error:
        return [as_flags(error)]
    return []


def _refuse_same(one: str, other: str) -> None:
    if "\0" not in one + other and os.path.realpath(one) == os.path.realpath(other):
        raise UsageError(f"{one} would be written twice; name two files")


def _read(path: str, format: type[formats.Format]) -> tuple[Any, formats.Problems]:
    problems = formats.Problems(path, strict=False)
    return formats.read_any(path, None, format, problems), problems


def _describe_index(path: str) -> str:
    """What an index of a collection holds."""
    read_index(path)  # raises if it is damaged or incomplete
    from berrypick.xml.index.read import Index

    facts = Index(path).facts
    counts = ["index of a collection", counted(facts.documents, "document"), counted(facts.elements, "element")]
    return ", ".join([*counts, *([f"{facts.unreadable} unreadable"] if facts.unreadable else [])])


@click.command("convert", context_settings=HELP)
@click.argument("source", metavar="IN")
@click.argument("out", metavar="[OUT]", required=False)
@options.file_to_write("File to write, instead of OUT.", "out")
@click.option("--from", "source_format", metavar="NAME", help="Format of IN. [default: detect]")
@click.option("--to", "--format", "target_format", metavar="NAME", help="Format of OUT. [default: by its extension]")
@click.option("--collection", metavar="FOLDER", help="XML documents, to convert elements to spans or back.")
@click.option("--documents", metavar="FILE", help="Also write the documents that IN holds, as JSON Lines.")
def convert_command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    collection: str | None,
    documents: str | None,
) -> None:
    """Convert IN to OUT, a format that holds the same information.

    With --collection, elements and points are converted to spans, or spans to elements and points. Some formats hold
    the texts of documents too, such as SQuAD; --documents writes them.

    \b
    berrypick convert my.run my.jsonl --to span-run
    """
    refuse_overwriting(target, [source, collection])
    if documents is not None:
        refuse_overwriting(documents, [source, collection])
        _refuse_same(target, documents)
    with reusable(source):
        held = formats.documents_in(source) if documents is not None else {}
        could_be = [] if source_format else formats.sniff_all(source)
        role = None if source_format else _target_role(target, target_format, could_be)
        value = formats.read_any(source, role, source_format)
    if documents is not None and not held:
        raise UsageError(f"{source} holds no texts of documents: omit --documents")
    notes = _reading_notes(value, source)
    if isinstance(value, Truth) and value.texts:
        notes += checked_by_itself(value, "note").notes[len(value.notes) :]
    if collection is not None:
        value = _restate(value, collection, target, target_format)
    try:
        chosen = formats.write(value, target, target_format)
    except UsageError as error:
        if len(could_be) < 2:
            raise
        others = ", ".join(one.name() for one in could_be)
        raise UsageError(
            *error.lines[:-1], f"{error.lines[-1]}; {source} could be any of {others}: choose with --from"
        ) from None
    if documents is not None:
        with atomic_writer(documents) as out:
            out.writelines(
                json.dumps({"doc": name, "text": text}, ensure_ascii=False) + "\n" for name, text in held.items()
            )
        notes.append(f"{documents}: {counted(len(held), 'document')}")
    show_notes(notes)
    tell(f"{target}: {chosen.name()}, {', '.join(chosen.describe(value))}")


def _reading_notes(value: Any, source: str) -> list[object]:
    """What the reader of a file skipped, merged or assumed."""
    notes = [f"{source}: {note}" for note in value.notes] if isinstance(value, Run) else []
    return [*notes, *(skipped_notes(value, source) if isinstance(value, (Truth, Run, LinkTable)) else ())]


def _target_role(target: str, target_format: str | None, could_be: list[type[formats.Format]]) -> Any:
    """The role of the target's format, by name or extension; None if undetermined, or if the input cannot have it."""
    if target_format:
        return formats.by_name(target_format).role
    ending = Path(target.removesuffix(".gz")).suffix
    roles = {one.role for one in formats.registered().values() if ending in one.suffixes}
    return roles.pop() if len(roles) == 1 and roles <= {one.role for one in could_be} else None


def _restate(value: Any, collection: str, target: str, target_format: str | None) -> Any:
    """The value as it is if the target can hold it, else in terms of the XML documents, or of their text."""
    from berrypick.xml.resolve import restate

    if not isinstance(value, (Run, Truth)):
        raise UsageError("--collection works for truths and runs only")
    if isinstance(value, Truth) and value.offsets not in (None, "chars"):
        counting = f"{value.source}: offsets count {value.offsets}"
        raise UsageError(f"{counting}; convert them to characters with 'berrypick locate'")
    ending = [suffix for suffix in Path(target).suffixes if suffix != ".gz"][-1:]
    wanted = [formats.by_name(target_format)] if target_format else list(formats.registered().values())
    able = [f for f in wanted if not f.accepts(value) and (target_format or ending == [] or ending[0] in f.suffixes)]
    return value if able else restate(value, read_collection(collection))


@click.command("locate", context_settings=HELP)
@click.argument("truth")
@click.argument("file", metavar="[FILE]", required=False)
@options.file_to_write("File to write, instead of FILE.", "file")
@click.option("--documents", required=True, metavar="PATH", help="Texts: a folder, or JSON Lines with doc and text.")
@click.option("--quotes", type=click.Choice(QUOTES), default="exact", show_default=True, help="How to match quotes.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100, min_open=True),
    default=THRESHOLD,
    show_default=True,
    help="Least similarity for --quotes fuzzy, in percent.",
)
@click.option(
    "--offsets", type=click.Choice(OFFSETS), help="Unit of the offsets in TRUTH; FILE has chars. [default: chars]"
)
@click.option(
    "--repair",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Move offsets that do not match to the only place of their quote within N characters.",
)
@click.option("--partial", is_flag=True, help="Write what was found and leave out the rest.")
@click.option("--report", metavar="FILE", help="JSON Lines to write, with every span and quote and what came of it.")
@click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]")
def locate_command(
    truth: str,
    target: str,
    documents: str,
    offsets: Any,
    report: str | None,
    format_truth: str | None,
    **settings: Any,
) -> None:
    """Find the quotes of TRUTH in the documents and write their spans to FILE.

    Quotes that are missing or occur in several places are reported with candidates, as are offsets that do not match
    their quotes, and nothing is written but the report.

    \b
    berrypick locate quotes.jsonl spans.jsonl --documents texts
    """
    refuse_overwriting(target, [truth], documents)
    if report is not None:
        refuse_overwriting(report, [truth], documents)
        _refuse_same(target, report)
    read = formats.read_truth(truth, format_truth)
    show_notes(_reading_notes(read, truth))
    found = locate(read, documents, offsets=offsets, report=report, **settings)
    show_notes([f"{truth}: {note}" for note in found.notes[len(read.notes) :]])
    if offsets is not None and read.offsets not in (None, offsets):
        show_notes([f"{truth}: offsets are declared as {read.offsets}; --offsets {offsets} is ignored"])
    formats.write(found, target, None if target.endswith((".csv", ".parquet")) else "span-truth")
    tell(f"{target}: {', '.join(formats.by_name('span-truth').describe(found))}")


@click.command("index", context_settings=HELP)
@click.argument("folder")
@click.argument("file", metavar="[FILE]", required=False)
@options.file_to_write("File to write, instead of FILE.", "file")
@click.option("--jobs", type=click.IntRange(1), help="Number of processes. [default: number of cores]")
def index_command(folder: str, target: str, jobs: int | None) -> None:
    """Index the structure of the XML documents in FOLDER; use FILE as --collection afterwards.

    Run the same command again to continue after an interruption. Unreadable documents are reported and skipped.

    \b
    berrypick index collection collection.idx
    berrypick evaluate truth.qrels my.run -m EPRUM --user hierarchy --collection collection.idx
    """
    refuse_overwriting(target, [folder])
    try:
        with progress_bar("indexing", "documents") as progress:
            made = build_index(folder, target, jobs, progress)
    except KeyboardInterrupt:
        if os.path.exists(f"{target}.partial"):
            show_notes([f"interrupted; run the same command to continue from {target}.partial"])
        raise
    for problem in made.problems:
        tell(os.path.join(folder, problem))
    show_notes(made.notes())
