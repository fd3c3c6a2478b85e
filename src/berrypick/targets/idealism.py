"""Graded idealism: the share of readers for whom a unit is ideal, and the satisfaction levels that follow.

EPRUM section 3.1: a reader has a satisfaction level s, uniform on [0, 1]; the targets of that reader are the units
with P(ideal) >= s. Between two consecutive values of P(ideal) nothing changes, so the integral over s is a sum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError, option

#: Grades to P(ideal), or 'gain': the quantised gain of an element.
Idealism = Mapping[float, float] | Literal["gain"]


def parse_idealism(given: str | Mapping[float, float]) -> Idealism:
    """``'1=.5,2=1'`` or a mapping: grades to P(ideal); or ``'gain'``."""
    if isinstance(given, str):
        if given.strip() == "gain":
            return "gain"
        pairs = [(part.strip(), part.partition("=")[::2]) for part in given.split(",")]
        return _checked_idealism(option("idealism", given), pairs)
    return _checked_idealism(option("idealism"), [(f"{key}={value}", (key, value)) for key, value in given.items()])


def _checked_idealism(given: str, pairs: list[tuple[str, Any]]) -> dict[float, float]:
    """Grades to P(ideal), each pair with the text in which a person gave it."""
    found: dict[float, float] = {}
    for text, (grade, share) in pairs:
        try:
            key, value = float(grade), float(share)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"{given}: {text!r:.60} is not grade=share, as in '1=.5,2=1'") from None
        if not math.isfinite(key):
            raise UsageError(f"{given}: {text!r}: a grade is a finite number")
        if not 0 <= value <= 1:
            raise UsageError(f"{given}: a share of readers must be between 0 and 1, not {value:g}")
        if key <= 0 < value:
            raise UsageError(f"{given}: grade {key:g} means not relevant; only grades above 0 can be ideal")
        if key in found:
            raise UsageError(f"{given}: grade {key:g} is given twice")
        found[key] = value
    return found


def idealism_of(grades: FloatArray, all_grades: set[float], mapping: Mapping[float, float] | None) -> FloatArray:
    """P(ideal) of units with these grades; ``all_grades`` are those of the whole truth."""
    if mapping is not None:
        unmapped = sorted(grade for grade in set(grades.tolist()) if grade > 0 and grade not in mapping)
        if unmapped:
            raise UsageError(
                f"{option('idealism')} has no share for grade {unmapped[0]:g}, which occurs in the truth; "
                f"add {unmapped[0]:g}=... to it"
            )
        return np.array([mapping.get(grade, 0.0) for grade in grades.tolist()])
    if all(0 <= grade <= 1 for grade in all_grades):
        return grades.astype(np.float64)
    return (grades > 0).astype(np.float64)


def exhaustivity_idealism(exhaustivity: FloatArray, mapping: Mapping[float, float]) -> FloatArray:
    """P(ideal) of elements by how exhaustive they are; 0 (too small) is ideal for nobody."""
    if np.isnan(exhaustivity).any():
        raise UsageError(
            f"{option('idealism')} maps the exhaustivity of elements, which this truth does not have for all relevant "
            f"ones; {option('idealism', 'gain')} takes their gains"
        )
    return idealism_of(exhaustivity, set(), mapping)


def unwanted_grades(mapping: Idealism | None) -> set[float]:
    """The grades above 0 that a mapping makes ideal for no reader."""
    if mapping is None or mapping == "gain":
        return set()
    return {grade for grade, share in mapping.items() if grade > 0 and share == 0}


def describe(all_grades: set[float], mapping: Idealism | None) -> str:
    """The part of a signature for how grades became P(ideal)."""
    if mapping == "gain":
        return "gain"
    if mapping is not None:
        return ",".join(f"{grade:g}={share:g}" for grade, share in sorted(mapping.items()))
    if all(0 <= grade <= 1 for grade in all_grades):
        return "grade"
    return "positive"


def levels(idealism: FloatArray) -> list[tuple[float, BoolArray]]:
    """Satisfaction levels: the weight of each, and which targets are ideal at it."""
    values = sorted({value for value in idealism.tolist() if value > 0})
    below = [0.0, *values][:-1]
    return [(value - lower, idealism >= value) for value, lower in zip(values, below, strict=True)]
