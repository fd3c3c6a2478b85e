"""One file per measure; a new file is found by itself."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError, nearest
from berrypick.core.parameters import classes_in, discover
from berrypick.measures.base import Measure


@lru_cache(maxsize=1)
def registered() -> dict[str, type[Measure]]:
    """Every measure of ours by name."""
    return discover(sys.modules[__name__], Measure)


def measure_class(name: str) -> type[Measure] | None:
    """The class of one of our measures, by its name or an alias."""
    found = named_measure(name)
    if found is None:
        for candidate in registered().values():
            if name in candidate.aliases:
                return candidate
    return found


def named_measure(name: str) -> type[Measure] | None:
    """The class of a measure by its name. Its file has the same name in small letters, so no other has to be read."""
    if name.startswith("_") or not name.isidentifier():
        return None
    for module in (f"{__name__}.{name.lower()}", f"{__name__}.{name.lower()}_measure"):
        if find_spec(module) is not None:
            found = classes_in(import_module(module), Measure)
            return next((value for value in found if value.name() == name), None)
    return None


def known_names() -> list[str]:
    return [name for cls in registered().values() for name in (cls.name(), *cls.aliases)]


def build(spec: specs.Spec) -> Measure:
    """One of our measures from its spec."""
    cls = measure_class(spec.name)
    if cls is None:
        raise UsageError(f"unknown measure {spec.name}{nearest(spec.name, known_names())}")
    return cls.from_parameters(dict(spec.parameters), spec.text, at=spec.at)
