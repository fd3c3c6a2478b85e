"""Judgements by a model that assist those by people: few topics judged by people, many by the model.

The statistics are in :mod:`berrypick.statistics.model_assisted`. They rest on one condition: the topics that people
judged are a random sample of those that the model judged, as ``berrypick pool --sample`` draws one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.model_values import MODEL_TRUTH, ModelValues
from berrypick.data.results import Note, Results, Row, TopicGroups, mean
from berrypick.data.sums import TOPICS_SUM, TRUTH_SUM, sum_of_names, sum_of_topics
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.groups import cluster_codes
from berrypick.evaluation.notes import some
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import get_protocol
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.statistics import intervals, statistics
from berrypick.statistics.clusters import cluster_variance
from berrypick.statistics.model_assisted import AssistedMeans, assisted_means, linear_values

#: Fewer topics judged by people are refused; fewer than these have a note.
LEAST_TOPICS, ENOUGH_TOPICS = 10, 20
#: Intervals of hits are too narrow with fewer hits, or fewer misses, by people.
ENOUGH_OF_EACH = 10
#: At least so many topics must be judged by the model alone.
LEAST_BEYOND = 2
#: The kind of a model-assisted interval.
ASSISTED = "model-assisted"
#: The kind of the notes on model-assisted numbers.
NOTE = "model-assisted"
Values = Mapping[str, "float | None"]


@dataclass(frozen=True)
class Assisted:
    """A mean, or a mean difference, over topics that people judged, with the help of a model.

    Attributes
    ----------
    value, low, high
        The estimate and its interval, within the range of the measure.
    people, model
        The mean over the topics that people judged, by people; and over all topics, by the model.
    worth
        How many topics judged by people alone would give an interval as narrow; None where no spread is seen.
    weight
        The weight of the model's values, from 0 to 1.
    topics, model_topics
        How many topics have a value by people, and how many the model judged.
    undefined
        How many topics that people judged have no value.
    interval
        The kind of the interval: 'model-assisted'; where all values by people are equal, that of their topics alone.
    statistic, p
        The t statistic of a mean of 0, and its two-sided p-value.
    """

    value: float | None
    low: float | None
    high: float | None
    people: float | None
    model: float | None
    worth: float | None
    weight: float
    topics: int
    model_topics: int
    undefined: int = 0
    interval: str = ASSISTED
    statistic: float | None = None
    p: float | None = None
    exact: bool = False

    def turned(self) -> Assisted:
        """Return the same difference seen from the other run."""
        value, high, low, people, model, statistic = (
            None if one is None else 0.0 - one
            for one in (self.value, self.low, self.high, self.people, self.model, self.statistic)
        )
        return replace(self, value=value, low=low, high=high, people=people, model=model, statistic=statistic)

    def fields(self) -> dict[str, float | int | None]:
        """Return what JSON rows carry beside value, low and high."""
        return {"people": self.people, "model": self.model, "worth": self.worth, "model_topics": self.model_topics}


@dataclass(frozen=True)
class ModelBias:
    """How a model's values differ from those by people on the topics that both have: the mean difference with its
    interval, and the correlation; None where no spread is seen."""

    bias: float | None
    bias_low: float | None
    bias_high: float | None
    correlation: float | None


@dataclass(frozen=True)
class PairedValues:
    """Values of topics by people and by a model, and clusters of the topics."""

    people: Values
    model: Values
    clusters: TopicGroups | None = None

    @property
    def judged(self) -> list[str]:
        """The topics that people judged; draws and sums go by their names."""
        return sorted(self.people)

    @property
    def beyond(self) -> list[str]:
        """The topics that only the model judged."""
        return sorted(self.model.keys() - self.people.keys())

    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The values by people (undefined ones in linear form), and by the model on these topics and on the others."""
        own = np.array([self.people[topic] for topic in self.judged], dtype=np.float64)
        model = np.array([self.model.get(topic) for topic in (*self.judged, *self.beyond)], dtype=np.float64)
        known = model[~np.isnan(model)]
        model = np.where(np.isnan(model), known.mean() if len(known) else 0.0, model)
        return linear_values(own), model[: len(own)], model[len(own) :]

    def codes(self) -> tuple[IntArray, IntArray] | None:
        """The numbers of the clusters of both parts."""
        if self.clusters is None:
            return None
        found = cluster_codes(self.clusters, [*self.judged, *self.beyond])
        return found[: len(self.judged)], found[len(self.judged) :]

    def means(self) -> AssistedMeans:
        """The estimate and its variance."""
        own, model, beyond = self.arrays()
        return assisted_means(own[:, None], model[:, None], beyond[:, None], self.codes())

    def known(self) -> tuple[FloatArray, IntArray | None]:
        """The values by people that are defined, and the clusters of their topics."""
        topics = [topic for topic in self.judged if self.people[topic] is not None]
        values = np.array([self.people[topic] for topic in topics], dtype=np.float64)
        return values[:, None], None if self.clusters is None else cluster_codes(self.clusters, topics)

    def assisted(
        self, *, unbounded: bool = False, difference: bool = False, hits: bool = False, confidence: float = 0.95
    ) -> Assisted:
        """Estimate the mean of values, or of a ``difference`` of two runs.

        ``unbounded`` says that the measure has no upper bound, ``hits`` that both runs of a difference have hits.
        """
        own, clusters = self.known()
        defined = [value for value in self.model.values() if value is not None]
        people, model = mean(list(self.people.values())), mean(defined)
        counts: dict[str, Any] = {
            "topics": len(own),
            "model_topics": len(self.model),
            "undefined": len(self.people) - len(own),
        }
        if len(own) < LEAST_TOPICS:
            return Assisted(None, None, None, people, model, None, 0.0, interval=intervals.FEW, **counts)
        found = self.means()
        means: dict[str, Any] = {"people": people, "model": model, "weight": float(found.weight[0]), **counts}
        if found.flat[0]:
            return self._flat(own, clusters, means, unbounded, difference, hits, confidence)
        value, half = float(found.value[0]), float(found.half_width(confidence)[0])
        low, high = value - half, value + half
        least, most = self._range(unbounded, difference)
        t, p = (float(one[0]) for one in found.tests)
        value, low, high = (min(max(end, least), most) for end in (value, low, high))
        worth = float(found.worth[0]) * len(own)
        return Assisted(value, low, high, worth=worth, statistic=t, p=p, **means)

    def _flat(
        self, own: FloatArray, clusters: IntArray | None, means: dict[str, Any],
        unbounded: bool, difference: bool, hits: bool, confidence: float,
    ) -> Assisted:  # fmt: skip
        """All values by people are equal: the interval and the test of these topics alone."""
        if difference:
            ends = intervals.difference_intervals(own, hits=hits, confidence=confidence, clusters=clusters)
        else:
            ends = intervals.mean_intervals(own, costs=unbounded, confidence=confidence, clusters=clusters)
        (low,), (high,) = statistics.known(ends.low), statistics.known(ends.high)
        tests = statistics.t_test(own, clusters=clusters)
        (statistic,), (p,) = statistics.known(tests.statistic), statistics.known(tests.p)
        return Assisted(means["people"], low, high, worth=None, interval=str(ends.kind[0]), statistic=statistic, p=p,
                        exact=bool(tests.exact[0]), **means)  # fmt: skip

    def _range(self, unbounded: bool, difference: bool) -> tuple[float, float]:
        """The smallest and the largest mean that the measure can have."""
        within = 0.0 if not difference else -1.0
        known = [one for values in (self.people, self.model) for one in values.values() if one is not None]
        if unbounded or min(known) < within or max(known) > 1:
            return (-np.inf if difference or min(known) < 0 else 0.0), np.inf
        return within, 1.0

    def bias(self, confidence: float = 0.95) -> ModelBias:
        """Compare the model's values with those by people."""
        both = [topic for topic in self.judged if None not in (self.people[topic], self.model.get(topic))]
        if len(both) < 2:
            return ModelBias(None, None, None, None)
        own, model = (np.array([of[topic] for topic in both], dtype=np.float64) for of in (self.people, self.model))
        clusters = np.arange(len(both)) if self.clusters is None else cluster_codes(self.clusters, both)
        differences = (model - own)[:, None]
        units = len(np.unique(clusters))
        bias, error = float(differences.mean()), None
        if units > 1:
            from scipy.special import stdtrit

            spread = float(np.sqrt(cluster_variance(differences, clusters)[0]))
            error = float(stdtrit(units - 1, (1 + confidence) / 2)) * spread
        varied = min(np.ptp(own), np.ptp(model)) > 1e-12
        correlation = float(np.corrcoef(own, model)[0, 1]) if varied else None
        if error is None:
            return ModelBias(bias, None, None, correlation)
        return ModelBias(bias, bias - error, bias + error, correlation)


class EvaluatedTwice(NamedTuple):
    """What both truths say: model-assisted results, and the evaluations by people and by the model."""

    results: Results
    people: Evaluation
    model: Evaluation


def evaluate_with_model(
    truth: Any, runs: Any, measures: MeasuresGiven, options: EvaluationOptions, model_truth: Any, **how: Any
) -> EvaluatedTwice:
    """Score runs by both truths: rows of topics are those by people, means are model-assisted.

    Parameters
    ----------
    truth, model_truth : TruthLike
        The judgements by people, and those by the model.
    runs, measures, options
        As in :func:`berrypick.evaluate`.
    **how
        Arguments of :meth:`Evaluation.run`.
    """
    runs = _check_options(options, runs, truth, model_truth)
    if how.get("curves"):
        raise UsageError(f"model-assisted means have no curves: omit {option('curves', True)}")
    people = Evaluation._from_options(truth, runs, measures, options)
    model = _model_evaluation(people, model_truth, runs, measures)
    drawn = how.pop("reader_draws", 0)
    return EvaluatedTwice(assisted_results(people.run(**how), model.run(**how), people, model, drawn), people, model)


def _check_options(options: EvaluationOptions, runs: Any, truth: Any, model_truth: Any) -> Any:
    """Refuse options that model-assisted means cannot have; return the runs, which can be read twice."""
    given = option("model_truth")
    if options.by is not None:
        raise UsageError(
            f"{given} has no rows for groups of topics: omit {option('by')}",
            "for one group, give the judgements of its topics as both files",
        )
    chosen = options.topics or get_protocol(options.protocol).topics
    if chosen == "run":
        raise UsageError(
            f"{given} needs the same topics for every run: give {option('topics', 'judged')}, and topics that a run "
            "lacks count as empty lists"
        )
    runs = list(runs) if hasattr(runs, "__next__") else runs
    sources = runs if isinstance(runs, (list, tuple)) else [runs]
    paths = [getattr(one, "path", one) for one in (truth, model_truth, *sources)]
    if any(isinstance(path, str) and path == "-" for path in paths):
        raise UsageError(f"{given} reads the runs twice, which standard input (-) does not allow: save it to a file")
    return runs


def _model_evaluation(
    people: Evaluation, model_truth: Any, runs: Any, measures: MeasuresGiven | None = None
) -> Evaluation:
    """Prepare the same runs with the model's judgements; an error where these lack topics that people judged."""
    texts = [one.text for one in people.measures]
    model = Evaluation._from_options(model_truth, runs, measures or texts, people.options)
    own, others = people.truth.topics, model.truth.topics
    source = model.truth.source or "the model's judgements"
    lacking = [topic for topic in own if topic not in others]
    if lacking:
        raise UsageError(
            f"{source} lacks {counted(len(lacking), 'topic')} that people judged: {some(lacking, 8)}",
            "have the model judge them too, or remove them from the judgements by people",
        )
    if len(own) < LEAST_TOPICS:
        raise UsageError(
            f"people judged {counted(len(own), 'topic')}; {option('model_truth')} needs at least {LEAST_TOPICS}, drawn "
            f"at random: berrypick pool RUN... --sample {2 * ENOUGH_TOPICS + LEAST_TOPICS} draws a sample"
        )
    beyond = len(others) - len(own)
    if beyond < LEAST_BEYOND:
        raise UsageError(
            f"{source} judges {beyond} topics beyond those of people; {option('model_truth')} needs at least "
            f"{LEAST_BEYOND}. Have the model judge more topics, or omit {option('model_truth')}"
        )
    return model


def assisted_results(
    own: Results, of_model: Results, people: Evaluation, model: Evaluation, reader_draws: int = 0
) -> Results:
    """Join the results by both truths."""
    source = model.truth.source or "the model"
    values = ModelValues(of_model.per_topic(), source)
    sums = {"people": people.sums.whole, "model": model.sums.whole}
    truth, topics = sum_of_topics(sums.items()), sum_of_names(model.truth.topics)
    field = (MODEL_TRUTH, f"{len(people.truth)} of {len(model.truth)} topics by people")

    def renewed(row: Row) -> Row:
        pair = PairedValues(own.per_topic()[row.run][row.measure], values.of(row.run, row.measure))
        found = pair.assisted(unbounded=own.info(row.measure).unbounded)
        refuse_few(found, row.run, row.measure)
        signature = row.signature.with_fields(field).with_sums(((TRUTH_SUM, truth), (TOPICS_SUM, topics)))
        summary = {**row.summary, "low": found.low, "high": found.high, **found.fields(), **vars(pair.bias())}
        return replace(row, value=found.value, signature=signature, summary=summary, curve=None, common=None)

    means = [renewed(row) for row in own.mean_rows]
    fitted = reader_draws and people.drawing(reader_draws).readers is not None
    notes = [note for note in own.notes if note.kind != "unjudged topics"]  # the model judged them
    notes += [replace(note, text=f"by the model's judgements: {note.text}") for note in of_model.notes
              if note not in own.notes]  # fmt: skip
    notes += _notes(people, model, own, values)
    if fitted:
        notes.append(Note(NOTE, "model-assisted means have no interval over the readers of a fitted user model"))
    return replace(own, mean_rows=means, notes=notes, drawn=None, model=values)


def refuse_few(found: Assisted, run: str, measure: str) -> None:
    """Refuse a mean over too few values by people."""
    if found.interval == intervals.FEW:
        raise UsageError(
            f"{run}: {measure} has a value on {counted(found.topics, 'topic')} of those that people judged; "
            f"{option('model_truth')} needs at least {LEAST_TOPICS}"
        )


def _notes(people: Evaluation, model: Evaluation, own: Results, values: ModelValues) -> list[Note]:
    """What a person should know of model-assisted numbers."""
    n, all_topics = len(people.truth), len(model.truth)
    text = (
        f"means are model-assisted: people judged {n} topics, {values.source} judged {all_topics}. This rests on the "
    )
    text += f"{n} topics being a random sample of the {all_topics}, as berrypick pool --sample draws one"
    notes = [Note(NOTE, text)]
    if n < ENOUGH_TOPICS:
        text = f"people judged {n} topics; below {ENOUGH_TOPICS}, model-assisted intervals may be too narrow"
        notes.append(Note(NOTE, text))
    for measure in own.measures:
        if own.info(measure).unbounded:
            text = "model-assisted intervals of costs and other amounts without an upper bound may be too narrow"
            notes.append(Note("narrow interval", text, measure=measure))
        if own.info(measure).summed:
            text = "evaluate sums it over topics; model-assisted, it is the mean over topics"
            notes.append(Note("mean of sums", text, measure=measure))
        notes += [*_rare_notes(own, measure), *_undefined_notes(own, values, measure)]
    return notes


def _rare_notes(own: Results, measure: str) -> Iterator[Note]:
    """Hits of which people saw few, or few misses: Student's interval is too narrow."""
    for run in own.runs:
        known = np.array([one for one in own.per_topic()[run][measure].values() if one is not None], dtype=np.float64)
        if len(known) and intervals.is_hit(known).all():
            hits, misses = int(known.sum()), int(len(known) - known.sum())
            if 0 < min(hits, misses) < ENOUGH_OF_EACH:
                rare = counted(hits, "hit") if hits <= misses else counted(misses, "miss", "misses")
                text = f"{rare} by people; below {ENOUGH_OF_EACH}, model-assisted intervals of hits may be too narrow"
                yield Note("narrow interval", text, run=run, measure=measure)


def _undefined_notes(own: Results, values: ModelValues, measure: str) -> list[Note]:
    """Topics without a value by the model count as its mean."""
    found = []
    for run in own.runs:
        count = sum(value is None for value in values.of(run, measure).values())
        if count:
            text = "no value by the model's judgements, counted as the mean of its values"
            found.append(Note("undefined", text, run=run, measure=measure, count=count))
    return found
