"""bep: from where the result starts to the best entry point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.parameters import above_zero
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users._gaps import GapModel
from berrypick.users.base import ReaderContext, Slider, need_places
from berrypick.users.pairs import same_document_pairs


@dataclass(frozen=True)
class Bep(GapModel):
    """The reader gets from the start of a result to an entry point of the same document.

    A L/(A L + d), d the distance in characters between the two points, L the mean length of documents (equation 14
    of the INEX 2006 measures). Where the truth has no entry points, a target is entered at its start. Effort: the
    length of what is pointed to, and of the part of each target outside of it; entry points have no length, so that
    effort in characters is refused for them.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ("lengths", "tokenizer")
    learnt_from: ClassVar[str] = "readings"
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "7.2",
            "14",
            "equation",
            "closeness of a result to an entry point",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "bep(A=0.1)"',
        ),
    )
    seeks_entry_points: ClassVar[bool] = True
    slider: ClassVar[Slider | None] = (("A",), (0.01, 0.1, 1, 10, 100))

    A: float = above_zero(0.1, "tolerance to distance: 0.1 rewards closeness, 10 hardly counts it")
    L: float | None = above_zero(None, "mean length of documents; from the collection by default")

    def dependencies(self) -> frozenset[str]:
        return super().dependencies() - (set() if self.L is None else {"lengths"})

    def mean_length(self, context: ReaderContext) -> float:
        if self.L is not None:
            return self.L
        if context.collection is None:
            raise UsageError(
                f"user model bep needs the mean length of documents: give their lengths with {option('collection')}, "
                "or the mean itself as in bep(L=5000)"
            )
        return context.collection.mean_length

    def gaps(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> tuple[IntArray, IntArray, FloatArray]:
        """The distance from the start of the result is at least d with a probability of A L/(A L + d)."""
        need_places(self, ranking, targets)
        assert ranking.start is not None and targets.start is not None
        scale = self.A * self.mean_length(context)
        row, target = same_document_pairs(ranking, targets)
        gap = np.abs(ranking.start[row] - targets.start[target])
        return row, target, scale / (scale + gap)
