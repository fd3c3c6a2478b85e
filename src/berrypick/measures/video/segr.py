"""SegR: segment recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.score import Score
from berrypick.measures.video._matching import _Matching
from berrypick.topics.topic import JudgedTopic


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
