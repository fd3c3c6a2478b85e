"""What a measure returns for one topic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """A value (None where undefined), with what a person should know about it.

    Attributes
    ----------
    value
        The number.
    notes
        What a person should know.
    signed
        Extra parts of the signature, e.g. that an approximation of a stated precision was used.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.Score(0.5, notes=("the list was cut at rank 100",)).value
    0.5
    """

    value: float | None
    notes: tuple[str, ...] = ()
    signed: tuple[tuple[str, str], ...] = ()


Curve = list[tuple[float, float]]
