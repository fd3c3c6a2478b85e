"""Bounds without the independence assumption, of values that assume independent targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from berrypick.data.errors import UsageError
from berrypick.data.results import Results
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.measures import parse_measure
from berrypick.measures.base import Measure


@dataclass(frozen=True)
class Bounded:
    """A measure whose value depends on what is seen together, and the measures of its bounds."""

    text: str
    low: RequestedMeasure
    high: RequestedMeasure


def bounded_measures(measures: Sequence[RequestedMeasure]) -> list[Bounded]:
    """Those that have bounds."""
    found = []
    for one in measures:
        low, high = one.measure.bounded("low"), one.measure.bounded("high")
        if low is not None and high is not None:
            found.append(Bounded(one.text, _named(low), _named(high)))
    return found


def _named(measure: Measure) -> RequestedMeasure:
    return RequestedMeasure(str(measure), measure)


def with_bounds(evaluation: Evaluation, alone: bool = False) -> Evaluation:
    """The same with the bounds of its measures, which share what is judged; or with those it lacks ``alone``."""
    contexts, measures = dict(evaluation.contexts), [] if alone else list(evaluation.measures)
    known = {one.text for one in evaluation.measures}
    for one in bounded_measures(evaluation.measures):
        for end in (one.low, one.high):
            if end.text not in known:
                known.add(end.text)
                measures.append(end)
                contexts[end.text] = evaluation.contexts[one.text]
    return replace(evaluation, measures=tuple(measures), contexts=contexts)


def proved_by(results: Results) -> Proved:
    """The bounds that results hold beside the values of their measures."""
    measures = []
    for text in results.measures:
        try:
            measures.append(RequestedMeasure(text, parse_measure(text)))
        except UsageError:  # of another package, which is not there
            continue
    known = set(results.measures)
    found = [one for one in bounded_measures(measures) if {one.low.text, one.high.text} <= known]
    return Proved(tuple(found), results)


@dataclass(frozen=True)
class Proved:
    """By measure and run, the values of topics and their bounds."""

    measures: tuple[Bounded, ...]
    results: Results  # with the bounds

    @cached_property
    def _by_topic(self) -> Mapping[str, Mapping[str, Mapping[str, float | None]]]:
        return self.results.per_topic()

    def interval(self, measure: Bounded, run: str) -> tuple[float, float, float] | None:
        """The least mean, the mean if targets are independent, and the largest; None where it is undefined."""
        means = self.results.mean()[run]
        low, value, high = (means[text] for text in (measure.low.text, measure.text, measure.high.text))
        return None if low is None or value is None or high is None else (low, value, high)

    def differences(self, measure: Bounded, run: str, versus: str) -> dict[str, tuple[float, float]]:
        """Bounds of the difference on each common topic: each run under the law that is worst, or best, for it."""
        values = self._by_topic
        ends = [(values[run][own.text], values[versus][other.text])
                for own, other in ((measure.low, measure.high), (measure.high, measure.low))]  # fmt: skip
        found = {}
        for topic in ends[0][0]:
            pairs = [(own[topic], other.get(topic)) for own, other in ends]
            known = [x - y for x, y in pairs if x is not None and y is not None]
            if len(known) == 2:
                found[topic] = (known[0], known[1])
        return found
