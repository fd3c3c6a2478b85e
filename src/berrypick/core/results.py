"""Results: one row per run, topic and measure, and the means; they come out in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from berrypick.core.drawn import as_html, as_text, counted, drawn
from berrypick.core.judged import Curve

#: The topic name under which means are reported.
ALL = "all"


@dataclass(frozen=True)
class Row:
    """One number."""

    run: str
    topic: str
    measure: str
    value: float | None
    signature: str
    curve: Curve | None = None
    #: The same curve at the points that all topics share, where the topic counts in the mean curve.
    common: Curve | None = None

    def as_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "run": self.run,
            "topic": self.topic,
            "measure": self.measure,
            "value": self.value,
            "signature": self.signature,
        }
        if self.curve is not None:
            row["curve"] = [[x, y] for x, y in self.curve]
        return row


@dataclass(frozen=True)
class Results:
    """Rows for every topic, a mean for every run and measure, and notes a person should read."""

    topics: Sequence[Row]
    means: Sequence[Row]
    notes: Sequence[str] = field(default_factory=tuple)

    def __iter__(self) -> Iterator[Row]:
        yield from self.topics
        yield from self.means

    def __len__(self) -> int:
        return len(self.topics) + len(self.means)

    def __repr__(self) -> str:
        runs, measures = ({getattr(row, name) for row in self.means} for name in ("run", "measure"))
        topics = {row.topic for row in self.topics}
        parts = (counted(len(runs), "run"), counted(len(measures), "measure"), counted(len(topics), "topic"))
        return f"Results({', '.join(parts)})"

    def __str__(self) -> str:
        """The table of means."""
        return as_text(self)

    def mean(self) -> dict[str, dict[str, float | None]]:
        """``{run: {measure: mean over topics}}``; None where no topic has a value."""
        found: dict[str, dict[str, float | None]] = {}
        for row in self.means:
            found.setdefault(row.run, {})[row.measure] = row.value
        return found

    def per_topic(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """``{run: {measure: {topic: value}}}``."""
        found: dict[str, dict[str, dict[str, float | None]]] = {}
        for row in self.topics:
            found.setdefault(row.run, {}).setdefault(row.measure, {})[row.topic] = row.value
        return found

    def curves(self) -> dict[str, dict[str, dict[str, Curve]]]:
        """``{run: {measure: {topic: curve}}}``, the mean curve under topic "all"; needs ``evaluate(curves=True)``."""
        found: dict[str, dict[str, dict[str, Curve]]] = {}
        for row in self:
            if row.curve is not None:
                found.setdefault(row.run, {}).setdefault(row.measure, {})[row.topic] = row.curve
        return found

    def records(self, per_topic: bool = True) -> list[dict[str, Any]]:
        """Rows as dictionaries: run by run, the topics first, then the means."""
        rows = list(self) if per_topic else list(self.means)
        runs = list(dict.fromkeys(row.run for row in rows))
        return [row.as_dict() for run in runs for row in rows if row.run == run]

    def to_pandas(self) -> Any:
        """A pandas data frame of all rows, means under topic "all"."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> Any:
        """A polars data frame of all rows, means under topic "all"."""
        import polars

        return polars.DataFrame(self._columns(), schema_overrides={"value": polars.Float64})

    def _columns(self) -> dict[str, list[Any]]:
        rows = self.records()
        return {name: [row[name] for row in rows] for name in ("run", "topic", "measure", "value", "signature")}

    def plot(self, kind: str | None = None, **how: Any) -> Any:
        """An Altair chart: 'curves' (needs ``evaluate(curves=True)``), 'topics' or 'means'; what suits, by default.

        ``how``: baseline, until, band, width and height (like '8.5cm'), font_size, confidence, resamples, seed.
        """
        return drawn(self, kind=kind, **how)

    def _repr_html_(self) -> str:
        """The table of means, for notebooks."""
        return as_html(self)


def mean(values: Sequence[float | None]) -> float | None:
    """Mean of what is defined; exact summation, so that the order of topics does not matter."""
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None
