"""GRPng: recall-precision that counts only unseen text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import NeedsError, option
from berrypick.data.observed import once_for_each
from berrypick.data.run import Ranking
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.kernels.trees import numbered, unseen_lengths
from berrypick.measures.base import LEVELS, Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class GRPng(Measure):
    """Precision at a recall level over elements, where only text that was not seen before counts.

    Formula
    -------
    unseen(x) is the length of x minus the outermost elements retrieved before inside it, 0 under a retrieved element::

        recall    = sum q(exhaustivity) unseen/length / sum of q(exhaustivity) over the base
        precision = sum q(specificity) unseen / sum unseen
        GRPng@l   = precision at the first rank with recall >= l, 0 if never

    q maps grades from 0 to 3 to grade/3; where sizes are known, specificity is rsize/size. Without a level: the mean
    over l = .01, .02 .. 1.

    Meaning
    -------
    An early attempt to stop rewarding overlap: the same text pays once. The order of results changes the recall that
    can be reached, which later measures avoid.

    Use
    ---
    To compare with INEX 2003-2004.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets. Lengths of all retrieved elements must be known, from the assessments or the collection.

    Example
    -------
    c (10 characters, E3S3) inside b (40, E3S2) inside a (60, E3S2), retrieved c, b, a. Unseen are 10, 30 and 20
    characters; recall is (1 + 30/40 + 20/60)/3 = .694 after all three, and precision (10 x 1 + 30 x 2/3 + 20 x 2/3)/60

    >>> import berrypick as bp
    >>> import numpy as np
    >>> from berrypick.data.assemble import assemble
    >>> from berrypick.data.truth import TopicTruth
    >>> paths = ("/a[1]/b[1]/c[1]", "/a[1]/b[1]", "/a[1]")
    >>> grades = {"exhaustivity": np.array([3.0, 3.0, 3.0]), "specificity": np.array([3.0, 2.0, 2.0])}
    >>> topic = TopicTruth("q", ("doc",) * 3, np.ones(3), path=paths, size=np.array([10.0, 40.0, 60.0]), **grades)
    >>> truth = bp.Truth("elements", {"q": topic}, scale="2002")
    >>> run = assemble(tag="run", topic=["q"] * 3, document=["doc"] * 3, path=paths)
    >>> round(bp.score("GRPng@0.69", truth, run), 5), bp.score("GRPng@0.7", truth, run)
    (0.72222, 0.0)
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    depends_on: ClassVar[tuple[str, ...] | None] = ("ignore_elements", "sizes")
    references: ClassVar[tuple[str, ...]] = ("govert2003evaluating", "piwowarski2007prum")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.prum(
            "C.2", "", "definition", "precision and recall by unseen text", "berrypick evaluate TRUTH RUN -m GRPng@0.5"
        ),
    )
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "precision")

    def compute(self, judged: JudgedTopic) -> Score:
        recall, precision = work(judged)
        if np.isnan(recall).any():  # nothing relevant is exhaustive at all
            return Score(None)
        if self.at is not None:
            return Score(_at(recall, precision, float(self.at)))
        return Score(math.fsum(_at(recall, precision, level) for level in LEVELS) / len(LEVELS))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        recall, precision = work(judged)
        return [(level, _at(recall, precision, level)) for level in LEVELS]

    def explain(self, judged: JudgedTopic) -> Explanation:
        recall, precision = work(judged)
        names = judged.ranking.names_by_rank()
        rows = [
            [f"{k + 1} ({names[k]})", number(float(recall[k]), 6), number(float(precision[k]), 6)]
            for k in range(min(len(recall), 30))
        ]
        head = ["rank", "recall", "precision"]
        return self._explanation(judged, Table("Recall and precision over unseen text", head, rows))


def _at(recall: FloatArray, precision: FloatArray, level: float) -> float:
    reached = np.flatnonzero(recall >= level * (1 - 1e-9))
    return float(precision[reached[0]]) if len(reached) else 0.0


@once_for_each
def work(judged: JudgedTopic) -> tuple[FloatArray, FloatArray]:
    """Recall and precision after each rank."""
    ranking = judged.ranking
    if judged.truth.path is None or ranking.path is None or ranking.path_end is not None:
        raise NeedsError("reads graded elements: truth and run must point to elements by their paths")
    base = judged.recall_base()
    length = _lengths(ranking)
    elements = [ranking.paths[code] for code in ranking.path.tolist()]
    unseen = unseen_lengths(ranking.document, *numbered(elements), length)
    exhaustive, specific = np.zeros(len(ranking)), np.zeros(len(ranking))
    for row in range(len(ranking)):
        i = base.index.get((ranking.documents[int(ranking.document[row])], elements[row]))
        if i is not None:
            exhaustive[row], specific[row] = base.exhaustivity[i], base.specificity[i]
    share = np.divide(unseen, length, out=np.zeros(len(ranking)), where=length > 0)
    wanted = base.exhaustivity.sum()  # 0 where all that is relevant was found too small
    found = _by_rank(ranking, exhaustive * share) / (wanted if wanted > 0 else np.nan)
    good, read = _by_rank(ranking, specific * unseen), _by_rank(ranking, unseen)
    return found, np.divide(good, read, out=np.zeros(ranking.ranks), where=read > 0)


def _by_rank(ranking: Ranking, values: FloatArray) -> FloatArray:
    return np.cumsum(np.bincount(ranking.rank, weights=values, minlength=ranking.ranks))


def _lengths(ranking: Ranking) -> FloatArray:
    if ranking.start is not None and ranking.end is not None:
        return (ranking.end - ranking.start).astype(np.float64)
    if ranking.size is None or np.isnan(ranking.size).any():
        row = int(np.flatnonzero(np.isnan(ranking.size))[0]) if ranking.size is not None else 0
        raise NeedsError(
            f"needs the length of {ranking.name(row)}, which the truth does not have: "
            f"give the documents with {option('collection')}"
        )
    return ranking.size
