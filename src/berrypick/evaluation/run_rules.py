"""What the results of a run must satisfy in some tasks, such as no overlap, and how a run is repaired that does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import BoolArray, IntArray
from berrypick.data.columns import Coded
from berrypick.data.errors import Message, UsageError, nearest, option
from berrypick.data.run import Ranking, Run
from berrypick.data.words import counted

#: What is wrong, the row, and the earlier row that it does not go with.
Broken = tuple[str, int, int]


def line_of(ranking: Ranking, row: int) -> int:
    """Return the line of a result in its file, or its place in the list."""
    return int(ranking.line[row]) if ranking.line is not None else row + 1


def overlapping(ranking: Ranking) -> Broken | None:
    """The first result that overlaps an earlier one."""
    found: tuple[int, int] | None = None
    for rows in ranking.rows_by_document.values():
        for i, row in enumerate(rows.tolist()):
            if found is not None and row >= found[0]:
                break
            earlier = next((other for other in rows[:i].tolist() if overlap(ranking, row, other)), None)
            if earlier is not None:
                found = (row, earlier)
                break
    return None if found is None else ("results overlap", *found)


def overlap(ranking: Ranking, one: int, other: int) -> bool:
    """Whether two results of the same document share text."""
    if ranking.start is not None and ranking.end is not None:
        low = max(ranking.start[one], ranking.start[other])
        high = min(ranking.end[one], ranking.end[other])
        if high > low:
            return True
        if ranking.path is None:
            return False
    if ranking.path is None:
        return True  # the same whole document
    first, second = ranking.path_of(one), ranking.path_of(other)
    if first[1] or second[1]:
        return first == second  # passages by points need the documents to be compared
    return paths.nested(first[0], second[0])


def interleaving(ranking: Ranking) -> Broken | None:
    """The first result of an article that comes back after another one."""
    if not len(ranking):
        return None
    last: dict[int, int] = {}
    previous = -1
    for row, document in enumerate(ranking.document.tolist()):
        if document != previous and document in last:
            return "results of an article are interleaved with others", row, last[document]
        last[document] = row
        previous = document
    return None


def several_per_article(ranking: Ranking) -> Broken | None:
    """The first article that is entered twice."""
    seen: dict[int, int] = {}
    for row, document in enumerate(ranking.document.tolist()):
        if document in seen:
            return "an article is entered more than once", row, seen[document]
        seen[document] = row
    return None


#: What runs of a task must satisfy: nothing is found where they do.
RUN_RULES: dict[str, Callable[[Ranking], Broken | None]] = {
    "no-overlap": overlapping,
    "no-interleaving": interleaving,
    "one-per-article": several_per_article,
}

# --- repairs --------------------------------------------------------------------------------------------------------


def repair(run: Run, rule: str) -> Run:
    """Repair a run by a named rule; the number of results dropped or moved goes into the notes."""
    if rule not in REPAIRS:
        raise UsageError(f"unknown repair {rule}{nearest(rule, list(REPAIRS)) or '; available: ' + ', '.join(REPAIRS)}")
    rows: list[IntArray] = []
    for topic in run.topics:
        position = run.topics.index(topic)
        rows.append(int(run.bounds[position]) + REPAIRS[rule](run.ranking(topic)))
    return _chosen(run, rows, rule)


def _chosen(run: Run, rows: Sequence[IntArray], rule: str) -> Run:
    chosen = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    dropped = run.size() - len(chosen)
    moved = int((np.diff(chosen) < 0).sum())
    counts = np.array([len(part) for part in rows], dtype=np.int64)
    rank = np.concatenate([np.arange(count) for count in counts]) if len(counts) else np.zeros(0, dtype=np.int64)
    notes = (Message(f"{option('repair', rule)} dropped {counted(dropped, 'result')}"),) if dropped else ()
    if moved:
        notes = (*notes, Message(f"{option('repair', rule)} moved results of the same article together"))
    return run.changed(
        bounds=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        names=Coded(run.documents, run.document[chosen]),
        item=rank.astype(np.int64),
        start=None if run.start is None else run.start[chosen],
        end=None if run.end is None else run.end[chosen],
        score=None if run.score is None else run.score[chosen],
        line=None if run.line is None else run.line[chosen],
        path=None if run.path is None else run.path[chosen],
        path_end=None if run.path_end is None else run.path_end[chosen],
        details={name: column[chosen] for name, column in run.details.items()},
        notes=(*run.notes, *notes),
        ties="none",
    )


def _without_overlap(ranking: Ranking) -> IntArray:
    """Drop every result that overlaps an earlier one that stays."""
    keep: BoolArray = np.ones(len(ranking), dtype=bool)
    for rows in ranking.rows_by_document.values():
        kept: list[int] = []
        for row in rows.tolist():
            if any(overlap(ranking, row, other) for other in kept):
                keep[row] = False
            else:
                kept.append(row)
    return np.flatnonzero(keep)


def _grouped(ranking: Ranking) -> IntArray:
    """Results of an article moved to where it first appears, overlap dropped."""
    kept = _without_overlap(ranking)
    first: dict[int, int] = {}
    for row in kept.tolist():
        first.setdefault(int(ranking.document[row]), row)
    place = np.array([first[int(ranking.document[row])] for row in kept.tolist()], dtype=np.int64)
    return kept[np.lexsort((kept, place))]


def _first_per_article(ranking: Ranking) -> IntArray:
    """Only the first result of each article."""
    _, first = np.unique(ranking.document, return_index=True)
    return np.sort(first)


REPAIRS: dict[str, Callable[[Ranking], IntArray]] = {
    "drop-overlap": _without_overlap,
    "group": _grouped,
    "first-per-article": _first_per_article,
}
