"""HighlightAP: average precision of clips by their saliency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.video._saliency import HighlightMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class HighlightAP(HighlightMeasure):
    """Average precision of the clips of a video, ordered by the scores that the run gives them; mean of annotators.

    Formula
    -------
    A clip (2 seconds) is a highlight to an annotator whose saliency for it is at least 2 (label='Fair'), 3 ('Good') or
    4 ('VeryGood'). Clips of equal score are one step. With P_i the precision after step i, made non-increasing from the
    right, over the steps that bring a highlight::

        AP = mean of P_i over these steps                       (ties='step', as the program of QVHighlights counts)
        AP = sum of P_i x (highlights of step i) / highlights   (ties='each')

    0 if no clip is a highlight to the annotator, 1 if all are. HighlightAP is the mean over annotators. Scores are cut
    at the end of the video; clips without one have 0.

    Meaning
    -------
    How well the scores tell highlights from the rest. Where no scores are equal, both ways of ties are the same; else
    ties='step' counts a step with many highlights as little as one with a single one.

    Use
    ---
    Highlight detection: HighlightAP(label='VeryGood'), the mean over topics, is HL-min-VeryGood-mAP of QVHighlights.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    Never: a topic without highlights has 0, as in the program. A truth without saliency is refused.

    Example
    -------
    Three clips, scored .9, .5, .1; the first and the third are highlights to the only annotator: 1 and 2/3

    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> truth, run = os.path.join(folder, "truth.jsonl"), os.path.join(folder, "run.jsonl")
    >>> with open(truth, "w") as file:
    ...     _ = file.write('{"qid": 1, "vid": "v", "duration": 6, "relevant_windows": [[0, 6]], '
    ...                    '"relevant_clip_ids": [0, 2], "saliency_scores": [[4], [4]]}')
    >>> with open(run, "w") as file:
    ...     _ = file.write('{"qid": 1, "vid": "v", "pred_relevant_windows": [], '
    ...                    '"pred_saliency_scores": [0.9, 0.5, 0.1]}')
    >>> round(bp.score("HighlightAP(label='VeryGood')", truth, run), 4)
    0.8333
    """

    ties: Literal["step", "each"] = parameter(
        "step", "step|each", "whether clips of equal score count together as one step of recall, or each highlight"
    )

    def _values(self, judged: JudgedTopic) -> tuple[list[float], tuple[str, ...]]:
        """The value for each annotator, and what was assumed."""
        wanted, given = self.highlights(judged), self.scores(judged)
        if given is None:
            return [0.0] * wanted.shape[1], ("the run gives no scores to the clips of the topic, which scores 0",)
        missing = len(wanted) - len(given)
        notes = {
            1: ("the run gives no score to the last clips of the video, which count as scored 0",),
            -1: ("the run scores clips after the end of the video, which are ignored",),
        }.get((missing > 0) - (missing < 0), ())
        scores = np.append(given, np.zeros(max(missing, 0)))[: len(wanted)]
        each = [average_precision(scores, wanted[:, who], self.ties) for who in range(wanted.shape[1])]
        return each, notes

    def compute(self, judged: JudgedTopic) -> Score:
        values, notes = self._values(judged)
        return Score(float(np.mean(values)), notes)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def explain(self, judged: JudgedTopic) -> Explanation:
        wanted, (values, notes) = self.highlights(judged), self._values(judged)
        rows = [[str(who + 1), str(int(wanted[:, who].sum())), number(value, 6)] for who, value in enumerate(values)]
        table = Table(f"Of {len(wanted)} clips", ["annotator", "highlights", "AP"], rows)
        return self._explanation(judged, table, *notes, f"{self} = {self._value_text(judged)}")


def average_precision(scores: FloatArray, wanted: BoolArray, ties: str) -> float:
    """Precision made non-increasing from the right, over the steps of recall; clips of equal score are one step."""
    if not wanted.any() or wanted.all():
        return float(wanted.any())
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    found = np.cumsum(wanted[order])[ends]
    precision = np.maximum.accumulate((found / (ends + 1))[::-1])[::-1]
    new = np.diff(found, prepend=0)
    if ties == "step":
        return float(precision[new > 0].mean())
    return float((precision * new).sum() / wanted.sum())
