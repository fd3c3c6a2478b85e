"""spanHit, spanRR, spanNDCG and spanAll by intersection over union, spanAP, and the bound of spanNDCG."""

from __future__ import annotations

import math

import pytest
import twins_text
import worlds
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.report.text import explanation

LENGTHS = worlds.lengths(d=1000, e=1000)


def value(spans, measure, targets, **options):
    truth, run = worlds.span_truth({"1": targets}), worlds.span_run({"1": spans})
    return bp.evaluate(truth, run, measure, collection=LENGTHS, **options).per_topic()["run"][measure]["1"]


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
    truth, run = worlds.span_truth({"1": [("d", 0, 9), ("d", 9, 20)]}), worlds.span_run({"1": [("d", 0, 400)]})
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
    truth = worlds.span_truth({"1": [("d", 5.0, 5.0)]})
    for spans, expected in ([("d", 5.0, 5.0)], 1), ([("d", 4.0, 6.0)], 0), ([("d", 6.0, 6.0)], 0):
        run = worlds.span_run({"1": spans})
        assert bp.evaluate(truth, run, "spanHit(iou=0.5)").mean_rows[0].value == expected


def test_the_signature_names_what_a_match_needs():
    truth, run = {"q": {"d#0-10": 1}}, {"q": {"d#0-10": 1}}
    signatures = {
        row.measure: row.signature
        for row in bp.evaluate(truth, run, "spanHit spanHit(iou=0.7) spanAP spanAP(iou='0.5:0.95')@10").mean_rows
    }
    assert signatures["spanHit"]["share"] == "0.5" and signatures["spanHit"].get("iou") == ""
    assert signatures["spanHit(iou=0.7)"]["iou"] == "0.7" and signatures["spanHit(iou=0.7)"].get("share") == ""
    assert signatures["spanAP"]["iou"] == "0.5" and signatures["spanAP(iou='0.5:0.95')@10"]["iou"] == "0.5:0.95"


def test_share_and_iou_together_and_wrong_thresholds_are_refused():
    for name in ("spanHit", "spanRR", "spanNDCG", "spanAll"):
        with pytest.raises(bp.UsageError, match="share= or iou=, not both"):
            value([("d", 0, 1)], f"{name}(share=0.5,iou=0.5)", [("d", 0, 1)])
    for wrong in ("0", "1.5", "-0.5", "'0.95:0.5'", "'a:b'", "'0:0.5'", "'0.5:1.5'", "''", "True", "None", "[0.5]"):
        with pytest.raises(bp.UsageError, match="iou"):
            value([("d", 0, 1)], f"spanAP(iou={wrong})", [("d", 0, 1)])


# --- average precision of a detector --------------------------------------------------------------------------------

#: Three moments of a video of 150 s and six predictions, as in moment retrieval. IoU of the predictions with the
#: moments they meet: 10/14; 16/24 (and 4/38 with the next); 8/12, already taken; 0; 20/20; 18/22, already taken.
MOMENTS = [("d", 10, 20), ("d", 40, 60), ("d", 100, 120)]
PREDICTIONS = [("d", 8, 22), ("d", 44, 64), ("d", 10, 22), ("d", 70, 80), ("d", 100, 120), ("d", 98, 120)]


def test_recall_at_one_of_moment_retrieval_by_hand():
    assert value(PREDICTIONS, "spanHit(iou=0.5)@1", MOMENTS) == 1
    assert value(PREDICTIONS, "spanHit(iou=0.7)@1", MOMENTS) == 1  # 10/14 = .714
    assert value(PREDICTIONS, "spanHit(iou=0.75)@1", MOMENTS) == 0


def test_average_precision_of_moment_retrieval_by_hand():
    # at .5: true, true, false (10-20 is taken), false, true, false: precisions 1, 1, 3/5
    assert value(PREDICTIONS, "spanAP(iou=0.5)", MOMENTS) == pytest.approx((1 + 1 + 3 / 5) / 3)
    assert value(PREDICTIONS, "spanAP(iou=0.5)@2", MOMENTS) == pytest.approx(2 / 3)
    # at .7 the second (16/24) is false: true, false, false, false, true, false: 1 and 2/5
    assert value(PREDICTIONS, "spanAP(iou=0.7)", MOMENTS) == pytest.approx((1 + 2 / 5) / 3)
    # at .75 the third result, 10/12, takes the first moment: 1/3 and 2/5, and 1/3 is raised to 2/5
    assert value(PREDICTIONS, "spanAP(iou=0.75)", MOMENTS) == pytest.approx((2 / 5 + 2 / 5) / 3)
    # .5 .55 .6 .65 as at .5; .7 alone; .75 and .8 as at .75; .85 .9 .95: only the fifth result, 1/5
    mean = (4 * 2.6 / 3 + 1.4 / 3 + 2 * 0.8 / 3 + 3 * 0.2 / 3) / 10
    assert value(PREDICTIONS, "spanAP(iou='0.5:0.95')@10", MOMENTS) == pytest.approx(mean)
    assert value(PREDICTIONS, "spanAP(iou='.5:.55')", MOMENTS) == pytest.approx(2.6 / 3)


def test_a_result_takes_the_free_target_of_largest_overlap():
    targets = [("d", 0, 10), ("d", 4, 14)]
    assert value([("d", 3, 13), ("d", 1, 11)], "spanAP", targets) == 1  # the second target first, then the first
    assert value([("d", 0, 10), ("d", 2, 10)], "spanAP(iou=0.4)", targets) == 1  # 6/12 with what is left
    assert value([("d", 0, 10), ("d", 0, 10)], "spanAP(iou=0.4)", targets) == 0.5  # a copy finds nothing


def test_every_region_of_a_rank_is_a_result_of_its_own():
    run = twins_text.span_run([[("e", 20, 30), ("d", 0, 10)], [("e", 0, 10)]])
    truth = worlds.span_truth({"1": [("d", 0, 10), ("e", 0, 10)]})
    values = bp.evaluate(truth, run, "spanAP@1 spanAP spanHit(iou=0.5)@1 spanRR(iou=1)").mean()["run"]
    assert values == pytest.approx(
        {"spanAP@1": 1 / 4, "spanAP": 2 / 3, "spanHit(iou=0.5)@1": 1, "spanRR(iou=1)": 1}  # false, true, true
    )


def test_the_explanation_shows_which_target_each_result_takes():
    truth, run = worlds.span_truth({"1": MOMENTS}), worlds.span_run({"1": PREDICTIONS})
    text = explanation(bp.explain(truth, run, "1", "spanAP(iou='0.5:0.95')"))
    assert "d#10-20" in text
    assert "0.95" in text and "3 targets" in text
    assert "2 of 3 targets" in explanation(bp.explain(truth, run, "1", "spanAll@2"))


# --- against plain twins --------------------------------------------------------------------------------------------

spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 40), st.integers(1, 25)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)
lists = st.lists(spans, min_size=1, max_size=8)
graded = st.lists(st.tuples(spans, st.integers(1, 3)), min_size=1, max_size=5, unique_by=lambda pair: pair[0])
cuts = st.one_of(st.none(), st.integers(1, 9))


def characters(span):
    return {(span[0], i) for i in range(span[1], span[2])}


def iou(one, other):
    return len(characters(one) & characters(other)) / len(characters(one) | characters(other))


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
    truth = worlds.span_truth({"1": [(*span, grade) for span, grade in pairs]})
    values = bp.evaluate(truth, worlds.span_run({"1": results}), names).mean()["run"]
    first = min(found.values())
    twins = [first < math.inf, max(found.values()) < math.inf, 1 / first, ndcg_twin(found, grades, cut)]
    assert [values[name] for name in names] == pytest.approx([float(twin) for twin in twins], abs=1e-12)
    assert values[names[3]] <= 1


def detector_twin(results, targets, least):
    """Recall steps times the largest precision at that recall or more, as the programs of the campaigns do it."""
    free, hits = list(targets), []
    for i, y in enumerate(results):
        good = [x for x in free if iou(x, y) >= least - 1e-9]
        best = max(good, key=lambda x: iou(x, y), default=None)
        if y in results[:i]:
            best = None
        hits.append(best is not None)
        if best is not None:
            free.remove(best)
    total, true = 0.0, 0
    for i, hit in enumerate(hits):
        if hit:
            true += 1
            total += max(sum(hits[: j + 1]) / (j + 1) for j in range(i, len(hits)))
    return total / len(targets)


@given(lists, graded, cuts)
def test_average_precision_agrees_with_a_detector_by_hand(results, pairs, cut):
    targets = [span for span, _ in pairs]
    at = "" if cut is None else f"@{cut}"
    expected = {
        f"spanAP(iou=0.3){at}": detector_twin(results[:cut], targets, 0.3),
        f"spanAP(iou='0.5:0.95'){at}": sum(
            detector_twin(results[:cut], targets, 0.5 + i / 20) for i in range(10)
        ) / 10,
    }  # fmt: skip
    truth = worlds.span_truth({"1": targets})
    values = bp.evaluate(truth, worlds.span_run({"1": results}), list(expected)).mean()["run"]
    assert values == pytest.approx(expected, abs=1e-12)
