"""Overlap: how much of the retrieved text was retrieved before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.judged import Judged, Score
from berrypick.measures._base import Measure
from berrypick.measures._text import text_table, view_of


@dataclass(frozen=True)
class Overlap(Measure):
    """The share of the retrieved text that was already retrieved before. Smaller is better.

    Formula
    -------
    With U the text of the first k results, each character counted once::

        Overlap@k = 1 - |U| / sum of the results' lengths

    Without a cut-off, of the whole list.

    Meaning
    -------
    What readers, or the context window of a language model, get to see again.

    Use
    ---
    Beside any other measure of overlapping chunks, passages or elements.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    Nothing retrieved, and topics missing from the run.

    Example
    -------
    Two chunks of 200 characters that share 50:

    >>> 1 - 350 / 400
    0.125
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    increasing: ClassVar[bool] = False
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex",)

    def of(self, judged: Judged) -> Score:
        view = view_of(judged)
        length = view.up_to(view.length, self.at)
        return Score(1.0 - view.up_to(view.new, self.at) / length if length > 0 else None)

    def unanswered(self, judged: Judged) -> Score:
        return Score(None)

    def explain(self, judged: Judged) -> Explanation:
        view = view_of(judged)
        rows = [
            ["lengths added up", number(view.up_to(view.length, self.at))],
            ["each character once", number(view.up_to(view.new, self.at))],
            ["overlap", number(self.of(judged).value or 0.0, 6)],
        ]
        return Explanation(
            f"{self} for topic {judged.topic}", [text_table(view), Table("Retrieved text", ["quantity", "value"], rows)]
        )
