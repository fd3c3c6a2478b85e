"""What Enough and EnoughRR share: they ask what the list holds, or what the readers of a user model have seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws
from berrypick.data.observed import unrecorded
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.answers._found import SetMeasure, dropped_sentences
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.enough_readers import EnoughByRank, enough_by_rank
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic
from berrypick.users.classical import Classical

#: Ranks that an explanation shows.
SHOWN_RANKS = 30


@dataclass(frozen=True)
class ReaderSetMeasure(SetMeasure):
    """With the default user model, what the results hold; with any other, what its readers have seen."""

    laws: ClassVar[tuple[str, ...]] = with_laws("reach-raised")
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets")
    walks: ClassVar[bool] = True

    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")

    def has_readers_of(self, user: str) -> bool:
        return True

    def moves(self, judged: JudgedTopic) -> bool:
        """Whether readers move: a user model is given, and it is not the default one."""
        user = unrecorded(judged.context, "user")
        if user == Classical():
            return False
        given = next((name for name in ("share", "iou") if getattr(self, name) is not None), "")
        if given:
            what = f"{given}= measures what results cover, but user model {user} what readers see"
            raise UsageError(
                f"{what}: omit one, as in {self.name()}({given}={getattr(self, given):g},user='classical')"
            )
        return True

    def found_at(self, judged: JudgedTopic) -> FloatArray | None:
        return None if self.moves(judged) else self.ranks(judged)

    def compute(self, judged: JudgedTopic) -> Score:
        if not judged.sufficient.possible:
            return Score(None)
        if not self.moves(judged):
            return super().compute(judged)
        by_rank = enough_by_rank(judged)
        return Score(self.of_readers(by_rank), by_rank.notes(), by_rank.signed)

    def of_readers(self, by_rank: EnoughByRank) -> float:
        """The value from the chance that it is enough after each rank."""
        raise NotImplementedError

    def of_ranks(self, when: FloatArray) -> FloatArray:
        """What a reader gets for whom it is enough at a rank, infinite if never."""
        raise NotImplementedError

    def value(self, judged: JudgedTopic, ranks: FloatArray) -> float:
        return float(self.of_ranks(judged.sufficient.complete_at(ranks)))

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """What each reader has seen; all readers get the same where they do not move."""
        if not judged.sufficient.possible:
            return ReaderValues.of(np.zeros(sessions.count), np.zeros(sessions.count))
        if not self.moves(judged):
            return ReaderValues.of(np.full(sessions.count, self.value(judged, self.ranks(judged))))
        return ReaderValues.of(self.of_ranks(judged.sufficient.complete_at(sessions.first)))

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not judged.sufficient.possible or not self.moves(judged):
            return super().explain(judged)
        by_rank, names = enough_by_rank(judged), judged.items.names_by_rank()
        value = self.of_readers(by_rank)
        pairs = zip(by_rank.events.astype(int).tolist(), by_rank.chance.tolist(), strict=True)
        rows = [[f"{k} ({names[k - 1]})", number(p, 6)] for k, p in pairs][:SHOWN_RANKS]
        sufficient, seen = judged.sufficient, judged.reach.expected_seen(judged.reach.ranks)
        each = [
            [name, ", ".join(f"{judged.targets.name(x)} ({number(float(seen[x]))})" for x in group[:SHOWN_RANKS])]
            for name, group in zip(sufficient.names, sufficient.groups, strict=True)
        ]
        return self._explanation(
            judged,
            Table(
                "What is enough, with the chance that each is seen by the end", [sufficient.kind, "units"], each, "<<"
            ),
            *dropped_sentences(judged),
            Table("P(enough) after each rank at which anything is reached", ["rank", "P(enough)"], rows),
            *by_rank.notes(),
            f"{self} = {number(value, 6)}",
        )
