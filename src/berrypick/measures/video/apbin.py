"""APbin: average precision over bins of time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import one_or_more
from berrypick.data.score import Explanation, Score, Table
from berrypick.measures.base import Measure
from berrypick.measures.video._segments import average_precision, relevant, results
from berrypick.topics.topic import JudgedTopic

#: The most bins that the segments of a topic may touch: a million of 300 s are nine years.
MOST_BINS = 1_000_000


@dataclass(frozen=True)
class APbin(Measure):
    """Average precision when videos are cut into bins of fixed length and results into the bins they touch.

    Formula
    -------
    A result [start, end) becomes the bins floor(start/B) .. floor((end-1)/B) of its video, in time order, each bin at
    its first occurrence in the list. A bin is relevant if a relevant segment falls in it::

        APbin = average precision over the bins

    Meaning
    -------
    Average precision that overlapping segments cannot inflate: a bin counts once.

    Use
    ---
    MediaEval search and hyperlinking (bin=300 seconds).

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant segments.

    Example
    -------
    Bins of 60 seconds: the relevant segment falls in the second bin, which the second result touches: 1/2

    >>> import berrypick as bp
    >>> bp.score("APbin(bin=60)", {"q": {"video#70-80": 1}}, {"q": {"video#0-20": 2, "video#60-80": 1}})
    0.5
    """

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = with_laws("split-span", laws=without("tie-order"))
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("aly2013adapting",)

    bin: int = one_or_more(300, "length of a bin, in seconds")

    def _bins(self, judged: JudgedTopic) -> tuple[list[tuple[str, int]], set[tuple[str, int]]]:
        segments = [(video, *span) for video, spans in relevant(judged, merged=False).items() for span in spans]
        return list(self._touched(judged.topic, results(judged))), set(self._touched(judged.topic, segments))

    def _touched(self, topic: str, segments: Iterable[tuple[str, int, int]]) -> dict[tuple[str, int], None]:
        """The bins of segments, each once, in the order of the segments."""
        found: dict[tuple[str, int], None] = {}
        for video, start, end in segments:
            bins = range(start // self.bin, (max(end, start + 1) - 1) // self.bin + 1)
            if max(len(bins), len(found)) > MOST_BINS:
                shown = f"{video} from {start} to {end}"
                raise UsageError(f"bin={self.bin} is too short: up to {shown} topic {topic} has over {MOST_BINS} bins")
            found.update(dict.fromkeys((video, b) for b in bins))
        return found

    def compute(self, judged: JudgedTopic) -> Score:
        met, wanted = self._bins(judged)
        return Score(average_precision([b in wanted for b in met], len(wanted)) if wanted else None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        met, wanted = self._bins(judged)
        rows = [
            [str(i), f"{video}, from {b * self.bin} s", "yes" if (video, b) in wanted else "no"]
            for i, (video, b) in enumerate(met[:40], start=1)
        ]
        table = Table("Bins in the order of the list", ["position", "bin", "relevant"], rows, align="><>")
        return self._explanation(judged, table, f"{len(wanted)} bins are relevant; APbin = {self._value_text(judged)}")
