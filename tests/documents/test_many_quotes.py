"""Many quotes found in one pass: the same places, reasons and candidates as quote by quote."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.truth import Quote
from berrypick.documents import locator as locating
from berrypick.documents.locator import Locator, occurrences
from berrypick.documents.many_quotes import WINDOWS, find_many
from berrypick.documents.texts import read_texts

LETTERS = list("aab \n\u00e9\u2019'\u201c\"-\u2014\U0001f600")


def drawn_texts(draw, count=6, most=400):
    """Texts of few letters, in which much is repeated."""
    made = []
    for size in draw.integers(0, most, count).tolist():
        text = "".join(draw.choice(LETTERS, size))
        made.append(text + "ab" * int(draw.integers(0, 30)) + text[: int(draw.integers(0, 60))])
    return [*made, "", "a", "\ud800 lone surrogates \udfff are kept as they are", made[0]]


def drawn_quotes(draw, texts, count=80):
    """Parts of texts, some of them damaged."""
    made = []
    for _ in range(count):
        text = texts[int(draw.integers(len(texts)))]
        at = int(draw.integers(0, len(text) + 1))
        quote = text[at : at + int(draw.integers(1, 100))]
        if draw.random() < 0.3 and quote:
            cut = int(draw.integers(len(quote)))
            quote = quote[:cut] + str(draw.choice(["x", " ", "  ", "'", "\u2019"])) + quote[cut + 1 :]
        made.append(quote)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("piece", [7, 40, 1 << 19])
def test_every_place_of_every_quote(seed, piece):
    draw = np.random.default_rng(seed)
    texts = drawn_texts(draw)
    quotes = [*drawn_quotes(draw, texts), "a" * 8, "ab" * 16, "ab" * 20]
    found = find_many(quotes, texts, piece)
    assert {*found} == {quote for quote in quotes if len(quote) >= WINDOWS[0]}
    for quote, places in found.items():
        assert places == [(number, at) for number, text in enumerate(texts) for at in occurrences(text, quote)]


def test_quotes_that_begin_alike_are_told_apart_by_their_ends():
    """Every chunk begins with the same 200 characters: the rarest window decides, and work does not multiply."""
    head = "All rights reserved. " * 10
    chunks = [f"{head}{number:09d}{'x' * 40}{number * 7919:012d}" for number in range(3000)]
    compared = 0

    class Counted(str):
        def startswith(self, *given):
            nonlocal compared
            compared += 1
            return super().startswith(*given)

    found = find_many(chunks, [Counted("".join(chunks))])
    assert all(len(places) == 1 for places in found.values()) and len(found) == 3000
    assert compared < 2 * len(chunks)


def both(texts, quotes, how, monkeypatch):
    """What is resolved quote by quote, and together."""
    alone = [Locator(texts, how, 80.0).resolve("q", quote) for quote in quotes]
    monkeypatch.setattr(locating, "MANY", 1)
    monkeypatch.setattr(locating, "LITTLE", 0)
    together = Locator(texts, how, 80.0).expect((quote.text, quote.document) for quote in quotes)
    return alone, [together.resolve("q", quote) for quote in quotes]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("how", ["exact", "normalised", "fuzzy"])
def test_resolved_as_one_by_one(seed, how, monkeypatch):
    draw = np.random.default_rng(seed)
    texts = drawn_texts(draw, count=4, most=150)
    documents = read_texts({f"d{number}": text for number, text in enumerate(texts)})
    drawn = [quote for quote in drawn_quotes(draw, texts, 30) if quote.strip()]
    names = [None if draw.random() < 0.6 else f"d{int(draw.integers(len(texts)))}" for _ in drawn]
    starts = [None if draw.random() < 0.8 else float(draw.integers(0, 20)) for _ in drawn]
    quotes = [Quote(text, name, start) for text, name, start in zip(drawn, names, starts, strict=True)]
    alone, together = both(documents, quotes, how, monkeypatch)
    assert together == alone


def test_runs_truths_and_rows_are_found_together(monkeypatch, tmp_path):
    texts = {f"d{n}": " ".join(f"w{n}{i}" for i in range(300)) for n in range(5)}
    chunks = [text[at : at + 90].strip() for text in texts.values() for at in range(0, len(text), 90)]
    truth = {"q": [{"quote": chunk} for chunk in chunks[::7]]}
    results = {"q": [{"text": chunk} for chunk in chunks]}
    path = tmp_path / "run.jsonl"
    lines = (f'{{"topic": "q", "text": "{chunk}", "rank": {i}}}\n' for i, chunk in enumerate(chunks, start=1))
    path.write_text("".join(lines))

    def evaluated(run):
        return bp.evaluate(truth, run, "charP charR spanNDCG", documents=texts).mean().values()

    asked = [partial(evaluated, run) for run in (results, path)]
    alone = [list(ask()) for ask in asked]
    sought = []
    monkeypatch.setattr(locating, "MANY", 1)
    monkeypatch.setattr(locating, "LITTLE", 0)
    find = locating.find_many
    monkeypatch.setattr(locating, "find_many", lambda wanted, texts: sought.append(len(wanted)) or find(wanted, texts))
    assert [list(ask()) for ask in asked] == alone
    few, all_of_them = len(chunks[::7]), len(chunks)
    assert sorted(sought) == [few, few, all_of_them, all_of_them]
