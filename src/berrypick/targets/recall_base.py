"""Recall bases over elements (INEX 2006 measures, section 5.2).

The full base holds every element that contains anything relevant, parents included, so it overlaps. The ideal base
holds the most focused ones: of every path from the root to a relevant element the one with the highest gain.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.truth import TopicTruth
from berrypick.targets.gains import Quantisation, exhaustivity_of, gains_of, specificity_of


@dataclass(frozen=True, eq=False)
class RecallBase:
    """The full recall base of one topic; ``ideal`` are the rows of the ideal one, in truth order."""

    document: Sequence[str]
    path: Sequence[str]
    gain: FloatArray
    size: FloatArray
    specificity: FloatArray
    exhaustivity: FloatArray
    row: IntArray  # in the truth
    #: The ideal elements, if given; otherwise they follow from the gains.
    chosen: frozenset[tuple[str, str]] | None = None

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def index(self) -> dict[tuple[str, str], int]:
        return {key: i for i, key in enumerate(zip(self.document, self.path, strict=True))}

    @cached_property
    def parent(self) -> IntArray:
        """The nearest element around each one that is in the base too; -1 if none is."""
        found = np.full(len(self), -1, dtype=np.int64)
        for i, (document, path) in enumerate(zip(self.document, self.path, strict=True)):
            for outer in reversed(paths.ancestors(path)):
                above = self.index.get((document, outer))
                if above is not None:
                    found[i] = above
                    break
        return found

    @cached_property
    def ideal(self) -> IntArray:
        """The ideal recall base: the best of every relevant path, the higher one on a tie, overlap removed."""
        if self.chosen is not None:
            return np.array(sorted(self.index[key] for key in self.chosen), dtype=np.int64)
        leaves = set(range(len(self))) - set(self.parent.tolist())
        # from the outermost on, so that the higher one is the first of equals
        kept = {max([*self.above(leaf)[::-1], leaf], key=lambda i: self.gain[i]) for leaf in leaves}
        return np.array([i for i in sorted(kept) if not kept & set(self.above(i))], dtype=np.int64)

    def above(self, i: int) -> list[int]:
        """The elements of the base around one, the nearest first."""
        found = []
        while (i := int(self.parent[i])) >= 0:
            found.append(i)
        return found


def recall_base(
    topic: TopicTruth,
    scale: str,
    quant: Quantisation | None,
    left_out: Collection[str] = (),
    chosen: frozenset[tuple[str, str]] | None = None,
) -> RecallBase:
    """The full recall base: every judged element with a gain, those with left-out names removed first.

    ``chosen`` (document, path) are the ideal elements where they are given by hand.
    """
    assert topic.path is not None
    gain = gains_of(topic, scale, quant)
    rows = [
        row
        for row in np.flatnonzero(gain > 0).tolist()
        if not left_out or not paths.matches(paths.element_name(topic.path[row]), left_out)
    ]
    kept = np.array(rows, dtype=np.int64)
    nothing = np.full(len(topic), np.nan)
    base = RecallBase(
        document=[topic.document[row] for row in rows],
        path=[topic.path[row] for row in rows],
        gain=gain[kept],
        size=(topic.size if topic.size is not None else nothing)[kept],
        specificity=specificity_of(topic, scale)[kept],
        exhaustivity=exhaustivity_of(topic, scale)[kept],
        row=kept,
        chosen=chosen,
    )
    if chosen is not None:
        _check_chosen(topic.topic, base, chosen)
    return base


def _check_chosen(topic: str, base: RecallBase, chosen: frozenset[tuple[str, str]]) -> None:
    """Ideal elements are relevant, and none lies in another (EPRUM section 3.1)."""
    for document, path in sorted(chosen):
        if (document, path) not in base.index:
            raise UsageError(
                f"{option('ideal_elements')}: {document}{path} of topic {topic} has no gain, so it cannot be ideal"
            )
        outer = next((above for above in paths.ancestors(path) if (document, above) in chosen), None)
        if outer is not None:
            raise UsageError(
                f"{option('ideal_elements')}: {document}{path} of topic {topic} is inside {outer}, which is also "
                "named; ideal elements must not overlap"
            )
