"""Tolerance to irrelevance, against a reader who is followed one second at a time."""

import math

import handmade
import pytest
import slow_twins
from generated_inputs import span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.users import ReaderContext, build
from berrypick.users.tolerance.visits import Tolerance, visit

READERS = st.tuples(st.integers(1, 12), st.booleans(), st.integers(0, 5))


@given(span_worlds(documents=1), READERS, st.integers(0, 34))
@settings(max_examples=150)
def test_one_visit(world, reader, entry):
    tau, keeps_viewing, t_init = reader
    end = world.lengths["d0"]
    targets = [(start, stop, x) for x, (_, start, stop) in enumerate(world.targets)]
    one = visit(entry, end, targets, Tolerance(tau, keeps_viewing, t_init))
    found, wasted = slow_twins.visit(entry, end, targets, tau, keeps_viewing, t_init)
    assert (set(one.found), one.wasted) == (found, wasted)
    assert len(one.found) == len(set(one.found))
    assert 0 <= one.length <= max(end - entry, 0)


def test_targets_past_the_end_of_the_document_are_not_reached():
    """A truth that does not fit its collection: the visit ends where the document does."""
    assert visit(95, 100, [(102, 110, 0)], Tolerance(15)).found == ()
    assert visit(95, 100, [(102, 110, 0)], Tolerance(15)).wasted == 1
    assert visit(95, 100, [(97, 110, 0)], Tolerance(15)) == visit(95, 100, [(97, 100, 0)], Tolerance(15))


@pytest.mark.parametrize(
    ("entry", "targets", "reader", "found", "wasted", "why"),
    [
        (0, [(15, 20)], Tolerance(15), (), 1, "a target at distance exactly tau is not reached"),
        (0, [(14, 20)], Tolerance(15), (0,), 1, "one second nearer it is"),
        (7, [(5, 10)], Tolerance(1), (0,), 1, "an entry inside a target finds it at once"),
        (0, [(17, 20)], Tolerance(15, t_init=3), (0,), 1, "extra patience at the beginning"),
        (0, [(2, 5), (22, 25)], Tolerance(15, t_init=3), (0,), 1, "but not later"),
        (0, [(2, 5), (4, 9), (8, 12)], Tolerance(15, False), (0, 1, 2), 0, "a chain of overlaps is one stretch"),
        (0, [(2, 5), (5, 9)], Tolerance(15, False), (0,), 0, "a target that starts where the stretch ends is not"),
        (0, [(2, 5), (5, 9)], Tolerance(15), (0, 1), 1, "except for who keeps viewing"),
        (90, [(95, 100)], Tolerance(15), (0,), 0, "a stretch to the end of the document wastes nothing"),
        (99, [(5, 10)], Tolerance(15), (), 1, "the end of the document in vain wastes one"),
        (100, [(5, 10)], Tolerance(15), (), 1, "entering at the end wastes one"),
    ],
)
def test_rules(entry, targets, reader, found, wasted, why):
    one = visit(entry, 100, [(start, stop, x) for x, (start, stop) in enumerate(targets)], reader)
    assert (one.found, one.wasted) == (found, wasted), why


def test_an_unknown_document_wastes_one():
    assert visit(0, None, [], Tolerance(15)).wasted == 1


def evaluated(world, *asked, **options):
    truth = handmade.span_truth({"1": world.targets})
    run = handmade.span_run({"1": world.results})
    return bp.evaluate(truth, run, list(asked), collection=Collection(world.lengths), **options).mean()["run"]


@given(span_worlds(), READERS, st.integers(1, 5))
def test_the_measures(world, reader, wanted):
    tau, keeps_viewing, t_init = reader
    asked = f"tolerance={tau},keeps_viewing={keeps_viewing},t_init={t_init}"
    budget = 7 * tau + tau // 2
    t2i, esl, eslrf, pt2i = evaluated(
        world,
        f"T2I(budget={budget},{asked})",
        *(f"{name}(wanted={wanted},{asked})" for name in ("ESL", "ESLRF", "PT2I")),
    ).values()
    entries = [(document, start) for document, start, _ in world.results]
    visits, at_unit = slow_twins.walk(entries, world.lengths, world.targets, tau, keeps_viewing, t_init)
    found = sum(map(len, visits))
    assert t2i == pytest.approx(slow_twins.t2i(at_unit, found, 7), abs=1e-12)
    targets = len(world.targets)
    if wanted > targets:
        assert esl is eslrf is pt2i is None
        return
    irrelevant = sum(world.lengths.values()) - len(slow_twins.characters(world.targets))
    units = math.ceil(irrelevant / tau)
    length = slow_twins.search_length(at_unit, found, targets, wanted, units)
    assert esl == pytest.approx(length, abs=1e-12)
    assert pt2i == pytest.approx(wanted / (wanted + length), abs=1e-12)
    if units == 0:
        assert eslrf is None
    else:
        assert eslrf == pytest.approx(1 - length * (targets + 1) / (wanted * units), abs=1e-12)


@given(span_worlds(), st.integers(1, 12))
def test_all_targets_are_wanted_by_default(world, tau):
    named = f"wanted={len(world.targets)}"
    values = evaluated(world, f"ESL(tolerance={tau})", f"ESL({named},tolerance={tau})")
    assert len(set(values.values())) == 1


@given(span_worlds(), READERS)
def test_the_user_model_reaches_what_the_visits_find(world, reader):
    tau, keeps_viewing, t_init = reader
    model = build(f"t2i(tolerance={tau},keeps_viewing={keeps_viewing},t_init={t_init})")
    truth, run = handmade.span_truth({"1": world.targets}), handmade.span_run({"1": world.results})
    results = bp.evaluate(truth, run, "ExpectedRatio", user=model, collection=Collection(world.lengths), curves=True)
    curve = results.curves()["run"]["ExpectedRatio"]["1"]
    entries = [(document, start) for document, start, _ in world.results]
    visits, _ = slow_twins.walk(entries, world.lengths, world.targets, tau, keeps_viewing, t_init)
    so_far: set[int] = set()
    for (rank, value), found in zip(curve, visits, strict=True):
        so_far |= found
        assert value == pytest.approx(len(so_far) / len(world.targets), abs=1e-12), rank


def test_a_repeated_result_finds_nothing_and_wastes_one():
    truth = handmade.span_truth({"1": [("d", 5, 10), ("d", 80, 90)]})
    run = handmade.span_run({"1": [("d", 0, 10), ("d", 0, 10), ("d", 75, 90)]})
    values = bp.evaluate(
        truth, run, "ESL(tolerance=15) T2I(tolerance=15,budget=45)", collection=handmade.lengths(d=100)
    )
    # the first visit finds one and wastes one, the second wastes one, the third finds the other
    assert values.mean()["run"] == {"ESL(tolerance=15)": 2.0, "T2I(tolerance=15,budget=45)": (1 + 1 / 2 + 2 / 3) / 3}


def test_who_has_wasted_more_than_there_is_finds_the_rest_at_once():
    """ESL = j + s max(0, I - j)/(r + 1): five units spent where the whole collection has three."""
    truth = handmade.span_truth({"1": [("d", 9, 10)]})
    run = handmade.span_run({"1": [("d", 0, end) for end in range(1, 6)]})
    values = bp.evaluate(truth, run, "ESL(tolerance=3) ESLRF(tolerance=3)", collection=handmade.lengths(d=10)).mean()[
        "run"
    ]
    assert values == {"ESL(tolerance=3)": 5.0, "ESLRF(tolerance=3)": pytest.approx(1 - 5 * 2 / 3)}


def test_lengths_are_needed_and_asked_for():
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 10)]})
    for measure in ("T2I", "ESL", "ESLRF", "PT2I"):
        with pytest.raises(bp.UsageError, match="collection="):
            bp.evaluate(truth, run, measure)
    with pytest.raises(bp.UsageError, match="collection="):
        bp.evaluate(truth, run, "EPRUM", user="t2i")


def test_a_topic_missing_from_the_run():
    truth = handmade.span_truth({"1": [("d", 5, 10)], "2": [("d", 5, 10), ("d", 20, 30)], "3": []})
    run = handmade.span_run({"1": [("d", 0, 10)]})
    asked = "T2I ESL(tolerance=10) ESLRF PT2I(tolerance=10) ESL(wanted=2,tolerance=10) PT2I(wanted=3)"
    found = bp.evaluate(truth, run, asked, collection=handmade.lengths(d=100), effort="chars").per_topic()["run"]
    # I = ceil((100 - 15)/10) = 9, S I/(R+1) = 2 x 9/3, S/(S + 6)
    assert {name: values["2"] for name, values in found.items()} == {
        "T2I": 0.0,
        "ESL(tolerance=10)": 6.0,
        "ESLRF": 0.0,
        "PT2I(tolerance=10)": 2 / 8,
        "ESL(wanted=2,tolerance=10)": 6.0,
        "PT2I(wanted=3)": None,
    }
    assert all(values["3"] is None for values in found.values())


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("T2I(tolerance=15,budget=10)", "smaller than the tolerance"),
        ("T2I(tolerance=0)", "above 0"),
        ("T2I(tolerance=1,budget=1e12)", "budget"),
        ("ESL(wanted=0)", "1 or more"),
        ("ESL(t_init=-1)", "0 or more"),
        ("ESL@3", "no cut-off"),
    ],
)
def test_wrong_parameters(measure, told):
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 10)]})
    with pytest.raises(bp.UsageError, match=told):
        bp.evaluate(truth, run, measure, collection=handmade.lengths(d=100))


def test_a_world_without_lengths_says_whose_length_is_missing():
    with pytest.raises(bp.UsageError, match="document d"):
        ReaderContext(Collection({"e": 1.0})).length("d", "something")


# --- in tokens ------------------------------------------------------------------------------------------------------

#: Tokens of one, two and three characters: a sixth of a token is a whole number of steps in each of them.
SIXTH = 6
texts = st.lists(st.sampled_from(["a", "bb", "ccc", " ", "\n ", "!"]), min_size=1, max_size=20).map("".join)


def steps(text: str) -> list[int]:
    """For each place in a text how many sixths of tokens lie before it, counted character by character."""
    before = [0]
    for i, character in enumerate(text):
        if character.isspace():
            share = 0
        elif character == "!":
            share = SIXTH
        else:
            left = right = i
            while left and text[left - 1].isalpha():
                left -= 1
            while right < len(text) and text[right].isalpha():
                right += 1
            share = SIXTH // (right - left) if SIXTH % (right - left) == 0 else -1
        before.append(before[-1] + share)
    return before


@st.composite
def token_worlds(draw):
    """Texts whose words have one, two, three or six characters, targets that hold some of them, and results."""
    documents = {f"d{i}": draw(texts.filter(lambda text: min(map(int.__sub__, steps(text)[1:], steps(text))) >= 0))
                 for i in range(draw(st.integers(1, 2)))}  # fmt: skip
    lines = {name: steps(text) for name, text in documents.items()}

    def spans(document):
        length = len(documents[document])
        return st.tuples(st.integers(0, length - 1), st.integers(1, length)).map(
            lambda pair: (document, pair[0], max(pair[0] + 1, pair[1]))
        )

    anywhere = st.sampled_from(sorted(documents)).flatmap(spans)
    something = anywhere.filter(lambda s: lines[s[0]][s[2]] > lines[s[0]][s[1]])
    wanted = draw(st.lists(something, min_size=1, max_size=4, unique=True))
    return documents, lines, wanted, draw(st.lists(anywhere, min_size=1, max_size=5, unique=True))


@given(token_worlds(), st.integers(1, 4), st.booleans(), st.integers(0, 2), st.integers(1, 4))
@settings(max_examples=150)
def test_the_measures_in_tokens(world, tau, keeps_viewing, t_init, wanted):
    """The same walk with every place replaced by the tokens before it."""
    documents, lines, targets, results = world
    asked = f"tolerance={tau},keeps_viewing={keeps_viewing},t_init={t_init},unit='tokens'"
    names = [f"T2I(budget={3 * tau},{asked})", *(f"{m}(wanted={wanted},{asked})" for m in ("ESL", "ESLRF", "PT2I"))]
    truth, run = handmade.span_truth({"1": targets}), handmade.span_run({"1": results})
    found = bp.evaluate(truth, run, names, documents=documents).mean()["run"]
    t2i, esl, eslrf, pt2i = (found[name] for name in names)
    placed = [(d, lines[d][start], lines[d][end]) for d, start, end in targets]
    entries = [(d, lines[d][start]) for d, start, _ in results]
    lengths = {name: line[-1] for name, line in lines.items()}
    visits, at_unit = slow_twins.walk(entries, lengths, placed, SIXTH * tau, keeps_viewing, SIXTH * t_init)
    seen = sum(map(len, visits))
    assert t2i == pytest.approx(slow_twins.t2i(at_unit, seen, 3), abs=1e-12)
    if wanted > len(targets):
        assert esl is eslrf is pt2i is None
        return
    units = math.ceil((sum(lengths.values()) - len(slow_twins.characters(placed))) / (SIXTH * tau))
    length = slow_twins.search_length(at_unit, seen, len(targets), wanted, units)
    assert esl == pytest.approx(length, abs=1e-9)
    assert pt2i == pytest.approx(wanted / (wanted + length), abs=1e-9)
    if units:
        assert eslrf == pytest.approx(1 - length * (len(targets) + 1) / (wanted * units), abs=1e-9)
    else:
        assert eslrf is None


def test_tokens_by_hand():
    """Three words of six characters lie between the entry and the answer: 4 tokens reach it, 3 do not, nor do 18."""
    text = "abcdef ghijkl mnopqr ANSWER and more words"
    at = text.index("ANSWER")
    truth, run = handmade.span_truth({"1": [("d", at, at + 6)]}), handmade.span_run({"1": [("d", 0, 6)]})

    def measured(measure):
        return bp.evaluate(truth, run, measure, documents={"d": text, "e": "seven more words in this other text"})

    assert measured("T2I(tolerance=4,budget=4,unit='tokens')").mean_rows[0].value == 1
    assert measured("T2I(tolerance=3,budget=3,unit='tokens')").mean_rows[0].value == 0
    assert measured("T2I(tolerance=18,budget=18)").mean_rows[0].value == 0
    # nothing is found, j = 1; 14 tokens in all, one of them relevant: I = ceil(13/3) = 5, ESL = 1 + 1 (5 - 1)/(1 + 1)
    results = measured("ESL(tolerance=3,unit='tokens')")
    assert results.mean_rows[0].value == 3
    assert "unit:tokens" in str(results.mean_rows[0].signature) and "tokenizer:words" in str(
        results.mean_rows[0].signature
    )
    assert "tokenizer" not in str(measured("ESL(tolerance=3)").mean_rows[0].signature)


def test_tokens_need_the_texts():
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 10)]})
    for measure in ("T2I", "ESL", "ESLRF", "PT2I"):
        with pytest.raises(bp.UsageError, match=f"{measure}.* counts tokens.*documents="):
            bp.evaluate(truth, run, f"{measure}(unit='tokens')", collection=handmade.lengths(d=100))
