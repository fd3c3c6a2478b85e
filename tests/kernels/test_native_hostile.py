"""The compiled kernels with inputs that are random, at the edge, or wrong: refused in words, never read or written
out of bounds. Once as installed, and once built with the address and undefined-behaviour sanitizers.

This file is also the program that runs under the sanitizers: ``python test_native_hostile.py FOLDER-OF-THE-MODULE``.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "native").glob("*.cpp"))
EXTREME = [0.0, 1.0, 5e-324, 1e-308, 1e-160, 1e-17, 0.5, 1 - 2**-53]


def entries(rng: np.random.Generator, ranks: int, targets: int, share: float):
    """rank, target, probability, and the number of events."""
    rank, target = np.nonzero(rng.random((ranks, targets)) < share)
    probability = np.where(rng.random(len(rank)) < 0.5, rng.choice(EXTREME, len(rank)), rng.random(len(rank)))
    return rank.astype(np.int64), target.astype(np.int64), probability, len(np.unique(rank))


def random_reach(native: ModuleType, rng: np.random.Generator) -> None:
    ranks, targets = int(rng.integers(0, 60)), int(rng.integers(0, 50))
    rank, target, probability, events = entries(rng, ranks, targets, rng.choice([0.02, 0.1, 0.5, 1.0]))
    weight = rng.random(events)
    gap = rng.integers(0, 5, events + 1).astype(np.float64)
    total, law = np.empty(targets + 1), np.empty((events, targets + 1))
    three = np.empty((3, targets + 1))
    for form in (0, 1, 2):
        native.weighted_law(rank, target, probability, weight, total, form)
        native.law_over_events(rank, target, probability, law, form)
        np.testing.assert_allclose(law.sum(axis=1), 1, rtol=1e-11)
        np.testing.assert_allclose(weight @ law, total, rtol=1e-11, atol=1e-290)
        for exact in (False, True):
            native.consulted(rank, target, probability, gap, exact, *three, form)
            np.testing.assert_allclose(three[1].sum(), gap.sum(), rtol=1e-11)
            np.testing.assert_allclose(three[2].sum(), 1, rtol=1e-11)
            assert (three >= 0).all()
    for high in (False, True):
        native.weighted_bounds(rank, target, probability, weight, high, total)
        assert (total >= 0).all() and (total <= weight.sum() * (1 + 1e-11)).all()
    seen = rng.choice(EXTREME, (int(rng.integers(0, 5)), targets))
    native.law_of_rows(seen, 1 - seen, np.empty((len(seen), targets + 1)))


def random_text(native: ModuleType, rng: np.random.Generator) -> None:
    for kind in (np.int64, np.float64):
        count, known = int(rng.integers(0, 40)), int(rng.integers(0, 4))
        start = rng.integers(-20, 60, count).astype(kind)
        end = start + rng.integers(-3, 25, count).astype(kind)
        if kind is np.float64 and count:
            start[0], end[-1] = rng.choice([np.nan, np.inf, -np.inf, 1e308]), rng.choice([np.nan, np.inf, -1e308])
        merged_start, merged_end = np.empty_like(start), np.empty_like(end)
        found = native.merge(start, end, merged_start, merged_end)
        assert 0 <= found <= count
        native.intersections(start, end, start[:3], end[:3], np.empty((count, min(3, count))))
        sizes = rng.integers(0, 4, known)
        relevant_start = np.concatenate([np.arange(n) * 10 for n in sizes] or [np.zeros(0)]).astype(kind)
        part = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        native.first_seen(
            rng.integers(-1, 4, count), start, end, np.arange(known), part, relevant_start, relevant_start + kind(5),
            np.empty(count), np.empty(count),
        )  # fmt: skip
        if kind is np.int64:
            parts = np.sort(rng.integers(0, known + 1, (2, 3)), axis=0)
            bounds = np.sort(np.append(rng.integers(0, count + 1, 2), [0, count]))
            lengths, numbers = np.empty((2, count)), np.empty((2, count), dtype=np.int64)
            native.read_lists(
                bounds, rng.integers(-1, 4, count), start, end, *parts, rng.integers(-2, 4, known), part,
                relevant_start, relevant_start + 5, *lengths, *numbers,
            )  # fmt: skip
            assert (numbers[0] >= 0).all() and (numbers >= -1).all() and (numbers[1] < max(known, 1)).all()
            levels = rng.choice([-1.0, 0.0, 50.0, 100.0, np.nan, np.inf], 4)
            odd = np.where(rng.random((2, count)) < 0.1, np.nan, lengths)
            native.best_precision(bounds, *odd, rng.choice([*EXTREME, np.nan, 50.0], 3), levels, np.empty((3, 4)))


def random_areas(native: ModuleType, rng: np.random.Generator) -> None:
    """Any boxes, turned over, endless or nowhere."""
    count, relevant = int(rng.integers(0, 20)), int(rng.integers(0, 8))
    box, other = rng.integers(-3, 12, (count, 4)).astype(float), rng.integers(-3, 12, (relevant, 4)).astype(float)
    if count:
        box[0, rng.integers(4)] = rng.choice([np.nan, np.inf, -np.inf, 1e308])
    pages = rng.integers(-2, 3, count), rng.integers(-2, 3, relevant)
    native.first_seen_areas(pages[0], box, pages[1], other, np.empty(count), np.empty(count))


def random_trees(native: ModuleType, rng: np.random.Generator) -> None:
    """Any intervals, nested or not: what is found may be wrong then, but nothing breaks."""
    count, others = int(rng.integers(0, 40)), int(rng.integers(0, 40))
    low, high = (-(2**63), 2**63 - 1) if rng.random() < 0.3 else (0, 30)
    ends = [np.sort(rng.integers(low, high, (2, n)), axis=0) for n in (count, others)]
    for pair in ends:
        pair[0] -= (pair[0] == pair[1]) & (pair[0] > -(2**63))
    one = rng.integers(-2, 3, count), np.ascontiguousarray(ends[0][0]), np.ascontiguousarray(ends[0][1])
    other = rng.integers(-2, 3, others), np.ascontiguousarray(ends[1][0]), np.ascontiguousarray(ends[1][1])
    if (one[1] < one[2]).all() and (other[1] < other[2]).all():
        first, second = native.nested_pairs(*one, *other)
        assert len(first) == len(second)
        assert not len(second) or (second.min() >= 0 and second.max() < others)
        native.unseen_lengths(*one, rng.random(count), np.empty(count))


FORMATS = [
    "trec-run",
    "trec-qrels",
    "inex-fol-run",
    "inex-fol-truth",
    "mediaeval-qrels",
    "mediaeval-run",
    "genomics-run",
]
#: Lines as they should be, for two formats each, and words that may stand in their place.
LINES = [b"1 Q0 d%d 1 2.5 sys", b"1 0 d%d 1", b"7 Q0 d%d 1 9.25 sys 200 120", b"7 Q0 d%d 30 100 5 5:20 60:10",
         b"q Q0 v%d 17.10 20.00 1", b"q Q0 v%d 1.0 2.0 1.0 1 17.5", b"200 9%d 1 48.63 28426 295 sys"]  # fmt: skip
WORDS = [b"", b" ", b"#", b"\0", b"nan", b"1e400", b"1e-400", b"-", b".", b"1" * 40, b"X", b"-1", b"0x1p3", b"1_0",
         b"\xc3\xa9", b"\xff", b"\xe2\x80\x83", b"\xf0\x9f", b":", b"3:", b":3", b"/a[1]", b"n" * 70_000,
         b"\r"]  # fmt: skip


#: Bytes that a block has behind what is in it.
ROOM = 64


def block_of(data: bytes) -> np.ndarray:
    """A block exactly as long as what is in it needs, the room behind it full of what must not be read as content."""
    return np.frombuffer(data + b"7\n." * (ROOM // 3) + b"7", dtype=np.uint8).copy()


def random_files(native: ModuleType, rng: np.random.Generator) -> None:
    """Good and bad lines in blocks that end anywhere."""
    which = int(rng.integers(0, len(FORMATS)))
    many = int(rng.integers(0, 3000 if rng.random() < 0.2 else 40))
    lines = [LINES[which] % i for i in rng.integers(0, 2000, many)]
    for _ in range(int(rng.integers(0, 2))):
        lines.insert(int(rng.integers(0, len(lines) + 1)), b" ".join(rng.choice(np.array(WORDS, dtype=object), 7)))
    data = b"\n".join(lines) + b"\n" * int(rng.integers(0, 2))
    reader, left = native.lines_of(FORMATS[which]), b""
    for i in range(0, len(data) + 1, step := int(rng.integers(1, 4000))):
        held = left + data[i : i + step]
        done = reader.feed(block_of(held), len(held), i + step > len(data))
        assert -1 <= done <= len(held)
        if done < 0:
            return
        left = held[done:]
    found = reader.finish()
    documents, document = found["names"].interned() if "names" in found else (found["documents"], found["document"])
    assert len(document) == len(found["line"])
    names = documents.names()
    codes = np.empty(len(names) + 1, dtype=np.int64)
    documents.find([*names, "\ud800"], codes)
    assert codes.tolist() == [*range(len(names)), -1]
    assert [documents.name(i) for i in range(len(names))] == names
    assert not len(reader.finish()["line"])  # what was given away is gone


SPAN_PARTS = [
    b"{",
    b"}",
    b'"topic"',
    b'"doc"',
    b'"start"',
    b'"end"',
    b'"x"',
    b":",
    b",",
    b" ",
    b'"a"',
    b'"\\u00e9"',
    b"1",
    b"-0.5e3",
    b'"\\',
    b"\\ud83d",
    b'"',
    b"\xc3\xa9",
    b"\xff",
    b"true",
    b"nul",
    b"\r",
    b"\t",
    b"#",
]


def random_span_lines(native: ModuleType, rng: np.random.Generator) -> None:
    """Good lines of JSON, then perhaps one of anything, in blocks that end anywhere."""
    count = int(rng.integers(0, 80))
    line = b'{"topic": "t%d", "doc": "d\\u00e%x", "start": %d, "end": 99.5, "x": "%s"}'
    good = [line % (i // 9, i % 16, i, b"y" * (i % 3)) for i in range(count)]
    names = {"topic": 0, "doc": 1, "start": 2, "end": 3, "x": int(rng.choice([13, 14, 15, 16]))}
    if rng.random() < 0.3:  # texts without a document
        good = [b'{"topic": "t%d", "x": "%s\\u00e%x"}' % (i // 9, b"y" * (i % 40), i % 16) for i in range(count)]
        names = {"topic": 0, "x": 13}
    odd = [b"".join(rng.choice(np.array(SPAN_PARTS, dtype=object), int(rng.integers(1, 30)))) for _ in range(2)]
    lines = good if rng.random() < 0.5 else [*good, *odd]
    data, left = b"\n".join(lines), b""
    outer = len(names)
    if rng.random() < 0.3:  # documents inside of an object
        good = [
            line.replace(b'"doc"', b'"metadata": {"more": [{"a": [1, {}]}], "doc"', 1)[:-1] + b"}}" for line in good
        ]
        names = {**{n: s for n, s in names.items() if n == "topic"}, "metadata": 17, **names, "more": 15}
        outer = 2
    reader = native.span_lines(list(names), list(names.values()), outer)
    for i in range(0, len(data) + 1, step := int(rng.integers(1, 4000))):
        held = left + data[i : i + step]
        done = reader.feed(block_of(held), len(held), i + step > len(data))
        assert -1 <= done <= len(held)
        if done < 0:
            assert lines is not good
            return
        left = held[done:]
    found = reader.finish()
    assert lines is not good or len(found["document"]) == len(found["line"]) == len(good)


def random_table_lines(native: ModuleType, rng: np.random.Generator) -> None:
    """Good rows of a table, then perhaps one of anything, in blocks that end anywhere."""
    count = int(rng.integers(1, 80))
    row = b't%d,"d%x\xc3\xa9 ""q""\nz",%d,99.5,%s'
    good = [b"topic,doc,start,end,x", *(row % (i // 9, i % 16, i, b"y" * (i % 3)) for i in range(count))]
    parts = [b",", b'"', b'""', b"\n", b"\r", b"7", b"x", b"\xff", b"\xc3\xa9", b"#", b" "]
    odd = [b"".join(rng.choice(np.array(parts, dtype=object), int(rng.integers(1, 30)))) for _ in range(2)]
    lines = good if rng.random() < 0.5 else [*good, *odd]
    data, left = b"\n".join(lines), b""
    reader = native.table_lines(["topic", "doc", "start", "end", "x"], [0, 1, 2, 3, int(rng.choice([13, 14]))], ",")
    for i in range(0, len(data) + 1, step := int(rng.integers(1, 4000))):
        held = left + data[i : i + step]
        done = reader.feed(block_of(held), len(held), i + step > len(data))
        assert -1 <= done <= len(held)
        if done < 0:
            return
        left = held[done:]
    found = reader.finish()
    assert lines is not good or len(found["document"]) == len(found["line"])


def random_documents(native: ModuleType, rng: np.random.Generator) -> None:
    sizes, vocabulary = rng.integers(0, 30, int(rng.integers(0, 8))), int(rng.integers(1, 40))
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    document = rng.integers(0, vocabulary, int(bounds[-1])).astype(np.int32)
    start = rng.integers(-5, 5, len(document))
    out = np.empty(len(sizes), dtype=bool)
    native.repeated_documents(bounds, document, vocabulary, out)
    native.repeated_spans(bounds, document, start, start + 3, out)
    judged_bounds = np.arange(len(sizes) + 1) * 3
    judged, retrieved = rng.integers(-1, vocabulary, 3 * len(sizes)), np.empty(len(sizes), dtype=np.int64)
    found, rank = native.judged_hits(bounds[:-1].copy(), bounds[1:].copy(), document, judged_bounds, judged, vocabulary,
                                     retrieved)  # fmt: skip
    assert len(found) == len(rank) and (retrieved <= sizes).all()
    number, code = native.numbered_documents(document.astype(np.int64) * 2**40)
    assert len(number) == len(document) and len(code) == len(set(document.tolist()))
    native.covered(document.astype(np.int64), start, start + rng.integers(-3, 9, len(start)))


def random_resamples(native: ModuleType, rng: np.random.Generator) -> None:
    """Rows with ties and infinities, and sets of up to 14 values."""
    count = int(rng.integers(1, 3000 if rng.random() < 0.3 else 40))
    rows = rng.choice([0.0, 1.0, np.inf, -np.inf, *rng.normal(size=int(rng.integers(1, 500)))], (3, count))
    ranks = np.unique(rng.integers(0, count, int(rng.integers(0, 6))))
    ranks = ranks[(ranks < count // 5) | (ranks > count - count // 5)] if rng.random() < 0.5 else ranks
    out = np.empty((3, len(ranks)))
    native.order_statistics(rows, ranks, out)
    assert (out == np.sort(rows, axis=1)[:, ranks]).all()
    sizes = rng.integers(0, 15, int(rng.integers(0, 4)))
    bounds, least = (
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        rng.choice([-1.0, 0.0, np.nan, np.inf], len(sizes)),
    )
    found = np.empty(len(sizes), dtype=np.int64)
    native.extreme_sums(rng.choice([*EXTREME, -0.5, 1e200], bounds[-1]), bounds, least, found)
    assert (found >= 0).all() and (found <= 2**sizes).all()
    values, draws, topics = int(rng.integers(0, 20)), int(rng.integers(0, 9)), int(rng.integers(0, 20))
    columns, signs = rng.choice(EXTREME, (values, topics)), rng.integers(0, 256, (draws, (topics + 7) // 8))
    counts = np.empty(values, dtype=np.int64)
    native.extreme_sign_changes(columns, signs.astype(np.uint8), rng.choice(EXTREME, values), counts)
    assert (counts >= 0).all() and (counts <= draws).all()
    pairs = int(rng.integers(0, 30)) if values else 0
    sides = [rng.integers(0, max(values, 1), pairs) for _ in range(2)]
    bounds, found = [rng.choice(EXTREME, pairs) for _ in range(2)], [np.empty(pairs, dtype=np.int64) for _ in range(2)]
    native.extreme_pairs(columns, signs.astype(np.uint8), *sides, *bounds, *found)
    assert all((one >= 0).all() and (one <= draws).all() for one in found)


def random_rows(native: ModuleType, rng: np.random.Generator) -> None:
    """Rows of numbers of any size and texts, in pieces of any size."""
    rows = int(rng.integers(0, 30))
    numbers = rng.integers(-(2**63), 2**63 - 1, rows) >> rng.integers(0, 64, rows)
    texts = rng.choice(["null", "0.5", '"ü"'], rows).tolist()
    bounds = np.sort(np.append(rng.integers(0, rows + 1, 3), [0, rows]))
    pairs = [f"[{number},{text}]" for number, text in zip(numbers.tolist(), texts, strict=True)]
    expected = [f"[{','.join(pairs[a:b])}]" for a, b in itertools.pairwise(bounds.tolist())]
    assert native.json_rows([numbers, texts], bounds) == expected


def wrong_rows(native: ModuleType):
    """Calls that must be refused."""
    numbers, texts, bounds = np.arange(3), ["1", "2", "3"], np.array([0, 2, 3])
    for columns, ends in [
        ([numbers, texts], bounds[1:]), ([numbers, texts], bounds[:0]), ([numbers, texts], np.array([0, 4])),
        ([numbers, texts], np.array([0, 3, 2])), ([numbers, texts], np.array([0, -1])), ([numbers[:2]], bounds),
        ([texts[:2]], bounds), ([numbers.astype(np.float64)], bounds), ([numbers.astype(np.int32)], bounds),
        ([[1, 2, 3]], bounds), ([["1", "2", "\ud800"]], bounds), (["abc"], bounds), ([None], bounds),
        ([np.arange(6)[::2]], bounds), ([numbers[None]], bounds), ([numbers], bounds.astype(np.int32)),
    ]:  # fmt: skip
        yield lambda columns=columns, ends=ends: native.json_rows(columns, ends)


def random_names(native: ModuleType, rng: np.random.Generator) -> None:
    """Names without codes: what is asked of them."""
    sizes = rng.integers(0, 30, int(rng.integers(0, 5)))
    rows, bounds = int(sizes.sum()), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    names = ["n" * int(size) + str(number) for size, number in rng.integers(0, 20, (rows, 2))]
    data = "".join(f"1 Q0 {name} 1 2 t\n" for name in names).encode() or b"#\n"
    reader = native.lines_of("trec-run")
    assert reader.feed(block_of(data), len(data), True) == len(data)
    column = reader.finish()["names"] if rng.random() < 0.5 else native.name_column(names)
    place, nothing = column.places(), np.zeros(0, dtype=np.int64)
    vocabulary, codes = column.interned()
    assert [vocabulary.name(int(code)) for code in codes] == names == [column.name(i) for i in range(rows)]
    for odd in ("\ud800", "0" * 70_000, 7, None):
        assert native.name_column([*names, odd]) is None
    numbers = {name: float(i) if i % 2 else i for i, name in enumerate(dict.fromkeys(names))}
    found = native.number_columns([{}, numbers, {}, {"\u00e9": -3}])
    assert found[1].tolist() == [*numbers.values(), -3] and found[2].tolist() == [
        0,
        0,
        *[len(numbers)] * 2,
        len(found[1]),
    ]
    assert [found[0].name(i) for i in range(len(found[1]))] == [*numbers, "\u00e9"]
    wrong = [("\ud800", 1), ("0" * 70_000, 1), (7, 1), ("", 1), ("\0", 1), ("a", 10**400), ("a", EXTREME), ("a", "1")]
    for name, value in wrong:
        assert native.number_columns([numbers, {name: value}]) is None
    for odd in (None, [1], "a", numbers):
        assert native.number_columns([{"a": 1}, odd]) is None or odd is numbers
    known = native.KnownNames([*names[::2], "\ud800", "0" * 70_000], ["n0", *(name.lower() for name in names[1::2])])
    found, near = known.look(column)
    assert found == bool(names) and not {names[row] for row in near} & {*names[::2]}
    out = np.empty(len(sizes), dtype=bool)
    native.repeated_names(bounds, column, place, out)
    assert out.tolist() == [len(set(names[a:b])) < b - a for a, b in itertools.pairwise(bounds)]
    judged = ["n3", "", "\ud800", 7, *names[:5]]
    none_judged = native.JudgedNames(np.zeros(1, dtype=np.int64), [])
    found, rank = none_judged.find(nothing, nothing, column, place, nothing, nothing)
    assert len(found) == len(rank) == 0
    moved = np.unique(rng.integers(0, rows, 3)) if rows else nothing
    whole = np.array([0]), np.array([rows])
    ready = native.JudgedNames(np.array([0, len(judged)]), judged)
    found, rank = ready.find(*whole, column, place, moved, moved[::-1].copy())
    order = np.arange(rows)
    order[moved] = moved[::-1]
    assert rank.tolist() == [i for i, row in enumerate(order) if names[row] in judged]
    last = {name: i for i, name in enumerate(judged)}
    assert found.tolist() == [last[names[row]] for row in order if names[row] in judged]
    twice = native.JudgedNames(np.array([0, 0, len(judged), 2 * len(judged)]), [*judged, "0" * 70_000, *judged[1:]])
    found, rank = twice.find(np.array([0, 0, 0]), np.array([rows, 0, rows]), column, place, nothing, nothing)
    assert rank.tolist() == [i for i, name in enumerate(names) if name in judged[1:]]
    assert [judged[i - len(judged)] for i in found] == [name for name in names if name in judged[1:]]
    assert column.has_any(judged) == any(name in judged for name in names)
    for most in (0, 1, 5, 40):
        assert len(set(names)) > most or not column.has_more(most)
    assert column.has_more(0) == (rows > 0)


def small_law(native: ModuleType, targets: int):
    """The law of the number of targets seen, whether it is `targets`: one state before each."""
    order, gains = np.arange(targets), np.ones(targets)
    states = np.array([*[1] * targets, 0] if targets else [1])
    stay, move = np.full(targets, -2), np.array([*[0] * (targets - 1), -1][:targets])
    return native.GainLaw(order, states, stay, move, np.arange(targets) * 1.0, gains, gains, targets * 1.0)


def random_lists(native: ModuleType, rng: np.random.Generator) -> None:
    """Ideal lists: candidates of any kind, few or many, also none; laws and lists that need not fit each other."""
    count, targets = int(rng.integers(0, 30)), int(rng.integers(1, 7))
    rows = np.where(
        rng.random((count, targets)) < 0.6, rng.choice(EXTREME, (count, targets)), rng.random((count, targets))
    )
    follows = np.empty((count, count), dtype=np.uint8)
    native.dominated(rows, follows)
    assert not (follows & follows.T).any()
    unseen, levels = rng.choice(EXTREME, targets), int(rng.integers(1, 5))
    r, kinds = int(rng.integers(1, targets + 1)), rng.integers(0, 9, 2)
    best, given, table = np.empty(levels), np.empty((levels, count)), np.empty(kinds)
    native.level_bounds(rows, unseen, r, int(rng.integers(0, 4)), best, given, table)
    assert ((best >= 0) & (best <= 1)).all()
    few = np.ascontiguousarray(rows[:6])
    sets = 1 << len(few)
    below, reached, done = np.empty(sets), np.empty(sets), np.empty(sets, dtype=np.uint8)
    law, number = small_law(native, targets), native.GainLaw(targets, r)
    for one in (law, number, native.GainLaw(targets, int(rng.integers(0, 9)))):
        one.of_sets(few, below, reached, done)
        np.testing.assert_allclose(below + reached, 1, rtol=1e-11)
        below_rows, reached_rows, expected = np.empty((3, count))
        one.walk(rows, 1 - rows, below_rows, reached_rows, expected)
        np.testing.assert_allclose(below_rows + reached_rows, 1, rtol=1e-11)
    step = np.empty(sets, dtype=np.int64)
    native.best_order(below, np.arange(sets) + 1.0, bool(rng.random() < 0.5), reached, step, done, len(few))
    assert (step >= -1).all() and (step < len(few)).all()
    effort = rng.choice([1.0, 2.0, 1e-300, 1e300], count) if rng.random() < 0.5 else np.ones(count)
    outside = rng.choice([0.0, 1.0, 1e300], rows.shape) if rng.random() < 0.5 else np.zeros(rows.shape)
    inverse, certain = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    priced, most = (rows, effort, outside), float(rng.choice([0, 1e-300, 0.5, 1]))
    deciding = native.ListProblem(*priced, law, law, inverse, certain, 1.0, 0.0)
    deciding.decide(*rng.choice([0.0, 0.5, 1.0], (2, count, int(rng.integers(4)))), rng.choice([0.0, 0.5, 1.0], count))
    for problem in (
        native.ListProblem(*priced, law, law, inverse, certain, 1.0, float(rng.choice([0, 1e9]))),
        deciding,
        native.ListProblem(rows, np.ones(count), np.zeros(rows.shape), number, number, inverse, certain, most, 0.0),
    ):
        problem.scores(rng.integers(0, count + 1, (3, 4)), np.empty(3))
        known = rng.permutation(count)[:3]
        assert set(problem.cut(known)) <= set(range(count))
        if len(known):
            problem.exchanged(known, int(rng.integers(len(known))), np.arange(count), np.empty(count))
            number_of, found, _ = problem.better(known[None], 0.0)
            assert number_of in (-1, 0) and set(found) <= set(range(count))
        goal = float(rng.choice([0, 1e-300, 0.5, 1e300])) * (1 if inverse else -1)
        search = problem.search(follows if rng.random() < 0.5 else follows[:, :0].copy(), known, goal)
        for _ in range(4):
            search.step()
        assert set(search.best()) <= set(range(count))
        search.bound()


def random_chains(native: ModuleType, rng: np.random.Generator) -> None:
    """Chains of any kind: no pages, no steps, steps that sum to more than 1, the same target twice."""
    pages = int(rng.integers(0, 12))
    count = rng.integers(0, 4, pages)
    first = np.concatenate([[0], np.cumsum(count)])
    to = rng.integers(0, max(pages, 1), int(count.sum()))
    targets = rng.integers(0, max(pages, 1), int(rng.integers(0, 20)) if pages else 0)
    out, settled = np.empty((pages, len(targets))), np.empty(len(targets), dtype=np.uint8)
    native.chain_visits(first, to, rng.choice(EXTREME, len(to)), targets, int(rng.integers(0, 30)), out, settled)
    assert ((out >= 0) & (out <= 1)).all() and set(settled.tolist()) <= {0, 1}


def wrong_chains(native: ModuleType):
    """Calls that must be refused."""
    first, to, half, one = np.array([0, 1, 2]), np.array([1, 0]), np.full(2, 0.5), np.array([1])
    out, settled = np.empty((2, 1)), np.empty(1, dtype=np.uint8)
    good = [first, to, half, one, 5, out, settled]
    for position, value in [
        (0, np.array([1, 1, 2])), (0, np.array([0, 2, 1])), (0, np.array([0, 1, 3])), (0, np.zeros(0, dtype=np.int64)),
        (1, np.array([2, 0])), (1, np.array([-1, 0])), (2, np.array([0.5, np.nan])), (2, np.array([-0.5, 0.5])),
        (2, np.full(3, 0.5)), (3, np.array([2])), (3, np.array([-1])), (4, -1), (4, 2**40), (5, np.empty((3, 1))),
        (5, np.empty((2, 2))), (6, np.empty(2, dtype=np.uint8)),
    ]:  # fmt: skip
        yield lambda position=position, value=value: native.chain_visits(*good[:position], value, *good[position + 1 :])
    yield lambda: native.chain_visits(first, to, half, one, 5, half.reshape(2, 1), settled)


def wrong_lists(native: ModuleType):
    """Calls that must be refused."""
    rows, effort, outside = np.full((2, 3), 0.5), np.ones(2), np.zeros((2, 3))
    law, wide = small_law(native, 3), np.zeros((2, 2), dtype=np.uint8)
    one = np.ones(3)
    good = [np.arange(3), np.array([1, 1, 1, 0]), np.full(3, -2), np.array([0, 0, -1]), np.zeros(3), one, one, 3.0]
    for position, value in [
        (0, np.array([0, 1])), (0, np.array([0, 1, 1])), (0, np.array([0, 1, 3])), (0, np.array([0, 1, -1])),
        (1, np.array([1, 1, 1])), (1, np.array([2, 1, 1, 0])), (1, np.array([1, 1, 1, 1])), (1, np.array([1, 2, 0, 0])),
        (1, np.array([1, 1, 2**62, 0])), (1, np.array([1, -1, 3, 0])), (2, np.array([-2, 1, -2])),
        (2, np.array([-2, -3, -2])), (2, np.full(2, -2)), (3, np.array([0, 0, 0])), (3, np.array([0, 2**62, -1])),
        (4, np.zeros(2)), (4, np.full(3, np.nan)), (5, np.ones(2)), (5, np.full(3, -1.0)), (6, np.zeros(3)),
        (6, np.ones(4)), (6, np.full(3, 1e308)), (7, np.nan), (7, np.inf),
    ]:  # fmt: skip
        yield lambda position=position, value=value: native.GainLaw(*good[:position], value, *good[position + 1 :])
    two, three = np.empty(2), np.empty((3, 2))
    yield lambda: law.walk(rows, rows[:1], *three)
    yield lambda: law.walk(rows[:, :2].copy(), rows[:, :2].copy(), *three)
    yield lambda: law.walk(rows, rows + 1, *three)
    yield lambda: law.walk(rows, rows, two, two, two)
    yield lambda: law.walk(rows, rows, three[0], three[1], two[:1])
    sets = np.empty(4), np.empty(4), np.empty(4, dtype=np.uint8)
    yield lambda: law.of_sets(rows[:, :2].copy(), *sets)
    yield lambda: law.of_sets(rows[:1], *sets)
    yield lambda: law.of_sets(np.zeros((25, 3)), *sets)
    yield lambda: native.GainLaw(-1, 1)
    yield lambda: native.GainLaw(1, -1)
    yield lambda: native.GainLaw(2**40, 1)
    number = native.GainLaw(3, 2)
    for wrong in (
        [rows, effort, outside, law, number], [rows, effort, outside, number, native.GainLaw(3, 1)],
        [rows, effort * 2, outside, number, number], [rows, effort, outside + 1, number, number],
        [rows, effort, outside, *[native.GainLaw(3, 0)] * 2], [rows, effort, outside, *[native.GainLaw(3, 4)] * 2],
        [rows, effort, outside, *[native.GainLaw(2, 2)] * 2],
    ):  # fmt: skip
        yield lambda wrong=wrong: native.ListProblem(*wrong, False, True, 1.0, 0.0)
    problem = [rows, effort, outside, law, law, False, True, 1.0, 0.0]
    for position, value in [
        (0, rows * 3), (0, rows - 1), (0, rows * np.nan), (0, rows[:1]), (0, rows[:, :2].copy()), (1, np.zeros(2)),
        (1, np.ones(3)), (1, -effort),
        (1, np.full(2, 1e308)), (1, np.full(2, np.nan)), (2, outside - 1), (2, outside[:1]), (2, outside + np.inf),
        (3, small_law(native, 2)), (4, None), (7, 1.5), (7, np.nan), (8, -1.0), (8, np.inf),
    ]:  # fmt: skip
        yield lambda position=position, value=value: native.ListProblem(
            *problem[:position], value, *problem[position + 1 :]
        )
    ready = native.ListProblem(*problem)
    first = [np.ones((2, 1)), np.ones((2, 1)), np.ones(2)]
    for position, value in [
        (0, np.ones((1, 1))), (0, -np.ones((2, 1))), (0, np.full((2, 1), np.inf)), (1, np.ones((2, 2))),
        (1, np.full((2, 1), 1.5)), (1, np.ones((3, 1))), (2, np.ones(3)), (2, np.full(2, np.nan)), (2, -np.ones(2)),
    ]:  # fmt: skip
        yield lambda position=position, value=value: ready.decide(*first[:position], value, *first[position + 1 :])
    yield lambda: native.ListProblem(rows, effort, outside, number, number, False, True, 1.0, 0.0).decide(*first)
    yield lambda: ready.scores(np.array([[0, 3]]), two[:1])
    yield lambda: ready.scores(np.array([[-1, 0]]), two[:1])
    yield lambda: ready.scores(np.array([[0, 1]]), two)
    yield lambda: ready.search(wide[:1], np.array([0]), -1.0)
    yield lambda: ready.search(wide[:, :1].copy(), np.array([0]), -1.0)
    yield lambda: ready.search(wide + 2, np.array([0]), -1.0)
    yield lambda: ready.search(wide, np.array([2]), -1.0)
    yield lambda: ready.search(wide, np.array([-1]), -1.0)
    yield lambda: ready.search(wide, np.array([0, 0]), -1.0)
    yield lambda: ready.search(wide, np.array([0]), 1.0)
    yield lambda: ready.search(wide, np.array([0]), np.nan)
    yield lambda: native.ListSearch()
    yield lambda: ready.search(wide, np.array([0]), -np.inf)
    yield lambda: ready.cut(np.array([2]))
    yield lambda: ready.cut(np.array([-1]))
    yield lambda: ready.cut(np.array([0, 0]))
    yield lambda: ready.exchanged(np.array([0]), 1, np.array([1]), np.empty(1))
    yield lambda: ready.exchanged(np.array([0]), 0, np.array([2]), np.empty(1))
    yield lambda: ready.exchanged(np.array([0, 0]), 0, np.array([1]), np.empty(1))
    yield lambda: ready.exchanged(np.array([0]), 0, np.array([1]), np.empty(2))
    yield lambda: ready.better(np.array([[0, 2]]), 0.0)
    yield lambda: ready.better(np.array([[1, 1]]), 0.0)
    yield lambda: native.dominated(rows, np.empty((2, 3), dtype=np.uint8))
    yield lambda: native.level_bounds(rows, np.ones(3), 4, 1, two, np.empty((2, 2)), np.empty((1, 1)))
    yield lambda: native.level_bounds(rows, np.ones(2), 1, 1, two, np.empty((2, 2)), np.empty((1, 1)))
    yield lambda: native.level_bounds(rows, np.ones(3), 1, 1, two, np.empty((2, 3)), np.empty((1, 1)))
    yield lambda: native.best_order(sets[0], sets[0], False, sets[1], np.empty(4, dtype=np.int64), sets[2], 3)
    yield lambda: native.best_order(sets[0], two, False, sets[1], np.empty(4, dtype=np.int64), sets[2], 2)


def wrong_names(native: ModuleType):
    """Calls that must be refused."""
    reader, data = native.lines_of("trec-run"), b"1 Q0 a 1 2 t\n1 Q0 bc 1 2 t\n"
    reader.feed(block_of(data), len(data), True)
    column = reader.finish()["names"]
    place, bounds, out, none = column.places(), np.array([0, 2]), np.empty(1, dtype=bool), np.zeros(0, dtype=np.int64)
    outside = np.array([1, 2 << 16 | 9], dtype=np.uint64)
    yield lambda: native.repeated_names(bounds, column, outside, out)
    yield lambda: native.repeated_names(bounds, column, np.array([2**63, 0], dtype=np.uint64), out)
    yield lambda: native.repeated_names(np.array([0, 3]), column, place, out)
    yield lambda: native.repeated_names(bounds, column, place, np.empty(2, dtype=bool))
    yield lambda: native.repeated_names(bounds, None, place, out)
    yield lambda: native.name_column(("a",))
    yield lambda: native.number_columns(({"a": 1},))
    ready = native.JudgedNames(np.array([0, 1]), ["a"])
    good = [np.array([0]), np.array([2]), column, place, none, none]
    for position, value in [
        (0, np.array([-1])), (0, none), (1, np.array([3])), (1, none), (2, None), (3, outside), (4, np.array([0])),
        (5, np.array([0])),
    ]:  # fmt: skip
        yield lambda position=position, value=value: ready.find(*good[:position], value, *good[position + 1 :])
    yield lambda: ready.find(*good[:4], np.array([0, 1]), np.array([0, 2]))
    yield lambda: ready.find(*good[:4], np.array([1, 0]), np.array([0, 1]))
    for bounds_of, names in [([0, 2], ["a"]), ([0], ["a"]), ([1, 1], ["a"]), ([0, 2, 1], ["a"]), ([0, 1], ("a",))]:
        yield lambda bounds_of=bounds_of, names=names: native.JudgedNames(np.array(bounds_of), names)
    yield lambda: native.JudgedNames(np.zeros(0, dtype=np.int64), [])
    yield lambda: column.name(2)
    yield lambda: column.has_any(("a",))
    yield lambda: column.has_more(2**40)


def wrong_resamples(native: ModuleType):
    """Calls that must be refused."""
    rows, ranks, out = np.zeros((2, 4)), np.array([0, 3]), np.empty((2, 2))
    yield lambda: native.order_statistics(rows, np.array([0, 4]), out)
    yield lambda: native.order_statistics(rows, np.array([-1, 3]), out)
    yield lambda: native.order_statistics(rows, np.array([3, 0]), out)
    yield lambda: native.order_statistics(rows, ranks, out[:1])
    yield lambda: native.order_statistics(rows, ranks, np.empty((2, 3)))
    yield lambda: native.order_statistics(np.full((2, 4), np.nan), ranks, out)
    yield lambda: native.order_statistics(np.zeros((4, 2)).T, ranks, out)
    value, bounds, least, found = np.ones(3), np.array([0, 1, 3]), np.zeros(2), np.empty(2, dtype=np.int64)
    for place, given in [
        (0, np.array([1.0, np.nan, 1.0])), (0, np.full(3, 1e308)), (0, value[:2].copy()), (1, np.array([0, 4, 3])),
        (1, np.array([1, 2, 3])), (1, np.array([0, 3])), (2, np.zeros(1)), (3, found[:1]),
    ]:  # fmt: skip
        sets = [value, bounds, least, found]
        sets[place] = given
        yield lambda sets=sets: native.extreme_sums(*sets)
    yield lambda: native.extreme_sums(np.ones(41), np.array([0, 41]), np.zeros(1), found[:1])
    columns, signs = np.ones((2, 9)), np.zeros((5, 2), dtype=np.uint8)
    yield lambda: native.extreme_sign_changes(columns, signs[:, :1].copy(), least, found)
    yield lambda: native.extreme_sign_changes(columns, signs, least[:1], found)
    yield lambda: native.extreme_sign_changes(columns, signs, least, found[:1])
    yield lambda: native.extreme_sign_changes(columns, signs.astype(np.int64), least, found)
    whole = [columns, signs, np.array([0]), np.array([1]), np.ones(1), np.ones(1), found[:1].copy(), found[1:].copy()]
    for place, given in [
        (1, signs[:, :1].copy()), (2, np.array([2])), (2, np.array([-1])), (3, np.array([0, 1])), (4, np.ones(2)),
        (5, np.ones(0)), (6, found), (7, np.empty(0, dtype=np.int64)), (7, whole[6]),
    ]:  # fmt: skip
        yield lambda place=place, given=given: native.extreme_pairs(*whole[:place], given, *whole[place + 1 :])


def wrong_documents(native: ModuleType):
    """Calls that must be refused."""
    bounds, document, out = np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32), np.empty(2, dtype=bool)
    wide, retrieved, judged_bounds = document.astype(np.int64), np.empty(2, dtype=np.int64), np.array([0, 1, 2])
    yield lambda: native.repeated_documents(bounds, document, 1, out)  # no such document
    yield lambda: native.repeated_documents(bounds, -document, 2, out)
    yield lambda: native.repeated_documents(bounds[:2], document, 2, out[:1])
    yield lambda: native.repeated_documents(np.array([0, 4, 3]), document, 2, out)
    yield lambda: native.repeated_documents(bounds, document, 2, out[:1])
    yield lambda: native.repeated_documents(bounds, wide, 2, out)
    yield lambda: native.repeated_spans(bounds, document, wide[:2], wide, out)
    hits = [bounds[:-1].copy(), bounds[1:].copy(), document, judged_bounds, wide[:2].copy(), 2, retrieved]
    for place, value in [
        (0, np.array([0, -1])), (0, np.array([0])), (1, np.array([2, 9])), (2, document + 5), (3, np.array([0, 1])),
        (3, np.array([0, 3, 2])), (4, np.array([0, 2])), (4, np.array([0, -2])), (5, 1), (6, retrieved[:1]),
    ]:  # fmt: skip
        yield lambda place=place, value=value: native.judged_hits(*hits[:place], value, *hits[place + 1 :])
    yield lambda: native.covered(wide, wide, wide[:1])
    yield lambda: native.lines_of("xml")
    yield lambda: native.lines_of("trec-run").feed(np.empty(3 + ROOM, dtype=np.uint8), 4, True)
    yield lambda: native.lines_of("trec-run").feed(b"abc", 3, "no", 1)


def wrong_calls(native: ModuleType):
    """Calls that must be refused."""
    i, f = np.array([0, 0, 3]), np.array([0.5, 0.25, 1.0])
    target, weight, out = np.array([0, 1, 1]), np.ones(2), np.empty(3)
    law = np.empty((2, 3))

    def changed(array, where, value):
        copy = array.copy()
        copy[where] = value
        return copy

    yield lambda: native.weighted_law(i, changed(target, 2, 2), f, weight, out)  # no such target
    yield lambda: native.weighted_law(i, changed(target, 2, -1), f, weight, out)
    yield lambda: native.weighted_law(i, changed(target, 2, 2**62), f, weight, out)
    yield lambda: native.weighted_law(i, changed(target, 0, 1), f, weight, out)  # a pair twice
    yield lambda: native.weighted_law(i[::-1].copy(), target, f, weight, out)  # not sorted
    yield lambda: native.weighted_law(i, target, changed(f, 0, 1.5), weight, out)
    yield lambda: native.weighted_law(i, target, changed(f, 0, -1e-9), weight, out)
    yield lambda: native.weighted_law(i, target, changed(f, 0, np.nan), weight, out)
    yield lambda: native.weighted_law(i, target, f[:2], weight, out)
    yield lambda: native.weighted_law(i, target[:2], f, weight, out)
    yield lambda: native.weighted_law(i, target, f, weight[:1], out)  # an event without a weight
    yield lambda: native.weighted_law(i, target, f, np.array([1.0, np.inf]), out)
    yield lambda: native.weighted_law(i, target, f, np.array([1.0, -1.0]), out)
    yield lambda: native.weighted_law(i, target, f, weight, out[:1])
    yield lambda: native.weighted_law(i, target, f, weight, out[:0])
    yield lambda: native.weighted_law(i, target, f, weight, out, 3)
    yield lambda: native.weighted_law(i, target, f, weight, out, -1)
    yield lambda: native.weighted_law(i.astype(np.int32), target, f, weight, out)
    yield lambda: native.weighted_law(i, target, f.astype(np.float32), weight, out)
    yield lambda: native.weighted_law(i, target, f, weight, np.empty(3, dtype=np.float32))
    yield lambda: native.weighted_law(i, target, f, weight, np.empty(6)[::2])  # a view with gaps
    yield lambda: native.weighted_law(i, target, f, weight, law)
    yield lambda: native.weighted_law([0, 0, 3], target, f, weight, out)
    yield lambda: native.weighted_law(None, target, f, weight, out)
    yield lambda: native.weighted_bounds(i, changed(target, 2, 2), f, weight, True, out)  # no such target
    yield lambda: native.weighted_bounds(i, target, f, weight[:1], True, out)
    yield lambda: native.weighted_bounds(i, target, f, weight, False, out[:0])
    yield lambda: native.weighted_bounds(i, target, f, weight, False, weight)  # the same memory
    yield lambda: native.law_over_events(i, target, f, law[:1])
    yield lambda: native.law_over_events(i, target, f, np.empty((2, 1)))
    yield lambda: native.law_over_events(i, target, f, np.empty((2, 0)))
    yield lambda: native.law_over_events(i, target, f, np.asfortranarray(law))
    yield lambda: native.law_of_rows(law, law[:1], np.empty((2, 4)))
    yield lambda: native.law_of_rows(np.zeros((2, 3)), np.ones((2, 3)), np.empty((2, 3)))
    yield lambda: native.law_of_rows(np.full((1, 1), np.nan), np.ones((1, 1)), np.empty((1, 2)))
    yield lambda: native.consulted(i, target, f, weight, False, out, out, out)  # one gap too few
    yield lambda: native.consulted(i, target, f, np.ones(3), False, out[:2], out, out)
    yield lambda: native.consulted(i, target, f, np.ones(3), False, out, out[:2], out)
    yield lambda: native.merge(i, i[:2], i.copy(), i.copy())
    yield lambda: native.merge(i, i, i[:2].copy(), i.copy())
    yield lambda: native.merge(i, f, i.copy(), i.copy())
    yield lambda: native.intersections(i, i, i, i, np.empty((3, 2)))
    yield lambda: native.intersections(i, i, i, i[:1], np.empty((3, 3)))
    text = (i, i, i + 1, np.array([0]), np.array([0, 1]), np.array([0]), np.array([5]), np.empty(3), np.empty(3))
    for place, value in [
        (1, i[:1]), (2, i[:1]), (4, np.array([0])), (4, np.array([0, 2])), (4, np.array([-1, 1])),
        (4, np.array([1, 1])), (5, np.array([5])), (6, np.array([5, 6])), (7, np.empty(2)), (8, np.empty(4)),
    ]:  # fmt: skip
        yield lambda place=place, value=value: native.first_seen(*text[:place], value, *text[place + 1 :])
    two = np.array([0, 5]), np.array([6, 9])
    yield lambda: native.first_seen(i, i, i + 1, np.array([0]), np.array([0, 2]), *two, np.empty(3), np.empty(3))
    yield lambda: native.first_seen(
        i, i, i + 1, np.array([1, 0]), np.array([0, 1, 1]), np.array([0]), np.array([5]), np.empty(3), np.empty(3)
    )
    yield lambda: native.first_seen(
        i, i, i + 1, np.array([0, 1]), np.array([0, 2**62, 1]), np.array([0]), np.array([5]), np.empty(3), np.empty(3)
    )
    one = np.array([0]), np.array([1])
    lists = (np.array([0, 3]), i, i, i + 1, *one, one[0], np.array([0, 1]), one[0], one[1],
             np.empty(3), np.empty(3), i + 2, i + 3)  # fmt: skip
    for place, value in [
        (0, np.array([0, 2])), (0, np.array([1, 3])), (0, np.array([0, 4, 3])), (0, i[:0]), (1, i[:2]), (2, i[:2]),
        (3, np.array([1, 2, 2**62])), (2, np.array([-(2**62), 1, 1])), (4, -one[1]), (4, np.array([2])), (4, i),
        (5, np.array([2])), (5, i), (6, i[:0]), (7, one[0]), (7, np.array([0, 2])), (8, np.array([-(2**62)])),
        (9, one[0]), (9, np.array([2**62])), (10, np.empty(2)), (11, np.empty(4)), (12, i[:2].copy()),
        (13, np.zeros(4, dtype=np.int64)),
    ]:  # fmt: skip
        yield lambda place=place, value=value: native.read_lists(*lists[:place], value, *lists[place + 1 :])
    found = (np.array([0, 3]), f, f + 0, f[:1] + 0, np.array([0.0, 50.0]), np.empty((1, 2)))
    for place, value in [
        (0, np.array([0, 2])), (0, i[:0]), (1, f[:2]), (2, f[:2]), (3, f), (5, np.empty((2, 2))), (5, np.empty((1, 1))),
    ]:  # fmt: skip
        yield lambda place=place, value=value: native.best_precision(*found[:place], value, *found[place + 1 :])
    four = np.zeros((3, 4))
    for place, value in [(1, four[:2]), (1, np.zeros((3, 3))), (3, four[:1]), (4, np.empty(2)), (5, np.empty(4))]:
        boxes = (i, four, i, four, np.empty(3), np.empty(3))
        yield lambda place=place, value=value, boxes=boxes: native.first_seen_areas(
            *boxes[:place], value, *boxes[place + 1 :]
        )
    yield lambda: native.nested_pairs(i, i, i, i, i, i + 1)  # an element without any place
    yield lambda: native.nested_pairs(i, i, i[:2], i, i, i + 1)
    yield lambda: native.unseen_lengths(i, i, i + 1, f[:2], out)
    yield lambda: native.unseen_lengths(i, i, i + 1, f, out[:2])


def shared_memory(native: ModuleType):
    """Calls whose results would go where something is read, and arrays that begin between two numbers."""
    i, f, target = np.array([0, 0, 3]), np.array([0.5, 0.25, 1.0]), np.array([0, 1, 1])
    both = np.ones(5)
    yield lambda: native.weighted_law(i, target, f, both[:2], both[1:4])
    yield lambda: native.weighted_law(i, target, both[2:5], both[:2], both[2:5])
    yield lambda: native.consulted(i, target, f, np.ones(3), False, both[:3], both[1:4], np.empty(3))
    yield lambda: native.law_of_rows(law := np.ones((2, 3)), law, law.reshape(-1)[:6].reshape(2, 3))
    yield lambda: native.merge(i, i + 1, i, i.copy())
    yield lambda: native.merge(i, ends := i + 1, i.copy(), ends)
    yield lambda: native.unseen_lengths(i, i, i + 1, f, f)
    yield lambda: native.unseen_lengths(i, i, i + 1, f, i.view(np.float64))
    yield lambda: native.repeated_documents(np.array([0, 1]), codes := np.zeros(1, np.int32), 1, codes.view(bool)[:1])
    raw = np.zeros(33, dtype=np.uint8)
    unaligned = raw[1:25].view(np.float64), raw[1:25].view(np.int64)
    yield lambda: native.weighted_law(i, target, unaligned[0], np.ones(2), np.empty(3))
    yield lambda: native.weighted_law(i, target, f, np.ones(2), unaligned[0])
    yield lambda: native.covered(unaligned[1], i, i + 1)
    yield lambda: native.numbered_documents(unaligned[1])
    law, rows = small_law(native, 3), np.full((2, 3), 0.5)
    yield lambda: law.walk(rows, rows, rows.reshape(-1)[:2], *np.empty((2, 2)))
    yield lambda: law.walk(rows, rows, both[:2], both[1:3], both[3:5])
    yield lambda: law.of_sets(rows, both[:4], both[1:5], np.empty(4, dtype=np.uint8))
    yield lambda: native.GainLaw(i, np.array([1, 1, 1, 0]), i, i, np.zeros(3), unaligned[0], np.ones(3), 3.0)
    yield lambda: native.ListProblem(rows[:1], unaligned[0][:1], np.zeros((1, 3)), law, law, False, True, 1.0, 0.0)
    ready = native.ListProblem(rows, np.ones(2), np.zeros((2, 3)), law, law, False, True, 1.0, 0.0)
    orders = np.zeros((2, 2), dtype=np.int64)
    yield lambda: ready.scores(orders, orders.view(np.float64)[0])
    yield lambda: ready.search(np.zeros((2, 0), dtype=np.uint8), unaligned[1][:1], -1.0)
    yield lambda: ready.cut(unaligned[1][:1])
    letters = np.zeros(8, dtype=np.uint32)
    yield lambda: native.common_lengths(letters[:2], letters[:4], letters.view(np.int64))
    yield lambda: native.best_span(raw[1:9].view(np.uint32), letters, 4, 2)


def too_far(native: ModuleType) -> None:
    """Whole positions whose differences do not fit are handed back, nothing is computed."""
    ends = np.array([-(2**63)]), np.array([2**63 - 1])
    assert native.intersections(*ends, *ends, np.empty((1, 1))) is False
    zero = np.array([0])
    assert native.first_seen(zero, *ends, zero[:0], zero, zero[:0], zero[:0], np.empty(1), np.empty(1)) is False
    near = np.array([-(2**61)]), np.array([2**61])
    assert native.intersections(*near, *near, np.empty((1, 1))) is True


def everything(native: ModuleType, rounds: int) -> None:
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        random_reach(native, rng)
        random_text(native, rng)
        random_areas(native, rng)
        random_trees(native, rng)
        random_resamples(native, rng)
        random_lists(native, rng)
        random_chains(native, rng)
        random_names(native, rng)
        random_rows(native, rng)
        random_files(native, rng)
        random_documents(native, rng)
        random_span_lines(native, rng)
        random_table_lines(native, rng)
    calls = [*wrong_calls(native), *wrong_documents(native), *wrong_resamples(native), *wrong_names(native)]
    calls += wrong_rows(native)
    calls += [*wrong_lists(native), *wrong_chains(native), *shared_memory(native)]
    for number, call in enumerate(calls):
        try:
            call()
        except (ValueError, TypeError):
            continue
        raise AssertionError(f"call {number} was not refused")
    too_far(native)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import _native

    everything(_native, 150)
    print("all is well")
    sys.exit(0)


# --- the tests -------------------------------------------------------------------------------------------------------

import pytest  # noqa: E402 (the program above does without it)


def test_as_installed():
    from berrypick import kernels

    if kernels._native is None:
        pytest.skip("compiled kernels: they are not installed (no C++ compiler?)")
    everything(kernels._native, 60)


def test_every_kernel_looks_at_the_memory_of_its_arrays():
    source = "".join(file.read_text() for file in SOURCES)
    functions = re.findall(r"\n[\w:<>]+\*? (\w+)\(([^{;]*?)\) \{\n(.*?)\n", source, re.DOTALL)
    taking = {name: first for name, given, first in functions if re.search(r"(?<!const )\b(?:In|Out)2?<\w", given)}
    assert len(taking) > 15 and {"merge", "dominated", "start_search", "make_problem"} <= set(taking)
    assert [name for name, first in taking.items() if "require_apart" not in first and name != "feed"] == []


def _compile(compiler: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([compiler, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def _built_once(config: pytest.Config, module: Path, given: object, build: Callable[[], None]) -> None:
    """Build a module, or take it from the cache of pytest if it has been built from the same with the same."""
    if getattr(config, "cache", None) is None:
        build()
        return
    key = hashlib.sha256(repr((sys.version, given)).encode())
    for path in sorted((ROOT / "native").iterdir()):
        key.update(path.name.encode() + path.read_bytes())
    kept = config.cache.mkdir("sanitized") / key.hexdigest()
    if not kept.exists():
        build()
        for old in kept.parent.iterdir():
            old.unlink(missing_ok=True)
        shutil.copy(module, kept.with_suffix(".part"))
        kept.with_suffix(".part").replace(kept)
    else:
        shutil.copy(kept, module)


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory, pytestconfig) -> tuple[Path, str]:
    """The module built with sanitizers, and the libraries that have to be loaded before Python."""
    compiler = os.environ.get("CXX") or next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if compiler is None:
        pytest.skip("sanitizers: there is no C++ compiler")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        pytest.skip("sanitizers: Python's header files are not installed")
    nanobind = pytest.importorskip("nanobind", reason="sanitizers: nanobind is not installed")
    folder = tmp_path_factory.mktemp("sanitized")
    check = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    (folder / "empty.cpp").write_text("int main() { return 0; }\n")
    if _compile(compiler, *check, folder / "empty.cpp", "-o", folder / "empty").returncode:
        pytest.skip(f"sanitizers: {compiler} has no -fsanitize=address,undefined")
    # the C++ library too: without it the sanitizer cannot follow exceptions in a module that is loaded later
    names = ("libasan.so", "libstdc++.so.6")
    libraries = [_compile(compiler, f"-print-file-name={name}").stdout.strip() for name in names]
    if not all(Path(library).is_absolute() for library in libraries):
        pytest.skip(f"sanitizers: {compiler} has no shared libasan to be loaded before Python")
    source = Path(nanobind.source_dir())
    common = [
        "-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off",
        f"-I{sysconfig.get_path('include')}", "-isystem", nanobind.include_dir(),
        "-isystem", source.parent / "ext" / "robin_map" / "include",
    ]  # fmt: skip
    module = folder / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    strict = ["-O0", "-g1", "-Wall", "-Wextra", "-Werror", "-D_GLIBCXX_ASSERTIONS", *check]
    parts = [
        [*common, "-c", source / "nb_combined.cpp", "-o", folder / "nanobind.o"],
        *([*common, *strict, "-c", file, "-o", folder / f"{file.stem}.o"] for file in SOURCES),
    ]

    def build() -> None:
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda step: _compile(compiler, *step), parts))
        objects = [folder / f"{name}.o" for name in ("nanobind", *(file.stem for file in SOURCES))]
        done.append(_compile(compiler, "-shared", *check, *objects, "-o", module))
        assert not any(step.returncode for step in done), "".join(step.stderr for step in done)

    given = (_compile(compiler, "--version").stdout, nanobind.__version__, common, strict)
    _built_once(pytestconfig, module, given, build)
    return folder, ":".join(libraries)


def test_under_sanitizers(sanitized):
    folder, library = sanitized
    environment = {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",  # Python itself leaves memory behind at its end
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [sys.executable, __file__, str(folder)], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout == "all is well\n"


@pytest.fixture(scope="session")
def threads_check(tmp_path_factory) -> Path:
    """A program that reads files by several threads, and tells of data that two of them use at once."""
    compiler = os.environ.get("CXX") or next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if compiler is None:
        pytest.skip("thread sanitizer: there is no C++ compiler")
    program = tmp_path_factory.mktemp("threads") / "threads_check"
    check = ["-fsanitize=thread", "-g1", "-O1", "-std=c++17", "-pthread"]
    (race := program.with_suffix(".cpp")).write_text(
        "#include <thread>\nint x; int main() { std::thread t([] { ++x; }); ++x; t.join(); }\n"
    )
    if _compile(compiler, *check, race, "-o", program).returncode:
        pytest.skip(f"thread sanitizer: {compiler} has no -fsanitize=thread")
    told = subprocess.run([program], capture_output=True, text=True).stderr
    if "data race" not in told:  # else the tests would prove nothing
        pytest.skip(f"thread sanitizer: it does not run here ({told[:200]})")
    strict = ["-Wall", "-Wextra", "-Werror", "-I", ROOT / "native"]
    done = _compile(compiler, *check, *strict, Path(__file__).with_name("threads_check.cpp"), "-o", program)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("format", ["trec-run", "inex-fol-run"])
def test_threads_under_their_sanitizer(threads_check, tmp_path, format):
    rng = np.random.default_rng(3)
    line = LINES[FORMATS.index(format)]
    good = [line % i for i in rng.integers(0, 2000, 3000)]
    bad = [*good[:2500], b"one two", *good[2500:]]
    for lines, said in ((good, b"3000 rows"), (bad, b"for the plain reader")):
        path = tmp_path / "run"
        path.write_bytes(b"\n".join(lines))
        results = set()
        for threads in (1, 2, 7):
            done = subprocess.run([threads_check, format, path, "700", str(threads)], capture_output=True, timeout=300)
            assert done.returncode == 0, done.stderr.decode()[-4000:]
            results.add(done.stdout)
        assert len(results) == 1 and results.pop().startswith(said)


def test_the_sanitizers_are_awake(sanitized):
    """A read out of bounds in a module built the same way is caught; else the test above would prove nothing."""
    folder, library = sanitized
    compiler = os.environ.get("CXX") or next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))))
    (folder / "bad.cpp").write_text(
        "#include <vector>\n"
        'extern "C" int bad(int i) { std::vector<int> v(3); volatile int* p = v.data(); return p[i]; }\n'
    )
    built = _compile(
        compiler, "-shared", "-fPIC", "-fsanitize=address,undefined", folder / "bad.cpp", "-o", folder / "bad.so"
    )
    assert built.returncode == 0, built.stderr
    program = f"import ctypes; ctypes.CDLL({str(folder / 'bad.so')!r}).bad(3)"
    environment = {**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
