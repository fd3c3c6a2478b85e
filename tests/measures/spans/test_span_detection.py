"""spanHit, spanRR, spanNDCG and spanAll by intersection over union, and the bound of spanNDCG."""

from __future__ import annotations

import math

import handmade
import pytest
from hypothesis import given
from hypothesis import strategies as st
from overlapping_spans import LENGTHS, MOMENTS, PREDICTIONS, characters, cuts, graded, iou, lists, value

import berrypick as bp
from berrypick.tables.text import explanation

# --- spanNDCG never exceeds 1 ---------------------------------------------------------------------------------------


def test_one_result_with_every_target_is_worth_the_ideal_list():
    two = [("d", 100, 200), ("d", 300, 340, 2)]
    assert value([("d", 0, 400)], "spanNDCG", two) == 1
    assert value([("d", 0, 400)], "spanNDCG@1", two) == 1  # the better of the two, which is all that @1 can hold
    late = (2 / math.log2(3) + 1 / math.log2(3)) / (2 + 1 / math.log2(3))  # found at rank 2, as first and second
    assert value([("e", 0, 10), ("d", 0, 400)], "spanNDCG", two) == pytest.approx(late)
    assert value([("e", 0, 10), ("d", 0, 400)], "spanNDCG(gain='binary')@1", two) == 0


def test_at_k_only_k_targets_count_the_best_of_one_rank_first():
    three = [("d", 0, 10, 1), ("d", 20, 30, 3), ("d", 40, 50, 2), ("e", 0, 10, 3)]
    # rank 1 holds the grades 3, 2 and 1; at 2 the first two of them count, against the ideal 3 and 3
    found = value([("d", 0, 50), ("e", 0, 10)], "spanNDCG@2", three)
    assert found == pytest.approx((3 + 2 / math.log2(3)) / (3 + 3 / math.log2(3)))
    every = 3 + 2 / math.log2(3) + 1 / 2 + 3 / math.log2(5)
    ideal = 3 + 3 / math.log2(3) + 2 / 2 + 1 / math.log2(5)
    assert value([("d", 0, 50), ("e", 0, 10)], "spanNDCG", three) == pytest.approx(every / ideal)


def test_a_value_of_1_carries_no_note_about_values_above_1():
    truth, run = handmade.span_truth({"1": [("d", 0, 9), ("d", 9, 20)]}), handmade.span_run({"1": [("d", 0, 400)]})
    assert not bp.evaluate(truth, run, "spanNDCG", collection=LENGTHS).notes


# --- intersection over union, by hand -------------------------------------------------------------------------------


def test_a_result_matches_by_its_own_intersection_over_union():
    target = [("d", 100, 200)]
    assert value([("d", 100, 150)], "spanHit(iou=0.5)", target) == 1  # 50/100
    assert value([("d", 100, 149)], "spanHit(iou=0.5)", target) == 0
    assert value([("d", 50, 200)], "spanHit(iou=0.5)", target) == 1  # 100/150
    assert value([("d", 0, 201)], "spanHit(iou=0.5)", target) == 0  # 100/201: a long result holds it, and misses
    assert value([("e", 100, 200)], "spanHit(iou=0.5)", target) == 0
    halves = [("d", 100, 145), ("d", 145, 200)]
    assert value(halves, "spanHit(iou=0.6)", target) == 0  # together they cover it, neither of them is it
    assert value([("d", 100, 130)], "spanHit(iou=0.3)", target) == 1  # 30/100 in spite of rounding


def test_reciprocal_rank_ndcg_and_all_by_intersection_over_union():
    targets = [("d", 0, 10), ("d", 20, 40), ("e", 0, 10)]
    spans = [("d", 0, 400), ("d", 18, 40), ("e", 0, 9), ("d", 1, 11)]
    assert value(spans, "spanRR(iou=0.5)", targets) == 1 / 2
    dcg = 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert value(spans, "spanNDCG(iou=0.5)", targets) == pytest.approx(dcg / (1 + 1 / math.log2(3) + 1 / 2))
    assert value(spans, "spanAll(iou=0.5)@3", targets) == 0
    assert value(spans, "spanAll(iou=0.5)@4", targets) == 1  # 9/11
    assert value(spans, "spanAll(iou=0.9)", targets) == 0
    assert value(spans, "spanAll@1", targets[:2]) == 1  # covered: one long result holds both


def test_a_point_matches_the_same_point_alone():
    truth = handmade.span_truth({"1": [("d", 5.0, 5.0)]})
    for spans, expected in ([("d", 5.0, 5.0)], 1), ([("d", 4.0, 6.0)], 0), ([("d", 6.0, 6.0)], 0):
        run = handmade.span_run({"1": spans})
        assert bp.evaluate(truth, run, "spanHit(iou=0.5)").mean_rows[0].value == expected


def test_the_signature_names_what_a_match_needs():
    truth, run = {"q": {"d#0-10": 1}}, {"q": {"d#0-10": 1}}
    signatures = {row.measure: row.signature for row in bp.evaluate(truth, run, "spanHit spanHit(iou=0.7)").mean_rows}
    assert signatures["spanHit"]["share"] == "0.5" and signatures["spanHit"].get("iou") == ""
    assert signatures["spanHit(iou=0.7)"]["iou"] == "0.7" and signatures["spanHit(iou=0.7)"].get("share") == ""


def test_share_and_iou_together_are_refused():
    for name in ("spanHit", "spanRR", "spanNDCG", "spanAll"):
        with pytest.raises(bp.UsageError, match="share= or iou=, not both"):
            value([("d", 0, 1)], f"{name}(share=0.5,iou=0.5)", [("d", 0, 1)])


# --- average precision of a detector --------------------------------------------------------------------------------


def test_recall_at_one_of_moment_retrieval_by_hand():
    assert value(PREDICTIONS, "spanHit(iou=0.5)@1", MOMENTS) == 1
    assert value(PREDICTIONS, "spanHit(iou=0.7)@1", MOMENTS) == 1  # 10/14 = .714
    assert value(PREDICTIONS, "spanHit(iou=0.75)@1", MOMENTS) == 0


def test_the_explanation_counts_targets():
    truth, run = handmade.span_truth({"1": MOMENTS}), handmade.span_run({"1": PREDICTIONS})
    assert "2 of 3 targets" in explanation(bp.explain(truth, run, "spanAll@2", "1"))


# --- against plain twins --------------------------------------------------------------------------------------------


def found_by_iou(results, targets, least, cut):
    """The rank at which each target is matched first."""
    return {
        x: next((k for k, y in enumerate(results[:cut], start=1) if iou(x, y) >= least - 1e-9), math.inf)
        for x in targets
    }


def found_by_share(results, targets, least, cut):
    found = {}
    for x in targets:
        read = set()
        found[x] = math.inf
        for k, y in enumerate(results[:cut], start=1):
            read |= characters(y) & characters(x)
            if len(read) >= least * len(characters(x)) - 1e-9:
                found[x] = k
                break
    return found


def ndcg_twin(found, grades, cut):
    best = sorted(((rank, -grades[x]) for x, rank in found.items() if rank < math.inf))[:cut]
    dcg = sum(-g / math.log2(1 + max(rank, i)) for i, (rank, g) in enumerate(best, start=1))
    ideal = sum(g / math.log2(1 + i) for i, g in enumerate(sorted(grades.values(), reverse=True)[:cut], start=1))
    return dcg / ideal


@given(lists, graded, cuts, st.sampled_from([("share", 0.5), ("share", 1.0), ("iou", 0.3), ("iou", 0.5), ("iou", 0.9)]))
def test_found_targets_agree_with_sets_of_characters(results, pairs, cut, rule):
    grades = dict(pairs)
    found = (found_by_share if rule[0] == "share" else found_by_iou)(results, grades, rule[1], cut)
    at = "" if cut is None else f"@{cut}"
    names = [f"{name}({rule[0]}={rule[1]}){at}" for name in ("spanHit", "spanAll", "spanRR", "spanNDCG")]
    truth = handmade.span_truth({"1": [(*span, grade) for span, grade in pairs]})
    values = bp.evaluate(truth, handmade.span_run({"1": results}), names).mean()["run"]
    first = min(found.values())
    twins = [first < math.inf, max(found.values()) < math.inf, 1 / first, ndcg_twin(found, grades, cut)]
    assert [values[name] for name in names] == pytest.approx([float(twin) for twin in twins], abs=1e-12)
    assert values[names[3]] <= 1
