"""EPRUM: expected precision-recall with user modelling."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, overload

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import BerrypickWarning, UsageError
from berrypick.data.laws import with_laws
from berrypick.data.observed import record, unrecorded
from berrypick.data.parameters import one_or_more, parameter
from berrypick.data.reach import Reach
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.ideal.best_list import BestList
from berrypick.kernels.joint_bounds import End, TwoLists, mean_terms
from berrypick.kernels.lists import ideal as ideals
from berrypick.measures._reach_tables import item_tables, law_table, reach_table, scenario_tables, whole_recall
from berrypick.measures._searched_lists import IdealName, SearchedLists, ideal_list, ideal_table
from berrypick.measures.base import LEVELS, recall_value
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
from berrypick.measures.readers._expected_precision import (
    LawName,
    TailName,
    TogetherName,
    bounds_table,
    expected_inverse,
    law_after,
    pair_ends,
    precision_at_rank,
    precisions,
    tails_at_events,
    terms_table,
)
from berrypick.measures.readers._list_items import (
    list_of_documents,
    several_at_once_note,
    several_documents_note,
    takes_all,
    target_list_notes,
)
from berrypick.measures.readers._surely import SureEvents, places, sure_curves
from berrypick.measures.readers._targets import TargetMeasure
from berrypick.measures.together import SpansTogether
from berrypick.topics.context import JudgingContext
from berrypick.topics.reader_sessions import ReaderSessions, sorted_rows, weighted_inverse
from berrypick.topics.topic import JudgedTopic
from berrypick.topics.two_lists import reach_of_both

#: What is said of bounds that are not those of one recall value.
_ADDED_UP = (
    "the bounds at several recall values or satisfaction levels are added up, though no joint law need attain all of "
    "them: they hold, and are wide; EPRUM(r=..,together=..) has each of them"
)


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
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "2",
            "",
            "definition",
            "precision at a recall level: least ranks of any list over ranks of this list",
            "berrypick evaluate TRUTH RUN -m EPRUM@0.5",
        ),
        cite.eprum(
            "2",
            "",
            "example",
            "a list without navigation, relevant at ranks 1 and 4 of 4, three targets: 1, .5, 0",
            "bp.eprum([[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]])",
        ),
        cite.eprum(
            "3.1",
            "",
            "definition",
            "satisfaction levels: targets that are ideal for a share of the readers",
            "berrypick evaluate TRUTH RUN -m EPRUM --idealism 0=0,1=.5,2=1",
        ),
        cite.eprum(
            "3.3",
            "1",
            "equation",
            "chance that a target was seen after some ranks, a noisy or",
            "bp.expected_ratio([[0.4], [0.6], [1]])",
        ),
        cite.eprum(
            "3.3",
            "",
            "table",
            "table 1: scenarios of the key example, their probabilities and inverse search lengths",
            "bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]])",
        ),
        cite.eprum(
            "4",
            "",
            "example",
            "list (c, d, a) with targets a and b: .8056 and .7488",
            "bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]])",
        ),
        cite.eprum(
            "5",
            "2",
            "equation",
            "rank at which a reader has found enough: here the second target at rank 3",
            "bp.eprum([[0, 0], [1, 0], [0, 1]], recall=2)",
        ),
        cite.eprum(
            "5",
            "",
            "definition",
            "expected precision as a product, if readers of both lists are independent",
            "berrypick evaluate TRUTH RUN -m \"EPRUM(norm='product')\"",
        ),
        cite.eprum(
            "5",
            "3",
            "equation",
            "expected ranks that the ideal list needs, by all orders of the candidates",
            'bp.eprum([[0.9, 0.9], [1, 0], [0, 1]], candidates=[[0.9, 0.9], [1, 0], [0, 1]], ideal="exact")',
        ),
        cite.eprum(
            "5",
            "",
            "example",
            "a page that leads to both targets with .9 makes a list of 1.29 ranks",
            'bp.eprum([[0.9, 0.9], [1, 0], [0, 1]], recall=2, candidates=[[0.9, 0.9], [1, 0], [0, 1]], ideal="exact")',
        ),
        cite.eprum(
            "5",
            "4",
            "equation",
            "the same summed by parts, for the list that a greedy search finds",
            'bp.eprum([[0.9, 0.9], [1, 0], [0, 1]], candidates=[[0.9, 0.9], [1, 0], [0, 1]], ideal="greedy")',
        ),
        cite.eprum(
            "5",
            "5",
            "equation",
            "expected inverse of the ranks needed, 0 for readers who never find enough",
            "bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]])",
        ),
        cite.eprum(
            "5",
            "6",
            "equation",
            "distribution of the number of targets seen after a rank",
            'berrypick evaluate TRUTH RUN -m "EPRUM(rank=2)"',
        ),
        cite.eprum(
            "5",
            "7",
            "equation",
            "the same from subsets of independent targets, computed exactly",
            "bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]], recall=1)",
        ),
        cite.eprum(
            "5",
            "",
            "definition",
            "normal approximation above ten partly seen targets",
            "berrypick evaluate TRUTH RUN -m \"EPRUM(law='normal')\"",
        ),
        cite.eprum(
            "8",
            "",
            "definition",
            "precision at a rank, announced without a formula",
            'berrypick evaluate TRUTH RUN -m "EPRUM(rank=3)"',
        ),
        cite.eprum(
            "8",
            "",
            "definition",
            "graded relevance as the share of readers whom a document satisfies",
            "berrypick evaluate TRUTH RUN -m EPRUM --idealism 0=0,1=.5,2=1",
        ),
        cite.eprum(
            "8",
            "",
            "definition",
            "search length over all lists without the ideal list: bounds with a certificate",
            "berrypick evaluate TRUTH RUN -m \"EPRUM(ideal='certified')\"",
        ),
        cite.inex(
            "7.2",
            "15",
            "equation",
            "precision at a recall level for readers who look for entry points",
            "berrypick evaluate TRUTH RUN -m EPRUM@0.5 --user bep",
        ),
        cite.inex(
            "7.2",
            "16",
            "equation",
            "precision at a rank: least ranks for what readers found there, over the rank",
            'berrypick evaluate TRUTH RUN -m "EPRUM(rank=3)" --user bep',
        ),
        cite.inex(
            "7.2",
            "",
            "definition",
            "EPRUM-BEP-Exh-BEPDistance",
            "berrypick evaluate TRUTH RUN -m EPRUM-BEP-Exh-BEPDistance",
        ),
        cite.inex(
            "7.3",
            "",
            "definition",
            "its mean over recall values, and its curve",
            "berrypick evaluate TRUTH RUN -m EPRUM --user bep",
        ),
    )
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "expected precision")
    why_above_one: ClassVar[str] = (
        "the product of expectations exceeds 1 when one result can lead to several targets at once; "
        "EPRUM(ideal='certified',norm='bounded') stays within 1"
    )
    scored_together: ClassVar[bool] = True

    r: int | None = one_or_more(None, "the recall value: how many targets the reader wants")
    rank: int | None = parameter(
        None, "int", "the rank after which the reader stops", check=lambda v: 1 <= v < 2**53, must="from 1 to 2^53"
    )
    ideal: IdealName = parameter(
        "targets",
        "targets|greedy|exact|certified",
        "the ideal list: the targets themselves, a greedy search over candidates, all orders of at most 8, or the best "
        "list found for any number of candidates with a proved bound on its distance from the best",
    )
    gap: float | None = gap_parameter()
    nodes: int | None = nodes_parameter("recall value")
    seconds: float | None = seconds_parameter("recall value")
    norm: NormName = norm_parameter()
    law: LawName = parameter(
        "exact", "exact|normal", "the law of the number seen: exact, or normal as in the papers, for old results"
    )
    together: TogetherName = parameter(
        "independent",
        "independent|low|high",
        "how targets are seen together: independently, as in the papers, or the least and most that reach alone proves",
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
            self._check_together()
        if self.need == "set":
            self._needed_set.check()
            object.__setattr__(self, "why_above_one", self._needed_set.why_above_one)

    @property
    def _needed_set(self) -> Any:
        """What need='set' computes."""
        from berrypick.measures.readers._needed_set import NeededSet

        return NeededSet(self)

    def _check_together(self) -> None:
        if self.law != "exact":
            raise UsageError(
                f"EPRUM(together='{self.together}') holds for every law of the number seen; it takes no law='normal'"
            )
        if self.norm != "product":
            raise UsageError(
                f"EPRUM(together='{self.together}') takes no norm='bounded', which is bounded under independence"
            )

    @property
    def _tails(self) -> TailName:
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
            wanted = self._wanted(targets)
            found, names, count = search_of(self).best(judged.candidates, ideal, wanted, ideals.OBJECTIVES[self.norm])
            for r, best in zip(wanted, found, strict=True):
                yield BestList(best, tuple(names[i] for i in best.order), targets, count, weight, r=r)

    def level_remedy(self, at: float) -> str:
        return f"; for precision at a rank, use EPRUM(rank={at:g})" if at == int(at) else ""

    def compute(self, judged: JudgedTopic) -> Score:
        if self.need == "set":
            score = self._needed_set.score(judged)
            return replace(score, notes=(*score.notes, *several_documents_note(judged, score.value)))
        parts, lists = [], []
        for weight, ideal, reach in judged.levels:
            if self.r is not None and self.r > reach.targets:
                continue
            lists.append(self._ideal(judged, ideal, reach))
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

    def score_together(self, spans: SpansTogether, context: JudgingContext) -> dict[str, Score] | None:
        """Where reach is certain, the number seen is not random, and the ideal list is that of the targets."""
        events = self._sure_events(spans, context)
        if events is None:
            return None
        record("targets", *(("user", "idealism") if spans.targets.any() else ()))
        seen = None if self.rank is None else events.seen_after(self.rank).tolist()
        precision = events.precision.tolist()
        states = zip(spans.targets.tolist(), spans.partly_ideal.tolist(), events.at_once.tolist(), strict=True)
        found = {}
        for i, (topic, (targets, partly, at_once)) in enumerate(zip(spans.topics, states, strict=True)):
            if partly:
                continue  # several satisfaction levels
            notes = (several_at_once_note("ideal='certified'"),) if at_once else ()
            if not targets or (self.r is not None and self.r > targets):
                value = None
            elif seen is not None and self.rank is not None:
                value = seen[i] / self.rank
            else:
                wanted = self._wanted(targets)
                value = math.fsum(precision[i][r - 1] for r in wanted) / len(wanted)
            found[topic] = Score(value, notes)
        return found

    def _sure_events(self, spans: SpansTogether, context: JudgingContext) -> SureEvents | None:
        usual = (self.ideal, self.norm, self._tails) == ("targets", "product", "exact") and self.need != "set"
        usual = usual and spans.few_pairs
        reached = unrecorded(context, "user").surely_reaches(*spans.pair_ends()) if usual else None
        return None if reached is None else SureEvents.of(spans, reached)

    def curves_together(
        self, spans: SpansTogether, context: JudgingContext, found: Mapping[str, Score]
    ) -> dict[str, tuple[Curve | None, Curve | None]]:
        events = self._sure_events(spans, context)
        assert events is not None  # where values were found
        return sure_curves(events, found, self.missing_topic_curve())

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """An empty list scores 0, but what no list can score stays undefined."""
        return Score(self.compute(judged).value)

    def _at_level(self, reach: Reach, best: ideals.Ideal) -> float:
        """The value when exactly these targets are ideal."""
        if self.rank is not None:
            return precision_at_rank(reach, self.rank, best, self._tails)
        precision = precisions(reach, best, self.norm, self._tails)
        wanted = self._wanted(reach.targets)
        return math.fsum(precision[r - 1] for r in wanted) / len(wanted)

    def _wanted(self, targets: int) -> tuple[int, ...]:
        """The recall values that the value is made of."""
        if self.r is not None:
            return (self.r,)
        if self.at is not None:
            return (recall_value(self.at, targets),)
        return tuple(range(1, targets + 1))

    def _ideal(
        self, judged: JudgedTopic, ideal: BoolArray, reach: Reach, wanted: tuple[int, ...] | None = None
    ) -> SearchedLists:
        if self.ideal == "targets":
            whole = judged.context.user.chances is not None and takes_all(judged)
            return SearchedLists(list_of_documents(judged, ideal) if whole else ideals.by_targets(reach.targets))
        wanted = self._wanted(reach.targets) if wanted is None else wanted
        if judged.candidates.pointers:
            return search_of(self).items(self, judged, ideal, reach, wanted)
        rows = judged.candidates.reach
        rows = rows if ideal.all() else rows.columns(ideal)
        return ideal_list(self, rows, reach, wanted)

    def _notes(self, judged: JudgedTopic, lists: Sequence[SearchedLists] = ()) -> tuple[str, ...]:
        added = self.together != "independent" and self.rank is None
        if added and sum(len(self._wanted(reach.targets)) for _, _, reach in judged.levels) > 1:
            return (*self._list_notes(judged, lists), _ADDED_UP)
        return self._list_notes(judged, lists)

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
        if self.bounded("low") is None:
            return None
        both = reach_of_both(one, other)
        parts = []
        for (weight, ideal, first), (_, _, second) in zip(one.levels, other.levels, strict=True):
            if self.r is not None and self.r > first.targets:
                continue
            best, versus = (self._ideal(*level).ideal for level in ((one, ideal, first), (other, ideal, second)))
            lists = TwoLists(first, second, both if both is None or ideal.all() else both.columns(ideal))
            ends = pair_ends(lists, best, versus, self._wanted(first.targets), self.rank)
            if ends is None:
                return None
            parts.append((weight, ends))
        if not parts:
            return None
        total = math.fsum(weight for weight, _ in parts)
        low, high = (math.fsum(weight * ends[side] for weight, ends in parts) / total for side in (0, 1))
        return low, high

    def is_mean_over_readers(self) -> bool:
        """Bounds are not."""
        return self.together == "independent"

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """A reader who sees the r-th target at rank k gets E[ML*_r]/k; readers differ in what is ideal for them."""
        if self.need == "set":
            return self._needed_set.reader_values(judged, sessions)
        levels = _reader_weights(self, judged)
        if len(levels) == 1 and levels[0][1] is not None:
            return ReaderValues.of(self._of_readers(sessions.first, sessions.ordered, levels[0][1]))
        found, counts = np.zeros(sessions.count), np.zeros(sessions.count)
        for place, (ideal, worth) in enumerate(levels):
            if worth is not None:
                who = sessions.level == place
                first = sessions.first[np.ix_(ideal, who)]
                found[who], counts[who] = self._of_readers(first, sorted_rows(first), worth), 1.0
        return ReaderValues.of(found, counts)

    def _of_readers(self, first: FloatArray, ordered: FloatArray, worth: FloatArray) -> FloatArray:
        if self.rank is not None:
            return worth[(first <= self.rank).sum(axis=0)] / self.rank
        return weighted_inverse(worth, ordered)

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
            best = self._ideal(judged, ideal, reach, tuple(range(1, reach.targets + 1)))
            curves.append((weight, precisions(reach, best.ideal, self.norm, self._tails)))
        total = math.fsum(weight for weight, _ in curves)
        columns = [(weight * p)[places(xs, len(p))].tolist() for weight, p in curves]
        heights = (math.fsum(parts) / total for parts in zip(*columns, strict=True))
        return [(x, y) for x, y in zip(xs, heights, strict=True) if not math.isnan(y)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        parts: list[str | Table] = [*item_tables(judged)]
        if self.need == "set":
            return self._explanation(judged, *parts, *self._needed_set.explain(judged))
        lists = []
        many = judged.levels
        if not any(self.r is None or self.r <= reach.targets for _, _, reach in many):
            parts.append("Undefined: no reader has that many ideal units.")
        for weight, ideal, reach in many:
            if len(many) > 1:
                names = [name for name, wanted in zip(judged.targets.names(), ideal, strict=True) if wanted]
                parts.append(f"For {number(weight)} of the readers the ideal units are {', '.join(names)}.")
            if self.r is None or self.r <= reach.targets:
                lists.append(self._ideal(judged, ideal, reach))
                parts += self._explain_level(judged, ideal, reach, lists[-1])
        return Explanation(f"{self.canonical()} for topic {judged.topic}", (*parts, *self._notes(judged, lists)))

    def _explain_level(
        self, judged: JudgedTopic, ideal: BoolArray, reach: Reach, certificate: SearchedLists
    ) -> list[Table]:
        targets = [name for name, wanted in zip(judged.targets.names(), ideal, strict=True) if wanted]
        names = judged.items.names_by_rank()
        best, wanted = certificate.ideal, self._wanted(reach.targets)
        parts = [reach_table(reach, names, targets)]
        if self.together == "independent":
            law = -np.diff(tails_at_events(reach, self.law), append=0.0)
            parts += [law_table(reach, names, law), *scenario_tables(reach, names, targets)]
        elif self.rank is None:
            parts.append(bounds_table(reach, names, wanted))
        if self.rank is not None:
            return [*parts, self._rank_terms(reach, best)]
        if self.ideal != "targets":
            parts.append(ideal_table(certificate, judged.candidates, wanted))
        inverse = expected_inverse(reach, self._tails)
        for r in list(wanted)[:3]:
            parts.append(terms_table(reach, names, r, float(inverse[r - 1]), self._tails))
        parts.append(self._summary(reach, best, inverse, list(wanted)))
        return parts

    def _summary(self, reach: Reach, best: ideals.Ideal, inverse: FloatArray, wanted: list[int]) -> Table:
        precision = precisions(reach, best, self.norm, self._tails)
        divisor = "E[ML*]" if self.norm == "product" else "largest E[A/ML]"
        shown = best.length if self.norm == "product" else best.inverse
        columns = (inverse, shown, precision)
        rows = [[str(r), *(number(float(column[r - 1]), 6) for column in columns)] for r in wanted]
        if len(wanted) > 1:
            rows.append(["mean", "", "", number(math.fsum(precision) / reach.targets, 6)])
        return Table("Precision at each recall value", ["r", "E[A/ML]", divisor, "precision"], rows)

    def _rank_terms(self, reach: Reach, best: ideals.Ideal) -> Table:
        assert self.rank is not None
        if self.together != "independent":
            return self._rank_bounds(reach, best, self.together)
        law = law_after(reach, self.rank, self.law)
        length = np.concatenate([[0.0], best.length])
        rows = [
            [str(f), number(float(p), 6), number(float(m), 6), number(float(p * m), 6) if p else "0"]
            for f, (p, m) in enumerate(zip(law, length, strict=True))
        ]
        value = precision_at_rank(reach, self.rank, best, self._tails)
        rows.append([f"sum / {self.rank}", "", "", number(value, 6)])
        return Table(f"After rank {self.rank}", ["f", "P(F=f)", "E[ML*]", "product"], rows)

    def _rank_bounds(self, reach: Reach, best: ideals.Ideal, end: End) -> Table:
        assert self.rank is not None
        terms = zip(*mean_terms(reach.expected_seen(self.rank), best.length, end), strict=True)
        rows = [
            [str(m), number(float(total), 6), number(float(weight), 6), number(float(total * weight), 6)]
            for m, (total, weight) in enumerate(terms, start=1)
        ]
        value = precision_at_rank(reach, self.rank, best, end)
        rows.append([f"sum / {self.rank}", "", "", number(value, 6)])
        head = ["m", "P(F>=1)+..+P(F>=m)", "weight by E[ML*]", "product"]
        return Table(f"After rank {self.rank}, whatever is seen together", head, rows)


@lru_cache(maxsize=8)
def _reader_weights(measure: EPRUM, judged: JudgedTopic) -> list[tuple[BoolArray, FloatArray | None]]:
    """By satisfaction level: what is ideal, and what a reader's 1/rank at each recall value is worth.

    With rank= it is E[ML*_f] for f = 0, 1 .. instead. None for levels that do not count.
    """
    found: list[tuple[BoolArray, FloatArray | None]] = []
    for _, ideal, reach in judged.levels:
        if measure.r is not None and measure.r > reach.targets:
            found.append((ideal, None))
            continue
        best, wanted = measure._ideal(judged, ideal, reach).ideal, np.array(measure._wanted(reach.targets)) - 1
        worth = np.zeros(reach.targets)
        worth[wanted] = (best.length[wanted] if measure.norm == "product" else 1.0 / best.inverse[wanted]) / len(wanted)
        found.append((ideal, worth if measure.rank is None else np.concatenate([[0.0], best.length])))
    return found


@overload
def eprum(
    reach: Any,
    recall: None = None,
    *,
    candidates: Any = None,
    ideal: IdealName = "targets",
    norm: NormName = "product",
    law: LawName = "exact",
    together: TogetherName = "independent",
    gap: float | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> FloatArray: ...
@overload
def eprum(
    reach: Any,
    recall: int,
    *,
    candidates: Any = None,
    ideal: IdealName = "targets",
    norm: NormName = "product",
    law: LawName = "exact",
    together: TogetherName = "independent",
    gap: float | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> float: ...
def eprum(
    reach: Any,
    recall: int | None = None,
    *,
    candidates: Any = None,
    ideal: IdealName = "targets",
    norm: NormName = "product",
    law: LawName = "exact",
    together: TogetherName = "independent",
    gap: float | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> FloatArray | float:
    """Compute EPRUM from your own matrix of reach: precision at every recall value, or at one of them.

    A list that is not proved to be within ``gap`` of the best is a :class:`~berrypick.BerrypickWarning`.

    Parameters
    ----------
    reach : matrix
        Ranks x targets, dense or SciPy sparse, values in [0, 1].
    recall : int, optional
        One recall value, from 1 to the number of targets.
    candidates : matrix, optional
        The rows that an ideal list may be made of, for ``ideal='greedy'``, ``'exact'`` and ``'certified'``; by default
        the identity.
    ideal : {'targets', 'greedy', 'exact', 'certified'}
        How the ideal list is found.
    norm : {'product', 'bounded'}
        As the parameter of the measure.
    law : {'exact', 'normal'}
        How the distribution of targets seen is computed.
    together : {'independent', 'low', 'high'}
        Whether targets are seen independently, or the least and most that holds whatever is seen together.
    gap : float, optional
        The relative gap that certified lists should be within.
    nodes : int, optional
        Sets that a certified search looks at.
    seconds : float, optional
        The time after which a certified search ends.

    Returns
    -------
    array or float
        Precision at recall 1 .. t, or at ``recall``; nan where undefined.

    Examples
    --------
    >>> import berrypick as bp
    >>> round(bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]], recall=2), 4)
    0.7488
    """
    # refuses what does not go together
    measure = EPRUM(ideal=ideal, norm=norm, law=law, together=together, gap=gap, nodes=nodes, seconds=seconds)
    matrix = Reach.of(reach)
    rows = Reach.identity(matrix.targets) if candidates is None else Reach.of(candidates)
    if rows.targets != matrix.targets:
        raise UsageError(f"candidates have {rows.targets} columns, reach has {matrix.targets}")
    wanted = tuple(range(1, matrix.targets + 1))
    if recall is not None:
        wanted = (whole_recall(recall, matrix.targets),)
    best = ideal_list(measure, rows, matrix, wanted)
    for note in gap_notes(measure, [best]) if ideal == "certified" else ():
        warnings.warn(note, BerrypickWarning, stacklevel=2)
    precision = precisions(matrix, best.ideal, norm, measure._tails)
    return precision if recall is None else float(precision[wanted[0] - 1])
