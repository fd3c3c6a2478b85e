"""The measures of an evaluation, from text or objects: ours, or those of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError
from berrypick.core.results import MeasureInfo
from berrypick.evaluation.protocols import NO_MEASURES, get_protocol, measures_of
from berrypick.measures import document_measures, parse_measure
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
            external=measure.computed_by.removeprefix("berrypick"),
            counts_unjudged=measure.takes_unjudged(),
        )


def resolve_measures(given: MeasuresGiven, protocol: str = "", task: str = "") -> tuple[RequestedMeasure, ...]:
    """Measures, each once, in the order given, as a protocol defines them; where none are named, those of the task."""
    if not given and (task or protocol):
        given = measures_of(get_protocol(protocol), task)
    single = isinstance(given, (str, type)) or not isinstance(given, Iterable)
    found: dict[str, Measure] = {}
    for one in () if given is None else [given] if single else given:  # type: ignore[union-attr]
        if isinstance(one, type) and issubclass(one, Measure):
            one = one()
        if document_measures.is_theirs(one):
            one = str(one).replace('"', "'")
        if isinstance(one, str):
            named = [(specs.normalise(part), parse_measure(part)) for part in specs.split(one)]
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
    rules: frozenset[str] = get_protocol(protocol).rules if protocol else frozenset()
    return tuple(RequestedMeasure(text, measure.for_rules(rules)) for text, measure in found.items())


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
