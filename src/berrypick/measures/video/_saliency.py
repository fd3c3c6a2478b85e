"""What the measures of highlights share: how salient the clips of a video are, to annotators and to a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.parameters import parameter
from berrypick.data.saliency import SALIENCY
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic

#: The least saliency of a clip that is a highlight.
LEAST = {"Fair": 2, "Good": 3, "VeryGood": 4}


@dataclass(frozen=True)
class HighlightMeasure(Measure):
    """Measures of the scores that a run gives to the clips of a video."""

    #: It reads no list of results.
    laws: ClassVar[tuple[str, ...]] = ("truth-order", "document-names", "topic-names", "kernels", "jobs")
    depends_on: ClassVar[tuple[str, ...] | None] = ()
    needs_targets: ClassVar[bool] = False
    references: ClassVar[tuple[str, ...]] = ("lei2021qvhighlights",)

    label: Literal["Fair", "Good", "VeryGood"] = parameter(
        "VeryGood", "|".join(LEAST), "lowest label of a highlight: saliency of 2, 3 or 4"
    )

    def highlights(self, judged: JudgedTopic) -> BoolArray:
        """Return which clips are highlights, to which annotators."""
        found: FloatArray | None = judged.truth.extra.get(SALIENCY)
        if found is None:
            raise UsageError("the truth has no saliency of clips, as that of QVHighlights has")
        return np.asarray(found >= LEAST[self.label], dtype=bool)

    def scores(self, judged: JudgedTopic) -> FloatArray | None:
        """Return the scores that the run gives to clips; None where the topic is missing from it."""
        found: FloatArray | None = judged.extra.get(SALIENCY)
        if found is None and len(judged.ranking):
            raise UsageError(
                f"the run gives no scores to clips; name measures of moments with {option('measures', flag='m')}"
            )
        return found
