"""Quotes with small errors, and quotes that are not there, in 10 MB of text: how long each takes to find, any document.

    python benchmarks/locate.py [MEGABYTES]

Documents are generated: words of Zipf's law, 400 of them. Of each length, quotes are taken from them with one character
in 25 changed, dropped or doubled; lost quotes are made of the same words in another order. Times are processor times of
one quote, the median of several; the first one, which reads and indexes the documents, is given apart. The bound is
50 ms. Beside them stands merely looking for the first 20 characters of the quote with str.find in all documents, which
is about what exact matching costs.
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from _processes import verdict

from berrypick.documents.locator import Locator
from berrypick.documents.texts import Texts, read_texts

LENGTHS = (20, 60, 200, 2000, 8000)
TIMES = 7


def documents(megabytes: float, seed: int = 1) -> dict[str, str]:
    draw = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlcumwfgypbvk"))
    vocabulary = ["".join(draw.choice(letters, size)) for size in draw.integers(2, 12, 60_000)]
    share = 1 / np.arange(1, len(vocabulary) + 1)
    words = draw.choice(len(vocabulary), int(megabytes * 1e6 / 6.5), p=share / share.sum())
    each = -(-len(words) // 400)
    pieces = [" ".join(vocabulary[word] for word in words[i : i + each]) for i in range(0, len(words), each)]
    return {f"d{number}": piece for number, piece in enumerate(pieces)}


def damaged(text: str, draw: random.Random) -> str:
    letters = list(text)
    for at in range(draw.randrange(25), len(letters), 25):
        letters[at] = draw.choice(["", "x", letters[at] * 2])
    return "".join(letters)


def quotes(texts: dict[str, str], length: int, lost: bool, draw: random.Random) -> list[str]:
    found = []
    for _ in range(TIMES):
        text = draw.choice(list(texts.values()))
        at = draw.randrange(max(1, len(text) - length))
        quote = text[at : at + length].strip()
        if lost:
            words = quote.split()
            draw.shuffle(words)
            quote = " ".join(words)
        found.append(damaged(quote, draw))
    return found


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    made = documents(megabytes)
    draw = random.Random(2)
    texts: Texts = read_texts(made)
    size = sum(map(len, made.values()))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    locator = Locator(texts, "fuzzy")
    first = quotes(made, 200, False, draw)[0]
    print(
        f"{size / 1e6:.1f} MB in {len(made)} documents; the first quote: {seconds(lambda: locator.places(first)):.2f} s"
    )
    plain = statistics.median(
        seconds(lambda quote=quote: [text.find(quote[:20]) for text in made.values()])  # type: ignore[misc]
        for quote in quotes(made, 200, True, draw)
    )
    print(f"  str.find: {1000 * plain:.1f} ms")
    worst = 0.0
    for length in LENGTHS:
        for lost in (False, True):
            times, hits = [], 0
            for quote in quotes(made, length, lost, draw):
                begun = time.process_time()
                hits += bool(locator.places(quote))
                times.append(time.process_time() - begun)
            middle = statistics.median(times)
            worst = max(worst, middle)
            what = "lost" if lost else "damaged"
            print(
                f"  {length:5} characters, {what:8}{1000 * middle:8.1f} ms (worst {1000 * max(times):.1f}), "
                f"{middle / plain:.1f} times str.find; found {hits} of {TIMES}"
            )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"  memory: {grown * 1024 / size:.1f} bytes a character, normalised text, words and codes together")
    verdict("50 ms a quote", worst < 0.05, f"{1000 * worst:.1f} ms")


if __name__ == "__main__":
    main()
