"""Simulated readers: their draws, what they have seen, and visits to results.

All arrays are targets x readers. A user model says by its method ``walk`` where readers go; most of them put their
walks together from the functions below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking

#: Bytes of draws and sessions that are kept for the other runs.
MOST_KEPT = 1 << 27


@dataclass(eq=False)
class Draws:
    """The random numbers of some readers of a topic, by what they are for.

    The same reader has the same draws for the same thing in every run, so that two runs differ by what they return and
    not by chance.
    """

    seed: int
    topic: str
    block: int  # which readers: they are simulated in blocks
    count: int
    #: What was cut short, and for how many readers.
    stopped: dict[str, int] = field(default_factory=dict)
    _kept: dict[str, Any] = field(default_factory=dict)
    _bytes: int = 0

    def generator(self, what: str) -> np.random.Generator:
        """A stream of random numbers of its own."""
        import hashlib  # loads OpenSSL

        name = "\0".join((str(self.seed), self.topic, str(self.block), what))
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return np.random.Generator(np.random.SFC64(int.from_bytes(digest, "little")))

    def uniform(self, what: str) -> FloatArray:
        """A number in [0, 1) for each reader."""
        found: FloatArray = self.kept(f"uniform {what}", lambda: self.generator(what).random(self.count))
        return found

    def normal(self, what: str) -> FloatArray:
        """A standard normal number for each reader."""
        found: FloatArray = self.kept(f"normal {what}", lambda: self.generator(what).standard_normal(self.count))
        return found

    def kept(self, what: str, make: Callable[[], Any]) -> Any:
        """Arrays made once for all runs, as long as there is room."""
        if what not in self._kept:
            made = make()
            if self._bytes > MOST_KEPT:
                self._kept.clear()
                self._bytes = 0
            self._kept[what] = made
            self._bytes += made.nbytes
        return self._kept[what]


@dataclass(eq=False)
class Readers:
    """Readers on their way down a list, and what they have seen."""

    draws: Draws
    targets: int
    #: Whether the lengths of visits are wanted.
    lengths: bool = False

    def __post_init__(self) -> None:
        #: The rank, from 1, at which each reader has seen each target; infinite for targets not seen.
        self.first: FloatArray = np.full((self.targets, self.draws.count), np.inf)

    @property
    def count(self) -> int:
        return self.draws.count

    def uniform(self, what: str) -> FloatArray:
        """A number in [0, 1) for each reader; the same for the same words, in every run."""
        return self.draws.uniform(what)

    def unseen(self, targets: IntArray) -> BoolArray:
        """Which readers have not seen each of some targets."""
        return np.asarray(np.isinf(self.first[targets]))

    def see(self, visit: Visit) -> None:
        """Take down what a visit shows."""
        rank = float(visit.rank + 1)
        for x, seen in zip(visit.target.tolist(), visit.seen, strict=True):
            np.copyto(self.first[x], rank, where=seen & np.isinf(self.first[x]))


@dataclass(frozen=True, eq=False)
class Visit:
    """What readers do at one pointer of a list."""

    rank: int  # from 0
    target: IntArray  # targets that some of them see there
    seen: BoolArray  # targets x readers
    #: How far each reader goes, where that differs between readers and lengths are wanted.
    length: FloatArray | None = None
    #: The readers that follow the pointer, where not all of them do.
    opened: BoolArray | None = None


Visits = Iterator[Visit]


def rows_of(row: IntArray, *columns: Any) -> Iterator[tuple[int, list[Any]]]:
    """Pairs by row, in the order of rows: each row, and the columns of its pairs."""
    order = np.argsort(row, kind="stable")
    rows, first = np.unique(row[order], return_index=True)
    for i, one in enumerate(rows.tolist()):
        own = order[first[i] : first[i + 1] if i + 1 < len(rows) else None]
        yield one, [column[own] for column in columns]


def certain(reach: Reach, readers: Readers) -> Visits:
    """Every reader sees what a rank shows: nothing is left to chance."""
    for rank in (reach.events - 1).tolist():
        target = reach.target[reach.rank == rank]
        yield Visit(rank, target, np.ones((len(target), readers.count), dtype=bool))


def outward(
    ranking: Ranking,
    row: IntArray,
    target: IntArray,
    probability: FloatArray,
    readers: Readers,
    what: str = "",
) -> Visits:
    """Readers who go some way from a pointer: who gets to a target gets to all that are more probable.

    How far a reader goes is drawn once for each pointer.
    """
    for one, (found, share) in rows_of(row, target, probability):
        far = readers.uniform(what + ranking.name(one))
        yield Visit(int(ranking.rank[one]), found, far < share[:, None])


def within(place: FloatArray, low: FloatArray, share: FloatArray) -> BoolArray:
    """Whether a place in [0, 1) lies in each of some intervals, given by start and length; they go on at 0 after 1."""
    offset = place - low[:, None]
    offset += offset < 0
    return np.asarray(offset < share[:, None])
