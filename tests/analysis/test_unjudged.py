"""Text that nobody judged: how much of a list it is, what it counts as, and what it could do to a comparison."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from handmade import truth_of
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.analysis.unjudged import _values, unjudged_bounds
from berrypick.data.errors import UsageError
from berrypick.data.truth import Truth
from berrypick.evaluation.requested import resolve_measures
from berrypick.measures.spans.charr import charR

MEASURES = ("charP", "charR", "charF", "IoU")


def run_of(**topics: list[tuple[str, int, int]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [{"doc": d, "start": a, "end": b} for d, a, b in spans] for name, spans in topics.items()}


# one list: 30 characters, of which 10 are relevant (a:0-10), 5 judged not to be (a:10-15), 5 unjudged in a,
# 10 in b, which was judged as a whole
TRUTH = truth_of(q={"spans": {("a", 0, 10): 1, ("a", 10, 15): 0, ("a", 90, 100): 1}, "whole": ["b"]})
RUN = run_of(q=[("a", 0, 20), ("b", 0, 10)])


def test_share_of_judged_text():
    assert bp.score("charJudged", TRUTH, RUN) == pytest.approx(25 / 30)
    assert bp.score("charJudged@1", TRUTH, RUN) == pytest.approx(15 / 20)
    assert bp.score("charJudged", TRUTH, run_of(q=[("c", 0, 10)])) == 0.0
    assert bp.score("charJudged", TRUTH, run_of(q=[("a", 0, 20), ("a", 5, 20)])) == pytest.approx(15 / 20)
    assert bp.score("charJudged", TRUTH, {"q": []}) is None


def test_a_grade_below_0_is_no_judgement():
    truth = truth_of(q={"spans": {("a", 0, 10): 1, ("a", 10, 20): -1}})
    assert bp.score("charJudged", truth, RUN) == pytest.approx(10 / 30)


def test_unjudged_text_of_the_list_may_count_as_relevant():
    # a = 10, u = 5, |U| = 30, |T| = 20
    for given_, expected in (
        ("irrelevant", {"charP": 10 / 30, "charR": 10 / 20, "charF": 2 * 10 / (30 + 20), "IoU": 10 / 40}),
        ("relevant", {"charP": 15 / 30, "charR": 15 / 25, "charF": 2 * 15 / (30 + 25), "IoU": 15 / 40}),
    ):
        found = bp.evaluate(TRUTH, RUN, " ".join(MEASURES), unjudged=given_)
        assert found.mean()["run"] == pytest.approx(expected)
        assert {row.signature.get("unjudged") for row in found.mean_rows} == {given_}
    assert bp.score("charP@1", TRUTH, RUN, unjudged="relevant") == pytest.approx(15 / 20)
    assert bp.score("charR@1", TRUTH, RUN, unjudged="relevant") == pytest.approx(15 / 25)


def test_curves_and_explanations_count_it_too():
    rows = bp.evaluate(TRUTH, RUN, "charP charR charJudged", unjudged="relevant", curves=True).mean_rows
    curves = {row.measure: [(x, pytest.approx(y)) for x, y in row.curve] for row in rows}
    assert curves == {
        "charP": [(1, 15 / 20), (2, 15 / 30)],
        "charR": [(1, 15 / 25), (2, 15 / 25)],
        "charJudged": [(1, 15 / 20), (2, 25 / 30)],
    }
    assert "of it unjudged, which counts as relevant      5" in str(
        bp.explain(TRUTH, RUN, "charP", "q", unjudged="relevant")
    )


def test_a_note_says_what_recall_does_not_know():
    notes = {note.measure for note in bp.evaluate(TRUTH, RUN, "charP charR", unjudged="relevant").notes}
    assert notes == {"charR"}


@pytest.mark.parametrize("measure", ["EPRUM", "AP", "charP(counted='each')", "Overlap", "spanHit@3"])
def test_measures_of_other_things_refuse_it(measure):
    for unjudged in ("irrelevant", "relevant"):
        with pytest.raises(UsageError, match="unjudged= applies to charP, charR, charF and IoU"):
            bp.evaluate(TRUTH, RUN, measure, unjudged=unjudged)


@pytest.mark.parametrize("measure", ["Judged@3", "Judged", "Bpref", "BPref", "infAP"])
def test_measures_of_judged_documents_are_refused_on_spans(measure):
    with pytest.raises(UsageError, match="charJudged is the share of what is retrieved that was judged"):
        bp.evaluate(TRUTH, RUN, measure)
    assert bp.score(measure, {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}) is not None


def test_documents_judged_as_such_are_judged_as_a_whole():
    lengths = bp.Collection({"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0})
    truth, run = {"q": {"a": 1, "b": 0, "d": -1}}, {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    assert bp.score("charJudged", truth, run, collection=lengths) == pytest.approx(30 / 100)


# --- comparisons ------------------------------------------------------------------------------------------------------


def bounds(truth: Truth, runs: dict[str, Any], measure: str) -> Any:
    return unjudged_bounds(bp.Evaluation.prepare(truth, runs, measure))[measure]


def test_both_favouring_truths_by_hand():
    # relevant: a:0-10. One retrieves a:0-20, the other a:5-15 and b:0-30.
    # unjudged: only one a:15-20 (5), only the other b:0-30 (30), both a:10-15 (5)
    truth = truth_of(q={"spans": {("a", 0, 10): 1}})
    runs = {"one": run_of(q=[("a", 0, 20)]), "two": run_of(q=[("a", 5, 15), ("b", 0, 30)])}
    (topic,) = bounds(truth, runs, "charP").topics
    # for one, whose list is the shorter one, text of both is relevant: (10+5+5)/20 - (5+5)/40
    assert topic.high[0, 1] == pytest.approx(20 / 20 - 10 / 40)
    # for the other it is not: (5+30)/40 - 10/20
    assert topic.high[1, 0] == pytest.approx(35 / 40 - 10 / 20)
    assert topic.low[0, 1] == pytest.approx(10 / 20 - 35 / 40)
    (topic,) = bounds(truth, runs, "charR").topics
    # for one: 15/15 - 5/15, or with text of both 20/20 - 10/20; for the other 35/40 - 10/40, or 40/45 - 15/45
    assert topic.high[0, 1] == pytest.approx(10 / 15)
    assert topic.high[1, 0] == pytest.approx(25 / 40)


def test_verdict_of_a_comparison():
    topics = [f"q{i}" for i in range(12)]
    truth = truth_of(**{name: {"spans": {("a", 0, 10): 1}} for name in topics})
    good = {name: [{"doc": "a", "start": 0, "end": 10}] for name in topics}
    bad = {name: [{"doc": "b", "start": 0, "end": 10}] for name in topics}
    found = bp.compare(truth, {"bad": bad, "good": good}, "charP charR RR")
    for measure in ("charP", "charR"):
        pair = found.pair(measure, "good", "bad")
        assert pair is not None and pair.significant and pair.could_turn_round is False
        # all of the text of the bad run relevant: charP 1 - 1, charR 10/20 - 10/20
        assert pair.unjudged == (0.0, 1.0)
    assert found.pair("RR", "good", "bad").could_turn_round is None
    longer = {name: [{"doc": "b", "start": 0, "end": 11}] for name in topics}
    found = bp.compare(truth, {"longer": longer, "good": good}, "charR")
    pair = found.pair("charR", "good", "longer")
    assert pair is not None and pair.unjudged == (pytest.approx(-1 / 21), 1.0)
    assert pair.could_turn_round and found.pair("charR", "longer", "good").could_turn_round
    assert any("unjudged text alone could reverse the significant" in note.text for note in found.notes)
    record = next(one for one in found.records() if one["run"] == "good")["comparisons"][0]
    assert record["could_turn_round"] is True and record["unjudged_high"] == 1.0
    judged = truth_of(**{name: {"spans": {("a", 0, 10): 1}, "whole": ["b"]} for name in topics})
    found = bp.compare(judged, {"longer": longer, "good": good}, "charR")
    assert found.pair("charR", "good", "longer").unjudged == (1.0, 1.0)
    assert not any("unjudged" in note.text for note in found.notes)


def test_topics_without_relevant_text_may_turn_a_mean_round():
    truth = truth_of(q1={"spans": {("a", 0, 10): 1}}, q2={"spans": {("a", 0, 10): 0}})
    one, two = run_of(q1=[("a", 0, 10)], q2=[("a", 0, 10)]), run_of(q1=[("a", 0, 5)], q2=[("b", 0, 10)])
    pair = bp.compare(truth, {"two": two, "one": one}, "charR").pair("charR", "one", "two")
    assert pair is not None and pair.difference == 0.5
    assert pair.unjudged == (pytest.approx((0.5 - 1) / 2), 0.5)  # q2, if b:0-10 is relevant
    assert pair.could_turn_round


SPANS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 11), st.integers(1, 6)), max_size=4)


def characters(spans: Any) -> set[tuple[str, int]]:
    return {(document, i) for document, start, length in spans for i in range(start, start + length)}


def value(measure: str, retrieved: set[Any], relevant: set[Any]) -> float:
    found = len(retrieved & relevant)
    if measure == "charP":
        return found / len(retrieved) if retrieved else 0.0
    if measure == "charR":
        return found / len(relevant)
    if measure == "charF":
        return 2 * found / (len(retrieved) + len(relevant))
    return found / len(retrieved | relevant)


@given(SPANS.filter(bool), SPANS, SPANS, SPANS, SPANS, st.randoms(use_true_random=False))
def test_bounds_are_those_of_every_truth(relevant, judged, mine, yours, hidden, random):
    """Against sets of characters: by the rule, and over fuller truths drawn at random."""
    texts = characters(relevant), characters(relevant) | characters(judged)
    lists = characters(mine), characters(yours)
    spans = {(d, a, a + n): 1 for d, a, n in relevant}
    spans |= {(d, i, i + 1): 0 for d, i in sorted(texts[1] - texts[0])}
    truth = truth_of(q={"spans": spans})
    runs = {
        name: run_of(q=[(d, a, a + n) for d, a, n in chosen]) if chosen else {"q": []}
        for name, chosen in (("one", mine), ("two", yours))
    }
    unjudged = [chars - texts[1] for chars in lists]
    fuller = texts[0] | (
        (characters(hidden) | set(random.sample(sorted(unjudged[0]), len(unjudged[0]) // 2))) - texts[1]
    )
    restricted = fuller & (texts[1] | lists[0] | lists[1])
    all_bounds = unjudged_bounds(bp.Evaluation.prepare(truth, runs, " ".join(MEASURES)))
    for measure in MEASURES:
        (topic,) = all_bounds[measure].topics
        for me, you in ((0, 1), (1, 0)):
            own, both = unjudged[me] - unjudged[you], unjudged[me] & unjudged[you]
            expected = max(
                value(measure, lists[me], texts[0] | own | more) - value(measure, lists[you], texts[0] | own | more)
                for more in (set(), both)
            )
            assert topic.high[me, you] == pytest.approx(expected, abs=1e-12)
            assert topic.low[you, me] == pytest.approx(-expected, abs=1e-12)
        if measure in ("charP", "charR"):
            known = fuller if measure == "charP" else restricted
            difference = value(measure, lists[0], known) - value(measure, lists[1], known)
            assert topic.low[0, 1] - 1e-12 <= difference <= topic.high[0, 1] + 1e-12


@given(SPANS.filter(bool), SPANS, SPANS, SPANS.filter(bool))
def test_each_run_lies_between_its_values_under_the_option(relevant, judged, hidden, mine):
    texts = characters(relevant), characters(relevant) | characters(judged)
    spans = {(d, a, a + n): 1 for d, a, n in relevant}
    spans |= {(d, i, i + 1): 0 for d, i in sorted(texts[1] - texts[0])}
    truth, run = truth_of(q={"spans": spans}), run_of(q=[(d, a, a + n) for d, a, n in mine])
    fuller, retrieved = texts[0] | (characters(hidden) - texts[1]), characters(mine)
    low, high = (
        bp.evaluate(truth, run, " ".join((*MEASURES, "charJudged")), unjudged=counts).mean()["run"]
        for counts in ("irrelevant", "relevant")
    )
    unjudged = retrieved - texts[1]
    for measure in MEASURES:
        assert low[measure] == pytest.approx(value(measure, retrieved, texts[0]), abs=1e-12)
        assert high[measure] == pytest.approx(value(measure, retrieved, texts[0] | unjudged), abs=1e-12)
    assert low["charP"] - 1e-12 <= value("charP", retrieved, fuller) <= high["charP"] + 1e-12
    assert value("charR", retrieved, fuller) <= high["charR"] + 1e-12
    assert low["charJudged"] == high["charJudged"] == pytest.approx(1 - len(unjudged) / len(retrieved), abs=1e-12)


def test_kernels_agree(kernels):
    assert bp.score("charJudged", TRUTH, RUN) == pytest.approx(25 / 30)
    assert bp.score("charF", TRUTH, RUN, unjudged="relevant") == pytest.approx(30 / 55)


@pytest.mark.parametrize("measure", MEASURES)
def test_values_of_many_lists_are_those_of_each(measure):
    """Also where nothing is relevant, and where a subclass has another value."""
    draw = np.random.default_rng(4)
    retrieved, relevant = draw.integers(1, 900, (2, 30, 30)).astype(float)
    total = relevant[:1] * draw.integers(0, 2, (30, 30)) + draw.integers(0, 2, (30, 30))
    value = resolve_measures(measure)[0].measure.text_value()
    rows = zip(*(column.ravel().tolist() for column in np.broadcast_arrays(retrieved, relevant, total)), strict=True)
    expected = [value(*row) if row[2] > 0 else 0.0 for row in rows]
    assert _values(value, retrieved, relevant, total).ravel().tolist() == expected


def test_a_value_of_another_class_is_not_taken_for_one_of_arrays():
    class Halved(charR):
        def value(self, retrieved, relevant, total):
            return relevant / total / 2 if relevant else 0.0

    assert charR().text_value().of_arrays and not hasattr(Halved().text_value(), "of_arrays")


def test_documents_of_which_nothing_is_retrieved_do_not_matter():
    wide = replace(TRUTH.topics["q"], judged_documents=("b", "z", "y"))
    assert bp.score("charJudged", replace(TRUTH, topics={"q": wide}), RUN) == pytest.approx(25 / 30)


def test_many_runs_at_once_give_what_pairs_give():
    runs = {f"r{i}": run_of(q=[("a", i, i + 12), ("b" if i % 2 else "c", 0, 3 * i + 1)]) for i in range(5)}
    together = bounds(TRUTH, runs, "charF").topics[0]
    for (i, one), (j, two) in itertools.permutations(enumerate(runs), 2):
        (alone,) = bounds(TRUTH, {one: runs[one], two: runs[two]}, "charF").topics
        assert together.high[i, j] == pytest.approx(alone.high[0, 1], abs=1e-12)


def test_results_alone_do_not_lose_the_note(tmp_path):
    """Without the truth it is not known what unjudged text could do, which is said, also of saved results."""
    topics = [f"q{i}" for i in range(12)]
    truth = truth_of(**{name: {"spans": {("a", 0, 10): 1}} for name in topics})
    runs = {doc: {name: [{"doc": doc, "start": 0, "end": 10 + (doc == "b")}] for name in topics} for doc in "ab"}

    def notes(compared):
        return {note.measure: note.text for note in compared.notes if note.kind == "unjudged text"}

    results = bp.evaluate(truth, runs, "charR RR")
    results.save(tmp_path / "saved.json")
    assert (
        "could reverse the significant difference between b and a" in notes(bp.compare(truth, runs, "charR"))["charR"]
    )
    for one in (results, bp.read_results(tmp_path / "saved.json")):
        said = notes(bp.compare(one))
        assert list(said) == ["charR"]
        assert said["charR"].startswith("whether unjudged text alone could reverse the significant difference")
        assert said["charR"].endswith("between b and a is not known from results: compare the runs with the truth")
    relevant = bp.evaluate(truth, runs, "charP", unjudged="relevant")
    assert not [note for note in bp.compare(relevant).notes if "not known from results" in note.text]
    assert notes(bp.compare(results, "a")) == {}
