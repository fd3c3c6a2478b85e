"""PRUM: precision-recall with user modelling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, overload

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import NamedError, UsageError, option
from berrypick.data.laws import without
from berrypick.data.parameters import one_or_more, parameter
from berrypick.data.reach import Reach, check_units
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.kernels.poisson_binomial import consulted, lower_tails, normal_law
from berrypick.measures._reach_tables import consulted_tables, item_tables, law_table, reach_table, whole_recall
from berrypick.measures.base import LEVELS, recall_value
from berrypick.measures.reader_values import ReaderValues
from berrypick.measures.readers._expected_precision import LawName
from berrypick.measures.readers._targets import TargetMeasure
from berrypick.topics.reader_sessions import ReaderSessions, sorted_rows
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class PRUM(TargetMeasure):
    """Of the results a reader consults until r targets are seen, the share that lead to something new.

    Formula
    -------
    With o ranked results, u units that were not ranked, t targets (equation 5 of the paper)::

        precision(r) = ( sum_{i=1..o} sum_{s<r} P(F_{i-1}=s) P(F_i>s | F_{i-1}=s) + sum_{s<r} P(F_o=s)(r-s) )
                     / ( sum_{i=1..o} sum_{s<r} P(F_{i-1}=s)
                         + sum_{s<r} P(F_o=s)(r-s)(1 + (u-(t-s))/(t-s+1)) )

        P(F_i>s | F_{i-1}=s) = 1 - prod_x (1 - (seen[i,x] - seen[i-1,x]) P(F_{i-1}=s | x not seen) / P(F_{i-1}=s))

    exact=True does without the paper's hypothesis 2.3: P(F_{i-1}=s and nothing new at rank i) is the coefficient of
    z^s in prod_x (seen[i-1,x] z + (1 - seen[i-1,x])(1 - reach[i,x])). law='normal' takes the normal law of appendix A.1
    for P(F_{i-1}=s) and for P(F_{i-1}=s | x not seen), above ten partly seen targets. The two approximations need not
    fit each other, so each factor of the product (equation 8) is kept within [0, 1]: the subtracted term is at most 1.
    PRUM is the mean of precision(r) over r = 1..t; PRUM@l the largest precision(r) with r >= l t.
    Where targets are ideal for a share of the readers only, the value is the weighted mean over satisfaction levels, as
    that of EPRUM: level s has the targets that are ideal for at least that share, and units that are ideal for fewer
    count as units without a target. PRUM(r=) leaves out levels with fewer than r targets.

    Meaning
    -------
    The probability that a result the reader consults leads to a target that was not seen before. When the list does
    not suffice, the reader goes on through the unranked rest of the collection in random order.

    Use
    ---
    As EPRUM, where results that repeat what was seen should count as wasted, and where the cost of searching on
    without the system matters (option units). Without navigation it is Raghavan's probability of relevance.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets; PRUM(r=) with more than t. An error when the unranked part is needed and units is missing.

    Example
    -------
    Results c, d, a, b of the paper's table III: the mean of the precision at recall values 1 and 2, .69137 and .63561

    >>> import berrypick as bp
    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    >>> run = {"q": {"c": 4, "d": 3, "a": 2, "b": 1}}
    >>> round(bp.score("PRUM", {"q": {"a": 1, "b": 1}}, run, navigation=clicks), 5)
    0.66349
    >>> bp.prum([[.4, .4], [.6, .4], [1, 0], [0, 1]]).round(5).tolist()
    [0.69137, 0.63561]
    >>> bp.prum([[.4, .4], [.6, .4], [1, 0], [0, 1]], exact=True).round(5).tolist()
    [0.69137, 0.64623]
    """

    #: What is seen early cannot be found again by what comes later.
    laws: ClassVar[tuple[str, ...]] = without("relevant-added")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "idealism", "units")
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("piwowarski2007prum", "raghavan1989critical")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.prum(
            "2.3",
            "1",
            "equation",
            "chance that a target was seen after some ranks, a noisy or",
            "bp.expected_ratio([[0.4], [0.9], [0.2]])",
        ),
        cite.prum(
            "2.3",
            "",
            "hypothesis",
            "2.3: targets are seen for the first time independently, given how many were seen before",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]])",
        ),
        cite.prum(
            "2.3",
            "",
            "definition",
            "without hypothesis 2.3",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], exact=True)",
        ),
        cite.prum(
            "3.1",
            "2",
            "equation",
            "precision: chance that a consulted result leads to something unseen",
            'berrypick evaluate TRUTH RUN -m "PRUM(exact=True)"',
        ),
        cite.prum(
            "3.2",
            "",
            "table",
            "table III: scenarios of list (c, d, a, b), results consulted and those that lead on: .69137 and .64623",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], exact=True)",
        ),
        cite.prum(
            "3.2",
            "",
            "example",
            "figure 5: a small site with two targets",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], exact=True)",
        ),
        cite.prum(
            "3.3",
            "3",
            "equation",
            "the same as a ratio of joint and marginal chance",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0]], units=10, exact=True)",
        ),
        cite.prum("3.3", "4", "equation", "ranked and unranked part apart", "bp.prum([[0.5, 0]], units=10)"),
        cite.prum(
            "3.3",
            "5",
            "equation",
            "precision at a recall value",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], recall=2)",
        ),
        cite.prum(
            "3.3",
            "6",
            "equation",
            "chance that a target was seen (equation 1 again)",
            "bp.expected_ratio([[0.5], [0.5]])",
        ),
        cite.prum(
            "3.3",
            "7",
            "equation",
            "distribution of the number of targets seen, from subsets",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]])",
        ),
        cite.prum(
            "3.3",
            "8",
            "equation",
            "chance that a rank leads to something new, given how many were seen",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], exact=False)",
        ),
        cite.prum(
            "4.2.1",
            "",
            "example",
            "list (c, b, a) scores 1, list (a, b, c) .40678",
            "bp.prum([[0.16666666666666666], [0.25], [1]])",
        ),
        cite.prum(
            "4.2.2", "", "example", "one pointer that reaches two targets scores 1", "bp.prum([[1, 1]], units=100)"
        ),
        cite.prum(
            "A.1",
            "11",
            "equation",
            "probability of a number of targets, from subsets",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], recall=1)",
        ),
        cite.prum(
            "A.1",
            "",
            "definition",
            "normal approximation above ten partly seen targets",
            "berrypick evaluate TRUTH RUN -m \"PRUM(law='normal')\"",
        ),
        cite.prum(
            "A.2",
            "12",
            "equation",
            "chance of something new (equation 8 with its derivation)",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], recall=2)",
        ),
        cite.prum(
            "A.3",
            "13",
            "equation",
            "chance that a ranked result is consulted, rank by rank",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0]], units=9)",
        ),
        cite.prum(
            "A.3",
            "14",
            "equation",
            "the same as expected numbers of consulted ranks",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0]], units=9)",
        ),
        cite.prum(
            "A.3",
            "15",
            "equation",
            "chance that an unranked unit is consulted, by targets still missing",
            "bp.prum([[0.2, 0.2]], units=9)",
        ),
        cite.prum(
            "A.3",
            "16",
            "equation",
            "the same with the expected search length in random order",
            "bp.prum([[0, 0]], units=9)",
        ),
        cite.prum(
            "A.4",
            "17",
            "equation",
            "results that are consulted and lead on, ranked",
            "bp.prum([[0.4, 0.4], [0.6, 0.4], [1, 0]], units=9)",
        ),
        cite.prum(
            "A.4", "18", "equation", "units that are consulted and ideal, unranked", "bp.prum([[0, 0]], units=9)"
        ),
        cite.prum(
            "B",
            "",
            "definition",
            "without navigation it is Raghavan's probability of relevance",
            "bp.prum([[1, 0], [0, 0], [0, 1]])",
        ),
    )
    pools: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "precision")

    r: int | None = one_or_more(None, "the recall value: how many targets the reader wants")
    exact: bool = parameter(False, "bool", "without hypothesis 2.3 of the paper")
    law: LawName = parameter(
        "exact", "exact|normal", "distribution of the number seen: exact, or normal as in the paper, for old results"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_law(self.exact, self.law)
        if self.r is not None and self.at is not None:
            raise UsageError("PRUM takes one of r= and @level, not both")

    def compute(self, judged: JudgedTopic) -> Score:
        parts = []
        for weight, _, reach in judged.levels:
            if wanted := self._wanted(reach.targets):
                precision = self._precisions(judged, reach, wanted[0], wanted[-1])
                parts.append((weight, self._together(precision)))
        if not parts:
            return Score(None)
        total = math.fsum(weight for weight, _ in parts)
        return Score(math.fsum(weight * value for weight, value in parts) / total)

    def _wanted(self, targets: int) -> range:
        """The recall values that the value is made of; none if more are wanted than there are."""
        if self.r is not None:
            return range(self.r, min(self.r, targets) + 1)
        return range(1 if self.at is None else recall_value(self.at, targets), targets + 1)

    def _together(self, precision: FloatArray) -> float:
        """One value from those at recall values: their mean, or the largest from a level on."""
        return math.fsum(precision) / len(precision) if self.at is None else float(precision.max())

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """The reader goes through the unranked units at once."""
        return self.compute(judged)

    def _precisions(self, judged: JudgedTopic, reach: Reach, low: int, high: int) -> FloatArray:
        working = work(reach, self.exact, self.law)
        return working.precision(low, high, _unranked(judged))

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """Results consulted until r targets are seen, and how many of them led to something new, for each reader.

        Beyond the list the mean over all orders of the unranked units is taken. Readers differ in what is ideal for
        them.
        """
        levels = [(place, *one) for place, one in enumerate(judged.levels) if self._wanted(one[2].targets)]
        found = []
        for place, _, ideal, reach in levels:
            first = sessions.first if ideal.all() else sessions.first[ideal]
            ordered = sessions.ordered if ideal.all() else sorted_rows(first)
            new, read = self._of_readers(judged, reach, ordered)
            who = sessions.level == place
            found.append((new * who, read * who))
        new, read = (np.concatenate([one[i] for one in found]) for i in (0, 1))
        parts = tuple((weight, len(one[0])) for (_, weight, _, _), one in zip(levels, found, strict=True))
        return ReaderValues(new, read, largest=self.at is not None, parts=parts)

    def _of_readers(self, judged: JudgedTopic, reach: Reach, ordered: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Recall values x readers: results that led to something new, and results consulted."""
        t = reach.targets
        wanted = np.array(self._wanted(t), dtype=np.int64)
        listed = np.isfinite(ordered)
        fresh = listed.copy()  # led to something new: the rank is not that of the target before
        fresh[1:] &= ordered[1:] != ordered[:-1]
        seen = listed.sum(axis=0)
        missing = t - seen
        cost = 1.0 + ((_unranked(judged) or 0) - missing) / (missing + 1.0)
        more = np.maximum(wanted[:, None] - seen, 0)
        new = np.cumsum(fresh, axis=0)[wanted - 1] + more
        read = np.where(listed, ordered, reach.ranks)[wanted - 1] + more * cost
        return new.astype(np.float64), np.asarray(read, dtype=np.float64)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """Precision at each recall value, as points (r/t, precision); several satisfaction levels are merged."""
        points = {r / reach.targets for _, _, reach in judged.levels for r in range(1, reach.targets + 1)}
        return self._points(judged, tuple(sorted(points)), lambda precision, r: float(precision[r - 1]))

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        return self._points(judged, LEVELS, lambda precision, r: float(precision[r - 1 :].max()))

    def _points(self, judged: JudgedTopic, xs: Sequence[float], at: Callable[[FloatArray, int], float]) -> Curve:
        curves = [(weight, self._precisions(judged, reach, 1, reach.targets)) for weight, _, reach in judged.levels]
        total = math.fsum(weight for weight, _ in curves)
        return [(x, math.fsum(weight * at(p, recall_value(x, len(p))) for weight, p in curves) / total) for x in xs]

    def explain(self, judged: JudgedTopic) -> Explanation:
        parts: list[str | Table] = [*item_tables(judged)]
        every, names = judged.targets.names(), judged.items.names_by_rank()
        many = judged.levels
        for weight, ideal, reach in many:
            targets = [name for name, wanted in zip(every, ideal, strict=True) if wanted]
            if len(many) > 1:
                parts.append(f"For {number(weight)} of the readers the ideal units are {', '.join(targets)}.")
            law = normal_law(reach.seen, reach.unseen) if self.law == "normal" else None
            parts += [
                reach_table(reach, names, targets),
                law_table(reach, names, law),
                *consulted_tables(reach, names, targets),
                self._terms(judged, reach),
            ]
        if len(many) > 1:
            parts.append(f"{self} = {self._value_text(judged)}")
        return self._explanation(judged, *parts)

    def _terms(self, judged: JudgedTopic, reach: Reach) -> Table:
        working = work(reach, self.exact, self.law)
        title = "Expected numbers of results: (leading to something new) / (consulted)"
        head = ["r", "new, ranked", "new, beyond", "read, ranked", "read, beyond", "precision"]
        wanted, unranked = self._wanted(reach.targets), _unranked(judged)
        if not wanted:
            return Table(title, head, [])
        precision = working.precision(wanted[0], wanted[-1], unranked)
        rows = [
            [
                str(r),
                *(number(float(v), 5) for v in (working.new[r], beyond_new, working.consulted[r], beyond_read)),
                number(float(value), 6),
            ]
            for r, value, beyond_new, beyond_read in zip(
                wanted, precision, *working.beyond(wanted[0], wanted[-1], unranked), strict=True
            )
        ]
        if len(wanted) > 1:
            last = "mean" if self.at is None else "largest"
            rows.append([last, "", "", "", "", number(self._together(precision), 6)])
        return Table(title, head, rows)


def _unranked(judged: JudgedTopic) -> int | None:
    """Units outside the list: units - distinct ranked pointers."""
    ranked = len(judged.ranking.fresh())
    if judged.units is not None and judged.units < ranked:
        raise UsageError(
            f"{option('units', judged.units)} is smaller than the {ranked} units that the run ranks in topic "
            f"{judged.topic}; it counts all retrievable units, ranked ones included"
        )
    return None if judged.units is None else judged.units - ranked


@dataclass(frozen=True)
class PrumSums:
    """The sums of equation 5, by recall value (index r = 0..t)."""

    new: FloatArray  # expected consulted ranks that lead to something new
    consulted: FloatArray  # expected consulted ranks
    last: FloatArray  # P(F_o = s)

    def beyond(self, low: int, high: int, unranked: int | None) -> tuple[FloatArray, FloatArray]:
        """What the unranked part adds to numerator and denominator, at r = low..high.

        The sums over s < r of P(F_o = s) (r - s), and of the same times what each target costs: running sums of
        running sums, all terms positive.
        """
        t = len(self.last) - 1
        missing = t - np.arange(t + 1)  # targets that the list has not led to
        if (self.last[:high] > 0).any():
            self._check_units(low, int(np.argmax(self.last > 0)), t, unranked)
        cost = 1.0 + ((unranked or 0) - missing) / (missing + 1.0)
        new, read = (np.cumsum(np.cumsum(weight[:high]))[low - 1 :] for weight in (self.last, self.last * cost))
        return new, read

    def _check_units(self, low: int, first: int, targets: int, unranked: int | None) -> None:
        """``first``: the least number of targets that the list may lead to."""
        r, needed = max(low, first + 1), targets - first
        if unranked is None:
            raise NamedError(
                f"PRUM at recall value {r} needs the size of the collection, because the list may not lead "
                f"to that many targets: give the number of retrievable units with {option('units')}"
            )
        if unranked < needed:
            raise NamedError(
                f"PRUM at recall value {r}: outside the list there are {unranked} units, but up to {needed} targets "
                f"may still be missing; {option('units')} counts all retrievable units, ranked ones included"
            )

    def precision(self, low: int, high: int, unranked: int | None) -> FloatArray:
        """precision(r) for r = low..high."""
        new, read = self.beyond(low, high, unranked)
        return np.asarray((self.new[low : high + 1] + new) / (self.consulted[low : high + 1] + read))


def _check_law(exact: bool, law: LawName) -> None:
    if exact and law == "normal":
        raise UsageError(
            "PRUM takes one of exact=True and law='normal': equation 8 is what the normal law approximates"
        )


def work(reach: Reach, exact: bool, law: LawName = "exact") -> PrumSums:
    """All sums over the ranked part. Ranks that reach nothing add only to what is consulted."""
    new, read, last = consulted(reach, exact, law == "normal")
    return PrumSums(new=lower_tails(new), consulted=lower_tails(read), last=last)


@overload
def prum(
    reach: Any, recall: None = None, *, units: int | None = None, exact: bool = False, law: LawName = "exact"
) -> FloatArray: ...
@overload
def prum(
    reach: Any, recall: int, *, units: int | None = None, exact: bool = False, law: LawName = "exact"
) -> float: ...
def prum(
    reach: Any,
    recall: int | None = None,
    *,
    units: int | None = None,
    exact: bool = False,
    law: LawName = "exact",
) -> FloatArray | float:
    """Compute PRUM from your own matrix of reach: precision at every recall value, or at one of them.

    Parameters
    ----------
    reach : matrix
        Ranks x targets, dense or SciPy sparse, values in [0, 1].
    recall : int, optional
        One recall value, from 1 to the number of targets.
    units : int, optional
        The number of retrievable units, ranked ones included; needed where the list does not surely lead to enough
        targets.
    exact : bool
        Whether to drop hypothesis 2.3.
    law : {'exact', 'normal'}
        How the distribution of targets seen is computed.

    Returns
    -------
    array or float
        Precision at recall 1 .. t, or at ``recall``; nan where undefined.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.prum([[1, 1]], units=100).tolist()
    [1.0, 1.0]
    """
    if law not in ("exact", "normal"):
        raise UsageError(f"unknown law {law!r}; expected 'exact' or 'normal'")
    _check_law(exact, law)
    matrix = Reach.of(reach)
    if units is not None:
        check_units(units, 0)
    unranked = None if units is None else int(units) - matrix.ranks
    if recall is None:
        return work(matrix, exact, law).precision(1, matrix.targets, unranked)
    value = whole_recall(recall, matrix.targets)
    return float(work(matrix, exact, law).precision(value, value, unranked)[0])
