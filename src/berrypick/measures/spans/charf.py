"""charF: harmonic mean of charP and charR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.parameters import zero_or_more
from berrypick.measures.spans._text import TextMeasure


@dataclass(frozen=True)
class charF(TextMeasure):
    """Harmonic mean of charP and charR.

    Formula
    -------
    With U the text of the first k results and T the relevant text, each character counted once::

        charF@k = (1 + b^2) P R/(b^2 P + R)        b = beta, 1 by default

    Without a cut-off, of the whole list.

    Meaning
    -------
    High only if little is irrelevant and little is missing; beta below 1 weights precision more.

    Use
    ---
    When one number has to stand for precision and recall of text.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    Of 300 characters 120 are relevant, of 160 relevant ones: precision .4, recall .75, and 2 x .4 x .75/(.4 + .75)

    >>> import berrypick as bp
    >>> round(bp.score("charF", {"q": {"doc#0-160": 1}}, {"q": {"doc#40-340": 1}}), 4)
    0.5217
    """

    misses_text: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "F")
    scored_in_blocks: ClassVar[bool] = True

    beta: float = zero_or_more(1, "weight of recall against precision")

    def value(self, retrieved: float, relevant: float, total: float) -> float:
        return f_score(relevant / retrieved if retrieved > 0 else 0.0, relevant / total, self.beta)


def f_score(precision: float, recall: float, beta: float) -> float:
    """(1 + b^2) P R/(b^2 P + R), 0 where both are 0."""
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / below if below > 0 else 0.0
