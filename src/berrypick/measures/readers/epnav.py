"""epnav: effort-precision with navigation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import parameter
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.ideal.best_list import BestList
from berrypick.kernels import gain_law
from berrypick.measures._found_targets import TargetMeasure
from berrypick.measures._reach_tables import item_tables, reach_table
from berrypick.measures.base import LEVELS
from berrypick.measures.reader_values import ReaderValues
from berrypick.measures.readers._certificate import (
    NormName,
    certified,
    check_search,
    gap_notes,
    gap_parameter,
    nodes_parameter,
    norm_parameter,
    search_of,
    seconds_parameter,
    signed_search,
)
from berrypick.measures.readers._effort_precision import Working, reached_gains, thresholds, working_of
from berrypick.measures.readers._expected_precision import LawName
from berrypick.measures.readers._list_items import (
    several_documents_note,
    share_documents,
    takes_all,
    targets_by_document,
)
from berrypick.topics.measured_effort import candidates_effort
from berrypick.topics.reader_sessions import ReaderSessions, sorted_rows, weighted_inverse
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class epnav(TargetMeasure):
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
    effort; for readers who go through all pointers of a list item (fetch_browse with consider=1), and effort rank, an
    item of all its targets for each document. Effort e[k] is that of the results at rank k; what readers browse to
    costs them as well (2007, section 5.1), out[k,x] for the part of target x outside of the results at rank k.
    Where any one target has the gain gr, and so wherever there is one target, who reaches it at rank k has browsed to
    nothing before::

        E[1/ce] = sum_k P(nothing seen before k) x E[ [something seen at k] / (sum_{j<=k} e[j] + browsed[k]) ]

    with browsed[k] the sum of out[k,x] over the targets seen at rank k. This is exact, which the signature says
    (browsing:exact), while the different sums of a rank are at most 256. For gains that take several targets, ce[k] is
    estimated among those who reach gr at rank k (browsing:estimate)::

        ce[k]  = sum_{j<=k} e[j] + sum_x min(1, seen[k,x]/P(cg[k] >= gr)) x b[k,x]
        b[k,x] = sum_{j<=k} (seen[j,x] - seen[j-1,x]) out[j,x] / seen[k,x]

    With effort rank browsing costs nothing; effort clicks counts 1 a result and 1 a target browsed to.
    points='ideal' takes the mean at the gains of the ideal list's own ranks instead of .01 .. 1. points='run' is
    MAep for readers who navigate: the sum of E[ep] at the gains E[cg[k]] of the ranks k where E[cg] rises, divided by
    the number of these ranks or of the ideal list's, whichever is larger.

    The cheapest list may be another one. ideal='certified' searches it among the candidates (the targets, and all that
    leads to them, each at its own effort), for each gain by itself, and states how far from the best the list found can
    be at most; ce_ideal(gr) is then its E[ce(gr)], the sum over k of ce[k] times the share of readers who reach gr at
    rank k. With norm='bounded' E[1/ce_run] is divided by a bound that E[1/ce] of no list of the candidates and of this
    run's results exceeds.

    The law of cg is exact while the distinct sums of gains can be listed; otherwise a grid is used, which
    the signature then says (gains:grid), and a note gives the precision reached. law='normal' takes a normal
    distribution above ten partly seen targets, as the paper proposes: with mu and sd the mean and deviation of their
    gain, P(cg >= gr) is 1 up to the gain of surely seen targets, 0 above all that can be seen, and
    1 - Phi((gr - sure - mu)/sd) between. Ideal lists that are searched keep the exact distribution.

    Meaning
    -------
    1: no effort is wasted. 0.5: readers spend twice the effort that is needed, on average, to collect that much.

    Use
    ---
    When targets are of different worth (grades), or when results cost different effort: effort chars charges the
    text a reader goes through at a rank and browses to, effort seconds the time.

    Bounds
    ------
    From 0. It can exceed 1 with unequal efforts, or when one result leads to several targets; norm='bounded' with
    ideal='certified' or 'exact' stays within [0, 1].

    Undefined
    ---------
    No targets; no list of candidates that surely reaches the gain (product norm, ideal='certified' or 'exact').

    Example
    -------
    Documents d1, d2, d3, of which d3 is wanted; 40% go on to it from d1, 30% from d2. It is found after 1, 2 or 3 ranks
    by .4, .18 and .42 of the readers: .4/1 + .18/2 + .42/3

    >>> import berrypick as bp
    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("d1", "d3"): 0.4, ("d2", "d3"): 0.3})
    >>> round(bp.score("epnav", {"q": {"d3": 1}}, {"q": {"d1": 3, "d2": 2, "d3": 1}}, navigation=clicks), 4)
    0.63
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("reach-raised")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "effort")
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("kazai2007effort",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.effort(
            "4.2",
            "3",
            "equation",
            "effort cumulated over ranks",
            "bp.effort_precision([[1, 0], [0, 1]], [1, 1], effort=[2, 3], levels=[1])",
        ),
        cite.effort(
            "4.2",
            "5",
            "equation",
            "effort spent when a gain is reached",
            "bp.effort_precision([[1, 0], [0, 1]], [1, 1], effort=[2, 3], levels=[0.5])",
        ),
        cite.effort(
            "4.2",
            "6",
            "equation",
            "effort-precision in any unit of effort",
            "berrypick evaluate TRUTH RUN -m epnav@0.5 --effort chars",
        ),
        cite.effort(
            "4.2",
            "",
            "definition",
            "mean at the points where the gain rises, with navigation",
            "berrypick evaluate TRUTH RUN -m \"epnav(points='run')\"",
        ),
        cite.effort(
            "4.2",
            "",
            "definition",
            "mean at the gains of the ideal list's ranks",
            "berrypick evaluate TRUTH RUN -m \"epnav(points='ideal')\"",
        ),
        cite.effort(
            "5.1",
            "",
            "definition",
            "effort of what readers browse to",
            "berrypick evaluate TRUTH RUN -m epnav --user distance --effort chars",
        ),
        cite.effort(
            "6",
            "",
            "definition",
            "rank at which a gain is reached, as a random variable",
            "bp.effort_precision([[0.4], [0.3], [1]], [1], levels=[1])",
        ),
        cite.effort(
            "6",
            "9",
            "equation",
            "expected effort-precision as a product",
            "bp.effort_precision([[0.4], [0.3], [1]], [1], levels=[1])",
        ),
        cite.effort(
            "6",
            "",
            "definition",
            "expected inverse effort",
            "bp.effort_precision([[0.5, 0.2], [0, 0.5], [1, 0], [0, 1]], [2, 1], levels=[0.3, 0.5, 1])",
        ),
        cite.effort(
            "6",
            "",
            "definition",
            "exact distribution of the cumulated gain",
            "berrypick evaluate TRUTH RUN -m \"epnav(law='exact')\"",
        ),
        cite.effort(
            "6",
            "",
            "definition",
            "normal approximation above ten partly seen targets",
            "berrypick evaluate TRUTH RUN -m \"epnav(law='normal')\"",
        ),
        cite.effort(
            "6",
            "",
            "definition",
            "ideal list as the best of all lists, which the paper leaves open",
            "berrypick evaluate TRUTH RUN -m \"epnav(ideal='certified')\"",
        ),
        cite.effort(
            "6.1",
            "",
            "example",
            "three documents, of which readers browse to the third: .63",
            "bp.effort_precision([[0.4], [0.3], [1]], [1], levels=[1])",
        ),
        cite.effort(
            "6.1",
            "",
            "example",
            "the same without browsing: 1/3",
            "bp.effort_precision([[0], [0], [1]], [1], levels=[1])",
        ),
    )
    curve_axes: ClassVar[tuple[str, str]] = ("gain-recall", "effort-precision")
    why_above_one: ClassVar[str] = (
        "with unequal efforts, or where one result leads to several targets, the list of targets is not always the "
        "cheapest list; epnav(ideal='certified',norm='bounded') stays within 1"
    )

    ideal: Literal["targets", "exact", "certified"] = parameter(
        "targets",
        "targets|exact|certified",
        "the ideal list: the targets by decreasing gain, the cheapest of all orders of at most 8 candidates, or the "
        "cheapest list found for any number of candidates with a proven bound on its distance from the best",
    )
    gap: float | None = gap_parameter()
    nodes: int | None = nodes_parameter("gain")
    seconds: float | None = seconds_parameter("gain")
    norm: NormName = norm_parameter()

    points: Literal["levels", "ideal", "run"] = parameter(
        "levels",
        "levels|ideal|run",
        "where the mean is taken: at .01 .. 1, at the gains of the ideal list's own ranks, or at the expected gains of "
        "this list's ranks, as MAep does",
    )
    law: LawName = parameter(
        "exact",
        "exact|normal",
        "the distribution of the cumulated gain: exact, or normal as in the paper, for old results",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at is not None and self.points != "levels":
            raise UsageError(f"epnav takes one of points='{self.points}' and @level, not both")
        check_search(self, "'certified' or 'exact'")
        if self.law == "normal" and self.norm == "bounded":
            raise UsageError("epnav(norm='bounded') takes no law='normal', which its bound does not hold for")

    def kept_laws(self) -> tuple[str, ...]:
        """A list with more ranks has more points of its own, and a normal tail may fall where reach rises."""
        kept = super().kept_laws()
        broken = self.points == "run" or self.law == "normal"
        return without("relevant-added", "reach-raised", laws=kept) if broken else kept

    def no_best_lists(self) -> str:
        return "points='run' are those of a run; use epnav or epnav@0.5" if self.points == "run" else ""

    def certified(self, nodes: int | None = None, seconds: float | None = None) -> epnav:
        return certified(self, nodes, seconds)

    def best_lists(self, judged: JudgedTopic) -> Iterator[BestList]:
        lists = self._cheapest(judged, self._levels(judged))
        for level, best in zip(lists.last_levels(), lists.found, strict=True):
            yield BestList(best, tuple(lists.listed(best)), len(judged.targets), lists.candidates, level=level)

    def _levels(self, judged: JudgedTopic) -> tuple[float, ...]:
        if self.at is not None:
            return (float(self.at),)
        if self.points == "levels":
            return LEVELS
        if self.points == "run":
            return _risen(judged)
        gain = np.cumsum(_steps(judged))
        return tuple((gain / gain[-1]).tolist())

    def _divisor(self, judged: JudgedTopic, levels: tuple[float, ...]) -> int:
        """By what the sum over levels is divided."""
        return max(len(levels), len(_steps(judged))) if self.points == "run" else len(levels)

    def _working(self, judged: JudgedTopic, levels: tuple[float, ...]) -> Working:
        working = working_of(judged, levels, self.law)
        if self.ideal == "targets" and _counts_documents(judged):
            gain = np.cumsum(_steps(judged))
            places = np.searchsorted(gain, thresholds(judged.targets.gain, levels))
            return _against(working, np.minimum(places, len(gain) - 1) + 1.0)
        if self.ideal == "targets":
            return working
        return _compared(working, self._cheapest(judged, levels), self.norm)

    def _cheapest(self, judged: JudgedTopic, levels: tuple[float, ...]) -> Any:
        """Return the cheapest list for each gain."""
        wanted, exact = thresholds(judged.targets.gain, levels), self.ideal == "exact"
        return search_of(self).cheapest(
            judged, levels, wanted, candidates_effort, exact=exact, with_run=self.norm == "bounded"
        )

    def compute(self, judged: JudgedTopic) -> Score:
        levels = self._levels(judged)
        working = self._working(judged, levels)
        lists = [] if self.ideal == "targets" else [self._cheapest(judged, levels)]
        value = math.fsum(working.precision) / self._divisor(judged, levels)
        grid = (("gains", f"grid({working.cells})"),) if working.cells else ()
        browsing = () if not working.browsing else (("browsing", working.browsing),)
        signed = (*grid, *browsing, *signed_search(self, lists))
        notes = gap_notes(self, lists) if self.ideal == "certified" else ()
        notes += (*_item_notes(self, judged), *several_documents_note(judged, value))
        if working.cells:
            width = f"{working.doubt.max():.1g}"
            notes += (f"the gain distribution was computed on a grid; the value is exact to within {width}",)
        return Score(None if math.isnan(value) else value, notes, signed)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """An empty list scores 0, but what no list can score stays undefined."""
        if self.ideal == "targets":
            return Score(0.0)
        return self.compute(judged)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """The ideal list's effort for each gain over the effort each reader has spent on collecting it."""
        gains = judged.targets.gain
        wanted, ideal = _reader_weights(self, judged)
        spent = sessions.spent
        if gain_law.are_equal(gains):  # it does not matter which targets are seen
            worth = ideal[np.searchsorted(wanted, gains[0] * np.arange(len(gains) + 1), side="right")]
            return ReaderValues.of(weighted_inverse(np.diff(worth), sorted_rows(spent)))
        order = np.argsort(spent, axis=0, kind="stable")
        spent = np.take_along_axis(spent, order, axis=0)
        collected = np.cumsum(gains[order], axis=0)
        worth = ideal[np.searchsorted(wanted, collected, side="right")]
        worth[1:] -= worth[:-1].copy()
        return ReaderValues.of((worth / spent).sum(axis=0))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        values = self._working(judged, LEVELS).precision.tolist()
        return [(level, y) for level, y in zip(LEVELS, values, strict=True) if not math.isnan(y)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        targets, names = judged.targets.names(), judged.items.names_by_rank()
        levels = (0.25, 0.5, 0.75, 1.0) if self.at is None and self.points == "levels" else self._levels(judged)[:8]
        working = self._working(judged, levels)
        lists = [] if self.ideal == "targets" else [self._cheapest(judged, levels).table()]
        total = float(judged.targets.gain.sum())
        reached, _, _ = reached_gains(
            judged.reach, judged.targets.gain, thresholds(judged.targets.gain, levels), self.law
        )
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
        divisor = "ideal effort" if self.norm == "product" else "largest E[1/effort]"
        spent = "Effort spent on the list, gain expected, and P(gain >= level x total)"
        head = ["level", "gain", divisor, "E[1/effort]", "precision"]
        return self._explanation(
            judged,
            *item_tables(judged),
            reach_table(judged.reach, names, targets),
            Table(spent, ["rank", "effort", "E[gain]", *(f"l={level:g}" for level in levels)], rows),
            Table("Effort-precision at gain-recall levels", head, terms),
            *lists,
            *(["Browsing to targets outside of the results costs effort too."] if working.browsing else []),
            f"{self} = {self._value_text(judged)}",
        )


def _against(working: Working, ideal: FloatArray) -> Working:
    """The same run compared with another effort of the ideal list."""
    return replace(working, ideal=ideal, precision=ideal * working.inverse, doubt=ideal * working.doubt_of_inverse)


def _compared(working: Working, lists: Any, norm: NormName) -> Working:
    """The same run compared with other ideal lists; what no list reaches is undefined."""
    if norm == "product":
        return _against(working, lists.values())
    bound = lists.bounds()
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(bound > 0, working.inverse / bound, np.nan)
        return replace(working, ideal=bound, precision=precision, doubt=working.doubt_of_inverse / bound)


def _counts_documents(judged: JudgedTopic) -> bool:
    """Whether the ideal list has an item of all its targets for each document, at the effort of one rank."""
    return judged.effort_unit == "rank" and takes_all(judged)


def _steps(judged: JudgedTopic) -> FloatArray:
    """The gains of the ideal list's ranks."""
    gain = judged.targets.gain
    return targets_by_document(judged, gain) if _counts_documents(judged) else -np.sort(-gain)


def _risen(judged: JudgedTopic) -> tuple[float, ...]:
    """The shares of the total gain that are expected at the ranks where the expected gain rises."""
    gains = judged.targets.gain
    total = float(gains.sum())
    expected = judged.reach.seen @ gains if len(judged.reach.events) else np.zeros(0)
    risen = np.diff(expected, prepend=0.0) > 1e-12 * total
    return tuple((expected[risen] / total).tolist())


def _item_notes(measure: epnav, judged: JudgedTopic) -> tuple[str, ...]:
    """Where a list of items with several pointers might need less effort than the one compared with."""
    searched = judged.effort_unit == "rank" and measure.ideal != "targets"
    if not share_documents(judged) or takes_all(judged) or searched:
        return ()
    searches = "; ideal='certified' searches for it" if judged.effort_unit == "rank" else ""
    return (
        f"the ideal list has one pointer per item, but a list of items with several may take less effort{searches}",
    )


@lru_cache(maxsize=8)
def _reader_weights(measure: epnav, judged: JudgedTopic) -> tuple[FloatArray, FloatArray]:
    """The gain at each level; and what a reader's 1/effort is worth at no level, at the first, the first two, ..."""
    levels = measure._levels(judged)
    ideal = measure._working(judged, levels).ideal
    worth = (ideal if measure.norm == "product" else 1.0 / ideal) / measure._divisor(judged, levels)
    return thresholds(judged.targets.gain, levels), np.concatenate([[0.0], np.cumsum(worth)])
