"""Similar text: kernels against plain tables, the search against all places there are."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from berrypick import kernels
from berrypick.documents.locator import Locator, Searchable, normal_form
from berrypick.documents.similar import SHORT, SimilarText
from berrypick.documents.texts import read_texts
from berrypick.kernels.common_subsequence import (
    alike_blocks,
    best_span,
    codes_of,
    common_lengths,
    narrow_codes,
    similarity,
)


@pytest.fixture(params=["numpy", "native"], scope="module")
def form(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "native" and kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERRYPICK_KERNELS", request.param)
        yield request.param


def common(one: str, other: str) -> int:
    """The longest common subsequence, by the table of all pairs of prefixes."""
    row = [0] * (len(one) + 1)
    for char in other:
        before = row[:]
        for i, own in enumerate(one):
            row[i + 1] = before[i] + 1 if own == char else max(row[i], before[i + 1])
    return row[-1]


def alike(one: str, other: str) -> float:
    return 100 * (2 * common(one, other) / (len(one) + len(other)))


letters = st.text("ab \u00e9\U0001f600", max_size=14)
quotes = st.text("ab \u00e9\U0001f600", min_size=1, max_size=9)


@settings(max_examples=60)
@given(quotes, letters)
def test_common_lengths(form: str, quote: str, text: str) -> None:
    found = common_lengths(codes_of(quote), codes_of(text))
    assert found.tolist() == [common(quote, text[: i + 1]) for i in range(len(text))]


@pytest.mark.parametrize("size", [63, 64, 65, 128, 130, 200])
def test_common_lengths_of_several_words(form: str, size: int) -> None:
    draw = random.Random(size)
    quote, text = ("".join(draw.choices("abc", k=count)) for count in (size, 150))
    assert common_lengths(codes_of(quote), codes_of(text))[-1] == common(quote, text)


@settings(max_examples=60)
@given(quotes, st.text("ab \u00e9", max_size=60), st.integers(1, 7), st.integers(1, 12), st.integers(1, 6))
def test_alike_blocks(form: str, quote: str, text: str, block: int, width: int, least: int) -> None:
    wanted = [at for at in range(0, len(text), block) if common(quote, text[at : at + width]) >= least]
    for codes in (narrow_codes(text), codes_of(text)):
        assert alike_blocks(codes_of(quote), codes, block, width, least).tolist() == wanted


def test_codes_are_as_narrow_as_will_do() -> None:
    assert [narrow_codes(text).dtype for text in ("a", "a\u00e9\u4e00", "\U0001f600")] == [
        np.uint8,
        np.uint16,
        np.uint32,
    ]
    assert narrow_codes("a\u4e00\udc80b").tolist() == [97, 0x4E00, 0xDC80, 98]


def spans(text: str, until: int, width: int) -> list[tuple[int, int]]:
    """Every stretch that neither begins nor ends with a blank."""
    found = [(a, b) for a in range(min(until, len(text))) for b in range(a + 1, min(len(text), a + width) + 1)]
    return [(a, b) for a, b in found if text[a] != " " and text[b - 1] != " "]


@settings(max_examples=60)
@given(quotes, letters, st.integers(0, 15), st.integers(1, 15))
def test_best_span(form: str, quote: str, text: str, until: int, width: int) -> None:
    held = [(alike(quote, text[a:b]), a - b, -a, a, b) for a, b in spans(text, until, width)]
    wanted = max((one for one in held if one[0] > 0), default=None)
    expected = (0, 0, 0) if wanted is None else (*wanted[3:], common(quote, text[wanted[3] : wanted[4]]))
    assert best_span(codes_of(quote), codes_of(text), until, width) == expected


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text("abc ", max_size=25), min_size=1, max_size=3), quotes, st.sampled_from([60.0, 80.0, 90.0]))
def test_a_short_quote_is_found_wherever_it_is(form: str, texts: list[str], quote: str, threshold: float) -> None:
    found = SimilarText(texts).find(quote, threshold)
    everywhere = [
        (alike(quote, text[a:b]), number, a, b)
        for number, text in enumerate(texts)
        for a, b in spans(text, len(text), len(text))
    ]
    good = [one for one in everywhere if one[0] >= threshold]
    assert bool(found) == bool(good)
    if found:
        first = found[0]
        assert first.similarity == max(good)[0]
        assert (first.similarity, first.document, first.start, first.end) in good
    for one in found:
        assert (one.similarity, one.document, one.start, one.end) in good


WORDS = [f"{a}{b}{c}" for a in ("ber", "mon", "tal", "rus", "kep") for b in "aeiou" for c in ("st", "rn", "ll", "nd")]


def prose(draw: random.Random, words: int) -> str:
    return " ".join(draw.choice(WORDS) + str(draw.randrange(9)) for _ in range(words))


def damaged(text: str, draw: random.Random, every: int) -> str:
    chars = list(text)
    for at in range(draw.randrange(every), len(chars), every):
        chars[at] = draw.choice(["", "x", chars[at] * 2])
    return "".join(chars).strip()


@pytest.mark.slow
@pytest.mark.parametrize("size", [SHORT + 10, 300, 2000])
def test_a_long_quote_is_found_where_it_was_taken_from(form: str, size: int) -> None:
    """With errors in a character of 25, and no borders near it are better."""
    draw = random.Random(size)
    texts = [prose(draw, 900) for _ in range(3)]
    searched = SimilarText(texts)
    for _ in range(4):
        number = draw.randrange(3)
        at = texts[number].index(" ", draw.randrange(len(texts[number]) - size - 20)) + 1
        quote = damaged(texts[number][at : at + size].strip(), draw, 25)
        (first, *_) = searched.find(quote, 90)
        assert first.document == number and abs(first.start - at) <= 3
        if form == "native":
            near = [(first.start + a, first.end + b) for a in range(-2, 3) for b in range(-2, 3) if size < 200]
            borders = [alike(quote, texts[number][a:b]) for a, b in near if a >= 0 and b <= len(texts[number])]
            assert first.similarity >= max(borders, default=0.0) - 1e-9
    words = texts[0][:size].split()
    draw.shuffle(words)
    assert searched.find(" ".join(words), 90) == []


def test_both_forms_find_the_same() -> None:
    if kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    draw = random.Random(5)
    texts = [prose(draw, 150) for _ in range(2)]
    quotes = [
        damaged(texts[i % 2][at : at + size], draw, 20) for i, (at, size) in enumerate([(9, 30), (50, 90), (3, 400)])
    ]
    found = []
    for form in ("numpy", "native"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BERRYPICK_KERNELS", form)
            found.append([SimilarText(texts).find(quote, 80) for quote in quotes])
    assert found[0] == found[1] and all(found[0])


def slow_origin(text: str) -> tuple[str, list[int]]:
    """The normal form character by character, and where each came from."""
    plain, origin = [], []
    for at, char in enumerate(text):
        one = normal_form(char)
        if one == " " and plain[-1:] == [" "]:
            continue
        plain.append(one)
        origin.append(at)
    return "".join(plain), origin


@given(st.text("a \n\u00a0\u200b\u201c-\u2014", max_size=20))
def test_places_in_the_normal_form_are_places_in_the_text(text: str) -> None:
    searchable = Searchable(text)
    plain, origin = slow_origin(text)
    assert searchable.plain == plain
    for start in range(len(plain)):
        for end in range(start + 1, len(plain) + 1):
            assert searchable.back(start, end) == (origin[start], origin[end - 1] + 1)


def test_capital_letters_that_grow_when_lowered() -> None:
    """Words are compared without their case; places count the characters of the text."""
    draw = random.Random(3)
    before, quote = "\u0130" * 50 + " ", prose(draw, 20)
    text = before + quote + " " + prose(draw, 50)
    (place,) = Locator(read_texts({"d": text}), "fuzzy").places(quote.replace("a", "o", 1))
    assert text[place.start : place.end] == quote


@pytest.mark.parametrize("size", [600, 8000])
def test_long_quotes_in_texts_without_words(size):
    """A Chinese quote of 8,000 characters took minutes: every start of every stretch was tried."""
    chance = random.Random(size)
    text = "".join(chr(0x4E00 + int(chance.expovariate(1 / 300)) % 3000) for _ in range(5 * size))
    begin = chance.randrange(2 * size)
    quote = "".join("X" if chance.random() < 0.02 else one for one in text[begin : begin + size])
    (best, *_) = SimilarText([text]).find(quote, 90)
    assert abs(best.start - begin) <= 5 and abs(best.end - begin - size) <= 5 and best.similarity > 95
    assert SimilarText([text]).find(quote[::-1], 90) == []
    assert SimilarText(["ab" * size]).find("ab" * (size // 4) + "ba" * (size // 4) + "c", 90)


def test_similarity_is_the_ratio_of_rapidfuzz(kernels):
    fuzz = pytest.importorskip("rapidfuzz.fuzz")
    rng = random.Random(7)
    words = ["".join(rng.choices("ab cé\U0001f347", k=rng.randrange(90))) for _ in range(60)]
    for one, other in itertools.pairwise(words):
        assert similarity(one, other) == pytest.approx(fuzz.ratio(one, other), abs=1e-9)
    assert similarity("", "") == fuzz.ratio("", "") and similarity("", "a") == fuzz.ratio("", "a")
