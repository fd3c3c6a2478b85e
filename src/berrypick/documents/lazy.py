"""What is known of every document of a source, worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class OfDocuments(Mapping[str, T]):
    """A mapping whose keys are those of its source."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)

    def __contains__(self, name: object) -> bool:
        return name in self._source
