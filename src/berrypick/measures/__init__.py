"""Measures, one file per measure or small family, in a folder per subject."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.measures.base import Measure
from berrypick.measures.paper_names import stands_for_printed
from berrypick.measures.typed_names import split_measures, stands_for
from berrypick.registry.definitions import Room
from berrypick.registry.registry import Registry, class_problem

if TYPE_CHECKING:
    from berrypick.measures import _documents as document_measures

__all__ = ["Measure", "document_measures", "parse_measure", "registered", "registry", "split_measures"]


def _of_ir_measures() -> Sequence[str]:
    """The measures that only ir_measures has."""
    from berrypick.measures import _documents

    return _documents.names()


registry: Registry[type[Measure]] = Registry(
    "measures",
    "measure",
    Room(__name__, Path(__file__).parent, facts=("aliases",)),
    class_problem(Measure),
    takes=lambda value: isinstance(value, type) and issubclass(value, Measure),
    external=_of_ir_measures,
)
#: Every measure of ours by name.
registered = registry.all


#: Names that people type for what is called otherwise here: for spans, and for whole documents.
EVERYDAY = {
    "recall": ("charR", "R"), "precision": ("charP", "P"), "f1": ("charF", "SetF"), "f": ("charF", "SetF"),
    "hit": ("spanHit", "Success"), "hits": ("spanHit", "Success"), "hit_rate": ("spanHit", "Success"),
    "hitrate": ("spanHit", "Success"), "mrr": ("spanRR", "RR"), "rr": ("spanRR", "RR"),
    "ndcg": ("spanNDCG", "nDCG"), "map": ("spanAP", "AP"), "ap": ("spanAP", "AP"),
}  # fmt: skip


class UnknownMeasureError(UsageError):
    """A name that no measure has; :meth:`for_units` is the same error for what is judged."""

    def __init__(self, name: str, cutoff: str = "") -> None:
        self.name, self.cutoff = name, cutoff
        super().__init__(
            registry.unknown(name, otherwise=self._everyday(1) or "; see 'berrypick list measures'").template
        )

    def for_units(self, spans: bool) -> UsageError:
        """The error with the measures first that fit what is judged."""
        offer = self._everyday(0) if spans else ""
        return UsageError(f"unknown measure {self.name}{offer}" if offer else self.template)

    def _everyday(self, first: int) -> str:
        names = EVERYDAY.get(self.name.lower())
        if names is None:
            return ""
        spans, documents = f"{names[0]}{self.cutoff} for spans", f"{names[1]}{self.cutoff} for whole documents"
        return f"; did you mean {' or '.join([spans, documents] if not first else [documents, spans])}?"


def parse_measure(text: str) -> Measure:
    """A measure from its text: one of ours, or one of ir_measures', or a name that people type for one of these."""
    if printed := stands_for_printed(specs.normalise(text)):
        text = printed
    elif (typed := stands_for(specs.normalise(text))) and not _is_ours(text):
        text = typed
    spec = specs.parse(text)
    cls = registry.find(spec.name)
    if cls is not None and not any(name in spec.parameters for name in cls.elsewhere):
        measure = cls.from_parameters(dict(spec.parameters), spec.text, at=spec.at)
        if measure.cutoff_required:
            measure.check_cutoff()
        return measure
    from berrypick.measures import _documents

    theirs = _documents.parse(spec.text)
    if theirs is None:
        raise UnknownMeasureError(spec.name, "" if spec.at is None else f"@{spec.at:g}")
    return theirs


def _is_ours(text: str) -> bool:
    """Whether the name of a text is exactly that of a measure, of ours or of another package."""
    name = re.match(r"\s*([A-Za-z_][\w.]*)", text)
    return name is not None and registry.find(name[1]) is not None


def __getattr__(name: str) -> Any:
    if name == "document_measures":  # for those of ir_measures, which few evaluations have
        from berrypick.measures import _documents

        return _documents
    return registry.attribute(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *registry.attributes()})
