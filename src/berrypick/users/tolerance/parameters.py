"""Parameters of readers who give up: a tolerance or those of several groups of people, and one of repeated material."""

from __future__ import annotations

import math
from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.parameters import is_finite, parameter

#: Tolerances with the share of people who have each.
Shares = tuple[tuple[float, float], ...]
#: How far shares may be from 1 together.
_ROUNDING = 1e-9


def tolerance_parameter() -> Any:
    return parameter(
        None,
        "number or text",
        "irrelevant material read before the reader gives up; or several values with shares of people, as in "
        "'10=.3,25=.7'; 15 seconds, 300 characters or 60 tokens by default",
        check=lambda value: isinstance(value, str) or _is_positive(value),
        must="a finite number above 0, or shares of people as in '10=.3,25=.7'",
    )


def redundancy_parameter() -> Any:
    return parameter(
        None,
        "number or text",
        "tolerance of material of targets seen before; as tolerance by default, 'inf' if it costs nothing",
        check=lambda value: value == "inf" or _is_positive(value),
        must="a finite number above 0, or 'inf'",
    )


def unit_parameter(of: str) -> Any:
    return parameter(None, "line|tokens|sentences", f"unit of {of}: tokens, sentences, or that of the offsets")


def _is_positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and is_finite(value) and value > 0


def shares_of(tolerance: float | str | None, who: str) -> Shares:
    """Return the groups of a population, from '10=.3,25=.7'; none where people have one tolerance."""
    if not isinstance(tolerance, str):
        return ()
    found: dict[float, float] = {}
    for part in tolerance.split(","):
        left, equals, right = (word.strip() for word in part.partition("="))
        try:
            value, share = float(left), float(right)
        except ValueError:
            value, share = math.nan, math.nan
        if not equals or not (0 < value < math.inf and 0 < share <= 1):
            raise UsageError(
                f"{who}: cannot read {part.strip()!r:.60} in tolerance={tolerance!r:.60}; write tolerances with the "
                "shares of people, as in '10=.3,25=.7'"
            )
        if value in found:
            raise UsageError(f"{who}: tolerance={tolerance!r:.60} has {left} twice")
        found[value] = share
    if abs(math.fsum(found.values()) - 1) > _ROUNDING:
        raise UsageError(
            f"{who}: the shares in tolerance={tolerance!r:.60} sum to {math.fsum(found.values()):g}, not to 1"
        )
    return tuple(sorted(found.items()))


def rho(redundancy: float | str | None) -> float | None:
    """Return the tolerance of repeated material as a number."""
    return None if redundancy is None else float(redundancy)
