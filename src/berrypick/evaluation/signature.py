"""How each number was computed, as a value: the measure's own parameters, then the options it depends on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from berrypick._version import __version__
from berrypick.core import whole_documents
from berrypick.core.navigation import LinkTable, Navigation, Sessions
from berrypick.core.results import Signature
from berrypick.core.run import Run
from berrypick.core.score import Score
from berrypick.core.words import counted
from berrypick.evaluation.element_sizes import sizes_field
from berrypick.evaluation.options import options
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.judging.context import JudgingContext
from berrypick.measures import Measure
from berrypick.relevance.gains import default_quantisation
from berrypick.relevance.idealism import describe, unwanted_grades
from berrypick.users import UserModel

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation

Field = tuple[str, str]


def sign(own: Sequence[Field], scores: Sequence[Score], head: str) -> Signature:
    """The fields of a measure with what its values add; where topics differ, all of them are named."""
    extra: dict[str, dict[str, None]] = {}
    for score in scores:
        for key, value in score.signed:
            extra.setdefault(key, {})[value] = None
    signed = [(key, "+".join(values)) for key, values in extra.items()]
    return Signature(head, tuple(dict.fromkeys([*own, *signed, ("v", __version__)])))


def measure_fields(one: RequestedMeasure, evaluation: Evaluation, run: Run) -> tuple[Field, ...]:
    """The fields of one measure that all topics of a run share."""
    measure = one.measure
    own: list[Field] = [
        (key, f"{value:.12g}" if isinstance(value, float) else str(value))
        for key, value in measure.parameter_values().items()
        if key != "user"
    ]
    if measure.computed_by:
        own.append(("by", measure.computed_by))
    if evaluation.truth.units == "elements" and "quant" not in dict(own) and reads_elements(one, evaluation):
        own.append(("quant", evaluation.contexts[one.text].quant or default_quantisation(evaluation.truth.scale)))
    own += lengths_field(one, evaluation)
    own += sizes_field(one, evaluation, run)
    if one.instead(evaluation.truth.units):
        own.append((whole_documents.FIELD, evaluation.truth.units))
    values = _OptionValues(one, evaluation, run)
    return (*own, *((o.signature, value) for o in options() if o.signature and (value := values.value(o.name))))


def lengths_field(one: RequestedMeasure, evaluation: Evaluation) -> list[Field]:
    """Where the lengths of documents came from, for measures that count all of them or take their mean."""
    measure, context = one.measure, evaluation.contexts[one.text]
    collection = context.reader.collection
    if collection is None:
        return []
    if not (_counts_documents(measure) or ("user" in measure.depends_on and context.user.reads_lengths)):
        return []
    known = counted(len(collection), "document")
    return [("lengths", "judged" if collection.judged_only else f"{known},{collection.total:.12g}")]


def _counts_documents(measure: Measure) -> bool:
    """Whether a measure reads D or L; a mean length given as L is as good as any."""
    return "lengths" in measure.depends_on and measure.parameter_values().get("L") is None


def reads_elements(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    """Whether the value of a measure depends on which elements count, and how assessments of them become gains."""
    gains = "ignore_elements" in one.measure.depends_on
    return gains or (reads_targets(one, evaluation) and not seeks_entry_points(one, evaluation))


def reads_targets(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    """Whether the value of a measure depends on which units are targets."""
    user = evaluation.contexts[one.text].user.name()
    return one.measure.reads_targets(user)


def seeks_entry_points(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    """Whether the targets of a measure are entry points, which have no grades."""
    return (
        "user" in one.measure.depends_on
        and evaluation.contexts[one.text].user.seeks_entry_points
        and evaluation.truth.has_entry_points
    )


class _OptionValues:
    """The value of each option in the signature of one measure; '' where the measure does not depend on it."""

    def __init__(self, one: RequestedMeasure, evaluation: Evaluation, run: Run) -> None:
        self.one, self.evaluation, self.run = one, evaluation, run
        self.depends_on = one.measure.depends_on

    def value(self, name: str) -> str:
        special: Callable[[], str] | None = getattr(self, f"_{name}", None)
        if special is not None:
            return special()
        given = getattr(self.evaluation.options, name)
        return "" if given is None else str(given)

    @cached_property
    def context(self) -> JudgingContext:
        return self.evaluation.contexts[self.one.text]

    def _user(self) -> str:
        return str(self.context.user) if "user" in self.depends_on else ""

    def _navigation(self) -> str:
        navigation = self.context.reader.navigation
        if "user" not in self.depends_on or navigation is None or not accepts_navigation(self.context.user):
            return ""
        return fingerprint(navigation)

    def _ignore_elements(self) -> str:
        read = reads_elements(self.one, self.evaluation)
        return ",".join(sorted(self.context.ignore_elements)) if read else ""

    def _idealism(self) -> str:
        truth, given = self.evaluation.truth, self.context.idealism
        if seeks_entry_points(self.one, self.evaluation):
            return ""
        if "idealism" in self.depends_on:
            return "positive" if truth.units == "elements" and given is None else describe(truth.grades(), given)
        if truth.units == "elements":
            return describe(set(), given) if given is not None and reads_targets(self.one, self.evaluation) else ""
        return describe(set(), given) if unwanted_grades(given) else ""

    def _ideal_elements(self) -> str:
        given = self.context.ideal_elements
        if given is None or self.evaluation.truth.units != "elements":
            return ""
        parts = sorted(f"{topic}\t{name}{path}" for topic, named in given.items() for name, path in named)
        return _checksum(parts) if reads_elements(self.one, self.evaluation) else ""

    def _effort(self) -> str:
        return self.context.effort if "effort" in self.depends_on else ""

    def _tokenizer(self) -> str:
        tokens = self.context.reader.tokens
        effort = "effort" in self.depends_on and self.context.effort == "tokens"
        reads = "user" in self.depends_on and getattr(self.context.user, "unit", None) == "tokens"
        return tokens.name if tokens is not None and (effort or reads) else ""

    def _units(self) -> str:
        return str(self.context.units) if "units" in self.depends_on and self.context.units is not None else ""

    def _whole_documents(self) -> str:
        """Only where it changed what was counted."""
        if not self.context.whole_documents or self.one.measure.of_documents:
            return ""
        whole = not self.run.points_into_documents
        return "true" if self.run.of_text or whole != (self.evaluation.truth.units == "documents") else ""

    def _duplicates(self) -> str:
        return self.context.duplicates or self.run.duplicates


def accepts_navigation(model: UserModel) -> bool:
    """Whether a user model, or one inside it, reads a navigation file."""
    inner = getattr(model, "inner", None)
    return bool(model.navigation) or (inner is not None and accepts_navigation(inner()))


@lru_cache(maxsize=8)
def fingerprint(navigation: Navigation) -> str:
    """A short name for the content of a navigation file, so that signatures of different files differ."""
    if isinstance(navigation, Sessions):
        parts = [";".join(path) for path in navigation.paths]
    elif isinstance(navigation, LinkTable):
        parts = [f"{a}\t{b}" for a, b in navigation.rows]
    else:
        parts = [f"{a}\t{b}\t{p!r}" for (a, b), p in navigation.rows.items()]
    return _checksum(sorted(parts))


def _checksum(parts: Sequence[str]) -> str:
    return f"{zlib.crc32(chr(10).join(parts).encode()):08x}"
