"""Simulated readers who are drawn from reach: how one reader's chances of several targets hang together at a rank.

Reach gives the chance of each target for itself, so that several joint laws go with it; under each of these, ranks are
drawn independently of each other. A user model's own walk is another one, where it has a walk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.reach import Reach
from berrypick.topics.seen_together import TogetherName
from berrypick.users.walks import Readers, Visit, Visits, rows_of, within


def drawn_visits(reach: Reach, names: Sequence[str], together: TogetherName, readers: Readers) -> Visits:
    """What readers see at each rank; ``names`` of the ranks, since a reader does the same from the same result."""
    draw, times = _DRAWN[together], dict.fromkeys(names, 0)
    for rank, (target, probability) in rows_of(reach.rank, reach.target, reach.probability):
        times[names[rank]] += 1
        what = f"together {names[rank]}\0{times[names[rank]]}"
        yield Visit(rank, target, draw(readers, what, target, probability))


def _independent(readers: Readers, what: str, target: IntArray, probability: FloatArray) -> BoolArray:
    drawn = np.stack([readers.uniform(f"{what}\0{x}") for x in target.tolist()])
    return np.asarray(drawn < probability[:, None])


def _most(readers: Readers, what: str, target: IntArray, probability: FloatArray) -> BoolArray:
    """Comonotone: one number for all targets of the rank."""
    return np.asarray(readers.uniform(what) < probability[:, None])


def _least(readers: Readers, what: str, target: IntArray, probability: FloatArray) -> BoolArray:
    """Systematic sampling: targets end to end on a circle of length 1, in the order of the truth."""
    begin = np.mod(np.cumsum(probability) - probability, 1.0)
    return within(readers.uniform(what), begin, probability)


_DRAWN: dict[str, Callable[[Readers, str, IntArray, FloatArray], BoolArray]] = {
    "independent": _independent,
    "most": _most,
    "least": _least,
}
