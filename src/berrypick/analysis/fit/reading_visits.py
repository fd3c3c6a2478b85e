"""Reading logs as observations of the distance at which readers give up, and how well a fitted law predicts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from berrypick.analysis.fit.survival import Observations, SurvivalFit
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.reading_log import ReadingLog
from berrypick.data.results import Note
from berrypick.data.words import counted
from berrypick.users.learning import calibration_row

#: Ranges of distance in a calibration table.
BINS = 10


@dataclass(frozen=True, eq=False)
class Visits:
    """A log joined by visits; sessions are numbered in the order of the log."""

    seen: Observations
    sessions: int
    #: Whether targets are missed: then distances are those of targets, reached or not.
    trips: bool
    notes: tuple[Note, ...]


def visits_of(log: ReadingLog) -> Visits:
    """One observation for each visit: beyond what it got to or passed, within what it missed, at where it gave up."""
    session, visit = _numbered(log)
    count = int(visit.max()) + 1 if len(visit) else 0
    distance, end = np.array(log.distance, dtype=np.float64), np.array(log.end, dtype=str)
    low, high, stop = np.full(count, -1.0), np.full(count, np.inf), np.full(count, np.inf)
    beyond, missed, stopped = (end == "reached") | (end == "censored"), end == "missed", end == "gave_up"
    np.maximum.at(low, visit[beyond], distance[beyond])
    np.minimum.at(high, visit[missed], distance[missed])
    np.minimum.at(stop, visit[stopped], distance[stopped])
    of_visit = np.zeros(count, dtype=np.int64)
    of_visit[visit] = session
    exact = np.isfinite(stop)
    early = exact & (stop < low)
    impossible = ~exact & (high <= low)
    seen = Observations(np.where(exact, stop, low), np.where(exact, stop, high), exact, of_visit)
    seen, rounded = _without_zeros(seen, distance)
    notes = (
        *_note(early, "gave up after less than the same visit had passed before; only where it gave up counts"),
        *_note(impossible, "missed something nearer than what the same visit reached; skipped"),
        *_note(rounded, f"gave up at distance 0, treated as at most {_least(distance):g}, the least one recorded"),
    )
    return Visits(seen.part(~impossible), int(session.max()) + 1 if count else 0, bool(missed.any()), notes)


def _note(which: BoolArray, text: str) -> list[Note]:
    return [Note("visits", f"{counted(int(which.sum()), 'visit')} {text}")] if which.any() else []


def _numbered(log: ReadingLog) -> tuple[IntArray, IntArray]:
    """The session and the visit of each line as numbers; lines without a name are of their own."""
    sessions: dict[Any, int] = {}
    visits: dict[Any, int] = {}
    session, visit = np.empty(len(log), dtype=np.int64), np.empty(len(log), dtype=np.int64)
    for i, (of_session, of_visit) in enumerate(zip(log.session, log.visit, strict=True)):
        # a visit without a session is a session of its own, with all of its lines
        who: Any = of_session or (("", of_visit) if of_visit else i)
        session[i] = sessions.setdefault(who, len(sessions))
        visit[i] = visits.setdefault((who, of_visit) if of_visit else i, len(visits))
    return session, visit


def _least(distance: FloatArray) -> float:
    above = distance[distance > 0]
    return float(above.min()) if len(above) else 0.0


def _without_zeros(seen: Observations, distance: FloatArray) -> tuple[Observations, BoolArray]:
    """Distances are recorded to some precision: who gave up at 0 gave up within the least distance of the log."""
    zero = seen.exact & (seen.low == 0)
    low, high = np.where(zero, -1.0, seen.low), np.where(zero, _least(distance), seen.high)
    return Observations(low, high, seen.exact & ~zero, seen.session), zero


def calibration(fitted: SurvivalFit, seen: Observations, trips: bool) -> list[dict[str, Any]]:
    """How many readers did by distance what the fitted law says they do, for visits that it was not fitted to.

    ``trips``, where the log has missed targets: the share of the readers who get to a target at that distance.
    Otherwise the share of those who come as far as the range that give up within it; the prediction is the mean
    cumulative hazard.
    """
    if trips:
        return _trips(fitted, *one_sided(seen)[1:])
    above = np.isfinite(seen.high) & ~seen.exact
    return _travels(fitted, np.where(above, seen.high, seen.low), seen.exact | above)


def one_sided(seen: Observations) -> tuple[BoolArray, FloatArray, BoolArray]:
    """Visits that got to something or missed it, and not both: which these are, how far it was, who got there."""
    above, below = np.isfinite(seen.high) & ~seen.exact, seen.low >= 0
    which = ~seen.exact & (above != below)
    return which, np.where(above, seen.high, seen.low)[which], below[which]


def _edges(distance: FloatArray) -> FloatArray:
    """Ranges with about as many distances each."""
    return np.unique(np.quantile(distance, np.linspace(0, 1, BINS + 1)[1:])) if len(distance) else np.zeros(0)


def _trips(fitted: SurvivalFit, distance: FloatArray, reached: BoolArray) -> list[dict[str, Any]]:
    edges = _edges(distance)
    place = np.searchsorted(edges, distance)
    predicted = np.exp(fitted.log_survival(distance))
    return [
        _row("reaches", edges, i, own, float(predicted[place == i].sum()), int(reached[place == i].sum()))
        for i in range(len(edges))
        if (own := int((place == i).sum()))
    ]


def _travels(fitted: SurvivalFit, distance: FloatArray, stopped: BoolArray) -> list[dict[str, Any]]:
    edges = _edges(distance[stopped])
    rows = []
    before = np.zeros(len(distance))
    for i, edge in enumerate(edges.tolist()):
        hazard = -fitted.log_survival(np.minimum(distance, edge))
        inside = stopped & (distance <= edge) & (distance > (edges[i - 1] if i else -1))
        at_risk = distance > (edges[i - 1] if i else -1)
        rows.append(
            _row("gives up", edges, i, int(at_risk.sum()), float((hazard - before)[at_risk].sum()), int(inside.sum()))
        )
        before = hazard
    return rows


def _row(what: str, edges: FloatArray, i: int, cases: int, expected: float, observed: int) -> dict[str, Any]:
    return calibration_row(what, float(edges[i - 1]) if i else 0.0, float(edges[i]), cases, expected, observed)
