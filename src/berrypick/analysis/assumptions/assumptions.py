"""What a difference between two runs rests on: does the better run stay better under everything that is assumed?

* topics: the interval of the mean difference over topics (or clusters of them) lies on its side of 0;
* unjudged: so does the difference under every way of judging unjudged text, for measures of characters;
* together: so does it whatever readers see together (Rueger's bounds), each run under the law that is worst for it;
* reader: so does the interval over readers drawn from a fitted user model;
* over: it is better for every reader of a range.

Where one does not apply (no unjudged text in the measure, no fitted reader, no range) it is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from berrypick import users
from berrypick.analysis.assumptions.over import Over
from berrypick.analysis.assumptions.reader_range import read_range
from berrypick.analysis.comparison.compare import compare_results
from berrypick.analysis.comparison.comparison import Comparison, Method, Pair
from berrypick.analysis.unjudged import unjudged_bounds
from berrypick.data.drawn import READERS
from berrypick.data.errors import UsageError
from berrypick.data.results import Note, Results, TopicGroups
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.proved import Proved, bounded_measures, with_bounds
from berrypick.statistics.intervals import EQUAL
from berrypick.statistics.topic_values import TIE
from berrypick.tables.tabular import Tabular, fields_of
from berrypick.workers.progress import Progress

#: What is assumed, and how a sentence calls it.
ASSUMED = {
    "topics": "the topics",
    "unjudged": "unjudged text",
    "together": "what readers see together",
    "reader": "the fitted reader",
    "over": "the reader of the range",
}
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Verdict:
    """Two runs under one measure, the better one first.

    ``stays`` says of each assumption whether the better one stays better, None where it does not apply; ``ends`` what
    that is judged by: the ends of the difference, or for a range the share in which ``a`` is better.
    """

    measure: str
    a: str
    b: str
    difference: float | None
    stays: Mapping[str, bool | None]
    ends: Mapping[str, Ends]
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        return {**fields_of(self, "measure", "a", "b"), **self.stays, "verdict": self.verdict}


@dataclass(frozen=True, repr=False)
class Assumptions(Tabular):
    """What differences rest on: what ``bp.compare(..., assumptions=True)`` finds.

    Attributes
    ----------
    verdicts
        For every two runs and each measure, under which assumptions the better run stays better.
    comparison
        The comparison that it is about.
    over
        What was found along the range of readers, where there is one.
    notes
        What a person should know about the numbers.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {str(topic): {"a": 1} for topic in range(12)}
    >>> other = {topic: {"b": 2.0, "a": 1.0} for topic in truth}
    >>> found = bp.compare(truth, {"first": truth, "second": other}, "RR", assumptions=True)
    >>> isinstance(found, bp.Assumptions), found.verdicts[0].verdict
    (True, 'first beats second under all of them')
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
        return self.records()

    def tables(self, places: int = 4) -> list[Table]:
        used = [name for name in ASSUMED if self._applies(name)]
        rows = [
            [one.measure, one.a, one.b, "-" if one.difference is None else f"{one.difference:+.{places}f}",
             *(_cell(one, name, places) for name in used)]
            for one in self.verdicts
        ]  # fmt: skip
        header = ["measure", "a", "b", "a minus b", *used]
        return [Table("Does a stay better?", header, rows, "<<<>" + "<" * len(used))]

    def legend(self) -> list[str]:
        percent = f"{100 * self.comparison.method.confidence:.4g}%"
        found = [f"{one.measure}: {one.verdict}." for one in self.verdicts]
        said = [f"topics: {percent} interval of the difference over {self._units()}"]
        if self._applies("unjudged"):
            said.append("unjudged: least and largest difference over all ways of judging what nobody judged")
        if self._applies("together"):
            said.append("together: bounds of the difference over everything readers may see together")
        if self._applies("reader"):
            said.append(f"reader: {percent} interval over readers drawn from the fitted user model")
        if self.over is not None:
            said.append(f"over: share of {self.over.range.text} in which a is better")
        return [*found, "; ".join(said) + "."]

    def _applies(self, name: str) -> bool:
        return any(one.stays[name] is not None for one in self.verdicts)

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
        jobs: int = 1,
        executor: Executor | None = None,
        progress: Progress | None = None,
        reader_draws: int = READERS,
    ) -> Assumptions:
        """Find what the differences of an evaluation rest on; see :func:`berrypick.compare`."""
        if len(evaluation.runs) < 2:
            raise UsageError(f"a difference is one of two runs or more, not {len(evaluation.runs)}")
        evaluation, notes = _with_reader(evaluation, over)
        results = evaluation.run(jobs=jobs, executor=executor, progress=progress, reader_draws=reader_draws)
        comparison = compare_results(results, baseline, method, clusters, unjudged_bounds(evaluation))
        along = None
        if over is not None:
            along = Over.compare(evaluation, over, method, clusters, comparison.baseline, jobs=jobs, executor=executor,
                                 progress=progress)  # fmt: skip
            notes += [note for note in along.notes if note.kind != "not over the range"]
        proved = _proved(evaluation, jobs, executor)
        verdicts = tuple(_verdict(pair, proved, along) for pair in comparison.pairs)
        kept = [note for note in comparison.notes if note.kind != "unjudged text"]  # each verdict says it
        return cls(verdicts, comparison, along, tuple(dict.fromkeys([*kept, *notes])))


def _cell(one: Verdict, name: str, places: int) -> str:
    stays = one.stays[name]
    if stays is None:
        return "-"
    low, high = one.ends.get(name, (None, None))
    word = "yes" if stays else "no"
    if low is None or high is None:
        return word
    return f"{word} {low:.{places}f}" if name == "over" else f"{word} [{low:+.{places}f}, {high:+.{places}f}]"


def _with_reader(evaluation: Evaluation, over: Any) -> tuple[Evaluation, list[Note]]:
    """Where a range is given and no user model, the usual reader of the range is the one that runs are compared by."""
    if over is None or evaluation.options.user is not None:
        return evaluation, []
    user = users.read_fitted(over) or read_range(over).usual()
    text = f"runs are compared by {user}, the usual reader of the range"
    return evaluation.read_by(user), [Note("usual reader", text)]


def _proved(evaluation: Evaluation, jobs: int, executor: Executor | None) -> Proved:
    """The bounds of the measures whose values depend on what readers see together."""
    measures = tuple(bounded_measures(evaluation.measures))
    made = with_bounds(evaluation, alone=True)
    return Proved(measures, made.run(jobs=jobs, executor=executor) if measures else Results((), ()))


def _verdict(pair: Pair, proved: Proved, along: Over | None) -> Verdict:
    ahead = None if not pair.difference else (pair.difference > 0) == pair.higher_is_better
    pair = pair if ahead is not False else pair.turned()
    if ahead is None:
        said = "have no topic in common" if pair.difference is None else "are equal, so that neither is ahead"
        text = f"{pair.run} and {pair.versus} {said}"
        return Verdict(pair.measure, pair.run, pair.versus, pair.difference, dict.fromkeys(ASSUMED), {}, text)
    ends: dict[str, Ends] = {"topics": (pair.low, pair.high)}
    if pair.unjudged is not None:
        ends["unjudged"] = pair.unjudged
    for one in proved.measures:
        together = proved.difference(one, pair.run, pair.versus) if one.text == pair.measure else None
        if together is not None:
            ends["together"] = together
    if pair.reader is not None and pair.reader[0] is not None:
        ends["reader"] = pair.reader
    found: dict[str, bool | None] = {name: _stays(*ends[name], pair.higher_is_better) if name in ends else None
                                     for name in ASSUMED}  # fmt: skip
    if pair.interval == EQUAL:  # without spread there is no interval, but an exact test
        found["topics"] = pair.significant
    there = None if along is None else along.pair(pair.measure, pair.run, pair.versus)
    if there is not None:
        found["over"], ends["over"] = there.share_a > 1 - 1e-9, (there.share_a, there.share_a)
    text = _sentence(pair, found, ends)
    return Verdict(pair.measure, pair.run, pair.versus, pair.difference, found, ends, text)


def _stays(low: float | None, high: float | None, higher_is_better: bool) -> bool:
    """Whether the difference is on the side of the better run throughout; not so where nothing is known."""
    if low is None or high is None:
        return False
    return low > TIE if higher_is_better else high < -TIE


def _sentence(pair: Pair, found: dict[str, bool | None], ends: dict[str, Ends]) -> str:
    open_ = [name for name, stays in found.items() if stays is False]
    if not open_:
        return f"{pair.run} beats {pair.versus} under all of them"
    parts = [f"{ASSUMED[name]} ({_ends(name, *ends[name], pair)})" for name in open_]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{pair.run} is ahead of {pair.versus}, but that depends on {listed}"


def _ends(name: str, low: float | None, high: float | None, pair: Pair) -> str:
    if low is None or high is None:
        return "too few for an interval"
    if name == "over":
        return f"{pair.run} is better in {low:.4g} of it"
    return f"difference {low:+.4g} to {high:+.4g}"
