"""Targets whose quotes are not in the documents: set aside, so that the others can be diagnosed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.errors import BerrypickError
from berrypick.data.results import Note
from berrypick.data.truth import Quote, Truth
from berrypick.data.words import counted
from berrypick.documents.locator import UnresolvedQuotes
from berrypick.documents.quotes import THRESHOLD, looser_quotes
from berrypick.documents.texts import read_texts
from berrypick.evaluation.options import EvaluationOptions
from berrypick.given.convert import as_truth
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

    @classmethod
    def of(cls, quote: Quote) -> UnplacedTarget:
        return cls(quote.text, quote.document, quote.sets, quote.hops)


def without_unplaced(
    given: Any, options: EvaluationOptions
) -> tuple[Any, Mapping[str, Sequence[UnplacedTarget]], list[Note]]:
    """The truth without quotes that are not in the documents, these quotes by topic, and notes.

    A truth without such quotes, or one that needs more than reading, is returned as it is given.
    """
    if options.documents is None or options.level is not None:
        return given, {}, []
    try:
        truth = as_truth(given, options.fields)
    except BerrypickError:
        return given, {}, []  # perhaps a golden file, which the evaluation reads
    if not any(not quote.has_offsets for topic in truth.topics.values() for quote in topic.quotes):
        return given, {}, []
    texts = read_texts(options.documents)
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


def _refuse_others(locator: TruthLocator, truth: Truth) -> None:
    """Raise the error of an evaluation for quotes that have several places or do not match their offsets."""
    bad: list[LocatedSpan] = [
        case for case in locator.cases if case.status in ("mismatch", "ambiguous", "beyond the end")
    ]
    if bad:
        errors = [case.error(locator.texts, truth.source) for case in bad]
        raise UnresolvedQuotes(errors, len(locator.cases), truth.source)
