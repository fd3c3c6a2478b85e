"""Readers who leave the list when the next rank is not worth its cost."""

import itertools
import math
from functools import cache

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import reaches
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.measures.readers._leaving import Leaves, leaving, useful

RULES = st.builds(
    Leaves,
    cost=st.sampled_from([0.1, 0.2, 0.3, 0.45, 0.7]),
    a=st.sampled_from([1, 0.5, 3]),
    b=st.sampled_from([1, 2]),
    discount=st.sampled_from([1, 0.8, 0.5]),
)


def worth(rule, ranks):
    """V by its definition."""

    @cache
    def value(k, f):
        if k == ranks:
            return 0.0
        p = (rule.a + f) / (rule.a + rule.b + k)
        ahead = -rule.cost + p * (rule.discount**f + value(k + 1, f + 1)) + (1 - p) * value(k + 1, f)
        return max(0.0, ahead)

    return value


def last_rank(rule, pattern):
    """After how many ranks a reader leaves to whom these ranks are useful."""
    value, f = worth(rule, len(pattern)), 0
    for k in range(len(pattern) + 1):
        if value(k, f) == 0:
            return k
        f += pattern[k]
    raise AssertionError


@pytest.mark.parametrize(("cost", "rank"), [(0.1, 19), (0.2, 10), (0.3, 6), (0.45, 4)])
def test_who_finds_nothing_leaves(cost, rank):
    assert last_rank(Leaves(cost=cost), [0] * 100) == rank
    assert leaving(Leaves(cost=cost), np.zeros(100)).tolist() == [float(k == rank) for k in range(101)]


@given(RULES, st.integers(1, 6))
def test_the_policy_by_recursion(rule, ranks):
    value = worth(rule, ranks)
    for k, row in enumerate(rule.stays(ranks)):
        assert row.tolist() == [value(k, f) > 0 for f in range(k + 1)]


@given(RULES, st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=1, max_size=6))
def test_where_readers_leave_by_enumeration(rule, chance):
    expected = np.zeros(len(chance) + 1)
    for pattern in itertools.product([0, 1], repeat=len(chance)):
        p = math.prod(c if used else 1 - c for c, used in zip(chance, pattern, strict=True))
        expected[last_rank(rule, pattern)] += p
    assert leaving(rule, np.array(chance)) == pytest.approx(expected, abs=1e-12)


@given(reaches(ranks=(1, 4), targets=(1, 3), coins=6))
def test_which_ranks_are_useful_by_enumeration(matrix):
    expected = [
        math.fsum(p for p, first in slow_twins.scenarios(matrix.tolist()) if k + 1 in first) for k in range(len(matrix))
    ]
    assert useful(Reach.of(matrix)) == pytest.approx(expected, abs=1e-12)


@given(reaches(ranks=(1, 5), targets=(1, 3), coins=6), RULES)
@settings(max_examples=60)
def test_the_value(matrix, rule):
    truth, run, table = handmade.from_matrix(matrix)
    text = f"leaves(cost={rule.cost},a={rule.a},b={rule.b},discount={rule.discount})"
    found = bp.score(f'ExpectedRatio(stop="{text}")', truth, run, navigation=table)
    shares = leaving(rule, useful(Reach.of(matrix)))
    seen = [0.0, *bp.expected_ratio(matrix).tolist()]
    assert found == pytest.approx(float(shares @ seen), abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=12), RULES)
def test_where_nothing_is_left_to_chance_it_is_what_was_seen_on_leaving(relevant, rule):
    """Each relevant document is useful once; a reader's own pattern decides, and the two assumptions cost nothing."""
    grades = {f"d{i}": 1 for i, one in enumerate(relevant) if one} | {"elsewhere": 1}
    truth = handmade.document_truth({"1": grades})
    run = handmade.document_run({"1": [f"d{i}" for i in range(len(relevant))]})
    text = f"leaves(cost={rule.cost},a={rule.a},b={rule.b},discount={rule.discount})"
    last = last_rank(rule, [int(one) for one in relevant])
    [row] = bp.simulate(truth, run, f'ExpectedRatio(stop="{text}")', readers=100)
    assert row.value == pytest.approx(sum(relevant[:last]) / len(grades))
    assert row.simulated == pytest.approx(row.value)


def test_simulated_readers_decide_by_what_they_found():
    """Enumeration of all coins: each reader leaves by their own pattern, and has seen what they have seen."""
    matrix, rule = [[0.5, 0.0], [0.3, 0.5], [0.2, 0.2], [0.0, 0.6], [0.5, 0.5]], Leaves(cost=0.45)
    expected = 0.0
    for p, first in slow_twins.scenarios(matrix):
        last = last_rank(rule, [int(k + 1 in first) for k in range(5)])
        expected += p * sum(1 for rank in first if rank is not None and rank <= last) / 2
    truth, run, table = handmade.from_matrix(matrix)
    [row] = bp.simulate(
        truth, run, "ExpectedRatio(stop='leaves(cost=0.45)')", navigation=table, readers=40_000, together="independent"
    )
    assert abs(row.simulated - expected) < 5 * row.error


def test_explained():
    truth, run, table = handmade.from_matrix([[0.5, 0.0], [0.3, 0.5], [0.2, 0.2]])
    found = bp.explain(truth, run, "ExpectedRatio(stop='leaves(cost=0.45)')", topic="1", navigation=table)
    assert "Leaving the list" in str(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ExpectedRatio(stop='leaves(cost=.1)')@3", "one of stop= and @rank"),
        ("ExpectedRatio(stop='stays')", "unknown stopping rule"),
        ("ExpectedRatio(stop='leaves(price=.1)')", "no parameter price"),
        ("ExpectedRatio(stop='leaves(cost=0)')", "above 0"),
    ],
)
def test_wrong_rules(text, told):
    with pytest.raises(bp.UsageError, match=told):
        bp.score(text, {"q": {"a": 1}}, {"q": {"a": 1}})
