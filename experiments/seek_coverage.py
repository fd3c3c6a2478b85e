"""How often intervals of seek's parameters hold the values with which games were played.

    python experiments/seek_coverage.py [--seeds LOGS]

Logs of 120 games on 15 pages, 40 players: all alike, or players for whom the goal attracts more or less than for others
(a standard deviation of 1). From each log seek is fitted, with intervals clustered by player and with games taken as
independent. Printed: the share of the 95% intervals that hold the value. Where players differ, goal stands for the
middle of them, which the model does not have: its value is that of a fit to 12,000 games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from _collection import arguments
from _games import played, random_links
from data import told

import berrypick as bp
from berrypick.users.links.seek import Seek

TRUE = {"goal": 2.0, "near": 1.0, "indegree": 0.5, "stop": 0.1, "tiring": 0.05}
GAMES, PLAYERS, MANY = 120, 40, 12_000


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=200)
    random = np.random.default_rng(11)
    links, user = random_links(random, 15, 0.25), Seek(**TRUE)
    print(f"95% intervals that hold the value, of {given.seeds} logs")
    print(f"players     clusters  {'  '.join(f'{name:>8}' for name in TRUE)}")
    for name, spread in (("alike", 0.0), ("differ", 1.0)):
        values = TRUE
        if spread:
            many = GAMES if given.small else MANY
            wide = played(user, links, np.random.default_rng(12), many, players=many // 3, spread=spread)
            values = {one: v["value"] for one, v in bp.fit("seek", wide, links=links, held_out=0).parameters.items()}
        held = {"players": dict.fromkeys(TRUE, 0), "games": dict.fromkeys(TRUE, 0)}
        for seed in range(given.seeds):
            games = played(user, links, np.random.default_rng([13, seed]), GAMES, players=PLAYERS, spread=spread)
            for clusters, log in (("players", games), ("games", replace(games, players=()))):
                found = bp.fit("seek", log, links=links, held_out=0).parameters
                for one, v in found.items():
                    held[clusters][one] += v["low"] <= values[one] <= v["high"]
        for clusters, counts in held.items():
            shares = "  ".join(f"{count / given.seeds:8.3f}" for count in counts.values())
            print(f"{name:10}  {clusters:8}  {shares}", flush=True)


if __name__ == "__main__":
    with told():
        main()
