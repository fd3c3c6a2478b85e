"""Quotes found by similarity begin and end with whole words, where the quote does."""

import random
import re

import pytest
from many_cases import each

import berrypick as bp

WORDS = re.findall(
    r"\S+",
    "the canes of last year fruit on old wood and young shoots grow from ground right after harvest when "
    "berries are ripe cut every third branch down in winter before frost comes leave six to eight strong "
    "ones for each metre row mulch with leaves keeps soil moist birds eat them unless nets cover bushes "
    "raspberry beetle lays eggs may white traps catch it black currants want sour about five blueberries "
    "far more swollen buds should be broken off burned march gooseberry thorns hurt hands gloves help a "
    "an is I we pruning secateurs fertiliser compost allotment neighbour's garden-shed hedgehog ",
)
KINDS = ("typo at the start", "typo at the end", "missing at the start", "missing at the end")


def sentences(rng, many):
    found = []
    while len(found) < many:
        words = rng.choices(WORDS, k=rng.randrange(5, 14))
        words[0] = words[0].capitalize()
        if rng.random() < 0.4:
            words[rng.randrange(len(words) - 1)] += ","
        found += [*words[:-1], words[-1] + rng.choice(".?!")]
    return " ".join(found)


def misspelt(rng, word):
    at, other = rng.randrange(len(word)), rng.choice("abcdefghijklmnopqrstuvwxyz")
    changes = [word[:at] + other + word[at + 1 :], word[:at] + other + word[at:],
               word[:at] + word[at + 1 :], word[:at] + word[at : at + 2][::-1] + word[at + 2 :]]  # fmt: skip
    return rng.choice([one for one in changes if one and one != word])


def generated(many, kinds=KINDS, seed=5):
    """Texts, and quotes of whole words that differ from them near one end: kind, document, start, end, quote."""
    rng = random.Random(seed)
    texts = {f"d{i}": sentences(rng, 260) for i in range(4)}
    cases = []
    while len(cases) < many:
        name, kind, size = rng.choice([*texts]), rng.choice(kinds), rng.choice([9, 12, 18, 30, 60, 110])
        spans = [found.span() for found in re.finditer(r"\S+", texts[name])]
        first = rng.randrange(len(spans) - size)
        start, end = spans[first][0], spans[first + size - 1][1]
        words = texts[name][start:end].split(" ")
        at = rng.randrange(3)
        if kind.startswith("missing"):  # an end that is missing altogether would be another quote
            del words[max(1, at) if kind.endswith("start") else -1 - max(1, at)]
        elif kind.startswith("typo"):
            at = at if kind.endswith("start") else -1 - at
            words[at] = misspelt(rng, words[at])
        else:
            words.insert(0 if kind.endswith("start") else len(words), rng.choice(WORDS))
        if (quote := " ".join(words)) not in texts[name]:
            cases.append((kind, name, start, end, quote))
    return texts, cases


def placed(texts, cases):
    golden = [
        {"question": f"Question {i}?", "quote": quote, "doc": name} for i, (_, name, *_, quote) in enumerate(cases)
    ]
    return [case.place for case in bp.adopt(golden, texts, partial=True).cases]


def inside(text, at):
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


@pytest.mark.slow
def test_generated_quotes_begin_and_end_with_whole_words(kernels):
    texts, cases = generated(520)
    found = placed(texts, cases)
    there = [(place, case) for place, case in zip(found, cases, strict=True) if place is not None]
    assert len(there) >= 0.97 * len(cases)
    broken = [(p.start, c) for p, c in there if inside(texts[c[1]], p.start) or inside(texts[c[1]], p.end)]
    assert not broken
    right = {kind: [(p.start, p.end) == (c[2], c[3]) for p, c in there if c[0] == kind] for kind in KINDS}
    for kind, hits in right.items():
        assert len(hits) >= 100 and sum(hits) >= 0.9 * len(hits), (kind, sum(hits), len(hits))


@pytest.mark.slow
def test_a_word_too_many_does_not_bring_half_of_its_neighbour():
    texts, cases = generated(260, ("extra at the start", "extra at the end"))
    places = placed(texts, cases)
    for place, (_, name, *_) in zip(places, cases, strict=True):
        assert place is None or not (inside(texts[name], place.start) or inside(texts[name], place.end))
    right = sum(p is not None and (p.start, p.end) == (c[2], c[3]) for p, c in zip(places, cases, strict=True))
    assert right >= 0.6 * len(cases)


TEXT = (
    "Summer raspberries fruit on the canes of last year. Cut the old canes down to the ground right after the harvest. "
    "(Leave six to eight young canes for each metre of the row.) Don't cut the others away before the winter comes."
)
CANES, ROW = TEXT[52:113], TEXT[114:173]
#: A quote, and the text that it means.
QUOTES = {
    "Cvt the old canes down to the ground right after the harvest.": CANES,
    "Cut old canes down to the ground right after the harvest.": CANES,
    "Cut the old canes down to the ground right after harvest.": CANES,
    "Cut the old canes down to the ground right after the harvset.": CANES,
    "cut the old canes down to the gruond right after the harvest.": CANES,
    "(Leave six eight young canes for each metre of the row.)": ROW,
    "Dont cut the others away before the winter comes.": "Don't cut the others away before the winter comes.",
    # cut inside a word by whoever made the quote: the place is cut there too
    "mmer raspberries fruit on the canes of last yaer. Cut the old canes": TEXT[2:69],
    "Leave six to eight young caness for each metre of the row.) Don't cut the oth": f"{ROW[1:]} Don't cut the oth",
}


def test_the_texts_are_what_they_are_taken_for():
    assert CANES.startswith("Cut the") and CANES.endswith("harvest.")
    assert ROW.startswith("(Leave") and ROW.endswith("row.)") and TEXT[2:69].endswith("old canes")


@each("quote", QUOTES)
def test_quotes_worked_out_by_hand(quote):
    truth = bp.adopt([{"question": "When is it?", "quote": quote}], {"guide": TEXT})
    place = truth.cases[0].place
    assert TEXT[place.start : place.end] == QUOTES[quote]


def test_every_way_to_find_quotes_agrees():
    quote, meant = next(iter(QUOTES.items()))
    start = TEXT.index(meant)
    truth = {"1": {f"guide#{start}-{start + len(meant)}": 1}}
    records = [{"topic": "1", "doc": "guide", "quote": quote}]
    located = bp.locate(bp.Truth.from_records(records), {"guide": TEXT}, quotes="fuzzy")
    assert [(one["start"], one["end"]) for one in located.to_dict()["1"]] == [(start, start + len(meant))]
    scored = bp.score(
        "IoU@1", truth, {"1": [{"doc": "guide", "text": quote}]}, documents={"guide": TEXT}, quotes="fuzzy"
    )
    assert scored == 1.0


HEXADECIMAL = "".join(random.Random(3).choices("0123456789abcdef", k=400))


@each("text", ["成熟的浆果在夏天结束以前采摘并且立即放入冰箱保存以免变质", HEXADECIMAL])
def test_text_without_words_keeps_its_place(text):
    """Where no space separates words, or a word has no end, the most similar stretch is the place."""
    middle = len(text) // 2
    quote = text[middle - 12 : middle] + text[middle + 1 : middle + 12]
    golden = [{"question": "Which is it?", "quote": quote}, {"question": "And where?", "quote": text[-5:]}]
    place = bp.adopt(golden, {"guide": text}, partial=True).cases[0].place
    assert (place.start, place.end) == (middle - 12, middle + 12)
