"""What a retriever is, and two that need no model: full-text search in SQLite, and BM25 in NumPy.

A retriever takes a list of chunks and ``{topic: query}``, and gives ``{topic: ranked list}``. A ranked list holds
chunks, or their places in the list of chunks, best first; or pairs of one of these and a score.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError


@dataclass(frozen=True)
class Chunk:
    """A piece of a document with its offsets."""

    document: str
    start: int
    end: int
    text: str


def fts5(
    chunks: Sequence[Chunk], queries: Mapping[str, str], depth: int = 10, stem: bool = False
) -> dict[str, list[tuple[int, float]]]:
    """The ``depth`` best chunks for any of the words of a query, by SQLite's BM25 (k1 1.2, b 0.75).

    Words are compared without case and accents, with ``stem`` also without English endings (Porter's stemmer); where a
    script has no spaces between words, pairs of characters are. Equal scores keep the order of the chunks. The index is
    made in memory; no server, no model, no download.

    >>> chunks = [Chunk("a", 0, 9, "red apple"), Chunk("b", 0, 10, "green pear")]
    >>> [place for place, score in fts5(chunks, {"1": "Apples or apple?"})["1"]]
    [0]
    """
    if depth < 1:
        raise UsageError(f"depth must be at least 1, not {depth}")
    import sqlite3

    words = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"  # runs of letters and digits with their marks
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(
            f'CREATE VIRTUAL TABLE chunk USING fts5(text, tokenize="{"porter " if stem else ""}{words}", detail=full)'
        )
        connection.executemany(
            "INSERT INTO chunk(rowid, text) VALUES (?, ?)",
            ((i, _clean(spaced(chunk.text))) for i, chunk in enumerate(chunks)),
        )
        return {topic: _search(connection, _any_word(query), depth) for topic, query in queries.items()}
    except sqlite3.OperationalError as error:
        if "fts5" in str(error):
            raise UsageError("this Python's SQLite was built without FTS5; use another retriever") from None
        raise
    finally:
        connection.close()


def bm25(
    chunks: Sequence[Chunk], queries: Mapping[str, str], depth: int = 10, k1: float = 1.2, b: float = 0.75
) -> dict[str, list[tuple[int, float]]]:
    """The ``depth`` best chunks for any of the words of a query, by BM25 with parameters.

    The formula is SQLite's, so that with the default k1 and b the scores are those of :func:`fts5`: a word that more
    than half of the chunks have counts next to nothing. Words are runs of letters and digits, compared without case;
    where a script has no spaces between words, pairs of characters are. Only the words of the queries are
    indexed, which makes it several times quicker.

    >>> chunks = [Chunk("a", 0, 9, "red apple"), Chunk("b", 0, 10, "green pear"), Chunk("c", 0, 4, "kiwi")]
    >>> [(place, round(score, 4)) for place, score in bm25(chunks, {"1": "Apples or apple?"})["1"]]
    [(0, 0.4722)]
    """
    if depth < 1:
        raise UsageError(f"depth must be at least 1, not {depth}")
    if k1 < 0 or not 0 <= b <= 1:
        raise UsageError(f"k1 must be 0 or more and b in [0, 1], not {k1:g} and {b:g}")
    query_words = {topic: list(dict.fromkeys(_words(query))) for topic, query in queries.items()}
    wanted = list(dict.fromkeys(word for words in query_words.values() for word in words))
    lengths, postings = _postings(chunks, wanted)
    normal = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9)) if len(chunks) else lengths
    weights: dict[str, tuple[IntArray, FloatArray]] = {}
    for word, (places, count) in zip(wanted, postings, strict=True):
        rarity = max(math.log((len(chunks) - len(places) + 0.5) / (len(places) + 0.5)), 1e-6)
        weights[word] = places, rarity * count * (k1 + 1) / (count + normal[places])
    return {topic: _best(len(chunks), [weights[word] for word in words], depth) for topic, words in query_words.items()}


def _postings(chunks: Sequence[Chunk], wanted: Sequence[str]) -> tuple[FloatArray, list[tuple[IntArray, IntArray]]]:
    """How many words each chunk has; and for each wanted word the places of the chunks that have it, and how often."""
    number = {word: i for i, word in enumerate(wanted)}
    lengths, many = np.zeros(len(chunks)), np.zeros(len(chunks), dtype=np.int64)
    codes: list[int] = []
    for place, chunk in enumerate(chunks):
        words = _words(chunk.text)
        held = [number[word] for word in words if word in number]
        lengths[place], many[place] = len(words), len(held)
        codes += held
    size = max(len(chunks), 1)
    key, count = np.unique(
        np.array(codes, dtype=np.int64) * size + np.repeat(np.arange(len(chunks)), many), return_counts=True
    )
    bounds = np.searchsorted(key, np.arange(len(wanted) + 1) * size).tolist()
    return lengths, [(key[low:high] % size, count[low:high]) for low, high in pairwise(bounds)]


def _best(count: int, weights: Sequence[tuple[IntArray, FloatArray]], depth: int) -> list[tuple[int, float]]:
    scores = np.zeros(count)
    for places, added in weights:
        scores[places] += added
    found = np.flatnonzero(scores)
    if len(found) > depth:  # those as good as the last one that is shown, equal ones too
        found = found[scores[found] >= np.partition(scores[found], -depth)[-depth]]
    ordered = found[np.argsort(-scores[found], kind="stable")][:depth]
    return [(int(place), float(scores[place])) for place in ordered]


def _words(text: str) -> list[str]:
    """Runs of letters and digits with their marks, in lower case; pairs of characters where words have no spaces."""
    if text.isascii():
        return re.findall(r"[^\W_]+", text.lower())
    found: list[str] = _patterns()[1].findall(spaced(unicodedata.normalize("NFC", text)).lower())
    return found


def spaced(text: str) -> str:
    """Text of scripts without spaces between words as overlapping pairs of characters, with spaces around each."""
    return text if text.isascii() else _patterns()[0].sub(_pairs, text)


def _pairs(run: Any) -> str:
    characters = run[0]
    pairs = [characters[i : i + 2] for i in range(len(characters) - 1)] or [characters]
    return f" {' '.join(pairs)} "


@cache
def _patterns() -> tuple[Any, Any]:
    """Runs of scripts without spaces between words, and words."""
    import regex

    scripts = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tai_Tham")
    runs = "".join(rf"\p{{Script={script}}}" for script in scripts)
    return regex.compile(rf"[{runs}\u30fc]+"), regex.compile(r"[\p{L}\p{N}\p{M}\p{Co}]+")


def _search(connection: object, query: str, depth: int) -> list[tuple[int, float]]:
    if not query:
        return []
    rows = connection.execute(  # type: ignore[attr-defined]
        "SELECT rowid, rank FROM chunk WHERE chunk MATCH ? ORDER BY rank, rowid LIMIT ?", (query, depth)
    )
    return [(place, -rank) for place, rank in rows]


def _any_word(query: str) -> str:
    """The words of a query in the language of FTS5: each quoted, so that none is an operator."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(_words(_clean(query))))


def _clean(text: str) -> str:
    """Halves of characters (lone surrogates), which SQLite cannot hold, as question marks; NUL as a space."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
