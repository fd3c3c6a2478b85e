"""How well a measure tells runs apart on these topics: discriminative power and swap rates.

**Discriminative power** (Sakai 2006). For every two runs, a paired bootstrap test: the differences of the topics,
shifted to mean 0, are drawn with replacement, and the achieved significance level (ASL) is the share of the draws whose
Studentised mean is at least as far from 0 as that of the differences, (1 + as far)/(1 + drawn), which is never 0. The
discriminative power is the share of the pairs with an ASL of at most 1 - confidence. The difference it takes is the
largest over pairs of the mean difference at that level of the draws.

**Swap rate** (Voorhees and Buckley 2002). The topics are split in two halves, again and again. A pair of runs is
swapped if the halves order it differently. The rate is given by the size of the difference on the first half;
differences whose rate stays at 5% or less can be trusted on half as many topics.

**Intervals** are estimates plus and minus normal quantiles of a standard error from a jackknife over topics that leaves
out a fifth of them at a time (Shao and Wu 1989). In simulations, with t-tests in place of the bootstrap, 95% intervals
held the expected discriminative power in 83% (4 runs) to 97% of cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from berrypick.analysis import statistics
from berrypick.analysis.compare import FEW_TOPICS, evaluated
from berrypick.analysis.curves import Band
from berrypick.analysis.tabular import Tabular, bounds, shown
from berrypick.analysis.topic_values import TopicValues, columns_alike
from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.errors import UsageError
from berrypick.core.explanation import Table
from berrypick.core.results import Note, Results, Signature
from berrypick.core.words import counted
from berrypick.evaluation.evaluation import Progress
from berrypick.evaluation.options import takes_options
from berrypick.evaluation.requested import MeasuresGiven

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords

#: Bins of differences: so many of one width, and what is larger.
BINS = 20
#: Width of a bin, of a measure between 0 and 1; else this share of its largest absolute value.
WIDTH = 0.01
#: A swap rate that one can live with.
TRUSTED = 0.05
#: The share of the topics that the jackknife leaves out, and how often it does.
LEFT_OUT, SUBSETS = 0.2, 100
#: Below so many pairs of runs a share of them says little.
FEW_PAIRS = 10
_COLUMNS = 512
_CELLS = 1 << 22
# streams of random numbers
_SPLITS, _SUBSETS = 3, 4


def achieved_levels(differences: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    """The achieved significance level of each column of differences, by Sakai's paired bootstrap test.

    ``differences`` are topics x pairs, nan where a topic is left out of a pair; nan where fewer than two are left. A
    pair that is 0 on every topic has level 1.

    >>> import numpy as np
    >>> levels = achieved_levels(np.array([[0.3, 0.0], [0.4, 0.0], [0.5, 0.0]]), resamples=100, seed=0)
    >>> bool(levels[0] < 0.1), float(levels[1])
    (True, 1.0)
    """
    found = np.full(differences.shape[1], np.nan)
    for columns, some in _blocks(differences):
        found[columns] = _levels(some, resamples, seed)
    return found


def required_differences(differences: FloatArray, *, resamples: int, seed: int, alpha: float) -> FloatArray:
    """For each column the mean difference of the draw at level ``alpha``: Sakai's estimate of what it takes."""
    found = np.full(differences.shape[1], np.nan)
    wanted = min(resamples - 1, max(0, math.ceil(alpha * resamples) - 1))
    for columns, some in _blocks(differences):
        draws = [(mean, _ratio(mean, square)) for mean, square in _draws(some, resamples, seed)]
        mean, ratio = (np.concatenate(part) for part in zip(*draws, strict=True))
        place = np.argpartition(-ratio, wanted, axis=0)[wanted]
        found[columns] = np.abs(mean[place, np.arange(mean.shape[1])])
    return found


def _blocks(differences: FloatArray) -> Iterator[tuple[IntArray, FloatArray]]:
    """(columns, their differences without nan), as many at once as fit into memory."""
    for columns, topics in columns_alike(~np.isnan(differences)):
        if len(topics) >= 2:
            for first in range(0, len(columns), _COLUMNS):
                some = columns[first : first + _COLUMNS]
                yield some, differences[np.ix_(topics, some)]


def _levels(differences: FloatArray, resamples: int, seed: int) -> FloatArray:
    centre = differences.mean(axis=0)
    spread = (_offsets(differences) ** 2).mean(axis=0)
    observed = np.divide(centre**2, spread + centre**2, out=np.zeros(len(centre)), where=centre != 0)
    least = observed * (1 - 1e-9)  # rounding must not decide between draws that are as far from 0
    as_far = np.zeros(len(centre))
    for mean, square in _draws(differences, resamples, seed):
        as_far += (mean * mean >= least * square).sum(axis=0)
        as_far -= np.where(observed > 0, (square <= 0).sum(axis=0), 0)  # without spread around 0: t is 0
    levels: FloatArray = (1 + as_far) / (1 + resamples)
    return levels


def _draws(differences: FloatArray, resamples: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Mean m and mean square q of the shifted differences in each draw; t^2 = (n - 1) m^2/(q - m^2) grows with
    m^2/q."""
    offsets = _offsets(differences)
    squares = offsets**2
    for _, times in statistics.resample_counts(len(differences), resamples, seed):
        times /= len(differences)
        yield times @ offsets, times @ squares


def _offsets(differences: FloatArray) -> FloatArray:
    offsets = differences - differences.mean(axis=0)
    offsets[np.abs(offsets) <= statistics.SAME * np.abs(differences).max(axis=0)] = 0.0
    return offsets


def _ratio(mean: FloatArray, square: FloatArray) -> FloatArray:
    return np.divide(mean**2, square, out=np.zeros_like(mean), where=square > 0)


class Swaps(NamedTuple):
    """Comparisons of two runs on two halves of the topics, by the difference on the first."""

    width: float
    comparisons: IntArray  # by bin
    swaps: IntArray
    ties: IntArray  # a half without a difference

    @property
    def rate(self) -> float:
        """Over all comparisons; nan if there are none."""
        total = int(self.comparisons.sum())
        return float(self.swaps.sum()) / total if total else math.nan

    def trusted(self) -> int | None:
        """The first bin from which on the swap rate stays at 5% or less; None if there is none."""
        found = None
        for place in reversed(range(len(self.comparisons))):
            if self.swaps[place] > TRUSTED * self.comparisons[place]:
                break
            if self.comparisons[place]:
                found = place
        return found


def swap_counts(differences: FloatArray, *, splits: int, seed: int, width: float) -> Swaps:
    """Split the topics in two halves, again and again, and count the pairs that the halves order differently.

    ``differences`` are topics x pairs, nan where a topic is left out of a pair. With an odd number of topics one is
    left out of each split.
    """
    topics, pairs = differences.shape
    known = (~np.isnan(differences)).astype(np.float64)
    filled = np.nan_to_num(differences)
    counts = np.zeros((3, BINS + 1), dtype=np.int64)
    for halves in _halves(topics, splits, seed, max(1, _CELLS // max(pairs, topics))):
        one, other = (_half_means(half, filled, known) for half in halves)
        both = ~(np.isnan(one) | np.isnan(other))
        place = np.minimum(np.abs(one[both]) / width + 1e-9, BINS).astype(np.int64)
        product = np.sign(one[both]) * np.sign(other[both])
        for row, chosen in enumerate((product <= 1, product < 0, product == 0)):
            counts[row] += np.bincount(place[chosen], minlength=BINS + 1)
    return Swaps(width, *counts)


def _half_means(half: FloatArray, filled: FloatArray, known: FloatArray) -> FloatArray:
    sums, times = half @ filled, half @ known
    means = np.divide(sums, times, out=np.full_like(sums, np.nan), where=times > 0)
    means[np.abs(means) <= statistics.SAME * np.abs(filled).max(axis=0, initial=0.0)] = 0.0
    return means


def _halves(topics: int, splits: int, seed: int, step: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Two matrices of splits x topics, 1 for the topics of a half."""
    random = np.random.default_rng([_SPLITS, seed])
    half = topics // 2
    for first in range(0, splits, step):
        rows = min(step, splits - first)
        order = random.permuted(np.tile(np.arange(topics), (rows, 1)), axis=1)
        made = np.zeros((2, rows, topics))
        for side, columns in enumerate((order[:, :half], order[:, half : 2 * half])):
            np.put_along_axis(made[side], columns, 1.0, axis=1)
        yield made[0], made[1]


@dataclass(frozen=True)
class Method:
    """How stability is measured; every part of it is in the signature."""

    confidence: float = 0.95
    resamples: int = 1000
    splits: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        statistics.check_draws(self.confidence, self.resamples, self.seed)
        if self.splits < 1:
            raise UsageError(f"splits must be at least 1, not {self.splits}")

    @property
    def alpha(self) -> float:
        """The level of significance, 1 - confidence."""
        return round(1 - self.confidence, 12)

    def fields(self) -> tuple[tuple[str, str], ...]:
        return (
            ("test", "bootstrap"),
            ("interval", f"jackknife({LEFT_OUT:g},{SUBSETS})"),
            ("confidence", f"{self.confidence:.12g}"),
            ("resamples", str(self.resamples)),
            ("splits", str(self.splits)),
            ("seed", str(self.seed)),
        )


@dataclass(frozen=True)
class Interval:
    """An estimate; ``low`` and ``high`` are None where there are too few topics."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class MeasureStability:
    """How well one measure tells the runs apart."""

    measure: str
    runs: tuple[str, ...]
    topics: int
    power: Interval  # share of pairs with a significant difference
    required: float | None  # the mean difference it takes
    swap_rate: Interval
    trusted_difference: float | None  # from here on swap rates stay at 5% or less, on half of the topics
    trusted_share: float | None  # of the comparisons, how many differ by so much
    pairs: tuple[tuple[str, str, float | None, float | None], ...]  # run, versus, mean difference, ASL
    swaps: Swaps
    signature: Signature

    def as_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "runs": len(self.runs),
            "topics": self.topics,
            "pairs": len(self.pairs),
            "discriminative_power": self.power.value,
            "low": self.power.low,
            "high": self.power.high,
            "required_difference": self.required,
            "swap_rate": self.swap_rate.value,
            "swap_rate_low": self.swap_rate.low,
            "swap_rate_high": self.swap_rate.high,
            "trusted_difference": self.trusted_difference,
            "trusted_share": self.trusted_share,
            "signature": str(self.signature),
        }

    def details(self) -> dict[str, Any]:
        """The ASL of every pair, and the swap rate of every bin."""
        names = ("run", "versus", "difference", "asl")
        width = self.swaps.width
        return {
            "levels": [dict(zip(names, pair, strict=True)) for pair in self.pairs],
            "swaps": [
                {
                    "from": place * width,
                    "to": None if place == BINS else (place + 1) * width,
                    "comparisons": int(self.swaps.comparisons[place]),
                    "swaps": int(self.swaps.swaps[place]),
                    "ties": int(self.swaps.ties[place]),
                }
                for place in range(BINS + 1)
            ],
        }


@dataclass(frozen=True)
class Stability(Tabular):
    """What :func:`stability` found, a :class:`MeasureStability` for each measure."""

    measures: tuple[MeasureStability, ...]
    method: Method
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, measure: str) -> MeasureStability:
        return next(one for one in self.measures if one.measure == measure)

    def records(self) -> list[dict[str, Any]]:
        """An object for each measure, with the ASL of every pair and the swap rate of every bin."""
        return [{**one.as_dict(), **one.details()} for one in self.measures]

    def rows(self) -> list[dict[str, Any]]:
        return [one.as_dict() for one in self.measures]

    def tables(self, places: int = 4) -> list[Table]:
        percent = f"{100 * self.method.confidence:.4g}% interval"
        header = ["measure", "runs", "topics", "pairs", "power", percent, "takes", "swap rate", percent, "trusted from",
                  "share"]  # fmt: skip
        rows = [
            [
                one.measure,
                str(len(one.runs)),
                str(one.topics),
                str(len(one.pairs)),
                shown(one.power.value, places),
                bounds(one.power.low, one.power.high, places),
                shown(one.required, places),
                shown(one.swap_rate.value, places),
                bounds(one.swap_rate.low, one.swap_rate.high, places),
                shown(one.trusted_difference, places),
                shown(one.trusted_share, places),
            ]
            for one in self.measures
        ]
        return [Table("", header, rows, "<>>>><>><>>")]

    def legend(self) -> list[str]:
        method = self.method
        return [
            f"power: share of the pairs of runs that differ significantly (bootstrap ASL at most {method.alpha:g}, not "
            f"corrected for their number; {method.resamples} resamples), and the difference that takes.",
            f"swap rate: share of the pairs that two halves of the topics order differently ({method.splits} splits); "
            f"the difference from which on it is at most {TRUSTED:g}, and the share of pairs that differ by so much.",
            f"Intervals: jackknife over topics, leaving out {LEFT_OUT:.0%} at a time; seed {method.seed}.",
        ]

    def plot(self, **how: Any) -> Any:
        """An Altair chart: significance levels of the pairs, and swap rates; ``how``: width, height, font_size."""
        from berrypick.report.charts import check_options, plot_bands

        check_options(plot_bands, how)
        return plot_bands(self.curves(), **how)

    def curves(self) -> list[Band]:
        """The ASL of the pairs, largest first, and the swap rate by difference, a line for each measure."""
        found = []
        for one in self.measures:
            levels = sorted((asl for *_, asl in one.pairs if asl is not None), reverse=True)
            axes = ("share of the pairs", "achieved significance level")
            found.append(
                _line(one.measure, "significance", [i / len(levels) for i in range(1, len(levels) + 1)], levels, axes)
            )
        for one in self.measures:
            filled = np.flatnonzero(one.swaps.comparisons)
            rates = one.swaps.swaps[filled] / one.swaps.comparisons[filled]
            axes = ("difference on one half of the topics", "swap rate")
            middle = ((filled + 0.5) * one.swaps.width).tolist()
            found.append(_line(one.measure, "swaps", middle, rates.tolist(), axes))
        return [one for one in found if one.x]


def _line(measure: str, panel: str, x: list[float], y: list[float], axes: tuple[str, str]) -> Band:
    none = (None,) * len(x)
    return Band(measure, panel, tuple(x), tuple(y), none, none, 0, axes)


@takes_options
def stability(
    truth: Any,
    runs: Any = (),
    measures: MeasuresGiven = (),
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    splits: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Stability:
    """How well measures tell runs apart: discriminative power and swap rates, with intervals over topics.

    ``truth``, ``runs``, ``measures`` and the other ``options`` are those of :func:`berrypick.evaluate`. ``truth`` may
    also be an :class:`~berrypick.Evaluation` or :class:`~berrypick.Results`. ``resamples`` draws of topics make each
    bootstrap test, ``splits`` random halves of the topics the swap rates.
    """
    method = Method(confidence, resamples, splits, seed)
    results, _ = evaluated(truth, runs, measures, options, "stability", jobs, progress)
    check_pairs(results, "stability", 4)
    notes = list(results.notes)
    if len(results.topics) < FEW_TOPICS:
        notes.append(Note("few topics", f"with fewer than {FEW_TOPICS} topics, tests and intervals are unreliable"))
    pairs = math.comb(len(results.runs), 2)
    if pairs < FEW_PAIRS:
        text = f"shares of {counted(pairs, 'pair')} of runs are coarse, and so are their intervals"
        notes.append(Note("few pairs", text))
    found = []
    total = len(results.measures) * SUBSETS
    for place, measure in enumerate(results.measures):
        values = TopicValues.of(results, measure, results.runs, results.topics)
        notes += missing_notes(values)
        ahead = _ahead(progress, place * SUBSETS, total)
        found.append(_measure_stability(values, method, _signature(results, measure, method), ahead))
    return Stability(tuple(found), method, tuple(dict.fromkeys(notes)))


def check_pairs(results: Results, what: str, topics: int) -> None:
    """Refuse results that have no two runs to compare, or too few topics."""
    if len(results.runs) < 2:
        raise UsageError(f"{what} needs two runs or more, not {len(results.runs)}")
    if len(results.topics) < topics:
        raise UsageError(f"{what} needs {topics} topics or more, not {len(results.topics)}")


def missing_notes(values: TopicValues) -> list[Note]:
    """Topics where some run has no value are not part of that run's pairs."""
    partly = int((~values.defined.all(axis=1)).sum())
    text = "topics where a run has no value are left out of its pairs"
    return [Note("undefined", text, measure=values.measure, count=partly)] if partly else []


def _ahead(progress: Progress | None, before: int, total: int) -> Progress | None:
    return None if progress is None else lambda done, of: progress(before + done, total)


def _signature(results: Results, measure: str, method: Method) -> Signature:
    own = next(row.signature for row in results.mean_rows if row.measure == measure)
    return Signature(own.measure, (*own.fields[:-1], *method.fields(), *own.fields[-1:]))


def _measure_stability(
    values: TopicValues, method: Method, signature: Signature, progress: Progress | None
) -> MeasureStability:
    differences = values.differences()
    width = _width(values)
    levels = achieved_levels(differences, resamples=method.resamples, seed=method.seed)
    required = required_differences(differences, resamples=method.resamples, seed=method.seed, alpha=method.alpha)
    swaps = swap_counts(differences, splits=method.splits, seed=method.seed, width=width)
    power, rate = _intervals(differences, width, levels, swaps, method, progress)
    first = swaps.trusted()
    share = None if first is None else float(swaps.comparisons[first:].sum() / swaps.comparisons.sum())
    known = required[~np.isnan(required)]
    return MeasureStability(
        measure=values.measure,
        runs=values.runs,
        topics=len(values.topics),
        power=power,
        required=float(known.max()) if len(known) else None,
        swap_rate=rate,
        trusted_difference=None if first is None else first * width,
        trusted_share=share,
        pairs=_named_pairs(values, differences, levels),
        swaps=swaps,
        signature=signature,
    )


def _named_pairs(
    values: TopicValues, differences: FloatArray, levels: FloatArray
) -> tuple[tuple[str, str, float | None, float | None], ...]:
    found = []
    for place, (one, other) in enumerate(values.pairs):
        own = differences[:, place][~np.isnan(differences[:, place])]
        mean = float(own.mean()) if len(own) else None
        found.append((values.runs[one], values.runs[other], mean, _known(levels[place])))
    return tuple(found)


def _width(values: TopicValues) -> float:
    known = values.values[values.defined]
    largest = float(np.abs(known).max(initial=0.0))
    inside = largest <= 1 and float(known.min(initial=0.0)) >= 0
    return WIDTH if inside else WIDTH * largest


def _share(levels: FloatArray, alpha: float) -> float:
    known = levels[~np.isnan(levels)]
    return float((known <= alpha).mean()) if len(known) else math.nan


def _intervals(
    differences: FloatArray, width: float, levels: FloatArray, swaps: Swaps, method: Method, progress: Progress | None
) -> tuple[Interval, Interval]:
    """The discriminative power and the swap rate with their intervals, by a jackknife over topics."""
    topics = len(differences)
    gone = max(1, round(LEFT_OUT * topics))
    random = np.random.default_rng([_SUBSETS, method.seed])
    found = np.empty((SUBSETS, 2))
    splits = max(1, method.splits // 10)
    for place in range(SUBSETS):
        some = differences[np.sort(random.permutation(topics)[: topics - gone])]
        own = achieved_levels(some, resamples=method.resamples, seed=method.seed)
        found[place, 0] = _share(own, method.alpha)
        found[place, 1] = swap_counts(some, splits=splits, seed=method.seed, width=width).rate
        if progress is not None:
            progress(place + 1, SUBSETS)
    values = (_share(levels, method.alpha), swaps.rate)
    return tuple(_interval(v, column, topics, gone, method) for v, column in zip(values, found.T, strict=True))  # type: ignore[return-value]


def _interval(value: float, subsets: FloatArray, topics: int, gone: int, method: Method) -> Interval:
    from scipy.special import ndtri

    if math.isnan(value):
        return Interval(None)
    known = subsets[~np.isnan(subsets)]
    if topics - gone < 2 or len(known) < 2:
        return Interval(value)
    half = float(ndtri(1 - method.alpha / 2)) * math.sqrt((topics - gone) / gone * float(known.var()))
    return Interval(value, max(0.0, value - half), min(1.0, value + half))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
