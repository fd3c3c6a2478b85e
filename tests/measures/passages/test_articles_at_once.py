"""Articles scored at once are those scored one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.truth import TopicTruth, Truth
from berrypick.measures.passages import _articles
from berrypick.measures.passages._articles import Rule
from berrypick.topics.topic import JudgedTopic


@pytest.mark.parametrize("beta", [0.25, 1.0, 0.0])
@pytest.mark.parametrize("seed", range(15))
def test_articles_scored_at_once_are_those_scored_one_by_one(seed, beta, monkeypatch):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    start = rng.integers(0, 50, count)
    run = assemble(
        tag="run", topic=["1"] * count, document=[f"d{i}" for i in rng.integers(0, 9, count)],
        start=start, end=start + rng.integers(0, 20, count), duplicates="keep",
    )  # fmt: skip
    low = rng.integers(0, 60, 8)
    judged = TopicTruth(
        "1", tuple(f"d{i}" for i in rng.integers(0, 12, 8)), np.ones(8), low, low + rng.integers(0, 9, 8)
    )
    topic: JudgedTopic = bp.judge(Truth("spans", {"1": judged}), run, "1")
    found = _articles.scored.__wrapped__(topic, Rule("F", beta))
    monkeypatch.setattr(_articles, "_scored_at_once", lambda view, beta: pytest.fail("called"))
    whole = _articles.view_of(topic)
    ranking = whole.ranking
    assert ranking.start is not None and ranking.end is not None
    real = replace(whole, ranking=replace(ranking, start=ranking.start.astype(float), end=ranking.end.astype(float)))
    monkeypatch.setattr(_articles, "view_of", lambda judged: real)
    slow = _articles.scored.__wrapped__(topic, Rule("F", beta))
    for column in ("document", "score", "relevant"):
        assert getattr(found, column).tolist() == getattr(slow, column).tolist()
    assert found.total == slow.total and found.names(99) == slow.names(99)
