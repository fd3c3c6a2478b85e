"""Spans in a new version of their documents: what moved, changed, came apart, vanished; nothing is guessed silently."""

from __future__ import annotations

import json
import random
import re
from collections import Counter

import pytest
from moved_sentences import moved_sentences, relocated

import berrypick as bp
from berrypick.data.errors import UsageError
from berrypick.judgements.relocate import CERTAIN

OLD = (
    "Raspberries fruit in July. Cut the old canes in autumn, not the new ones.\n\n"
    "Compost needs air. Turn the heap twice a year and add twigs to it.\n\n"
    "Pick dry. Keep cool. Pick dry.\n"
)


def case(quote: str, new: str, old: str = OLD, nth: int = 0):
    start = [m.start() for m in re.finditer(re.escape(quote), old)][nth]
    truth = {"q": {f"d#{start}-{start + len(quote)}": 1}}
    (found,) = bp.relocate(truth, {"d": old}, {"d": new}).cases
    return found


def test_unchanged_and_moved():
    assert case("Cut the old canes", OLD).status == "same"
    new = "A new introduction.\n\n" + OLD
    found = case("Cut the old canes", new)
    assert found.status == "moved" and found.now == "Cut the old canes" and found.similarity == 100


def test_lines_broken_elsewhere():
    found = case("Turn the heap twice a year and add twigs", OLD.replace("twice a", "twice\n   a"))
    assert found.status == "moved" and found.now == "Turn the heap twice\n   a year and add twigs"


def test_sections_that_changed_places():
    first, second, third = OLD.split("\n\n")
    new = "\n\n".join([third, second, first])
    for quote in ("Cut the old canes in autumn", "Turn the heap twice", "Keep cool."):
        found = case(quote, new)
        assert (found.status, found.now) == ("moved", quote)


def test_edited_with_how_much():
    found = case("Cut the old canes in autumn, not the new ones.", OLD.replace("autumn", "October"))
    assert found.status == "edited" and found.now == "Cut the old canes in October, not the new ones."
    assert found.similarity == pytest.approx(88.9, abs=3)
    first = case("Cut the old canes in autumn", OLD.replace("Cut the", "Prune the"))
    assert (first.status, first.now) == ("edited", "Prune the old canes in autumn")


def test_split():
    more = (
        " Many words stand in between now, more than the whole sentence had before, so that it has come apart for good."
    )
    found = case("Turn the heap twice a year and add twigs to it.", OLD.replace(" and add", more + " And then add"))
    assert found.status == "split" and len(found.places) == 2
    assert found.now == "Turn the heap twice a year ... add twigs to it."


def test_ambiguous_and_gone():
    found = case("Pick dry.", "Pick dry. Pick dry. Pick dry.", nth=1)
    assert found.status == "ambiguous" and len(found.places) == 3 and found.now == ""
    gone = case("Turn the heap twice a year and add twigs to it.", "Raspberries fruit in July.")
    assert (gone.status, gone.places) == ("gone", ())
    (absent,) = bp.relocate({"q": {"d#0-5": 1}}, {"d": OLD}, {"e": "Raspberries fruit."}).cases
    assert absent.status == "gone"


def test_copies_keep_their_number():
    new = "Something new.\n" + OLD
    for nth, at in enumerate(m.start() for m in re.finditer("Pick dry", new)):
        found = case("Pick dry.", new, nth=nth)
        assert found.status == "moved" and found.places == ((at, at + 9),)


def test_words_inside_of_words_are_no_place():
    found = case("air", "Repair stairs. Compost needs heat.")
    assert found.status not in CERTAIN


def test_command_writes_what_it_placed_and_reports_the_rest(files, tmp_path, berrypick):
    start = OLD.index("Turn the heap")
    lines = [
        {"topic": "q1", "doc": "d", "start": 0, "end": 26},
        {"topic": "q1", "doc": "d", "start": start, "end": start + 30},
        {"topic": "q2", "doc": "d", "judged": True},
        {"topic": "q9", "answer": None},
    ]
    new = "Hello.\n" + OLD.replace("Turn the heap twice a year and add twigs to it.", "Nothing else.")
    paths = files(
        truth_jsonl="".join(json.dumps(line) + "\n" for line in lines),
        old_jsonl=json.dumps({"doc": "d", "text": OLD}),
        new_jsonl=json.dumps({"doc": "d", "text": new}),
    )
    target, report = tmp_path / "out.jsonl", tmp_path / "report.jsonl"
    done = berrypick("relocate", paths["truth_jsonl"], "--from", paths["old_jsonl"], "--to", paths["new_jsonl"],
                     "-o", target, "--report", report)  # fmt: skip
    assert done.code == 0, done.err
    assert "1 moved, 1 gone" in done.err
    written = bp.read_truth(target)
    assert written.topics["q1"].start.tolist() == [7] and written.unanswerable == ("q9",)
    cases = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(one["status"], one["line"]) for one in cases] == [("moved", 1), ("gone", 2)]
    assert cases[0]["from"] == {"doc": "d", "start": 0, "end": 26}
    assert cases[0]["to"] == [{"doc": "d", "start": 7, "end": 33}] and cases[1]["to"] == []
    run = {"q1": {"d#0-40": 1}}
    assert bp.score("charR", target, run, documents={"d": new}) == 1.0
    fine = bp.evaluate(target, run, "charR", documents={"d": new})
    assert not any("made on" in str(note) for note in fine.notes)
    other = bp.evaluate(target, run, "charR", documents={"d": new + " One more line."})
    assert any("d has changed since it was judged" in str(note) for note in other.notes)


def test_only_spans_of_text():
    with pytest.raises(UsageError, match="only spans of text are relocated"):
        bp.relocate({"q": {"a": 1}}, {"a": "x"}, {"a": "x"})


WORDS = (
    "abandon basket canes dry edge fruit garden heap indoor july keep leaf mulch north old prune quick root soil twig "
    "under vine water yield zone autumn berry compost spring winter summer plant seed stem grow pick sun rain wind"
)


def text_of(rng: random.Random, paragraphs: int) -> list[list[str]]:
    vocabulary = [
        w + s for w in WORDS.split() for s in ("", "s", "ed", "ing", "ly", "er", "est", "ness", "ful", "less")
    ]
    weights = [1 / (i + 3) for i in range(len(vocabulary))]
    return [rng.choices(vocabulary, weights, k=rng.randrange(60, 140)) for _ in range(paragraphs)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["words", "sections", "lines"])
def test_three_percent_of_words_edited(kind):
    """At least 99% of spans in the right place, and none in a wrong one without a flag."""
    right = wrong = total = 0
    for seed in range(4):
        rng = random.Random(seed)
        sections = text_of(rng, 40)
        marks = [(i, low, low + n) for i in range(40) for low, n in [(rng.randrange(40), rng.randrange(4, 20))]]
        order = list(range(40))
        if kind == "sections":
            for _ in range(4):
                order.insert(rng.randrange(40), order.pop(rng.randrange(40)))
        edited = [[_edit(word, rng) if rng.random() < 0.03 else word for word in words] for words in sections]
        old, at = _written(sections, range(40), lambda: " ")
        new, now = _written(edited, order, lambda rng=rng: rng.choice(" \n") if kind == "lines" else " ")
        truth = {f"q{i}": {f"d#{at[i][low][0]}-{at[i][high - 1][1]}": 1} for i, low, high in marks}
        cases = bp.relocate(truth, {"d": old}, {"d": new}).cases
        for (i, low, high), found in zip(marks, cases, strict=True):
            expected = (now[i][low][0], now[i][high - 1][1])
            total += 1
            right += found.places == (expected,)
            wrong += found.status in CERTAIN and found.places != (expected,)
    assert total == 160 and wrong == 0
    assert right >= 0.99 * total, (right, total)


def _edit(word: str, rng: random.Random) -> str:
    return rng.choice([word[::-1] + "x", "another", word + "able"])


def _written(sections, order, space):
    """The text of sections in some order, and where each word of each section stands."""
    text, at = "", {}
    for number in order:
        at[number] = []
        for word in sections[number]:
            at[number].append((len(text), len(text) + len(word)))
            text += word + space()
        text += "\n\n"
    return text, at


def test_a_span_that_moved_and_changed_at_its_ends_keeps_whole_words():
    """Similar text was placed from the middle of the word that replaced the first one."""
    words = "They remove a large object and all of its pages from the table that holds them at once"
    old = f"{words}. " + "Something else stands here, and goes on for a while about nothing. " * 8
    now = words.replace("They", "Functions").replace("once", "oncelike")
    new = "Something else stands here, and goes on for a while about nothing. " * 8 + f"{now}. "
    for start, end in ((0, len(words)), (0, len(words) - 8), (5, len(words))):
        (case,) = bp.relocate({"q": {f"d#{start}-{end}": 1}}, {"d": old}, {"d": new}).cases
        (place,) = case.places
        assert case.status == "edited"
        assert not any(new[at - 1 : at].isalnum() and new[at : at + 1].isalnum() for at in place), case.now


def test_copies_without_number():
    """Each was looked at with the text around it, for every span: a minute for a document of one character."""
    spans = [{"topic": "1", "doc": "d", "start": at, "end": at + 200} for at in range(0, 20_000, 500)]
    found = bp.relocate(spans, {"d": "a" * 30_000}, {"d": "a" * 30_000 + "b"})
    assert {case.status for case in found.cases} == {"ambiguous"} and len(found.cases) == 40


@pytest.mark.parametrize("between", [" ", "\n", "\n\n"])
@pytest.mark.parametrize(
    "said",
    [
        ["Yes, books are lent for four weeks.", "No, food is not allowed.", "Yes, shoes are left at the door."],
        ["Yes, books.", "No, food.", "Yes, shoes."],
        ["Yes a.", "No b.", "Yes c."],
        ["Yes, books", "No, food", "Yes, shoes"],
    ],
)
def test_sentences_that_changed_places_take_their_words_along(said, between):
    """The alignment has the middle one where it was, and the others one for the other."""
    old, new = between.join(said), between.join(said[::-1])
    for nth, sentence in ((0, said[0]), (1, said[2])):
        found = case("Yes", new, old, nth)
        at = new.index(sentence)
        assert found.status == "ambiguous" or found.places == ((at, at + 3),), found
        if len(said[0]) > 10 and (between != " " or said[0].endswith(".")):
            assert found.status == "moved"


def test_text_that_stands_once_is_not_ambiguous():
    """A sentence of few words between others is known by itself."""
    old = "Fruit ripens in July. Pick dry. Compost needs air. Turn the heap."
    new = "Fruit ripens in July. Compost needs air. Turn the heap. Pick dry."
    found = case("Pick dry.", new, old)
    assert (found.status, found.places) == ("moved", ((56, 65),))
    # a number that was replaced, and that stands elsewhere now: flagged, not moved
    found = case("5", "The limit is 10 MB a file. Version 5 is needed.", "The limit is 5 MB a file.")
    assert found.status not in (*CERTAIN, "ambiguous")
    # one of two copies is left: that one moved, the other one is flagged
    old = "Yes, books are lent. No, food is not. Yes, shoes are left at the door."
    new = "No, food is not. Yes, shoes are left at the door."
    assert case("Yes", new, old, nth=1).places == ((17, 20),)
    assert case("Yes", new, old, nth=0).status not in (*CERTAIN, "ambiguous")


def test_equal_sentences_in_a_row_are_not_guessed():
    old = "They shouted: Fix it! Fix it! Fix it!\nThe house fell silent. We can do it together."
    new = "They shouted: Fix it! Fix it!\nThe house fell silent. Fix it! We can do it together."
    assert case("Fix it!", new, old, nth=0).status in ("same", "ambiguous")
    assert [case("Fix it!", new, old, nth=nth).status for nth in (1, 2)] == ["ambiguous", "ambiguous"]


OPENINGS = ["Yes,", "No,", "I will", "This is", "They", "It", "In general,", "= =", "Note:"]


@pytest.mark.slow
def test_one_sentence_moved():
    """Every span is in the right place or flagged; sentences begin and end alike, and some stand twice."""
    counts = Counter()
    for seed in range(30):
        rng = random.Random(seed)
        words = [word for paragraph in text_of(rng, 3) for word in paragraph]
        said = []
        while words:
            size = rng.choice([1, 2, 4, 8, 16])
            said.append(" ".join([rng.choice(OPENINGS), *words[:size]]) + rng.choice([".", ".", "!", " ."]))
            words = words[size:]
            if rng.random() < 0.1:
                said.append(rng.choice(said))
        text = "".join(sentence + rng.choice([" ", " ", "\n"]) for sentence in said)
        for made in moved_sentences(text, rng, 4, 20):
            counts += relocated(made)
    assert counts["wrong"] == 0
    assert counts["right"] > 1500 and counts["right"] >= 0.94 * sum(counts[name] for name in STATUSES), counts


STATUSES = ("same", "moved", "edited", "split", "ambiguous", "gone")


def moved_to(old, new, name="a"):
    """Where a span of two characters, which is found by its document alone, is in other documents."""
    found = bp.relocate([{"topic": "q", "doc": name, "start": 0, "end": 2}], old, new)
    [one] = found.cases
    return one.status, [(to["doc"], to["start"]) for to in one.as_dict()["to"]]


def test_documents_that_change_names_with_each_other():
    one, two, three = (f"ab{word} with words of its own, number {i}." for i, word in enumerate(("one", "two", "three")))
    assert moved_to({"a": one, "b": two}, {"a": two, "b": one}) == ("moved", [("b", 0)])
    assert moved_to({"a": one, "b": two}, {"a": two, "c": one}) == ("moved", [("c", 0)])
    inserted = {"a": "A new chapter with ab in it.", "b": one, "c": two}
    assert moved_to({"a": one, "b": two}, inserted) == ("moved", [("b", 0)])
    # the other document is still there: a was edited to read the same
    assert moved_to({"a": one, "b": two}, {"a": two, "b": two})[0] != "moved"
    # a was edited, and what it was is kept under a new name: it is the document that it is called
    edited = one.replace("own", "new")
    assert moved_to({"a": one, "b": two}, {"a": edited, "old/a": one, "b": two}) == ("same", [("a", 0)])
    assert moved_to({"a": one, "b": two, "c": three}, {"a": two, "b": three, "c": one}) == ("moved", [("c", 0)])
