"""Names of a large file: kept as bytes, and decoded when first used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from berrypick.core.arrays import IntArray


class Names(Sequence[str]):
    """Distinct names in the order of their first appearance, from a compiled vocabulary."""

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none

    def __init__(self, vocabulary: Any) -> None:
        self._vocabulary = vocabulary

    def __len__(self) -> int:
        return len(self._vocabulary)

    @overload
    def __getitem__(self, code: int) -> str: ...

    @overload
    def __getitem__(self, code: slice) -> list[str]: ...

    def __getitem__(self, code: int | slice) -> str | list[str]:
        if isinstance(code, slice):
            return [self[i] for i in range(*code.indices(len(self)))]
        code = int(code)
        name: str = self._vocabulary.name(code + len(self) if code < 0 else code)
        return name

    def __iter__(self) -> Iterator[str]:
        names: list[str] = self._vocabulary.names()
        return iter(names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and int(self.codes([name])[0]) >= 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Names, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and list(self) == list(other)

    def __repr__(self) -> str:
        more = ", ..." if len(self) > 3 else ""
        return f"Names({', '.join(map(repr, self[:3]))}{more})"

    def __reduce__(self) -> tuple[type[list[str]], tuple[list[str]]]:
        """Sent to another process as a list."""
        return list, (list(self),)

    def codes(self, names: Sequence[str]) -> IntArray:
        """The code of each name, -1 for one that is not here."""
        found = np.empty(len(names), dtype=np.int64)
        self._vocabulary.find(names if isinstance(names, list) else list(names), found)
        return found
