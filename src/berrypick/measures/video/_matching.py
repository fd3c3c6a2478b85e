"""What SegP and SegR share: which result matches which target by the TRECVID 2001 rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import zero_to_one
from berrypick.data.score import Explanation, Table
from berrypick.kernels.intervals import intersections
from berrypick.measures.base import Measure
from berrypick.targets.gains import Quantisation, quant_parameter
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class _Matching(Measure):
    """The two thresholds."""

    depends_on: ClassVar[tuple[str, ...] | None] = ("targets",)
    references: ClassVar[tuple[str, ...]] = ("smeaton2002trec", "vries2004tolerance")

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"

    ki: float = zero_to_one(1 / 3, "least share of the target that is retrieved")
    ri: float = zero_to_one(2 / 3, "least share of the result that is relevant")

    quant: Quantisation | None = quant_parameter()

    def matches(self, judged: JudgedTopic) -> BoolArray:
        """results x targets, of the first results only where there is a cut-off."""
        found = matches(judged, self.ki, self.ri)
        return found if self.at is None else found[: int(self.at)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        ranking, targets = judged.spans
        match = self.matches(judged)
        rows = [
            [
                f"{int(ranking.rank[row]) + 1} ({ranking.name(row)})",
                ", ".join(targets.name(int(x)) for x in np.flatnonzero(match[row])) or "-",
            ]
            for row in range(min(len(match), 60))
        ]
        found = int(match.any(axis=0).sum())
        good = int(match.any(axis=1).sum())
        table = Table("Results and the targets they match", ["rank", "matches"], rows, align="<<")
        counts = f"{good} of {len(match)} results match a target; {found} of {len(targets)} targets are matched."
        return self._explanation(judged, table, counts)


@once_for_each
def matches(judged: JudgedTopic, ki: float, ri: float) -> BoolArray:
    """results x targets: the intersection is at least ki of the target and ri of the result."""
    ranking, targets = judged.spans
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    found = np.zeros((len(ranking), len(targets)), dtype=bool)
    nowhere = np.zeros(0, dtype=np.int64)
    for document, indices in targets.by_document().items():
        rows = ranking.rows_by_document.get(document, nowhere)
        start, end = ranking.start[rows], ranking.end[rows]
        common = intersections(start, end, targets.start[indices], targets.end[indices])
        enough = common >= ki * (targets.end[indices] - targets.start[indices])[None, :] * (1 - 1e-9)
        enough &= common >= ri * (end - start)[:, None] * (1 - 1e-9)
        found[np.ix_(rows, indices)] = enough & (common > 0)
    if ranking.repeated is not None:
        found[ranking.repeated] = False
    return found
