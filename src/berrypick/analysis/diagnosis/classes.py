"""The classes of a diagnosis: what happened to one target, and how far it got.

A result *holds* a target if it covers at least ``share`` of it. The class of a target is the first that applies, in the
order of :func:`classify`. The class of a topic is that of the target which got least far (:data:`FARTHER`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

UNPLACED = "unplaced"
NOT_INDEXED = "not indexed"
CUT = "cut"
WRONG_DOCUMENT = "wrong document"
WRONG_PASSAGE = "wrong passage"
PARTLY_FOUND = "partly found"
LOST = "lost"
RANKED_LOW = "ranked low"
OVER_BUDGET = "over budget"
IN_PIECES = "in pieces"
FOUND = "found"

#: How far a target got, least far first.
FARTHER = (
    UNPLACED, NOT_INDEXED, CUT, WRONG_DOCUMENT, WRONG_PASSAGE, PARTLY_FOUND, LOST, RANKED_LOW, OVER_BUDGET, IN_PIECES,
    FOUND,
)  # fmt: skip

MEANING = {
    UNPLACED: "its quote is not in the documents",
    NOT_INDEXED: "no chunk overlaps it",
    CUT: "chunks overlap it, but a chunk border cuts it",
    WRONG_DOCUMENT: "no result is in its document",
    WRONG_PASSAGE: "results are in its document, but none overlaps it",
    PARTLY_FOUND: "results overlap it, but none contains enough of it",
    LOST: "an earlier stage had it, but the last one lost it",
    RANKED_LOW: "a result contains it, but below the cut-off",
    OVER_BUDGET: "a result contains it, but after the budget was spent",
    IN_PIECES: "the first results contain it jointly, but none does alone",
    FOUND: "one of the first results contains it",
}


#: Shares and lengths with fractions are equal up to this.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Sighting:
    """What one stage shows of one target.

    Attributes
    ----------
    ranks
        The ranks, from 1, of the results that hold it.
    in_document
        Whether any result is in its document.
    overlaps
        Whether any result overlaps it.
    """

    ranks: tuple[int, ...] = ()
    in_document: bool = False
    overlaps: bool = False


@dataclass(frozen=True)
class TargetFacts:
    """All that decides the class of one target.

    Attributes
    ----------
    stages
        What each stage shows of it; one stage where a run is diagnosed alone.
    together
        Whether the first k results of the last stage hold it together.
    chunk
        The largest share of it in one chunk, below 0 where no chunk overlaps it; None without a list of chunks.
    spent
        What reading the last stage costs up to the first result that holds it; None without a budget.
    placed
        Whether it has a place in the documents.
    """

    stages: Sequence[Sighting] = field(default=())
    together: bool = False
    chunk: float | None = None
    spent: float | None = None
    placed: bool = True


@dataclass(frozen=True)
class TargetClass:
    """The class of a target; ``stage`` is the index of the stage that lost it."""

    name: str
    stage: int = 0

    @property
    def depth(self) -> tuple[int, int]:
        """How far the target got, to be compared."""
        return FARTHER.index(self.name), self.stage

    def label(self, stages: Sequence[str]) -> str:
        """Return the class as it is shown: ``lost in STAGE`` names the stage."""
        return f"lost in {stages[self.stage]}" if self.name == LOST else self.name


def classify(facts: TargetFacts, k: int, share: float, budget: float | None = None) -> TargetClass:
    """Return the first class that applies to a target.

    Examples
    --------
    >>> first, last = Sighting((7,), True, True), Sighting((), True, False)
    >>> classify(TargetFacts([first, last]), 5, 0.5)
    TargetClass(name='lost', stage=1)
    >>> classify(TargetFacts([first]), 5, 0.5).name
    'ranked low'
    """
    if not facts.placed:
        return TargetClass(UNPLACED)
    if facts.chunk is not None and facts.chunk < 0:
        return TargetClass(NOT_INDEXED)
    if facts.chunk is not None and facts.chunk < share * (1 - ROUNDING) and not facts.together:
        return TargetClass(CUT)
    if not any(stage.in_document for stage in facts.stages):
        return TargetClass(WRONG_DOCUMENT)
    if not any(stage.overlaps for stage in facts.stages):
        return TargetClass(WRONG_PASSAGE)
    last = facts.stages[-1]
    if facts.together and not any(rank <= k for rank in last.ranks):
        return TargetClass(IN_PIECES)
    holding = [i for i, stage in enumerate(facts.stages) if stage.ranks]
    if not holding:
        return TargetClass(PARTLY_FOUND)
    if not last.ranks:
        return TargetClass(LOST, holding[-1] + 1)
    if min(last.ranks) > k:
        return TargetClass(RANKED_LOW)
    if budget is not None and facts.spent is not None and facts.spent > budget * (1 + ROUNDING):
        return TargetClass(OVER_BUDGET)
    return TargetClass(FOUND)
