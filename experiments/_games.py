"""Games drawn from a seek reader, click by click."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from berrypick.data.navigation import CUT, LinkTable, Sessions
from berrypick.users.links.seek import Seek
from berrypick.users.links.seek_chain import link_graph


def random_links(random: np.random.Generator, pages: int = 30, share: float = 0.15) -> LinkTable:
    """Pages that link to each other by chance."""
    names = [f"p{i}" for i in range(pages)]
    pairs = [(a, b) for a in names for b in names if a != b and random.random() < share]
    return LinkTable(dict.fromkeys(pairs))


def played(
    user: Seek,
    links: LinkTable,
    random: np.random.Generator,
    games: int,
    players: int = 0,
    budget: int | None = None,
    spread: float = 0.0,
) -> Sessions:
    """Sessions of readers who do what the model says; ``spread`` makes players differ in how much the goal attracts."""
    graph = link_graph(links)
    own = {who: replace(user, goal=user.goal + spread * random.normal()) for who in range(max(players, 1))}
    paths, goals, who = [], [], []
    for number in range(games):
        player = number % players if players else 0
        page, goal = random.choice(len(graph.units), 2, replace=False).tolist()
        chances = graph.chances(own[player].attraction(graph, goal, None))
        path, clicks = [page], 0
        while page != goal and clicks != budget:
            links_of = graph.links_of(page)
            if not len(links_of) or random.random() < float(user.patience.chance(np.array([clicks]))[0]):
                break
            p = chances[graph.first[page] : graph.first[page + 1]]
            page = int(random.choice(links_of, p=p / p.sum()))
            path.append(page)
            clicks += 1
        cut = [CUT] if page != goal and clicks == budget else []
        paths.append((*(graph.units[i] for i in path), *cut))
        goals.append(graph.units[goal])
        who.append(f"player {player}" if players else "")
    return Sessions(tuple(paths), "", tuple(goals), tuple(who) if players else (), budget)
