"""When readers of a list have seen enough, as the user model moves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.observed import once_for_each
from berrypick.data.score import number
from berrypick.topics.enough_chance import (
    MOST_SHARED,
    READERS,
    drawn_chance,
    drawn_error,
    enough_chance,
    mean_inverse,
    most_shared,
)
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class EnoughByRank:
    """The ranks, from 1, at which anything is reached, and the chance that it is enough from there on.

    ``drawn``: too many targets are shared by sets, and readers were drawn.
    """

    events: FloatArray
    chance: FloatArray
    drawn: bool = False

    def after(self, rank: float) -> float:
        """The chance that it is enough after some ranks."""
        event = int(np.searchsorted(self.events, rank, side="right"))
        return float(self.chance[event - 1]) if event else 0.0

    def mean_inverse(self) -> float:
        """The mean of 1/rank, of the rank at which it is enough; 0 if it never is."""
        return mean_inverse(self.events, self.chance)

    @property
    def signed(self) -> tuple[tuple[str, str], ...]:
        """What a signature says of it."""
        return (("enough", f"{READERS} readers drawn"),) if self.drawn else ()

    def notes(self) -> tuple[str, ...]:
        """What a person should know of it."""
        if not self.drawn:
            return ()
        error = float(drawn_error(self.chance).max(initial=0.0))
        shared = f"more than {MOST_SHARED} targets are shared by connected sets or hops"
        return (f"{shared}: chances are estimated from {READERS} readers, with an error of {number(error)} at most",)


@once_for_each
def enough_by_rank(judged: JudgedTopic) -> EnoughByRank:
    """The chance that readers have seen enough; the truth has to say what is."""
    reach, sufficient = judged.reach, judged.sufficient
    events = reach.events.astype(np.float64)
    if not len(events):
        return EnoughByRank(events, np.zeros(0))
    if most_shared(sufficient.groups) > MOST_SHARED:
        return EnoughByRank(events, drawn_chance(sufficient.groups, sufficient.kind, reach.seen), drawn=True)
    return EnoughByRank(events, enough_chance(sufficient.groups, sufficient.kind, reach.seen, reach.unseen)[0])
