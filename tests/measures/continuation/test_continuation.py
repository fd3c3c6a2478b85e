"""Readers who go on with some probability: by hand, against published values, and against a plain twin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import handmade
import numpy as np
import pytest
from generated_inputs import span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.measures import ContinuationMeasure
from berrypick.tables.text import explanation


def score(wanted, results, measure, **options):
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    return bp.evaluate(truth, run, measure, **options).mean_rows[0].value


# --- published --------------------------------------------------------------------------------------------------------

#: Topic T1 of the sample output in cwl_eval's documentation: gains by rank.
GAINS = (1.0, 0.0, 0.2, 0.6, 0.0, 0.0, 0.2, 0.0, 1.0, 0.0)
DOCUMENTS = [(f"d{i}", 0, 10) for i in range(10)]


@pytest.mark.parametrize(
    ("measure", "published"),
    [
        ("spanRBP(p=0.5)", 0.566),
        ("spanRBP(p=0.9)", 0.214),
        ("spanINST(T=1)", 0.680),
        ("spanINST(T=2)", 0.401),
        ("spanCWL(go_on='1 1 1 1 0')", 0.360),  # P@5
        ("spanCWL(go_on='0')", 1.0),  # P@1
    ],
)
@pytest.mark.parametrize("options", [{}, {"every": 10}])
def test_as_published_by_cwl_eval(measure, published, options):
    """Whole documents as spans; as long as a stretch, they are read one after the other in stretches too."""
    wanted = [(*DOCUMENTS[i], gain) for i, gain in enumerate(GAINS) if gain]
    typed = measure.replace(")", ", every=10)") if options else measure
    assert round(score(wanted, DOCUMENTS, typed), 3) == published


@pytest.mark.parametrize(("t", "value"), [(1, 0.6799009818965127), (2, 0.4013018309937624)])
def test_inst_has_the_digits_of_cwl_eval(t, value):
    """cwl-eval 1.0.12."""
    wanted = [(*DOCUMENTS[i], gain) for i, gain in enumerate(GAINS) if gain]
    assert score(wanted, DOCUMENTS, f"spanINST(T={t})") == pytest.approx(value, rel=1e-12)


def test_as_rbp_of_whole_documents():
    """Documents as results, whatever their lengths."""
    lengths = handmade.lengths(a=10, b=200, c=7, d=1)
    truth, run = handmade.document_truth({"1": {"a": 2, "c": 1, "x": 0, "b": 0}}), handmade.document_run({"1": "bacd"})
    found = bp.evaluate(truth, run, "spanRBP(p=0.5)", collection=lengths).mean_rows[0].value
    assert found == 0.5 * (0.5 + 0.25)


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_a_result_gains_what_it_shows_for_the_first_time():
    results = [("a", 0, 50), ("a", 25, 75), ("a", 0, 100)]
    assert score([("a", 0, 100)], results, "spanRBP(p=0.5)") == pytest.approx(0.5 * (0.5 + 0.25 / 2 + 0.25 / 4))


def test_one_result_gains_at_most_1():
    assert score([("a", 0, 10), ("a", 20, 30)], [("a", 0, 30)], "spanRBP(p=0.5)") == 0.5


def test_stretches_go_on_over_the_borders_of_results():
    """Stretches of 8 over results of 10 and 6: 10 + 6 characters, of which 8-14 are relevant: 0/8 and 6/8."""
    assert score([("a", 8, 10), ("b", 0, 4)], [("a", 0, 10), ("b", 0, 6)], "spanRBP(p=0.5, every=8)") == 0.5 * 0.375


def test_where_targets_overlap_the_larger_share_of_readers_counts():
    wanted = [("a", 0, 10, 0.5), ("a", 5, 10, 1.0)]
    assert score(wanted, [("a", 0, 10)], "spanCWL(go_on='0', every=10)") == 0.75


def test_stretches_of_tokens():
    texts = {"a": "one two three four five six"}
    wanted, results = [("a", 4, 13)], [("a", 0, 27)]  # two three
    assert score(wanted, results, "spanCWL(go_on='0', every=2)", documents=texts) == pytest.approx(0.5)
    assert score(wanted, results, "spanCWL(go_on='1 0', every=2)", documents=texts) == pytest.approx(0.5)
    assert score(wanted, results, "spanCWL(go_on='1 1 0', every=2)", documents=texts) == pytest.approx(1 / 3)


def test_several_results_at_one_rank_are_one_item():
    results = [("c", 0, 10, 1), ("a", 0, 10, 2), ("b", 0, 5, 2)]
    assert score([("b", 0, 10)], results, "spanRBP(p=0.5)") == 0.5 * 0.5 * 0.5


def test_an_endless_list_is_not_cut_for_patient_readers():
    """Weights of a geometric law: with p = 0.9999 most of them lie beyond any list."""
    assert score([("a", 0, 10)], [("a", 0, 10)], "spanRBP(p=0.9999)") == pytest.approx(1e-4, rel=1e-9)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("spanRBP(p=1)", "must be in [0, 1)"),
        ("spanINST(T=0.1)", "must be 0.5 or more"),
        ("spanRBP(every=0)", "must be above 0"),
        ("spanCWL(go_on='')", "as in '0.9 0.5 0.2', the last one below 1"),
        ("spanCWL(go_on='0.5 1')", "the last one below 1"),
        ("spanCWL(go_on='0.5 x')", "must be probabilities"),
        ("spanCWL(go_on='1.5 0')", "must be probabilities"),
        ("spanCWL(go_on='nan 0')", "must be probabilities"),
    ],
)
def test_wrong_parameters_are_refused(measure, message):
    with pytest.raises(bp.UsageError) as error:
        score([("a", 0, 10)], [("a", 0, 10)], measure)
    assert message in str(error.value)


def test_entry_points_have_no_stretches_of_text():
    assert score([("a", 5, 5)], [("a", 0, 10)], "spanRBP(p=0.5)") == 0.5
    with pytest.raises(bp.UsageError, match="has no length"):
        score([("a", 5, 5)], [("a", 0, 10)], "spanRBP(every=5)")


def test_too_many_stretches_are_refused():
    with pytest.raises(bp.UsageError, match="every=1e-08 is too short"):
        score([("a", 0, 10)], [("a", 0, 10)], "spanRBP(every=1e-8)")


def test_the_signature_says_what_a_stretch_counts():
    truth, run = handmade.span_truth({"1": [("a", 0, 10)]}), handmade.span_run({"1": [("a", 0, 10)]})
    row = bp.evaluate(truth, run, "spanRBP(every=5)", effort="chars").mean_rows[0]
    assert {"every:5", "effort:chars", "p:0.8"} <= set(str(row.signature).split("|"))


def test_it_explains_weights():
    truth, run = {"q": {"a#180-220": 1, "b#0-40": 1}}, {"q": {"a#0-200": 3, "c#0-200": 2, "b#0-100": 1}}
    told = explanation(bp.explain(truth, run, "spanRBP(p=0.5)", "q"))
    assert ["1", "(a#0-200)", "0.5", "0.5", "0.5", "0.25"] in [line.split() for line in told.splitlines()]
    told = explanation(bp.explain(truth, run, "spanRBP(p=0.5, every=100)", "q"))
    assert ["2", "(100-200)", "0.2", "0.5", "0.25", "0.05"] in [line.split() for line in told.splitlines()]


def test_a_rule_of_ones_own():
    """Readers who stop at the first gain: the expected gain of what they look at is 1 in 3 here."""

    @dataclass(frozen=True)
    class UntilFound(ContinuationMeasure):
        def continuation(self, gains):
            return (gains == 0).astype(np.float64)

    truth, run = handmade.span_truth({"1": [("c", 0, 9)]}), handmade.span_run({"1": [(name, 0, 9) for name in "abcd"]})
    assert bp.evaluate(truth, run, UntilFound()).mean_rows[0].value == pytest.approx(1 / 3)


# --- twin -------------------------------------------------------------------------------------------------------------


def gains_by_rank(targets, results):
    seen, found = set(), []
    for name, start, end in results:
        gain = Fraction(0)
        for wanted, low, high in targets:
            new = [i for i in range(low, high) if wanted == name and start <= i < end and (name, i) not in seen]
            gain += Fraction(len(new), high - low)
        seen |= {(name, i) for i in range(start, end)}
        found.append(min(gain, Fraction(1)))
    return found


def gains_by_stretch(targets, results, every):
    relevant = {(name, i) for name, low, high in targets for i in range(low, high)}
    read = [(name, i) for name, start, end in results for i in range(start, end)]
    new = [place in relevant and place not in read[:n] for n, place in enumerate(read)]
    return [Fraction(sum(new[i : i + every]), every) for i in range(0, len(new), every)]


def expected(gains, go_on, items):
    """Reader after reader, item after item, as the framework has it."""
    looked = gained = 0.0
    here, sofar = 1.0, 0.0
    for i in range(items):
        gain = float(gains[i]) if i < len(gains) else 0.0
        sofar += gain
        looked += here
        gained += here * gain
        here *= go_on(i + 1, sofar)
    return gained / looked


@settings(max_examples=60)
@given(span_worlds(targets=4), st.data())
def test_as_its_twin(world, data):
    every = data.draw(st.one_of(st.none(), st.integers(1, 25)))
    gains = gains_by_rank(world.targets, world.results)
    if every is not None:
        gains = gains_by_stretch(world.targets, world.results, every)
    said = "" if every is None else f", every={every}"
    p, t = data.draw(st.sampled_from([0.2, 0.8])), data.draw(st.sampled_from([0.5, 1, 3]))
    probabilities = data.draw(st.lists(st.sampled_from([0.1, 0.5, 1.0]), max_size=4).map(lambda c: [*c, 0.3]))
    given_ = " ".join(map(str, probabilities))
    found = {
        f"spanRBP(p={p}{said})": expected(gains, lambda i, g: p, 1000),
        f"spanINST(T={t}{said})": expected(gains, lambda i, g: ((i + 2 * t - g - 1) / (i + 2 * t - g)) ** 2, 1000),
        f"spanCWL(go_on='{given_}'{said})": expected(
            gains, lambda i, g: probabilities[min(i, len(probabilities)) - 1], 1000
        ),
    }
    for measure, value in found.items():
        assert score(world.targets, world.results, measure) == pytest.approx(value, rel=1e-9, abs=1e-15), measure
