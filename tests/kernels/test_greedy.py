"""Greedy ideal lists: the rule, the compiled form against the plain one, and what rounding must not decide."""

import numpy as np
import pytest
from generated_inputs import candidate_rows, reaches
from hypothesis import given, settings

from berrypick.data.reach import Reach
from berrypick.kernels import native
from berrypick.kernels.lists import greedy
from berrypick.kernels.lists.greedy import SAME, greedy_lists, plain_greedy_lists
from berrypick.kernels.poisson_binomial import plain_law, upper_tails

compiled = pytest.mark.skipif(native() is None, reason="compiled kernels")
BOTH = [pytest.param(greedy_lists, marks=compiled), plain_greedy_lists]


def laws_after(rows, chosen, candidates):
    """P(F = f) after a list and each of some candidates; what is hardly ever seen is not rounded to never."""
    seen, unseen = np.zeros(rows.shape[1]), np.prod(1.0 - rows[list(chosen)], axis=0)
    for row in rows[list(chosen)]:
        seen += (1.0 - seen) * row
    return plain_law(seen + (1.0 - seen) * rows[candidates], unseen * (1.0 - rows[candidates]))


def follows_the_rule(rows, r, chosen):
    """At each rank the first of the candidates with the largest E[min(F, r)], until r are surely seen."""
    left = np.flatnonzero(rows.any(axis=1)).tolist()
    for k, candidate in enumerate(chosen.tolist()):
        assert (rows[list(chosen[:k])] == 1).any(axis=0).sum() < r, "the list goes on although r are sure"
        value = upper_tails(laws_after(rows, chosen[:k], left))[:, 1 : r + 1].sum(axis=1)
        least, doubt = value.max() * (1 - SAME), value.max() * 1e-13  # two sums of one number may differ so much
        assert value[left.index(candidate)] >= least - doubt
        assert (value[: left.index(candidate)] < least + doubt).all(), "an earlier candidate is as good"
        left.remove(candidate)
    assert not left or (rows[list(chosen)] == 1).any(axis=0).sum() >= r, "the list ends before r are sure"


def has_its_values(rows, r, chosen, length, inverse):
    tails = [upper_tails(laws_after(rows, chosen[:k], [c]))[0, r] for k, c in enumerate(chosen)]
    sure = (rows[list(chosen)] == 1).any(axis=0).sum() >= r
    rank = np.arange(1, len(chosen) + 1)
    own = (np.diff([0.0, *tails]) / rank).sum()
    assert inverse == pytest.approx(max(own, 1 / r if sure else 0), rel=1e-9)
    if sure:
        assert length == pytest.approx(min(1 + np.sum(1 - np.array(tails)), r), rel=1e-12)
    else:
        assert np.isnan(length)


@pytest.mark.parametrize("kernel", BOTH)
def test_the_likelier_of_two_that_are_hardly_ever_seen_comes_first(kernel):
    rows = np.array([[7e-231], [3e-135]])
    lists = kernel(Reach.of(rows))[2]
    assert lists[0].tolist() == [1, 0]
    follows_the_rule(rows, 1, lists[0])


@pytest.mark.parametrize("kernel", BOTH)
@settings(max_examples=60)
@given(rows=candidate_rows(most=7, targets=4))
def test_lists_of_targets_and_what_leads_to_them(kernel, rows):
    length, inverse, lists = kernel(Reach.of(rows))
    for r in range(1, rows.shape[1] + 1):
        follows_the_rule(rows, r, lists[r - 1])
        has_its_values(rows, r, lists[r - 1], length[r - 1], inverse[r - 1])


@pytest.mark.parametrize("kernel", BOTH)
@settings(max_examples=60)
@given(rows=reaches(ranks=(1, 7), targets=(1, 5), coins=30))
def test_lists_of_any_rows(kernel, rows):
    """Rows among which no list may surely suffice, or that lead nowhere."""
    length, inverse, lists = kernel(Reach.of(rows))
    for r in range(1, rows.shape[1] + 1):
        follows_the_rule(rows, r, lists[r - 1])
        assert np.isnan(length[r - 1]) == ((rows == 1).any(axis=0).sum() < r)
        assert inverse[r - 1] >= 0


def alike(count, draw):
    """Targets in threes that lead to each other alike: many candidates are equally good."""
    chance = np.kron(np.eye(count // 3), np.ones((3, 3))) * 0.1 * (1 + np.add.outer(np.arange(count), range(count)) % 3)
    return np.where(np.eye(count) > 0, 1.0, chance)


def near(count, draw):
    """User model distance, eight targets in a document."""
    rows = np.zeros((count, count))
    for first in range(0, count, 8):
        place = np.sort(draw.integers(0, 4000, 8))
        gap = np.abs(np.subtract.outer(place, place))
        rows[first : first + 8, first : first + 8] = 1 / (1 + np.exp(0.01 * gap))
    np.fill_diagonal(rows, 1.0)
    return rows


def around(count, draw):
    """User model hierarchy: sections of five targets lead to each of them with its share of the section."""
    size = draw.integers(20, 300, count).astype(float)
    sections = np.kron(np.eye(count // 5 + 1), np.ones(5))[:, :count] * size
    total = sections.sum(axis=1, keepdims=True)
    return np.vstack([np.eye(count), (sections / (total + draw.integers(1, 500, total.shape)))[total[:, 0] > 0]])


def scattered(count, draw):
    rows = np.where(draw.random((count, count)) < 4 / count, draw.random((count, count)), 0.0)
    np.fill_diagonal(rows, 1.0)
    return rows


def unsure(count, draw):
    """No row leads anywhere surely."""
    return 0.7 * scattered(count, draw)


def everywhere(count, draw):
    """Every candidate leads to every target, some by chances too small to count."""
    return 1 / (1 + np.exp(np.abs(np.subtract.outer(np.arange(count), np.arange(count))) / 2))


@pytest.mark.slow
@compiled
@pytest.mark.parametrize(
    ("rows_of", "count"),
    # beyond about 90 targets the law is wider than what is kept of it
    [(rows_of, 24) for rows_of in (alike, near, around, scattered, unsure, everywhere)]
    + [(alike, 120), (near, 104), (around, 120), (scattered, 96), (unsure, 48), (everywhere, 48)],
)
def test_the_compiled_form_is_the_plain_one(rows_of, count):
    rows = rows_of(count, np.random.default_rng(count))
    reach = Reach.of(rows)
    length, inverse, lists = greedy_lists(reach)
    plain_length, plain_inverse, plain_lists = plain_greedy_lists(reach)
    for r in range(1, count + 1):
        if lists[r - 1].tolist() != plain_lists[r - 1].tolist():  # so close that rounding decides
            follows_the_rule(rows, r, lists[r - 1])
    np.testing.assert_allclose(length, plain_length, rtol=1e-11)
    np.testing.assert_allclose(inverse, plain_inverse, rtol=1e-11)


@pytest.mark.parametrize("kernel", BOTH)
def test_certain_lists_have_whole_lengths(kernel):
    length, _, lists = kernel(Reach.identity(40))
    assert length.tolist() == list(range(1, 41))
    assert lists[39].tolist() == list(range(40))


@pytest.mark.slow
@pytest.mark.parametrize("kernel", BOTH)
def test_hardly_possible_is_not_sure(kernel):
    """P(F < 1) is 1e-340 after all candidates, which rounds to 0; yet no list surely reaches anything."""
    length, _, lists = kernel(Reach.of(0.99 * np.eye(170)))
    assert np.isnan(length).all()
    assert {len(one) for one in lists} == {170}


@compiled
def test_small_inverses_keep_their_digits():
    """E[A_r/ML_r] is a divisor (norm='bounded'), so it may not be wrong where it is small."""
    reach = Reach.of(np.diag(np.linspace(1e-6, 1e-3, 25)))
    np.testing.assert_allclose(greedy_lists(reach)[1], plain_greedy_lists(reach)[1], rtol=1e-10)
    assert greedy_lists(reach)[1][24] < 1e-80


@compiled
def test_arrays_are_checked():
    reach = Reach.identity(3)
    entries = greedy.entries(reach)
    three = [np.empty(3) for _ in range(3)]
    with pytest.raises(ValueError, match="candidate is out of range"):
        native().greedy_lists(*entries, 2, *three)
    with pytest.raises(ValueError, match="target is out of range"):
        native().greedy_lists(*entries, 3, *[np.empty(2) for _ in range(3)])
    with pytest.raises(ValueError, match="share their memory"):
        native().greedy_lists(*entries, 3, three[0], three[0], three[1])
