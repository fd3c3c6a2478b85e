"""What a difference between two runs rests on: is the better run better under everything that is assumed?

* topics: the corrected p-value of the comparison's own test, and the interval over topics (or clusters of them);
* unjudged: the mean difference over all labellings of unjudged text, for measures of characters;
* together: the mean difference over all joint distributions of what readers see, for measures that assume independence;
* reader: the interval over readers drawn from a fitted user model;
* over: the mean difference over a range of readers;
* joint: topics, unjudged text and joint distributions at once. Each topic has its lowest and its highest difference;
  the interval goes from the lower end for the mean of the lowest to the upper end for the mean of the highest.

Where one does not apply (no unjudged text in the measure, no fitted reader, no range) it is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from berrypick import users
from berrypick.analysis.assumptions.over import Over
from berrypick.analysis.assumptions.reader_range import ScaleName, read_range
from berrypick.analysis.comparison.compare import compare_results
from berrypick.analysis.comparison.comparison import Comparison, Method, Pair
from berrypick.analysis.comparison.comparison_text import CORRECTION_NAMES
from berrypick.analysis.comparison.joint_ends import JointEnds
from berrypick.analysis.unjudged import unjudged_bounds
from berrypick.data.drawn import READERS
from berrypick.data.errors import UsageError
from berrypick.data.results import Note, Results, TopicGroups
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import Proved, bounded_measures, with_bounds
from berrypick.statistics.topic_values import TIE
from berrypick.tables.tabular import Tabular, fields_of, shown
from berrypick.workers.progress import Progress

#: What may not be proved, and how a verdict calls it.
ASSUMED = {
    "topics": "topics",
    "unjudged": "unjudged text",
    "together": "dependence",
    "reader": "reader",
    "over": "range",
}
#: Those that have ends of the mean difference, beside topics.
BOUNDED = ("unjudged", "together", "reader", "over")
#: The verdict where the uncorrected p-value is above 1 - confidence.
UNSEEN = "no difference seen"
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Verdict:
    """Two runs under one measure, the better one first; all differences are ``a`` minus ``b``.

    Attributes
    ----------
    measure, a, b
        What is compared.
    difference
        The mean difference.
    p
        The corrected p-value.
    low, high
        The interval of the mean difference over topics.
    unjudged, together, reader, over
        Ends of the mean difference under what is assumed besides; None where it does not apply.
    joint
        The interval over topics, unjudged text and joint distributions at once.
    not_proved
        Against what it is not proved that ``a`` is better, in the words of the verdict.
    verdict
        "a beats b", "a is ahead of b; not proved against: ..", or "no difference seen".
    """

    measure: str
    a: str
    b: str
    difference: float | None
    p: float | None
    low: float | None
    high: float | None
    unjudged: Ends | None
    together: Ends | None
    reader: Ends | None
    over: Ends | None
    joint: Ends
    not_proved: tuple[str, ...]
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        ends = {name: None if (one := getattr(self, name)) is None else list(one) for name in (*BOUNDED, "joint")}
        topics = fields_of(self, "p", "low", "high")
        return {**fields_of(self, "measure", "a", "b"), "topics": topics, **ends, "verdict": self.verdict}

    def row(self) -> dict[str, Any]:
        """One number or name a column."""
        ends = {
            f"{name}_{end}": None if (one := getattr(self, name)) is None else one[side]
            for name in (*BOUNDED, "joint")
            for side, end in enumerate(("low", "high"))
        }
        return {
            **fields_of(self, "measure", "a", "b", "difference", "p", "low", "high"),
            **ends,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, repr=False)
class Assumptions(Tabular):
    """Assumptions behind differences: the result of ``bp.compare(..., assumptions=True)``.

    Attributes
    ----------
    verdicts
        For every two runs and each measure, whether the better run is proven to be better, and against what it is not.
    comparison
        The comparison.
    over
        The result over the range of readers, if there is one.
    notes
        Notes about the numbers.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {str(topic): {"a": 1} for topic in range(12)}
    >>> other = {topic: {"b": 2.0, "a": 1.0} for topic in truth}
    >>> found = bp.compare(truth, {"first": truth, "second": other}, "RR", assumptions=True)
    >>> isinstance(found, bp.Assumptions), found.verdicts[0].verdict
    (True, 'first beats second')
    """

    verdicts: tuple[Verdict, ...]
    comparison: Comparison
    over: Over | None = None
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.verdicts)

    def __getitem__(self, place: int) -> Verdict:
        return self.verdicts[place]

    def __repr__(self) -> str:
        return f"Assumptions({len(self.verdicts)} verdicts)"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each measure and pair."""
        return [one.as_dict() for one in self.verdicts]

    def rows(self) -> list[dict[str, Any]]:
        return [one.row() for one in self.verdicts]

    def tables(self, places: int = 4) -> list[Table]:
        used = [name for name in BOUNDED if self._applies(name)]
        used += ["joint"] if self._applies("unjudged") or self._applies("together") else []
        rows = [
            [one.measure, one.a, one.b, _signed(one.difference, places), shown(one.p, places),
             _interval((one.low, one.high), places), *(_interval(getattr(one, name), places) for name in used)]
            for one in self.verdicts
        ]  # fmt: skip
        header = ["measure", "better run", "other run", "difference", self._p_name(), "topics", *used]
        return [Table("Verdicts", header, rows, "<<<>><" + "<" * len(used))]

    def legend(self) -> list[str]:
        percent = f"{100 * self.comparison.method.confidence:.4g}%"
        found = [f"{one.measure}, {one.a} and {one.b}: {one.verdict}{self._by(one)}." for one in self.verdicts]
        said = [f"topics: {percent} interval of the difference, better minus other run, over {self._units()}"]
        if self._applies("unjudged"):
            said.append("unjudged: difference over all labellings of unjudged text")
        if self._applies("together"):
            said.append("together: over all joint distributions of what readers see")
        if self._applies("reader"):
            said.append(f"reader: {percent} interval over readers drawn from the fitted user model")
        if self.over is not None:
            said.append(f"over: lowest and highest along {self.over.range.text}")
        if self._applies("unjudged") or self._applies("together"):
            said.append(f"joint: {percent} interval over topics with each topic at its lowest and at its highest")
        return [*found, "; ".join(said) + "."]

    def _by(self, one: Verdict) -> str:
        """By which p-value no difference is seen: an interval may be on one side of 0 all the same."""
        pair = None if one.verdict != UNSEEN else self.comparison.pair(one.measure, one.a, one.b)
        if pair is None or pair.p is None or not pair.difference:
            return ""
        before = "" if self.comparison.method.correction == "none" else " before correction"
        return f" (p = {pair.p:.3g}{before}, above {self.comparison.method.alpha:.3g})"

    def _p_name(self) -> str:
        correction = self.comparison.method.correction
        return "p" if correction == "none" else f"p ({CORRECTION_NAMES[correction]})"

    def _applies(self, name: str) -> bool:
        return any(getattr(one, name) is not None for one in self.verdicts)

    def _units(self) -> str:
        clusters = self.comparison.clusters
        return "topics" if clusters is None else f"{clusters} clusters of topics"

    @classmethod
    def compare(
        cls,
        evaluation: Evaluation,
        over: Any,
        method: Method,
        clusters: TopicGroups | None = None,
        baseline: str | None = None,
        *,
        scale: ScaleName | None = None,
        jobs: int = 1,
        executor: Executor | None = None,
        progress: Progress | None = None,
        reader_draws: int = READERS,
    ) -> Assumptions:
        """Find the assumptions behind the differences of an evaluation; see :func:`berrypick.compare`."""
        if len(evaluation.runs) < 2:
            raise UsageError(f"a difference is one of two runs or more, not {len(evaluation.runs)}")
        evaluation, notes = _with_reader(evaluation, over)
        results = evaluation.run(jobs=jobs, executor=executor, progress=progress, reader_draws=reader_draws)
        joint = joint_ends(evaluation, jobs, executor)
        comparison = compare_results(results, baseline, method, clusters, joint.unjudged, joint)
        along = None
        if over is not None:
            along = Over.compare(evaluation, over, method, clusters, comparison.baseline, scale=scale, jobs=jobs,
                                 executor=executor, progress=progress)  # fmt: skip
            notes += [note for note in along.notes if note.kind != "not over the range"]
        found = cls.of(comparison, along)
        return replace(found, notes=tuple(dict.fromkeys([*found.notes, *notes])))

    @classmethod
    def of(cls, comparison: Comparison, along: Over | None = None) -> Assumptions:
        """Return the verdicts on the pairs of a comparison, which was made with :func:`joint_ends`."""
        verdicts = tuple(_verdict(pair, along, comparison.method.alpha) for pair in comparison.pairs)
        kept = tuple(note for note in comparison.notes if note.kind != "unjudged text")  # each verdict says it
        return cls(verdicts, comparison, along, kept)


def _signed(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:+.{places}f}"


def _interval(ends: Ends | None, places: int) -> str:
    low, high = (None, None) if ends is None else ends
    return "-" if low is None and high is None else f"[{_signed(low, places)}, {_signed(high, places)}]"


def _with_reader(evaluation: Evaluation, over: Any) -> tuple[Evaluation, list[Note]]:
    """Where a range is given and no user model, the usual reader of the range is the one that runs are compared by."""
    if over is None or evaluation.options.user is not None:
        return evaluation, []
    user = users.read_fitted(over) or read_range(over).usual()
    text = f"runs are compared by {user}, the usual reader of the range"
    return evaluation.read_by(user), [Note("usual reader", text)]


def joint_ends(evaluation: Evaluation, jobs: int = 1, executor: Executor | None = None) -> JointEnds:
    """The differences of an evaluation over all labellings and joint distributions, for :func:`compare_results`."""
    measures = tuple(bounded_measures(evaluation.measures))
    made = with_bounds(evaluation, alone=True)
    bounds = made.run(jobs=jobs, executor=executor) if made.measures else Results((), ())
    return JointEnds(evaluation, Proved(measures, bounds), unjudged_bounds(evaluation))


def _verdict(pair: Pair, along: Over | None, alpha: float) -> Verdict:
    if pair.difference and (pair.difference > 0) != pair.higher_is_better:
        pair = pair.turned()
    there = None if along is None else along.pair(pair.measure, pair.run, pair.versus)
    ends: dict[str, Ends | None] = {
        "unjudged": pair.unjudged,
        "together": pair.together,
        "reader": None if pair.reader is None or pair.reader[0] is None else pair.reader,
        "over": None if there is None else there.difference,
    }
    seen = bool(pair.difference) and pair.p is not None and pair.p <= alpha
    open_ = _not_proved(pair, ends, alpha) if seen else ()
    text = UNSEEN
    if seen:
        ahead = f"{pair.run} is ahead of {pair.versus}; not proven against: {', '.join(open_)}"
        text = ahead if open_ else f"{pair.run} beats {pair.versus}"
    return Verdict(
        measure=pair.measure,
        a=pair.run,
        b=pair.versus,
        difference=pair.difference,
        p=pair.p_adjusted,
        low=pair.low,
        high=pair.high,
        unjudged=ends["unjudged"],
        together=ends["together"],
        reader=ends["reader"],
        over=ends["over"],
        joint=(None, None) if pair.joint is None else pair.joint,
        not_proved=open_,
        verdict=text,
    )


def _not_proved(pair: Pair, ends: Mapping[str, Ends | None], alpha: float) -> tuple[str, ...]:
    """Against what it is not proved that the better run is better, in words."""
    # whatever the test: on so few topics or clusters even equal signs of all of them are not significant
    few = 2.0 ** (1 - pair.units) > alpha
    found = ["topics"] if few or not pair.significant else []
    found += [name for name, one in ends.items() if one is not None and not _is_better(one, pair.higher_is_better)]
    parts = ["topics", *(name for name in ("unjudged", "together") if ends[name] is not None)]
    words = [ASSUMED[name] for name in found]
    if not {*parts} & {*found} and not _joint_proved(pair):
        at_once = " and ".join(ASSUMED[name] for name in parts)  # each holds for itself, not all of them at once
        words.insert(0, at_once if len(parts) == 1 else f"{at_once} at once")
    return tuple(words)


def _joint_proved(pair: Pair) -> bool:
    """Whether the better run is better throughout the joint interval.

    Where all topics have the same end there is no interval: then a test by signs decides, as for equal differences.
    """
    joint = (None, None) if pair.joint is None else pair.joint
    known = joint[0 if pair.higher_is_better else 1] is not None
    return _is_better(joint if known else pair.extremes or joint, pair.higher_is_better)


def _is_better(ends: Ends, higher_is_better: bool) -> bool:
    """Whether the difference is on the side of the better run throughout; not so where nothing is known."""
    end = ends[0] if higher_is_better else ends[1]
    return end is not None and (end > TIE if higher_is_better else end < -TIE)
