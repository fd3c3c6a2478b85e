"""The measures of an evaluation, from text or objects: ours, or those of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError
from berrypick.core.results import MeasureInfo
from berrypick.evaluation.protocols import NO_MEASURES, get_protocol, measures_of
from berrypick.measures import AnyMeasure, parse_measure
from berrypick.measures import _documents as document_measures
from berrypick.measures.base import Measure
from berrypick.measures.documents._ranked import RankedMeasure

MeasuresGiven = str | Measure | type[Measure] | Sequence[str | Measure | type[Measure]]


@dataclass(frozen=True)
class RequestedMeasure:
    """A measure and the text under which its values are reported."""

    text: str
    measure: AnyMeasure

    @property
    def external(self) -> bool:
        """Whether ir_measures computes it."""
        return not isinstance(self.measure, Measure)

    @property
    def of_documents(self) -> bool:
        """Whether it is computed for all topics of a run at once, from whole documents."""
        return self.external or isinstance(self.measure, RankedMeasure)

    @property
    def needs_targets(self) -> bool:
        """Whether it is undefined for topics without targets."""
        return self.external or self.measure.needs_targets  # type: ignore[union-attr]

    @property
    def counts_unjudged(self) -> bool:
        """Whether the option unjudged applies to it."""
        each = getattr(self.measure, "counted", None) in ("each", "pairs")
        return isinstance(self.measure, Measure) and self.measure.counts_unjudged and not each

    def instead(self, units: str) -> str:
        """Where it counts whole documents and these units are judged: the measure that counts them; '' elsewhere."""
        if units == "documents" or not self.measure.of_spans:
            return ""
        at = "" if self.measure.at is None else f"@{self.measure.at}"
        if units == "elements":
            return f"nxCG{at}" if at else "EPRUM"
        return f"{self.measure.of_spans}{at}"

    @property
    def misses_text(self) -> bool:
        """Whether it falls with relevant text that is not retrieved."""
        return isinstance(self.measure, Measure) and self.measure.misses_text

    def info(self, effort: str = "rank") -> MeasureInfo:
        """Its facts, for results."""
        if not isinstance(self.measure, Measure):
            what = "A measure of whole documents, computed by ir_measures."
            return MeasureInfo(
                self.text,
                what,
                higher_is_better=self.measure.higher_is_better,
                summed=self.measure.summed,
                external="ir_measures",
            )
        across, up = self.measure.curve_axes
        effort = {"chars": "characters"}.get(effort, effort)
        return MeasureInfo(
            self.text,
            self.measure.description(),
            higher_is_better=self.measure.higher_is_better,
            has_curve=self.measure.has_curve(),
            counts_unjudged=self.counts_unjudged,
            curve_axes=(across.replace("{effort}", effort), up.replace("{effort}", effort)),
        )


def resolve_measures(given: MeasuresGiven, protocol: str = "", task: str = "") -> tuple[RequestedMeasure, ...]:
    """Measures, each once, in the order given, as a protocol defines them; where none are named, those of the task."""
    if not given and (task or protocol):
        given = measures_of(get_protocol(protocol), task)
    single = isinstance(given, (str, type)) or not isinstance(given, Iterable)
    found: dict[str, AnyMeasure] = {}
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
    rules = get_protocol(protocol).rules
    return tuple(
        RequestedMeasure(text, measure.for_rules(rules) if isinstance(measure, Measure) else measure)
        for text, measure in found.items()
    )


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
