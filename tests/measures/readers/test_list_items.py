"""Ideal lists of items that hold several pointers of a document: values, notes and explanations of EPRUM."""

import handmade
import numpy as np
import pytest

import berrypick as bp

A, B, C, D = ("a", 0, 10), ("a", 20, 30), ("b", 0, 10), ("b", 20, 30)
TRUTH = handmade.span_truth({"q": [A, B, C, D]})
PERFECT = handmade.span_run({"q": [(*A, 1), (*B, 1), (*C, 2), (*D, 2)]})
SEARCHES = ("greedy", "exact", "certified")


# --- measures -------------------------------------------------------------------------------------------------------


def value(measure, user, truth=TRUTH, run=PERFECT, **options):
    return bp.score(measure, truth, run, user=user, **options)


@pytest.mark.quick
@pytest.mark.parametrize("ideal", ["targets", *SEARCHES])
@pytest.mark.parametrize("miss", ["", ",miss=0.5"])
def test_a_perfect_list_of_items_is_perfect(ideal, miss):
    """Two articles with two passages each in two items: 1, not 1.625; every target by itself takes twice the ranks."""
    user = f"fetch_browse(consider=1{miss})"
    assert value(f"EPRUM(ideal='{ideal}')", user) == 1.0
    apart = handmade.span_run({"q": [(*A, 1), (*B, 2), (*C, 3), (*D, 4)]})
    alone = f"fetch_browse(consider=1,group='rank'{miss})"
    assert value(f"EPRUM(ideal='{ideal}')", alone, run=apart) == pytest.approx((1 + 1 / 2 + 2 / 3 + 2 / 4) / 4)
    if ideal not in ("targets", "greedy"):
        assert value(f"EPRUM(ideal='{ideal}',norm='bounded')", user) == 1.0


def test_the_list_of_targets_counts_documents_where_readers_go_on():
    """Documents with 3, 1 and 1 targets: 1 item for up to three of them, 2 for four, 3 for five."""
    spans = [("a", 0, 9), ("a", 10, 19), ("a", 20, 29), ("b", 0, 9), ("c", 0, 9)]
    truth, run = handmade.span_truth({"q": spans}), handmade.span_run({"q": [(*span, 1) for span in spans]})
    found = [value(f"EPRUM(r={r})", "fetch_browse(consider=1)", truth, run) for r in range(1, 6)]
    assert found == [1, 1, 1, 2, 3], "all at the first rank"
    assert bp.judge(truth, run, "q", user="fetch_browse(consider=1)").candidates.count == 5


def test_levels_of_satisfaction_count_their_own_targets():
    """a has targets of grade 1 and .5, b two of .5: at level 1 one document, at .5 four targets in two documents."""
    truth = {"q": {"a#0-10": 1, "a#20-30": 0.5, "b#0-10": 0.5, "b#20-30": 0.5}}
    run = handmade.span_run({"q": [(*C, 1), (*D, 1), (*A, 2), (*B, 2)]})
    # level .5 (weight .5): as perfect; level 1 (weight .5): its one target at rank 2
    assert value("EPRUM", "fetch_browse(consider=1)", truth, run) == pytest.approx(0.5 * 1 + 0.5 * 0.5)
    for ideal in SEARCHES:
        found = value(f"EPRUM(ideal='{ideal}')", "fetch_browse(consider=1)", truth, run)
        assert found == pytest.approx(0.75)


def notes(measure, user, run=PERFECT, truth=TRUTH, **options):
    return " ".join(map(str, bp.evaluate(truth, run, measure, user=user, **options).notes))


def test_a_shorter_list_of_items_is_noted():
    assert "items with several" in notes("EPRUM", "fetch_browse(consider=0.8)")
    assert "items with several" not in notes("EPRUM", "fetch_browse(consider=1,miss=0.5)")
    assert "items with several" in notes("EPRUM", "fetch_browse(consider=1,after=0.5)")
    assert "items with several" not in notes("EPRUM(ideal='certified')", "fetch_browse(consider=0.8)")
    apart = handmade.span_truth({"q": [A, C]})
    assert "items with several" not in notes("EPRUM", "fetch_browse(consider=0.8)", truth=apart)


def test_an_item_into_several_documents_is_noted():
    run = handmade.span_run({"q": [(*A, 1), (*B, 1), (*C, 1), (*D, 1)]})
    for ideal in ("targets", *SEARCHES):
        assert value(f"EPRUM(ideal='{ideal}')", "fetch_browse(consider=1)", run=run) == 1.5
        assert "several documents" in notes(f"EPRUM(ideal='{ideal}')", "fetch_browse(consider=1)", run=run)
    assert "several documents" not in notes("EPRUM", "fetch_browse(consider=1)")
    bounded = "EPRUM(ideal='certified',norm='bounded')"
    results = bp.evaluate(TRUTH, run, bounded, user="fetch_browse(consider=1)")
    assert results.mean()["run"][bounded] == 1.0 and results.mean_rows[0].signature["bounded"] == "candidates+run"


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
            assert value(f"EPRUM(ideal='{ideal}',norm='bounded')", user, run=run) <= 1 + 1e-9


def test_more_than_eight_pointers_are_not_all_tried():
    truth = handmade.span_truth({"q": [("a", 10 * i, 10 * i + 5) for i in range(9)]})
    for consider in (0.8, 1):
        with pytest.raises(bp.UsageError, match="at most 8 pointers, not 9"):
            value("EPRUM(ideal='exact')", f"fetch_browse(consider={consider})", truth)
    assert value("EPRUM(ideal='certified',r=9)", "fetch_browse(consider=0.8)", truth) == 0


def test_explain_says_who_considers_which_pointer():
    """Behind junk half go on to the target, and behind that three quarters to the next."""
    run = handmade.span_run({"q": [("a", 50, 60, 1), (*A, 1), (*B, 1), (*C, 2)]})
    for measure in ("EPRUM", "ExpectedRatio", "PRUM"):
        told = str(bp.explain(TRUTH, run, measure, "q", user="fetch_browse(consider=1,miss=0.5)", units=10))
        table = told.split("share of readers who consider each")[1].split("\n\n")[0]
        rows = [line.split() for line in table.splitlines()[3:]]
        assert [row[:3] for row in rows] == [["1", "a#50-60", "1"], ["1", "a#0-10", "0.5"], ["1", "a#20-30", "0.75"]]
        assert rows[0][3] == "-" and rows[1][3:] == ["a#0-10", "1"]
    assert "who considers" not in str(bp.explain(TRUTH, run, "EPRUM", "q"))
