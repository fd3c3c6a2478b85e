"""Time-biased gain: by hand, against published values, and against a plain twin."""

from __future__ import annotations

from itertools import permutations

import handmade
import pytest
from generated_inputs import span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.tables.text import explanation


def score(wanted, results, measure, **options):
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    return bp.evaluate(truth, run, measure, **options).mean_rows[0].value


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_text_counts_at_the_start_of_the_result_that_shows_it():
    results = [("a", 0, 50), ("b", 0, 100), ("a", 25, 75)]  # the last one begins after 150, and shows 25 new characters
    assert score([("a", 0, 100)], results, "TBG(h=150)") == pytest.approx(0.5 + 0.25 / 2)


def test_grades_weigh_targets():
    assert score([("a", 0, 10, 3), ("b", 0, 10, 1)], [("b", 0, 10), ("a", 0, 10)], "TBG(h=10)") == 1 + 3 / 2


def test_text_that_was_read_before_costs_again():
    results = [("a", 0, 100), ("a", 0, 100), ("b", 0, 10)]
    assert score([("b", 0, 10)], results, "TBG(h=100)") == 1 / 4


def test_an_entry_point_is_seen_by_the_first_result_that_holds_it():
    results = [("a", 20, 40), ("a", 0, 20), ("a", 0, 40)]
    assert score([("a", 5, 5)], results, "TBG(h=20)") == 1 / 2


def test_summaries_cost_each_time_and_documents_once():
    results = [("a", 0, 10), ("a", 10, 20), ("b", 0, 10)]
    costs = "h=10, summary=3, document=4, rate=0.5"
    assert score([("b", 0, 10)], results, f"TBG({costs})") == pytest.approx(2 ** -((3 + 4 + 5 + 3 + 5) / 10))


def test_the_papers_calibration_of_ranks_of_equal_documents():
    """Each document of 500 words takes 4.4 + 7.8 + 0.018 x 500 = 21.2 seconds."""
    names = [f"d{i}" for i in range(4)]
    wanted = [(name, 0, 500) for name in names[1::2]]
    value = score(wanted, [(name, 0, 500) for name in names], "TBG(summary=4.4, document=7.8, rate=0.018)")
    assert value == pytest.approx(2 ** (-21.2 / 224) + 2 ** (-3 * 21.2 / 224))


def test_a_cut_off_leaves_out_later_results_and_later_targets():
    wanted, results = [("a", 0, 10), ("b", 0, 10)], [("b", 0, 10), ("a", 0, 10)]
    assert score(wanted, results, "TBG(h=10)@1") == 1
    assert score(wanted, results, "TBG(h=10, normalised=True)@1") == 1
    assert score(wanted, results, "TBG(h=10)@2") == 1.5


def test_normalised_by_the_targets_in_their_best_order():
    """The short target first: 1 + 2^-1, not 1 + 2^-3."""
    results = [("a", 0, 30), ("b", 0, 10)]
    wanted = [("a", 0, 30), ("b", 0, 10)]
    assert score(wanted, results, "TBG(h=10, normalised=True)") == pytest.approx((1 + 1 / 8) / 1.5)
    assert score(wanted, results[::-1], "TBG(h=10, normalised=True)") == 1


def test_the_half_life_goes_with_the_unit():
    wanted, results = [("a", 0, 10)], [("b", 0, 4480), ("a", 0, 10)]
    assert score(wanted, results, "TBG", effort="chars") == 0.5
    assert score(wanted, [("b", 0, 224), ("a", 0, 10)], "TBG", effort="seconds") == 0.5
    texts = {"a": "ten words! " * 10, "b": "word " * 896}
    assert score(wanted, [("b", 0, 4480), ("a", 0, 10)], "TBG", documents=texts) == 0.5
    with pytest.raises(bp.UsageError, match=r"h has no default here.*TBG\(h=4480\), or say effort='chars'"):
        score(wanted, results, "TBG")


def test_the_signature_says_what_was_counted():
    truth, run = handmade.span_truth({"1": [("a", 0, 10)]}), handmade.span_run({"1": [("a", 0, 10)]})
    signature = str(bp.evaluate(truth, run, "TBG", effort="chars").mean_rows[0].signature).split("|")
    assert {"h:4480", "effort:chars"} <= set(signature)


def test_a_widened_region_is_read_and_paid_for():
    texts = {"a": "x" * 100, "b": "x" * 100}
    wanted, results = [("a", 0, 20), ("b", 50, 60)], [("a", 40, 60), ("b", 50, 60)]
    user = "window(before=30, after=30)"
    value = score(wanted, results, f"TBG(h=80, user='{user}')", documents=texts, effort="chars")
    assert value == pytest.approx(10 / 20 + 1 / 2)  # 10-90 shows half of the first target and takes 80


def test_it_explains_what_each_result_adds():
    truth, run = {"q": {"a#0-40": 1}}, {"q": {"a#20-120": 3, "b#0-200": 2, "a#0-10": 1}}
    told = explanation(bp.explain(truth, run, "TBG(h=100, normalised=True)", "q"))
    lines = [line.split() for line in told.splitlines()]
    assert ["1", "(a#20-120)", "100", "0", "0.5", "1", "0.5"] in lines
    assert ["3", "(a#0-10)", "10", "300", "0.25", "0.125", "0.03125"] in lines
    shares = [["25%", "0.25", "1"], ["50%", "0.5", "1"], ["75%", "0.75", "0.125"], ["100%", "1", "0"]]
    assert all(row in lines for row in shares), "readers who collect at least so much"
    assert "0.53125" in told and "Divided by that of the targets as results: 1" in told


def test_its_curve_ends_at_its_value():
    results = [("a", 0, 50), ("b", 0, 100), ("a", 25, 75)]
    truth, run = handmade.span_truth({"1": [("a", 0, 100)]}), handmade.span_run({"1": results})
    curve = bp.evaluate(truth, run, "TBG(h=150)", curves=True).curves()["run"]["TBG(h=150)"]["1"]
    assert curve == [(1, 0.5), (2, 0.5), (3, pytest.approx(0.625))]


# --- published --------------------------------------------------------------------------------------------------------

#: Topic T1 of the sample output in cwl_eval's documentation: gains and costs by rank.
GAINS = (1.0, 0.0, 0.2, 0.6, 0.0, 0.0, 0.2, 0.0, 1.0, 0.0)
COSTS = (2, 2, 1, 2, 5, 1, 2, 1, 2, 5)


def as_spans(costs):
    """Whole documents as spans that are as long as they cost."""
    wanted = [(f"d{i}", 0, costs[i], gain) for i, gain in enumerate(GAINS) if gain]
    return wanted, [(f"d{i}", 0, costs[i]) for i in range(10)]


def test_as_the_published_total_utility_of_cwl_eval():
    """ETU of TBG-H@22 where each item costs 1."""
    assert round(score(*as_spans((1,) * 10), "TBG(h=22)"), 3) == 2.676


def test_as_cwl_eval_computes_it_with_costs():
    """cwl-eval 1.0.12. Its documentation prints 2.339: the decay averaged over each item, relative to the first."""
    assert score(*as_spans(COSTS), "TBG(h=22)") == pytest.approx(2.4256967990513023, rel=1e-12)
    begins = [sum(COSTS[:i]) for i in range(10)]
    during = [2 ** (-t / 22) - 2 ** (-(t + cost) / 22) for t, cost in zip(begins, COSTS, strict=True)]
    assert round(sum(gain * weight for gain, weight in zip(GAINS, during, strict=True)) / during[0], 3) == 2.339


# --- twin -------------------------------------------------------------------------------------------------------------


def plainly(targets, results, h, summary, document, rate):
    """Character by character."""
    time = total = 0.0
    seen, opened = set(), set()
    for name, start, end in results:
        for wanted, low, high, gain in targets:
            new = [i for i in range(low, high) if wanted == name and start <= i < end and (name, i) not in seen]
            total += gain * len(new) / (high - low) * 0.5 ** (time / h)
        seen |= {(name, i) for i in range(start, end)}
        time += summary + (0 if name in opened else document) + rate * (end - start)
        opened.add(name)
    return total


@settings(max_examples=60)
@given(span_worlds(targets=4), st.data())
def test_as_its_twin(world, data):
    targets = [(*span, data.draw(st.integers(1, 3))) for span in world.targets]
    h, rate = data.draw(st.integers(1, 60)), data.draw(st.sampled_from([0, 0.25, 1]))
    summary, document = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
    given_costs = f"h={h}, summary={summary}, document={document}, rate={rate}"
    expected = plainly(targets, world.results, h, summary, document, rate)
    assert score(targets, world.results, f"TBG({given_costs})") == pytest.approx(expected, rel=1e-12)


@settings(max_examples=40)
@given(span_worlds(documents=3, targets=3), st.integers(1, 60), st.integers(0, 9))
def test_no_order_of_the_targets_is_better_than_the_ideal_one(world, h, summary):
    apart = [(f"t{i}", start, end, 1 + i % 3) for i, (_, start, end) in enumerate(world.targets)]
    best = max(
        score(apart, [span[:3] for span in order], f"TBG(h={h}, summary={summary}, normalised=True)")
        for order in permutations(apart)
    )
    assert best == pytest.approx(1, rel=1e-12)


def test_positions_that_count_lines_have_no_half_life():
    truth = [{"topic": "1", "doc": "a.py", "start_line": 1, "end_line": 9}]
    with pytest.raises(bp.UsageError, match="TBG: h has no default"):
        bp.evaluate(truth, {"1": [{"doc": "a.py", "start_line": 3, "end_line": 9}]}, "TBG")
