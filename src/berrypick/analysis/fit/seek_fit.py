"""Learning seek from games: which links were followed on the way to a known goal, and where players stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from berrypick import formats
from berrypick.analysis.fit.seek_games import Decisions, decisions_of, read_games
from berrypick.analysis.fit.seek_likelihood import (
    FEATURES,
    choice_chances,
    choice_likelihood,
    choices_of,
    clustered,
    maximise,
    stop_likelihood,
)
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.navigation import CUT, LinkTable, Sessions
from berrypick.data.results import Note
from berrypick.data.words import counted
from berrypick.documents.texts import Texts, read_texts
from berrypick.users.learning import binned, data_checksum, held_out_facts, held_sessions, parameter, rounded
from berrypick.users.learnt import Learnt
from berrypick.users.links.seek_chain import LinkGraph, Patience, goal_reach, link_graph
from berrypick.users.links.seek_texts import WordVectors, word_vectors

if TYPE_CHECKING:
    from berrypick.users.links.seek import Seek

#: Goals whose reach is checked on held-out sessions; fewer clusters than this make rough intervals.
CHECKED, FEW = 256, 20
_GOALS = 12  # a stream of random numbers


@dataclass(frozen=True, eq=False)
class SeekEstimate:
    """Weights and what the log leaves open of them; stopping is on the scale of log-odds."""

    names: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray
    clusters: int

    def parameters(self, confidence: float) -> dict[str, dict[str, float | None]]:
        """Return value and interval of each, by the t law of as many clusters."""
        half = float(stdtrit(self.clusters - 1, (1 + confidence) / 2)) * np.sqrt(np.diag(self.covariance))
        found = {}
        for name, value, width in zip(self.names, self.values.tolist(), half.tolist(), strict=True):
            ends = [value, value - width, value + width]
            found[name] = parameter(*(map(_share, ends) if name == "stop" else ends))
        return found

    def law(self) -> dict[str, Any]:
        """Return what readers are drawn from."""
        scales = ["logit" if name == "stop" else "linear" for name in self.names]
        rows = [[rounded(one) for one in row] for row in self.covariance.tolist()]
        return {"of": list(self.names), "scales": scales, "covariance": rows}


def _share(odds: float) -> float:
    return 0.5 * (1.0 + math.tanh(0.5 * odds))


def fit_seek(
    model: type[Seek],
    log: Any,
    *,
    links: Any,
    goals: Any,
    documents: Any,
    given: dict[str, Any],
    held_out: float,
    seed: int,
    confidence: float,
) -> Learnt:
    """SeekEstimate the parameters that are not given, and check them on the sessions held out."""
    table, sessions = _links(links), read_games(log, goals)
    graph = link_graph(table)
    texts = None if documents is None else read_texts(documents)
    if texts is None and given.get("similarity"):
        raise UsageError(f"seek(similarity=) needs the texts of the pages, given with {option('documents')}")
    words = None if texts is None else word_vectors(graph.units, texts)
    decisions = decisions_of(sessions, graph)
    held = held_sessions(len(sessions.paths), held_out, seed)
    training, rest = decisions.part(~held[decisions.session]), decisions.part(held[decisions.session])
    if training.stopped.all():
        raise UsageError("the log cannot identify anything: no session with a goal follows a link of the table")
    estimate = _estimated(training, graph, words, given, _clusters(sessions))
    found = estimate.parameters(confidence)
    values = {**{name: one["value"] for name, one in found.items()}, **given}
    if "stop" not in values:
        values["stop"] = 0.0
    if sessions.budget is not None:
        values.setdefault("budget", sessions.budget)
    if words is None:
        values.setdefault("similarity", 0.0)
    user = model(**values)
    report, checks = None, list[dict[str, Any]]()
    if held.any() and len(rest):
        scored = _Scored(user, graph, words, rest)
        markov = _markov(sessions, held, table, seed)
        report = scored.report(training, _under_chain(markov, graph, rest), confidence)
        checks = [*scored.calibration(), *_goal_calibration(user, graph, texts, sessions, held, seed)]
    return Learnt(
        user=user,
        parameters=found,
        data=_data(sessions, decisions),
        held_out=report,
        calibration=checks,
        notes=tuple(_notes(sessions, decisions, training, estimate, given, words)),
        more={"law": estimate.law(), "links": [list(pair) for pair in table.rows]},
    )


def _links(given: Any) -> LinkTable:
    if isinstance(given, (str, PathLike)):
        given = formats.read_any(given, "navigation")
    if not isinstance(given, LinkTable):
        what = "" if given is None else f", not {type(given).__name__}"
        raise UsageError(f"seek follows links: give them (from, to) with {option('links')}{what}")
    return given


def _clusters(sessions: Sessions) -> IntArray:
    """Return the number of the player of each session; sessions of nobody known are their own."""
    players = sessions.players if len(set(sessions.players) - {""}) > 1 else ("",) * len(sessions.paths)
    known: dict[Any, int] = {}
    return np.array([known.setdefault(who or i, len(known)) for i, who in enumerate(players)], dtype=np.int64)


def _estimated(
    training: Decisions, graph: LinkGraph, words: WordVectors | None, given: dict[str, Any], cluster: IntArray
) -> SeekEstimate:
    """Links and stopping are estimated apart; what they leave open together is clustered over both."""
    usable = [name for name in FEATURES if name != "similarity" or words is not None]
    names = [name for name in usable if name not in given]
    fixed = {name: float(given[name]) for name in usable if name in given}
    count = len(training)
    parts: list[tuple[list[str], FloatArray, FloatArray, FloatArray]] = []
    if names:
        choices, own = choices_of(training, graph, words)
        values, here = maximise(choice_likelihood(choices, names, fixed), np.zeros(len(names)), names)
        scores = np.zeros((count, len(names)))
        scores[own] = here.scores
        parts.append((names, values, scores, here.information))
    if "stop" not in given and training.stopped.any():
        tiring = given.get("tiring")
        own_names = ["stop"] if tiring is not None else ["stop", "tiring"]
        share = training.stopped.mean()
        start = np.array([math.log(share / (1 - share)), 0.0])[: len(own_names)]
        values, here = maximise(stop_likelihood(training.stopped, training.clicks, tiring), start, own_names)
        parts.append((own_names, values, here.scores, here.information))
    if not parts:
        raise UsageError("every parameter is given, so there is nothing to estimate")
    size = sum(len(part[0]) for part in parts)
    information, place = np.zeros((size, size)), 0
    for part in parts:
        end = place + len(part[0])
        information[place:end, place:end] = part[3]
        place = end
    scores = np.concatenate([part[2] for part in parts], axis=1)
    covariance, clusters = clustered(scores, information, cluster[training.session])
    every = tuple(name for part in parts for name in part[0])
    return SeekEstimate(every, np.concatenate([part[1] for part in parts]), covariance, clusters)


class _Scored:
    """Held-out decisions under a fitted reader."""

    def __init__(self, user: Seek, graph: LinkGraph, words: WordVectors | None, rest: Decisions) -> None:
        self.graph, self.rest = graph, rest
        self.choices, self.own = choices_of(rest, graph, words)
        names = [name for name in FEATURES if name != "similarity" or words is not None]
        self.share = choice_chances(self.choices, {name: float(getattr(user, name)) for name in names})
        self.stop = Patience(user.stop, user.tiring, user.budget).chance(rest.clicks)

    def report(self, training: Decisions, markov: FloatArray, confidence: float) -> dict[str, Any]:
        """Return mean log-likelihoods: of the reader, of one to whom links are alike, of the chain without goals."""
        rest, stopped = self.rest, self.rest.stopped
        with np.errstate(divide="ignore"):
            own = np.where(stopped, np.log(self.stop), np.log1p(-self.stop))
            own[self.own] += np.log(self.share[self.choices.chosen])
            leaving = float(training.stopped.mean())
            links = np.diff(self.graph.first)[rest.page]
            alike = np.where(stopped, np.log(leaving), np.log1p(-leaving) - np.log(links))
        facts = held_out_facts(own, alike, rest.session, "every link alike", "decisions", confidence)
        beside = held_out_facts(own, markov, rest.session, "markov", "decisions", confidence)
        facts["markov_log_likelihood"] = beside["baseline_log_likelihood"]
        facts["markov_difference"], facts["markov_low"], facts["markov_high"] = (
            beside[name] for name in ("difference", "low", "high")
        )
        return facts

    def calibration(self) -> list[dict[str, Any]]:
        """Return predicted and observed shares of links followed, among decisions to follow one."""
        taken = np.zeros(len(self.share), dtype=np.int64)
        taken[self.choices.chosen] = 1
        return binned("follows a link", self.share, np.ones(len(taken), dtype=np.int64), taken)


def _markov(sessions: Sessions, held: BoolArray, links: LinkTable, seed: int) -> Any:
    """Return the chain without goals that the same training sessions give, smoothed towards the same links."""
    from berrypick.analysis.fit.fit import fit

    paths = tuple(path for path, out in zip(sessions.paths, held.tolist(), strict=True) if not out)
    return fit("markov", Sessions(paths), links=links, held_out=0, seed=seed).reader.transitions


def _under_chain(chain: Any, graph: LinkGraph, rest: Decisions) -> FloatArray:
    """Return the logarithm of the probability of each decision under a chain without goals."""
    probability, going = np.zeros(len(graph.target)), np.zeros(len(graph.units))
    for (source, target), p in chain.rows.items():
        page = graph.number.get(source, -1)
        if page >= 0:
            going[page] += p
            place = graph.place(page, graph.number[target]) if target in graph.number else -1
            if place >= 0:
                probability[place] = p
    leaving = 1.0 - going
    leaving[leaving < 1e-6] = 0.0  # the digits that the shares were rounded to
    with np.errstate(divide="ignore"):
        return np.log(np.where(rest.stopped, leaving[rest.page], probability[rest.link]))


def _goal_calibration(
    user: Seek, graph: LinkGraph, texts: Texts | None, sessions: Sessions, held: BoolArray, seed: int
) -> list[dict[str, Any]]:
    """Of held-out sessions towards some of the goals: the reach of the goal from the start, and how many got there.

    A session whose recording stopped before the budget was spent is left out.
    """
    known = [
        i
        for i in np.flatnonzero(held).tolist()
        if sessions.goals[i] in graph.number and sessions.paths[i][0] in graph.number
    ]
    known = [i for i in known if sessions.paths[i][-1] != CUT or len(sessions.paths[i]) - 2 == user.budget]
    goals = sorted({graph.number[sessions.goals[i]] for i in known})
    if len(goals) > CHECKED:
        goals = np.random.default_rng([_GOALS, seed]).choice(goals, CHECKED, replace=False).tolist()
    reach = {
        goal: goal_reach(graph, goal, graph.chances(user.attraction(graph, goal, texts)), user.patience)
        for goal in goals
    }
    kept = [i for i in known if graph.number[sessions.goals[i]] in reach and sessions.paths[i][0] != sessions.goals[i]]
    predicted = [reach[graph.number[sessions.goals[i]]][graph.number[sessions.paths[i][0]]] for i in kept]
    observed = [sessions.goals[i] in sessions.paths[i] for i in kept]
    ones = np.ones(len(kept), dtype=np.int64)
    return binned("gets to the goal", np.array(predicted), ones, np.array(observed, dtype=np.int64)) if kept else []


def _data(sessions: Sessions, decisions: Decisions) -> dict[str, Any]:
    lines = (f"{';'.join(path)}\t{goal}" for path, goal in zip(sessions.paths, sessions.goals, strict=True))
    return {
        "checksum": data_checksum(lines),
        "sessions": len(sessions.paths),
        "players": len(set(sessions.players) - {""}) or None,
        "decisions": len(decisions),
        "pages": len(sessions.units),
        "cut_off": sum(path[-1] == CUT for path in sessions.paths),
        "left_out": dict(decisions.left_out),
    }


def _notes(
    sessions: Sessions,
    decisions: Decisions,
    training: Decisions,
    estimate: SeekEstimate,
    given: dict[str, Any],
    words: WordVectors | None,
) -> list[Note]:
    found = [Note("left out", f"left out: {number} {what}") for what, number in sorted(decisions.left_out.items())]
    if len(set(sessions.players) - {""}) < 2:
        found.append(Note("clusters", "fewer than two players are named, so intervals treat sessions as independent"))
    elif estimate.clusters < FEW:
        players = counted(estimate.clusters, "player")
        found.append(Note("clusters", f"intervals rest on {players}: they are rough, and valid only for such players"))
    if "stop" not in given and not training.stopped.any():
        found.append(Note("stopping", "nobody stopped before the goal in the training part: stop is 0"))
    if sessions.budget is not None and "budget" not in given:
        clicks = counted(sessions.budget, "click")
        found.append(Note("budget", f"the model allows {clicks}, as the log did; seek(budget=..) changes that"))
    if words is not None and words.missing:
        found.append(Note("texts", f"{counted(words.missing, 'page')} without a text: like no other page"))
    return found
