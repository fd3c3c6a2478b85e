"""What the measures of cumulated gain share: parameters, the two curves, their explanation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import FloatArray
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import parameter, zero_to_one
from berrypick.data.score import Score, Table, nothing_once, number
from berrypick.measures.base import Cutoff, Measure
from berrypick.targets.gains import Quantisation
from berrypick.topics.ranked_gains import RankedGains, focused, ranked_gains, with_alpha
from berrypick.topics.topic import JudgedTopic

Base = Literal["ideal", "full"]


@dataclass(frozen=True)
class GainMeasure(Measure):
    """Parameters of gain. ``base`` is declared by the measures, whose defaults differ."""

    depends_on: ClassVar[tuple[str, ...] | None] = ("ignore_elements",)
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex", "kazai2006extended")

    quant: Quantisation | None = parameter(
        None,
        "specificity|generalised|strict",
        "how assessments become gains; by default specificity from 2006 on, generalised up to 2005",
    )

    def has_readers_of(self, user: str) -> bool:
        return self.reads_targets(user)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """Where nothing can be gained the value is undefined, answered or not."""
        if judged.truth.path is None:
            return Score(0.0)
        return Score(0.0 if len(judged.recall_base(self.quant)) else None)


@dataclass(frozen=True)
class CumulatedGain(GainMeasure):
    """Gain after k results, of the ideal recall base by default."""

    cutoff: ClassVar[Cutoff] = "rank"
    cutoff_required: ClassVar[bool] = True

    base: Base = parameter("ideal", "ideal|full", "the ideal recall base (focused), or the full one (thorough)")
    alpha: float | None = zero_to_one(None, "penalty for overlap, by the older rule")

    def curves(self, judged: JudgedTopic) -> Curves:
        return curves(judged, self.quant, self.base, self.alpha)

    def gain_table(self, judged: JudgedTopic) -> Table:
        return gain_table(judged, self.quant, self.base, self.alpha)


@dataclass(frozen=True, eq=False)
class Curves:
    """Cumulated gain by rank (index 0: rank 1), of the run and of the ideal list."""

    run: FloatArray
    ideal: FloatArray  # of the base, by decreasing gain
    rises: FloatArray  # whether the run's gain rises at each rank

    @property
    def total(self) -> float:
        return float(self.ideal[-1]) if len(self.ideal) else 0.0

    def run_at(self, rank: int) -> float:
        return float(self.run[min(rank, len(self.run)) - 1]) if len(self.run) else 0.0

    def ideal_at(self, rank: int) -> float:
        return float(self.ideal[min(rank, len(self.ideal)) - 1]) if len(self.ideal) else 0.0

    def ideal_position(self, gain: FloatArray) -> FloatArray:
        """Where the ideal curve, drawn in straight lines through (0, 0), reaches a gain."""
        corners = np.concatenate([[0.0], self.ideal])
        return np.interp(gain, corners, np.arange(len(corners), dtype=np.float64))


@once_for_each
def row_gains(judged: JudgedTopic, quant: Quantisation | None, base: Base, alpha: float | None) -> FloatArray:
    """What each pointer adds. On spans and documents both bases are the targets, and none counts twice."""
    ranked = ranked_gains(judged, quant)
    if alpha is not None:
        return with_alpha(ranked, alpha)
    if base == "full" and ranked.base is not None:
        return ranked.gain
    return focused(ranked)


@once_for_each
def curves(judged: JudgedTopic, quant: Quantisation | None, base: Base, alpha: float | None = None) -> Curves:
    ranked = ranked_gains(judged, quant)
    gained = row_gains(judged, quant, base, alpha)
    by_rank = np.bincount(judged.ranking.rank, weights=gained, minlength=judged.ranking.ranks).astype(np.float64)
    worth = ranked.ideal if base == "ideal" else ranked.full
    ideal = np.cumsum(np.sort(worth)[::-1])
    run = np.cumsum(by_rank)
    if len(ideal) and alpha is None:
        run = np.minimum(run, ideal[-1])  # the same sum in another order may end an ulp higher
    return Curves(run, ideal, (by_rank > 0).astype(np.float64))


def gain_table(
    judged: JudgedTopic, quant: Quantisation | None, base: Base, alpha: float | None, most: int = 30
) -> Table:
    """Which result gained what, and why."""
    ranked = ranked_gains(judged, quant)
    gained = row_gains(judged, quant, base, alpha)
    cumulated = np.cumsum(gained)
    rows = []
    shown = range(min(len(judged.ranking), most))
    reasons = [_why(judged, ranked, gained, row) for row in shown]
    because = nothing_once(reasons, [int(judged.ranking.rank[row]) + 1 for row in shown])
    for row in shown:
        rows.append(
            [
                f"{int(judged.ranking.rank[row]) + 1} ({judged.ranking.name(row)})",
                number(float(ranked.gain[row])),
                number(float(gained[row])),
                number(float(cumulated[row])),
                because[row],
            ]
        )
    return Table("What each result gains", ["rank", "worth", "gains", "so far", "because"], rows, align="<>>><")


def _why(judged: JudgedTopic, ranked: RankedGains, gained: FloatArray, row: int) -> str:
    if judged.ranking.repeated is not None and judged.ranking.repeated[row]:
        return "a repeat of an earlier result gains nothing"
    if ranked.gain[row] == 0:
        return _why_nothing(judged, row)
    if gained[row] == ranked.gain[row]:
        return "all of it is new"
    met = ", ".join(ranked.ideal_names[i] for i in ranked.overlaps[row]) or "no ideal unit"
    if gained[row] == 0:
        return f"what it could add to {met} was gained before"
    return f"part of what it could add to {met} was gained before"


def _why_nothing(judged: JudgedTopic, row: int) -> str:
    """Why a result is worth nothing: elements may not have been assessed, or be too small, or be left out."""
    truth, ranking = judged.truth, judged.ranking
    if truth.path is None or ranking.path is None or ranking.path_of(row)[1]:
        return "nothing relevant in it"
    document, path = ranking.documents[int(ranking.document[row])], ranking.path_of(row)[0]
    if paths.matches(paths.element_name(path), judged.ignore_elements):
        return "elements of this name are skipped"
    at = truth.elements.get((document, path))
    if at is None:
        known = document in judged.judged_documents
        # from 2005 on every element with highlighted text is listed
        return "nothing relevant in it" if known and judged.scale != "2002" else "not assessed"
    grades = [column[at] for column in (truth.exhaustivity, truth.specificity) if column is not None]
    if judged.scale == "2002" and any(math.isnan(grade) for grade in grades):
        return "not assessed"
    if judged.scale == "2005" and truth.exhaustivity is not None and truth.exhaustivity[at] == 0 and grades[-1] > 0:
        return "too small to be worth anything by itself"
    return "nothing relevant in it" if truth.grade[at] <= 0 else "relevant, but worth nothing by this quantisation"
