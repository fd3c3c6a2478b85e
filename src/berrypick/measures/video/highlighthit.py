"""HighlightHit: whether the clip of the largest score is a highlight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.saliency import CLIP
from berrypick.data.score import Explanation, Score, number
from berrypick.measures.video._saliency import HighlightMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class HighlightHit(HighlightMeasure):
    """1 if the clip with the largest score of the run is a highlight to any annotator, else 0.

    Formula
    -------
    With c the first clip (2 seconds) of the largest score::

        HighlightHit = 1 if some annotator's saliency of c is at least 2 (label='Fair'), 3 ('Good'), 4 ('VeryGood')
                       else 0; 0 where c lies behind the end of the video

    Meaning
    -------
    Whether the best clip by the run's own scores is one that somebody would show.

    Use
    ---
    Highlight detection: HighlightHit(label='VeryGood'), the mean over topics, is HL-min-VeryGood-Hit1 of QVHighlights.
    One annotator of three is enough; HighlightAP takes the mean of them.

    Bounds
    ------
    0 or 1.

    Undefined
    ---------
    Never. A truth without saliency is refused.

    Example
    -------
    Of three clips the second has the largest score; of two annotators one finds it good

    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> truth, run = os.path.join(folder, "truth.jsonl"), os.path.join(folder, "run.jsonl")
    >>> with open(truth, "w") as file:
    ...     _ = file.write('{"qid": 1, "vid": "v", "duration": 6, "relevant_windows": [[2, 4]], '
    ...                    '"relevant_clip_ids": [1], "saliency_scores": [[3, 1]]}')
    >>> with open(run, "w") as file:
    ...     _ = file.write('{"qid": 1, "vid": "v", "pred_relevant_windows": [], '
    ...                    '"pred_saliency_scores": [0.1, 0.5, 0.2]}')
    >>> bp.score("HighlightHit(label='Good')", truth, run), bp.score("HighlightHit(label='VeryGood')", truth, run)
    (1.0, 0.0)
    """

    def _clip(self, judged: JudgedTopic) -> int | None:
        """The first clip of the largest score; None where the run scores none."""
        given = self.scores(judged)
        return None if given is None or not len(given) else int(np.argmax(given))

    def compute(self, judged: JudgedTopic) -> Score:
        wanted, clip = self.highlights(judged), self._clip(judged)
        if clip is None:
            return Score(0.0, ("the run gives no scores to the clips of the topic, which scores 0",))
        if clip >= len(wanted):
            return Score(0.0, ("the clip with the largest score is after the end of the video, which scores 0",))
        return Score(float(wanted[clip].any()))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def explain(self, judged: JudgedTopic) -> Explanation:
        wanted, clip = self.highlights(judged), self._clip(judged)
        if clip is None:
            told = "The run scores no clip."
        else:
            who = int(wanted[clip].sum()) if clip < len(wanted) else 0
            place = f"seconds {number(clip * CLIP)} to {number((clip + 1) * CLIP)}"
            told = f"Clip {clip + 1} ({place}) has the largest score; {who} of {wanted.shape[1]} find it {self.label}."
        return self._explanation(judged, told, f"{self} = {self._value_text(judged)}")
