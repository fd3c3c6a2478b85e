"""Sessions with goals as decisions: at which page, after how many clicks, for which goal, which link, or stopping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from berrypick import formats
from berrypick.data.arrays import BoolArray, IntArray
from berrypick.data.errors import InputError, UsageError, option
from berrypick.data.navigation import BACK, CUT, Sessions
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.formats.base import Problems
from berrypick.users.links.seek_chain import LinkGraph

#: What is left out of the decisions, by why.
BACK_STEPS = "steps back, not along a link"
OFF_LINKS = "steps along links that are not in the table"
AFTER_GOAL = "sessions that went on after their goal, cut off there"
NO_GOAL = "sessions without a goal, or whose goal the table of links does not have"


@dataclass(frozen=True, eq=False)
class Decisions:
    """Every decision of sessions on the way to their goals; stopping is link -1."""

    page: IntArray
    clicks: IntArray
    goal: IntArray
    link: IntArray  # the place of the link among all links
    session: IntArray
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.page)

    @property
    def stopped(self) -> BoolArray:
        """Which decisions are to stop."""
        return self.link < 0

    def part(self, chosen: BoolArray) -> Decisions:
        """Return some of the decisions."""
        page, clicks, goal = self.page[chosen], self.clicks[chosen], self.goal[chosen]
        return Decisions(page, clicks, goal, self.link[chosen], self.session[chosen], self.left_out)


def decisions_of(sessions: Sessions, graph: LinkGraph) -> Decisions:
    """Return the decisions of all sessions whose goal is known."""
    rows: list[tuple[int, int, int, int, int]] = []
    left_out: Counter[str] = Counter()
    for number, (path, goal) in enumerate(zip(sessions.paths, sessions.goals, strict=True)):
        if goal not in graph.number:
            left_out[NO_GOAL] += 1
            continue
        x = graph.number[goal]
        rows += [(page, clicks, x, link, number) for page, clicks, link in _steps(path, goal, graph, left_out)]
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    page, clicks, goals, link, session = table.T
    return Decisions(page, clicks, goals, link, session, dict(left_out))


def _steps(path: Sequence[str], goal: str, graph: LinkGraph, left_out: Counter[str]) -> list[tuple[int, int, int]]:
    """Return page, clicks so far and link of every decision of a session before its goal."""
    found: list[tuple[int, int, int]] = []
    trail = [path[0]]
    for clicks, step in enumerate(path[1:]):
        if step == CUT:
            return found
        if trail[-1] == goal:
            left_out[AFTER_GOAL] += 1
            return found
        if step == BACK:
            left_out[BACK_STEPS] += 1
            trail.pop()
            continue
        page, link = graph.number.get(trail[-1], -1), -1
        if page >= 0 and step in graph.number:
            link = graph.place(page, graph.number[step])
        if link < 0:
            left_out[OFF_LINKS] += 1
        else:
            found.append((page, clicks, link))
        trail.append(step)
    page = graph.number.get(trail[-1], -1)
    if trail[-1] != goal and page >= 0 and len(graph.links_of(page)):
        found.append((page, len(path) - 1, -1))
    return found


def read_games(log: Any, goals: Any) -> Sessions:
    """Return sessions with their goals, from what a person gave."""
    if isinstance(log, (str, PathLike)):
        log = formats.read_any(log, "navigation")
    elif isinstance(log, (list, tuple)) and all(isinstance(path, (list, tuple)) and path for path in log):
        log = Sessions(tuple(tuple(map(str, path)) for path in log))
    if not isinstance(log, Sessions):
        raise UsageError(f"seek is estimated from sessions, not from {type(log).__name__}")
    if goals is None:
        if not log.goals:
            raise UsageError(
                f"seek needs the goal of each session, which {log.source or 'the log'} does not have: give them with "
                f"{option('goals')} (session TAB goal; sessions count from 1)"
            )
        return log
    if isinstance(goals, (str, PathLike)):
        return _with_goals(log, *_goals_in(fspath(goals), len(log.paths)))
    given = [str(goal) for goal in goals]
    if len(given) != len(log.paths):
        sessions, of = counted(len(log.paths), "session"), counted(len(given), "goal")
        raise UsageError(f"{option('goals')} has {of} for {sessions}")
    return _with_goals(log, given, [])


def _with_goals(log: Sessions, goals: Sequence[str], players: Sequence[str]) -> Sessions:
    return replace(log, goals=tuple(goals), players=tuple(players) if any(players) else log.players)


def _goals_in(path: str, sessions: int) -> tuple[list[str], list[str]]:
    """Return goals and players from a file: session, goal, and who it was, separated by TABs."""
    goals, players, seen = [""] * sessions, [""] * sessions, dict[int, int]()
    for line, text in content(path, Problems(path)):
        fields = text.rstrip("\r\n").split("\t")
        if len(fields) not in (2, 3) or not all(fields):
            raise InputError(
                "is not session TAB goal", path=path, line=line, text=text, remedy="a third column names the player"
            )
        if not (fields[0].isascii() and fields[0].isdigit() and 1 <= int(fields[0]) <= sessions):
            raise InputError(
                f"there is no session {fields[0]!r:.40}", path=path, line=line, text=text,
                remedy=f"the log has {counted(sessions, 'session')}, which count from 1",
            )  # fmt: skip
        place = int(fields[0]) - 1
        if place in seen:
            raise InputError(f"session {fields[0]} has a goal in line {seen[place]}", path=path, line=line, text=text)
        seen[place] = line
        goals[place], players[place] = fields[1], (*fields, "")[2]
    return goals, players
