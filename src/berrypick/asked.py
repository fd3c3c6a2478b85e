"""What was asked for: measures from text, ours or those of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from berrypick import measures
from berrypick.core import spec as specs
from berrypick.core.errors import UsageError, nearest
from berrypick.measures import _documents as document_measures
from berrypick.measures._base import Measure

AnyMeasure = Measure | document_measures.DocumentMeasure


@dataclass(frozen=True)
class Asked:
    """A measure and the text under which its values are reported."""

    text: str
    measure: AnyMeasure


def parse_measures(given: str | Measure | Sequence[str | Measure], protocol: str = "") -> list[Asked]:
    """Measures from text, each once, in the order given, as a protocol defines them."""
    parts: list[str | Measure] = []
    given = () if given is None else given
    for one in [given] if isinstance(given, str) or not isinstance(given, Iterable) else given:
        if isinstance(one, str):
            parts += specs.split(one)
        elif isinstance(one, Measure):
            parts.append(one)
        elif document_measures.is_theirs(one):
            parts.append(str(one).replace('"', "'"))
        else:
            raise UsageError(f"{one!r:.60} is no measure: name it in a text, e.g. 'EPRUM'")
    if not parts:
        raise UsageError("no measure is asked for; name one, e.g. EPRUM")
    found: dict[str, Asked] = {}
    for part in parts:
        if isinstance(part, Measure):
            text = specs.render(part.name(), part.given(), part.at)
            found.setdefault(text, Asked(text, part))
        else:
            found.setdefault(specs.tidy(part), Asked(specs.tidy(part), parse_measure(part)))
    return [
        replace(one, measure=one.measure.under(protocol)) if isinstance(one.measure, Measure) else one
        for one in found.values()
    ]


def parse_measure(text: str) -> AnyMeasure:
    """One of our measures, or one of ir_measures'."""
    spec = specs.parse(text)
    if measures.named_measure(spec.name) is not None:
        return measures.build(spec)
    theirs = document_measures.parse(spec.text)
    if theirs is None:
        if measures.measure_class(spec.name) is not None:  # an alias, for which all files have to be read
            return measures.build(spec)
        known = [*measures.known_names(), *document_measures.names()]
        offer = nearest(spec.name, known) or "; see 'berrypick list measures'"
        raise UsageError(f"unknown measure {spec.name}{offer}")
    return theirs
