"""One file per measure; a new file is found by itself. Measures are imported by name: ``from ... import nxCG``."""

from __future__ import annotations

import sys
from typing import Any

from berrypick.core import spec as specs
from berrypick.core.registry import Registry
from berrypick.measures import _documents as document_measures
from berrypick.measures.base import Measure

__all__ = ["AnyMeasure", "Measure", "parse_measure", "registered", "registry"]

AnyMeasure = Measure | document_measures.DocumentMeasure

registry: Registry[Measure] = Registry(sys.modules[__name__], Measure, "measure", external=document_measures.names)
#: Every measure of ours by name.
registered = registry.all


def parse_measure(text: str) -> AnyMeasure:
    """A measure from its text: one of ours, or one of ir_measures'."""
    spec = specs.parse(text)
    cls = registry.find(spec.name)
    if cls is not None and not any(name in spec.parameters for name in cls.elsewhere):
        measure = cls.from_parameters(dict(spec.parameters), spec.text, at=spec.at)
        measure.check_cutoff()
        return measure
    theirs = document_measures.parse(spec.text)
    if theirs is None:
        raise registry.unknown(spec.name, otherwise="; see 'berrypick list measures'")
    return theirs


def __getattr__(name: str) -> Any:
    return registry.attribute(name)


def __dir__() -> list[str]:
    return registry.attributes()
