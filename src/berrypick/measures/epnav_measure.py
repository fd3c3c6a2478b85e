"""epnav: effort-precision with navigation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.errors import UsageError
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.parameters import parameter
from berrypick.core.reach import Reach
from berrypick.core.score import Curve, Score
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels import gain_law
from berrypick.kernels.poisson_binomial import number_seen, weighted_law
from berrypick.measures._working import reach_table, target_quantisation
from berrypick.measures.base import LEVELS, Measure
from berrypick.relevance.gains import Quantisation


@dataclass(frozen=True)
class epnav(Measure):
    """Ratio of the effort an ideal list needs to reach a share of the gain to the effort this list needs.

    Formula
    -------
    With gains g[x] on the targets, effort e[k] on the ranks, ce the cumulated effort, gr = l x sum of gains::

        cg[i]      = sum_x g[x] [x seen after rank i]
        E[ep(gr)]  = ce_ideal(gr) x E[1/ce_run(gr)]
        E[1/ce]    = sum_{k<N} P(cg[k] >= gr) (1/ce[k] - 1/ce[k+1]) + P(cg[N] >= gr)/ce[N]
        epnav@l    = E[ep(l x sum of gains)]
        epnav      = mean of epnav@l over l = .01, .02 .. 1

    The ideal list holds the targets by decreasing gain (then smaller effort), each reaching only itself at its own
    effort. Effort e[k] is that of the results at rank k; what readers browse to costs them as well. Among those who
    reach the gain gr at rank k (2007, section 5.1)::

        ce[k]  = sum_{j<=k} e[j] + sum_x min(1, seen[k,x]/P(cg[k] >= gr)) x b[k,x]
        b[k,x] = sum_{j<=k} (seen[j,x] - seen[j-1,x]) out[j,x] / seen[k,x]

    with out[j,x] the effort of the part of target x outside of the results at rank j. This is an estimate, which the
    signature says (browsing:estimate), and exact where one target is always browsed to at the same cost. With effort
    rank browsing costs nothing; effort clicks counts 1 a result and 1 a target browsed to.
    points='ideal' takes the mean at the gains of the ideal list's own ranks instead of .01 .. 1.

    The law of cg is exact while the distinct sums of gains can be listed; otherwise a grid is used, which
    the signature then says (law:grid), and a note gives the precision reached.

    Meaning
    -------
    1: no effort is wasted. 0.5: readers spend twice the effort that is needed, on average, to collect that much.

    Use
    ---
    When targets are of different worth (grades), or when results cost different effort: effort chars charges the
    text a reader goes through at a rank and browses to, effort seconds the time.

    With effort rank and targets of equal gain epnav@l is EPRUM@l, whose ideal='certified' searches the best list of all
    candidates with a bound. For other efforts and gains there is no such search, and the ideal list is that of targets.

    Bounds
    ------
    From 0. It can exceed 1 with unequal efforts, or when one result leads to several targets.

    Undefined
    ---------
    No targets.

    Example
    -------
    Documents d1, d2, d3, of which d3 is wanted; 40% go on to it from d1, 30% from d2. It is found after 1, 2 or 3 ranks
    by .4, .18 and .42 of the readers: .4/1 + .18/2 + .42/3

    >>> import berrypick as bp
    >>> from berrypick.core.navigation import ReachTable
    >>> clicks = ReachTable({("d1", "d3"): 0.4, ("d2", "d3"): 0.3})
    >>> round(bp.score("epnav", {"q": {"d3": 1}}, {"q": {"d1": 3, "d2": 2, "d3": 1}}, navigation=clicks), 4)
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

    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")
    quant: Quantisation | None = target_quantisation()

    points: Literal["levels", "ideal"] = parameter(
        "levels", "levels|ideal", "where the mean is taken: at .01 .. 1, or at the gains of the ideal list's own ranks"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at is not None and self.points == "ideal":
            raise UsageError("epnav takes one of points='ideal' and @level, not both")

    def _levels(self, judged: JudgedTopic) -> tuple[float, ...]:
        if self.at is not None:
            return (float(self.at),)
        if self.points == "levels":
            return LEVELS
        gain = np.cumsum(-np.sort(-judged.targets.gain))
        return tuple((gain / gain[-1]).tolist())

    def _working(self, judged: JudgedTopic) -> Working:
        return _of(judged, self._levels(judged))

    def compute(self, judged: JudgedTopic) -> Score:
        working = self._working(judged)
        value = math.fsum(working.precision) / len(working.precision)
        browsing = () if not working.browsing else (("browsing", working.browsing),)
        if not working.cells:
            return Score(value, signed=(("law", "exact"), *browsing))
        note = f"the gain distribution was computed on a grid; the value is exact to within {working.doubt.max():.1g}"
        return Score(value, (note,), (("law", f"grid({working.cells})"), *browsing))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(0.0, signed=(("law", "exact"),))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        working = _of(judged, LEVELS)
        return [(level, float(y)) for level, y in zip(LEVELS, working.precision, strict=True)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        targets, names = judged.targets.names(), judged.items.names_by_rank()
        levels = (0.25, 0.5, 0.75, 1.0) if self.at is None and self.points == "levels" else self._levels(judged)[:8]
        working = _of(judged, levels)
        total = float(judged.targets.gain.sum())
        reached, _, _ = _reached(judged.reach, judged.targets.gain, _thresholds(judged.targets.gain, levels))
        expected = judged.reach.seen @ judged.targets.gain
        rows = [
            [
                f"{k} ({names[k - 1]})",
                number(float(working.spent[event])),
                number(float(expected[event])),
                *(number(float(p)) for p in reached[event]),
            ]
            for event, k in enumerate(judged.reach.events.tolist())
        ][:30]
        terms = [
            [f"{level:g}", number(level * total), *(number(float(v), 6) for v in values)]
            for level, *values in zip(levels, working.ideal, working.inverse, working.precision, strict=True)
        ]
        return Explanation(
            f"{self.canonical()} for topic {judged.topic}",
            [
                reach_table(judged.reach, names, targets),
                Table(
                    "Effort spent on the list, gain expected, and P(gain >= level x total)",
                    ["rank", "effort", "E[gain]", *(f"l={level:g}" for level in levels)],
                    rows,
                ),
                Table(
                    "Effort-precision at gain-recall levels",
                    ["level", "gain", "ideal effort", "E[1/effort]", "precision"],
                    terms,
                ),
                *(["Browsing to targets outside of the results costs effort too."] if working.browsing else []),
                f"{self} = {number(self.compute(judged).value or 0.0, 6)}",
            ],
        )


@dataclass(frozen=True)
class Working:
    """By level: the ideal list's effort, E[1/effort] of the run, their product, its uncertainty.

    ``spent`` is the effort of the list up to each event, without browsing; ``browsing`` says how exact that part is.
    """

    ideal: FloatArray
    inverse: FloatArray
    precision: FloatArray
    doubt: FloatArray
    cells: int
    spent: FloatArray
    browsing: Literal["", "exact", "estimate"] = ""


@lru_cache(maxsize=4)
def _of(judged: JudgedTopic, levels: tuple[float, ...]) -> Working:
    effort = judged.effort
    return work(judged.reach, judged.targets.gain, effort.ranks, effort.targets, effort.outside, levels)


def work(
    reach: Reach,
    gains: FloatArray,
    effort: FloatArray,
    target_effort: FloatArray,
    outside: FloatArray,
    levels: tuple[float, ...],
) -> Working:
    """``outside``: for each entry of the reach, the effort of the part of the target outside of the result."""
    wanted = _thresholds(gains, levels)
    ideal = _ideal_effort(gains, target_effort, wanted)
    if not len(reach.events):
        nothing = np.zeros(len(levels))
        return Working(ideal, nothing, nothing, nothing, 0, np.zeros(0))
    spent = np.cumsum(effort)[reach.events - 1]
    if not outside.any():
        weight = _by_parts(spent)
        if gain_law.are_equal(gains):
            inverse = gain_law.reached_by_count(weighted_law(reach, weight), gains, wanted)
            doubtful, cells = np.zeros(len(levels)), 0
        else:
            reached, doubt, cells = _reached(reach, gains, wanted)
            inverse, doubtful = weight @ reached, weight @ doubt
        return Working(ideal, inverse, ideal * inverse, ideal * doubtful, cells, spent)
    reached, doubt, cells = _reached(reach, gains, wanted)
    weight = _by_parts(spent[:, None] + _browsed(reach, outside, reached))
    inverse, doubtful = (weight * reached).sum(axis=0), (np.abs(weight) * doubt).sum(axis=0)
    same = reach.targets == 1 and len(np.unique(outside)) == 1
    browsing: Literal["exact", "estimate"] = "exact" if same else "estimate"
    return Working(ideal, inverse, ideal * inverse, ideal * doubtful, cells, spent, browsing)


def _reached(reach: Reach, gains: FloatArray, wanted: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """P(cg >= wanted), events x levels; the half-width of its uncertainty; the cells of the grid (0: exact)."""
    if not gain_law.are_equal(gains):
        return gain_law.reached(gains, reach.seen, reach.unseen, wanted)
    found = np.minimum(gain_law.reached_by_count(number_seen(reach), gains, wanted), 1.0)
    return found, np.zeros_like(found), 0


def _thresholds(gains: FloatArray, levels: tuple[float, ...]) -> FloatArray:
    """The gain at each level, less what sums may have lost by rounding."""
    return np.asarray(levels) * gains.sum() * (1 - 1e-9)


def _by_parts(spent: FloatArray) -> FloatArray:
    """The weight of each event: 1/spent there minus 1/spent at the next one."""
    weight = np.empty_like(spent)
    weight[:-1] = (spent[1:] - spent[:-1]) / (spent[:-1] * spent[1:])
    weight[-1] = 1.0 / spent[-1]
    return weight


def _browsed(reach: Reach, outside: FloatArray, reached: FloatArray) -> FloatArray:
    """events x levels: the effort of browsing among readers who have reached the gain.

    The sum over targets of min(1, seen/P) b, with b the mean cost of those who have seen the target.
    """
    cost = np.zeros_like(reach.at_events)
    cost[np.searchsorted(reach.events, reach.rank + 1), reach.target] = outside
    before = np.vstack([np.ones((1, reach.targets)), reach.unseen[:-1]])
    paid = np.cumsum(before * reach.at_events * cost, axis=0)
    each = np.divide(paid, reach.seen, out=np.zeros_like(paid), where=reach.seen > 0)
    found = np.empty_like(reached)
    for level in range(reached.shape[1]):  # one at a time: events x targets x levels would not fit
        share = reached[:, level, None]
        seen = np.divide(reach.seen, share, out=np.ones_like(reach.seen), where=share > reach.seen)
        found[:, level] = (seen * each).sum(axis=1)
    return found


def _ideal_effort(gains: FloatArray, effort: FloatArray, wanted: FloatArray) -> FloatArray:
    """The effort of the ideal list until each wanted gain is reached."""
    order = np.lexsort((np.arange(len(gains)), effort, -gains))
    gain, spent = np.cumsum(gains[order]), np.cumsum(effort[order])
    return spent[np.minimum(np.searchsorted(gain, wanted), len(gain) - 1)]
