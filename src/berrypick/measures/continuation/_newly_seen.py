"""What each result shows of each target for the first time, and what reading it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.observed import once_for_each
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.relevant_text import newly_covered
from berrypick.measures.continuation._text_reading import reading_costs, tokens_read
from berrypick.topics.effort import span_lengths
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class NewlySeen:
    """Entries: a result, a target, and the share of the target that the result shows for the first time."""

    row: IntArray
    target: IntArray
    share: FloatArray


@once_for_each
def newly_seen(judged: JudgedTopic) -> NewlySeen:
    """A target without length, an entry point, is seen as a whole by the first result that holds it."""
    regions, targets = judged.read_regions, judged.spans[1]
    found: list[tuple[int, int, float]] = []
    for document, indices in targets.by_document().items():
        rows = regions.rows_by_document.get(document)
        if rows is not None:
            found += _in_document(regions, rows, targets, indices)
    found.sort()
    entries = np.array(found, dtype=np.float64).reshape(-1, 3)
    return NewlySeen(entries[:, 0].astype(np.int64), entries[:, 1].astype(np.int64), entries[:, 2])


def _in_document(regions: Ranking, rows: IntArray, targets: Targets, indices: IntArray) -> list[tuple[int, int, float]]:
    assert targets.start is not None and targets.end is not None
    start, end = targets.start[indices], targets.end[indices]
    length = np.where(end > start, end - start, 1)
    found = []
    for row, new in newly_covered(regions, rows, start, end):
        found += [(row, int(indices[x]), float(new[x] / length[x])) for x in np.flatnonzero(new).tolist()]
    return found


@dataclass(frozen=True, eq=False)
class ReadingCosts:
    """What reading each result, or each target alone, costs; ``unit`` is None where positions may count anything."""

    results: FloatArray
    targets: FloatArray
    unit: str | None
    tokenizer: str = ""

    @property
    def signed(self) -> tuple[tuple[str, str], ...]:
        """For signatures."""
        effort = (("effort", self.unit),) if self.unit else ()
        return (*effort, ("tokenizer", self.tokenizer)) if self.tokenizer else effort


@once_for_each
def costs_of(judged: JudgedTopic) -> ReadingCosts:
    """In the unit of the evaluation's effort; tokens if that is no unit of text and the texts are known."""
    tokens = tokens_read(judged, None)
    results, targets = reading_costs(judged.read_regions, tokens), span_lengths(judged.spans[1], tokens)
    if tokens is None:
        return ReadingCosts(results, targets, judged.context.reader.line_unit)
    return ReadingCosts(results, targets, "tokens", tokens.name)
