"""How each number was computed, as a value: the measure's own parameters, then the options it depends on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from berrypick._version import __version__
from berrypick.data.navigation import LinkTable, Navigation, Sessions, TransitionCounts
from berrypick.data.results import JUDGED
from berrypick.data.run import Run
from berrypick.data.score import Score
from berrypick.data.signature import Signature
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.evaluation_context import NO_ELEMENTS
from berrypick.evaluation.options import EvaluationOptions, options
from berrypick.evaluation.protocols.base import get_protocol
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.targets.idealism import describe, unwanted_grades
from berrypick.topics.context import JudgingContext
from berrypick.users import UserModel

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation
    from berrypick.measures.base import Measure

Field = tuple[str, str]


def sign(own: Sequence[Field], scores: Sequence[Score], head: str) -> Signature:
    """The fields of a measure with what its values add; where topics differ, all of them are named."""
    extra: dict[str, dict[str, None]] = {}
    for score in scores:
        for key, value in score.signed:
            extra.setdefault(key, {})[value] = None
    signed = [(key, "+".join(values)) for key, values in extra.items()]
    return Signature(head, tuple(dict.fromkeys([*own, *signed, ("v", __version__)])))


def depends_on(measure: Measure, user: UserModel) -> frozenset[str]:
    """What values of a measure depend on: what it declares, and what the user model does where they depend on that."""
    found = measure.dependencies()
    if "user" in found:
        found |= user.dependencies()
    return found if found.isdisjoint({"text", "ignore_elements"}) else found | {"targets"}


@dataclass(frozen=True)
class SignedMeasure:
    """One measure of a run, and what its values depend on: what its signature states follows from these."""

    one: RequestedMeasure
    evaluation: Evaluation
    run: Run
    reads: Collection[str]

    @property
    def truth(self) -> Truth:
        return self.evaluation.truth

    @property
    def context(self) -> JudgingContext:
        return self.evaluation.contexts[self.one.text]

    @property
    def options(self) -> EvaluationOptions:
        return self.evaluation.options

    @property
    def of_elements(self) -> bool:
        return self.truth.units == "elements"

    @cached_property
    def points(self) -> bool:
        """Whether targets are entry points, which have no grades."""
        return "user" in self.reads and self.context.user.seeks_entry_points and self.truth.has_entry_points

    @cached_property
    def elements(self) -> bool:
        """Whether values depend on which judged elements are relevant."""
        chosen = "targets" in self.reads and not self.points
        return self.of_elements and ("ignore_elements" in self.reads or chosen)

    def fields(self) -> tuple[Field, ...]:
        """Return the fields that all topics of the run share: of the measure, then of options."""
        own = (field for state in OWN_FIELDS for field in state(self))
        return (*own, *((option.signature, str(value)) for option in options()
                        if option.signature and (value := self._stated(option.name)) not in (None, "")))  # fmt: skip

    def _stated(self, name: str) -> Any:
        state = OPTION_FIELDS.get(name)
        return getattr(self.options, name) if state is None else state(self)


# --- the fields of the measure ----------------------------------------------------------------------------------------


def _parameters(signed: SignedMeasure) -> list[Field]:
    values = signed.one.measure.used_values().items()
    return [
        (key, f"{value:.12g}" if isinstance(value, float) else str(value)) for key, value in values if key != "user"
    ]


def _computed_by(signed: SignedMeasure) -> list[Field]:
    library = signed.one.measure.computed_by
    return [("by", library)] if library else []


def _quantisation(signed: SignedMeasure) -> list[Field]:
    if not signed.elements or "quant" in signed.one.measure.used_values():
        return []
    from berrypick.targets.gains import default_quantisation

    return [("quant", str(signed.context.quant or default_quantisation(signed.truth.scale)))]


def _lengths(signed: SignedMeasure) -> list[Field]:
    known = signed.context.reader.collection
    if known is None or "lengths" not in signed.reads:
        return []
    return [("lengths", "judged" if known.judged_only else f"{counted(len(known), 'document')},{known.total:.12g}")]


def _sizes(signed: SignedMeasure) -> list[Field]:
    if not signed.of_elements and signed.run.path is None:
        return []
    from berrypick.evaluation.element_sizes import sizes_field

    return sizes_field(signed.one, signed.evaluation, signed.run, signed.reads)


def _areas(signed: SignedMeasure) -> list[Field]:
    boxes = next((topic.boxes for topic in signed.truth.topics.values() if topic.boxes is not None), None)
    if boxes is None or signed.one.measure.of_documents:
        return []
    return [("areas", "pages" if boxes.shares else "units of the file")]


def _whole_documents_of_parts(signed: SignedMeasure) -> list[Field]:
    units = signed.truth.units
    return [(JUDGED, units)] if signed.one.measure.of_spans and signed.one.instead(units) else []


def _protocol(signed: SignedMeasure) -> list[Field]:
    return [*get_protocol(signed.options.protocol).signed]


#: What a signature states of a measure, in this order.
OWN_FIELDS: tuple[Callable[[SignedMeasure], list[Field]], ...] = (
    _parameters,
    _computed_by,
    _quantisation,
    _lengths,
    _sizes,
    _areas,
    _whole_documents_of_parts,
    _protocol,
)


# --- the fields of options --------------------------------------------------------------------------------------------


def _navigation(signed: SignedMeasure) -> str | None:
    navigation = signed.context.reader.navigation if "navigation" in signed.reads else None
    return None if navigation is None else fingerprint(navigation)


def _ignored_elements(signed: SignedMeasure) -> str | None:
    if not signed.elements:
        return None
    none = NO_ELEMENTS if signed.options.ignore_elements else ""
    return ",".join(sorted(signed.context.ignore_elements)) or none


def _ideal_elements(signed: SignedMeasure) -> str | None:
    ideal = signed.context.ideal_elements
    if ideal is None or not signed.elements:
        return None
    return _checksum(sorted(f"{topic}\t{name}{path}" for topic, named in ideal.items() for name, path in named))


def _idealism(signed: SignedMeasure) -> str | None:
    """Whose ideal the targets are; where nobody asked, only what made fewer targets of them."""
    given, of_elements, reads = signed.context.idealism, signed.of_elements, signed.reads
    if signed.points:
        return None
    if "idealism" in reads:
        return "positive" if of_elements and given is None else describe(signed.truth.grades(), given)
    fewer = "targets" in reads if of_elements else unwanted_grades(given)
    return describe(set(), given) if given is not None and fewer else None


def _tokenizer(signed: SignedMeasure) -> str | None:
    reader, reads = signed.context.reader, signed.reads
    tokens = reader.tokens if "tokenizer" in reads else None
    if not {"tokenizer", "effort"}.isdisjoint(reads):
        tokens = tokens or reader.effort_tokens
    return None if tokens is None else tokens.name


def _topics(signed: SignedMeasure) -> str | None:
    evaluation = signed.evaluation
    return evaluation.options.topics if evaluation.scored_topics is None else evaluation.scored_as


def _id_pattern(signed: SignedMeasure) -> str | None:
    """A checksum of the pattern, which may have the mark between fields."""
    pattern = signed.options.id_pattern
    return None if pattern is None else _checksum([pattern])


def _copies(signed: SignedMeasure) -> str | None:
    given = signed.options
    return f"same,{given.copies_least},{given.quotes or 'exact'}" if given.copies == "same" else None


def _whole_documents(signed: SignedMeasure) -> str | None:
    """Only where the option changed what was counted."""
    if not signed.context.whole_documents or signed.one.measure.of_documents:
        return None
    run = signed.run
    mixed = run.texts.of_text or run.points_into_documents == (signed.truth.units == "documents")
    return "true" if mixed else None


#: What a signature states of an option, where that is not the option as given.
OPTION_FIELDS: Mapping[str, Callable[[SignedMeasure], Any]] = {
    "user": lambda signed: signed.context.user if "user" in signed.reads else None,
    "navigation": _navigation,
    "ignore_elements": _ignored_elements,
    "ideal_elements": _ideal_elements,
    "idealism": _idealism,
    "effort": lambda signed: signed.context.effort if "effort" in signed.reads else None,
    "tokenizer": _tokenizer,
    "units": lambda signed: signed.context.units if "units" in signed.reads else None,
    "topics": _topics,
    "id_pattern": _id_pattern,
    "missing": lambda signed: None,  # stated by the scores of topics that the run does not mention
    "duplicates": lambda signed: signed.context.duplicates or signed.run.ordering.duplicates,
    "copies": _copies,
    "whole_documents": _whole_documents,
}


# --- parts of them ----------------------------------------------------------------------------------------------------


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
    elif isinstance(navigation, TransitionCounts):
        parts = list(navigation.lines())
    else:
        parts = [f"{a}\t{b}\t{p!r}" for (a, b), p in navigation.rows.items()]
    return _checksum(sorted(parts))


def _checksum(parts: Sequence[str]) -> str:
    return f"{zlib.crc32(chr(10).join(parts).encode()):08x}"
