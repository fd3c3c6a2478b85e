"""Estimating markov from sessions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv

from berrypick.analysis.fit.fit_parts import VALIDATION, FitMethod
from berrypick.analysis.fit.transitions import (
    ChainCounts,
    StepCounts,
    Steps,
    best_weight,
    chain_counts,
    log_probabilities,
    step_calibration,
    steps_of,
)
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import Message, UsageError, option
from berrypick.data.navigation import CUT, LinkTable, Sessions, TransitionCounts
from berrypick.data.results import Note
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Progress
from berrypick.files.scan import BLOCK
from berrypick.users.base import UserModel
from berrypick.users.learning import EDGES, calibration_row, data_checksum, drawn, held_out_facts, parameter, rounded
from berrypick.users.learnt import Learnt

#: Pages whose reach is checked on held-out sessions, and the share of training sessions that choose the weight.
CHECKED, SHARE = 128, 0.2
#: Tells these random numbers from others of one seed.
STREAM = 42


def fit_chain(
    model: UserModel, sessions: Any, method: FitMethod, links: LinkTable | None, progress: Progress | None
) -> Learnt:
    """Shares of continuations, smoothed towards the links where they are given."""
    if isinstance(sessions, TransitionCounts):
        return _of_counts(model, sessions, method, links)
    if not isinstance(sessions, Sessions):
        raise UsageError("markov is estimated from sessions or counts of steps, not from a reading log or a table")
    units = tuple(dict.fromkeys([*sessions.units, *(links.units if links is not None else ())]))
    steps = steps_of(sessions.paths, units)
    held = method.held(steps.sessions)
    training = steps.part(~held)
    taken = training.counted()
    _check(taken)
    link_keys = _link_keys(links, steps)
    counts = chain_counts(taken, link_keys)
    weight = _weight(training, ~held, link_keys, method) if links is not None else 0.0
    probability = counts.probability(weight)
    report = None
    checks: list[dict[str, Any]] = []
    if held.any():
        rest = steps.part(held)
        own = log_probabilities(counts, probability, rest)
        other = log_probabilities(counts, counts.prior, rest)
        baseline = "every link alike" if links is not None else "every step seen alike"
        report = held_out_facts(own, other, rest.session, baseline, "decisions", method.confidence)
        checks = step_calibration(counts, probability, rest)
        checks += _reach_calibration(model, counts, probability, rest, taken, method, progress)
    return Learnt(
        user=model,
        parameters=_parameters(taken, method.confidence),
        data=_data(sessions, steps),
        held_out=report,
        calibration=checks,
        notes=tuple(_notes(report, links, taken)),
        more=_more(counts, probability, weight, method),
    )


def _of_counts(model: UserModel, given: TransitionCounts, method: FitMethod, links: LinkTable | None) -> Learnt:
    """Shares of continuations from counts: what sessions give without held-out ones and without links."""
    if links is not None:
        raise UsageError(
            f"{option('links')} needs sessions, some of which choose the smoothing weight; counts of steps are fitted "
            "without it"
        )
    key = given.from_unit * (len(given.units) + 1) + given.to_unit
    taken = StepCounts(given.units, key, given.count)
    _check(taken)
    counts = chain_counts(taken, np.zeros(0, dtype=np.int64))
    notes = [Note("counts", f"{number} {what}") for what, number in given.skipped.items()]
    if method.held_out:
        notes.append(Note("held_out", "counts of steps have no sessions: none are held out, so the fit is not checked"))
    return Learnt(
        user=model,
        parameters=_parameters(taken, method.confidence),
        data={
            "checksum": data_checksum(given.lines()),
            "ended": taken.left,
            "decisions": taken.decisions,
            "pages": len(given.units),
        },
        notes=(*notes, *_notes(None, None, taken)),
        more=_more(counts, counts.probability(0.0), 0.0, method),
    )


def _more(counts: ChainCounts, probability: FloatArray, weight: float, method: FitMethod) -> dict[str, Any]:
    return {
        "weight": weight,
        "visits": _visits(counts),
        "transitions": _rows(counts, probability, method.confidence),
    }


def _visits(counts: ChainCounts) -> dict[str, int]:
    """How often each page was left, for one way on or for good: what its shares are shares of."""
    leaving = counts.target == len(counts.units)  # every page has it once
    pages, visits = counts.source[leaving].tolist(), counts.visits[leaving].tolist()
    return {counts.units[page]: times for page, times in zip(pages, visits, strict=True)}


def _check(training: StepCounts) -> None:
    if not (training.target != training.leave).any():
        raise UsageError("the log cannot identify any transition: no session goes from one page to another")
    if not (training.target == training.leave).any():
        raise UsageError(
            f"the log cannot identify leaving: every session is cut off ({CUT} at its end, or no row without to), so "
            "that nobody ever leaves"
        )


def _link_keys(links: LinkTable | None, steps: Steps) -> IntArray:
    if links is None:
        return np.zeros(0, dtype=np.int64)
    number = {unit: i for i, unit in enumerate(steps.units)}
    keys = [number[a] * (steps.leave + 1) + number[b] for a, b in links.rows if a != b]
    return np.unique(np.array(keys, dtype=np.int64))


def _weight(training: Steps, own: BoolArray, link_keys: IntArray, method: FitMethod) -> float:
    """Chosen on a part of the training sessions, which are all used afterwards."""
    numbers = np.flatnonzero(own)
    if len(numbers) < 2:
        return 1.0
    chosen = np.zeros(training.sessions, dtype=bool)
    chosen[numbers[drawn(len(numbers), SHARE, [VALIDATION, method.seed])]] = True
    return best_weight(chain_counts(training.part(~chosen).counted(), link_keys), training.part(chosen))


def _parameters(training: StepCounts, confidence: float) -> dict[str, dict[str, float | None]]:
    """The overall share of leaving; transitions have intervals of their own."""
    left, all_ = training.left, training.decisions
    low, high = (
        float(betaincinv(left + 0.5, all_ - left + 0.5, tail)) for tail in ((1 - confidence) / 2, (1 + confidence) / 2)
    )
    return {"leaving": parameter(left / all_, low, high)}


def _rows(counts: ChainCounts, probability: FloatArray, confidence: float) -> list[list[Any]]:
    """Every transition of probability above 0."""
    low, high = counts.interval(confidence, probability)
    kept = np.flatnonzero((counts.target < len(counts.units)) & (probability > 0))
    columns = (counts.source, counts.target, probability, low, high, counts.count)
    rows = zip(*(column[kept].tolist() for column in columns), strict=True)
    units = counts.units
    return [[units[a], units[b], rounded(p, 9), round(x, 6), round(y, 6), n] for a, b, p, x, y, n in rows]


def _reach_calibration(
    model: Any,
    counts: ChainCounts,
    probability: FloatArray,
    rest: Steps,
    training: StepCounts,
    method: FitMethod,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """Of pages drawn by how often they are visited: the probability of visiting each from where a held-out session
    starts, and how many sessions do. Sessions whose end was not recorded are left out."""
    moves = counts.target < len(counts.units)
    chain = model.chain(counts.units, counts.source[moves], counts.target[moves], probability[moves])
    steps = training.target < training.leave
    arrivals = np.bincount(training.target[steps], weights=training.times[steps], minlength=len(counts.units))
    pages = _some_pages(arrivals.astype(np.int64), method.seed)
    number = np.array([chain.number[unit] for unit in counts.units], dtype=np.int64)
    ended = np.isin(rest.session, rest.session[rest.target == rest.leave])
    source, session = number[rest.source[ended]], rest.session[ended]
    _, first, own = np.unique(session, return_index=True, return_inverse=True)
    start = source[first]
    cases, expected, seen = (np.zeros(len(EDGES) + 1) for _ in range(3))
    done = 0
    for low in range(0, len(pages), BLOCK):
        for page, column in chain.columns(pages[low : low + BLOCK]):
            visited = np.zeros(len(start), dtype=bool)
            visited[own.reshape(-1)[source == page]] = True
            others = start != page
            predicted = column[start[others]]
            place = np.searchsorted(np.array(EDGES), predicted)
            cases += np.bincount(place, minlength=len(cases))
            expected += np.bincount(place, weights=predicted, minlength=len(cases))
            seen += np.bincount(place, weights=visited[others], minlength=len(cases))
            done += 1
            if progress is not None:
                progress(done, len(pages))
    return [
        calibration_row("visits a page", EDGES[i - 1] if i else 0.0, edge, int(cases[i]), expected[i], seen[i])
        for i, edge in enumerate(EDGES)
        if cases[i]
    ]


def _some_pages(visits: IntArray, seed: int) -> list[int]:
    number = min(CHECKED, int((visits > 0).sum()))
    random = np.random.default_rng([STREAM, seed])
    return sorted(random.choice(len(visits), number, replace=False, p=visits / visits.sum()).tolist())


def _data(sessions: Sessions, steps: Steps) -> dict[str, Any]:
    return {
        "checksum": data_checksum(";".join(path) for path in sessions.paths),
        "sessions": steps.sessions,
        "decisions": len(steps.source),
        "pages": len(steps.units),
        "cut_off": len(sessions.paths) - int((steps.target == steps.leave).sum()),
    }


def _notes(report: dict[str, Any] | None, links: LinkTable | None, training: StepCounts) -> list[Note]:
    found = []
    if report is not None and report["impossible"]:
        share = report["impossible"] / report["decisions"]
        remedy = "" if links is not None else f"; {option('links')} smooths towards links that nobody took yet"
        text = (
            f"the chain gives {counted(report['impossible'], 'held-out decision')} ({share:.1%}) probability 0, and "
            f"the likelihood leaves them out{remedy}"
        )
        found.append(Note("impossible", Message(text)))
    silent = len(np.setdiff1d(np.unique(training.target), np.append(training.source, training.leave)))
    if silent and links is None:
        found.append(
            Note("pages", f"{counted(silent, 'page')} where every session is cut off: treated as the last one")
        )
    return found
