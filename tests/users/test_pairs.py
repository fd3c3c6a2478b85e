"""Reach as one list of pairs, against loops over documents, ranks and targets; digits must be equal."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from berrypick import users
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users import ReaderContext, pairs
from berrypick.users.pairs import covered, same_document_pairs

PLACES = st.one_of(st.integers(0, 20), st.floats(0, 20, allow_nan=False))


@st.composite
def scenes(draw: st.DrawFn, positions=PLACES) -> tuple[Ranking, Targets]:
    """Spans of a few documents; several may share a rank, some are empty, some targets are points."""
    kind = draw(st.sampled_from([np.int64, np.float64]))

    def spans(most: int) -> list[tuple[int, float, float]]:
        pairs = draw(st.lists(st.tuples(st.integers(0, 3), positions, positions), min_size=1, max_size=most))
        return [(document, min(a, b), max(a, b)) for document, a, b in pairs]

    rows, wanted = spans(12), spans(6)
    rank = np.cumsum([0, *draw(st.lists(st.integers(0, 1), min_size=len(rows) - 1, max_size=len(rows) - 1))])
    ranking = Ranking(
        ["a", "b", "c", "d"],
        np.array([document for document, _, _ in rows]),
        rank.astype(np.int64),
        int(rank[-1]) + 1,
        np.array([start for _, start, _ in rows]).astype(kind),
        np.array([end for _, _, end in rows]).astype(kind),
    )
    ones = np.ones(len(wanted))
    names = tuple("bcde"[document] for document, _, _ in wanted)
    start, end = (np.array([span[i] for span in wanted]).astype(kind) for i in (1, 2))
    return ranking, Targets(names, ones, ones, ones, start, end)


@given(scenes())
def test_every_pointer_with_every_target_of_its_document(scene):
    ranking, targets = scene
    row, target = same_document_pairs(ranking, targets)
    assert list(zip(row.tolist(), target.tolist(), strict=True)) == [
        (i, x)
        for i in range(len(ranking))
        for x in range(len(targets))
        if ranking.documents[int(ranking.document[i])] == targets.document[x]
    ]


def _covered(ranking: Ranking, targets: Targets, rank: int, x: int) -> float:
    """The regions of a rank in the target's document, joined where they touch, then cut to the target."""
    regions = sorted(
        (float(ranking.start[i]), float(ranking.end[i]))
        for i in np.flatnonzero(ranking.rank == rank)
        if ranking.documents[int(ranking.document[i])] == targets.document[x] and ranking.end[i] > ranking.start[i]
    )
    joined: list[list[float]] = []
    for start, end in regions:
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    low, high = float(targets.start[x]), float(targets.end[x])
    if low == high:
        return float(any(start <= low < end for start, end in joined))
    total = 0.0
    for start, end in joined:
        total += max(min(end, high) - max(start, low), 0.0)
    return total / (high - low)


@given(scenes())
def test_few_pairs_are_as_many(scene):
    looked_at = covered.__wrapped__(*scene)
    few, pairs.FEW_PAIRS = pairs.FEW_PAIRS, 0
    try:
        in_order = covered.__wrapped__(*scene)
    finally:
        pairs.FEW_PAIRS = few
    assert [column.tolist() for column in looked_at] == [column.tolist() for column in in_order]


@given(scenes())
def test_regions_of_one_rank_cover_a_target_together(scene):
    ranking, targets = scene
    found = dict(zip(zip(*(column.tolist() for column in covered(ranking, targets)[:2]), strict=True),
                     covered(ranking, targets)[2].tolist(), strict=True))  # fmt: skip
    for rank in range(ranking.ranks):
        for x in range(len(targets)):
            assert found.get((rank, x), 0.0) == _covered(ranking, targets, rank, x)


@given(scenes(), st.sampled_from(["hierarchy", "distance", "bep(L=50)"]))
def test_pointers_of_one_rank_combine_in_turn(scene, model):
    """A rank of several pointers leads to a target unless none of them does: 1 - (1 - p)(1 - q) ..., in their order."""
    ranking, targets = scene
    apart = Ranking(
        ranking.documents, ranking.document, np.arange(len(ranking)), len(ranking), ranking.start, ranking.end
    )
    user = users.build(model)
    single = user.reach(apart, targets, ReaderContext()).dense()
    expected = np.zeros((ranking.ranks, len(targets)))
    for row, rank in enumerate(ranking.rank.tolist()):
        expected[rank] += (1.0 - expected[rank]) * single[row]
    assert (user.reach(ranking, targets, ReaderContext()).dense() == expected).all()
