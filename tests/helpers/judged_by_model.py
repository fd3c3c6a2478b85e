"""Truths by people and by a model, and runs: people judge the first topics, the model judges all of them."""

from __future__ import annotations

import random

TOPICS = [f"q{i:03d}" for i in range(80)]


def world(people: int = 30, seed: int = 1, of: int = 80):
    """Return judgements by people and by the model, and two runs, the second of which is worse."""
    draw = random.Random(seed)
    names = ["a", "b", "c", "d"]
    truth, model, runs = {}, {}, {"old": {}, "new": {}}
    for topic in TOPICS[:of]:
        good = draw.sample(names, draw.randint(1, 3))
        truth[topic] = {name: int(name in good) for name in names}
        model[topic] = {name: int((name in good) != (draw.random() < 0.15)) for name in names}
        if not any(model[topic].values()):
            model[topic][good[0]] = 1
        for run, skill in (("old", 0.6), ("new", 0.0)):
            ranked = sorted(names, key=lambda name: -(draw.random() + skill * (name in good)))
            runs[run][topic] = {name: float(9 - rank) for rank, name in enumerate(ranked)}
    return {topic: truth[topic] for topic in TOPICS[:people]}, model, runs
