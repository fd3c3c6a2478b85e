"""Golden files in place of a truth: read as ``adopt`` reads them where nothing has to be guessed, else refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields as fields_of
from os import PathLike, fspath
from typing import Any, NoReturn

from berrypick import formats
from berrypick.data.adopting import OFFER, adopt_call, golden_offer
from berrypick.data.errors import BerrypickError, InputError, Message, option
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.documents.texts import Texts
from berrypick.files.files import head
from berrypick.formats.spans.span_truth import line_names
from berrypick.judgements.adopt.adopt import Adoption, UnplacedError, named_format
from berrypick.judgements.adopt.golden_fields import CHUNK_NAMES, FieldGuesser, Known, last_name
from berrypick.judgements.adopt.golden_file import Golden, read_golden
from berrypick.judgements.adopt.placing import AdoptedCase
from berrypick.judgements.adopt.workbook import NoHeaderError, is_workbook
from berrypick.rows.fields import LISTS, ours_of, plain_name

#: Fields of results: a file that has one of them is a run, whatever else it looks like.
_OF_RESULTS = ("score", "distance", "rank")


def golden_truth(
    given: Any,
    texts: Texts | None,
    documents: Any,
    quotes: str | None,
    error: BerrypickError,
    fields: Any = None,
    unplaced: list[AdoptedCase] | None = None,
) -> Truth:
    """Read a golden file, or golden records, as a truth.

    Parameters
    ----------
    given
        A path, a data frame or records.
    texts
        The documents; without them nothing can be placed.
    documents
        The documents as the caller named them, for the command that a message offers.
    quotes
        Most lenient quote matching; None is that of ``adopt``.
    error
        Why it is not a plain truth: raised where it is not a golden file either.
    fields
        Which field has which role, as the caller says; None to guess.
    unplaced
        A list to add quotes to that are not in the documents; by default these are an error.

    Returns
    -------
    Truth
        Spans in characters, with a note that says how the file was read.
    """
    return _noted(*_adopted(given, texts, documents, quotes, error, fields, unplaced))


def _adopted(
    given: Any,
    texts: Texts | None,
    documents: Any,
    quotes: str | None,
    error: BerrypickError,
    fields: Any = None,
    unplaced: list[AdoptedCase] | None = None,
) -> tuple[Truth, Adoption]:
    """The truth of a golden file, and how it was adopted."""
    error = _offering_documents(error, given, documents)
    if workbook := is_workbook(given):
        error = InputError("is a workbook of Excel", path=fspath(given), remedy="save its sheet as CSV")
    elif isinstance(given, (str, PathLike)) and "topic" in line_names(next(iter(head(fspath(given), 1)), "")):
        raise error  # a plain truth with a mistake, which may be large
    elif named_format(given) is not None:
        return _of_named_format(given, texts, quotes, error, fields)
    try:
        golden = read_golden(given)
    except NoHeaderError:
        raise
    except (BerrypickError, RecursionError) as why:
        raise (why if workbook else _without_offer(error)) from None
    try:
        by_name = _gold_by_name(golden)
    except (BerrypickError, RecursionError):
        raise _without_offer(error) from None
    if _is_plain_or_run(golden):
        raise error
    if texts is None:
        if not by_name:
            raise _with_offer(error, given, None)
        _refuse_without_texts(golden, given, by_name[0])
    try:
        adoption = Adoption(given, texts, fields, None, quotes or "fuzzy")
    except BerrypickError as why:
        if any(last_name(path) in CHUNK_NAMES for path in by_name):
            command = adopt_call(given, documents, chunks="CHUNKS")
            raise InputError(why.lines[0], remedy=[*why.lines[1:], f"then: {command}"]) from None
        raise _with_offer(_without_offer(error), given, documents) from None
    if doubtful := adoption.uncertain():
        shown = [one.shown() for one in doubtful]
        remedy = [*shown, f"if that is right: {adopt_call(given, documents, yes=True)}",
                  f"if it is not, name the fields instead: {option('fields', 'question=NAME,quote=NAME')}"]  # fmt: skip
        what = "looks like a golden file, but some of its fields are uncertain"
        raise InputError(what, path=adoption.source, remedy=remedy)
    try:
        truth = adoption.truth(partial=unplaced is not None)
    except UnplacedError as refused:
        raise _refused(refused, given, documents, quotes) from None
    if unplaced is not None:
        unplaced += truth.problems
    return truth, adoption


def _of_named_format(
    given: Any, texts: Texts | None, quotes: str | None, error: BerrypickError, chosen: Any
) -> tuple[Truth, Adoption]:
    """A file that says itself what its fields are, in documents that it does not name."""
    if texts is None:
        raise error
    try:
        adoption = Adoption(given, texts, chosen, None, quotes or "fuzzy")
        return adoption.truth(), adoption
    except BerrypickError:
        raise error from None


def _noted(truth: Truth, adoption: Adoption) -> Truth:
    """The truth with one note that says how the file was read; the notes of ``adopt`` name the file."""
    roles = ", ".join(f"{role} from {path}" for role, path in adoption.fields.items())
    note = f"{adoption.source}: read as a golden file ({roles or adoption.kind})"
    held = {one.name: getattr(truth, one.name) for one in fields_of(Truth)}
    more = (Message(f"{adoption.source}: {one}") for one in _untold(truth, adoption))
    return Truth(**held).changed(notes=(note, *more))


def _untold(truth: Truth, adoption: Adoption) -> list[str]:
    """What ``adopt`` says of the truth, without notes on the documents: an evaluation has them anyway."""
    told = {f"{adoption.texts.source}: {note}" for note in adoption.texts.notes}
    return [getattr(one, "template", one) for one in truth.notes if str(one) not in told]


def golden_facts(path: str, texts: Texts | None, documents: Any) -> list[str] | None:
    """What a golden file contains, and the command that converts it; None for a file that is not certainly one.

    With texts, its quotes are placed, and the problems of that are errors.
    """
    try:
        formats.sniff(path, "truth")
        return None
    except InputError as error:
        why = error
    try:
        golden = read_golden(path)
        by_name = _gold_by_name(golden)
    except (BerrypickError, RecursionError):
        return None
    if not by_name or _is_plain_or_run(golden):
        return None
    of_chunks = last_name(by_name[0]) in CHUNK_NAMES and not golden.chunks
    what = "chunks" if last_name(by_name[0]) in CHUNK_NAMES else "quotes"
    command = adopt_call(path, documents, **({"chunks": "CHUNKS"} if of_chunks else {}))
    placed: list[str] = []
    if texts is not None and not of_chunks:
        placed = _untold(*_adopted(path, texts, documents, None, why))
    return [counted(len(golden.rows), "row"), f"{what} in {by_name[0]}", *placed, f"convert it: {command}"]


# --- what a file is ---------------------------------------------------------------------------------------------------


def _gold_by_name(golden: Golden) -> list[str]:
    """The fields of a golden file that are gold by their names alone; an error if no field is the question."""
    guesser = FieldGuesser(golden, Known(_nothing, _nothing), {})
    question = guesser._question()
    quotes = [one.field for one in guesser._quote(question, False) if one.field]
    return quotes or [path for path in guesser.paths if last_name(path) in CHUNK_NAMES]


def _nothing(names: Sequence[str]) -> int:
    return 0


def _is_plain_or_run(golden: Golden) -> bool:
    """Whether a file names its topics as our own truths do, or holds what a retriever returned."""
    paths = {name for row in golden.rows for name in row.fields}
    if "topic" in map(last_name, paths) or any(ours_of(last_name(path), "run") in _OF_RESULTS for path in paths):
        return True
    lists = {*LISTS["run"]} - {"passages", "chunks", "docs"}
    return any(plain_name(part) in lists for path in paths for part in path.split(".")[:-1])


# --- what is said -----------------------------------------------------------------------------------------------------


def _refused(unplaced: UnplacedError, given: Any, documents: Any, quotes: str | None) -> InputError:
    """Quotes that are not in the documents, with the command that leaves them out."""
    *shown, _ = unplaced.remedies
    strict = quotes is not None and quotes != "fuzzy"
    looser = [f"find similar text as well: {option('quotes', 'fuzzy')}"] if strict else []
    rule = {"quotes": quotes} if strict else {}
    command = adopt_call(given, documents, **rule, partial=True)
    remedy = [*shown, *looser, f"judgements without them: {command}"]
    return InputError(unplaced.what.template, path=unplaced.path, remedy=remedy)


def _with_offer(error: BerrypickError, given: Any, documents: Any) -> BerrypickError:
    """The error about a file that has questions, with the command that converts it to judgements."""
    if not isinstance(error, InputError) or "adopt" in error.template:
        return error
    return _with_remedies(error, [*error.remedies, golden_offer(given, documents)])


def _offering_documents(error: BerrypickError, given: Any, documents: Any) -> BerrypickError:
    """The error with the documents that were given in the command that it offers."""
    if not isinstance(error, InputError) or not any(line.startswith(OFFER) for line in error.remedies):
        return error
    offer = golden_offer(given, documents)
    return _with_remedies(error, [offer if line.startswith(OFFER) else line for line in error.remedies])


def _without_offer(error: BerrypickError) -> BerrypickError:
    """The error about a file that ``adopt`` cannot read either."""
    if not isinstance(error, InputError):
        return error
    return _with_remedies(error, [line for line in error.remedies if not line.startswith(OFFER)])


def _with_remedies(error: InputError, remedies: Sequence[str]) -> InputError:
    return InputError(error.what.template, path=error.path, line=error.line, text=error.text, remedy=remedies)


def _refuse_without_texts(golden: Golden, given: Any, gold: str) -> NoReturn:
    of_chunks = last_name(gold) in CHUNK_NAMES
    more = {"chunks": "CHUNKS"} if of_chunks and not golden.chunks else {}
    what = "names the chunks that answer" if of_chunks else "quotes what answers"
    once = f"convert it once: {adopt_call(given, **more)}"
    remedy = [once] if more else [f"give the texts of the documents: {option('documents', 'FOLDER')}", f"or {once}"]
    raise InputError(
        f"is a golden file: {gold} {what} each question, but has no position in the documents",
        path=golden.source,
        remedy=remedy,
    )
