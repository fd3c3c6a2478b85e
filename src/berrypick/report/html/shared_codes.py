"""Documents as numbers that all runs of a report share, so that those of a topic are counted at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.run import Ranking


class SharedCodes:
    """A number for each document that some run shows, in the order in which they are met."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._number: dict[str, int] = {}
        #: By the place of a run, its documents, and the number of each; -1 for those that were not shown yet.
        self._known: dict[int, tuple[Sequence[str], IntArray]] = {}

    def of(self, place: int, ranking: Ranking, depth: int) -> IntArray:
        """The documents of the first ranks of a list; ``place`` is that of its run."""
        documents, shown = ranking.documents, ranking.document[ranking.rank < depth]
        if place not in self._known or self._known[place][0] is not documents:
            self._known[place] = documents, np.full(len(documents), -1, dtype=np.int64)
        number = self._known[place][1]
        for code in shown[number[shown] < 0].tolist():
            number[code] = self._of_name(documents[code])
        return number[shown]

    def _of_name(self, name: str) -> int:
        if name not in self._number:
            self._number[name] = len(self.names)
            self.names.append(name)
        return self._number[name]
