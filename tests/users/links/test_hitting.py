"""Chains of pages: by the inverse, by iteration, by factors, each against the first-step equations of one target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from berrypick.kernels import native
from berrypick.users.links import _hitting as hitting
from berrypick.users.links._hitting import Chain

SHARES = st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.3, 0.5, 1.0])


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    """Some pages never end, some have no links, some are left half of the time."""
    size = draw(st.integers(1, 7))
    weight = np.array(draw(st.lists(st.lists(SHARES, min_size=size, max_size=size), min_size=size, max_size=size)))
    total = np.maximum(weight.sum(axis=1), 1.0) / np.array(
        draw(st.lists(st.sampled_from([1.0, 0.9, 0.5]), min_size=size, max_size=size))
    )
    source, target = np.nonzero(weight)
    return Chain(map(str, range(size)), source, target, (weight / total[:, None])[source, target])


@given(chains(), st.sampled_from(["inverse", "iteration", "factors"]))
def test_every_way_solves_the_same_equations(chain, way):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hitting, "MOST_INVERTED", 2000 if way == "inverse" else 0)
        patch.setattr(hitting, "MOST_STEPS", 0 if way == "factors" else 100_000)
        patch.setattr(hitting, "BLOCK", 3)
        found = dict(chain.columns(range(len(chain.units))))
    for target in range(len(chain.units)):
        expected = Chain._by_equations(chain, target)
        assert found[target] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert found[target][target] == 1.0


@given(chains(), st.integers(1, 4), st.sampled_from([None, 1.5]))
def test_steps_are_counted_route_by_route(chain, steps, trail):
    """P(at the target within t steps), by powers of a dense matrix in which the target keeps a reader."""
    weight = [0.0] * (steps - 1) + [1.0] if trail is None else [t**-trail for t in range(1, steps + 1)]
    for target, column in chain.columns(range(len(chain.units)), steps, trail):
        stays = chain.step.toarray()
        stays[target] = 0.0
        stays[target, target] = 1.0
        at = [np.linalg.matrix_power(stays, t)[:, target] for t in range(1, steps + 1)]
        expected = sum(w * one for w, one in zip(weight, at, strict=True)) / sum(weight)
        assert column == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_columns_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(hitting, "MOST_KEPT", 5)
    monkeypatch.setattr(hitting, "BLOCK", 1)
    chain = Chain("abc", np.array([0, 1]), np.array([1, 2]), np.array([0.5, 0.5]))
    first = {target: column.tolist() for target, column in chain.columns([0, 1, 2])}
    assert len(chain._known) < 3
    assert {target: column.tolist() for target, column in chain.columns([0, 1, 2])} == first
    assert first[2] == [0.25, 0.5, 1.0]


@pytest.mark.slow
def test_compiled_iteration_ends_at_the_same_bits():
    """Whatever the order of rows: sums of positive terms from below settle at the least numbers that solve them."""
    if native() is None:
        pytest.skip("no compiled kernels")
    drawn = np.random.default_rng(11)
    alike = 0
    for turn in range(40):
        size, targets = int(drawn.integers(1, 60)), int(drawn.integers(1, 20))
        weight = drawn.random((size, size)) * (drawn.random((size, size)) < drawn.choice([0.05, 0.3]))
        share = drawn.choice([0.5, 0.85, 0.99, 1.0])
        total = weight.sum(axis=1, keepdims=True)
        step = sparse.csr_matrix(np.divide(share * weight, total, out=np.zeros_like(weight), where=total > 0))
        own = drawn.integers(0, size, targets), np.arange(targets)
        fast, fast_settled = hitting.iterated(step, own)
        plain, settled = hitting.plain_iterated(step, own)
        assert fast_settled[settled].all(), f"turn {turn}: what all rows together settle, rows one by one do"
        assert (fast[:, settled] == plain[:, settled]).all()
        late = fast_settled & ~settled  # the plain form was not at the end
        assert (fast[:, late] >= plain[:, late]).all() and np.allclose(fast[:, late], plain[:, late], rtol=1e-3)
        alike += int(settled.sum())
    assert alike > 200


def test_full_columns_share_their_units():
    chain = Chain("abc", np.array([0, 1, 2]), np.array([1, 2, 0]), np.full(3, 0.5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hitting, "MOST_INVERTED", 0)
        found = dict(chain.columns([0, 1]))
    assert found[0].tolist() == [1.0, 0.25, 0.5] and found[1].tolist() == [0.5, 1.0, 0.25]
    assert chain._known[0, None, None][0] is chain._known[1, None, None][0]
