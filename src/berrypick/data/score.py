"""What a measure returns for one topic: a score, and the working of it, which any front end can show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from berrypick.data.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Score:
    """A value (None where undefined), with notes about it.

    Attributes
    ----------
    value
        The number.
    notes
        Notes for the user.
    signed
        Extra parts of the signature, e.g. that an approximation of a stated precision was used.
    beside
        Numbers that the measure needs to say something about all topics, by name.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.Score(0.5, notes=("the list was cut at rank 100",)).value
    0.5
    """

    value: float | None
    notes: tuple[str, ...] = ()
    signed: tuple[tuple[str, str], ...] = ()
    beside: tuple[tuple[str, float], ...] = ()


@dataclass(slots=True, eq=False)
class Scores(Mapping[str, Score]):
    """Scores of topics by one measure. Most are mere values, of which a Score is made when one is asked for."""

    numbers: dict[str, float | None] = field(default_factory=dict)
    #: Scores that have more to say than a value.
    more: dict[str, Score] = field(default_factory=dict)

    def __getitem__(self, topic: str) -> Score:
        return self.more[topic] if topic in self.more else Score(self.numbers[topic])

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)


Curve = Sequence[tuple[float, float]]
#: Whether curves are wanted; common: those of topics only at the points that all topics share, which means need.
CurvesWanted = bool | Literal["common"]


class CurveColumns(Sequence[tuple[float, float]]):
    """A curve as two columns, equal to the list of its points; of thousands of curves most are at the same places.

    >>> import numpy as np
    >>> list(CurveColumns((1, 2), np.array([0.5, 1.0])))
    [(1, 0.5), (2, 1.0)]
    """

    __slots__ = ("x", "y")

    def __init__(self, x: tuple[float, ...], y: FloatArray) -> None:
        self.x, self.y = x, y

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return zip(self.x, self.y.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, CurveColumns) else other)

    __hash__ = None  # type: ignore[assignment] # as a list

    def __repr__(self) -> str:
        return repr(list(self))


def at_same_places(curves: Sequence[Curve]) -> tuple[tuple[float, ...], list[Any]] | None:
    """The places of all curves, and the heights of each; None if their places differ."""
    columns = [_columns(curve) for curve in curves]
    places = columns[0][0] if columns else ()
    return (places, [y for _, y in columns]) if all(x is places or x == places for x, _ in columns) else None


def _columns(curve: Curve) -> tuple[tuple[float, ...], Any]:
    if isinstance(curve, CurveColumns):
        return curve.x, curve.y
    return tuple(x for x, _ in curve), [y for _, y in curve]


@dataclass(frozen=True)
class Table:
    """Cells are text already; ``align`` holds one of '<' and '>' per column (default: first left, others right)."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = ""


@dataclass(frozen=True)
class Explanation:
    """What is explained, and the parts that explain it, in reading order.

    Attributes
    ----------
    title
        What is explained.
    parts
        Sentences and tables.

    Examples
    --------
    >>> import berrypick as bp
    >>> print(bp.Explanation("RR for topic q", ["RR = 1/2"]))
    RR for topic q
    <BLANKLINE>
    RR = 1/2
    """

    title: str
    parts: Sequence[str | Table] = field(default_factory=tuple, repr=False)

    def __str__(self) -> str:
        from berrypick.tables.text import explanation

        return explanation(self).rstrip("\n")

    def _repr_html_(self) -> str | None:
        from berrypick.report.notebook.as_html import as_html

        return as_html(self)


def number(value: float, places: int = 4) -> str:
    """A number for a table: short, without trailing zeros beyond need, small ones not shown as zero."""
    if value != 0 and abs(value) < 10**-places / 2:
        return f"{value:.2e}"
    text = f"{value:.{places}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


#: Reasons why a result brings nothing, and how one of them is said of several results in a row.
NOTHING = {
    "nothing relevant in it": "nothing relevant at ranks {} to {}",
    "nothing relevant in its document": "nothing relevant in the documents of ranks {} to {}",
}


def nothing_once(reasons: Sequence[str], ranks: Sequence[int]) -> list[str]:
    """Reasons of successive results as cells of a table; results in a row that bring nothing have it said once.

    >>> nothing_once(["", "nothing relevant in it", "nothing relevant in it", "nothing relevant in it"], [1, 2, 3, 4])
    ['', 'nothing relevant at ranks 2 to 4', '', '']
    """
    found: list[str] = []
    for reason, group in groupby(zip(reasons, ranks, strict=True), key=lambda pair: pair[0]):
        of = [rank for _, rank in group]
        once = reason in NOTHING and len(of) > 1
        found += [NOTHING[reason].format(of[0], of[-1]), *[""] * (len(of) - 1)] if once else [reason] * len(of)
    return found
