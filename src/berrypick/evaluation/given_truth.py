"""The truth that a person gives: plain judgements, or a golden file that is read as ``adopt`` reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from berrypick import formats
from berrypick.data.errors import BerrypickError, InputError, UsageError
from berrypick.data.truth import Offsets, Truth
from berrypick.documents.quotes import THRESHOLD, Quotes, looser_quotes
from berrypick.evaluation.options import EvaluationOptions
from berrypick.files.files import reusable
from berrypick.given.convert import TruthFile, as_truth

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts

#: Fields of ragas, whose older files have what a system retrieved under the same name as newer ones have gold.
_OF_SAMPLES = frozenset({"ground_truth", "ground_truths"})


def read_truth(given: Any, texts: Texts | None, options: EvaluationOptions) -> Truth:
    """Read the given truth.

    A golden file is read as ``adopt`` reads it. Where that needs a guess, or documents that are not given, the error
    names the command that converts it.
    """
    path = given.path if isinstance(given, TruthFile) else given
    is_file = isinstance(path, (str, PathLike))
    with reusable(fspath(path)) if is_file else nullcontext():
        truth = _read(given, texts, options)
        finer = formats.finer_format(truth, options.level, is_file)
        return truth if finer is None else as_truth(TruthFile(path, finer), options.fields)


def _read(given: Any, texts: Texts | None, options: EvaluationOptions) -> Truth:
    if isinstance(given, Truth) or (isinstance(given, TruthFile) and given.format):
        return as_truth(given, options.fields)
    if isinstance(given, TruthFile):
        given = given.path
    elif isinstance(given, Iterator):  # it may be read twice; batches of Arrow become a table
        given = given.read_all() if hasattr(given, "read_all") else list(given)
    try:
        truth = _plain_truth(given, texts, options)
        return truth if texts is None else _or_golden(truth, given, texts, options)
    except BerrypickError as error:
        return _golden_truth(given, texts, options, error)


def _golden_truth(given: Any, texts: Texts | None, options: EvaluationOptions, error: BerrypickError) -> Truth:
    from berrypick.judgements.adopt.golden_truth import golden_truth  # few evaluations need it

    return golden_truth(given, texts, options.documents, options.quotes, error, options.fields)


def _or_golden(truth: Truth, given: Any, texts: Texts, options: EvaluationOptions) -> Truth:
    """Read a truth again as a golden file, if it may be one.

    An unread field beside questions and whole documents may quote the answers, and texts of its own (SQuAD) may be
    paragraphs of the documents.
    """
    whole = truth.units == "documents" and truth.origin.unread and _has_questions(truth) and not options.whole_documents
    judged = (name for topic in truth.topics.values() for name in topic.documents()) if truth.texts else ()
    if not whole and all(name in texts for name in judged):
        return truth
    try:
        return _golden_truth(given, texts, options, UsageError("is not a golden file"))
    except BerrypickError:
        return truth


def _is_list_of_questions(value: Any) -> bool:
    """Whether a value is a list of records with different questions, and so not the judgements of one topic."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, Mapping) for one in value):
        return False
    from berrypick.rows.fields import QUESTIONS

    return len({str(one[name]) for one in value for name in QUESTIONS[:-1] if isinstance(one.get(name), str)}) > 1


def _has_questions(truth: Truth) -> bool:
    from berrypick.rows.fields import QUESTIONS

    return any(name in truth.fields for name in QUESTIONS[:-1])


def _plain_truth(given: Any, texts: Texts | None, options: EvaluationOptions) -> Truth:
    """Read a plain truth.

    If it has questions, locate its quotes at once: a truth whose quotes are not found may be a golden file.
    """
    if isinstance(given, Mapping) and any(map(_is_list_of_questions, given.values())):
        raise InputError("holds a list of questions, not judgements by topic", path="the truth")
    truth = as_truth(given, options.fields)
    if not _OF_SAMPLES.isdisjoint(truth.fields) and any(topic.quotes for topic in truth.topics.values()):
        what = f"may quote what a system retrieved, since it has {next(iter(_OF_SAMPLES & truth.fields.keys()))} too"
        raise InputError(what, path=truth.source or None)
    if texts is None or options.level is not None or not _has_questions(truth):
        return truth
    quoted = any(not quote.has_offsets for topic in truth.topics.values() for quote in topic.quotes)
    return with_texts(truth, texts, options) if quoted else truth


def with_texts(truth: Truth, texts: Texts, options: EvaluationOptions) -> Truth:
    """Check offsets against the texts, convert them to characters, and locate quotes."""
    from berrypick.documents.checked import checked_truth  # not for truths without texts
    from berrypick.documents.quotes import located_truth

    quotes: Quotes = looser_quotes(options.quotes, options.text_mismatch)
    counting: Offsets = truth.offsets or options.offsets or "chars"
    checked = checked_truth(truth, texts, counting, options.text_mismatch, least_similarity(options))
    truth = located_truth(checked, texts, quotes, counting)
    return replace(truth, offsets="chars") if truth.units == "spans" else truth


def least_similarity(options: EvaluationOptions) -> float | None:
    """Return the least similarity of a quote to the text at its offsets; None if both must be equal."""
    return THRESHOLD if options.quotes == "fuzzy" else None
