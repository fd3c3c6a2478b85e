"""Campaigns' own rules: which measures a task reports, what its runs must satisfy, and where its program differs.

A protocol never changes a measure silently: it is chosen by name and part of every signature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from berrypick.core import paths
from berrypick.core.arrays import BoolArray, IntArray
from berrypick.core.doors import Door
from berrypick.core.errors import InputError, Message, UsageError, nearest, option
from berrypick.core.run import Ranking, Run
from berrypick.core.words import counted

TASKS = ("thorough", "focused", "relevant-in-context", "best-in-context")
_IP = "iP@0.00 iP@0.01 iP@0.05 iP@0.10"


@dataclass(frozen=True)
class Protocol:
    """A campaign: the measures of its tasks, and whether topics that a run does not answer count."""

    name: str
    what: str
    measures: dict[str, str]
    topics: Literal["judged", "run"] = "judged"
    longest: int | None = None
    ignore_elements: tuple[str, ...] = ()
    #: What is reported where neither a task nor a measure is named.
    default: str = ""
    #: Where its program counts otherwise: names of :data:`RULES`, which measures ask for.
    rules: frozenset[str] = frozenset()


#: Where programs of campaigns count otherwise than the papers say.
RULES = {
    "empty-is-zero": "topics without relevant text score 0",
    "last-rank-repeats": "ranks behind the end of a list have the precision of the last one",
    "charge-in-full": "articles without relevant text are charged in full each time, passages without a place never",
    "beta-1": "text of articles is scored by F with beta 1",
    "segments-again": "results that lead to one segment count again",
    "count-each": "lengths of results are added up, whatever overlaps",
    "count-pairs": "what results and targets have in common is added up pair by pair",
}


#: Where no campaign is named.
OWN = Protocol(
    "",
    "no campaign: berrypick's own rules",
    {
        "focused": f"{_IP} AiP nxCG@10",
        "thorough": f"{_IP} AiP MAep",
        "relevant-in-context": "AgP gP@5 gP@10 gP@25 gP@50",
        "best-in-context": "BEPD AgP(score='bep') EPRUM(user='bep')",
    },
)


def _not_a_protocol(value: object) -> str:
    if not isinstance(value, Protocol):
        return "it is not a value of berrypick.evaluation.protocols.Protocol"
    unknown = next(iter(sorted(value.rules - RULES.keys())), "")
    return f"it has no rule {unknown!r:.40}{nearest(unknown, list(RULES))}" if unknown else ""


#: Protocols of campaigns and of other packages.
protocols = Door("protocols", "protocol", _not_a_protocol)


def get_protocol(name: str | None) -> Protocol:
    """Return a protocol by its name; berrypick's own rules without one."""
    if not name:
        return OWN
    found: Protocol | None = protocols.find(name)
    if found is None:
        known = protocols.names()
        raise UsageError(f"unknown protocol {name}{nearest(name, known) or '; available: ' + ', '.join(known)}")
    return found


def check_task_name(name: str | None) -> str:
    if not name:
        return ""
    if name not in TASKS:
        raise UsageError(f"unknown task {name}{nearest(name, list(TASKS)) or '; available: ' + ', '.join(TASKS)}")
    return name


#: For calls and commands without measures.
NO_MEASURES = (
    f"no measures: name some, e.g. {option('measures', 'EPRUM', flag='m')}, or an INEX task with {option('task')}"
)


def measures_of(protocol: Protocol, task: str) -> str:
    """The measures that a task reports."""
    found = protocol.measures.get(task) if task else protocol.default
    if not found:
        raise UsageError(
            (f"protocol {protocol.name} has no task {task}; " if task else "")
            + f"give measures with {option('measures', flag='m')}"
        )
    return found


# --- what the runs of a task must satisfy -------------------------------------------------------------------------


def check_task(run: Run, task: str) -> None:
    """Refuse a run that was made for another task, or breaks the rules of this one, with the lines that break it."""
    asked = "thorough" if run.task in ("co", "cas") else run.task  # lists of that kind, by another name before 2005
    if run.task and asked != task:
        raise InputError(
            f"the run is for task {run.task}, not {task}",
            path=run.source or run.tag,
            remedy=f"evaluate it with {option('task', asked)}, or correct the task in the file",
        )
    for topic, ranking in run.rankings():
        for broken in _CHECKS[task]:
            pair = broken(ranking)
            if pair is not None:
                what, later, earlier = pair
                raise InputError(
                    f"{what} in topic {topic}, which the task {task} does not allow: "
                    f"{ranking.name(later)} after {ranking.name(earlier)} (line {_line(ranking, earlier)})",
                    path=run.source or run.tag,
                    line=_line(ranking, later),
                    remedy=f"fix with {option('repair', _REPAIR_FOR[task])}, or omit {option('task')}",
                )


Broken = tuple[str, int, int]


def _line(ranking: Ranking, row: int) -> int:
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


_CHECKS: dict[str, tuple[Callable[[Ranking], Broken | None], ...]] = {
    "thorough": (),
    "focused": (overlapping,),
    "relevant-in-context": (interleaving, overlapping),
    "best-in-context": (several_per_article,),
}
_REPAIR_FOR = {
    "thorough": "drop-overlap",
    "focused": "drop-overlap",
    "relevant-in-context": "group",
    "best-in-context": "first-per-article",
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
    dropped = len(run) - len(chosen)
    moved = int((np.diff(chosen) < 0).sum())
    counts = np.array([len(part) for part in rows], dtype=np.int64)
    rank = np.concatenate([np.arange(count) for count in counts]) if len(counts) else np.zeros(0, dtype=np.int64)
    notes = (Message(f"{option('repair', rule)} dropped {counted(dropped, 'result')}"),) if dropped else ()
    if moved:
        notes = (*notes, Message(f"{option('repair', rule)} moved results of the same article together"))
    return replace(
        run,
        bounds=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        document=run.document[chosen],
        rank=rank.astype(np.int64),
        start=None if run.start is None else run.start[chosen],
        end=None if run.end is None else run.end[chosen],
        score=None if run.score is None else run.score[chosen],
        line=None if run.line is None else run.line[chosen],
        path=None if run.path is None else run.path[chosen],
        path_end=None if run.path_end is None else run.path_end[chosen],
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
