"""The answer against reading: what each result shows for the first time, and what reading up to there costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray, Positions
from berrypick.data.errors import NeedsError, UsageError, option
from berrypick.data.observed import once_for_each
from berrypick.data.run import Ranking
from berrypick.documents.token_offsets import TokenOffsets
from berrypick.documents.tokens import token_costs
from berrypick.kernels.relevant_text import unseen_parts
from berrypick.measures._text_views import view_of
from berrypick.measures.continuation._pages_read import read_in_order
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class Reading:
    """The corners of the curve: effort spent, and the share of the relevant text seen by then."""

    effort: FloatArray
    seen: FloatArray
    cost: FloatArray  # of each pointer
    found: FloatArray  # how much of the answer each pointer shows for the first time, as a share
    unit: str
    tokenizer: str = ""

    def at(self, effort: FloatArray) -> FloatArray:
        """The share seen after so much effort; the curve stays where it is after the end of the list."""
        last = np.searchsorted(self.effort, effort, side="right") - 1  # of corners at one place, the last
        following = np.minimum(last + 1, len(self.effort) - 1)
        width = self.effort[following] - self.effort[last]
        part = np.where(width > 0, (effort - self.effort[last]) / np.where(width > 0, width, 1.0), 0.0)
        return np.asarray(self.seen[last] + part * (self.seen[following] - self.seen[last]), dtype=np.float64)

    def area(self, budget: float) -> float:
        """The area under the curve up to a budget, divided by the budget."""
        within = self.effort <= budget  # also where the curve rises at the budget itself: no width, no area
        x = np.append(self.effort[within], budget)
        y = np.append(self.seen[within], self.at(np.array([budget])))
        return float(((x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum() / 2 / budget)


def effort_for(effort: FloatArray, seen: FloatArray, share: float) -> float | None:
    """Where a rising, piecewise straight curve first reaches a share."""
    wanted = share * (1 - 1e-9)
    reached = np.flatnonzero(seen >= wanted)
    if not len(reached):
        return None
    k = int(reached[0])
    if k == 0 or seen[k] == seen[k - 1]:
        return float(effort[k])
    part = (wanted - seen[k - 1]) / (seen[k] - seen[k - 1])
    return float(effort[k - 1] + part * (effort[k] - effort[k - 1]))


@once_for_each
def reading_of(judged: JudgedTopic, unit: str | None) -> Reading:
    """Read what the reader gets with each result from first to last, each time from its start to its end.

    Text that was read before costs again and shows nothing new. The unit is tokens where the texts are known and
    nothing else is asked for.
    """
    if judged.ranking_spans.boxes is not None:
        return _pages_read(judged, unit)
    if unit == "chars" and judged.context.reader.line_unit == "lines":
        raise UsageError("positions count lines, not characters: remove effort")
    tokens = tokens_read(judged, unit)
    view = view_of(judged)
    ranking, total = judged.read_regions, view.total
    assert ranking.start is not None and ranking.end is not None
    cost = reading_costs(ranking, tokens)
    spent = np.cumsum(cost)  # after each result
    effort, seen = [np.zeros(1)], [np.zeros(1)]
    have, done = 0.0, 0
    found = np.zeros(len(ranking))
    read: dict[int, tuple[list[float], list[float]]] = {}
    relevant = {code: view.relevant[name] for name, code in ranking.codes_of(view.relevant).items()}
    for row in np.flatnonzero(np.isin(ranking.document, list(relevant))).tolist():
        effort.append(spent[done:row])  # the results in between show nothing
        seen.append(np.full(row - done, have))
        code, before = int(ranking.document[row]), have
        start, end, done = ranking.start[row].item(), ranking.end[row].item(), row
        for low, high in unseen_parts(start, end, *read.setdefault(code, ([], []))):
            for a, b in common_parts(relevant[code].start, relevant[code].end, low, high):
                places = _corners(tokens, ranking.documents[code], a, b)
                to_here = cost_to(tokens, ranking.documents[code], start, places)
                effort.append((spent[row - 1] if row else 0.0) + to_here)
                seen.append(have + places - a)
                have += b - a
        found[row] = have - before
    effort.append(spent[done:])
    seen.append(np.full(len(spent) - done, have))
    unit_name = "tokens" if tokens is not None else _unit_name(judged)
    share = np.minimum(np.concatenate(seen) / total, 1.0)
    tokenizer = tokens.name if tokens is not None else ""
    return Reading(np.maximum.accumulate(np.concatenate(effort)), share, cost, found / total, unit_name, tokenizer)


def _pages_read(judged: JudgedTopic, unit: str | None) -> Reading:
    """Boxes are read from top to bottom and left to right."""
    if unit not in (None, "pages"):
        raise UsageError(f"places on pages are read in pages, not in {unit}: remove effort")
    view, ranking = view_of(judged), judged.read_regions
    assert ranking.boxes is not None
    row, area, new = read_in_order(ranking, judged.relevant_spans)
    effort, seen = np.append(0.0, np.cumsum(area)), np.append(0.0, np.cumsum(new))
    cost, found = (np.bincount(row, values, len(ranking)).astype(np.float64) for values in (area, new))
    share = np.minimum(seen / view.total, 1.0)
    return Reading(effort, share, cost, found / view.total, "pages" if ranking.boxes.shares else "area")


def _unit_name(judged: JudgedTopic) -> str:
    units = (judged.effort_unit, judged.context.reader.line_unit)
    return next((unit for unit in ("seconds", "lines") if unit in units), "chars")


def tokens_read(judged: JudgedTopic, unit: str | None) -> TokenOffsets | None:
    """Tokens if that is the unit, or if there is no unit and they can be counted."""
    unit = unit or (judged.effort_unit if judged.effort_unit != "rank" else None)
    if unit == "tokens" and judged.tokens is None:
        raise NeedsError(f"counts tokens and needs the texts of the documents: give them with {option('documents')}")
    return judged.tokens if unit in (None, "tokens") else None


def reading_costs(ranking: Ranking, tokens: TokenOffsets | None) -> FloatArray:
    """What reading each result costs, in tokens or in what positions count."""
    assert ranking.start is not None and ranking.end is not None
    return ranking.lengths() if tokens is None else token_costs(tokens, ranking, ranking.start, ranking.end)


def cost_to(tokens: TokenOffsets | None, document: str, start: float, places: FloatArray) -> FloatArray:
    """What reading from a start to each place costs."""
    return places - start if tokens is None else tokens.between(document, np.full(len(places), start), places)


def _corners(tokens: TokenOffsets | None, document: str, start: float, end: float) -> FloatArray:
    """Where the curve may bend within a relevant stretch: at its ends, and at the ends of tokens."""
    inside = np.zeros(0) if tokens is None else tokens.inside(document, start, end)
    return np.concatenate([[start], inside, [end]]).astype(np.float64)


def common_parts(start: Positions, end: Positions, low: float, high: float) -> list[tuple[float, float]]:
    """The parts of [low, high) in disjoint stretches, in order."""
    first, last = int(np.searchsorted(end, low, side="right")), int(np.searchsorted(start, high, side="left"))
    pairs = zip(start[first:last].tolist(), end[first:last].tolist(), strict=True)
    return [(max(a, low), min(b, high)) for a, b in pairs]
