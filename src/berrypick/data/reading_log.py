"""What was recorded of readers who moved through documents: how far they went, and how that ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: How a stretch can end.
ENDS = {
    "reached": "the reader got to something relevant at this distance",
    "gave_up": "the reader stopped at this distance, of their own accord",
    "missed": "something relevant was at this distance, and the reader did not get there",
    "censored": "the record stops at this distance for another reason: the document or the recording ended",
}


@dataclass(frozen=True, eq=False)
class ReadingLog:
    """Stretches without relevant material, as columns. An empty ``session`` or ``visit`` is one of its own."""

    session: tuple[str, ...]
    visit: tuple[str, ...]
    distance: tuple[float, ...]
    end: tuple[str, ...]
    source: str = ""
    #: What the reader of the file skipped or assumed, and how often.
    skipped: Mapping[str, int] = field(default_factory=dict)
    #: What distances count, and who left the sessions, where the log says so: unit, agent, version, period.
    origin: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.distance)
