"""Places of retrieved texts: one for each result, or the reason why it has none.

Of several places the one in the document that the result names counts, then the one at the start that it names. Where
no place touches text that was judged for the topic, the choice changes no score, and the first place counts. A text
that begins with something else, such as a title that was added before embedding, has the place of the rest of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from berrypick.documents.locator import Locator, Place
from berrypick.documents.offsets import inside_word
from berrypick.documents.quotes import Quotes
from berrypick.documents.text_check import KINDS_TABLE, SPACE
from berrypick.documents.texts import Texts
from berrypick.documents.unplaced import JudgedPlaces, SoughtText, TextPlace

#: The minimum share of a text that has to be in the documents behind a prefix.
REST = 0.6


def find_texts(sought: Sequence[SoughtText], texts: Texts, how: Quotes, judged: JudgedPlaces) -> list[TextPlace]:
    """Place the texts of results in documents."""
    places = _TextPlaces(sought, texts, how)
    return [places.choose(one, judged) for one in sought]


def count_looser(sought: Sequence[SoughtText], texts: Texts) -> int:
    """Count texts that are in the documents if white space and kinds of quotation marks do not matter."""
    places = _TextPlaces(sought, texts, "normalised", prefixes=False)
    return sum(bool(places.found[one.text, one.document][0]) for one in sought)


class _TextPlaces:
    """All places of each text, sought once however many results have it: in its document, or in any."""

    def __init__(self, sought: Sequence[SoughtText], texts: Texts, how: Quotes, prefixes: bool = True) -> None:
        self._texts, self._locator = texts, Locator(texts, how)
        keys = dict.fromkeys((one.text, one.document) for one in sought)
        named = {name: self._canonical(name) for name in dict.fromkeys(name for _, name in keys)}
        self._locator.expect(keys)
        #: By text and document: the places, and whether they are those of the text without a prefix.
        self.found = {key: (self._locator.places(key[0], named[key[1]]), False) for key in keys}
        missing = [key for key, (places, _) in self.found.items() if not places] if prefixes else []
        rests = Locator(texts, "normalised" if how == "fuzzy" else how)
        rests.expect((_least_rest(text), name) for text, name in missing)
        for text, name in missing:
            self.found[text, name] = self._rests(text, rests.places(_least_rest(text), named[name])), True
        self._elsewhere = Locator(texts).expect((text, None) for text, name in missing if name is not None)

    def _canonical(self, name: str | None) -> str | None:
        if name is None:
            return None
        self._texts.text(name)  # an error if it is unknown
        return self._texts.canonical(name)

    def choose(self, one: SoughtText, judged: JudgedPlaces) -> TextPlace:
        """Return the place of the text of a result, or why it has none."""
        found, prefix = self.found[one.text, one.document]
        if not found:
            return self._missing(one)
        found = [place for place in found if place.start == one.start] or found
        if len(found) > 1 and any(judged.touch(one.topic, *_span(place)) for place in found):
            where = "the documents" if one.document is None else one.document
            why = f"its text is in {len(found)} places of {where}, some of them judged"
            return TextPlace(why=why, candidates=tuple(map(_span, found)))
        return TextPlace(*_span(found[0]), prefix)

    def _missing(self, one: SoughtText) -> TextPlace:
        if one.document is None:
            return TextPlace(why="its text is not in the documents")
        others = self._elsewhere.places(one.text)
        why = f"its text is not in {one.document}" + (f", but in {others[0].document}" if others else "")
        return TextPlace(why=why, candidates=tuple(map(_span, others)))

    def _rests(self, text: str, places: Sequence[Place]) -> list[Place]:
        """The places of the end of a text, made as long as the text before them is the same."""
        longer = [_lengthened(text, self._texts[place.document], place) for place in places]
        most = max((length for _, length in longer), default=0)
        return [place for place, length in longer if length == most]


def _span(place: Place) -> tuple[str, int, int]:
    return place.document, place.start, place.end


def _least_rest(text: str) -> str:
    """The shortest end of a text that counts as the text behind a prefix."""
    return text[len(text) - math.ceil(REST * len(text) - 1e-9) :]


def _lengthened(text: str, document: str, place: Place) -> tuple[Place, int]:
    """A place of the end of a text with the same text before it, and how many characters of the text that is."""
    end = _least_rest(text)
    exact = document[place.start : place.end] == end
    at, start = len(text) - len(end if exact else end.lstrip()), place.start
    while at and start:
        if text[at - 1] == document[start - 1]:
            at, start = at - 1, start - 1
        elif exact:
            break
        elif SPACE.match(text[at - 1]) and SPACE.match(document[start - 1]):
            at, start = len(text[:at].rstrip()), len(document[:start].rstrip())
        elif text[at - 1].translate(KINDS_TABLE) == document[start - 1].translate(KINDS_TABLE):
            at, start = at - 1, start - 1
        else:
            break
    skipped = _of_prefix(text, at, document, start)
    return Place(place.document, start + skipped, place.end), len(text) - at


def _of_prefix(text: str, at: int, document: str, start: int) -> int:
    """How many characters at the start of what is the same belong to the prefix: the end of a word that only ends
    alike, and white space behind the prefix."""
    rest, skipped = text[at:], 0
    if inside_word(text, at) and inside_word(document, start):
        skipped = next((i for i, character in enumerate(rest) if not character.isalnum()), 0)
        skipped += next((i for i, character in enumerate(rest[skipped:]) if character.isalnum()), 0)
        return skipped if len(rest) - skipped >= REST * len(text) else 0
    if at and not text[at - 1].isspace():
        skipped = len(document[start : start + len(rest)]) - len(document[start : start + len(rest)].lstrip())
    return skipped
