"""What each result is worth, and which ideal units it overlaps: what the measures of cumulated gain read.

Documents are worth their grade. A span is worth the grade of its relevant text times the share of it that is relevant;
the target spans are both the full and the ideal base, because units of text have no full base. Elements are worth what
their assessment says; a passage among elements is worth the highlighted share of its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import FloatArray, Positions
from berrypick.data.errors import UsageError, option
from berrypick.data.observed import once_for_each
from berrypick.data.pointers import span_name
from berrypick.kernels.intervals import intersections
from berrypick.kernels.relevant_text import Measured
from berrypick.targets.gains import Quantisation, default_quantisation
from berrypick.targets.recall_base import RecallBase
from berrypick.targets.targets import relevant_rows
from berrypick.topics.topic import JudgedTopic

Overlaps = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class RankedGains:
    """Gains of the bases and of the results."""

    full: FloatArray
    ideal: FloatArray
    ideal_names: tuple[str, ...]
    gain: FloatArray  # of each pointer as such; 0 for a repeat
    overlaps: Overlaps  # for each pointer, the ideal units it overlaps
    base: RecallBase | None = None  # where elements are judged
    element: tuple[int, ...] = ()  # for each pointer its row in the base, or -1
    place: tuple[tuple[str, str], ...] = ()  # for each pointer document and path, which a passage has none of


@once_for_each
def ranked_gains(judged: JudgedTopic, quant: Quantisation | None) -> RankedGains:
    if judged.truth.path is not None:
        found = _elements(judged, quant)
    elif judged.truth.start is None and judged.ranking.start is None:
        found = _documents(judged, quant)
    else:
        found = _spans(judged, quant)
    repeated = judged.ranking.repeated
    if repeated is not None:
        found.gain[repeated] = 0.0
    return found


def _documents(judged: JudgedTopic, quant: Quantisation | None) -> RankedGains:
    ranking, truth = judged.ranking, judged.truth
    rows = relevant_rows(truth.grade, quant).tolist()
    number = {truth.document[row]: i for i, row in enumerate(rows)}
    grade = truth.grade[rows]
    found = [number.get(ranking.documents[code], -1) for code in ranking.document.tolist()]
    gain = np.array([grade[i] if i >= 0 else 0.0 for i in found], dtype=np.float64)
    overlaps = tuple((i,) if i >= 0 else () for i in found)
    return RankedGains(grade, grade, tuple(truth.document[row] for row in rows), gain, overlaps)


def _spans(judged: JudgedTopic, quant: Quantisation | None) -> RankedGains:
    text, ranking = judged.relevant_spans, judged.ranking_spans
    grade = judged.truth.grade[judged.truth.grade > 0]
    chosen = relevant_rows(grade, quant).tolist()
    text = text.rows(np.asarray(chosen))
    grade = grade[chosen]
    gain = np.zeros(len(ranking))
    overlaps: list[tuple[int, ...]] = [()] * len(ranking)
    assert ranking.start is not None and ranking.end is not None
    for document, indices in rows_by_document(text.document).items():
        rows = ranking.rows_by_document.get(document)
        if rows is None:
            continue
        start, end = ranking.start[rows], ranking.end[rows]
        gain[rows] = _worth(start, end, text.start[indices], text.end[indices], grade[indices])
        common = intersections(start, end, text.start[indices], text.end[indices]) > 0
        for row, meets in zip(rows.tolist(), common, strict=True):
            overlaps[row] = tuple(indices[j] for j in np.flatnonzero(meets))
    if quant == "strict":
        gain = np.where(gain >= grade.max(initial=0.0) * (1 - 1e-12), gain, 0.0)
    places = zip(text.document, text.start, text.end, strict=True)
    names = tuple(span_name(name, a, b, text.unit) for name, a, b in places)
    return RankedGains(grade, grade, names, gain, tuple(overlaps))


def _worth(
    start: Positions, end: Positions, relevant_start: Positions, relevant_end: Positions, grade: FloatArray
) -> FloatArray:
    """Grade times relevant share; where relevant spans of different grades overlap, the higher grade counts."""
    worth = np.zeros(len(start))
    lower = 0.0
    for level in np.unique(grade).tolist():
        chosen = grade >= level
        measured = Measured(relevant_start[chosen], relevant_end[chosen])
        worth += (level - lower) * measured.within(start, end)
        lower = level
    length = (end - start).astype(np.float64)
    return np.divide(worth, length, out=np.zeros(len(start)), where=length > 0)


def _elements(judged: JudgedTopic, quant: Quantisation | None) -> RankedGains:
    base = judged.recall_base(quant)
    ideal = base.ideal
    ranking = judged.ranking
    by_document = rows_by_document([base.document[x] for x in ideal.tolist()])
    gain = np.zeros(len(ranking))
    element = [-1] * len(ranking)
    place = [("", "")] * len(ranking)
    overlaps: list[tuple[int, ...]] = [()] * len(ranking)
    for row in range(len(ranking)):
        document = ranking.documents[int(ranking.document[row])]
        first, last = ranking.path_of(row) if ranking.path is not None else ("", "")
        if not first or last:
            gain[row], overlaps[row] = _passage(judged, base, row, document, by_document.get(document, []), quant)
            continue
        place[row] = document, first
        element[row] = base.index.get(place[row], -1)
        if element[row] >= 0:
            gain[row] = base.gain[element[row]]
        overlaps[row] = tuple(i for i in by_document.get(document, ()) if paths.nested(base.path[int(ideal[i])], first))
    names = tuple(base.document[x] + base.path[x] for x in ideal.tolist())
    return RankedGains(base.gain, base.gain[ideal], names, gain, tuple(overlaps), base, tuple(element), tuple(place))


def _passage(
    judged: JudgedTopic, base: RecallBase, row: int, document: str, here: list[int], quant: Quantisation | None
) -> tuple[float, tuple[int, ...]]:
    """A passage among judged elements: the highlighted share of its text, and the ideal elements it meets."""
    text, ranking = judged.relevant_spans, judged.ranking_spans
    assert ranking.start is not None and ranking.end is not None
    start, end = float(ranking.start[row]), float(ranking.end[row])
    indices = rows_by_document(text.document).get(document, [])
    if not indices or end <= start:
        return 0.0, ()
    measured = Measured(text.start[indices], text.end[indices])
    share = float(measured.within(np.array([start]), np.array([end]))[0]) / (end - start)
    if (quant or default_quantisation(judged.scale)) == "strict":
        share = float(share == 1.0)
    structure = judged.single_documents.structures[document]
    met = []
    for i in here:
        low, high = structure.span_of_path(base.path[int(base.ideal[i])])
        if min(high, end) > max(low, start):
            met.append(i)
    return share, tuple(met)


def rows_by_document(documents: Sequence[str]) -> dict[str, list[int]]:
    """Which rows of a column of documents each of them has."""
    found: dict[str, list[int]] = {}
    for i, document in enumerate(documents):
        found.setdefault(document, []).append(i)
    return found


def focused(ranked: RankedGains) -> FloatArray:
    """xG_norm (equation 8 with the sum inside the minimum): what each result still adds to an ideal unit it overlaps.

    An ideal unit gives no more than its own gain, however many of its parts are retrieved; a repeat gives nothing.
    """
    left = ranked.ideal.copy()
    found = np.zeros(len(ranked.gain))
    for row in np.flatnonzero(ranked.gain > 0).tolist():
        raw = ranked.gain[row]
        ideals = list(ranked.overlaps[row])
        if ideals:
            found[row] = max(min(raw, left[i]) for i in ideals)
            rest = left[ideals] - raw
            left[ideals] = np.where(rest > 1e-12 * ranked.ideal[ideals], rest, 0.0)  # what rounding leaves is no gain
    return found


def with_alpha(ranked: RankedGains, alpha: float) -> FloatArray:
    """Relevance values that depend on what was retrieved before, relevant or not (PRUM appendix C.3)."""
    base = ranked.base
    if base is None:
        raise UsageError("alpha applies to nested elements; this truth judges spans or documents")
    children: dict[int, list[int]] = {}
    for i, above in enumerate(base.parent.tolist()):
        children.setdefault(above, []).append(i)
    ideal = {x: i for i, x in enumerate(base.ideal.tolist())}
    left = ranked.ideal.copy()
    seen: dict[str, set[str]] = {}
    found = np.zeros(len(ranked.gain))
    for row, x in enumerate(ranked.element):
        document, path = ranked.place[row]
        before = seen.setdefault(document, set())
        if x >= 0 and ranked.gain[row] > 0:
            value = _relevance_value(base, children, before, x, alpha)
            for above in base.above(x):
                if above in ideal:  # the descendants of an ideal element are together worth no more than it
                    value = max(0.0, min(value, left[ideal[above]]))
                    left[ideal[above]] -= value
            found[row] = value
        before.add(path)
    return found


def _relevance_value(base: RecallBase, children: dict[int, list[int]], seen: set[str], x: int, alpha: float) -> float:
    gain, path = float(base.gain[x]), base.path[x]
    if path in seen or any(outer in seen for outer in paths.ancestors(path)):
        return (1 - alpha) * gain
    if alpha == 0 or not any(paths.contains(path, other) for other in seen):
        return gain
    parts = 0.0
    for child in children.get(x, ()):
        if np.isnan(base.size[child]) or np.isnan(base.size[x]):
            raise UsageError(
                "alpha needs the sizes of elements, which this truth does not have: "
                f"give the XML documents with {option('collection')}"
            )
        share = float(base.size[child] / base.size[x])
        parts += _relevance_value(base, children, seen, child, alpha) * share
    return alpha * parts + (1 - alpha) * gain
