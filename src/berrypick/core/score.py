"""What a measure returns for one topic: a score, and the working of it, which any front end can show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


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


Curve = list[tuple[float, float]]
#: Whether curves are wanted; common: those of topics only at the points that all topics share, which means need.
CurvesWanted = bool | Literal["common"]


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
        from berrypick.report.text import explanation

        return explanation(self).rstrip("\n")

    def _repr_html_(self) -> str | None:
        from berrypick.core.doors import html_of

        return html_of(self)


def number(value: float, places: int = 4) -> str:
    """A number for a table: short, without trailing zeros beyond need, small ones not shown as zero."""
    if value != 0 and abs(value) < 10**-places / 2:
        return f"{value:.2e}"
    text = f"{value:.{places}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
