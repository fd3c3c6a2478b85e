"""Comparisons by judgements of people and of a model: model-assisted means, differences, tests and gates.

Estimates and tests are those of :mod:`berrypick.statistics.model_assisted`, of the values of a run or the differences
of two runs. The runs are compared on the topics that people judged; then the numbers that the model's judgements
improve are replaced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.analysis.comparison.comparison import Comparison, Estimate, Method, Pair, letters_of
from berrypick.analysis.comparison.detectable import POWER, Detectable, GateTest, Sight
from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.model_values import MODEL_TRUTH, ModelValues
from berrypick.data.results import Results, TopicGroups
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.groups import topic_clusters
from berrypick.evaluation.model_truth import PairedValues, evaluate_with_model, refuse_few
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.requested import given_measures
from berrypick.statistics import statistics
from berrypick.statistics.intervals import is_hit
from berrypick.statistics.model_assisted import assisted_means
from berrypick.statistics.topic_values import TIE

#: Notes on intervals and tests that are replaced.
_REPLACED = ("few topics", "no interval", "narrow interval", "no power", "unjudged text", "mean of sums")
_DRAWS, _LEAST_DRAWS, _CELLS = 2000, 400, 500_000
_STEPS = 10  # of a bisection


def compare_with_model(
    truth: Any, runs: Any, measures: Any, options: Mapping[str, Any], model_truth: Any,
    method: Method, baseline: str | None, cluster: Any, **how: Any,
) -> Comparison:  # fmt: skip
    """Compare runs by the judgements of people, ``truth``, and of a model.

    Clusters of topics are those of the model's judgements, which have all topics.
    """
    if isinstance(truth, (Results, Evaluation)):
        raise UsageError(f"{option('model_truth')} needs the truth and the runs, not results or a prepared evaluation")
    given = EvaluationOptions.from_arguments(options, "compare")
    wanted = given_measures(measures, dict(options))
    found = evaluate_with_model(truth, runs, wanted, given, model_truth, **how)
    clusters = None if cluster is None else topic_clusters(found.model.truth, cluster)
    return assisted_comparison(found.results, baseline, method, clusters)


def _refuse_without_model(results: Results) -> None:
    """Refuse saved results with model-assisted means: they lack the values by the model."""
    named = next((row for row in results.mean_rows if row.signature.get(MODEL_TRUTH)), None)
    if named is not None and results.model is None:
        raise UsageError(
            f"{named.run}: {named.measure} is model-assisted, and saved results lack the values by the model",
            "compare the judgements and the runs instead: berrypick compare PEOPLE RUN... --model-truth FILE",
        )


def assisted_comparison(
    results: Results, baseline: str | None, method: Method, clusters: TopicGroups | None = None
) -> Comparison:
    """Compare the runs of model-assisted results."""
    from berrypick.analysis.comparison.compare import compare_results

    if method.interval != Method.interval or method.resamples != Method.resamples:
        given = option("interval" if method.interval != Method.interval else "resamples")
        raise UsageError(f"model-assisted intervals are Student's and do not resample topics: remove {given}")
    _refuse_without_model(results)
    assert results.model is not None
    plain = replace(method, test="t", assisted=True)
    found = compare_results(replace(results, model=None), baseline, plain, clusters)
    return _AssistedWork(found, results, results.model, clusters).comparison()


@dataclass(frozen=True)
class _AssistedWork:
    """A comparison by people, on its way to a model-assisted one."""

    compared: Comparison
    results: Results
    model: ModelValues
    clusters: TopicGroups | None

    def comparison(self) -> Comparison:
        pairs = self._pairs()
        label = {one.run: one.label for one in self.compared.estimates}
        beats = letters_of(pairs, label)
        estimates = tuple(self._estimate(one, beats.get((one.measure, one.run), ())) for one in self.compared.estimates)
        told = {note for note in self.results.notes if note.kind in _REPLACED}
        notes = tuple(note for note in self.compared.notes if note.kind not in _REPLACED or note in told)
        return replace(
            self.compared,
            estimates=estimates,
            pairs=pairs,
            notes=notes,
            model=self.model,
            cluster_of=self._cluster_of(),
        )

    def _cluster_of(self) -> dict[str, tuple[str, str]] | None:
        """The cluster of each topic, of those that only the model judged too."""
        if self.clusters is None:
            return None
        of = self.clusters.of
        topics = {topic for by_run in self.model.values.values() for values in by_run.values() for topic in values}
        return {topic: ("cluster", of[topic]) if topic in of else ("topic", topic) for topic in sorted(topics)}

    def _of(self, run: str, measure: str) -> PairedValues:
        own = self.compared.topic_values[run].get(measure, {})
        return PairedValues(own, self.model.of(run, measure), self.clusters)

    def _estimate(self, one: Estimate, beats: tuple[str, ...]) -> Estimate:
        values = self._of(one.run, one.measure)
        unbounded, confidence = self.results.info(one.measure).unbounded, self.compared.method.confidence
        found = values.assisted(unbounded=unbounded, confidence=confidence)
        refuse_few(found, one.run, one.measure)
        return replace(
            one, value=found.value, low=found.low, high=found.high, interval=found.interval, beats=beats,
            assisted=found, bias=values.bias(confidence),
        )  # fmt: skip

    def _pairs(self) -> tuple[Pair, ...]:
        found = [self._pair(one) for one in self.compared.pairs]
        method = self.compared.method
        p = np.array([math.nan if one.p is None else one.p for one in found])
        families = [one.measure if method.family != "all" else "" for one in found]
        adjusted = np.full(len(p), math.nan)
        for family in dict.fromkeys(families):
            places = np.array([i for i, name in enumerate(families) if name == family])
            adjusted[places] = statistics.adjusted(p[places], method.correction)
        return tuple(
            replace(
                one, p_adjusted=None if one.p is None else float(adjusted[i]),
                significant=bool(one.difference) and bool(adjusted[i] <= method.alpha),
            )
            for i, one in enumerate(found)
        )  # fmt: skip

    def _pair(self, one: Pair) -> Pair:
        values = paired_differences(self.compared, self.model, one, self.clusters)
        info = self.results.info(one.measure)
        found = values.assisted(
            unbounded=info.unbounded, difference=True, hits=not info.unbounded and self._of_hits(one),
            confidence=self.compared.method.confidence,
        )  # fmt: skip
        refuse_few(found, f"{one.run} and {one.versus}", one.measure)
        return replace(
            one, topics=found.topics, difference=found.value, low=found.low, high=found.high, interval=found.interval,
            statistic=found.statistic, p=found.p, exact=found.exact, unjudged=None, assisted=found,
        )  # fmt: skip

    def _of_hits(self, pair: Pair) -> bool:
        """Whether both runs have hits, or equal values within 0 and 1, on the topics that people judged."""
        own, other = (self.compared.topic_values[run].get(pair.measure, {}) for run in (pair.run, pair.versus))
        both = [(a, b) for topic, a in own.items() if a is not None and (b := other.get(topic)) is not None]
        values = np.array(both, dtype=np.float64).reshape(-1, 2)
        tied = np.abs(values[:, 0] - values[:, 1]).max(initial=0.0) <= TIE and ((values >= 0) & (values <= 1)).all()
        return bool(is_hit(values).all() or tied)


def paired_differences(
    comparison: Comparison, model: ModelValues, pair: Pair, clusters: TopicGroups | None
) -> PairedValues:
    """The differences of two runs by topic, by people and by the model; None where one of them is undefined."""

    def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, float | None]:
        return {topic: _difference(value, other.get(topic)) for topic, value in one.items()}

    own, base = (comparison.topic_values[run].get(pair.measure, {}) for run in (pair.run, pair.versus))
    by_model = [model.of(run, pair.measure) for run in (pair.run, pair.versus)]
    return PairedValues(differences(own, base), differences(*by_model), clusters)


def _difference(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    return 0.0 if abs(one - other) <= TIE else one - other


# --- what a gate sees -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AssistedSight:
    """What a model-assisted gate sees; larger values are better.

    Topics, or clusters, of both parts are drawn with replacement; the model-assisted test decides on each draw.

    Scores
        the observed differences around their mean, moved to the drop, by people and by the model alike.
    Hits
        the drop turns hits of the run into misses, each with the same probability, by people and by the model alike, on
        top of the changes observed, which count as noise in either direction.

    Where the runs are equal on all topics that people judged, the model has no weight: the gate sees what the t-test on
    these topics sees (``alone``).
    """

    #: topics x (run, baseline): by people, by the model on the same topics, and by the model on the others.
    people: FloatArray
    model: FloatArray
    beyond: FloatArray
    gate: GateTest
    alone: Sight
    codes: tuple[Any, Any] | None = None

    @property
    def hits(self) -> bool:
        """Whether all values by people are hits or misses."""
        return bool(is_hit(self.people).all())

    def smallest(self) -> Detectable:
        """The smallest drop that the gate reports with probability 0.8."""
        if np.ptp(self.people[:, 0] - self.people[:, 1]) <= TIE:
            return self.alone.smallest()
        if not self.hits:
            return Detectable(float(np.quantile(self._score_drops, POWER)))
        rate = float(self.people.mean())
        if self._hit_power(rate) < POWER:
            topics = counted(len(self.people), "topic")
            text = f"a drop of the hit rate from {rate:.4g} to 0 is not significant often enough on {topics}"
            return Detectable(None, text, blind=True)
        return Detectable(_bisected(self._hit_power, rate))

    def topics_for(self, drop: float) -> int | None:
        """How many topics people should judge to report a drop with probability 0.8, while the model judges as many as
        now, or these; None where no number is enough."""
        from scipy.special import ndtri

        if drop <= self.gate.margin or (self.hits and drop > self.people.mean()):
            return None
        own, other, beyond = (part[:, :1] - part[:, 1:] for part in (self.people, self.model, self.beyond))
        found = assisted_means(own, other, beyond, self.codes)
        spread = float((own - found.weight * other).var(ddof=1)) + (drop * (1 - drop) if self.hits else 0.0)
        between = max(drop - self.gate.margin, 1e-12)
        level = -float(ndtri(self.gate.level / 2))
        error = min(drop / (level + float(ndtri(POWER))), between / float(ndtri(POWER)))
        left = error**2 - float(found.weight[0]) ** 2 * float(beyond.var(ddof=1)) / len(beyond)
        alone = math.ceil(float(own.var(ddof=1)) / error**2)
        needed = alone if left <= 0 else min(alone, math.ceil(spread / left))
        return max(needed, len(own) + 1)

    @cached_property
    def _drawn(self) -> tuple[Any, Any]:
        """topics x draws of both parts: which are drawn."""
        random = np.random.default_rng([7, self.gate.seed])
        counts = len(self.people), len(self.beyond)
        draws = max(_LEAST_DRAWS, min(_DRAWS, _CELLS // sum(counts)))
        first, second = (random.integers(0, count, size=(count, draws)) for count in counts)
        return first, second

    @cached_property
    def _score_drops(self) -> FloatArray:
        """The smallest drop that the test reports on each draw: a drop moves the estimate and no variance."""
        own, other, beyond = (part[:, 0] - part[:, 1] for part in (self.people, self.model, self.beyond))
        first, second = self._drawn
        # values around the mean of a sample vary less than those of the topics it stands for
        stretch = math.sqrt(len(own) / (len(own) - 1))
        around = [(part - part.mean()) * stretch for part in (own, other)]
        found = assisted_means(around[0][first], around[1][first], (beyond - beyond.mean())[second])
        errors = found.half_width(1 - self.gate.level)
        drops: FloatArray = (found.value + errors) * self._design_effect
        return np.maximum(drops, found.value * self._design_effect + self.gate.margin)

    @cached_property
    def _design_effect(self) -> float:
        """How much clusters widen the standard error."""
        if self.codes is None:
            return 1.0
        own, other, beyond = (part[:, :1] - part[:, 1:] for part in (self.people, self.model, self.beyond))
        with_clusters, without = (assisted_means(own, other, beyond, codes) for codes in (self.codes, None))
        ratio = with_clusters.half_width(0.95)[0] / without.half_width(0.95)[0]
        return max(1.0, float(ratio))

    def _hit_power(self, drop: float) -> float:
        random = np.random.default_rng([8, self.gate.seed])
        first, second = self._drawn
        share = min(1.0, drop / max(float(self.people.mean()), 1e-12))
        parts = []
        for values, drawn in (((self.people, self.model), first), ((self.beyond,), second)):
            swapped, kept = random.random(drawn.shape) < 0.5, random.random(drawn.shape) < self._noise
            lost = random.random(drawn.shape) < share
            for one in values:
                own = np.where(swapped, one[drawn, 1], one[drawn, 0])
                base = np.where(kept, np.where(swapped, one[drawn, 0], one[drawn, 1]), own)
                parts.append(np.where(lost, 0.0, own) - base)
        found = assisted_means(*parts)
        border = np.where(found.flat, 0.0, found.half_width(1 - self.gate.level)) * self._design_effect
        reported: BoolArray = (-found.value >= border) & (-found.value > self.gate.margin) & (found.value < 0)
        return float(reported.mean())

    @cached_property
    def _noise(self) -> float:
        """The share of the changes that the mean difference does not explain."""
        differences = self.people[:, 0] - self.people[:, 1]
        changed = float((differences != 0).mean())
        return min(1.0, (changed - float(differences.mean()) ** 2) / changed) if changed else 1.0


def _bisected(power: Callable[[float], float], high: float) -> float:
    """Where the power reaches 0.8; it grows with the drop."""
    low = 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < POWER else (low, middle)
    return high


def assisted_sight(comparison: Comparison, pair: Pair, alone: Sight) -> AssistedSight:
    """What the gate on a pair sees; ``alone`` is what it would see by the judgements of people."""
    assert comparison.model is not None
    values = paired_differences(comparison, comparison.model, pair, None)
    topics = [topic for topic in values.judged if values.people[topic] is not None]
    known = [topic for topic in values.model if values.model[topic] is not None]
    fallback = [float(np.mean([comparison.model.of(run, pair.measure)[topic] for topic in known] or [0.0]))
                for run in (pair.run, pair.versus)]  # fmt: skip

    def table(names: list[str], of: Callable[[str], Mapping[str, Any]]) -> FloatArray:
        rows = [[_known(of(run).get(topic), fallback[i]) for i, run in enumerate((pair.run, pair.versus))]
                for topic in names]  # fmt: skip
        found: FloatArray = np.array(rows, dtype=np.float64).reshape(-1, 2)
        return found

    parts = [table(topics, lambda run: comparison.topic_values[run][pair.measure])]
    parts += [table(names, lambda run: _model(comparison).of(run, pair.measure)) for names in (topics, values.beyond)]
    if not pair.higher_is_better:  # a cost that rises is a value that falls
        parts = [1 - part if is_hit(parts[0]).all() else -part for part in parts]
    codes = None
    if comparison.cluster_of is not None:
        numbers: dict[Any, int] = {}
        of = comparison.cluster_of
        found = [numbers.setdefault(of[topic], len(numbers)) for topic in (*topics, *values.beyond)]
        codes = np.array(found[: len(topics)]), np.array(found[len(topics) :])
    people, model, beyond = parts
    return AssistedSight(people, model, beyond, replace(alone.gate, test="t"), alone, codes)


def _known(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _model(comparison: Comparison) -> ModelValues:
    assert comparison.model is not None
    return comparison.model
