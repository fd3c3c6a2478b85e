"""spanAP by hand, and against a plain detector."""

from __future__ import annotations

import handmade
import pytest
import slow_text_twins
from hypothesis import given
from overlapping_spans import MOMENTS, PREDICTIONS, cuts, graded, iou, lists, value

import berrypick as bp
from berrypick.evaluation import scoring
from berrypick.measures import parse_measure
from berrypick.tables.text import explanation


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
    run = slow_text_twins.span_run([[("e", 20, 30), ("d", 0, 10)], [("e", 0, 10)]])
    truth = handmade.span_truth({"1": [("d", 0, 10), ("e", 0, 10)]})
    values = bp.evaluate(truth, run, "spanAP@1 spanAP spanHit(iou=0.5)@1 spanRR(iou=1)").mean()["run"]
    assert values == pytest.approx(
        {"spanAP@1": 1 / 4, "spanAP": 2 / 3, "spanHit(iou=0.5)@1": 1, "spanRR(iou=1)": 1}  # false, true, true
    )


def test_the_explanation_shows_which_target_each_result_takes():
    truth, run = handmade.span_truth({"1": MOMENTS}), handmade.span_run({"1": PREDICTIONS})
    text = explanation(bp.explain(truth, run, "spanAP(iou='0.5:0.95')", "1"))
    assert "d#10-20" in text
    assert "0.95" in text and "3 targets" in text


def test_the_signature_names_what_a_match_needs():
    truth, run = {"q": {"d#0-10": 1}}, {"q": {"d#0-10": 1}}
    rows = bp.evaluate(truth, run, "spanAP spanAP(iou='0.5:0.95')@10").mean_rows
    assert {row.measure: row.signature["iou"] for row in rows} == {
        "spanAP": "0.5",
        "spanAP(iou='0.5:0.95')@10": "0.5:0.95",
    }


def test_it_is_what_is_named_in_place_of_ap():
    assert parse_measure(parse_measure("AP").of_spans).name() == "spanAP" and not parse_measure("spanAP").of_spans


def test_wrong_thresholds_are_refused():
    for wrong in ("0", "1.5", "-0.5", "'0.95:0.5'", "'a:b'", "'0:0.5'", "'0.5:1.5'", "''", "True", "None", "[0.5]"):
        with pytest.raises(bp.UsageError, match="iou"):
            value([("d", 0, 1)], f"spanAP(iou={wrong})", [("d", 0, 1)])


def test_plain_topics_are_not_judged_alone(monkeypatch):
    truth = {f"q{i}": [{"doc": "d", "start": 10 * i, "end": 10 * i + 10}] for i in range(4)}
    run = {topic: [{"doc": "d", "start": 5, "end": 25}, {"doc": "e", "start": 0, "end": 5}] for topic in truth}
    monkeypatch.setattr(scoring.RunScorer, "_score", None)
    assert bp.evaluate(truth, run, "spanAP").mean()["run"]["spanAP"] == pytest.approx(1 / 4)  # 5/25, 10/20, 5/25, 0


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
    truth = handmade.span_truth({"1": targets})
    values = bp.evaluate(truth, handmade.span_run({"1": results}), list(expected)).mean()["run"]
    assert values == pytest.approx(expected, abs=1e-12)
