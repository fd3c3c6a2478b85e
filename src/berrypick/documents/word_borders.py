"""Places of similar text with whole words at both ends.

The stretch that is most similar to a quote may begin or end inside a word: where a word of the quote has a typo or is
missing, a few letters of a word have no counterpart, and without them the stretch is more similar.
"""

from __future__ import annotations

import re
import unicodedata

from berrypick.kernels.common_subsequence import similarity

#: Scripts that put no space between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
#: A quote whose first word is the end of a longer word, of at least so many letters, was cut inside that word.
_CUT = 2
_APOSTROPHE = "'"
#: Minimum similarity of a word and its misspelling, in per cent: "to" and "ot" have half of their letters in common.
_ALIKE = 50
#: How many words before a place, and how many characters, the first word of its quote is sought.
_WORDS_BEFORE, _FARTHEST = 3, 80


def whole_words(text: str, quote: str, start: int, end: int, threshold: float) -> tuple[int, int]:
    """Move the ends of a place to borders of words, as the quote has them.

    A place that begins inside a word takes in all of it if the quote begins with a similar word, else none of it; its
    end likewise. Where the first or the last word of the quote is just outside of the place, the place takes it in: a
    word between them is missing in the quote.

    Parameters
    ----------
    text
        A document, with kinds of quotation marks and white space normalised.
    quote
        What was sought in it, normalised alike.
    start, end
        The place.
    threshold
        The minimum similarity of a place that takes in more words, in per cent.

    Returns
    -------
    tuple of int
        Start and end. A quote that was itself cut inside a word keeps its place.
    """
    start = _whole_start(text, quote, start, end, threshold)
    # the end is the start of the text read backwards
    last = min(len(text), end + 2 * _FARTHEST)
    back = text[max(0, start - _FARTHEST) : last][::-1]
    return start, last - _whole_start(back, quote[::-1], last - end, last - start, threshold)


def _whole_start(text: str, quote: str, start: int, end: int, threshold: float) -> int:
    mark = next((at for at, one in enumerate(quote) if one.isalnum()), 0)
    word = quote[mark : _word_end(quote, mark)]
    if _is_inside(text, start):
        rest = text[start : _word_end(text, start)]
        outer, inner = _word_start(text, start), _next_word(text, start, end)
        if (_same(rest, word) and len(rest) >= _CUT) or start - outer >= _FARTHEST:
            return start
        meant = similarity(word, text[outer : _word_end(text, outer)]) >= _ALIKE
        start = _with_mark(text, quote[:mark], outer if meant or inner >= end else inner)
    first = next((at for at in range(start, end) if text[at].isalnum()), start)
    if not word or _same(text[first : _word_end(text, first)], word):
        return start
    before = _word_before(text, first, word)
    if before is None or similarity(quote, text[before:end]) < threshold:
        return start
    return _with_mark(text, quote[:mark], before)


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _with_mark(text: str, mark: str, start: int) -> int:
    """The start of a word, or of the punctuation before it that the quote has too."""
    return start - len(mark) if text.startswith(mark, start - len(mark)) and len(mark) <= start else start


def _word_before(text: str, start: int, word: str) -> int | None:
    """Where a word stands a few words before a place; None if it does not."""
    at = start
    for _ in range(_WORDS_BEFORE):
        while at > 0 and not _is_letter(text, at - 1):
            at -= 1
        at, last = _word_start(text, at), at
        if start - at > _FARTHEST or at == last:
            return None
        if _same(text[at:last], word):
            return at
    return None


def _is_letter(text: str, at: int) -> bool:
    """Whether a character belongs to a word; apostrophes do between letters."""
    if not 0 <= at < len(text):
        return False
    if text[at] == _APOSTROPHE:
        return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()
    letter = text[at].isalnum() or unicodedata.category(text[at]).startswith("M")
    return letter and not _UNSPACED.match(text[at])


def _is_inside(text: str, at: int) -> bool:
    return _is_letter(text, at - 1) and _is_letter(text, at)


def _word_start(text: str, at: int) -> int:
    least = max(0, at - _FARTHEST)
    while at > least and _is_letter(text, at - 1):
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    most = at + _FARTHEST
    while at < most and _is_letter(text, at):
        at += 1
    return at


def _next_word(text: str, at: int, end: int) -> int:
    """Where the next word begins, before the end of the place; the end if there is none."""
    at = _word_end(text, at)
    while at < end and not _is_letter(text, at):
        at += 1
    return at
