"""Ideal lists of items that hold several pointers of a document (fetch_browse)."""

import math
from dataclasses import astuple

import handmade
import numpy as np
import pytest
import slow_twins

import berrypick as bp
from berrypick.ideal import item_greedy, item_search
from berrypick.ideal.item_lists import Gains, Numbers
from berrypick.ideal.items import Items
from berrypick.ideal.list_problem import Search
from berrypick.kernels.item_chain import Chances

A, B, C, D = ("a", 0, 10), ("a", 20, 30), ("b", 0, 10), ("b", 20, 30)
TRUTH = handmade.span_truth({"q": [A, B, C, D]})
PERFECT = handmade.span_run({"q": [(*A, 1), (*B, 1), (*C, 2), (*D, 2)]})
CHANCES = [(1, 1, 1), (0.5, 1, 1), (0.8, 0.5, 1), (1, 0.5, 1), (1, 1, 0.5), (0.8, 1, 0.3), (0.6, 0.3, 0)]
CHANCES += [(0.5, 1, 1, True), (0.8, 0.5, 1, True), (1, 1, 0.4, True)]


def random_items(rng, chances, pointers=4, documents=2, targets=3):
    """Pointers of two documents: mostly the targets themselves, and others that lead to some of them."""
    rows = np.zeros((pointers, targets))
    rows[:targets] = np.eye(targets)
    if rng.random() < 0.6:
        rows = np.maximum(rows, rng.choice([0, 0, 0.25, 0.6, 1], rows.shape))
    if rng.random() < 0.2:
        rows[0] *= 0.5
    document = np.sort(rng.integers(0, documents, pointers))
    return Items(rows, rng.permutation(document), Chances(*chances), np.ones(targets, dtype=bool))


def check(items, goal, gains, exact):
    """No list is better than the bound, the list has its value, and a search to the end finds the best."""
    wanted, chances = list(goal.wanted), astuple(items.chances)
    least, most = slow_twins.best_item_lists(items.rows.tolist(), items.document.tolist(), chances, gains, wanted)
    for objective, best in (("length", least), ("inverse", most)):
        made = item_search.search_items(items, goal, objective, Search(50))
        for one, truly, gain in zip(made.found, best, wanted, strict=True):
            if truly is None:
                assert math.isnan(one.value)
                continue
            chosen = [made.items[i] for i in one.order]
            assert len({i for item in chosen for i in item}) == sum(map(len, chosen)), "a pointer occurs once"
            assert all(len({int(items.document[i]) for i in item}) == 1 for item in chosen)
            value = item_search.value_of(items, tuple(chosen), goal, gain, objective)
            assert value == pytest.approx(one.value, rel=1e-12)
            better = (one.bound - truly) * (1 if objective == "length" else -1)
            assert better <= 1e-9 and (one.value - truly) * (1 if objective == "length" else -1) >= -1e-9
            if exact:
                assert one.gap == 0 and one.value == pytest.approx(truly, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("chances", CHANCES)
def test_recall_values_against_every_list(chances, monkeypatch):
    """All lists of the items of two documents: looked at one by one, and by a search that does not list them."""
    rng = np.random.default_rng(5)
    for case in range(8):
        items = random_items(rng, chances)
        monkeypatch.setattr(item_search, "MOST_POINTERS", 8 if case % 2 else 0)
        check(items, Numbers((1, 2, 3)), [1.0] * 3, exact=case % 2)


def test_targets_that_do_not_count_are_found_all_the_same():
    """For a satisfaction level: its own targets, with readers who are as willing after any."""
    rng = np.random.default_rng(9)
    for chances in ((0.8, 0.5, 1), (0.9, 1, 0.2)):
        items = random_items(rng, chances).columns(np.array([True, False, True]))
        check(items, Numbers((1, 2)), [1.0, 0.0, 1.0], exact=True)


@pytest.mark.slow
def test_gains_against_every_list(kernels, monkeypatch):
    rng = np.random.default_rng(6)
    for case in range(10):
        items = random_items(rng, CHANCES[case % len(CHANCES)])
        monkeypatch.setattr(item_search, "MOST_POINTERS", 8 if case % 2 else 0)
        gains = np.array([1.0, 2.0, 3.0])
        check(items, Gains(gains, (1.0, 2.5, 4.0, 6.0)), gains.tolist(), exact=case % 2)


@pytest.mark.quick
def test_two_documents_of_two_passages_by_hand():
    """Half go on to the second pointer. For two targets an item of each document: 1 + .5. For three, three of them
    stand first: 1 + 1 + .5. All four are sure only where each stands first."""
    items = Items(np.eye(4), np.array([0, 0, 1, 1]), Chances(0.5, 1, 1), np.ones(4, dtype=bool))
    made = item_search.search_items(items, Numbers((1, 2, 3, 4)), "length", Search())
    assert [one.value for one in made.found] == pytest.approx([1, 1.5, 2.5, 4])
    assert [made.items[i] for i in made.found[1].order] == [(0, 1), (2, 3)]
    least, _ = slow_twins.best_item_lists(np.eye(4).tolist(), [0, 0, 1, 1], (0.5, 1, 1), [1] * 4, [1, 2, 3, 4])
    assert least == pytest.approx([1, 1.5, 2.5, 4])


@pytest.mark.quick
def test_pointers_are_dealt_to_the_items_of_their_document():
    """Items that begin with 0, 1 and 5. Pointers 2, 3 and 4 are in the document of 0 and 1, which take them in turn."""
    items = Items(np.eye(6), np.array([0, 0, 0, 0, 0, 1]), Chances(0.5, 1, 1), np.ones(6, dtype=bool))
    assert item_search.realised(items, [0, 1, 5]) == ((0, 2, 3, 4), (1,), (5,))
    assert item_search.dealt(items, [0, 1, 5]) == ((0, 2, 4), (1, 3), (5,))


@pytest.mark.slow
def test_bounds_of_many_pointers_are_near():
    """Twelve passages in three documents, half or four fifths go on: too many lists to be listed."""
    for consider, widest in ((0.5, 0.06), (0.8, 0.07)):
        items = Items(np.eye(12), np.repeat(np.arange(3), 4), Chances(consider, 1, 1), np.ones(12, dtype=bool))
        most = item_search.search_items(items, Numbers((2, 4, 9, 12)), "inverse", Search())
        assert max(one.gap for one in most.found) < 2 * widest
        made = item_search.search_items(items, Numbers((1, 2, 4, 9, 12)), "length", Search())
        assert max(one.gap for one in made.found) < widest
        assert made.found[-1].value == 12 and made.found[-1].gap == 0


# --- greedy ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_greedy_takes_the_item_that_adds_most():
    """One at a time by E[min(F, r)]; of equals the one with the fewest pointers, then the first."""
    rng = np.random.default_rng(8)
    for chances in CHANCES[1:]:
        items = random_items(rng, chances)
        lists = item_greedy.greedy_lists(items, (1, 2, 3))[2]
        for r, found in zip((1, 2, 3), lists, strict=True):
            assert found == tuple(_greedy(items, r))


def _greedy(items, r):
    singles = sorted(
        {item for one in slow_twins.item_lists(items.document.tolist()) for item in one[:1]}, key=lambda i: (len(i), i)
    )
    leads = {item: np.array(slow_twins.item_reach(items.rows[list(item)], *astuple(items.chances))) for item in singles}
    seen, sure, used = np.zeros(items.targets), np.zeros(items.targets, dtype=bool), set()
    while sure.sum() < r:
        values = {}
        for item in singles:
            if not used & set(item) and leads[item].any():
                after = 1 - (1 - seen) * (1 - leads[item])
                tails = [slow_twins.at_least(after.tolist(), f) for f in range(1, r + 1)]
                values[item] = sum(tails)
        if not values:
            return
        best = next(item for item in values if values[item] >= max(values.values()) * (1 - 1e-12))
        seen, sure = 1 - (1 - seen) * (1 - leads[best]), sure | (leads[best] == 1)
        used |= set(best)
        yield best


def test_too_many_items_for_greedy():
    items = Items(np.eye(400), np.repeat(np.arange(80), 5), Chances(0.5, 1, 1), np.ones(400, dtype=bool))
    with pytest.raises(bp.UsageError, match="certified"):
        item_greedy.greedy_lists(items, (1,))


# --- measures -------------------------------------------------------------------------------------------------------


def value(measure, user, truth=TRUTH, run=PERFECT, **options):
    return bp.score(measure, truth, run, user=user, **options)
