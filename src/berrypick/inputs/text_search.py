"""Where results that are texts, or offsets of another kind, are looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from berrypick.data.truth import Offsets

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts


@dataclass(frozen=True)
class TextSearch:
    """Where results without offsets are looked up, and whether they need to be.

    Where whole documents are judged (``spans`` is False), a result that names its document needs no place in it.
    ``offsets`` is what the offsets of runs count. ``later``: texts stay with the run, to be placed when the truth is
    known as well.
    """

    texts: Texts | None = None
    quotes: str | None = None
    spans: bool = True
    offsets: Offsets = "chars"
    later: bool = False

    def count(self, text: str) -> int:
        """The length of a text."""
        from berrypick.documents.offsets import count_units

        return count_units(text, self.offsets)

    def convert(self, document: str, *places: int) -> list[int]:
        """Places in a document, in characters, as the offsets of runs count them."""
        assert self.texts is not None
        if self.offsets == "chars":
            return list(places)
        from berrypick.documents.offsets import Units

        units = Units(self.texts[document], self.offsets, self.texts.has_mark(document))
        return [units.offset(place) for place in places]
