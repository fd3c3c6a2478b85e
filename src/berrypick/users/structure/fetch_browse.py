"""fetch_browse: a result is a group of pointers, and not all of them are considered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter, zero_to_one
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.item_chain import ENTERED, Chances, Stayed
from berrypick.users.base import ReaderContext, Slider, UserModel, by_rank, spread
from berrypick.users.pairs import combined
from berrypick.users.walks import Readers, Visit, Visits


@dataclass(frozen=True)
class FetchBrowse(UserModel):
    """A result points to several places, and readers look at later ones with decreasing probability.

    A reader goes through the pointers of a rank in order and considers each with probability consider^position,
    positions counted from 0, whether or not those before were considered. From the second pointer on this is multiplied
    by ``miss`` as long as no target was found at this rank, and by ``after`` once one was (EPRUM section 3.2). What a
    considered pointer leads to is the reach of another user model. With miss = after = 1 reach is 1 - prod over the
    rank's pointers (1 - consider^position x reach of the pointer). Otherwise it is the exact probability that a target
    is found by a reader who goes from one state to the next: nothing found, another target found, this one found. Every
    target met counts as found, also one seen at an earlier rank.

    Behind a pointer that leads nowhere, with consider=1 and miss=0.5, a target is reached with .5, and a second one
    behind it with .75: half of the readers have found the first, and of the others half go on.

    With ``cascade=True`` a reader goes on to the next pointer only from a considered one, with probability consider
    (times ``miss`` or ``after``), and so also considers the pointer at a position with probability consider^position
    where miss = after = 1. The two differ where several pointers of an item lead to one target. An item points to
    characters 0-10, 48-62 and 45-70, the target is 50-60, and consider=0.5: the second pointer is considered by .5 of
    the readers and the third by .25. Reach is 1 - .5 x .75 = .625; with ``cascade=True`` whoever considers the third
    has considered the second, and reach is .5. The paper has no formula: the larger the set, the less likely each
    pointer is considered, and a probability conditional on formerly considered pointers is an option (section 3.2).

    Pointers belong to one group when the run gives them the same rank. Where no rank of a run holds two pointers,
    consecutive results of one document are one list item, which a note says; group='rank' takes ranks as they are,
    group='document' always puts consecutive ranks of one document together.
    Effort: that of the other model for each pointer, times the probability that it is considered.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ("effort",)
    references: ClassVar[tuple[str, ...]] = ("piwowarski2006eprum",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "3.2",
            "",
            "definition",
            "a rank with several pointers, which readers consider in turn",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "fetch_browse(consider=0.8)"',
        ),
        cite.eprum(
            "8",
            "",
            "definition",
            "items that are lists of elements of one document",
            "berrypick evaluate TRUTH RUN -m EPRUM --user fetch_browse",
        ),
    )
    #: The places of a result are looked at in the order in which they are given.
    breaks: ClassVar[tuple[str, ...]] = ("tie-order",)
    slider: ClassVar[Slider | None] = (("consider",), (0.2, 0.4, 0.6, 0.8, 1))

    of: str = parameter("classical", "text", "user model for what a considered pointer leads to")
    consider: float = zero_to_one(
        0.8, "probability of considering a pointer of a group: this to the power of its position, from 0"
    )
    after: float = zero_to_one(
        1, "factor on that, from the second pointer on, once something relevant was found in the group"
    )
    miss: float = zero_to_one(
        1, "factor on that, from the second pointer on, as long as nothing relevant was found in the group"
    )
    cascade: bool = parameter(False, "bool", "whether readers continue only after considering the previous pointer")
    group: str | None = parameter(
        None,
        "document|rank",
        "what an item of the list is: by default a rank, or a document where no rank has two pointers",
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
        text = "consecutive results of one document count as one list item; group='rank' keeps ranks as they are"
        return (f"user model fetch_browse: {text}",)

    @property
    def chances(self) -> Chances:
        return Chances(float(self.consider), float(self.after), float(self.miss), bool(self.cascade))

    def _considered(self, ranking: Ranking, single: Reach | None = None) -> FloatArray:
        """P(considered) of each pointer; ``single`` is what each leads to, which matters where what was found does.

        Repeated pointers find nothing and take no position.
        """
        hits = np.zeros(len(ranking))  # P(leads to anything)
        if single is not None:
            misses = np.ones(len(ranking))
            np.multiply.at(misses, single.rank, 1.0 - single.probability)
            hits = 1.0 - misses
        again = np.zeros(len(ranking), dtype=bool) if ranking.repeated is None else ranking.repeated
        found, chances = np.zeros(len(ranking)), self.chances
        groups: dict[int, tuple[int, Stayed]] = {}  # rank to position and who is there
        for row, rank in enumerate(ranking.rank.tolist()):
            position, stayed = groups.get(rank, (0, ENTERED))
            found[row] = chances.chance(position, stayed)
            if not again[row]:
                groups[rank] = position + 1, chances.following(position, stayed, float(hits[row]))
        return found

    def resolved(self, context: ReaderContext) -> FetchBrowse:
        inner = self.inner()
        known = inner.resolved(context)
        return self if known == inner else replace(self, of=str(known))

    def _combine(self, ranking: Ranking, single: Reach) -> Reach:
        """Reach of list items, from that of their pointers."""
        if self.chances.independent:
            probability = single.probability * self._considered(ranking)[single.rank]
            return combined(ranking, single.targets, single.rank, single.target, probability)
        rank, chances, targets = ranking.rank, self.chances, max(single.targets, 1)
        key, pair = np.unique(rank[single.rank] * targets + single.target, return_inverse=True)
        item, chain = key // targets, chances.chain(key // targets, ranking.ranks)
        for position, rows in enumerate(_by_position(rank)):
            here = np.isin(single.rank, rows)
            leads = np.zeros(len(key))
            leads[pair[here]] = single.probability[here]
            nothing, after = np.zeros((2, ranking.ranks))
            nothing[rank[rows]], after[rank[rows]] = chances.at(position)
            chain.follow(leads, nothing, after)
        return Reach.from_entries(ranking.ranks, single.targets, item, key % targets, chain.seen)

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._combine(ranking, self.inner().reach(spread(ranking), targets, context))

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        return self._combine(ranking, self.inner().reach_alone(spread(ranking), targets, context))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """A reader goes through the pointers of a group in order, and decides anew at each whether to consider it."""
        alone = spread(ranking)
        inner = self.inner().walk(alone, targets, context, readers)
        each = self.inner().effort(alone, targets, context) if readers.lengths else None
        ahead = next(inner, None)
        group = _Group(-1, _NOBODY, _NOBODY)
        for row, rank in enumerate(ranking.rank.tolist()):
            if rank != group.rank:
                group = _Group(rank, np.zeros(readers.count, dtype=bool), np.ones(readers.count, dtype=bool))
            again = ranking.repeated is not None and bool(ranking.repeated[row])
            what = f"consider {f'again {row} ' if again else ''}{ranking.name(row)}"
            opened = group.next(self.chances, readers.uniform(what), again)
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

    def no_walk(self) -> str:
        return self.inner().no_walk()

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        return self.inner().other_units(targets, context)

    @property
    def of_areas(self) -> bool:
        return self.inner().of_areas

    @property
    def reads_sizes(self) -> bool:
        return self.inner().reads_sizes

    @property
    def browses(self) -> bool:
        return self.inner().browses

    def clicks(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        return by_rank(ranking, self._weights(ranking, targets, context))

    def _weights(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        if self.chances.independent:
            return self._considered(ranking)
        return self._considered(ranking, self.inner().reach(spread(ranking), targets, context))

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        each = self.inner().effort(spread(ranking), targets, context)
        return by_rank(ranking, each * self._weights(ranking, targets, context))


_NONE = np.zeros(0, dtype=np.int64)
_NOBODY = np.zeros(0, dtype=bool)


def _by_position(rank: IntArray) -> list[IntArray]:
    """The first pointers of all ranks, then the second ones, and so on."""
    place: dict[int, int] = {}
    found: list[list[int]] = []
    for row, one in enumerate(rank.tolist()):
        position = place[one] = place.get(one, -1) + 1
        if position == len(found):
            found.append([])
        found[position].append(row)
    return [np.array(rows, dtype=np.int64) for rows in found]


@dataclass
class _Group:
    """Readers on their way through the pointers of a list item."""

    rank: int
    found: BoolArray
    stayed: BoolArray
    position: int = 0

    def next(self, chances: Chances, drawn: FloatArray, repeated: bool) -> BoolArray:
        """Who considers the next pointer; repeated ones take no position, and nobody leaves an item at them."""
        nothing, after = chances.at(self.position)
        self.position += not repeated
        considered = self.stayed & (drawn < np.where(self.found, after, nothing))
        if chances.cascade and not repeated:
            self.stayed = considered
        return np.asarray(considered)
