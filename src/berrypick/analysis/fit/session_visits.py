"""Sessions as a reading log: how many lines an agent read in a document before the first relevant one, or gave up.

A visit is a stretch of reading steps in one document: steps of a search (a Grep hit) are none, and do not end one. Its
distance is the number of lines shown, each once and in the order in which they were shown (within a window in the order
of lines), that are not relevant, before the first relevant one. It ends there (``reached``), where the agent goes on to
another document (``gave_up``), or where nothing says how much further it would have gone: at the document's end, where
the log knows it, or at the end of the session (``censored``).

Readers are asked whether they get to what is relevant, so by default only visits count that could: those to documents
with a relevant line where the agent entered or further on. Their distance is that of the first such line from the
entry, and a visit that shows no relevant line has ``missed`` it, whether the agent went on to another document or the
session ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from berrypick import formats
from berrypick.data.errors import UsageError, option
from berrypick.data.reading_log import ReadingLog
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.evaluation.line_units import check_unit, counted_unit

#: Tools that search and do not read, in small letters.
SEARCHING = frozenset({"grep", "rg", "glob", "search", "find"})
NO_TRUTH = "sessions without judgements, skipped"
NO_READING = "sessions without a reading step, skipped"
NO_LENGTH = "visits to documents whose length the log does not have: leaving at the end counts as giving up"
SEARCHES = "places shown by a search, not counted as visits"
NOTHING_AHEAD = f"visits without a relevant line ahead, skipped; {option('visits', 'all')} fits every visit"

#: Which visits of sessions count: those with a relevant line ahead, or all.
Chosen = Literal["ahead", "all"]


class ShownLines(NamedTuple):
    """Lines of a document that one step showed."""

    document: str
    start: int
    end: int
    length: float  # of the document; nan where it is not known


class SessionVisit(NamedTuple):
    """A stretch of reading in one document."""

    topic: str
    document: str
    distance: int
    end: str
    ahead: int | None  # how far from the entry the first relevant line is; None where there is none

    def trip(self) -> SessionVisit:
        """Whether the visit got to the first relevant line ahead."""
        assert self.ahead is not None
        return self._replace(distance=self.ahead, end="reached" if self.end == "reached" else "missed")


def reading_log_of(sessions: Any, truth: Any, form: str | None = None, visits: Chosen = "ahead") -> ReadingLog:
    """Return the reading log that sessions, or the run that was made of them, hold together with what is relevant."""
    run = formats.read_any(sessions, "run", form) if isinstance(sessions, (str, PathLike)) else sessions
    gold = formats.read_any(truth, "truth") if isinstance(truth, (str, PathLike)) else truth
    if not isinstance(run, Run) or not isinstance(gold, Truth):
        raise UsageError(f"with {option('truth')}, the log is a run of sessions, not {type(run).__name__}")
    _check_places(run, gold)
    counts: Counter[str] = Counter()
    found = [visit for topic, ranking in run.rankings() for visit in visits_of_session(topic, ranking, gold, counts)]
    if not found:
        raise UsageError(
            "no session reads anything in a judged topic: check that run and truth use the same topic names"
        )
    if visits == "ahead":
        nothing = sum(visit.ahead is None for visit in found)
        if nothing:
            counts[NOTHING_AHEAD] = nothing
        found = [visit.trip() for visit in found if visit.ahead is not None]
    return ReadingLog(
        tuple(visit.topic for visit in found),
        tuple(str(i) for i in range(len(found))),
        tuple(float(visit.distance) for visit in found),
        tuple(visit.end for visit in found),
        run.source,
        dict(counts),
        {"unit": counted_unit(run.unit), **origin_of(run, gold)},
    )


def origin_of(run: Run, truth: Truth) -> dict[str, Any]:
    """Who left the sessions of judged topics, in which versions, and from which day to which."""
    found: dict[str, set[str]] = {"agent": set(), "agent_version": set(), "session_date": set()}
    for topic, ranking in run.rankings():
        for name, values in found.items() if topic in truth.topics else ():
            values.update(str(one) for one in ranking.details.get(name, ()) if one)
    days = sorted(found["session_date"])
    return {
        "agent": ", ".join(sorted(found["agent"])) or None,
        "version": ", ".join(sorted(found["agent_version"])) or None,
        "period": {"first": days[0], "last": days[-1]} if days else None,
    }


def _check_places(run: Run, truth: Truth) -> None:
    if run.start is None or truth.units != "spans":
        raise UsageError(
            "visits are read from places in documents: run and truth need offsets (start_line, end_line), not whole "
            "documents"
        )
    check_unit(run, truth)


def visits_of_session(topic: str, ranking: Ranking, truth: Truth, counts: Counter[str]) -> Iterator[SessionVisit]:
    """Go through the visits of one session in the order of its steps."""
    judged = truth.topics.get(topic)
    if judged is None:
        counts[NO_TRUTH] += 1
        return
    stretches = list(_stretches(_windows(ranking, counts)))
    if not stretches:
        counts[NO_READING] += 1
    for i, windows in enumerate(stretches):
        yield _visit(topic, windows, _relevant(judged, windows[0].document), i == len(stretches) - 1, counts)


def _windows(ranking: Ranking, counts: Counter[str]) -> Iterator[ShownLines]:
    """What reading steps show, step by step, in the order of lines within a step."""
    tools, lengths = ranking.details.get("tool"), ranking.details.get("doc_lines")
    assert ranking.start is not None and ranking.end is not None
    order = np.lexsort((ranking.start, ranking.rank))
    for row in order.tolist():
        if tools is not None and str(tools[row]).lower() in SEARCHING:
            counts[SEARCHES] += 1
            continue
        length = float("nan") if lengths is None else float(lengths[row])
        document = ranking.documents[int(ranking.document[row])]
        yield ShownLines(document, int(ranking.start[row]), int(ranking.end[row]), length)


def _stretches(windows: Iterator[ShownLines]) -> Iterator[list[ShownLines]]:
    """Windows one after the other in the same document."""
    held: list[ShownLines] = []
    for window in windows:
        if held and held[-1].document != window.document:
            yield held
            held = []
        held.append(window)
    if held:
        yield held


def _relevant(judged: TopicTruth, document: str) -> list[tuple[int, int]]:
    """The relevant lines of a document, as intervals."""
    assert judged.start is not None and judged.end is not None
    rows = zip(judged.document, judged.start.tolist(), judged.end.tolist(), judged.grade.tolist(), strict=True)
    return [(int(a), int(b)) for name, a, b, grade in rows if name == document and grade > 0]


def _visit(
    topic: str, windows: list[ShownLines], relevant: list[tuple[int, int]], last: bool, counts: Counter[str]
) -> SessionVisit:
    """How far one visit went, and how it ended."""
    seen: list[tuple[int, int]] = []
    distance, entry = 0, windows[0].start
    ahead = min((max(a, entry) - entry for a, b in relevant if b > entry), default=None)
    for window in windows:
        inside = [max(a, window.start) for a, b in relevant if a < window.end and b > window.start]
        until = min(inside) if inside else window.end
        distance += _fresh(window.start, until, seen)
        if inside:
            return SessionVisit(topic, window.document, distance, "reached", ahead)
        seen.append((window.start, window.end))
    document, length = windows[0].document, windows[-1].length
    if last or max(window.end for window in windows) >= length:  # never where the length is nan
        return SessionVisit(topic, document, distance, "censored", ahead)
    if length != length:
        counts[NO_LENGTH] += 1
    return SessionVisit(topic, document, distance, "gave_up", ahead)


def _fresh(start: int, end: int, seen: list[tuple[int, int]]) -> int:
    """How many positions from start to end were not seen before."""
    left, place = 0, start
    for a, b in sorted(seen):
        if b > place and a < end:
            left += max(0, a - place)
            place = max(place, b)
    return left + max(0, end - place)
