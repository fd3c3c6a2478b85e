"""BM25 of all words and chunks at once, against the formula word by word and chunk by chunk."""

import math
import random
from collections import Counter

from berrypick.analysis.sweep.retrievers import Chunk, _words, bm25


def slow_bm25(chunks, query, depth, k1, b):
    """The score of each chunk by itself; equal scores keep the order of the chunks."""
    counts = [Counter(_words(chunk.text)) for chunk in chunks]
    lengths = [sum(one.values()) for one in counts]
    mean = max(sum(lengths) / max(len(lengths), 1), 1e-9)
    scores = [0.0] * len(chunks)
    for word in dict.fromkeys(_words(query)):
        having = sum(word in one for one in counts)
        rarity = max(math.log((len(chunks) - having + 0.5) / (having + 0.5)), 1e-6)
        for place, one in enumerate(counts):
            if word in one:
                normal = k1 * (1 - b + b * lengths[place] / mean)
                scores[place] += rarity * one[word] * (k1 + 1) / (one[word] + normal)
    ordered = sorted((place for place, score in enumerate(scores) if score), key=lambda place: -scores[place])
    return [(place, scores[place]) for place in ordered[:depth]]


def test_all_at_once_is_what_each_is_by_itself():
    draw, ties = random.Random(3), 0
    for _ in range(150):
        words = ["a", "B", "cc", "dd_e", "f1", "Gräser", "größer", "中文字"][: draw.randrange(1, 9)]
        texts = [" ".join(draw.choices(words, k=draw.randrange(6))) for _ in range(draw.randrange(12))]
        chunks = [Chunk("d", 0, len(text), text) for text in texts]
        queries = {str(i): " ".join(draw.choices([*words, "absent"], k=draw.randrange(5))) for i in range(4)}
        depth, k1, b = draw.randrange(1, 6), draw.choice([0, 0.5, 1.2]), draw.choice([0, 0.75, 1])
        found = bm25(chunks, queries, depth, k1, b)
        for topic, query in queries.items():
            expected = slow_bm25(chunks, query, depth, k1, b)
            ties += len({score for _, score in expected}) < len(expected)
            assert [(place, score.hex()) for place, score in found[topic]] == [(p, s.hex()) for p, s in expected]
    assert ties > 50
