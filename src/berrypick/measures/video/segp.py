"""SegP: segment precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.score import Score
from berrypick.measures.video._matching import _Matching
from berrypick.topics.topic import JudgedTopic


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
