"""Paths of many sessions as columns of numbers: a step takes four bytes, and a name its length once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from berrypick.data.arrays import IntArray, Narrow


class Paths(Sequence[tuple[str, ...]]):
    """Visited paths; ``codes[bounds[i]:bounds[i+1]]`` are the steps of path i, by their place in ``names``.

    Names are in the order of their first appearance.
    """

    __hash__ = None  # type: ignore[assignment] # equal to tuples of paths

    def __init__(self, names: tuple[str, ...], codes: Narrow, bounds: IntArray) -> None:
        self.names, self.codes, self.bounds = names, codes, bounds

    @classmethod
    def of(cls, paths: Iterable[Sequence[str]]) -> Paths:
        """Pack paths, one by one."""
        if isinstance(paths, Paths):
            return paths
        codes, bounds, known = array("i"), array("q", [0]), dict[str, int]()
        for path in paths:
            codes.extend([known.setdefault(step, len(known)) for step in path])
            bounds.append(len(codes))
        return cls(tuple(known), np.frombuffer(codes, dtype=np.intc), np.frombuffer(bounds, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, number: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[tuple[str, ...], ...]: ...

    def __getitem__(self, number: int | slice) -> tuple[str, ...] | tuple[tuple[str, ...], ...]:
        if isinstance(number, slice):
            return tuple(self[i] for i in range(len(self))[number])
        i = range(len(self))[number]
        return tuple(self.names[code] for code in self.codes[self.bounds[i] : self.bounds[i + 1]].tolist())

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        names, start = self.names, 0
        for end in self.bounds[1:].tolist():
            yield tuple([names[code] for code in self.codes[start:end].tolist()])
            start = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Paths, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(one == tuple(two) for one, two in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"Paths({len(self)} of {len(self.names)} names)"
