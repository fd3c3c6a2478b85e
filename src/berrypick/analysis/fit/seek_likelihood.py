"""Conditional logit of followed links and logistic regression of stopping: maximum likelihood with clustered errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from berrypick.analysis.fit.seek_games import Decisions
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.users.links.seek_chain import LinkGraph
from berrypick.users.links.seek_texts import WordVectors

#: What a link may attract by, in the order of the columns.
FEATURES = ("goal", "near", "indegree", "similarity")
#: Log-odds this far from 0 mean that there is no maximum; alternatives that are looked at together.
FAR, BLOCK = 25.0, 1 << 20
_TURNS, _TINY = 100, 1e-10


class AtPoint(NamedTuple):
    """The log-likelihood at a point, the score of every decision, and the information."""

    value: float
    scores: FloatArray
    information: FloatArray


@dataclass(frozen=True, eq=False)
class Choices:
    """The links that could be followed, one decision after the other, and which one was."""

    goal: BoolArray
    near: BoolArray
    log_in_degree: FloatArray
    like: Any
    begin: IntArray  # where the links of each decision begin; one more than there are decisions
    chosen: IntArray  # the place of the link that was followed

    def __len__(self) -> int:
        return len(self.chosen)

    def columns(self, place: slice, names: Sequence[str]) -> FloatArray:
        """Return features of some of the links."""
        like = self.like if self.like is not None else np.zeros(0, dtype=np.float32)
        known = {"goal": self.goal, "near": self.near, "indegree": self.log_in_degree, "similarity": like}
        return np.stack([known[name][place].astype(np.float64) for name in names], axis=1)

    def blocks(self) -> list[tuple[int, int]]:
        """Return ranges of decisions with not too many links each."""
        cuts = [0]
        while cuts[-1] < len(self):
            last = int(np.searchsorted(self.begin, self.begin[cuts[-1]] + BLOCK, side="right")) - 1
            cuts.append(max(cuts[-1] + 1, min(last, len(self))))
        return list(itertools.pairwise(cuts))


def choices_of(decisions: Decisions, graph: LinkGraph, words: WordVectors | None) -> tuple[Choices, IntArray]:
    """Return the alternatives of all decisions to follow a link, and the places of these decisions."""
    own = np.flatnonzero(~decisions.stopped)
    own = own[np.argsort(decisions.goal[own], kind="stable")]  # what a goal says of pages is looked up once
    page, goal = decisions.page[own], decisions.goal[own]
    count = (graph.first[page + 1] - graph.first[page]).astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(count)])
    link = np.arange(int(begin[-1])) - np.repeat(begin[:-1] - graph.first[page], count)
    target = graph.target[link]
    near = np.zeros(len(target), dtype=bool)
    like = None if words is None else np.zeros(len(target), dtype=np.float32)
    edges = np.flatnonzero(np.diff(goal, prepend=-1, append=-1))
    for first, last in itertools.pairwise(edges):
        x, place = int(goal[first]), slice(int(begin[first]), int(begin[last]))
        linking = np.zeros(len(graph.units), dtype=bool)
        linking[graph.linking_to(x)] = True
        near[place] = linking[target[place]]
        if words is not None and like is not None:
            like[place] = words.like(x)[target[place]]
    chosen = begin[:-1] + decisions.link[own] - graph.first[page]
    found = Choices(target == np.repeat(goal, count), near, graph.log_in_degree[target], like, begin, chosen)
    return found, own


def choice_chances(choices: Choices, weights: dict[str, float]) -> FloatArray:
    """Return the probability of every link."""
    names = list(weights)
    found = np.zeros(int(choices.begin[-1]))
    for first, last in choices.blocks():
        place = slice(int(choices.begin[first]), int(choices.begin[last]))
        value = choices.columns(place, names) @ np.array(list(weights.values())) if names else found[place]
        found[place] = _shares(value, choices.begin[first:last] - place.start, np.diff(choices.begin[first : last + 1]))
    return found


def _shares(value: FloatArray, begin: IntArray, count: IntArray) -> FloatArray:
    weight = np.exp(value - np.repeat(np.maximum.reduceat(value, begin), count))
    return np.asarray(weight / np.repeat(np.add.reduceat(weight, begin), count), dtype=np.float64)


def choice_likelihood(
    choices: Choices, names: Sequence[str], fixed: dict[str, float]
) -> Callable[[FloatArray], AtPoint]:
    """Return the likelihood of followed links as a function of some weights, the others being given."""

    def at(weights: FloatArray) -> AtPoint:
        value, scores = 0.0, np.zeros((len(choices), len(names)))
        information = np.zeros((len(names), len(names)))
        for first, last in choices.blocks():
            start, end = int(choices.begin[first]), int(choices.begin[last])
            begin, count = choices.begin[first:last] - start, np.diff(choices.begin[first : last + 1])
            x = choices.columns(slice(start, end), names)
            held = choices.columns(slice(start, end), list(fixed)) @ np.array(list(fixed.values())) if fixed else 0.0
            share = _shares(np.asarray(x @ weights + held), begin, count)
            chosen = choices.chosen[first:last] - start
            mean = np.stack([np.add.reduceat(share * column, begin) for column in x.T], axis=1)
            value += float(np.log(share[chosen]).sum())
            scores[first:last] = x[chosen] - mean
            information += (x * share[:, None]).T @ x - mean.T @ mean
        return AtPoint(value, scores, information)

    return at


def stop_likelihood(stopped: BoolArray, clicks: IntArray, tiring: float | None) -> Callable[[FloatArray], AtPoint]:
    """Return the likelihood of stopping as a function of its log-odds at first, and of what a click adds to them."""
    columns = [np.ones(len(stopped))] if tiring is not None else [np.ones(len(stopped)), clicks.astype(np.float64)]
    x, held = np.stack(columns, axis=1), (tiring or 0.0) * clicks

    def at(weights: FloatArray) -> AtPoint:
        odds = x @ weights + held
        chance = 0.5 * (1.0 + np.tanh(0.5 * odds))
        value = -float(np.logaddexp(0.0, np.where(stopped, -odds, odds)).sum())
        spread = (chance * (1.0 - chance))[:, None]
        return AtPoint(value, (stopped - chance)[:, None] * x, (x * spread).T @ x)

    return at


def maximise(
    at: Callable[[FloatArray], AtPoint], start: FloatArray, names: Sequence[str]
) -> tuple[FloatArray, AtPoint]:
    """Return where a concave likelihood is greatest; refuse where the decisions do not say so."""
    weights, here = start, at(start)
    for _ in range(_TURNS):
        size = np.sqrt(np.maximum(np.diag(here.information), 0.0))
        if (size <= 1e-8 * math.sqrt(max(len(here.scores), 1))).any():
            raise _unknown(names[int(np.argmin(size))])
        scaled = here.information / np.outer(size, size)
        values, vectors = np.linalg.eigh(scaled)
        if values[0] < 1e-9:
            raise _unknown(names[int(np.argmax(np.abs(vectors[:, 0])))])
        step = np.linalg.solve(here.information, here.scores.sum(axis=0))
        step *= min(1.0, 4.0 / float(np.abs(step).max() or 1.0))
        while (new := at(weights + step)).value < here.value - 1e-9 * abs(here.value) and np.abs(step).max() > _TINY:
            step = step / 2
        weights, here = weights + step, new
        far = np.abs(weights) > FAR
        if far.any():
            raise _unknown(names[int(np.argmax(np.abs(weights)))])
        if float(np.abs(step).max()) < _TINY:
            break
    return weights, here


def _unknown(name: str) -> UsageError:
    return UsageError(
        f"the log cannot identify {name}: its decisions are as likely whatever it is, or ever likelier the further it "
        f"is from 0; give it, as in seek({name}=0), or record more sessions"
    )


def clustered(scores: FloatArray, information: FloatArray, cluster: IntArray) -> tuple[FloatArray, int]:
    """Return the covariance of estimates that allows for any dependence inside clusters, and how many there are."""
    _, place = np.unique(cluster, return_inverse=True)
    groups = int(place.max()) + 1
    if groups < 2:
        raise UsageError("the uncertainty cannot be estimated: all decisions come from one session")
    sums = np.stack([np.bincount(place, weights=column, minlength=groups) for column in scores.T], axis=1)
    inverse = np.linalg.inv(information)
    return inverse @ (sums.T @ sums) @ inverse * groups / (groups - 1), groups
