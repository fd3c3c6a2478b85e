"""fetch_browse: a result is a group of pointers, and not all of them are considered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.errors import UsageError
from berrypick.core.parameters import parameter, zero_to_one
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.users.base import ReaderContext, Slider, UserModel, by_rank
from berrypick.users.pairs import combined
from berrypick.users.walks import Readers, Visit, Visits


@dataclass(frozen=True)
class FetchBrowse(UserModel):
    """A result points to several places, and readers look at later ones with decreasing probability.

    Reach is 1 - prod over the rank's pointers (1 - P(considered) x reach of the pointer), with the reach of another
    user model. P(considered) is consider^position, positions counted from 0, and times ``after`` for readers who have
    found something relevant in the group already (EPRUM section 3.2).

    Pointers belong to one group when the run gives them the same rank. Where no rank of a run holds two pointers,
    consecutive results of one document are one list item, which a note says; group='rank' takes ranks as they are,
    group='document' always puts consecutive ranks of one document together.
    Effort: that of the other model for each pointer, times the probability that it is considered.
    """

    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum",)
    #: The places of a result are looked at in the order in which they are given.
    breaks: ClassVar[tuple[str, ...]] = ("tie-order",)
    slider: ClassVar[Slider | None] = (("consider",), (0.2, 0.4, 0.6, 0.8, 1))

    of: str = parameter("classical", "text", "user model for what a considered pointer leads to")
    consider: float = zero_to_one(0.8, "probability of going on to the next pointer of a group")
    after: float = zero_to_one(1, "factor on this once something relevant was found in the group")
    group: str | None = parameter(
        None, "document|rank", "what a list item is; by default ranks, or documents where no rank holds two pointers"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner().name() == self.name():
            raise UsageError("fetch_browse(of=...) takes another user model than itself")

    def inner(self) -> UserModel:
        from berrypick.users import build

        return build(self.of)

    def items(self, ranking: Ranking, grouped: bool) -> Ranking:
        if self.group == "rank" or (self.group is None and grouped):
            return ranking
        new = np.ones(len(ranking), dtype=bool)
        new[1:] = ranking.document[1:] != ranking.document[:-1]
        rank = np.cumsum(new) - 1
        return replace(ranking, rank=rank.astype(np.int64), ranks=int(rank[-1]) + 1 if len(rank) else 0)

    def notes(self, ranking: Ranking, targets: Targets) -> tuple[str, ...]:
        return self.inner().notes(ranking, targets)

    def item_notes(self, ranking: Ranking, items: Ranking) -> tuple[str, ...]:
        if items.ranks == len(items):
            return ("user model fetch_browse: no list item points to several places, so grouping has no effect",)
        if items.ranks == ranking.ranks or self.group is not None:
            return ()
        text = "consecutive results of one document are taken as one list item; group='rank' takes ranks as they are"
        return (f"user model fetch_browse: {text}",)

    def _considered(self, ranking: Ranking, single: Reach | None = None) -> FloatArray:
        """P(considered) of each pointer; ``single`` is what each leads to, which matters with ``after``."""
        hits = np.zeros(len(ranking))  # P(leads to anything)
        if single is not None and self.after < 1:
            misses = np.ones(len(ranking))
            np.multiply.at(misses, single.rank, 1.0 - single.probability)
            hits = 1.0 - misses
        found = np.zeros(len(ranking))
        groups: dict[int, tuple[int, float]] = {}  # rank to position and P(nothing relevant found so far)
        for row, rank in enumerate(ranking.rank.tolist()):
            position, nothing = groups.get(rank, (0, 1.0))
            willing = float(self.consider) ** position
            found[row] = willing * (nothing + (1.0 - nothing) * self.after)
            groups[rank] = position + 1, nothing * (1.0 - willing * float(hits[row]))
        return found

    def resolved(self, context: ReaderContext) -> FetchBrowse:
        inner = self.inner()
        known = inner.resolved(context)
        return self if known == inner else replace(self, of=str(known))

    def _spread(self, ranking: Ranking) -> Ranking:
        """Every pointer a rank of its own."""
        rows: IntArray = np.arange(len(ranking), dtype=np.int64)
        return replace(ranking, rank=rows, ranks=len(ranking))

    def _combine(self, ranking: Ranking, single: Reach) -> Reach:
        probability = single.probability * self._considered(ranking, single)[single.rank]
        return combined(ranking, single.targets, single.rank, single.target, probability)

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._combine(ranking, self.inner().reach(self._spread(ranking), targets, context))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._combine(ranking, self.inner().reach_alone(self._spread(ranking), targets, context))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A reader goes through the pointers of a group in order, each time going on with probability ``consider``.

        Once something relevant was found in the group, the probability of the next pointers is ``after`` times that.
        """
        alone = self._spread(ranking)
        inner = self.inner().walk(alone, targets, context, readers)
        each = self.inner().effort(alone, targets, context) if readers.lengths else None
        ahead = next(inner, None)
        group = _Group(-1, np.zeros(0), np.zeros(0, dtype=bool))
        for row, rank in enumerate(ranking.rank.tolist()):
            if rank != group.rank:
                nobody = np.zeros(readers.count, dtype=bool)
                group = _Group(rank, readers.uniform(f"group {ranking.name(row)}"), nobody)
            again = ranking.repeated is not None and bool(ranking.repeated[row])
            opened = group.next(self, again)
            fixed = None if each is None else opened * each[row]
            if ahead is None or ahead.rank > row:
                yield Visit(rank, _NONE, np.zeros((0, readers.count), dtype=bool), fixed, opened)
            first = True
            while ahead is not None and ahead.rank == row:
                seen = ahead.seen & opened
                length = fixed if ahead.length is None else opened * ahead.length
                group.found |= seen.any(axis=0)
                yield Visit(rank, ahead.target, seen, length if first else None, opened if first else None)
                first = False
                ahead = next(inner, None)

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        return self.inner().other_units(targets, context)

    @property
    def of_areas(self) -> bool:
        return self.inner().of_areas

    @property
    def reads_lengths(self) -> bool:
        return self.inner().reads_lengths

    @property
    def reads_sizes(self) -> bool:
        return self.inner().reads_sizes

    @property
    def browses(self) -> bool:
        return self.inner().browses

    def clicks(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        return by_rank(ranking, self._weights(ranking, targets, context))

    def _weights(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        if self.after == 1:
            return self._considered(ranking)
        return self._considered(ranking, self.inner().reach(self._spread(ranking), targets, context))

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        each = self.inner().effort(self._spread(ranking), targets, context)
        return by_rank(ranking, each * self._weights(ranking, targets, context))


_NONE = np.zeros(0, dtype=np.int64)


@dataclass
class _Group:
    """Readers on their way through the pointers of a list item."""

    rank: int
    willing: FloatArray
    found: BoolArray
    position: int = 0

    def next(self, model: FetchBrowse, repeated: bool) -> BoolArray:
        """Who considers the next pointer; repeated ones take no position."""
        share = float(model.consider) ** self.position
        self.position += not repeated
        return np.asarray(self.willing < np.where(self.found, share * model.after, share))
