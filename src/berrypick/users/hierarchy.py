"""hierarchy: the reader moves up and down the structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.errors import Message, UsageError, option
from berrypick.core.parameters import parameter
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users._pairs import (
    combined,
    common_lengths,
    nested_elements,
    same_document,
    same_document_pairs,
    sibling_elements,
)
from berrypick.users.base import ReaderContext, UserModel, elements, need_places, whole_documents


@dataclass(frozen=True)
class Hierarchy(UserModel):
    """The reader moves up and down: from a section to its paragraph, from a paragraph to its section.

    The probability is the smaller length over the larger where one contains the other (equation 9 of PRUM). On spans
    it is intersection over union, the same number when they are nested. With siblings=p the reader also goes from an
    element to another one of the same parent, with p times the smaller length over the larger (EPRUM section 7).
    Effort: the length of what is pointed to, and of the part of each target outside of it for those who get there.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum", "piwowarski2007prum")

    siblings: float = parameter(
        0, "number", "probability, times the same ratio, of going on to a sibling", check=lambda v: 0 <= v <= 1,
        must="in [0, 1]",
    )  # fmt: skip

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        if elements(ranking, targets):
            return self._between_elements(ranking, targets)
        if self.siblings:
            raise UsageError("hierarchy(siblings=) is about elements of one parent; this truth or run has none")
        need_places(self, ranking, targets)
        assert ranking.start is not None and ranking.end is not None
        assert targets.start is not None and targets.end is not None
        row, target = same_document_pairs(ranking, targets)
        common = common_lengths(ranking, row, targets, target)
        union = (ranking.end - ranking.start)[row] + (targets.end - targets.start)[target] - common
        larger = np.maximum(union, common)
        return combined(ranking, len(targets), row, target, common / np.where(larger > 0, larger, 1.0))

    def _between_elements(self, ranking: Ranking, targets: Targets) -> Reach:
        row, target, ratio, _ = nested_elements(ranking, targets)
        if self.siblings:
            row, target, ratio = self._with_siblings(ranking, targets, row, target, ratio)
        return combined(ranking, len(targets), row, target, np.nan_to_num(ratio))

    def _with_siblings(
        self, ranking: Ranking, targets: Targets, row: IntArray, target: IntArray, ratio: FloatArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Siblings beside nested elements; empty ones may be both, and the larger probability counts."""
        other_row, other_target, other_ratio = sibling_elements(ranking, targets)
        row, target = np.append(row, other_row), np.append(target, other_target)
        ratio = np.append(ratio, self.siblings * other_ratio)
        order = np.lexsort((target, row))
        row, target = row[order], target[order]
        head = np.flatnonzero(np.append(True, (np.diff(row) != 0) | (np.diff(target) != 0))[: len(row)])
        return row[head], target[head], np.maximum.reduceat(ratio[order], head) if len(head) else ratio

    def notes(self, ranking: Ranking, targets: Targets) -> tuple[str, ...]:
        if not elements(ranking, targets) or ranking.start is not None:
            return ()
        if not np.isnan(nested_elements(ranking, targets)[2]).any():
            return ()
        return (
            Message(
                "user model hierarchy: lengths of some elements are unknown, so the user goes nowhere from them; "
                f"give the XML documents with {option('collection')}"
            ),
        )
