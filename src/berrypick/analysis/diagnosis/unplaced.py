"""Targets whose quotes are not in the documents: set aside, so that the others can be diagnosed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.errors import BerrypickError
from berrypick.data.results import Note
from berrypick.data.truth import Quote, Truth
from berrypick.data.words import counted
from berrypick.documents.locator import UnresolvedQuotes
from berrypick.documents.quotes import THRESHOLD, looser_quotes
from berrypick.documents.texts import Texts, read_texts
from berrypick.evaluation.given_truth import read_truth
from berrypick.evaluation.options import EvaluationOptions
from berrypick.given.convert import TruthFile, as_truth
from berrypick.judgements.adopt.golden_truth import golden_truth
from berrypick.judgements.adopt.placing import AdoptedCase
from berrypick.judgements.locate_truth import LocatedSpan, TruthLocator

#: What became of a quote that is not in the documents; other problems are errors, as in an evaluation.
_MISSING = ("missing", "unknown document")


@dataclass(frozen=True)
class UnplacedTarget:
    """A relevant quote that is not in the documents."""

    text: str
    document: str | None
    sets: tuple[str, ...] = ()
    hops: tuple[str, ...] = ()
    question: str | None = None

    @classmethod
    def of(cls, quote: Quote) -> UnplacedTarget:
        return cls(quote.text, quote.document, quote.sets, quote.hops)


def without_unplaced(
    given: Any, options: EvaluationOptions
) -> tuple[Any, Mapping[str, Sequence[UnplacedTarget]], list[Note]]:
    """The truth without quotes that are not in the documents, these quotes by topic, and notes.

    A truth without such quotes, or one that needs more than reading, is returned as it is given. A golden file is read
    as an evaluation reads it.
    """
    if options.documents is None or options.level is not None:
        return given, {}, []
    if isinstance(given, Iterator):
        given = given.read_all() if hasattr(given, "read_all") else list(given)
    texts = read_texts(options.documents)
    try:
        truth = read_truth(given, texts, options)
    except BerrypickError as error:
        if (golden := _golden(given, texts, options, error)) is not None:
            return golden
        try:
            truth = as_truth(given, options.fields)
        except BerrypickError:
            return given, {}, []  # the evaluation says what is wrong
    if not any(not quote.has_offsets for topic in truth.topics.values() for quote in topic.quotes):
        return given, {}, []
    counting = truth.offsets or options.offsets or "chars"
    quotes = looser_quotes(options.quotes, options.text_mismatch)
    locator = TruthLocator(texts, quotes, THRESHOLD, 0, counting, truth.source)
    located = locator.located(truth)
    missing = [case for case in locator.cases if case.status in _MISSING]
    if not missing:
        return given, {}, []
    _refuse_others(locator, truth)
    found: dict[str, list[UnplacedTarget]] = {}
    for case in missing:
        if case.quote.grade > 0:
            found.setdefault(case.topic, []).append(UnplacedTarget.of(case.quote))
    ignored = sum(case.quote.grade <= 0 for case in missing)
    said = [Note("unplaced", f"{counted(ignored, 'irrelevant quote')} not in the documents")] if ignored else []
    return located, found, said


def _golden(
    given: Any, texts: Texts, options: EvaluationOptions, error: BerrypickError
) -> tuple[Truth, Mapping[str, Sequence[UnplacedTarget]], list[Note]] | None:
    """The same of a golden file; None if it is none, or has problems that an evaluation has to report."""
    if isinstance(given, Truth) or (isinstance(given, TruthFile) and given.format):
        return None
    path, missing = given.path if isinstance(given, TruthFile) else given, list[AdoptedCase]()
    try:
        truth = golden_truth(path, texts, options.documents, options.quotes, error, options.fields, missing)
    except BerrypickError:
        return None
    if not missing or any(case.status not in _MISSING for case in missing):
        return None
    found: dict[str, list[UnplacedTarget]] = {}
    for case in missing:
        if case.gold.grade > 0:
            one = UnplacedTarget(case.gold.quote, case.gold.document, question=case.gold.question)
            found.setdefault(case.gold.topic, []).append(one)
    return truth, found, []


def _refuse_others(locator: TruthLocator, truth: Truth) -> None:
    """Raise the error of an evaluation for quotes that have several places or do not match their offsets."""
    bad: list[LocatedSpan] = [
        case for case in locator.cases if case.status in ("mismatch", "ambiguous", "beyond the end")
    ]
    if bad:
        errors = [case.error(locator.texts, truth.source) for case in bad]
        raise UnresolvedQuotes(errors, len(locator.cases), truth.source)
