"""hierarchy: the reader moves up and down the structure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from typing import Any, ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import Message, UsageError, option
from berrypick.data.parameters import zero_to_one
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.targets.in_common import common_lengths, ends
from berrypick.users.base import ReaderContext, UserModel, elements, need_places, whole_documents
from berrypick.users.pairs import combined, same_document, same_document_pairs
from berrypick.users.structure._nested import nested_elements, sibling_elements, side_by_side
from berrypick.users.walks import Readers, Visit, Visits, certain, outward, rows_of, within


@dataclass(frozen=True)
class Hierarchy(UserModel):
    """The reader moves up and down: from a section to its paragraph, from a paragraph to its section.

    The probability is the smaller length over the larger where one contains the other (equation 9 of PRUM). On spans
    it is intersection over union, the same number when they are nested. With siblings=p the reader also goes from an
    element to another one of the same parent, with p times the smaller length over the larger (EPRUM section 7).
    Effort: the length of what is pointed to, and of the part of each target outside of it for those who get there.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ()
    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum", "piwowarski2007prum")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "7",
            "",
            "definition",
            "readers go up and down the tree, by shares of length",
            "berrypick evaluate TRUTH RUN -m EPRUM --user hierarchy",
        ),
        cite.eprum(
            "7",
            "",
            "definition",
            "readers go to siblings as well",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "hierarchy(siblings=0.5)"',
        ),
        cite.prum(
            "4.2.1",
            "9",
            "equation",
            "chance of going from an element to one that contains it, or that it contains",
            "berrypick evaluate TRUTH RUN -m EPRUM --user hierarchy",
        ),
        cite.prum(
            "4.2.1",
            "",
            "figure",
            "figure 6: an XML document with one ideal element",
            "berrypick evaluate TRUTH RUN -m EPRUM --user hierarchy",
        ),
    )

    siblings: float = zero_to_one(0, "probability, times the same ratio, of moving on to a sibling")

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        if elements(ranking, targets):
            return self._between_elements(ranking, targets)
        row, target, common = self._common_spans(ranking, targets)
        start, end, target_start, target_end = ends(ranking, row, targets, target)
        larger = np.maximum(end - start + (target_end - target_start) - common, common)
        return combined(ranking, len(targets), row, target, common / np.where(larger > 0, larger, 1.0))

    def _common_spans(self, ranking: Ranking, targets: Targets) -> tuple[IntArray, IntArray, FloatArray]:
        """Pairs of a pointer and a target of the same document, and the length of what they have in common."""
        if self.siblings:
            raise UsageError("hierarchy(siblings=) needs elements with a parent; this truth or run has none")
        need_places(self, ranking, targets)
        row, target = same_document_pairs(ranking, targets)
        return row, target, common_lengths(ranking, row, targets, target)

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

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A reader lands at a random place of the result, goes down to what is there, and up some levels.

        Down: the targets that hold the place. Up: from a smaller unit to a larger one around it with the probability of
        the ratio of their lengths, step by step; who gets to a large one has passed all between. To siblings: as up.
        """
        ranking = ranking.fresh()
        if whole_documents(ranking, targets):
            yield from certain(self.reach(ranking, targets, context), readers)
            return
        known = elements(ranking, targets)
        steps = rows_of(*(_element_ways(ranking, targets) if known else _span_ways(self, ranking, targets)))
        beside: Visits = iter(())
        if known and self.siblings:
            row, target, ratio = sibling_elements(ranking, targets)
            beside = outward(ranking, row, target, self.siblings * np.nan_to_num(ratio), readers, "sibling ")
        yield from merge(_up_and_down(ranking, steps, readers), beside, key=lambda visit: visit.rank)

    def notes(self, ranking: Ranking, targets: Targets) -> tuple[str, ...]:
        if not elements(ranking, targets) or ranking.start is not None:
            return ()
        known = (size is not None and not np.isnan(size).any() for size in (ranking.size, targets.size))
        if all(known) or not np.isnan(nested_elements(ranking, targets)[2]).any():
            return ()
        return (
            Message(
                "user model hierarchy: lengths of some elements are unknown, so readers do not leave them; "
                f"give the XML documents with {option('collection')}"
            ),
        )


#: (row, target, start, share, up): the part of the pointer that the target takes, and the probability of going up.
Ways = tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]


def _up_and_down(ranking: Ranking, steps: Iterator[tuple[int, list[Any]]], readers: Readers) -> Visits:
    for row, (target, low, share, up) in steps:
        name = ranking.name(row)
        seen = np.ones((len(target), readers.count), dtype=bool)
        if (share < 1).any():
            seen &= within(readers.uniform(f"down {name}"), low, share)
        if (up < 1).any():
            seen &= readers.uniform(f"up {name}") < up[:, None]
        yield Visit(int(ranking.rank[row]), target, seen)


def _span_ways(model: Hierarchy, ranking: Ranking, targets: Targets) -> Ways:
    """Down to the common part, up from the pointer to the union of both."""
    row, target, common = model._common_spans(ranking, targets)
    kept = common > 0
    row, target, common = row[kept], target[kept], common[kept]
    start, end, target_start, target_end = ends(ranking, row, targets, target)
    length = end - start
    union = length + (target_end - target_start) - common
    low = (np.maximum(start, target_start) - start) / length
    return row, target, low, common / length, length / union


def _element_ways(ranking: Ranking, targets: Targets) -> Ways:
    row, target, ratio, above = nested_elements(ranking, targets)
    ratio, low = np.nan_to_num(ratio), np.zeros(len(row))
    share, up = np.where(above, ratio, 1.0), np.where(above, 1.0, ratio)
    if ranking.start is not None and ranking.end is not None and targets.start is not None:
        start, length = ranking.start[row], (ranking.end - ranking.start)[row]
        low = np.where(above, (targets.start[target] - start) / np.where(length > 0, length, 1), 0.0)
    else:
        assert targets.path is not None
        for one in np.unique(row[above]).tolist():
            pairs = np.flatnonzero((row == one) & above)
            low[pairs] = side_by_side([targets.path[x] for x in target[pairs].tolist()], share[pairs])
    return row, target, low, share, up
