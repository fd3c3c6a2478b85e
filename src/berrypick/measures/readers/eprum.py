"""EPRUM: expected precision-recall with user modelling."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from berrypick.data import papers as cite
from berrypick.data.arrays import BoolArray
from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws
from berrypick.data.parameters import one_or_more, parameter
from berrypick.data.reach import Reach
from berrypick.data.score import Curve, Explanation, Score, number
from berrypick.ideal.best_list import BestList
from berrypick.kernels.joint_bounds import End
from berrypick.kernels.lists import ideal as ideals
from berrypick.measures._reach_tables import item_tables
from berrypick.measures._searched_lists import IdealName, SearchedLists, ideal_list
from berrypick.measures.base import LEVELS, recall_value
from berrypick.measures.blocks import SpanBlock
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
from berrypick.measures.readers._dependence import ADDED_UP, adds_up, bounds_of_pair, check_together
from berrypick.measures.readers._eprum_papers import PAPERS
from berrypick.measures.readers._eprum_readers import reader_values
from berrypick.measures.readers._eprum_working import working
from berrypick.measures.readers._expected_precision import (
    LawName,
    TailName,
    TogetherName,
    precision_at_rank,
    precisions,
)
from berrypick.measures.readers._list_items import (
    list_of_documents,
    several_documents_note,
    takes_all,
    target_list_notes,
)
from berrypick.measures.readers._surely import places, sure_curves, sure_events, sure_scores
from berrypick.measures.readers._targets import TargetMeasure
from berrypick.topics.context import JudgingContext
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic

if TYPE_CHECKING:
    from berrypick.measures.readers._needed_set import NeededSet


@dataclass(frozen=True)
class EPRUM(TargetMeasure):
    """Expected precision at a recall value, for readers who navigate on from the results.

    Formula
    -------
    With t targets, a list of N ranks, and F_k the number of targets seen after rank k::

        precision(r) = E[ML*_r] x E[A_r / ML_r]
        E[A_r/ML_r]  = sum_{k<N} P(F_k >= r)/(k(k+1)) + P(F_N >= r)/N
        E[ML*_r]     = 1 + sum_{k>=1} P(F*_k < r)      over the ideal list for r
        EPRUM        = (1/t) sum_{r=1..t} precision(r)
        EPRUM(rank=k) = (1/k) sum_f P(F_k = f) E[ML*_f]

    F_k is a sum of independent indicators with the probabilities seen[k, x] = 1 - prod_{j<=k} (1 - reach[j, x]); its
    law is computed exactly; law='normal' takes a normal law above ten partly seen targets, as section 5 of the paper
    says below equation 7, without giving the formula:
    with a of them surely and m partly seen, P(F >= r) is 1 for r <= a, 0 for r > a + m, and that of a normal law above
    r - a - 1/2 between. With
    ideal='targets' the r-th target is found at rank r, so E[ML*_r] = r; for readers who go through all pointers of a
    list item (fetch_browse with consider=1) it is the least number of documents that hold r targets.
    ideal='certified' searches for the best list of the candidates (the targets, and all that leads to them), and states
    how far from the best it can be at most. Where an item may hold several pointers, candidates are items: any pointers
    of one document in any order, each pointer once in a list.
    With norm='bounded' E[A_r/ML_r] is divided by a bound that no list of the candidates and of this run's results
    exceeds; it is the largest value of any such list where the gap is 0.
    Where targets are ideal for a share of the readers only, the value is the weighted mean over satisfaction levels
    (section 3.1 of the paper). Levels at which nothing is ideal are left out and the other weights renormalised, since
    these readers want nothing. EPRUM(r=k) is the mean over the levels with at least k targets, and a note gives the
    share of readers that they are.

    Reach says how likely each target is seen, and independence of the targets is an assumption. together='low' and
    'high' do without it: with q_(1) <= .. <= q_(t) the seen probabilities after rank k, whatever is seen together::

        P(F_k >= r) <= min(1, min_{0 <= m < r} (q_(1) + .. + q_(t-m)) / (r - m))
        P(F_k >= r) >= 1 - the same for the unseen probabilities and t - r + 1

    in the place of P(F_k >= r). No tighter bound holds for a rank and r; for r = 1 and r = t one joint law attains it
    at all ranks at once. Over several recall values and satisfaction levels the bounds are added up, which is valid and
    wide. E[ML*_r] stays what it is under independence. EPRUM(rank=k) with ideal='targets' is E[F_k]/k under every law.

    need='set' asks for one sufficient answer instead of a number of targets: all targets of one ``set`` of the truth,
    or one of every ``hop``. With P_k the chance that it is enough after rank k::

        EPRUM(need='set') = m x (sum_{k<N} P_k/(k(k+1)) + P_N/N)

    m is the number of targets that are enough at least (for fetch_browse with consider=1 of documents that hold them);
    with ideal='exact' the least 1 + sum_{k>=1} (1 - P*_k) of any order of at most 8 candidates.

    Meaning
    -------
    The ideal list's effort divided by this list's, in ranks, until r targets are seen. 1 means no detour; 0.5 means
    twice as many ranks as needed, on average over readers. A list that never leads to r targets scores 0 there.

    Use
    ---
    Lists whose items lead to answers without being answers: a section around the paragraph, a page one click away, a
    video segment that starts too early. The user model (options user, navigation) gives the chance of getting there.

    Bounds
    ------
    From 0. The product can exceed 1 where one result leads to several targets at once, even on the ideal list itself;
    EPRUM(ideal='certified',norm='bounded') stays within [0, 1]. So does ideal='exact' with at most 8 candidates;
    ideal='greedy' may not.

    Undefined
    ---------
    No targets; EPRUM(r=) with more than t; no list of candidates that surely reaches r (product norm).

    Example
    -------
    Results c, d, a; targets a, b; 40% of readers go on from c to a, 40% from c to b, and so on. The mean of the
    precision at recall values 1 and 2, .8056 and .7488:

    >>> import berrypick as bp
    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    >>> round(bp.score("EPRUM", {"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "d": 2, "a": 1}}, navigation=clicks), 4)
    0.7772
    >>> bp.eprum([[.4, .4], [.6, .4], [1, 0]]).round(4).tolist()
    [0.8056, 0.7488]

    Targets a, b, and a page h from which 90% go on to each. For both targets (h, a, b) is the best list there is, with
    E[ML*] = 1.29 where the list of the targets has 2. The product exceeds 1 on it, the bounded norm does not:

    >>> targets, best = [[1, 0], [0, 1]], [[.9, .9], [1, 0], [0, 1]]
    >>> bp.eprum(best, candidates=[*targets, [.9, .9]], ideal='certified').round(3).tolist()
    [0.995, 1.146]
    >>> bp.eprum(best, candidates=[*targets, [.9, .9]], ideal='certified', norm='bounded').round(4).tolist()
    [0.995, 1.0]

    Whatever is seen together, precision at recall values 1 and 2 of the first list lies within [.66, .90] and
    [.56, 1.04]:

    >>> clicks = [[.4, .4], [.6, .4], [1, 0]]
    >>> [bp.eprum(clicks, together=end).round(4).tolist() for end in ('low', 'high')]
    [[0.66, 0.56], [0.9, 1.04]]
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("reach-raised")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "idealism")
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = (
        "piwowarski2006eprum",
        "lalmas2007inex",
        "hoeffding1956successes",
        "branden2020lorentzian",
        "rueger1978",
    )
    papers: ClassVar[tuple[cite.PaperItem, ...]] = PAPERS
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "expected precision")
    why_above_one: ClassVar[str] = (
        "the product of expectations exceeds 1 when one result can lead to several targets at once; "
        "EPRUM(ideal='certified',norm='bounded') stays within 1"
    )
    scored_in_blocks: ClassVar[bool] = True

    r: int | None = one_or_more(None, "the recall value: how many targets the reader wants")
    rank: int | None = parameter(
        None, "int", "the rank after which the reader stops", check=lambda v: 1 <= v < 2**53, must="from 1 to 2^53"
    )
    ideal: IdealName = parameter(
        "targets",
        "targets|greedy|exact|certified",
        "the ideal list: the targets themselves, a greedy search over candidates, all orders of at most 8, or the best "
        "list found for any number of candidates with a proven bound on its distance from the best",
    )
    gap: float | None = gap_parameter()
    nodes: int | None = nodes_parameter("recall value")
    seconds: float | None = seconds_parameter("recall value")
    norm: NormName = norm_parameter()
    law: LawName = parameter(
        "exact", "exact|normal", "distribution of the number seen: exact, or normal as in the papers, for old results"
    )
    together: TogetherName = parameter(
        "independent",
        "independent|low|high",
        "joint distribution of the targets seen: independent, as in the papers, or the lowest and highest value "
        "without that assumption",
    )
    need: Literal["targets", "set"] | None = parameter(
        None,
        "targets|set",
        "what the reader wants: a number of targets, or one sufficient set of them (hops: one of each)",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(value is not None for value in (self.r, self.rank, self.at)) > 1:
            raise UsageError("EPRUM takes one of r=, rank= and @level, not several")
        check_search(self, "'certified', 'exact' or 'greedy'")
        if self.norm == "bounded" and self.rank is not None:
            raise UsageError("EPRUM(rank=) has no bounded norm; use EPRUM(r=...) or EPRUM@level with norm='bounded'")
        if self.together != "independent":
            check_together(self)
        if self.needed_set is not None:
            self.needed_set.check()

    @property
    def needed_set(self) -> NeededSet | None:
        """What need='set' computes."""
        if self.need != "set":
            return None
        from berrypick.measures.readers._needed_set import NeededSet

        return NeededSet(self)

    def above_one(self) -> str:
        return self.why_above_one if self.needed_set is None else self.needed_set.why_above_one

    @property
    def tails(self) -> TailName:
        """Whence P(F >= r) comes."""
        return self.law if self.together == "independent" else self.together

    def no_best_lists(self) -> str:
        if self.need == "set":
            return "ideal lists are searched for recall values; EPRUM(need='set',ideal='exact') has its own"
        of_rank = self.rank is not None
        return "an ideal list is one for a recall value; use EPRUM, EPRUM(r=2) or EPRUM@0.5" if of_rank else ""

    def certified(self, nodes: int | None = None, seconds: float | None = None) -> EPRUM:
        return certified(self, nodes, seconds)

    def best_lists(self, judged: JudgedTopic) -> Iterator[BestList]:
        for weight, ideal, _ in judged.levels:
            targets = int(ideal.sum())
            if self.r is not None and self.r > targets:
                continue
            wanted = self.recall_values(targets)
            found, names, count = search_of(self).best(judged.candidates, ideal, wanted, ideals.OBJECTIVES[self.norm])
            for r, best in zip(wanted, found, strict=True):
                yield BestList(best, tuple(names[i] for i in best.order), targets, count, weight, r=r)

    def level_remedy(self, at: float) -> str:
        return f"; for precision at a rank, use EPRUM(rank={at:g})" if at == int(at) else ""

    def compute(self, judged: JudgedTopic) -> Score:
        if self.needed_set is not None:
            score = self.needed_set.score(judged)
            return replace(score, notes=(*score.notes, *several_documents_note(judged, score.value)))
        parts, lists = [], []
        for weight, ideal, reach in judged.levels:
            if self.r is not None and self.r > reach.targets:
                continue
            lists.append(self.ideal_lists(judged, ideal, reach))
            parts.append((weight, self._at_level(reach, lists[-1].ideal)))
        notes, signed = self._notes(judged, lists), signed_search(self, lists)
        if self.together != "independent":  # of the list alone: what ideal lists need is computed under independence
            signed = (*signed, ("ideal_together", "independent"))
        if not parts or any(math.isnan(value) for _, value in parts):
            return Score(None, notes, signed)
        total = math.fsum(weight for weight, _ in parts)
        value = math.fsum(weight * value for weight, value in parts) / total
        if len(parts) < len(judged.levels):
            share = number(100 * total, 1)
            notes = (*notes, f"mean over the {share}% of readers for whom at least {self.r} units are ideal")
        return Score(value, (*notes, *several_documents_note(judged, value)), signed)

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        """Where reach is certain, the number seen is not random, and the ideal list is that of the targets."""
        events = sure_events(self, spans, context)
        return None if events is None else sure_scores(self, events)

    def curves_of_block(
        self, spans: SpanBlock, context: JudgingContext, found: Mapping[str, Score]
    ) -> dict[str, tuple[Curve | None, Curve | None]]:
        events = sure_events(self, spans, context)
        assert events is not None  # where values were found
        return sure_curves(events, found, self.missing_topic_curve())

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """An empty list scores 0, but what no list can score stays undefined."""
        return Score(self.compute(judged).value)

    def _at_level(self, reach: Reach, best: ideals.Ideal) -> float:
        """The value when exactly these targets are ideal."""
        if self.rank is not None:
            return precision_at_rank(reach, self.rank, best, self.tails)
        precision = precisions(reach, best, self.norm, self.tails)
        wanted = self.recall_values(reach.targets)
        return math.fsum(precision[r - 1] for r in wanted) / len(wanted)

    def recall_values(self, targets: int) -> tuple[int, ...]:
        """Return the recall values that the value is made of."""
        if self.r is not None:
            return (self.r,)
        if self.at is not None:
            return (recall_value(self.at, targets),)
        return tuple(range(1, targets + 1))

    def ideal_lists(
        self, judged: JudgedTopic, ideal: BoolArray, reach: Reach, wanted: tuple[int, ...] | None = None
    ) -> SearchedLists:
        """Return the ideal lists of readers with these ideal targets, for some recall values."""
        if self.ideal == "targets":
            whole = judged.context.user.chances is not None and takes_all(judged)
            return SearchedLists(list_of_documents(judged, ideal) if whole else ideals.by_targets(reach.targets))
        wanted = self.recall_values(reach.targets) if wanted is None else wanted
        if judged.candidates.pointers:
            return search_of(self).items(self, judged, ideal, reach, wanted)
        rows = judged.candidates.reach
        rows = rows if ideal.all() else rows.columns(ideal)
        return ideal_list(self, rows, reach, wanted)

    def _notes(self, judged: JudgedTopic, lists: Sequence[SearchedLists] = ()) -> tuple[str, ...]:
        found = self._list_notes(judged, lists)
        return (*found, ADDED_UP) if adds_up(self, judged) else found

    def _list_notes(self, judged: JudgedTopic, lists: Sequence[SearchedLists]) -> tuple[str, ...]:
        if self.ideal == "certified":
            return gap_notes(self, lists)
        if self.ideal == "greedy" and self.norm == "bounded":
            return ("norm='bounded' with ideal='greedy' is not guaranteed to stay within 1; ideal='certified' is",)
        return target_list_notes(judged, "ideal='certified'") if self.ideal == "targets" else ()

    def bounded(self, end: End) -> EPRUM | None:
        if self.together != "independent" or self.law != "exact" or self.norm != "product" or self.need == "set":
            return None
        return replace(self, together=end)

    def pair_bounds(self, one: JudgedTopic, other: JudgedTopic) -> tuple[float, float] | None:
        return None if self.bounded("low") is None else bounds_of_pair(self, one, other)

    def is_mean_over_readers(self) -> bool:
        """Bounds are not."""
        return self.together == "independent"

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """A reader who sees the r-th target at rank k gets E[ML*_r]/k; readers differ in what is ideal for them."""
        return (
            reader_values(self, judged, sessions)
            if self.needed_set is None
            else self.needed_set.reader_values(judged, sessions)
        )

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """Precision at each recall value, as points (r/t, precision); several satisfaction levels are merged."""
        if self.need == "set":
            return None
        points = {r / reach.targets for _, _, reach in judged.levels for r in range(1, reach.targets + 1)}
        return self._points(judged, tuple(sorted(points)))

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        return None if self.need == "set" else self._points(judged, LEVELS)

    def missing_topic_curve(self) -> Curve | None:
        return None if self.need == "set" else super().missing_topic_curve()

    def _points(self, judged: JudgedTopic, xs: tuple[float, ...]) -> Curve:
        curves = []
        for weight, ideal, reach in judged.levels:
            best = self.ideal_lists(judged, ideal, reach, tuple(range(1, reach.targets + 1)))
            curves.append((weight, precisions(reach, best.ideal, self.norm, self.tails)))
        total = math.fsum(weight for weight, _ in curves)
        columns = [(weight * p)[places(xs, len(p))].tolist() for weight, p in curves]
        heights = (math.fsum(parts) / total for parts in zip(*columns, strict=True))
        return [(x, y) for x, y in zip(xs, heights, strict=True) if not math.isnan(y)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        if self.needed_set is not None:
            return self._explanation(judged, *item_tables(judged), *self.needed_set.explain(judged))
        parts, lists = working(self, judged)
        return Explanation(f"{self.canonical()} for topic {judged.topic}", (*parts, *self._notes(judged, lists)))
