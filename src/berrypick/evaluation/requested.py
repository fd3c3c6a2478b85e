"""The measures of an evaluation, from text or objects: ours, or those of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError
from berrypick.core.results import MeasureInfo
from berrypick.evaluation.protocols import NO_MEASURES, get_protocol, measures_of
from berrypick.measures import AnyMeasure, parse_measure
from berrypick.measures import _documents as document_measures
from berrypick.measures._ranked import RankedMeasure
from berrypick.measures.base import Measure
from berrypick.relevance.gains import Quantisation

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

    @property
    def misses_text(self) -> bool:
        """Whether it falls with relevant text that is not retrieved."""
        return isinstance(self.measure, Measure) and self.measure.misses_text

    @property
    def instead_on_spans(self) -> str:
        """Why it is refused where text is judged, not whole documents; '' where it is not."""
        return self.measure.instead_on_spans

    @property
    def user(self) -> str | None:
        """The user model that the measure itself names."""
        return self.measure.user_model() if isinstance(self.measure, Measure) else None

    @property
    def quant(self) -> Quantisation | None:
        """The quantisation by which the measure's targets are chosen, where it names one and reads targets."""
        if not isinstance(self.measure, Measure) or "targets" not in self.measure.depends_on:
            return None
        return getattr(self.measure, "quant", None)

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
            curve_axes=(across.replace("{effort}", effort), up.replace("{effort}", effort)),
        )


def resolve_measures(given: MeasuresGiven, protocol: str = "", task: str = "") -> tuple[RequestedMeasure, ...]:
    """Measures, each once, in the order given, as a protocol defines them; where none are named, those of the task."""
    if not given and (task or protocol):
        given = measures_of(get_protocol(protocol), task)
    found: dict[str, RequestedMeasure] = {}
    for one in _requested(given):
        if not _is_same(found.setdefault(one.text, one).measure, one.measure):
            raise UsageError(
                f"two different measures are called {one.text}: give their classes different names, or declare what "
                "they differ in with bp.parameter"
            )
    if not found:
        raise UsageError(NO_MEASURES)
    return tuple(
        replace(one, measure=one.measure.for_protocol(protocol)) if isinstance(one.measure, Measure) else one
        for one in found.values()
    )


def _is_same(one: AnyMeasure, other: AnyMeasure) -> bool:
    """Whether two measures are equal, also in what they have beside declared parameters."""
    return one is other or (one == other and vars(one) == vars(other))


def _requested(given: MeasuresGiven) -> Iterable[RequestedMeasure]:
    given = () if given is None else given
    single = isinstance(given, (str, type)) or not isinstance(given, Iterable)
    for one in [given] if single else given:  # type: ignore[union-attr]
        if isinstance(one, type) and issubclass(one, Measure):
            one = one()
        if document_measures.is_theirs(one):
            one = str(one).replace('"', "'")
        if isinstance(one, str):
            for part in specs.split(one):
                yield RequestedMeasure(specs.normalise(part), parse_measure(part))
        elif isinstance(one, Measure):
            one.check_cutoff()
            yield RequestedMeasure(str(one), one)
        else:
            raise UsageError(f"{one!r:.60} is not a measure; give its name as a string, e.g. 'EPRUM'")


def measure_info(text: str) -> MeasureInfo | None:
    """The facts of a measure that a results file names; None if there is no such measure here."""
    try:
        return RequestedMeasure(text, parse_measure(text)).info()
    except UsageError:
        return None
