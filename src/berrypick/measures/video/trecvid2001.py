"""SegP and SegR: precision and recall of segments, by the rule of TRECVID 2001."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import BoolArray
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import zero_to_one
from berrypick.data.score import Explanation, Score, Table
from berrypick.kernels.intervals import intersections
from berrypick.measures.base import Measure
from berrypick.targets.gains import Quantisation, quant_parameter
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class _Matching(Measure):
    """Which result matches which target: the two thresholds, and the working."""

    depends_on: ClassVar[tuple[str, ...] | None] = ("targets",)
    references: ClassVar[tuple[str, ...]] = ("smeaton2002trec", "vries2004tolerance")

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"

    ki: float = zero_to_one(1 / 3, "minimum share of the target that is retrieved")
    ri: float = zero_to_one(2 / 3, "minimum share of the result that is relevant")

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


@dataclass(frozen=True)
class SegP(_Matching):
    """The share of the results that match a target, by the rule of TRECVID 2001.

    Formula
    -------
    A result matches a target if their intersection is at least ki of the target and at least ri of the result::

        SegP   = results that match a target / results
        SegP@N = results among the first N that match a target / N

    Meaning
    -------
    Precision over segments. Several results may match the same target, and all of them count: that is how the
    campaign counted, and why tolerance to irrelevance was proposed instead.

    Use
    ---
    To compare with results of TRECVID 2001, together with SegR.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    Three results, of which two match a target each and one misses: 2/3

    >>> import berrypick as bp
    >>> truth = {"q": {"video#0-10": 1, "video#20-30": 1, "video#40-50": 1}}
    >>> run = {"q": {"video#0-10": 3, "video#20-30": 2, "other#0-10": 1}}
    >>> round(bp.score("SegP", truth, run), 4)
    0.6667
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "3",
            "1",
            "equation",
            "a result matches a target if they share anything",
            'berrypick evaluate TRUTH RUN -m "SegP(ki=0.000001,ri=0.000001)@3"',
        ),
        cite.tolerance(
            "3.1",
            "",
            "definition",
            "least coverage of the target and of the result",
            'berrypick evaluate TRUTH RUN -m "SegP(ki=0.3333333333333333,ri=0.6666666666666666)@3"',
        ),
        cite.tolerance(
            "3.1", "", "figure", "figure 1: one result over several targets", "berrypick evaluate TRUTH RUN -m SegP@3"
        ),
    )

    def compute(self, judged: JudgedTopic) -> Score:
        found = self.matches(judged)
        results = len(found) if self.at is None else int(self.at)
        return Score(float(found.any(axis=1).sum()) / results if results else 0.0)


@dataclass(frozen=True)
class SegR(_Matching):
    """The share of the targets that some result matches, by the rule of TRECVID 2001.

    Formula
    -------
    A result matches a target if their intersection is at least ki of the target and at least ri of the result::

        SegR   = targets matched by a result / targets
        SegR@N = targets matched by one of the first N results / targets

    Meaning
    -------
    Recall over segments: each target counts once, however often it is matched.

    Use
    ---
    To compare with results of TRECVID 2001, together with SegP.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets.

    Example
    -------
    Two of three targets are matched: 2/3

    >>> import berrypick as bp
    >>> truth = {"q": {"video#0-10": 1, "video#20-30": 1, "video#40-50": 1}}
    >>> run = {"q": {"video#0-10": 3, "video#20-30": 2, "other#0-10": 1}}
    >>> round(bp.score("SegR", truth, run), 4)
    0.6667
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "3.2",
            "",
            "figure",
            "figure 2: several results over one target, of which recall counts one",
            "berrypick evaluate TRUTH RUN -m SegR@3",
        ),
        cite.tolerance(
            "3.2",
            "",
            "example",
            "two systems of equal recall whose precision differs",
            'berrypick evaluate TRUTH RUN -m "SegP@3 SegR@3"',
        ),
    )

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(float(self.matches(judged).any(axis=0).mean()))
