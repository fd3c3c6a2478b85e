"""What Hypothesis draws from: small matrices of reach, worlds of spans, rankings of documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

#: The certain, the impossible, and everything between; tiny ones included.
PROBABILITIES = st.one_of(
    st.sampled_from([0.0, 0.0, 0.0, 1.0]),
    st.sampled_from([0.5, 0.25, 0.1, 1e-3, 1e-9, 0.999]),
    st.floats(0, 1, allow_subnormal=False),
)


@st.composite
def reaches(draw, ranks=(1, 5), targets=(1, 4), coins=8, entries=PROBABILITIES):
    """A matrix with at most so many entries strictly between 0 and 1, so that all outcomes can be enumerated."""
    shape = draw(st.integers(*ranks)), draw(st.integers(*targets))
    values = draw(st.lists(entries, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    left = coins
    for i, value in enumerate(values):
        if 0 < value < 1:
            left -= 1
            if left < 0:
                values[i] = 0.0
    return np.array(values, dtype=np.float64).reshape(shape)


@st.composite
def candidate_rows(draw, most=4, targets=3):
    """Candidates as a user model gives them: every target reaches itself, others reach what they reach."""
    t = draw(st.integers(1, targets))
    own = np.eye(t)
    others = draw(reaches(ranks=(0, most - t) if most > t else (0, 0), targets=(t, t), coins=5))
    return np.vstack([own, others.reshape(-1, t)])


@st.composite
def rankings(draw, longest=12, most=5):
    """(relevant or not at each rank, how many targets there are in all)."""
    flags = draw(st.lists(st.booleans(), max_size=longest))
    targets = draw(st.integers(max(1, sum(flags)), max(1, sum(flags)) + most))
    return flags, targets


def identity_reach(flags, targets):
    """Classic retrieval: the n-th relevant rank reaches the n-th target."""
    matrix = np.zeros((len(flags), targets))
    for n, rank in enumerate(np.flatnonzero(flags)):
        matrix[rank, n] = 1.0
    return matrix


@dataclass(frozen=True)
class SpanWorld:
    """Documents with lengths, targets and results on them; whole numbers."""

    lengths: dict[str, int]
    targets: list[tuple[str, int, int]]
    results: list[tuple[str, int, int]]


@st.composite
def span_worlds(draw, documents=2, length=30, targets=5, results=6):
    lengths = {f"d{i}": draw(st.integers(1, length)) for i in range(draw(st.integers(1, documents)))}

    def spans(least_length, past_the_end=0):
        def one(document):
            end = lengths[document] + past_the_end
            return st.integers(0, max(end - least_length, 0)).flatmap(
                lambda start: st.integers(start + least_length, max(end, start + least_length)).map(
                    lambda stop: (document, start, stop)
                )
            )

        return st.sampled_from(sorted(lengths)).flatmap(one)

    wanted = draw(st.lists(spans(1), min_size=1, max_size=targets, unique=True))
    given = draw(st.lists(spans(0, past_the_end=3), min_size=1, max_size=results, unique=True))
    return SpanWorld(lengths, wanted, given)
