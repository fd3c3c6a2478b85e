"""IoU: intersection over union of retrieved and relevant text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.measures.spans._text import TextMeasure, count_each
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class IoU(TextMeasure):
    """Intersection over union of retrieved and relevant text.

    Formula
    -------
    With U the text of the first k results and T the relevant text, each character counted once::

        IoU@k = |U and T| / |U or T|

    Without a cut-off, of the whole list.

    Meaning
    -------
    1 only if exactly the relevant text was retrieved.

    Use
    ---
    One number for chunk borders: it falls with missing and with superfluous text.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    300 characters retrieved, 160 relevant, 120 in common: 120/(300 + 160 - 120)

    >>> import berrypick as bp
    >>> round(bp.score("IoU", {"q": {"doc#0-160": 1}}, {"q": {"doc#40-340": 1}}), 4)
    0.3529
    """

    misses_text: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "intersection over union")
    by_pairs: ClassVar[bool] = False
    scored_in_blocks: ClassVar[bool] = True

    def value(self, retrieved: float, relevant: float, total: float) -> float:
        return relevant / (retrieved + total - relevant)

    def added_up(self, judged: JudgedTopic) -> float:
        """Targets that overlap are missed as often as they are not found."""
        found = count_each(judged, self.at)
        return found.relevant / (found.retrieved + found.unused)
