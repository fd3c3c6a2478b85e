"""The structure of each document of a collection, read when it is asked for."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from berrypick.documents.lazy import OfDocuments
from berrypick.documents.xml.structure import Structure

#: How many structures are kept: a run is judged topic by topic, and topics come back to the same documents.
KEPT = 256


class LazyStructures(OfDocuments[Structure]):
    """The structure of each document, read at first use; recent ones are cached."""

    def __init__(self, source: Any) -> None:
        super().__init__(source)
        self._kept: dict[str, Structure] = {}

    @abstractmethod
    def read(self, name: str) -> Structure:
        """The structure of a document from its source."""

    def __getitem__(self, name: str) -> Structure:
        structure = self._kept.pop(name, None)
        if structure is None:
            structure = self.read(name)
        self._kept[name] = structure  # now the last one used
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return structure

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_kept": {}}  # another process reads what it needs
