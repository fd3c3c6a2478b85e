"""Measures of the C/W/L framework: after each item the reader goes on with some probability (Moffat et al. 2017).

An item is the result at a rank, or, with ``every``, the next stretch of what is read. A subclass defines
:meth:`ContinuationMeasure.continuation`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import above_zero, parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.kernels.intervals import merge
from berrypick.kernels.relevant_text import unseen_parts
from berrypick.measures.base import SHOWN, Measure
from berrypick.measures.continuation._newly_seen import costs_of, newly_seen
from berrypick.measures.continuation._text_reading import common_parts, cost_to, tokens_read
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic

#: Items over which weights are taken where they have no closed form, as in cwl_eval: those after the list gain nothing.
DEPTH = 1000
#: More stretches than any list should have.
MOST_STRETCHES = 10_000_000


@dataclass(frozen=True)
class ContinuationMeasure(Measure):
    """The expected gain of the item that a reader looks at."""

    depends_on: ClassVar[tuple[str, ...] | None] = ("user", "targets", "idealism")
    pools: ClassVar[bool] = True

    every: float | None = above_zero(
        None, "length of an item in characters, tokens or seconds; by default an item is a result"
    )
    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")

    def continuation(self, gains: FloatArray) -> FloatArray:
        """The probability of going on after each item, given the gains of all items."""
        raise NotImplementedError(f"{type(self).__name__} has no method continuation")

    def least_items(self) -> int:
        """The list goes on with items that gain nothing until there are so many."""
        return DEPTH

    def beyond(self) -> float:
        """How many more items a reader looks at who goes on after the last one."""
        return 0.0

    def items(self, judged: JudgedTopic) -> FloatArray:
        """The gain of each item, from 0 to 1."""
        return rank_gains(judged) if self.every is None else stretch_gains(judged, float(self.every))

    def working(self, gains: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By item: the probability of going on after it, and its weight; those of the endless list add up to 1."""
        padded = np.concatenate([gains, np.zeros(max(0, self.least_items() - len(gains)))])
        go_on = self.continuation(padded)
        reached = np.concatenate([[1.0], np.cumprod(go_on)])
        weight = reached[:-1] / (reached[:-1].sum() + reached[-1] * self.beyond())
        return go_on[: len(gains)], weight[: len(gains)]

    def compute(self, judged: JudgedTopic) -> Score:
        if not judged.targets.idealism.any():
            return Score(None)
        gains = self.items(judged)
        signed = costs_of(judged).signed if self.every is not None else ()
        return Score(float(gains @ self.working(gains)[1]), signed=signed)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """Readers look at items and stop: the gain, and the number of items seen."""
        gains = self.items(judged)
        items = np.concatenate([gains, np.zeros(max(0, self.least_items() - len(gains)))])
        goes_on = np.cumprod(self.continuation(items))
        looked = 1 + np.searchsorted(-goes_on, -sessions.draws.uniform("goes on"), side="left")
        beyond = looked > len(items)  # these go on after the last item
        looked = np.minimum(looked, len(items))
        collected = np.concatenate([[0.0], np.cumsum(items)])
        return ReaderValues.of(collected[looked], looked + beyond * self.beyond())

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not judged.targets.idealism.any():
            return self._explanation(judged, "Undefined: there are no targets.")
        gains = self.items(judged)
        go_on, weight = self.working(gains)
        names = judged.ranking_spans.names_by_rank() if self.every is None else _borders(float(self.every), len(gains))
        rows = [
            [f"{i + 1} ({names[i]})", *map(number, (gains[i], go_on[i], weight[i])), number(gains[i] * weight[i], 6)]
            for i in range(min(len(gains), SHOWN))
        ]
        head = ["rank" if self.every is None else "stretch", "gain", "P(goes on)", "weight", "gain x weight"]
        shown = f" (the first {SHOWN} of {len(gains)})" if len(gains) > SHOWN else ""
        table = Table(f"Items that the reader looks at{shown}", head, rows, align="<>>>>")
        return self._explanation(judged, table, f"{self} = {self._value_text(judged)}")


def _borders(every: float, count: int) -> list[str]:
    return [f"{i * every:g}-{(i + 1) * every:g}" for i in range(min(count, SHOWN))]


def rank_gains(judged: JudgedTopic) -> FloatArray:
    """By rank, the new shares of targets, each weighed by P(ideal), together at most 1."""
    regions, new = judged.read_regions, newly_seen(judged)
    weight = judged.targets.idealism[new.target] * new.share
    return np.minimum(np.bincount(regions.rank[new.row], weights=weight, minlength=regions.ranks), 1.0)


@once_for_each
def stretch_gains(judged: JudgedTopic, every: float) -> FloatArray:
    """By stretch of reading, the share of it that is in targets and was not read before, weighed by P(ideal)."""
    targets, ideal = judged.spans[1], judged.targets.idealism
    assert targets.start is not None and targets.end is not None
    points = targets.end <= targets.start
    if points.any():
        name = targets.name(int(np.argmax(points)))
        raise UsageError(f"every= reads stretches of one length, and the target {name} has no length")
    total = float(costs_of(judged).results.sum())
    if total / every > MOST_STRETCHES:
        raise UsageError(f"every={every:g} is too short: the list has {total / every:.3g} such stretches")
    borders = every * np.arange(math.ceil(total / every * (1 - 1e-12)) + 1)
    gains, lower = np.zeros(len(borders) - 1), 0.0
    for level in np.unique(ideal[ideal > 0]).tolist():  # where targets overlap, the larger weight counts
        read, relevant = _relevant_reading(judged, ideal >= level)
        gains += (level - lower) * np.diff(np.interp(borders, read, relevant)) / every
        lower = level
    return np.minimum(gains, 1.0)


def _relevant_reading(judged: JudgedTopic, chosen: np.typing.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Corners of the curve: the effort spent, and the effort spent on new text of the chosen targets."""
    regions, targets, tokens = judged.read_regions, judged.spans[1], tokens_read(judged, None)
    assert regions.start is not None and regions.end is not None
    assert targets.start is not None and targets.end is not None
    wanted = {}
    for document, rows in targets.by_document().items():
        rows = rows[chosen[rows]]
        wanted[document] = merge(targets.start[rows], targets.end[rows])
    costs = costs_of(judged).results
    begins = np.cumsum(costs) - costs
    read, relevant, have = [0.0], [0.0], 0.0
    seen: dict[str, tuple[list[float], list[float]]] = {}
    for row in range(len(regions)):
        document = regions.documents[int(regions.document[row])]
        if document not in wanted:
            continue
        start = regions.start[row].item()
        for low, high in unseen_parts(start, regions.end[row].item(), *seen.setdefault(document, ([], []))):
            for part in common_parts(*wanted[document], low, high):
                first, last = (begins[row] + cost_to(tokens, document, start, np.array(part))).tolist()
                read += [first, last]
                relevant += [have, have + last - first]
                have += last - first
    return np.array(read), np.array(relevant)
