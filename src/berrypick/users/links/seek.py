"""seek: the reader follows links towards a goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.navigation import LinkTable
from berrypick.data.parameters import parameter
from berrypick.documents.texts import Texts
from berrypick.users.base import Leads, NavigationModel, ReaderContext, Slider, themselves, wrong_navigation
from berrypick.users.learnt import Learnt
from berrypick.users.links.seek_chain import LinkGraph, Patience, goal_reach, link_graph
from berrypick.users.links.seek_texts import word_vectors

#: The most clicks of a budget, and the most numbers that are kept of all goals.
MOST_BUDGET, MOST_KEPT = 100_000, 1 << 25


@dataclass(frozen=True)
class Seek(NavigationModel):
    """The reader knows the target and follows links towards it, as agents and people do who look for a page.

    The option navigation gives the links. On page i, with target x, the reader follows the link to j with a probability
    proportional to exp(goal [j is x] + near [j links to x] + indegree log(pages that link to j) + similarity cos(j, x))
    among the links of i; the cosine is that of the words of the texts (option documents), and a page without a text is
    like no other one. Before click d + 1 the reader stops with probability s(d), d clicks having been made: s(0) is
    stop, and the log-odds of s change by tiring with each click. A page without links ends the walk, and so does the
    budget of clicks. A link given twice counts once, and one of a page to itself is a link.

    Reach is the probability of getting to the target, exact from the chain of that target. Each target is a goal of its
    own: what a reader with several goals sees together is not said. ``berrypick fit seek`` learns the parameters from
    games or sessions whose goals are known; the defaults are about what people do in Wikispeedia.
    Effort: the length of what is pointed to, and of the targets reached outside of it.

    Examples
    --------
    Of two links one leads to the page that links to the target: e^2/(e^2 + 1) = .8808 take it, and then all find it.

    >>> import berrypick as bp
    >>> from berrypick.data.navigation import LinkTable
    >>> links = LinkTable(dict.fromkeys([("home", "docs"), ("home", "blog"), ("docs", "install")]))
    >>> given = {"truth": {"q": {"install": 1}}, "run": {"q": {"home": 1}}, "navigation": links}
    >>> round(bp.score("ExpectedRatio@1", **given, user="seek(near=2,indegree=0,stop=0)"), 4)
    0.8808
    """

    navigation: ClassVar[tuple[type, ...]] = (LinkTable,)
    navigation_needed: ClassVar[str] = "a table of links (from, to)"
    slider: ClassVar[Slider | None] = (("stop",), (0.0, 0.05, 0.1, 0.2, 0.4))

    goal: float = parameter(7.0, "number", "how much the target attracts more than another page, in log-odds")
    near: float = parameter(3.0, "number", "how much a page that links to the target attracts more, in log-odds")
    indegree: float = parameter(
        0.25, "number", "how much a page attracts by the logarithm of the number of its links in"
    )
    similarity: float = parameter(0.0, "number", "how much a page attracts by the likeness of its text to the target's")
    stop: float = parameter(
        0.06, "number", "probability of stopping before the first click", check=lambda v: 0 <= v <= 1, must="in [0, 1]"
    )
    tiring: float = parameter(0.0, "number", "change of the log-odds of stopping with each click")
    budget: int | None = parameter(
        None, "int", "maximum clicks; unlimited by default", check=lambda v: 1 <= v <= MOST_BUDGET,
        must=f"in 1 .. {MOST_BUDGET}",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tiring != 0 and self.stop == 0:
            raise UsageError("seek(tiring=) changes the log-odds of stopping, so stop must be above 0")

    def leads(self, sources: list[str], targets: list[str], context: ReaderContext) -> Leads:
        if not isinstance(context.navigation, LinkTable):
            raise wrong_navigation(self, context)
        reach = goals_of(self, context.navigation, context.texts if self.similarity else None)
        known = reach.graph.number
        rows = np.array([i for i, name in enumerate(sources) if name in known], dtype=np.int64)
        states = np.array([known[sources[i]] for i in rows.tolist()], dtype=np.int64)
        found = [themselves(sources, targets, known)]
        for j, target in enumerate(targets):
            if target in known and len(rows):
                column = reach.column(known[target])[states]
                led = np.flatnonzero(column)
                found.append((rows[led], np.full(len(led), j), column[led]))
        source, target_, probability = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return source, target_, probability

    def no_walk(self) -> str:
        return "the model treats each target as a separate goal and does not describe readers with several goals"

    def attraction(self, graph: LinkGraph, goal: int, texts: Texts | None) -> FloatArray:
        """Return how much every page attracts a reader with a goal, in log-odds."""
        value = self.indegree * graph.log_in_degree
        value[graph.linking_to(goal)] += self.near
        value[goal] += self.goal
        if self.similarity:
            if texts is None:
                raise UsageError(f"seek(similarity=) needs the texts of the pages, given with {option('documents')}")
            value += self.similarity * word_vectors(graph.units, texts).like(goal)
        return value

    @classmethod
    def fit(  # type: ignore[override]
        cls,
        log: Any,
        *,
        links: Any = None,
        goals: Any = None,
        documents: Any = None,
        held_out: float = 0.2,
        seed: int = 0,
        confidence: float = 0.95,
        given: Mapping[str, Any] | None = None,
    ) -> Learnt:
        """Estimate the parameters from sessions whose goals are known, by conditional logit.

        Parameters
        ----------
        log : str, path, Sessions or list of paths
            The sessions.
        links : LinkTable, str or path
            The links that could be followed.
        goals : path or list of str, optional
            The goal of each session, where the log does not have them: a file (session TAB goal), or one a session.
        documents : Texts, mapping, str or path, optional
            The texts of pages; similarity is estimated where they are given.
        held_out, seed, confidence
            As for :func:`berrypick.fit`.
        given : mapping, optional
            Parameters that stay as they are.

        Returns
        -------
        Learnt
            The model with its parameters, their intervals, and what the sessions held out say.
        """
        from berrypick.analysis.fit.seek_fit import fit_seek  # loads SciPy

        return fit_seek(
            cls,
            log,
            links=links,
            goals=goals,
            documents=documents,
            given=dict(given or {}),
            held_out=held_out,
            seed=seed,
            confidence=confidence,
        )

    @property
    def patience(self) -> Patience:
        """When readers stop."""
        return Patience(self.stop, self.tiring, self.budget)


class GoalColumns:
    """Reach of goals from every page, each computed when it is first asked for."""

    def __init__(self, user: Seek, links: LinkTable, texts: Texts | None) -> None:
        self.user, self.texts, self.graph = user, texts, link_graph(links)
        self._known: dict[int, FloatArray] = {}

    def column(self, goal: int) -> FloatArray:
        """Return P(visit the goal) from every page."""
        if goal not in self._known:
            if len(self._known) * len(self.graph.units) > MOST_KEPT:
                self._known.clear()
            chances = self.graph.chances(self.user.attraction(self.graph, goal, self.texts))
            self._known[goal] = goal_reach(self.graph, goal, chances, self.user.patience)
        return self._known[goal]


@lru_cache(maxsize=8)
def goals_of(user: Seek, links: LinkTable, texts: Texts | None) -> GoalColumns:
    """Return the reach of goals for one reader, kept from topic to topic and run to run."""
    return GoalColumns(user, links, texts)
