"""The sample in the docstring of a format, and whether two values that were read hold the same."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from berrypick.data.columns import LateCodes, PackedColumn, unpacked

#: What two files with the same content may differ in.
ORIGIN = ("source", "line", "format", "notes")


@cache
def sample(cls: Any) -> str:
    """The sample in the docstring, with its TABs."""
    _, found, rest = cls.specification().partition("Sample::\n")
    assert found, "a docstring with a sample"
    lines = []
    for line in rest.splitlines():
        if line.strip() and not line.startswith((" ", "\t")):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).strip("\n") + "\n"


def flat(value: Any, ignored: Sequence[str] = ORIGIN) -> Any:
    """A value as lists, dictionaries and texts, in which equal numbers are equal, NaN included."""
    if isinstance(value, PackedColumn):
        return flat(unpacked(value), ignored)
    if isinstance(value, LateCodes):
        return flat(value.coded, ignored)
    if dataclasses.is_dataclass(value) and not isinstance(value, Sequence):
        names = [field.name for field in dataclasses.fields(value) if field.name not in ignored]
        return [type(value).__name__, {name: flat(getattr(value, name), ignored) for name in names}]
    if isinstance(value, np.ndarray):
        return [one if isinstance(one, str) else repr(float(one) + 0.0) for one in value.ravel().tolist()]
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return repr(float(value) + 0.0)
    if isinstance(value, Mapping):
        return [[flat(key, ignored), flat(one, ignored)] for key, one in value.items()]
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, Sequence):
        return [flat(one, ignored) for one in value]
    return value
