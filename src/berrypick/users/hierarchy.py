"""hierarchy: the reader moves up and down the structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.core import paths
from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.errors import Message, UsageError, option
from berrypick.core.parameters import parameter
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.kernels.intervals import intersections
from berrypick.users.base import (
    ReaderContext,
    UserModel,
    elements,
    need_places,
    nested_elements,
    pairwise,
    same_document,
    shared,
    size_ratio,
    whole_documents,
)


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
            blocks = [
                (rows, x, np.nan_to_num(np.maximum(ratio, self._to_siblings(ranking, rows, targets, x))))
                for rows, x, ratio, _ in nested_elements(ranking, targets)
            ]
            return pairwise(ranking, targets, blocks)
        if self.siblings:
            raise UsageError("hierarchy(siblings=) is about elements of one parent; this truth or run has none")
        need_places(self, ranking, targets)
        assert ranking.start is not None and ranking.end is not None
        assert targets.start is not None and targets.end is not None
        blocks = []
        for rows, indices in shared(ranking, targets):
            start, end = ranking.start[rows], ranking.end[rows]
            common = intersections(start, end, targets.start[indices], targets.end[indices])
            union = (end - start)[:, None] + (targets.end[indices] - targets.start[indices])[None, :] - common
            larger = np.maximum(union, common).astype(np.float64)
            blocks.append((rows, indices, common / np.where(larger > 0, larger, 1.0)))
        return pairwise(ranking, targets, blocks)

    def _to_siblings(self, ranking: Ranking, rows: IntArray, targets: Targets, indices: IntArray) -> FloatArray:
        """siblings x smaller over larger length where both have one parent; 0 elsewhere, nan where unknown."""
        found = np.zeros((len(rows), len(indices)))
        if not self.siblings:
            return found
        assert ranking.path is not None and targets.path is not None
        for i, row in enumerate(rows.tolist()):
            path = ranking.paths[int(ranking.path[row])]
            for j, x in enumerate(indices.tolist()):
                if path != targets.path[x] and paths.parent(path) == paths.parent(targets.path[x]):
                    found[i, j] = self.siblings * size_ratio(ranking, row, targets, x)
        return found

    def notes(self, ranking: Ranking, targets: Targets) -> tuple[str, ...]:
        if not elements(ranking, targets) or ranking.start is not None:
            return ()
        unknown = sum(int(np.isnan(ratio).sum()) for _, _, ratio, _ in nested_elements(ranking, targets))
        if not unknown:
            return ()
        return (
            Message(
                "user model hierarchy: lengths of some elements are unknown, so the user goes nowhere from them; "
                f"give the XML documents with {option('collection')}"
            ),
        )
