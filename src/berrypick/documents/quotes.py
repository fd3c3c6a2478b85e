"""How quotes are looked for: what options say. The search itself is an add-on, which is found by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from berrypick.core.doors import functions
from berrypick.core.errors import UsageError, nearest, option
from berrypick.core.run import Run
from berrypick.core.truth import Offsets, Truth

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts

Quotes = Literal["exact", "normalised", "fuzzy"]
QUOTES: tuple[Quotes, ...] = get_args(Quotes)
#: Least similarity, in per cent of characters that need no edit, of a place that counts as found.
THRESHOLD = 90.0


def unlocated(truth: Truth) -> UsageError | None:
    """The error to raise if a truth with quotes meets no documents."""
    for topic in truth.topics.values():
        for quote in topic.quotes:
            if not quote.has_offsets:
                where = f"{truth.source or 'the truth'}" + (f":{quote.line}" if quote.line is not None else "")
                return UsageError(f"{where} quotes relevant text: give the documents with {option('documents')}")
    return None


def check_quotes(name: str | None) -> Quotes:
    """Return the rule of a name; an error that offers those there are if there is none."""
    if name is None:
        return "exact"
    if name == "normalized":
        name = "normalised"
    if name not in QUOTES:
        raise UsageError(f"unknown quotes {name!r}{nearest(name, list(QUOTES)) or '; available: ' + ', '.join(QUOTES)}")
    return name


def finder() -> Any:
    """Return the add-on that finds quotes in documents."""
    return functions.need("QuoteFinder", "finding quoted text in documents")


def located_truth(
    truth: Truth, texts: Texts, how: Quotes = "exact", counting: Offsets = "chars", threshold: float = THRESHOLD
) -> Truth:
    """Make spans of the quotes of a truth; all unresolved ones are reported together."""
    if not any(topic.quotes for topic in truth.topics.values()):
        return truth
    found: Truth = finder().truth(truth, texts, how, counting, threshold)
    return found


def located_run(run: Run, texts: Texts, how: Quotes = "exact") -> Run:
    """Make places of the texts of a run, in the documents that it names; all unresolved ones are reported together."""
    found: Run = finder().run(run, texts, how)
    return found
