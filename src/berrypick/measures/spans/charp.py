"""charP: Of the text retrieved, the share that is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.measures.spans._text import TextMeasure


@dataclass(frozen=True)
class charP(TextMeasure):
    """Of the text retrieved, the share that is relevant.

    Formula
    -------
    With U the text of the first k results and T the relevant text, each character counted once::

        charP@k = |U and T| / |U|

    Without a cut-off, of the whole list.

    Meaning
    -------
    How much of what is read is worth reading. Text retrieved twice is read once.

    Use
    ---
    Passages and chunks whose borders differ from those of the relevant text.

    Bounds
    ------
    0 to 1; 0 if nothing was retrieved.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    A chunk of 300 characters that holds 120 relevant ones: 120/300

    >>> import berrypick as bp
    >>> bp.score("charP", {"q": {"doc#100-220": 1}}, {"q": {"doc#0-300": 1}})
    0.4
    """

    curve_axes: ClassVar[tuple[str, str]] = ("rank", "precision")

    def value(self, retrieved: float, relevant: float, total: float) -> float:
        return relevant / retrieved if retrieved > 0 else 0.0
