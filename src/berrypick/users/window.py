"""window: the reader also gets the text around a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.core.parameters import positive_share, zero_or_more
from berrypick.core.run import Ranking
from berrypick.users._context import ContextModel
from berrypick.users.base import ReaderContext, Slider


@dataclass(frozen=True)
class Window(ContextModel):
    """The reader, or the pipeline, also gets the text before and after a result; otherwise as classical.

    Effort: the length of the widened region. It ends where the document ends, if its length is known (from the
    documents or the collection).
    """

    #: Each half comes with text around it.
    breaks: ClassVar[tuple[str, ...]] = ("split-span",)
    slider: ClassVar[Slider | None] = (("before", "after"), (0, 30, 100, 300, 1000))

    before: float = zero_or_more(100, "how many characters or seconds before")
    after: float = zero_or_more(100, "how many characters or seconds after")
    share: float = positive_share(0.5, "least share of a span that must be covered")

    def regions(self, ranking: Ranking, context: ReaderContext) -> Ranking:
        assert ranking.start is not None and ranking.end is not None
        somewhere = ranking.start >= 0  # below 0: a passage that could not be located
        start = np.where(somewhere, np.maximum(ranking.start - self.before, 0), ranking.start)
        end = np.where(somewhere, ranking.end + self.after, ranking.end)
        if context.single_documents is not None:
            names = [ranking.documents[code] for code in ranking.document.tolist()]
            last = np.array([context.single_documents.lengths.get(name, np.inf) for name in names], dtype=np.float64)
            end = np.maximum(np.minimum(end, last), ranking.end)
        return replace(ranking, start=start, end=end)
