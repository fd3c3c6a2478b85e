"""Which documents can hold copies of the judged passages of many topics: each document is looked through once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.truth import TopicTruth
from berrypick.documents.copies import CopyRules
from berrypick.documents.locator import Searchable
from berrypick.documents.texts import Texts

#: An odd number, which has an inverse among numbers of 64 bits.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


def documents_with_copies(
    topics: Mapping[str, TopicTruth], documents: Iterable[str], texts: Texts, rules: CopyRules
) -> dict[str, list[str]]:
    """Return for each topic the documents with the first characters of a passage that may have copies.

    All documents with copies are among them, and few others: equal numbers may stand for different texts.
    """
    wanted: dict[int, set[str]] = {}
    for topic, judged in topics.items():
        if judged.start is None or judged.end is None:
            continue
        for row in np.flatnonzero(judged.grade > 0).tolist():
            if judged.document[row] in texts:
                form = rules.form(texts[judged.document[row]][int(judged.start[row]) : int(judged.end[row])])
                if len(form) >= rules.least:
                    wanted.setdefault(int(window_sums(form[: rules.least], rules.least)[0]), set()).add(topic)
    known = np.array(sorted(wanted), dtype=np.uint64)
    found: dict[str, list[str]] = {}
    for document in documents if len(known) else ():
        if document in texts:
            text = texts.kept("searchable", document, Searchable)
            sums = window_sums(text.plain if rules.normalised else text.text, rules.least)
            at = np.searchsorted(known, sums)
            there = np.unique(sums[known[np.minimum(at, len(known) - 1)] == sums]).tolist()
            for topic in dict.fromkeys(topic for one in there for topic in wanted[one]):
                found.setdefault(topic, []).append(document)
    return found


def window_sums(text: str, size: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return a number for each stretch of so many characters, the same for the same text, in time linear in the text.

    The sum of characters times powers of an odd number, modulo 2^64, of which the power of the place is divided out.

    >>> sums = window_sums("abcabd", 2)
    >>> bool(sums[0] == sums[3]), bool(sums[1] == sums[4])
    (True, False)
    """
    codes: IntArray = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    if len(codes) < size:
        return np.zeros(0, dtype=np.uint64)
    powers = np.cumprod(np.full(len(codes), _BASE, dtype=np.uint64))
    inverses = np.cumprod(np.full(len(codes) - size + 1, _INVERSE, dtype=np.uint64))
    sums = np.concatenate([[np.uint64(0)], np.cumsum((codes + np.uint64(1)) * powers)])
    found: np.ndarray[tuple[int], np.dtype[np.uint64]] = (sums[size:] - sums[:-size]) * inverses
    return found
