"""How quotes are looked for: what options say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from berrypick.data.errors import UsageError, nearest, option
from berrypick.data.truth import Offsets, Truth

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts

#: Whether verbatim copies of judged passages are the same text.
Copying = Literal["apart", "same"]
Quotes = Literal["exact", "normalised", "fuzzy"]
QUOTES: tuple[Quotes, ...] = get_args(Quotes)
#: What happens where the text beside offsets is not there: an error, a note, or the place of the text is found.
OnMismatch = Literal["error", "note", "locate"]
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


def located_truth(
    truth: Truth, texts: Texts, how: Quotes = "exact", counting: Offsets = "chars", threshold: float = THRESHOLD
) -> Truth:
    """Make spans of the quotes of a truth; all unresolved ones are reported together."""
    if not any(topic.quotes for topic in truth.topics.values()):
        return truth
    from berrypick.documents.locator import located_truth as located  # which few evaluations need

    return located(truth, texts, how, counting, threshold)


def looser_quotes(how: Quotes | None, on_mismatch: OnMismatch) -> Quotes:
    """How texts are matched: those that are to be located are the same text whatever its white space, as they are
    beside offsets."""
    return "normalised" if on_mismatch == "locate" and how in (None, "exact") else how or "exact"


def refuse_locate() -> UsageError:
    """Make the error about texts that shall be located where there are no documents."""
    what = f"{option('text_mismatch', 'locate')} finds texts in the documents"
    return UsageError(f"{what}: give them with {option('documents')}")
