"""fetch_browse: a result is a group of pointers, and not all of them are considered."""

from __future__ import annotations

from dataclasses import asdict, astuple, replace

import handmade
import numpy as np
import pytest
import slow_twins
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_reach import ranking_of, seen, spans_reach, targets_of

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.kernels.item_chain import Chances, item_rows
from berrypick.users import ReaderContext, build

# --- fetch_browse ---------------------------------------------------------------------------------------------------


def test_runs_with_groups_keep_them():
    targets = [("d", 0, 10), ("d", 20, 30)]
    results = [("d", 0, 10, 1), ("d", 20, 30, 1), ("d", 40, 50, 2)]
    assert seen("fetch_browse(consider=0.5)", targets, results).tolist() == [[1, 0.5], [1, 0.5]]
    assert len(seen("fetch_browse(consider=0.5,group='document')", targets, results)) == 1


def test_fewer_go_on_once_something_was_found():
    """consider .8, after .5: the second pointer is considered by .8 x .5, as the first surely found something; behind
    a first pointer that finds nothing by .8; a third, after a find with .8, by .64 x (.2 + .8 x .5)."""
    user = "fetch_browse(consider=0.8,after=0.5)"
    a, b, c = ("d", 0, 10), ("d", 20, 30), ("d", 40, 50)
    assert seen(user, [a, b], [a, b])[-1].tolist() == pytest.approx([1, 0.4])
    assert seen(user, [b], [a, b])[-1].tolist() == pytest.approx([0.8])
    assert seen(user, [b, c], [a, b, c])[-1].tolist() == pytest.approx([0.8, 0.64 * (0.2 + 0.8 * 0.5)])


def test_fetch_browse_considers_fewer_down_the_group():
    spans = [("d", 0, 10), ("d", 20, 30), ("d", 40, 50)]
    grouped = [(*span, 1) for span in spans]
    found = spans_reach("fetch_browse(consider=0.8)", spans, grouped)
    assert found.tolist() == [[1, 0.8, pytest.approx(0.64)]]
    # two pointers of a group that lead to the same target: 1 - (1 - .5)(1 - .8 x .5)
    table = [("d", 0, 5, 1), ("d", 5, 10, 1)]
    assert spans_reach("fetch_browse(of='coverage',consider=0.8)", [("d", 0, 10)], table)[0, 0] == pytest.approx(
        1 - 0.5 * (1 - 0.8 * 0.5)
    )


ITEM = [("d", 0, 10, 1), ("d", 48, 62, 1), ("d", 45, 70, 1)]


def test_pointers_are_considered_whether_or_not_those_before_were():
    """The target 50-60 is in the second and in the third pointer: 1 - (1 - .5)(1 - .25)."""
    assert spans_reach("fetch_browse(consider=0.5)", [("d", 50, 60)], ITEM).tolist() == [[0.625]]
    # who considers the third pointer of a cascade has considered the second, and seen the target there
    assert spans_reach("fetch_browse(consider=0.5,cascade=True)", [("d", 50, 60)], ITEM).tolist() == [[0.5]]
    # where only the third leads to a target, readers get there as often
    for cascade in (False, True):
        user = f"fetch_browse(consider=0.5,cascade={cascade})"
        assert spans_reach(user, [("d", 62, 70)], ITEM).tolist() == [[0.25]]


def test_factors_of_a_cascade_multiply_at_each_pointer():
    """To the second pointer with .8 x .5 as the first finds nothing; it finds a, and to the third with .8 x .9."""
    junk, a, b = ("d", 0, 5, 1), ("d", 20, 30, 1), ("d", 40, 50, 1)
    user = "fetch_browse(consider=0.8,miss=0.5,after=0.9,cascade=True)"
    assert spans_reach(user, [a[:3], b[:3]], [junk, a, b]).tolist() == [[0.4, pytest.approx(0.4 * 0.72)]]
    truth, run = handmade.span_truth({"1": [a[:3], b[:3]]}), handmade.span_run({"1": [junk, a, b]})
    judged = bp.judge(truth, run, "1", user=user, effort="clicks")
    assert judged.effort.ranks.tolist() == pytest.approx([1 + 0.4 + 0.4 * 0.72])


@pytest.mark.parametrize("cascade", [False, True])
def test_repeated_pointers_take_no_position_and_find_nothing(cascade):
    """Second time round the target is no find, and the junk behind it is the first pointer, which all consider."""
    results = [("d", 20, 30, 1), ("d", 20, 30, 2), ("d", 0, 5, 2), ("d", 40, 50, 2)]
    truth, run = handmade.span_truth({"1": [("d", 20, 30), ("d", 40, 50)]}), handmade.span_run({"1": results})
    user = f"fetch_browse(consider=0.8,miss=0.5,group='rank',cascade={cascade})"
    judged = bp.judge(truth, run, "1", user=user, effort="clicks", duplicates="keep")
    assert judged.reach.dense()[1].tolist() == pytest.approx([0, 0.8 * 0.5])
    assert judged.effort.ranks.tolist() == pytest.approx([1, 1 + 1 + 0.4])


def test_fewer_go_on_while_nothing_was_found():
    """Behind junk half consider the target; a second one by the half that found the first and half of the others."""
    junk, a, b = ("d", 0, 5, 1), ("d", 20, 30, 1), ("d", 40, 50, 1)
    assert spans_reach("fetch_browse(consider=1,miss=0.5)", [a[:3]], [junk, a]).tolist() == [[0.5]]
    assert spans_reach("fetch_browse(consider=1,miss=0.5)", [a[:3], b[:3]], [junk, a, b]).tolist() == [[0.5, 0.75]]
    # the first pointer is always considered; one that finds something keeps readers as willing as before
    assert spans_reach("fetch_browse(consider=0.8,miss=0)", [a[:3], b[:3]], [a, b]).tolist() == [[1, 0.8]]
    assert spans_reach("fetch_browse(consider=0.8,miss=0)", [b[:3]], [junk, b]).tolist() == [[0]]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_items_by_enumeration_of_decisions(data):
    """Every way through an item: which pointers are considered, and which targets each of them leads to."""
    share = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])
    pointers, targets = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 2))
    rows = np.array(data.draw(st.lists(st.lists(share, min_size=targets, max_size=targets), min_size=pointers,
                                       max_size=pointers)))  # fmt: skip
    chances = Chances(*(data.draw(share) for _ in range(3)), cascade=data.draw(st.booleans()))
    expected = slow_twins.item_reach(rows, *astuple(chances))
    assert item_rows(rows, np.arange(pointers)[None, :], chances)[0] == pytest.approx(expected, abs=1e-12)
    names = [f"t{x}" for x in range(targets)]
    table = ReachTable({(f"p{i}", names[x]): float(rows[i, x]) for i, x in np.ndindex(rows.shape)})
    truth = handmade.document_truth({"1": dict.fromkeys(names, 1)})
    run = handmade.document_run({"1": [f"p{i}" for i in range(pointers)]})
    factors = ",".join(f"{name}={value}" for name, value in asdict(chances).items())
    user = f"fetch_browse(of='table',{factors})"
    grouped = replace(ranking_of(run), rank=np.zeros(pointers, dtype=np.int64), ranks=1)
    found = build(user).reach(grouped, targets_of(truth), ReaderContext(navigation=table))
    assert found.dense()[0] == pytest.approx(expected, abs=1e-12)


def test_fetch_browse_takes_another_model():
    for text, told in [("fetch_browse(of='fetch_browse')", "another"), ("fetch_browse(of='clasical')", "classical"),
                       ("fetch_browse(miss=1.5)", "miss"), ("fetch_browse(miss=-0.1)", "in \\[0, 1\\]")]:  # fmt: skip
        with pytest.raises(bp.UsageError, match=told):
            build(text)
