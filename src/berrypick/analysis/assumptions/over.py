"""For which readers is one run better than another? Means along a range of readers, crossings, shares of the range.

A crossing is a change of sign of the mean difference, root or jump, found between neighbouring points of a grid, to
1e-6 of the range (1e-4 where there are two ranges); two inside one step of the grid may be missed. The share of the
range in which a run wins follows from them, in logarithms where the scale is logarithmic, and so does that of a fitted
reader's law. Intervals are percentiles over topics drawn with replacement, or over whole clusters.
"""

from __future__ import annotations

import itertools
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.analysis.assumptions.crossings import Crossing, crossings, edges
from berrypick.analysis.assumptions.range_values import Place, RangeValues
from berrypick.analysis.assumptions.reader_range import Axis, ReaderRange, ScaleName, read_range
from berrypick.analysis.assumptions.shares import mean_over_topics, resampled_means, share_interval, weights, won
from berrypick.analysis.comparison.comparison import Method
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.results import Note, TopicGroups
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.groups import cluster_codes, cluster_notes
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.tables.tabular import Tabular, bounds, shown
from berrypick.workers.progress import Progress

#: Points of the grid along one range, and along each of two.
POINTS, POINTS_OF_TWO = 41, 17
#: How much coarser crossings are found where there are two ranges.
COARSER = 100.0
#: Rows of the table of means.
SHOWN = 9


@dataclass(frozen=True)
class OverPair:
    """Two runs under one measure along the range."""

    measure: str
    a: str
    b: str
    #: Where one takes over from the other: values of the parameter, or of both parameters.
    crossings: tuple[Any, ...]
    #: Of each crossing, whether the difference leaps over 0.
    jumps: tuple[bool, ...]
    share_a: float
    share_b: float
    low: float | None  # of share_a, over topics
    high: float | None
    #: The lowest and the highest mean difference, a minus b, at the points that were looked at.
    difference: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure, "a": self.a, "b": self.b, "crossings": list(self.crossings),
            "share_a": self.share_a, "share_b": self.share_b, "low": self.low, "high": self.high,
        }  # fmt: skip


@dataclass(frozen=True)
class OverValue:
    """The mean of one run under one measure for one reader of the range."""

    run: str
    measure: str
    at: Any  # the value of the parameter, or of both parameters
    value: float | None

    def as_dict(self) -> dict[str, Any]:
        return {"run": self.run, "measure": self.measure, "at": self.at, "value": self.value}


@dataclass(frozen=True, repr=False)
class Over(Tabular):
    """Readers for whom each run is better: the result of ``bp.compare(..., over=...)``.

    Attributes
    ----------
    range
        The user model, and its parameters that go through a range.
    values
        The mean of each run under each measure at each point of the grid.
    pairs
        For every two runs and each measure: crossings, shares of the range, the interval of the first.
    method
        How topics are resampled.
    notes
        Notes about the numbers.
    clusters
        Number of clusters, if whole clusters are resampled.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": {"d#100-110": 1, "d#400-410": 1}}
    >>> runs = {"near": {"q": {"d#90-100": 1.0}}, "middle": {"q": {"d#250-260": 1.0}}}
    >>> found = bp.compare(truth, runs, "EPRUM", over="distance(theta=0.001..1,law='inverse')", resamples=100)
    >>> isinstance(found, bp.Over), found.pairs[0].share_a > 0.9
    (True, True)
    """

    range: ReaderRange
    values: tuple[OverValue, ...]
    pairs: tuple[OverPair, ...]
    method: Method
    notes: tuple[Note, ...] = ()
    clusters: int | None = None

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The parameters that go through a range."""
        return self.range.axes

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(dict.fromkeys(one.run for one in self.values))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(dict.fromkeys(one.measure for one in self.values))

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Over({self.range.text}, {counted(len(self.pairs), 'pair')})"

    def pair(self, measure: str, a: str, b: str) -> OverPair | None:
        """Return two runs under one measure, ``a`` first; None if these two were not compared."""
        for one in self.pairs:
            if one.measure == measure and (one.a, one.b) == (a, b):
                return one
            if one.measure == measure and (one.a, one.b) == (b, a):
                ends = (None if one.high is None else _rest(one.high), None if one.low is None else _rest(one.low))
                exact = one.share_a + one.share_b > 1 - 1e-9  # else what is left is no share of b
                least, most = one.difference
                return OverPair(measure, a, b, one.crossings, one.jumps, one.share_b, one.share_a,
                                *(ends if exact else (None, None)), (-most, -least))  # fmt: skip
        return None

    def records(self) -> list[dict[str, Any]]:
        """Return one object, as in JSON output: the range, values at its points, and every pair of runs."""
        single = len(self.axes) == 1
        facts = {"parameter": "parameter", "from": "low", "to": "high", "scale": "scale"}
        found = {key: [getattr(axis, name) for axis in self.axes] for key, name in facts.items()}
        return [
            {
                **{key: values[0] if single else values for key, values in found.items()},
                "values": [one.as_dict() for one in self.values],
                "pairs": [one.as_dict() for one in self.pairs],
            }
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair, crossings as one text."""
        return [{**one.as_dict(), "crossings": " ".join(_digits(at) for at in one.crossings)} for one in self.pairs]

    def tables(self, places: int = 4) -> list[Table]:
        percent = f"{100 * self.method.confidence:.4g}% interval"
        rows = [
            [one.measure, one.a, one.b, shown(one.share_a, places), bounds(one.low, one.high, places),
             shown(one.share_b, places), _crossings_cell(one)]
            for one in self.pairs
        ]  # fmt: skip
        header = ["measure", "a", "b", "a better", percent, "b better", "changes at"]
        found = [Table(f"Shares of {self._range()}", header, rows, "<<<><><")]
        if len(self.axes) == 1:
            found += [self._means(measure, places) for measure in self.measures]
        return found

    def _range(self) -> str:
        parts = [f"{axis.parameter} from {axis.low:.4g} to {axis.high:.4g}" for axis in self.axes]
        law = self.axes[0].law
        return f"{self.range.text}: {' and '.join(parts)}" + (f", by the distribution of {law.what}" if law else "")

    def _means(self, measure: str, places: int) -> Table:
        points = list(dict.fromkeys(one.at for one in self.values if one.measure == measure))
        chosen = [points[round(i * (len(points) - 1) / (SHOWN - 1))] for i in range(SHOWN)]
        known = {(one.run, one.at): one.value for one in self.values if one.measure == measure}
        rows = [[_digits(at), *(shown(known[run, at], places) for run in self.runs)] for at in dict.fromkeys(chosen)]
        header = [self.axes[0].parameter, *self.runs]
        return Table(f"Means of {measure}", header, rows, ">" * len(header))

    def legend(self) -> list[str]:
        method, units = self.method, "topics" if self.clusters is None else f"{self.clusters} clusters of topics"
        scales = " and ".join(dict.fromkeys(axis.scale for axis in self.axes))
        by = "the law" if self.axes[0].law else f"the range ({scales})"
        return [
            f"a better: share of {by} in which the mean of a is better; where both are equal, neither is.",
            f"Intervals: percentile bootstrap over {units}, {method.resamples} resamples, seed {method.seed}.",
        ]

    def plot(self, **how: Any) -> Any:
        """Return an Altair chart: the means along the range, or a map of the differences over two ranges.

        ``how``: width, height, font_size.
        """
        from berrypick.report.figures.over_chart import plot_over

        return plot_over(self, **how)

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
        points: int | None = None,
    ) -> Over:
        """Compare the runs of an evaluation over a range of readers; see :func:`berrypick.compare`."""
        chosen = read_range(over, scale)
        measures, notes = _readers_measures(evaluation)
        if len(evaluation.runs) < 2:
            raise UsageError(f"a range of readers is about two runs or more, not {len(evaluation.runs)}")
        values = RangeValues(evaluation, chosen, measures)
        work = _Work(values, method, clusters, baseline, points)
        values.prepare(work.grid(), jobs, executor, progress)
        pairs = tuple(work.pair(m, a, b) for m in range(len(measures)) for a, b in work.run_pairs())
        units = None if work.clusters is None else int(work.clusters.max()) + 1
        notes += [*work.notes(), *([] if clusters is None else cluster_notes(clusters, values.topics))]
        return cls(chosen, tuple(work.values()), pairs, method, tuple(dict.fromkeys(notes)), units)


def _rest(share: float) -> float:
    return 1 - share


def _digits(at: Any) -> str:
    return ",".join(f"{one:.6g}" for one in at) if isinstance(at, (list, tuple)) else f"{at:.6g}"


def _crossings_cell(one: OverPair) -> str:
    if not one.crossings:
        return "-"
    marked = [_digits(at) + (" (jump)" if jump else "") for at, jump in zip(one.crossings, one.jumps, strict=True)]
    return ", ".join(marked[:4]) + (f" and {len(marked) - 4} more" if len(marked) > 4 else "")


def _readers_measures(evaluation: Evaluation) -> tuple[list[RequestedMeasure], list[Note]]:
    """The measures that the user model of the evaluation changes; a note on the others."""
    kept = [
        one for one in evaluation.measures if "user" in one.measure.dependencies() and one.measure.user_model() is None
    ]
    left = [one.text for one in evaluation.measures if one not in kept]
    if not kept:
        raise UsageError(f"{', '.join(left)}: the range of readers does not affect it; give a measure such as EPRUM")
    text = "the same for every reader of the range, or with a user model of its own: skipped"
    return kept, [Note("not over the range", text, measure=name) for name in left]


class _Work:
    """The grid, the pairs and the shares of a range."""

    def __init__(
        self,
        values: RangeValues,
        method: Method,
        clusters: TopicGroups | None,
        baseline: str | None,
        points: int | None,
    ) -> None:
        self.of, self.method, self.baseline, self.axes = values, method, baseline, values.over.axes
        number = points or (POINTS if len(self.axes) == 1 else POINTS_OF_TWO)
        self.places = [axis.places(number).tolist() for axis in self.axes]
        self.clusters = None if clusters is None else cluster_codes(clusters, values.topics)

    def grid(self) -> list[Place]:
        return list(itertools.product(*self.places))

    def run_pairs(self) -> list[tuple[str, str]]:
        pairs = list(itertools.combinations(self.of.runs, 2))
        first = self.of.runs[0] if self.baseline is None else self.baseline
        return [pair for pair in pairs if first in pair] if self.method.pairs == "baseline" else pairs

    def values(self) -> list[OverValue]:
        found = []
        for row, one in enumerate(self.of.measures):
            for run in self.of.runs:
                for place in self.grid():
                    mean = float(mean_over_topics(self.of.at(run, place)[row][:, None])[0])
                    found.append(OverValue(run, one.text, self._at(place), None if np.isnan(mean) else mean))
        return found

    def _at(self, place: Place) -> Any:
        at = tuple(axis.value(one) for axis, one in zip(self.axes, place, strict=True))
        return at[0] if len(at) == 1 else at

    def pair(self, measure: int, a: str, b: str) -> OverPair:
        """Along one range, or along the first at each point of the second."""
        lines = [_Line(self, measure, a, b, rest) for rest in itertools.product(*self.places[1:])]
        share = np.ones(1) if len(self.axes) == 1 else weights(self.axes[1].measure(np.array(self.places[1])).tolist())
        won_by = sum(weight * line.won() for weight, line in zip(share.tolist(), lines, strict=True))
        drawn = sum(weight * line.drawn() for weight, line in zip(share.tolist(), lines, strict=True))
        assert isinstance(won_by, np.ndarray) and isinstance(drawn, np.ndarray)
        share_a, share_b = (min(1.0, float(one)) for one in won_by)
        low, high = share_interval(drawn, share_a, self.method.confidence) if self._units() > 1 else (None, None)
        found = [(self._crossing(one, line.rest), one.jump) for line in lines for one in line.crossings]
        means = np.concatenate([line.means() for line in lines])
        difference = (float(means.min()), float(means.max()))
        if not self.of.measures[measure].measure.higher_is_better:
            difference = (-difference[1], -difference[0])
        return OverPair(self.of.measures[measure].text, a, b, tuple(at for at, _ in found),
                        tuple(jump for _, jump in found), share_a, share_b, low, high, difference)  # fmt: skip

    def _crossing(self, one: Crossing, rest: Place) -> Any:
        at = float(self.axes[0].at(np.array(one.place)))
        return at if not rest else (at, self.axes[1].value(rest[0]))

    def _units(self) -> int:
        return len(self.of.topics) if self.clusters is None else int(self.clusters.max()) + 1

    def notes(self) -> list[Note]:
        found = [Note("grid", f"two crossings inside one step of the grid ({self._steps()}) may be missed")]
        return found + self._end_jumps()

    def _steps(self) -> str:
        return " x ".join(str(len(places) - 1) for places in self.places) + " steps"

    def _end_jumps(self) -> list[Note]:
        """Ends of a range at which the values are others than those next to it: what holds there holds nowhere else."""
        found = []
        axis, rest = self.axes[0], tuple(places[-1] for places in self.places[1:])
        if axis.whole:
            return []
        for end, near in ((0.0, 1e-9), (1.0, 1 - 1e-9)):
            for row, one in enumerate(self.of.measures):
                if any(self._moves(run, row, (end, *rest), (near, *rest)) for run in self.of.runs):
                    text = f"{axis.parameter}={axis.value(end):.6g} is a jump: values next to it are others"
                    found.append(Note("jump", text, measure=one.text))
        return found

    def _moves(self, run: str, row: int, one: Place, other: Place) -> bool:
        difference = self.of.at(run, one)[row] - self.of.at(run, other)[row]
        return bool((np.abs(np.nan_to_num(difference)) > 1e-6).any())


class _Line:
    """Two runs under one measure along the first range, at one point of the second."""

    def __init__(self, work: _Work, measure: int, a: str, b: str, rest: Place) -> None:
        self.work, self.measure, self.a, self.b, self.rest = work, measure, a, b, rest
        self._by_topic: dict[float, FloatArray] = {}
        tolerance = work.axes[0].tolerance * (COARSER if len(work.axes) > 1 else 1.0)
        self.crossings = crossings(edges(self.mean, work.places[0], tolerance))

    def mean(self, place: float) -> float:
        """The mean difference; 0 where no topic has one."""
        if place not in self._by_topic:
            self._by_topic[place] = self.work.of.difference(self.measure, self.a, self.b, (place, *self.rest))
        return float(np.nan_to_num(mean_over_topics(self._by_topic[place][:, None])[0]))

    @property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """topics x places in order, and the share of the range up to each place."""
        places = sorted(self._by_topic)
        table = np.stack([self._by_topic[place] for place in places], axis=1)
        return table, self.work.axes[0].measure(np.array(places))

    def means(self) -> FloatArray:
        """The mean difference at every place that was looked at; 0 where no topic has one."""
        return np.nan_to_num(mean_over_topics(self._table[0]))

    def won(self) -> FloatArray:
        """The share of the range in which a wins, and b."""
        return won(self.means()[None, :], self._table[1])[0]

    def drawn(self) -> FloatArray:
        """The share in which a wins, for topics drawn anew."""
        table, measure = self._table
        method = self.work.method
        means = resampled_means(table, self.work.clusters, method.resamples, method.seed)
        found: FloatArray = won(np.nan_to_num(means), measure)[:, 0]
        return found
