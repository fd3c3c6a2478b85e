"""How many topics it takes to see a difference, and the smallest difference that the present topics can show.

For a paired t-test of two runs, two-sided at level alpha, over n topics: with d the mean difference over the standard
deviation of the differences, the probability of a significant result is

    power(n, d) = P(|T| > t) with T noncentral t with n - 1 degrees of freedom and noncentrality d sqrt(n),
                  t the 1 - alpha/2 quantile of Student's t

The standard deviations come from the runs at hand, one for each pair. The median pair stands for a typical comparison,
the pair with the largest deviation for the hardest one. Intervals: percentiles over topics drawn with replacement. The
randomisation test of ``compare`` has nearly the same power.

With clusters the test is that of clusters: the standard deviation is that of the mean times the square root of their
number G, the variance of the mean G/(G - 1) times the sum of squared cluster residuals over n^2, with G - 1 degrees of
freedom; what is needed are clusters of the present mean size, all alike. The t-test of ``compare`` over clusters that
differ in size has fewer degrees of freedom, and less power. The randomisation test cannot give a p-value below
2^(1 - G), .0625 for 5 clusters, however many topics they hold; that is said where no difference can be significant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.analysis.comparison.compare import evaluated
from berrypick.analysis.comparison.interval_notes import FEW_TOPICS
from berrypick.analysis.trust.stability import check_pairs, clusters_of, missing_notes, signature_of
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.parameters import is_finite
from berrypick.data.results import Note, Results
from berrypick.data.score import Table
from berrypick.data.signature import Signature
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationKeywords, takes_options
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.statistics import statistics
from berrypick.statistics.discrimination import ClusterSums
from berrypick.statistics.topic_values import TopicValues, columns_alike
from berrypick.tables.tabular import Interval, Resampling, Tabular, bounds, fields_of, shown
from berrypick.workers.progress import ProgressLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: No test collection has more topics than this.
MOST = 10**7
#: Points of the integral over the estimated deviation, on a normal scale so far to both sides.
_POINTS, _REACH = 200, 8.0


def t_test_power(effect: float, topics: int, alpha: float = 0.05) -> float:
    """The probability that a paired t-test finds a mean difference of ``effect`` standard deviations.

    Integrated over the estimated standard deviation, since SciPy's noncentral t is nan for many of these arguments.

    >>> round(t_test_power(0.5, 34), 4)
    0.8078
    """
    from scipy.special import ndtr

    border, weight = _borders(topics, alpha)
    centre = abs(effect) * math.sqrt(topics)
    return min(1.0, float(weight @ (ndtr(centre - border) + ndtr(-centre - border))))


@lru_cache(maxsize=256)
def _borders(topics: int, alpha: float) -> tuple[FloatArray, FloatArray]:
    """How far from 0 a standardised mean must be to be significant, at points of the law of the estimated deviation,
    and the weights of the points."""
    from scipy.special import gammaincinv, ndtr, stdtrit

    freedom = topics - 1
    normal, weight = _normal_points()
    deviation = np.sqrt(2 * gammaincinv(freedom / 2, ndtr(normal)) / freedom)
    return -stdtrit(freedom, alpha / 2) * deviation, weight


@lru_cache(maxsize=1)
def _normal_points() -> tuple[FloatArray, FloatArray]:
    """Points of a standard normal variable and their weights (Gauss and Legendre)."""
    point, weight = np.polynomial.legendre.leggauss(_POINTS)
    normal = _REACH * point
    return normal, _REACH * weight * np.exp(-(normal**2) / 2) / math.sqrt(2 * math.pi)


def topics_needed(effect: float, power: float = 0.8, alpha: float = 0.05) -> int | None:
    """The smallest number of topics that gives a paired t-test this power; None beyond ten million.

    >>> topics_needed(0.5), topics_needed(0.2)
    (34, 199)
    """
    from scipy.special import ndtri

    if not effect or t_test_power(effect, MOST, alpha) < power:
        return None
    # with a known deviation, a little fewer would do
    near = ((ndtri(1 - alpha / 2) + ndtri(power)) / effect) ** 2
    low = max(1, min(MOST, math.floor(near)) - 1)
    if low > 1 and t_test_power(effect, low, alpha) >= power:
        low = 1
    step = 2
    while low + step < MOST and t_test_power(effect, low + step, alpha) < power:
        low, step = low + step, 2 * step
    high = min(low + step, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if t_test_power(effect, middle, alpha) < power else (low, middle)
    return high


def smallest_effect(topics: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The mean difference, in standard deviations, that a paired t-test over so many topics finds with this power.

    >>> round(smallest_effect(34), 3)
    0.495
    """
    low, high = 0.0, 1.0  # power grows with the effect
    while t_test_power(high, topics, alpha) < power:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if t_test_power(middle, topics, alpha) < power else (low, middle)
    return high


@dataclass(frozen=True)
class PowerMethod(Resampling):
    """What is asked of the test, and how intervals are computed."""

    power: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.power, (int, float, np.number)) or not self.alpha < self.power < 1:
            least = f"{self.alpha:g} (1 - confidence)"
            raise UsageError(f"power must be between {least} and 1, e.g. 0.8, not {self.power!r:.60}")

    def fields(self) -> list[tuple[str, str]]:
        drawn = self._fields("confidence", "resamples", "seed")
        drawn += self._clustered()
        return [("test", "t"), *self._fields("power"), ("interval", "percentile"), *drawn]


@dataclass(frozen=True)
class PairPower:
    """Two runs under one measure."""

    run: str
    versus: str
    topics: int
    difference: float
    deviation: float  # standard deviation of the differences
    smallest: float  # difference that these topics can show
    needed: int | None  # topics for the difference to detect
    clusters_needed: int | None = None  # the same in clusters, where there are some

    def as_dict(self) -> dict[str, Any]:
        known = fields_of(self, "run", "versus", "topics", "difference", "deviation")
        more = {} if self.clusters_needed is None else fields_of(self, "clusters_needed")
        return {**known, "smallest_difference": self.smallest, "topics_needed": self.needed, **more}


@dataclass(frozen=True)
class MeasurePower:
    """One measure, and one difference to detect; the median pair, with its interval, and the largest."""

    measure: str
    detect: float | None
    topics: int
    pairs: tuple[PairPower, ...]
    deviation: float | None
    deviation_interval: tuple[float | None, float | None]
    smallest: float | None
    smallest_interval: tuple[float | None, float | None]
    smallest_largest: float | None
    needed: int | None
    needed_interval: tuple[int | None, int | None]
    needed_largest: int | None
    signature: Signature
    clusters: int | None = None  # how many there are, where whole clusters are resampled
    clusters_needed: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            **fields_of(self, "measure", "topics"),
            "pairs": len(self.pairs),
            **Interval(self.deviation, *self.deviation_interval).fields("deviation"),
            **Interval(self.smallest, *self.smallest_interval).fields("smallest_difference"),
            "smallest_difference_largest": self.smallest_largest,
            "detect": self.detect,
            **Interval(self.needed, *self.needed_interval).fields("topics_needed"),
            "topics_needed_largest": self.needed_largest,
            **({} if self.clusters is None else fields_of(self, "clusters", "clusters_needed")),
            "signature": str(self.signature),
        }


@dataclass(frozen=True, repr=False)
class Power(Tabular):
    """The result of :func:`power` for each measure and difference.

    Attributes
    ----------
    measures
        For each measure the topics needed, and the smallest difference that the present ones detect.
    method
        How it was found.
    notes
        Notes about the numbers.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"1": {"a": 1}, "2": {"a": 1}}
    >>> found = bp.power(truth, {"x": truth, "y": {"1": {"a": 1.0}}}, "RR", resamples=100)
    >>> isinstance(found, bp.Power), len(found.measures)
    (True, 1)
    """

    measures: tuple[MeasurePower, ...]
    method: PowerMethod
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, place: int) -> MeasurePower:
        return self.measures[place]

    def records(self) -> list[dict[str, Any]]:
        """Return an object for each measure and difference, with every pair of runs."""
        return [{**one.as_dict(), "comparisons": [pair.as_dict() for pair in one.pairs]} for one in self.measures]

    def rows(self) -> list[dict[str, Any]]:
        return [one.as_dict() for one in self.measures]

    def tables(self, places: int = 4) -> list[Table]:
        percent = f"{100 * self.method.confidence:.4g}% interval"
        header = ["measure", "topics", "pairs", "smallest", percent, "hardest pair"]
        wanted = any(one.detect is not None for one in self.measures)
        header += ["detect", "needs topics", percent, "hardest pair"] if wanted else []
        rows = []
        for one in self.measures:
            row = [one.measure, str(one.topics), str(len(one.pairs)), shown(one.smallest, places),
                   bounds(*one.smallest_interval, places), shown(one.smallest_largest, places)]  # fmt: skip
            if wanted:
                row += ["-" if one.detect is None else f"{one.detect:g}", shown(one.needed, 0),
                        bounds(*one.needed_interval, 0), shown(one.needed_largest, 0)]  # fmt: skip
            rows.append(row)
        return [Table("", header, rows, "<>>><>" + (">><>" if wanted else ""))]

    def legend(self) -> list[str]:
        method = self.method
        units = f"clusters of topics ({method.cluster})" if method.cluster else "topics"
        lines = [
            f"smallest: the difference between two runs that these topics detect with power {method.power:g} (paired "
            f"t-test, two-sided, level {method.alpha:g}, not corrected); median over pairs of runs.",
            f"Intervals: percentile bootstrap over {units}, {method.resamples} resamples, seed {method.seed}.",
        ]
        known = next((one for one in self.measures if one.clusters is not None), None)
        if known is not None and known.clusters:
            size = known.topics / known.clusters
            lines.append(f"Topics needed: those of whole clusters, of {size:.4g} topics as the {known.clusters} here.")
        return lines


@takes_options
def power(
    truth: TruthLike | Evaluation | Results,
    runs: RunsLike = (),
    measures: MeasuresGiven = (),
    *,
    detect: float | Sequence[float] = (),
    power: float = 0.8,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    cluster: str | Mapping[str, str] | None = None,
    jobs: int = 1,
    progress: ProgressLike = None,
    **options: Unpack[EvaluationKeywords],
) -> Power:
    """Find the number of topics needed to detect a difference, and the smallest difference that these topics detect.

    Parameters
    ----------
    truth : TruthLike, Evaluation or Results
        The judgements, or what is evaluated already.
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    measures : str, Measure or list
        One text with several measures, or a list of texts and measures.
    detect : float or list of float
        The differences of means to detect.
    power : float
        The probability with which a difference should be found.
    confidence : float
        1 - the level of the test.
    resamples : int
        Draws of topics for each interval and test.
    seed : int
        The seed of what is drawn.
    cluster : str or mapping, optional
        Whole clusters of topics are resampled, since questions about one document are not independent: a field of
        topics, a file with topic and cluster in each line, or a mapping, as in :func:`berrypick.compare`.
    jobs : int
        The number of processes.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    Power
        One result for each measure and difference.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {str(topic): {"a": 1} for topic in range(8)}
    >>> other = {topic: {"b": 2.0, "a": 1.0} if int(topic) % 2 else {"a": 1.0} for topic in truth}
    >>> found = bp.power(truth, {"x": truth, "y": other}, "RR", detect=0.1, resamples=100)
    >>> found.records()[0]["topics_needed"]
    59
    """
    method = PowerMethod(power, confidence=confidence, resamples=resamples, seed=seed)
    wanted = _differences(detect)
    results, prepared = evaluated(truth, runs, measures, options, "power", jobs, progress)
    check_pairs(results, "power", 2)
    notes = list(results.notes)
    codes, field, unclustered = clusters_of(results, prepared, cluster, "power", 2)
    method = replace(method, cluster=field)
    notes += [*unclustered, *_unit_notes(len(results.topics), codes, method)]
    found = []
    for measure in results.measures:
        values = TopicValues.of(results, measure, results.runs, sorted(results.topics))
        notes += missing_notes(values)
        found += _PowerWork(values, method, results, codes).measure_power(wanted, notes)
    return Power(tuple(found), method, tuple(dict.fromkeys(notes)))


def _unit_notes(topics: int, codes: IntArray | None, method: PowerMethod) -> list[Note]:
    """What few topics or clusters cannot show."""
    units, unit = (topics, "topic") if codes is None else (int(codes.max()) + 1, "cluster")
    found = []
    if units < FEW_TOPICS:
        found.append(Note("few topics", f"with fewer than {FEW_TOPICS} {unit}s, deviations are very uncertain"))
    least = statistics.smallest_p(units, statistics.MOST_RESAMPLES)
    if least > method.alpha:
        text = f"the randomisation test of compare gives no p-value below {least:.4g} on {counted(units, unit)}, "
        text += "however large a difference is: at this confidence only the t-test can find one"
        found.append(Note("no power", text))
    return found


def _differences(detect: float | Sequence[float]) -> list[float | None]:
    wanted: list[Any] = list(detect) if isinstance(detect, (list, tuple)) else [detect]
    for value in wanted:
        if not (isinstance(value, Real) and is_finite(value) and float(value) > 0):
            raise UsageError(f"{option('detect')} takes a difference above 0, e.g. 0.03, not {value!r:.60}")
    return [float(value) for value in wanted] or [None]


class _PowerWork:
    """One measure."""

    def __init__(self, values: TopicValues, method: PowerMethod, results: Results, clusters: IntArray | None) -> None:
        self.values, self.method, self.clusters = values, method, clusters
        self.cluster_count = None if clusters is None else int(clusters.max()) + 1
        #: Topics of a unit that is drawn.
        self.size = 1.0 if self.cluster_count is None else len(values.topics) / self.cluster_count
        self.signature = signature_of(results, values.measure, method.fields())

    def measure_power(self, wanted: Sequence[float | None], notes: list[Note]) -> list[MeasurePower]:
        pairs, deviations, effects = self._pairs()
        alike = len(self.values.pairs) - len(pairs)
        if alike:
            text = f"{counted(alike, 'pair')} of runs whose differences are all equal, skipped"
            notes.append(Note("no spread", text, measure=self.values.measure))
        return [self._measure_power(detect, pairs, deviations, effects) for detect in wanted]

    def _pairs(self) -> tuple[list[tuple[int, int, float, float]], FloatArray, FloatArray]:
        """(pair, topics or clusters, mean difference, deviation) of pairs with spread; resamples x pairs: deviations;
        the smallest effect of each pair."""
        found, draws = [], []
        for columns, differences, codes in self._blocks():
            units = len(differences) if codes is None else int(codes.max()) + 1
            if units < 2:
                continue
            sums = ClusterSums.of(differences - differences.mean(axis=0), np.arange(units) if codes is None else codes)
            spread = statistics._spread(differences) if codes is None else sums.deviations(np.ones((1, units)))[0]
            kept = np.flatnonzero(spread > 0)
            means = differences.mean(axis=0)
            found += [(int(columns[i]), units, float(means[i]), float(spread[i])) for i in kept]
            draws.append(self._drawn(ClusterSums(sums.sums[:, kept], sums.sizes)))
        order = sorted(range(len(found)), key=lambda i: found[i][0])
        effect = {n: smallest_effect(n, self.method.power, self.method.alpha) for n in {one[1] for one in found}}
        ordered = [found[i] for i in order]
        all_draws = np.concatenate(draws, axis=1)[:, order] if draws else np.empty((self.method.resamples, 0))
        return ordered, all_draws, np.array([effect[one[1]] for one in ordered])

    def _blocks(self) -> Iterator[tuple[IntArray, FloatArray, IntArray | None]]:
        """(pairs, topics x pairs, clusters of the topics) of the pairs that have a difference on the same topics."""
        differences = self.values.differences()
        for columns, topics in columns_alike(~np.isnan(differences)):
            codes = None if self.clusters is None else np.unique(self.clusters[topics], return_inverse=True)[1]
            yield columns, differences[np.ix_(topics, columns)], codes if len(topics) else None

    def _drawn(self, sums: ClusterSums) -> FloatArray:
        """resamples x pairs: standard deviations over drawn topics or clusters."""
        units = len(sums.sizes)
        # n/(n - 1) once more, for what they are drawn from
        correction = math.sqrt(units / (units - 1))
        draws = statistics.resample_counts(units, self.method.resamples, self.method.seed)
        return np.concatenate([sums.deviations(times) * correction for _, times in draws])

    def _measure_power(
        self,
        detect: float | None,
        pairs: Sequence[tuple[int, int, float, float]],
        draws: FloatArray,
        effects: FloatArray,
    ) -> MeasurePower:
        deviation = np.array([one[3] for one in pairs])
        middle = float(np.median(deviation)) if len(pairs) else None
        smallest = effects * deviation
        typical = np.median(draws, axis=1) if len(pairs) else None
        smallest_draws = np.median(draws * effects, axis=1) if len(pairs) else None
        low, high = self._percentiles(typical)
        return MeasurePower(
            measure=self.values.measure,
            detect=detect,
            topics=len(self.values.topics),
            pairs=tuple(self._pair(one, float(s), detect) for one, s in zip(pairs, smallest, strict=True)),
            deviation=middle,
            deviation_interval=(low, high),
            smallest=float(np.median(smallest)) if len(pairs) else None,
            smallest_interval=self._percentiles(smallest_draws),
            smallest_largest=float(smallest.max()) if len(pairs) else None,
            needed=self._needed(detect, middle),
            needed_interval=(self._needed(detect, low), self._needed(detect, high)),
            needed_largest=self._needed(detect, float(deviation.max()) if len(pairs) else None),
            signature=self.signature,
            clusters=self.cluster_count,
            clusters_needed=None if self.clusters is None else self._units_needed(detect, middle),
        )

    def _pair(self, one: tuple[int, int, float, float], smallest: float, detect: float | None) -> PairPower:
        place, _, difference, deviation = one
        first, second = (self.values.runs[run] for run in self.values.pairs[place])
        needed = None if self.clusters is None else self._units_needed(detect, deviation)
        return PairPower(
            first, second, self._topics(place), difference, deviation, smallest, self._needed(detect, deviation), needed
        )

    def _topics(self, pair: int) -> int:
        """On how many topics both runs of a pair have a value."""
        one, other = self.values.pairs[pair]
        return int((self.values.defined[:, one] & self.values.defined[:, other]).sum())

    def _needed(self, detect: float | None, deviation: float | None) -> int | None:
        """Topics; of clusters those of so many of the present mean size."""
        units = self._units_needed(detect, deviation)
        return None if units is None else math.ceil(units * self.size - 1e-9)

    def _units_needed(self, detect: float | None, deviation: float | None) -> int | None:
        if detect is None or not deviation:
            return None
        return topics_needed(detect / deviation, self.method.power, self.method.alpha)

    def _percentiles(self, draws: FloatArray | None) -> tuple[float | None, float | None]:
        if draws is None:
            return None, None
        low, high = np.quantile(draws, [self.method.alpha / 2, 1 - self.method.alpha / 2])
        return float(low), float(high)
