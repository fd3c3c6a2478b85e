"""epnav: effort-precision with navigation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.parameters import parameter
from berrypick.core.score import Curve, Score
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels import gain_law
from berrypick.measures._working import reach_table, target_quantisation
from berrypick.measures.base import LEVELS, Measure
from berrypick.relevance.gains import Quantisation


@dataclass(frozen=True)
class epnav(Measure):
    """The effort an ideal list asks for to collect a share of the gain, over the effort this list asks for.

    Formula
    -------
    With gains g[x] on the targets, effort e[k] on the ranks, ce the cumulated effort, gr = l x sum of gains::

        cg[i]      = sum_x g[x] [x seen after rank i]
        E[ep(gr)]  = ce_ideal(gr) x E[1/ce_run(gr)]
        E[1/ce]    = sum_{k<N} P(cg[k] >= gr) (1/ce[k] - 1/ce[k+1]) + P(cg[N] >= gr)/ce[N]
        epnav@l    = E[ep(l x sum of gains)]
        epnav      = mean of epnav@l over l = .01, .02 .. 1

    The ideal list holds the targets by decreasing gain (then smaller effort), each reaching only itself at its own
    effort. The law of cg is exact while the distinct sums of gains can be listed; otherwise a grid is used, which
    the signature then says (law:grid), and a note gives the precision reached.

    Meaning
    -------
    1: nothing read in vain. 0.5: readers spend twice the effort that is needed, on average, to collect that much.

    Use
    ---
    When targets are of different worth (grades), or when results cost different effort: --effort chars charges the
    text a reader goes through at a rank, --effort seconds the time.

    Bounds
    ------
    From 0. It can exceed 1 with unequal efforts, or when one result leads to several targets.

    Undefined
    ---------
    No targets.

    Example
    -------
    Documents d1, d2, d3, of which d3 is wanted; 40% go on to it from d1, 30% from d2: E[1/ce] = .63

    >>> import berrypick as bp
    >>> round(float(bp.effort_precision([[.4], [.3], [1]], gains=[1])[-1]), 2)
    0.63
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    depends_on: ClassVar[tuple[str, ...]] = ("user", "targets", "effort")
    references: ClassVar[tuple[str, ...]] = ("kazai2007effort",)
    curve_axes: ClassVar[tuple[str, str]] = ("gain-recall", "effort-precision")
    why_above_one: ClassVar[str] = (
        "with unequal efforts, or where one result leads to several targets, the list of targets is not always the "
        "cheapest list"
    )

    user: str | None = parameter(None, "text", "the user model, instead of the one that the evaluation names")
    quant: Quantisation | None = target_quantisation()

    def _working(self, judged: JudgedTopic) -> Working:
        return _of(judged, (float(self.at),) if self.at is not None else LEVELS)

    def compute(self, judged: JudgedTopic) -> Score:
        working = self._working(judged)
        value = math.fsum(working.precision) / len(working.precision)
        if not working.cells:
            return Score(value, signed=(("law", "exact"),))
        note = f"the law of the gain was computed on a grid; the value is exact to within {working.doubt.max():.1g}"
        return Score(value, (note,), (("law", f"grid({working.cells})"),))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(0.0, signed=(("law", "exact"),))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        working = _of(judged, LEVELS)
        return [(level, float(y)) for level, y in zip(LEVELS, working.precision, strict=True)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        targets, names = judged.targets.names(), judged.ranking.names_by_rank()
        levels = (float(self.at),) if self.at is not None else (0.25, 0.5, 0.75, 1.0)
        working = _of(judged, levels)
        effort = np.cumsum(judged.effort.ranks)
        expected = judged.reach.seen @ judged.targets.gain
        rows = [
            [
                f"{k} ({names[k - 1]})",
                number(float(effort[k - 1])),
                number(float(expected[event])),
                *(number(float(p)) for p in working.reached[event]),
            ]
            for event, k in enumerate(judged.reach.events.tolist())
        ][:30]
        total = float(judged.targets.gain.sum())
        terms = [
            [f"{level:g}", number(level * total), *(number(float(v), 6) for v in values)]
            for level, *values in zip(levels, working.ideal, working.inverse, working.precision, strict=True)
        ]
        return Explanation(
            f"{self} for topic {judged.topic}",
            [
                reach_table(judged.reach, names, targets),
                Table(
                    "Effort spent, gain expected, and P(gain >= level x total)",
                    ["rank", "effort", "E[gain]", *(f"l={level:g}" for level in levels)],
                    rows,
                ),
                Table(
                    "Effort-precision at gain-recall levels",
                    ["level", "gain", "ideal effort", "E[1/effort]", "precision"],
                    terms,
                ),
                f"{self} = {number(self.compute(judged).value or 0.0, 6)}",
            ],
        )


@dataclass(frozen=True)
class Working:
    """By level: the ideal list's effort, E[1/effort] of the run, their product, its uncertainty."""

    reached: FloatArray
    ideal: FloatArray
    inverse: FloatArray
    precision: FloatArray
    doubt: FloatArray
    cells: int


@lru_cache(maxsize=4)
def _of(judged: JudgedTopic, levels: tuple[float, ...]) -> Working:
    return work(
        judged.reach.events,
        judged.reach.seen,
        judged.reach.unseen,
        judged.targets.gain,
        judged.effort.ranks,
        judged.effort.targets,
        levels,
    )


def work(
    events: np.typing.NDArray[np.int64],
    seen: FloatArray,
    unseen: FloatArray,
    gains: FloatArray,
    effort: FloatArray,
    target_effort: FloatArray,
    levels: tuple[float, ...],
) -> Working:
    wanted = np.asarray(levels) * gains.sum() * (1 - 1e-9)
    ideal = _ideal_effort(gains, target_effort, wanted)
    if not len(events):
        nothing = np.zeros(len(levels))
        return Working(np.zeros((0, len(levels))), ideal, nothing, nothing, nothing, 0)
    reached, doubt, cells = gain_law.reached(gains, seen, unseen, wanted)
    spent = np.cumsum(effort)[events - 1]
    weight = np.empty_like(spent)
    weight[:-1] = (spent[1:] - spent[:-1]) / (spent[:-1] * spent[1:])
    weight[-1] = 1.0 / spent[-1]
    inverse = weight @ reached
    return Working(reached, ideal, inverse, ideal * inverse, ideal * (weight @ doubt), cells)


def _ideal_effort(gains: FloatArray, effort: FloatArray, wanted: FloatArray) -> FloatArray:
    """The effort of the ideal list until each wanted gain is reached."""
    order = np.lexsort((np.arange(len(gains)), effort, -gains))
    gain, spent = np.cumsum(gains[order]), np.cumsum(effort[order])
    return spent[np.minimum(np.searchsorted(gain, wanted), len(gain) - 1)]
