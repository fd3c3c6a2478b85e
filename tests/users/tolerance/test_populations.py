"""Groups of people with a tolerance each, real recall levels, and tolerances in sentences."""

import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.documents.sentences import sentence_spans


def evaluated(world, *asked, **options):
    truth, run = handmade.span_truth({"1": world.targets}), handmade.span_run({"1": world.results})
    return bp.evaluate(truth, run, list(asked), collection=Collection(world.lengths), **options).mean()["run"]


# groups of people


@given(span_worlds(), st.integers(1, 6), st.integers(7, 12), st.integers(1, 9), st.booleans())
def test_the_value_is_the_weighted_mean(world, low, high, share, keeps_viewing):
    share /= 10
    entries = [(document, start) for document, start, _ in world.results]
    expected = {"T2I": 0.0, "ESL": 0.0, "PT2I": 0.0}
    targets = len(world.targets)
    irrelevant = sum(world.lengths.values()) - len(slow_twins.characters(world.targets))
    for tau, weight in ((low, share), (high, 1 - share)):
        visits, at_unit = slow_twins.walk(entries, world.lengths, world.targets, tau, keeps_viewing)
        found = sum(map(len, visits))
        length = slow_twins.search_length(at_unit, found, targets, targets, math.ceil(irrelevant / tau))
        expected["T2I"] += weight * slow_twins.t2i(at_unit, found, 60 // tau)
        expected["ESL"] += weight * length
        expected["PT2I"] += weight * targets / (targets + length)
    asked = f"tolerance='{low}={share},{high}={1 - share}',keeps_viewing={keeps_viewing}"
    found = evaluated(world, f"T2I(budget=60,{asked})", f"ESL({asked})", f"PT2I({asked})")
    assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-9)


@given(span_worlds(), st.integers(1, 6), st.integers(7, 12), st.booleans())
def test_reach_is_the_share_of_visits(world, low, high, keeps_viewing):
    """Each rank by itself: what earlier ranks have found is not taken out."""
    user = f"t2i(tolerance='{low}=.3,{high}=.7',keeps_viewing={keeps_viewing})"
    document, start, _ = world.results[0]
    unseen = [(a, b, x) for x, (d, a, b) in enumerate(world.targets) if d == document]
    expected = 0.0
    for tau, weight in ((low, 0.3), (high, 0.7)):
        found, _ = slow_twins.visit(start, world.lengths.get(document), unseen, tau, keeps_viewing, 0)
        expected += weight * len(found) / len(world.targets)
    assert evaluated(world, "ExpectedRatio@1", user=user).popitem()[1] == pytest.approx(expected)


def test_simulated_people_have_one_tolerance_each():
    truth = handmade.span_truth({"1": [("d", 5, 10), ("d", 30, 40), ("d", 80, 90)]})
    run = handmade.span_run({"1": [("d", 0, 5), ("d", 50, 60), ("d", 70, 71)]})
    for name in ("T2I", "ESL", "PT2I", "T2I(budget=100", "ESLRF"):
        text = f"{name}{',' if '(' in name else '('}tolerance='10=.3,25=.7')"
        [row] = bp.simulate(truth, run, text, collection=handmade.lengths(d=100), readers=20_000)
        assert row.error > 0 and abs(row.difference) < 5 * row.error, row
    found = bp.simulate(
        truth, run, "EPRUM", collection=handmade.lengths(d=100), readers=20_000, user="t2i(tolerance='10=.3,25=.7')"
    )
    assert all(0 <= row.simulated <= 1.2 for row in found)


def test_explanations_show_each_group():
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 5)]})
    for name in ("T2I", "ESL", "PT2I", "ESLRF"):
        text = f"{name}(tolerance='10=.3,25=.7')"
        found = bp.explain(truth, run, text, topic="1", collection=handmade.lengths(d=100))
        assert "People by tolerance" in str(found) and "25" in str(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("T2I(tolerance='10=.3,25=.6')", "sum to 0.9, not to 1"),
        ("T2I(tolerance='10')", "cannot read '10'"),
        ("T2I(tolerance='10=.5,ten=.5')", "cannot read 'ten=.5'"),
        ("T2I(tolerance='10=.5,10=.5')", "twice"),
        ("T2I(tolerance='10=.5,20=.5',spread=0.5)", "one of spread= and"),
        ("T2I(tolerance='10=.5,20=.5',budget=15)", "smaller than the tolerance 20"),
        ("T2I(tolerance=-1)", "above 0"),
        ("T2I(redundancy=0)", "above 0"),
    ],
)
def test_wrong_parameters(text, told):
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 10)]})
    with pytest.raises(bp.UsageError, match=told):
        bp.evaluate(truth, run, text, collection=handmade.lengths(d=100))


# PT2I at real recall levels


@given(span_worlds(), st.integers(1, 12), st.sampled_from([0.01, 0.28, 0.5, 0.75, 1.0]))
def test_real_levels(world, tau, level):
    entries = [(document, start) for document, start, _ in world.results]
    visits, at_unit = slow_twins.walk(entries, world.lengths, world.targets, tau)
    targets = len(world.targets)
    irrelevant = sum(world.lengths.values()) - len(slow_twins.characters(world.targets))
    wanted = level * targets
    length = slow_twins.search_length(at_unit, sum(map(len, visits)), targets, wanted, math.ceil(irrelevant / tau))
    found = evaluated(world, f"PT2I(tolerance={tau},real=True)@{level}").popitem()[1]
    assert found == pytest.approx(wanted / (wanted + length), abs=1e-9)


def test_a_level_between_two_targets():
    truth = handmade.span_truth({"1": [("v", 5, 10), ("v", 80, 90)]})
    run = handmade.span_run({"1": [("v", 0, 8)]})
    found = [
        bp.score(f"PT2I(tolerance=15,real={real})@0.75", truth, run, collection=handmade.lengths(v=100))
        for real in (True, False)
    ]
    assert found == pytest.approx([0.4, 0.36364], abs=5e-6)


def test_levels_that_are_whole_numbers_but_for_rounding():
    """.28 x 25 is 7.000000000000001 in binary."""
    spans = [("v", 10 * i, 10 * i + 1) for i in range(25)]
    truth, run = handmade.span_truth({"1": spans}), handmade.span_run({"1": [("v", 0, 1)]})
    found = [
        bp.score(f"PT2I(tolerance=20,keeps_viewing=True,{how}", truth, run, collection=handmade.lengths(v=300))
        for how in ("real=True)@0.28", "wanted=7)")
    ]
    assert found[0] == found[1] == 1


def test_real_levels_have_a_curve_of_their_own():
    truth = handmade.span_truth({"1": [("v", 5, 10), ("v", 80, 90)]})
    run = handmade.span_run({"1": [("v", 0, 8)]})
    results = bp.evaluate(truth, run, "PT2I(tolerance=15,real=True)", collection=handmade.lengths(v=100), curves=True)
    curve = dict(results.curves()["run"]["PT2I(tolerance=15,real=True)"]["1"])
    assert len(curve) == 100 and curve[0.75] == pytest.approx(0.4)


@pytest.mark.parametrize("text", ["PT2I(real=True)@0", "PT2I(real=True,wanted=2)"])
def test_real_levels_are_levels(text):
    with pytest.raises(bp.UsageError, match="real=True"):
        bp.score(text, {"q": {"d#0-5": 1}}, {"q": {"d#0-5": 1}})


# sentences

TEXT = "One is here. Two is longer than one. Three! ANSWER is four. Five ends."


def test_sentences_by_hand():
    """Three sentences lie between the entry and the answer: 4 reach it, 3 do not."""
    assert len(sentence_spans(TEXT)) == 5
    at = TEXT.index("ANSWER")
    truth, run = handmade.span_truth({"1": [("d", at, at + 6)]}), handmade.span_run({"1": [("d", 0, 3)]})
    for tau, value in ((4, 1.0), (3, 0.0)):
        assert (
            bp.score(f"T2I(tolerance={tau},budget={tau},unit='sentences')", truth, run, documents={"d": TEXT}) == value
        )
        user = f"t2i(tolerance={tau},unit='sentences')"
        assert bp.score("ExpectedRatio", truth, run, documents={"d": TEXT}, user=user) == value


@given(st.lists(st.sampled_from(["A b.", "Ccc dd e!", "F g h i j?"]), min_size=1, max_size=8), st.data())
@settings(max_examples=40)
def test_places_are_counted_in_sentences(pieces, data):
    """On a line where each sentence has 60 steps, and blanks none."""
    text, before = " ".join(pieces), []
    for i, piece in enumerate(pieces):
        before += [60 * i + round(60 * j / len(piece), 9) for j in range(len(piece))] + [60.0 * (i + 1)]
    before = [*before[: len(text)], 60.0 * len(pieces)]
    spans = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))).map(
        lambda pair: ("d", pair[0], max(pair[0] + 1, pair[1]))
    )
    targets = data.draw(st.lists(spans, min_size=1, max_size=3, unique=True))
    results = data.draw(st.lists(spans, min_size=1, max_size=3, unique=True))
    truth, run = handmade.span_truth({"1": targets}), handmade.span_run({"1": results})
    placed = handmade.span_truth({"1": [("d", before[a], before[b]) for _, a, b in targets]})
    entered = handmade.span_run({"1": [("d", before[a], before[a] + 1) for _, a, _ in results]})
    tau = data.draw(st.integers(1, 4))
    ours = bp.score(f"T2I(tolerance={tau},unit='sentences')", truth, run, documents={"d": text})
    line = bp.score(f"T2I(tolerance={60 * tau})", placed, entered, collection={"d": 60.0 * len(pieces)})
    assert ours == pytest.approx(line, abs=1e-9)


def test_effort_of_a_reader_who_counts_sentences():
    """The visit goes through three sentences in vain."""
    truth, run = handmade.span_truth({"1": [("d", 60, 65)]}), handmade.span_run({"1": [("d", 0, 3)]})
    for effort in ("chars", "tokens"):
        found = bp.judge(
            truth, run, "1", documents={"d": TEXT}, user="t2i(tolerance=3,unit='sentences')", effort=effort
        ).effort.ranks
        until = sentence_spans(TEXT)[3][0]  # the blank before the fourth costs no sentence
        words = TEXT[:until].replace(".", " .").replace("!", " !").split()
        expected = until if effort == "chars" else len(words)
        assert found.tolist() == pytest.approx([expected])


@pytest.mark.parametrize("name", ["T2I", "ESL"])
def test_sentences_need_texts_and_a_tolerance(name):
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 10)]})
    with pytest.raises(bp.UsageError, match=r"counts sentences.*documents="):
        bp.evaluate(truth, run, f"{name}(tolerance=3,unit='sentences')", collection=handmade.lengths(d=100))
    with pytest.raises(bp.UsageError, match="no default in sentences"):
        bp.evaluate(truth, run, f"{name}(unit='sentences')", documents={"d": TEXT})


# distance in tokens


def test_distance_in_tokens():
    text = "alpha beta gamma delta epsilon zeta"
    truth, run = handmade.span_truth({"1": [("d", 23, 30)]}), handmade.span_run({"1": [("d", 0, 5)]})
    value = bp.score("ExpectedRatio", truth, run, documents={"d": text}, user="distance(theta=0.5,unit='tokens')")
    assert value == pytest.approx(1 / (1 + math.exp(0.5 * 3)))
    inverse = "distance(theta=0.5,unit='tokens',law='inverse')"
    assert bp.score("ExpectedRatio", truth, run, documents={"d": text}, user=inverse) == pytest.approx(1 / 2.5)
    before = handmade.span_run({"1": [("d", 31, 35)]})
    assert bp.score("ExpectedRatio", truth, before, documents={"d": text}, user=inverse) == 1.0, "only a blank between"
    with pytest.raises(bp.UsageError, match="needs the texts of the documents"):
        bp.score("ExpectedRatio", truth, run, collection=handmade.lengths(d=35), user=inverse)
    signed = bp.evaluate(truth, run, "ExpectedRatio", documents={"d": text}, user=inverse).mean_rows[0].signature
    assert signed["tokenizer"] == "words-uax29"
    assert np.isfinite(value)
