"""epnav where list items hold several pointers of a document (fetch_browse)."""

import handmade
import numpy as np
import pytest

import berrypick as bp

A, B, C, D = ("a", 0, 10), ("a", 20, 30), ("b", 0, 10), ("b", 20, 30)
TRUTH = handmade.span_truth({"q": [A, B, C, D]})
PERFECT = handmade.span_run({"q": [(*A, 1), (*B, 1), (*C, 2), (*D, 2)]})


def value(measure, user, truth=TRUTH, run=PERFECT, **options):
    return bp.score(measure, truth, run, user=user, **options)


def notes(measure, user, run=PERFECT, truth=TRUTH, **options):
    return " ".join(map(str, bp.evaluate(truth, run, measure, user=user, **options).notes))


@pytest.mark.parametrize("ideal", ["targets", "exact", "certified"])
@pytest.mark.parametrize("miss", ["", ",miss=0.5"])
def test_a_perfect_list_of_items_is_perfect(ideal, miss):
    """Two articles with two passages each in two items: 1; every target by itself takes twice the ranks."""
    user = f"fetch_browse(consider=1{miss})"
    apart = handmade.span_run({"q": [(*A, 1), (*B, 2), (*C, 3), (*D, 4)]})
    alone = f"fetch_browse(consider=1,group='rank'{miss})"
    assert value(f"epnav(ideal='{ideal}')", user) == 1.0
    assert value(f"epnav(ideal='{ideal}')", alone, run=apart) == pytest.approx((1 + 1 / 2 + 2 / 3 + 2 / 4) / 4)
    if ideal != "targets":
        assert value(f"epnav(ideal='{ideal}',norm='bounded')", user) == 1.0


def test_the_list_of_targets_counts_documents_where_readers_go_on():
    """Documents with 3, 1 and 1 targets: 1 item for up to three of them, 3 for five."""
    spans = [("a", 0, 9), ("a", 10, 19), ("a", 20, 29), ("b", 0, 9), ("c", 0, 9)]
    truth, run = handmade.span_truth({"q": spans}), handmade.span_run({"q": [(*span, 1) for span in spans]})
    assert value("epnav@1", "fetch_browse(consider=1)", truth, run) == 3
    assert value("epnav@0.6", "fetch_browse(consider=1)", truth, run) == 1


def test_a_shorter_list_of_items_is_noted():
    assert "items with several" in notes("epnav", "fetch_browse(consider=0.8)")
    assert "items with several" not in notes("epnav", "fetch_browse(consider=1,miss=0.5)")
    assert "items with several" in notes("epnav", "fetch_browse(consider=1,after=0.5)")
    assert "items with several" not in notes("epnav(ideal='certified')", "fetch_browse(consider=0.8)")
    assert "items with several" in notes("epnav(ideal='certified')", "fetch_browse(consider=0.8)", effort="chars")


def test_an_item_into_several_documents_is_noted():
    run = handmade.span_run({"q": [(*A, 1), (*B, 1), (*C, 1), (*D, 1)]})
    assert "several documents" in notes("epnav", "fetch_browse(consider=1)", run=run)


@pytest.mark.slow
def test_bounded_values_stay_within_one():
    """Whatever the items of a run: of candidates in any order, with junk, and into several documents."""
    rng = np.random.default_rng(11)
    pool = [A, B, C, D, ("a", 40, 50), ("b", 3, 30)]
    for case in range(25):
        ranks = np.sort(rng.integers(1, 4, len(pool)))
        run = handmade.span_run(
            {"q": [(*pool[i], int(k)) for i, k in zip(rng.permutation(len(pool)), ranks, strict=True)]}
        )
        user = f"fetch_browse(consider={(1, 0.8, 0.5)[case % 3]},miss={(1, 0.5)[case % 2]})"
        for ideal in ("exact", "certified"):
            assert value(f"epnav(ideal='{ideal}',norm='bounded')", user, run=run) <= 1 + 1e-9


@pytest.mark.parametrize("consider", [0.8, 1])
def test_more_than_eight_pointers_are_not_all_tried(consider):
    truth = handmade.span_truth({"q": [("a", 10 * i, 10 * i + 5) for i in range(9)]})
    with pytest.raises(bp.UsageError, match="at most 8 pointers, not 9"):
        value("epnav(ideal='exact')", f"fetch_browse(consider={consider})", truth)


def test_explain_says_who_considers_which_pointer():
    """Behind junk half go on to the target, and behind that three quarters to the next."""
    run = handmade.span_run({"q": [("a", 50, 60, 1), (*A, 1), (*B, 1), (*C, 2)]})
    told = str(bp.explain(TRUTH, run, "epnav", "q", user="fetch_browse(consider=1,miss=0.5)"))
    rows = [
        line.split() for line in told.split("share of readers who consider each")[1].split("\n\n")[0].splitlines()[3:]
    ]
    assert [row[:3] for row in rows] == [["1", "a#50-60", "1"], ["1", "a#0-10", "0.5"], ["1", "a#20-30", "0.75"]]
