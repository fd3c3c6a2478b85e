"""PrecisionOmega: how precise a chunking lets any retriever be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import BoolArray, Positions
from berrypick.data.errors import NeedsError, option
from berrypick.data.laws import with_laws
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.kernels.intervals import merge
from berrypick.measures._text_views import view_of
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class PrecisionOmega(Measure):
    """Intersection over union of the relevant text and all chunks that contain any of it: a property of the chunking.

    Formula
    -------
    With C the text of every chunk of the chunking that shares text with the relevant text T, each character once::

        PrecisionOmega = |C and T| / |C or T|

    With touching=True a chunk that only touches a target, end to start, counts as sharing text, as in the program
    chunking_evaluation. The chunks are all there are, not those that were retrieved: option chunks, a run whose
    topics do not matter.

    Meaning
    -------
    What a retriever that returns exactly the right chunks gets for IoU. 1: chunks end where relevant text ends.

    Use
    ---
    Beside the measures of retrieval: a low value says that the chunks are too long or cut in wrong places, whatever
    the retriever does.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    A relevant sentence of 80 characters in a chunk of 400, whatever is retrieved: 80/400

    >>> import berrypick as bp
    >>> chunks = {"all": {"doc#0-400": 1, "doc#400-800": 1}}
    >>> bp.score("PrecisionOmega", {"q": {"doc#100-180": 1}}, {"q": {"doc#400-800": 1}}, chunks=chunks)
    0.2
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...] | None] = ("chunks",)
    needs_chunks: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("smith2024chunking",)

    touching: bool = parameter(False, "bool", "whether a chunk that ends where a target starts counts as containing it")

    def compute(self, judged: JudgedTopic) -> Score:
        total = view_of(judged).total
        if total <= 0:
            return Score(None)
        common, chosen = self._shared(judged)
        return Score(common / (chosen + total - common))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """The chunking is measured, whatever the run returns."""
        return self.compute(judged)

    def _shared(self, judged: JudgedTopic) -> tuple[float, float]:
        """Relevant text in chunks, and the text of the chunks that hold any, each character once."""
        common = chosen = 0.0
        chunks = _needed(judged)
        for document, relevant in view_of(judged).relevant.items():
            if document not in chunks:
                continue
            start, end = chunks[document]
            held = _holding(start, end, relevant.start, relevant.end, self.touching)
            start, end = merge(start[held], end[held])
            chosen += float((end - start).sum())
            common += _within(start, end, relevant.start, relevant.end)
        return common, chosen

    def explain(self, judged: JudgedTopic) -> Explanation:
        value = self.compute(judged).value
        if value is None:
            return self._explanation(judged, f"Undefined: no {judged.material} is relevant.")
        common, chosen = self._shared(judged)
        rows = [
            [f"chunks that hold relevant {judged.material}, together", number(chosen)],
            [f"relevant {judged.material} in them", number(common)],
            [f"relevant {judged.material} in all", number(view_of(judged).total)],
            [str(self), number(value, 6)],
        ]
        return self._explanation(judged, Table("Text of chunks", ["quantity", "value"], rows))


def _needed(judged: JudgedTopic) -> Mapping[str, tuple[Positions, Positions]]:
    if judged.chunks is None:
        raise NeedsError(f"needs all chunks of the chunking, not only the retrieved ones: give {option('chunks')}")
    return judged.chunks


def _holding(start: Positions, end: Positions, low: Positions, high: Positions, touching: bool) -> BoolArray:
    """Which chunks hold some of the relevant text, given as stretches apart from each other and in order."""
    following = np.searchsorted(high, start, side="left" if touching else "right")  # the first that ends behind it
    begins = np.append(low.astype(np.float64), np.inf)[following]
    return np.asarray(begins <= end if touching else (begins < end) & (start < end), dtype=bool)


def _within(start: Positions, end: Positions, low: Positions, high: Positions) -> float:
    """The length of the intersection of two unions, each given as stretches apart from each other and in order."""
    total = 0.0
    first, last = np.searchsorted(end, low, side="right"), np.searchsorted(start, high, side="left")
    for i in np.flatnonzero(first < last).tolist():
        some = slice(int(first[i]), int(last[i]))
        total += float((np.minimum(end[some], high[i]) - np.maximum(start[some], low[i])).sum())
    return total
