"""What a measure returns for one topic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """A value (None where undefined), with what a person should know about it."""

    value: float | None
    notes: tuple[str, ...] = ()
    #: Extra parts of the signature, e.g. that an approximation of a stated precision was used.
    signed: tuple[tuple[str, str], ...] = ()


Curve = list[tuple[float, float]]
