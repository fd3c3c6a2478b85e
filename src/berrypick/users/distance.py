"""distance: the nearer a target, the likelier the reader gets there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray, IntArray, Positions
from berrypick.data.errors import UsageError, option
from berrypick.data.parameters import parameter, zero_or_more
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.targets.in_common import ends
from berrypick.targets.places import common_places
from berrypick.users._gaps import GapModel
from berrypick.users.base import ReaderContext, Slider, need_places
from berrypick.users.pairs import same_document_pairs


@dataclass(frozen=True)
class Distance(GapModel):
    """The reader gets from a result to a target with a probability that falls with the gap between them.

    1/(1 + exp(theta d)) within the same document, d the number of characters (seconds) between the two, 0 if they
    touch or overlap; 1 for a result that contains the target (the formula alone gives 1/2). law='inverse' is
    1/(1 + theta d) instead (PRUM section 2.2). With unit='tokens' d counts the tokens between the two in the texts
    given as documents. Effort: the length of what is pointed to, and of
    the part of each target outside of it for those who get there.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ("tokenizer",)
    learnt_from: ClassVar[str] = "readings"
    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum", "piwowarski2007prum")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "3.3",
            "",
            "definition",
            "a chance that falls with the number of words in between",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "distance(theta=0.01)"',
        ),
        cite.effort(
            "5.2",
            "",
            "definition",
            "a chance that falls with the number of characters in between",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "distance(theta=0.01)"',
        ),
        cite.prum(
            "2.2",
            "",
            "definition",
            "a chance that falls with the inverse of the distance",
            "berrypick evaluate TRUTH RUN -m EPRUM --user \"distance(law='inverse')\"",
        ),
    )
    reads_areas: ClassVar[bool] = True
    slider: ClassVar[Slider | None] = (("theta",), (0.0001, 0.001, 0.01, 0.1, 1))

    theta: float = zero_or_more(0.01, "how quickly the probability falls with distance")
    law: str = parameter("logistic", "logistic|inverse", "1/(1 + exp(theta d)), or 1/(1 + theta d)")

    unit: str | None = parameter(None, "line|tokens", "unit of distance: tokens, or that of the offsets")

    def gaps(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> tuple[IntArray, IntArray, FloatArray]:
        need_places(self, ranking, targets)
        row, target = same_document_pairs(ranking, targets)
        if ranking.boxes is not None:
            return row, target, self._on_pages(ranking, row, targets, target)
        start, end, target_start, target_end = ends(ranking, row, targets, target)
        low, high = np.minimum(end, target_end), np.maximum(start, target_start)
        gap = np.maximum(high - low, 0)
        if self.unit == "tokens":
            gap = _tokens_between(ranking, row, low, np.maximum(low, high), context)
        probability = self._falling(gap)
        held = (start <= target_start) & (end >= target_end) & ((target_start < target_end) | (target_start < end))
        probability[held] = 1.0
        return row, target, probability

    def _on_pages(self, ranking: Ranking, row: IntArray, targets: Targets, target: IntArray) -> FloatArray:
        """A place is its page plus the height of the middle of the box, as a share of the page; d is 0 for places that
        overlap, and a result that holds the target leads to it."""
        assert ranking.boxes is not None and targets.boxes is not None
        if self.unit == "tokens":
            raise UsageError("user model distance(unit='tokens') counts tokens of text; places on pages have none")
        if not ranking.boxes.shares:
            raise UsageError("user model distance needs the sizes of pages: give page_size in the truth")
        one, other = ranking.boxes[row], targets.boxes[target]
        common = common_places(ranking, row, targets, target)
        gap = np.where(common > 0, 0.0, np.abs(one.middle() - other.middle()))
        probability = self._falling(gap)
        probability[(common > 0) & (common >= other.areas * (1 - 1e-12))] = 1.0
        return probability

    def _falling(self, gap: FloatArray) -> FloatArray:
        if self.law == "inverse":
            return np.asarray(1.0 / (1.0 + self.theta * gap), dtype=np.float64)
        falling = np.exp(-self.theta * gap)
        return np.asarray(falling / (1.0 + falling), dtype=np.float64)  # 1/(1 + exp(theta d)) without overflow


def _tokens_between(
    ranking: Ranking, row: IntArray, low: Positions, high: Positions, context: ReaderContext
) -> FloatArray:
    """Tokens from low to high in the document of each row."""
    if context.tokens is None:
        raise UsageError(
            f"user model distance(unit='tokens') needs the texts of the documents: give them with {option('documents')}"
        )
    from berrypick.documents.tokens import token_costs

    return token_costs(context.tokens, ranking.rows(row), low, high)
