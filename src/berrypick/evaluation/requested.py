"""The measures of an evaluation, from text or objects: ours, or those of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from berrypick.data import spec as specs
from berrypick.data.errors import Message, UsageError, option
from berrypick.data.results import MeasureInfo, Note
from berrypick.data.truth import Truth
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import NO_MEASURES, OWN, get_protocol, measures_of
from berrypick.formats import measures_for
from berrypick.measures import parse_measure, registry, split_measures
from berrypick.measures.base import Measure
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from berrypick.measures.answers.recalls import Recalls

#: In the name of an axis: the unit that a measure counts what is read in, which its signature states.
EFFORT = "{effort}"

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

    def info(self, effort: str = "units") -> MeasureInfo:
        """Its facts, for results; ``effort`` is the unit that its curve counts, in the plural."""
        measure, (across, up) = self.measure, self.measure.curve_axes
        return MeasureInfo(
            self.text,
            measure.description(),
            higher_is_better=measure.higher_is_better,
            has_curve=measure.has_curve(),
            curve_axes=(across.replace(EFFORT, effort), up),
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


@dataclass(frozen=True)
class ChosenMeasures:
    """The measures of an evaluation, which of them are pairs of recalls@k, and how they were chosen."""

    measures: tuple[RequestedMeasure, ...]
    recalls: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class MeasureRequest:
    """What a person asks for; :meth:`on` says which measures that are for a truth.

    Attributes
    ----------
    measures
        The measures, as far as they are known before the truth is read; None: the truth decides.
    recalls
        The measures with recalls@k among them, if it is.
    protocol, task
        Whose measures they are.
    """

    measures: tuple[RequestedMeasure, ...] | None
    recalls: Recalls | None = None
    protocol: str = ""
    task: str = ""

    @classmethod
    def of(cls, given: MeasuresGiven | None, options: EvaluationOptions) -> MeasureRequest:
        """Resolve measures as they are given; None means that none are needed."""
        protocol, task = (get_protocol(options.protocol) if options.protocol else OWN).name, options.task or ""
        if isinstance(given, (str, list, tuple)) and not given and not task and not protocol:
            return cls(None)
        if given is None:
            return cls(())
        recalls = _recalls_among(given)
        known = given if recalls is None else recalls.measures(None)[0]
        return cls(resolve_measures(known, protocol, task), recalls, protocol, task)

    def on(self, truth: Truth, reader: ReaderContext) -> ChosenMeasures:
        """Return the measures for a truth."""
        if self.measures is None:
            return _by_truth(truth, reader)
        if self.recalls is None:
            return ChosenMeasures(self.measures)
        measures, pairs = self.recalls.measures(truth)
        return ChosenMeasures(resolve_measures(measures, self.protocol, self.task), pairs)


def _recalls_among(measures: Any) -> Recalls | None:
    """Look for recalls@k among measures; its module is imported only if its name is there."""
    if "recalls" not in str(measures):
        return None
    from berrypick.measures.answers.recalls import Recalls

    return Recalls.among(measures)


def _by_truth(truth: Truth, reader: ReaderContext) -> ChosenMeasures:
    """Choose measures by what a truth judges, with a note."""
    seconds, lengths = reader.line_unit == "seconds", reader.collection is not None
    own = measures_for(truth.format)
    chosen = own or default_measures(truth.units, seconds, reader.texts is not None, lengths)
    viewed = " and ".join(measures_of_videos()) if seconds and not lengths and not own else ""
    more = f"; {viewed} as well, with lengths of documents ({option('collection')})" if viewed else ""
    note = Note("measures", Message(f"no measures given; using {chosen} to match your judgements{more}"))
    return ChosenMeasures(resolve_measures(chosen), notes=(note,))


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
