"""What browsing costs: effort-precision with navigation (2007) section 5.1, by hand and by a slow twin."""

from __future__ import annotations

import json
import math

import handmade
import numpy as np
import pytest
import slow_text_twins
import slow_twins
from generated_inputs import reaches
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.kernels import first_browsing

SECTION, PARAGRAPHS = ("d", "/s[1]"), [("d", f"/s[1]/p[{i}]") for i in range(1, 31)]


def section_world(children: int):
    """A section of 300 characters, ideal, with children of 10 characters each; some of them are retrieved."""
    grades = {SECTION: (3, 3), **dict.fromkeys(PARAGRAPHS, (0, 0))}
    sizes = {SECTION: 300.0, **dict.fromkeys(PARAGRAPHS, 10.0)}
    return slow_text_twins.graded_truth(grades, sizes), slow_text_twins.element_run(
        [[p] for p in PARAGRAPHS[:children]]
    )


def test_a_reader_finds_the_section_at_rank_k_and_pays_for_it():
    """Exactly, one target: found at rank k with (1-p)^(k-1) p, having paid 10 k + 290."""
    for children, printed in ((1, 0.03333), (10, 0.25383), (30, 0.47437)):
        by_hand = sum((29 / 30) ** (k - 1) / 30 * 300 / (10 * k + 290) for k in range(1, children + 1))
        truth, run = section_world(children)
        results = bp.evaluate(truth, run, "epnav epnav@1", user="hierarchy", effort="chars")
        assert list(results.mean()["run"].values()) == pytest.approx([by_hand, by_hand], rel=1e-12)
        assert by_hand == pytest.approx(printed, abs=5e-6)
        assert all(row.signature["browsing"] == "exact" for row in results)


@pytest.mark.parametrize(
    ("user", "result", "expected"),
    [
        ("distance", ("d", 300, 301), 0.5 * 300 / 301),  # beside the target: .49834
        ("coverage", ("d", 0, 1), 1 / 300),  # one of 300 characters: .00333
        ("hierarchy", ("d", 0, 10), 10 / 300),  # .03333
        ("classical(share=0.1)", ("d", 0, 30), 300 / 30),  # nobody browses: the result is all that is read
        ("window(before=0,after=120)", ("d", 0, 30), 300 / 150),
        ("hierarchy", ("d", 0, 600), 0.5 * 300 / 600),  # a result that holds the target: nothing outside
    ],
)
def test_spans_by_hand(user, result, expected, files, berrypick):
    truth, run = handmade.span_truth({"1": [("d", 0, 300)]}), handmade.span_run({"1": [result]})
    assert bp.evaluate(truth, run, "epnav", user=user, effort="chars").mean()["run"]["epnav"] == pytest.approx(expected)
    document, start, end = result
    paths = files(
        truth_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 300}\n',
        run_jsonl=json.dumps({"topic": "1", "doc": document, "start": start, "end": end}) + "\n",
    )
    done = berrypick("evaluate", *paths.values(), "-m", "epnav", "--user", user, "--effort", "chars", "-o", "json")
    assert json.loads(done.out)[0]["value"] == pytest.approx(expected), done.err


def test_links_charge_the_page_that_is_reached():
    """From a (10 characters) 40% go on to b (50): 50 x .4/(10 + 50)."""
    truth, run = handmade.document_truth({"1": {"b": 1}}), handmade.document_run({"1": ["a"]})
    options = {"navigation": ReachTable({("a", "b"): 0.4}), "effort": "chars"}
    results = bp.evaluate(truth, run, "epnav", collection=handmade.lengths(a=10, b=50), **options)
    assert results.mean()["run"]["epnav"] == pytest.approx(0.4 * 50 / 60)


def test_clicks_count_a_result_and_a_target_browsed_to():
    """One click to a, one more to b for 40%: .4 x 1/2; then b itself at rank 2, without browsing: .6 x 1/2."""
    truth, run = handmade.document_truth({"1": {"b": 1}}), handmade.document_run({"1": ["a", "b"]})
    table = ReachTable({("a", "b"): 0.4})
    clicks = bp.evaluate(truth, run, "epnav", navigation=table, effort="clicks")
    assert clicks.mean()["run"]["epnav"] == pytest.approx(0.4 / 2 + 0.6 / 2)
    assert clicks.mean_rows[0].signature["effort"] == "clicks"
    ranks = bp.evaluate(truth, run, "epnav", navigation=table)
    assert ranks.mean()["run"]["epnav"] == pytest.approx(0.4 + 0.6 / 2)


def test_clicks_by_the_command_line(files, berrypick):
    paths = files(truth_qrels="1 0 b 1\n", list_run="1 Q0 a 1 1 r\n", table_tsv="a\tb\t0.4\n")
    done = berrypick("evaluate", paths["truth_qrels"], paths["list_run"], "-m", "epnav", "--navigation",
                     paths["table_tsv"], "--effort", "clicks", "-o", "json")  # fmt: skip
    assert json.loads(done.out)[0]["value"] == pytest.approx(0.2), done.err


def test_tokens_outside_of_the_result():
    """Six words, of which the result shows the first two; coverage 2/6 of the characters 'a b c d e f'."""
    text = "a b c d e f"
    truth, run = handmade.span_truth({"1": [("d", 0, 11)]}), handmade.span_run({"1": [("d", 0, 3)]})
    value = bp.evaluate(truth, run, "epnav", user="coverage", effort="tokens", documents={"d": text}).mean()["run"]
    assert value["epnav"] == pytest.approx(3 / 11 * 6 / (2 + 4))


@given(reaches(ranks=(1, 4), targets=(1, 3), coins=6), st.integers(0, 2**32 - 1), st.sampled_from([0.2, 0.5, 1.0]))
@settings(max_examples=40)
def test_as_printed(matrix, seed, level):
    rng = np.random.default_rng(seed)
    ranks, targets = matrix.shape
    gains, effort = rng.integers(1, 4, targets).astype(float), rng.random(ranks) + 0.1
    ideal, outside = rng.random(targets) + 0.1, rng.random((ranks, targets)) * rng.integers(0, 2, (ranks, targets))
    found = bp.effort_precision(matrix, gains, effort=effort, target_effort=ideal, outside=outside, levels=[level])
    expected = slow_twins.browsing_precision(matrix.tolist(), gains, effort, ideal, outside, level)
    assert found[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_browsing_costs_differ_between_ranks():
    """The target 12-21 is 9 long. Results cost 4, 19 and 18, browsing from them 9, 5 and 1. Distances: 7, 0 and 0."""
    target, results = [("d", 12, 21)], [("d", 1, 5), ("d", 17, 36), ("d", 2, 20)]
    truth, run = handmade.span_truth({"1": target}), handmade.span_run({"1": results})
    options = {"user": "distance(theta=0.05)", "effort": "chars"}
    reach = 1 / (1 + math.exp(0.05 * 7))
    expected = 9 * (reach / (4 + 9) + (1 - reach) * (0.5 / (23 + 5) + 0.25 / (41 + 1)))
    assert expected == pytest.approx(0.4119, abs=5e-5)
    results = bp.evaluate(truth, run, "epnav epnav@0.3", **options)
    assert list(results.mean()["run"].values()) == pytest.approx([expected, expected], rel=1e-12)
    assert all(row.signature["browsing"] == "exact" for row in results)
    (row,) = bp.simulate(truth, run, "epnav", readers=40_000, **options).mean_rows
    assert abs(row.simulated - expected) < 4 * row.error


def test_one_of_several_targets_decides():
    """One result leads to two targets, with .5 and .8; browsing costs 3 and 2, the list 1. Half of the gain is enough:
    both are seen by .4, the first alone by .1, the second alone by .4."""
    found = bp.effort_precision([[0.5, 0.8]], [1, 1], outside=[[3, 2]], levels=[0.5])
    assert found.tolist() == pytest.approx([0.4 / 6 + 0.1 / 4 + 0.4 / 3])


def test_too_many_sums_are_an_estimate(monkeypatch):
    """The mean of what those browse to who find anything: E[cost] = .5 x 3 + .8 x 2, P(anything) = .9."""
    monkeypatch.setattr(first_browsing, "MOST_SUMS", 2)
    found = bp.effort_precision([[0.5, 0.8]], [1, 1], outside=[[3, 2]], levels=[0.5])
    assert found.tolist() == pytest.approx([0.9 / (1 + 3.1 / 0.9)])


def test_with_several_targets_the_signature_says_it_is_an_estimate(monkeypatch):
    truth = handmade.span_truth({"1": [("d", 0, 300), ("d", 400, 500)]})
    run = handmade.span_run({"1": [("d", 0, 10), ("d", 450, 460)]})
    results = bp.evaluate(truth, run, "epnav epnav@0.5 epnav@0.51", user="hierarchy", effort="chars")
    assert [row.signature["browsing"] for row in results.mean_rows] == ["estimate", "exact", "estimate"]
    plain = bp.evaluate(truth, run, "epnav", user="hierarchy")
    assert not plain.mean_rows[0].signature.get("browsing")
    monkeypatch.setattr(first_browsing, "MOST_SUMS", 1)
    results = bp.evaluate(truth, run, "epnav@0.5", user="hierarchy", effort="chars")
    assert results.mean_rows[0].signature["browsing"] == "estimate"


@pytest.mark.parametrize("outside", [[[0.0]], [[0.0], [-1.0]], [[0.0], [float("nan")]]])
def test_wrong_matrices_of_browsing_are_refused(outside):
    with pytest.raises(bp.UsageError, match="outside must be"):
        bp.effort_precision([[0.5], [0.5]], [1], outside=outside)


# --- points='ideal' -------------------------------------------------------------------------------------------------


def test_at_the_gains_of_the_ideal_list():
    """Gains 2 and 1, list (gain 1, gain 2): the ideal list has 2 at rank 1 and 3 at rank 2; the run at rank 2 both."""
    truth, run = handmade.document_truth({"1": {"a": 2, "b": 1}}), handmade.document_run({"1": ["b", "a"]})
    assert bp.evaluate(truth, run, "epnav(points='ideal')").mean()["run"].popitem()[1] == pytest.approx((1 / 2 + 1) / 2)
    with pytest.raises(bp.UsageError, match="not both"):
        bp.evaluate(truth, run, "epnav(points='ideal')@0.5")
