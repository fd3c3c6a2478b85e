"""charR: Of the relevant text, the share that is retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.measures.spans._text import TextMeasure, of_arrays


@dataclass(frozen=True)
class charR(TextMeasure):
    """Of the relevant text, the share that is retrieved.

    Formula
    -------
    With U the text of the first k results and T the relevant text, each character counted once::

        charR@k = |U and T| / |T|

    Without a cut-off, of the whole list. Of places on pages, areas are counted; areaR is accepted as its name.

    Meaning
    -------
    How much of the answer has been retrieved.

    Use
    ---
    The first question about a retriever for generation: is the answer in the context at all?

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    120 of 160 relevant characters are in the chunk: 120/160

    >>> import berrypick as bp
    >>> bp.score("charR", {"q": {"doc#0-160": 1}}, {"q": {"doc#40-340": 1}})
    0.75
    """

    aliases: ClassVar[tuple[str, ...]] = ("areaR",)
    charges: ClassVar[bool] = False
    misses_text: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "recall")
    scored_in_blocks: ClassVar[bool] = True

    @of_arrays
    def value(self, retrieved: float, relevant: float, total: float) -> float:
        return relevant / total
