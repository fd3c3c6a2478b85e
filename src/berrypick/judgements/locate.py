"""bp.locate: a truth whose quotes are found in the documents."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath

from berrypick.data.errors import UsageError, option
from berrypick.data.truth import Truth
from berrypick.documents.offsets import check_offsets
from berrypick.documents.quotes import THRESHOLD, check_quotes
from berrypick.documents.texts import Texts, read_texts
from berrypick.given.convert import TruthLike, as_truth
from berrypick.judgements.locate_truth import TruthLocator, locate_truth
from berrypick.rows.fields import ours_of


def locate(
    truth: TruthLike,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
    offsets: str | None = None,
    threshold: float = THRESHOLD,
    *,
    repair: int = 0,
    partial: bool = False,
    report: str | PathLike[str] | None = None,
) -> Truth:
    """Find every quote of a truth in the documents, and turn every offset into characters.

    Parameters
    ----------
    truth : TruthLike
        The judgements: a file, a Truth, a data frame, records, a dictionary by topic, or Qrels of ranx.
    documents : Texts, mapping, str or path, optional
        The texts: a folder, JSON Lines with doc and text, or a mapping.
    quotes : {'exact', 'normalised', 'fuzzy'}, optional
        How quotes are matched; exact by default.
    offsets : str, optional
        Unit of the offsets in the truth: chars, bytes or utf16; a unit declared in its file takes precedence.
    threshold : float
        The minimum similarity of fuzzy matches, in percent.
    repair : int
        Move offsets that do not match their quote to its only place within this many characters.
    partial : bool
        Skip quotes that are not in the documents and count them in the notes, instead of an error.
    report : str or path, optional
        A file of JSON Lines to write, with every span and quote.

    Returns
    -------
    Truth
        Spans in characters.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "guide", "quote": "old canes"}]}
    >>> bp.locate(truth, {"guide": "Cut the old canes."}).to_records()[0]["start"]
    8
    """
    if documents is None:
        raise UsageError(f"quotes are found in the texts of the documents: give them with {option('documents')}")
    if isinstance(repair, bool) or not isinstance(repair, int) or repair < 0:
        raise UsageError(f"repair must be a number of characters, 0 or more, not {repair!r:.40}")
    given, texts = as_truth(truth), read_texts(documents)
    if given.of_pages or given.unit:
        judged = "places on pages" if given.of_pages else f"stretches of {given.unit}"
        raise UsageError(f"{given.source or 'the truth'} judges {judged}; locate only finds spans of text")
    counting = given.offsets or check_offsets(offsets)
    if given.units != "spans":
        if texts_unread := [name for name in given.origin.unread if ours_of(name, "run") == "text"]:
            raise UsageError(
                f"{given.source or 'the truth'} judges whole documents, and {', '.join(texts_unread)} is not read: "
                "a text that is to be found is called quote"
            )
        return given
    locator = TruthLocator(texts, check_quotes(quotes), threshold, repair, counting, given.source)
    return locate_truth(given, locator, partial, None if report is None else fspath(report))
