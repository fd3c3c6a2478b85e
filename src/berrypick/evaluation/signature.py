"""How each number was computed, as a value: the measure's own parameters, then the options it depends on."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from berrypick._version import __version__
from berrypick.data.navigation import LinkTable, Navigation, Sessions, TransitionCounts
from berrypick.data.results import JUDGED, Signature
from berrypick.data.run import Run
from berrypick.data.score import Score
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.evaluation_context import NO_ELEMENTS
from berrypick.evaluation.options import options
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


def measure_fields(
    one: RequestedMeasure, evaluation: Evaluation, run: Run, reads: Collection[str]
) -> tuple[Field, ...]:
    """The fields of one measure that all topics of a run share; ``reads`` is what its values depend on."""
    truth, context, measure = evaluation.truth, evaluation.contexts[one.text], one.measure
    of_elements = truth.units == "elements"
    values = measure.used_values()
    own: list[Field] = [
        (key, f"{value:.12g}" if isinstance(value, float) else str(value))
        for key, value in values.items()
        if key != "user"
    ]
    if measure.computed_by:
        own.append(("by", measure.computed_by))
    # entry points are targets without grades
    points = "user" in reads and context.user.seeks_entry_points and truth.has_entry_points
    elements = of_elements and ("ignore_elements" in reads or ("targets" in reads and not points))
    if elements and "quant" not in values:
        from berrypick.targets.gains import default_quantisation

        own.append(("quant", context.quant or default_quantisation(truth.scale)))
    if "lengths" in reads and (known := context.reader.collection) is not None:
        own.append(
            ("lengths", "judged" if known.judged_only else f"{counted(len(known), 'document')},{known.total:.12g}")
        )
    if of_elements or run.path is not None:
        from berrypick.evaluation.element_sizes import sizes_field

        own += sizes_field(one, evaluation, run, reads)
    areas = next((topic.boxes.shares for topic in truth.topics.values() if topic.boxes is not None), None)
    if areas is not None and not measure.of_documents:
        own.append(("areas", "pages" if areas else "units of the file"))
    if measure.of_spans and one.instead(truth.units):
        own.append((JUDGED, truth.units))
    own += get_protocol(evaluation.options.protocol).signed
    stated = dict(vars(evaluation.options))
    stated["user"] = context.user if "user" in reads else None
    navigation = context.reader.navigation if "navigation" in reads else None
    stated["navigation"] = None if navigation is None else fingerprint(navigation)
    ignored = ",".join(sorted(context.ignore_elements)) or (NO_ELEMENTS if evaluation.options.ignore_elements else "")
    stated["ignore_elements"] = ignored if elements else None
    ideal = context.ideal_elements if elements else None
    stated["ideal_elements"] = (
        None
        if ideal is None
        else _checksum(sorted(f"{topic}\t{name}{path}" for topic, named in ideal.items() for name, path in named))
    )
    stated["idealism"] = None if points else _idealism(truth, context, reads)
    stated["effort"] = context.effort if "effort" in reads else None
    tokens = context.reader.tokens if "tokenizer" in reads else None
    if not {"tokenizer", "effort"}.isdisjoint(reads):
        tokens = tokens or context.reader.effort_tokens
    stated["tokenizer"] = None if tokens is None else tokens.name
    stated["units"] = context.units if "units" in reads else None
    if evaluation.scored_topics is not None:
        stated["topics"] = evaluation.scored_as
    pattern = evaluation.options.id_pattern  # which may have the mark between parts
    stated["id_pattern"] = None if pattern is None else _checksum([pattern])
    stated["missing"] = None  # said by the scores of topics that the run does not mention
    stated["duplicates"] = context.duplicates or run.ordering.duplicates
    same = evaluation.options.copies == "same"
    stated["copies"] = (
        f"same,{evaluation.options.copies_least},{evaluation.options.quotes or 'exact'}" if same else None
    )
    # only where it changed what was counted
    whole = context.whole_documents and not measure.of_documents
    mixed = whole and (run.texts.of_text or run.points_into_documents == (truth.units == "documents"))
    stated["whole_documents"] = "true" if mixed else None
    return (*own, *((o.signature, str(value)) for o in options()
                    if o.signature and (value := stated[o.name]) not in (None, "")))  # fmt: skip


def _idealism(truth: Truth, context: JudgingContext, reads: Collection[str]) -> str:
    """Whose ideal the targets are; where nobody asked, only what made fewer targets of them."""
    given = context.idealism
    if "idealism" in reads:
        return "positive" if truth.units == "elements" and given is None else describe(truth.grades(), given)
    fewer = "targets" in reads if truth.units == "elements" else unwanted_grades(given)
    return describe(set(), given) if given is not None and fewer else ""


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
