"""bp.locate: a truth whose quotes are found in the documents."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from berrypick.core.errors import UsageError, option
from berrypick.core.truth import Truth
from berrypick.documents.locate_truth import TruthLocator, locate_truth
from berrypick.documents.locator import check_quotes
from berrypick.documents.offsets import check_offsets
from berrypick.documents.quotes import THRESHOLD
from berrypick.documents.texts import Texts, read_texts
from berrypick.inputs.convert import as_truth


def locate(
    truth: Any,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
    offsets: str | None = None,
    threshold: float = THRESHOLD,
    *,
    repair: int = 0,
    partial: bool = False,
    report: str | PathLike[str] | None = None,
) -> Truth:
    """A truth with every quote found in the documents, and every offset in characters, which it says.

    ``truth`` and ``documents`` may be values or files, as in :func:`berrypick.evaluate`. ``offsets`` is what offsets in
    the truth count so far; what its file says of that counts for more. ``repair`` moves offsets that do not match their
    quote to the only place of the quote within so many characters. What has no place is an error, or with ``partial``
    left out and counted in the notes. ``report`` is a file of JSON Lines to write, with every span and quote.
    """
    if documents is None:
        raise UsageError(f"quotes are found in the texts of the documents: give them with {option('documents')}")
    if isinstance(repair, bool) or not isinstance(repair, int) or repair < 0:
        raise UsageError(f"repair must be a number of characters, 0 or more, not {repair!r:.40}")
    given, texts = as_truth(truth), read_texts(documents)
    counting = given.offsets or check_offsets(offsets)
    if given.units != "spans":
        return given
    locator = TruthLocator(texts, check_quotes(quotes), threshold, repair, counting, given.source)
    return locate_truth(given, locator, partial, None if report is None else fspath(report))
