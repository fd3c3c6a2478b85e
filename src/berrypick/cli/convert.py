"""berrypick convert."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, refuse_same, show_notes
from berrypick.data.errors import BerrypickWarning, UsageError
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.documents.checked import checked_by_itself
from berrypick.documents.squad_texts import is_squad, squad_texts
from berrypick.evaluation.evaluation_context import read_collection
from berrypick.evaluation.notes import reading_notes
from berrypick.files.files import atomic_writer, head, reusable


def _names() -> list[str]:
    return list(formats.registered())


@click.command("convert", short_help="Convert a file to another format.", context_settings=HELP)
@click.argument("source", metavar="IN")
@click.argument("out", metavar="[OUT]", required=False)
@flags.file_or_print("File to write, instead of OUT; or format to print. Repeatable.", _names, older="out")
@click.option("--from", "source_format", metavar="NAME", help="Format of IN. [default: detect]")
@click.option(
    "--to", "--format", "form", metavar="NAME", help="Format of OUT, or to print. [default: by its extension]"
)
@click.option("--collection", metavar="FOLDER", help="XML documents, to convert elements to spans or back.")
@click.option(
    "--topic-pattern", metavar="REGEX", help="Of sessions: regular expression whose first group is the topic."
)
@click.option("--root", metavar="FOLDER", help="Of sessions: root folder of the paths, by name or prefix.")
@click.option("--until", type=click.Choice(["edit", "end"]), help="Of sessions: where to stop reading. [default: edit]")
@click.option("--tools", metavar="NAMES", help="Of sessions: the tools whose results count. [default: Read,Grep]")
@click.option("--documents", metavar="FILE", help="Also write the documents that IN holds, as JSON Lines.")
def convert_command(
    source: str,
    result: flags.Destination,
    source_format: str | None,
    collection: str | None,
    documents: str | None,
    **reading: str | None,
) -> None:
    """Convert IN to OUT, a format that holds the same information.

    With --collection, elements and points are converted to spans, or spans to elements and points. Some formats hold
    the texts of documents too, such as SQuAD; --documents writes them.

    Sessions of agents are runs: a step is a rank, and what it showed are its places.

    \b
    berrypick convert my.run my.jsonl --to span-run
    berrypick convert sessions/ run.jsonl --from claude-session --root repo
    """
    result.refuse_overwriting([source, collection])
    if documents is not None:
        refuse_overwriting(documents, [source, collection])
        refuse_same(result.file or "", documents)
    with reusable(source):
        held = _held_texts(source) if documents is not None else {}
        could_be = [] if source_format else formats.sniff_all(source)
        role = None if source_format else _target_role(result, could_be)
        value = formats.read_any(source, role, source_format, **_reading(source, role, source_format, reading))
    if documents is not None and not held:
        raise UsageError(f"{source} has no texts of documents: omit --documents")
    notes = reading_notes(value, source)
    if isinstance(value, Truth) and value.texts:
        notes += checked_by_itself(value, "note").notes[len(value.notes) :]
    if collection is not None:
        value = _restate(value, collection, result)

    def write(path: str, form: str | None) -> str:
        try:
            with warnings.catch_warnings(record=True) as lost:
                warnings.simplefilter("always", BerrypickWarning)
                chosen = formats.write(value, path, form)
        except UsageError as error:
            if len(could_be) < 2:
                raise
            others = ", ".join(one.name() for one in could_be)
            raise UsageError(
                *error.lines[:-1], f"{error.lines[-1]}; {source} could be any of {others}: choose with --from"
            ) from None
        notes.extend(str(one.message).replace(path, result.file or "the output") for one in lost)
        if held:
            notes.append(_write_documents(held, documents or ""))
            held.clear()
        show_notes(notes)
        notes.clear()
        return f"{chosen.name()}, {', '.join(chosen.describe(value))}"

    result.give(write)


def _reading(source: str, role: Any, form: str | None, given: Mapping[str, str | None]) -> dict[str, Any]:
    """How IN is to be read; an option that its format does not have is refused."""
    found = {name: value for name, value in given.items() if value is not None}
    if not found:
        return {}
    return formats.checked_reading(formats.by_name(form) if form else formats.sniff(source, role), found)


def _write_documents(held: Mapping[str, str], path: str) -> str:
    """Write texts of documents, and say how many."""
    rows = ({"doc": name, "text": text} for name, text in held.items())
    with atomic_writer(path) as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return f"{path}: {counted(len(held), 'document')}"


def _target_role(result: flags.Destination, could_be: list[type[formats.Format]]) -> Any:
    """The role of the target's format, by name or extension; None if undetermined, or if the input cannot have it."""
    if result.format:
        return formats.by_name(result.format).role
    ending = Path((result.file or "").removesuffix(".gz")).suffix
    roles = {one.role for one in formats.registered().values() if ending in one.suffixes}
    return roles.pop() if len(roles) == 1 and roles <= {one.role for one in could_be} else None


def _restate(value: Any, collection: str, result: flags.Destination) -> Any:
    """The value as it is if the target can hold it, else in terms of the XML documents, or of their text."""
    from berrypick.documents.xml.resolve import restate

    if not isinstance(value, (Run, Truth)):
        raise UsageError("--collection works for truths and runs only")
    if isinstance(value, Truth) and value.offsets not in (None, "chars"):
        counting = f"{value.source}: offsets count {value.offsets}"
        raise UsageError(f"{counting}; convert them to characters with 'berrypick locate'")
    target_format = result.format
    ending = [suffix for suffix in Path(result.file or "").suffixes if suffix != ".gz"][-1:]
    wanted = [formats.by_name(target_format)] if target_format else list(formats.registered().values())
    able = [f for f in wanted if not f.accepts(value) and (target_format or ending == [] or ending[0] in f.suffixes)]
    if able:
        return value
    return restate(value, read_collection(collection))


def _held_texts(source: str) -> dict[str, str]:
    """Return the texts of documents that a file holds beside its judgements."""
    return squad_texts(source) if is_squad(head(source)) else {}
