"""Raghavan's formula over groups of ties: what GRP and PRecall share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import NeedsError, UsageError, option
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures.base import LEVELS, Cutoff, Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of results in order: how much is relevant in each (k), how much is not (i); and what the base holds."""

    relevant: FloatArray
    irrelevant: FloatArray
    total: float
    ranked: int
    units: int | None

    @cached_property
    def _found(self) -> FloatArray:
        """What is relevant up to each group."""
        return np.cumsum(self.relevant)

    def precision(self, level: float) -> float:
        """r/(r + j + i s/(k+1)) at the group in which the wanted relevance is reached (equation 19)."""
        wanted = level * self.total
        if wanted == 0:
            return self._limit()
        found = self._found
        last = int(np.searchsorted(found, wanted * (1 - 1e-9)))
        if last < len(found):
            before = float(found[last - 1]) if last else 0.0
            i, k = float(self.irrelevant[last]), float(self.relevant[last])
            j = float(self.irrelevant[:last].sum())
        else:
            before = float(found[-1]) if len(found) else 0.0
            k = self.total - before
            i = self._beyond(k)
            j = float(self.irrelevant.sum())
        s = max(0.0, wanted - before)
        return wanted / (wanted + j + i * s / (k + 1))

    def _limit(self) -> float:
        """What precision tends to as less and less is wanted."""
        first = np.flatnonzero(self.relevant > 0)
        if not len(first) or self.irrelevant[: first[0]].sum() > 0:
            return 0.0
        return float(1.0 / (1.0 + self.irrelevant[first[0]] / (self.relevant[first[0]] + 1.0)))

    def _beyond(self, left: float) -> float:
        """What is not relevant among the units that were not ranked."""
        if self.units is None:
            raise NeedsError(
                "needs the size of the collection, because the list does not hold everything relevant: "
                f"give the number of retrievable units with {option('units')}"
            )
        rest = self.units - self.ranked - left
        if rest < 0:
            raise UsageError(
                f"{option('units', self.units)} is too small: {self.ranked} units are ranked and {left:g} relevant "
                "ones are not; it counts all retrievable units, ranked ones included"
            )
        return rest


def refuse_large_gains(gain: FloatArray) -> None:
    """An error if a gain is above 1, of a result or of what is judged."""
    if (gain > 1 + 1e-12).any():
        raise NeedsError(
            "needs gains from 0 to 1, but this truth has larger grades; PRecall takes any grade above 0 as 1"
        )


def tied(judged: JudgedTopic) -> IntArray:
    """The group of each result: ties are equal ranks, else equal scores; formats ordered by line have none."""
    ranking = judged.ranking
    if judged.ties == "score" and ranking.score is not None and len(ranking):
        new = np.concatenate([[True], ranking.score[1:] != ranking.score[:-1]])
        return np.asarray(np.cumsum(new) - 1, dtype=np.int64)
    return ranking.rank


def groups(judged: JudgedTopic, gain: FloatArray, total: float) -> Groups:
    """What is relevant in each group of ties, and what is not."""
    ranking, group = judged.ranking, tied(judged)
    count = int(group[-1]) + 1 if len(group) else 0
    refuse_large_gains(gain)
    return Groups(
        np.bincount(group, weights=gain, minlength=count).astype(np.float64),
        np.bincount(group, weights=1.0 - gain, minlength=count).astype(np.float64),
        total,
        len(ranking.fresh()),
        judged.units,
    )


@dataclass(frozen=True)
class GroupMeasure(Measure):
    """Precision at a recall level, or the mean over levels; subclasses say what is relevant in each group."""

    cutoff: ClassVar[Cutoff] = "level"
    depends_on: ClassVar[tuple[str, ...] | None] = ("ignore_elements", "units")
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "precision")

    def _groups(self, judged: JudgedTopic) -> Groups:
        raise NotImplementedError

    def compute(self, judged: JudgedTopic) -> Score:
        found = self._groups(judged)
        if found.total <= 0:
            return Score(None)
        if self.at is not None:
            return Score(found.precision(float(self.at)))
        return Score(math.fsum(found.precision(level) for level in LEVELS) / len(LEVELS))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """The unranked units are the only group."""
        return self.compute(judged)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        found = self._groups(judged)
        return [(level, found.precision(level)) for level in LEVELS]

    def explain(self, judged: JudgedTopic) -> Explanation:
        found = self._groups(judged)
        rows = [
            [str(g + 1), number(float(k)), number(float(i))]
            for g, (k, i) in enumerate(zip(found.relevant[:30], found.irrelevant[:30], strict=True))
        ]
        levels = (float(self.at),) if self.at is not None else (0.25, 0.5, 0.75, 1.0)
        values = [[f"{level:g}", number(level * found.total), number(found.precision(level), 6)] for level in levels]
        return self._explanation(
            judged,
            Table("Groups of results", ["group", "relevant (k)", "not relevant (i)"], rows),
            Table("Precision at recall levels", ["level", "relevance wanted (r)", "precision"], values),
        )
