"""The measures of an evaluation, from text or objects: ours, or those of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.data.results import MeasureInfo
from berrypick.evaluation.protocols.base import NO_MEASURES, get_protocol, measures_of
from berrypick.measures import parse_measure, registry, split_measures
from berrypick.measures.base import Measure

MeasuresGiven = str | Measure | type[Measure] | Sequence[str | Measure | type[Measure]]


@dataclass(frozen=True)
class RequestedMeasure:
    """A measure and the text under which its values are reported."""

    text: str
    measure: Measure

    def instead(self, units: str) -> str:
        """Where it counts whole documents and these units are judged: the measure that counts them; '' elsewhere."""
        if units == "documents" or not self.measure.of_spans:
            return ""
        at = "" if self.measure.at is None else f"@{self.measure.at}"
        if units == "elements":
            return f"nxCG{at}" if at else "EPRUM"
        return f"{self.measure.of_spans}{at}"

    def info(self, effort: str = "rank") -> MeasureInfo:
        """Its facts, for results."""
        measure, effort = self.measure, {"chars": "characters"}.get(effort, effort)
        across, up = measure.curve_axes
        return MeasureInfo(
            self.text,
            measure.description(),
            higher_is_better=measure.higher_is_better,
            has_curve=measure.has_curve(),
            curve_axes=(across.replace("{effort}", effort), up.replace("{effort}", effort)),
            summed=measure.summed,
            unbounded=measure.unbounded,
            external=measure.computed_by.removeprefix("berrypick"),
            counts_unjudged=measure.takes_unjudged(),
        )


def given_measures(measures: Any, options: Any) -> Any:
    """Measures under either of their names: ``metrics``, among the options, is what others call them."""
    metrics = options.pop("metrics", None)
    if metrics is None:
        return measures
    if measures is not None and not (isinstance(measures, (str, tuple, list)) and not measures):
        raise UsageError("measures and metrics are two names for the same; give one")
    return metrics


def measures_of_videos() -> list[str]:
    """Measures that are computed for videos of known lengths where none is named, as they say themselves."""
    return [cls.name() for cls in registry if vars(cls).get("default_of_videos", False)]


def default_measures(units: str, seconds: bool, texts: bool, lengths: bool = True) -> str:
    """What is computed where no measure is named, by the kind of truth; XML has the measures of its task."""
    if units == "elements":
        raise UsageError(NO_MEASURES)
    if units == "documents":
        return "AP nDCG@10 R@100 RR"
    if seconds:
        return " ".join([*(measures_of_videos() if lengths else ()), "spanHit(iou=0.5)@1"])
    return f"charR@5 charP@5 spanRR{' Coverage(budget=2000)' if texts else ''}"


def resolve_measures(given: MeasuresGiven, protocol: str = "", task: str = "") -> tuple[RequestedMeasure, ...]:
    """Measures, each once, in the order given, as a protocol defines them; where none are named, those of the task."""
    if not given and (task or protocol):
        given = measures_of(get_protocol(protocol), task)
    single = isinstance(given, (str, type)) or not isinstance(given, Iterable)
    found: dict[str, Measure] = {}
    for one in () if given is None else [given] if single else given:  # type: ignore[union-attr]
        if isinstance(one, type) and issubclass(one, Measure):
            one = one()
        if not isinstance(one, (str, Measure)):
            from berrypick.measures import document_measures

            one = str(one).replace('"', "'") if document_measures.is_theirs(one) else one
        if isinstance(one, str):
            named = [(specs.normalise(part), parse_measure(part)) for part in split_measures(one)]
        elif isinstance(one, Measure):
            one.check_cutoff()
            named = [(str(one), one)]
        else:
            raise UsageError(f"{one!r:.60} is not a measure; give its name as a string, e.g. 'EPRUM'")
        for text, measure in named:
            known = found.setdefault(text, measure)
            if known is not measure and (known != measure or vars(known) != vars(measure)):  # beside parameters too
                raise UsageError(
                    f"two different measures are called {text}: give their classes different names, or declare what "
                    "they differ in with bp.parameter"
                )
    if not found:
        raise UsageError(NO_MEASURES)
    if protocol and (rules := get_protocol(protocol).rules):
        found = {text: measure.for_rules(rules) for text, measure in found.items()}
    return tuple(RequestedMeasure(text, measure) for text, measure in found.items())


def measure_info(text: str) -> MeasureInfo | None:
    """The facts of a measure that a results file names; None if there is no such measure here."""
    try:
        return RequestedMeasure(text, parse_measure(text)).info()
    except UsageError:
        return None


def measure_of_parts(text: str, units: str) -> str:
    """What counts these units, for a measure of documents that a results file names; charR where it is unknown."""
    try:
        return RequestedMeasure(text, parse_measure(text)).instead(units)
    except UsageError:
        return "charR"
