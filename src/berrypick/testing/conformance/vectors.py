"""The conformance vectors: small cases with expected values, each with its rule and source, in one JSON file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

#: The file of the vectors; docs/how-to/own-metric.md explains its fields.
PATH = Path(__file__).parent / "vectors.json"
#: Values are equal if they differ by this at most.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Case:
    """One topic: judgements, a ranked list, and the value of each measure."""

    id: str
    rule: str
    source: str
    truth: dict[str, int] | list[dict[str, Any]]
    run: list[Any]
    expected: dict[str, float | None]
    working: dict[str, str | None]
    conventions: dict[str, dict[str, float | None]] = field(default_factory=dict)

    @property
    def of_documents(self) -> bool:
        """Whether judgements and results are whole documents."""
        rows = [*self.truth, *self.run]
        return not any(isinstance(row, dict) and "start" in row for row in rows)

    @property
    def scored(self) -> bool:
        """Whether results have scores, which decide their order."""
        return any(isinstance(row, dict) and "score" in row for row in self.run)

    @property
    def judged(self) -> list[tuple[str, int]]:
        """Judged documents with their grades, as often as they occur."""
        if isinstance(self.truth, dict):
            return [*self.truth.items()]
        return [(row["doc"], row.get("grade", 1)) for row in self.truth]

    @property
    def ranked(self) -> list[str]:
        """Retrieved documents in the order of the list."""
        return [row["doc"] if isinstance(row, dict) else row for row in self.run]

    @property
    def scores(self) -> dict[str, float] | None:
        """Score of each retrieved document, falling with the rank unless scores are given; None if one is repeated."""
        if len(set(self.ranked)) < len(self.ranked):
            return None
        given = [row.get("score") if isinstance(row, dict) else None for row in self.run]
        return {
            document: float(len(given) - row if score is None else score)
            for row, (document, score) in enumerate(zip(self.ranked, given, strict=True))
        }

    def convention(self, measure: str, value: float | None) -> str:
        """Return the conventions of a measure that give a value, joined by 'or'; '' if none is named."""
        named = self.conventions.get(measure, {})
        return " or ".join(name for name, other in named.items() if same(value, other))


def same(value: float | None, other: float | None) -> bool:
    """Whether two values are equal up to rounding."""
    return value is other if value is None or other is None else abs(value - other) <= TOLERANCE


@lru_cache(maxsize=1)
def cases() -> tuple[Case, ...]:
    """Return the cases of the file."""
    return tuple(Case(**one) for one in json.loads(PATH.read_text(encoding="utf-8"))["cases"])
