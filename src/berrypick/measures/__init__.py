"""One file per measure; a new file is found by itself."""

from __future__ import annotations

import sys
from functools import lru_cache

from berrypick.core import spec as specs
from berrypick.core.declared import discover
from berrypick.core.errors import UsageError, nearest
from berrypick.measures._base import Measure


@lru_cache(maxsize=1)
def registered() -> dict[str, type[Measure]]:
    """Every measure of ours by name."""
    return discover(sys.modules[__name__], Measure)


def measure_class(name: str) -> type[Measure] | None:
    """The class of one of our measures, by its name or an alias."""
    found = registered().get(name)
    if found is None:
        for candidate in registered().values():
            if name in candidate.aliases:
                return candidate
    return found


def known_names() -> list[str]:
    return [name for cls in registered().values() for name in (cls.name(), *cls.aliases)]


def build(spec: specs.Spec) -> Measure:
    """One of our measures from its spec."""
    cls = measure_class(spec.name)
    if cls is None:
        raise UsageError(f"unknown measure {spec.name}{nearest(spec.name, known_names())}")
    return cls.from_parameters(dict(spec.parameters), spec.text, at=spec.at)
