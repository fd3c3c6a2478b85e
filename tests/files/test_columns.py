"""Files scanned into columns are what they are read line by line, and bad lines are reported the same way."""

from __future__ import annotations

import copy
import gzip
import itertools
import pickle
import random
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_cases import each

from berrypick.data.assemble import assemble
from berrypick.data.columns import Coded, CodedNames, LateCodes, NameColumn, PackedColumn, unpacked
from berrypick.data.errors import InputError
from berrypick.data.run import repeated_pointers
from berrypick.data.truth import Truth
from berrypick.files import scan as _scan
from berrypick.formats import Problems, by_name
from berrypick.kernels import _native
from berrypick.topics.repeats import repeats_of

needs_native = pytest.mark.skipif(_native is None, reason="the compiled kernels are not installed")

TREC = ["{t} Q0 d{d} {r} {s:.4f} sys"]
FOL = ["{t} Q0 {d} {r} {s:.4f} sys {o} {n}"]


def written(shape: str, lines: int = 60, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [
        shape.format(
            t=1 + i // 20, d=100 + 7 * i, r=1 + i % 20, s=draw.choice([1.5, -2.25, draw.random()]),
            o=draw.randrange(5000), n=draw.randrange(500),
        )
        for i in range(lines)
    ]  # fmt: skip


def both(path: Path, name: str, monkeypatch: pytest.MonkeyPatch, strict: bool = True) -> list[tuple[Any, Any]]:
    """(value or message, what was reported and counted), by lines and by columns in small and large blocks."""
    found = []
    for kernels, block in (("numpy", 1), ("native", 1), ("native", 700), ("native", 1 << 20)):
        monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
        monkeypatch.setattr(_scan, "BLOCK", block)
        problems = Problems(str(path), strict=strict)
        try:
            value: Any = by_name(name).read(str(path), problems)
        except InputError as error:
            value = str(error)
        found.append((value, ([str(error) for error in problems.found], problems.counts)))
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, PackedColumn) or isinstance(b, PackedColumn):
        return same(unpacked(a), unpacked(b))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, Coded | LateCodes):
        return list(a.names) == list(b.names) and np.array_equal(a.codes, b.codes)
    if isinstance(a, Truth):
        return list(a.topics) == list(b.topics) and all(
            same(getattr(a, name), getattr(b, name)) for name in ("topics", "lengths")
        )
    if isinstance(a, Mapping):
        return list(a) == list(b) and all(same(value, b[key]) for key, value in a.items())
    if is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, each.name), getattr(b, each.name)) for each in fields(a))
    return bool(a == b)


def agree(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    for strict in (True, False):
        (value, told), *others = both(path, name, monkeypatch, strict)
        for other, also_told in others:
            assert same(value, other), (value, other)
            assert told == also_told or isinstance(value, str), "nobody asks what was counted before a file was refused"
    return value


def changed(at: int, line: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [*lines[:at], line, *lines[at + 1 :]]


CHANGES: dict[str, Callable[[list[str]], list[str]]] = {
    "as it is": lambda lines: lines,
    "tabs": lambda lines: [line.replace(" ", "\t") for line in lines],
    "aligned": lambda lines: [" " + line.replace(" ", "   ") + "  " for line in lines],
    "one tab": changed(31, "2\tQ0 d9 4 1.5 sys 7"),
    "comment inside": changed(30, "# a b c 1.5 d e f"),
    "blank line": changed(12, "   "),
    "too few columns": changed(33, "2 Q0 d9"),
    "too many columns": changed(33, "2 Q0 d9 4 1.5 sys 1 2 3 4"),
    "bad score": changed(41, "3 Q0 9 4 good sys 5 6"),
    "nan": changed(41, "3 Q0 9 4 nan sys 5 6"),
    "infinite": changed(41, "3 Q0 9 4 inf sys 5 6"),
    "underscore": changed(41, "3 Q0 9 4 1_000 sys 5 6"),
    "not located": changed(5, "1 Q0 9 6 1.5 sys X X"),
    "not located, by number": changed(50, "3 Q0 9 6 1.5 sys -1 80"),
    "plus sign": changed(22, "2 Q0 9 6 1.5 sys +5 80"),
    "minus zero": changed(22, "2 Q0 9 6 1.5 sys -0 80"),
    "zeros in front": changed(22, "2 Q0 9 0006 1.5 sys 007 80"),
    "many zeros in front": changed(22, "2 Q0 9 6 1.5 sys 0000000000000000007 80"),
    "large offset": changed(22, "2 Q0 9 6 1.5 sys 999999999999999 0"),
    "too large offset": changed(22, "2 Q0 9 6 1.5 sys 1000000000000000 0"),
    "larger than any": changed(22, "2 Q0 9 6 1.5 sys 99999999999999999999 0"),
    "rank is a word": changed(22, "2 Q0 9 first 1.5 sys 5 80"),
    "ranks fall": changed(22, "2 Q0 9 1 1.5 sys 5 80"),
    "path": changed(22, "2 Q0 9 1 1.5 sys /article[1]"),
    "wide space": changed(22, "2 Q0 9\u00a0x 1 1.5 sys 5 80"),
    "wide name": changed(22, "2 Q0 Zoë 1 1.5 sys 5 80"),
    "form feed": changed(22, "2 Q0 9\x0cx 1 1.5 sys 5 80"),
    "quotes": changed(22, '2 Q0 "9 1 1.5 sys 5 80'),
    "hash in a name": changed(22, "2 Q0 9#1 1 1.5 sys 5 80"),
    "judged twice": lambda lines: [*lines[:5], lines[3], *lines[5:]],
    "passages overlap": changed(22, "2 Q0 9 20 100 5 0:10 5:10"),
    "passage of length 0": changed(22, "2 Q0 9 10 100 5 0:10 50:0"),
    "passage beyond": changed(22, "2 Q0 9 10 100 5 95:10"),
    "relevant is not the sum": changed(22, "2 Q0 9 11 100 5 0:10"),
    "no passages": changed(22, "2 Q0 9 11 100 5"),
    "entry beyond": changed(22, "2 Q0 9 10 100 500 0:10"),
    "other length": changed(22, "2 Q0 100 0 1"),
    "no colon": changed(22, "2 Q0 9 10 100 5 010"),
    "two colons": changed(22, "2 Q0 9 10 100 5 0:1:0"),
    "sixty seconds": changed(22, "2 Q0 v9 1.60 2.70 1"),
    "ends before it starts": changed(22, "2 Q0 v9 5.00 4.00 1"),
    "jump-in elsewhere": changed(22, "2 Q0 v9 5.00 6.00 5.30 4 1.5 sys"),
    "long minutes": changed(22, "2 Q0 v9 1234567890.00 1234567891.00 1"),
    "point and no seconds": changed(22, "2 Q0 v9 5. 6. 1"),
    "zeros in seconds": changed(22, "2 Q0 v9 5.00000000000000000000 6.1 1"),
    "huge offset": changed(22, "2 9 6 1.5 9007199254740993 1 sys"),
    "digits of another script": changed(22, "2 Q0 9 \u0663 \u0663 sys \u0663 \u0663"),
    "number with a nul": changed(22, "2 Q0 9 6 1.\x005 sys 5 80"),
    "control character": changed(22, "2 Q0 9\x1fx \x01\x02 1.5 sys 5 80"),
    "exponent": changed(22, "2 Q0 9 6 1e-3 sys 5 80"),
    "underflow": changed(22, "2 Q0 9 6 1e-400 sys 5 80"),
    "overflow": changed(22, "2 Q0 9 6 1e400 sys 5 80"),
    "two signs": changed(22, "2 Q0 9 6 +-1 sys 5 80"),
    "hexadecimal": changed(22, "2 Q0 9 6 0x10 sys 5 80"),
    "point alone": changed(22, "2 Q0 9 6 . sys 5 80"),
    "infinity by name": changed(22, "2 Q0 9 6 -Infinity sys 5 80"),
    "very long name": changed(22, "2 Q0 " + "n" * 70_000 + " 6 1.5 sys 5 80"),
    "long name": changed(22, "2 Q0 " + "n" * 65_535 + " 6 1.5 sys 5 80"),
    "topics mixed": lambda lines: lines[::2] + lines[1::2],
    "document twice": lambda lines: [*lines, lines[7]],
}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("trec-run", "{t} Q0 d{d} {r} {s:.4f} sys"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys {o} {n}"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys {o}"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys /article[1]/sec[{o}]/p"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys /article[1]/sec[1] /article[1]/sec[{n}2]"),
        ("trec-qrels", "{t} 0 d{d} {n}"),
        ("inex-fol-truth", "{t} Q0 {d} {n} 9999 {o} {o}:{n}"),
        ("inex-fol-truth", "{t} Q0 {d} 0 {o}"),
        ("mediaeval-qrels", "{t} Q0 v{d} {r}.30 {d}.5 1"),
        ("mediaeval-run", "{t} Q0 v{d} {r}.30 {d}.5 {r}.30 {r} {s:.3f}"),
        ("mediaeval-run", "{t} Q0 v{d} {r}.30 {d}.5 {r} {s:.3f} sys"),
        ("genomics-run", "{t} {d} {r} {s:.3f} {o} {n} sys"),
    ],
)
@needs_native
@each(["change", "end"], itertools.product(CHANGES, ["\n", "\r\n"]))
def test_columns_are_lines(name: str, shape: str, change: str, end: str, tmp_path: Path,
                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = tmp_path / "file.txt"
    path.write_bytes(end.join(CHANGES[change](written(shape))).encode() + end.encode())
    agree(path, name, monkeypatch)


SHAPES = {
    "trec-run": TREC[0],
    "inex-fol-run": FOL[0],
    "trec-qrels": "{t} 0 d{d} {n}",
    "inex-fol-truth": "{t} Q0 {d} {n} 9999 {o} {o}:{n}",
    "genomics-run": "{t} {d} {r} {s:.3f} {o} {n} sys",
    "mediaeval-run": "{t} Q0 v{d} {r}.30 {d}.5 {r} {s:.3f} sys",
}


@needs_native
@pytest.mark.parametrize("name", SHAPES)
def test_bytes_that_are_odd(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = SHAPES[name]
    text = "\n".join(written(shape)).encode()  # no line end at the end
    path = tmp_path / "file.run"
    variants = {
        "byte order mark": b"\xef\xbb\xbf" + text,
        "not text": text.replace(b" 3 ", b" \xff\xfe ", 1),
        "gzip": gzip.compress(text),
        "gzip that breaks off": gzip.compress(text)[:-20],
        "nul": text.replace(b"sys", b"s\x00s", 3),
        "carriage return inside": text.replace(b"sys", b"\r sys", 1),
        "nothing": b"",
        "a line end": b"\n",
        "a mark alone": b"\xef\xbb\xbf",
        "a mark in a later line": text.replace(b"\n", b"\n\xef\xbb\xbf", 1),
        "half a letter at the end": text + b"\xc3",
        "overlong": text.replace(b" 3 ", b" \xc0\xaf ", 1),
        "surrogate": text.replace(b" 3 ", b" \xed\xa0\x80 ", 1),
        "beyond Unicode": text.replace(b" 3 ", b" \xf4\x90\x80\x80 ", 1),
        "the last character": text.replace(b"d1", b"\xf4\x8f\xbf\xbf", 1),
        "Latin-1 in a comment": b"# na\xefve\n" + text,
        "comments and blanks": b"# a\n\n   \n" + text.replace(b"\n", b"\n\n  # x y\n", 4),
        "wide letters": text.replace(b"sys", "s\u00ffs".encode(), 2),
    }
    for variant in variants.values():
        path.write_bytes(variant)
        agree(path, name, monkeypatch)


@needs_native
def test_scores_are_the_same_doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(7)
    words = [repr(draw.uniform(-1, 1) * 10.0 ** draw.randrange(-300, 300)) for _ in range(300)]
    words += ["1e5", ".5", "5.", "+1.25", "1E-320", "4.9e-324"]
    words += ["0.1" + "0" * 30 + "1", "123456789012345678901234567890"]
    words += [f"{draw.random():.25f}" for _ in range(100)]
    path = tmp_path / "file.run"
    path.write_text("".join(f"1 Q0 d{i} {i} {word} sys\n" for i, word in enumerate(words)))
    run = agree(path, "trec-run", monkeypatch)
    assert sorted(run.score.tolist()) == sorted(map(float, words))


WORDS = [
    "1",
    "2",
    "d1",
    "#",
    "0.5",
    "-1",
    "X",
    "7:3",
    "10",
    "Q0",
    "1e3",
    "nan",
    "/a[1]",
    "\u00e9",
    "1_0",
    "\x00",
    "5.30",
    "0",
]


@needs_native
@pytest.mark.parametrize("name", [*SHAPES, "mediaeval-qrels"])
def test_words_at_random(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(name)
    path = tmp_path / "file.txt"
    columns = {"trec-qrels": 4, "trec-run": 6, "genomics-run": 7, "mediaeval-qrels": 6}.get(name, 8)
    for _ in range(150):
        good = written(SHAPES.get(name, "{t} Q0 v{d} {r}.30 {d}.5 1"), 8, draw.random())
        for _ in range(draw.randrange(1, 3)):
            line = draw.choice([" ", "\t", "  "]).join(
                draw.choice(WORDS) for _ in range(columns + draw.randrange(-1, 2))
            )
            good.insert(draw.randrange(len(good)), line)
        path.write_bytes(draw.choice(["\n", "\r\n"]).join(good).encode())
        agree(path, name, monkeypatch)


@needs_native
def test_names_are_a_sequence(tmp_path: Path) -> None:
    import pickle

    path = tmp_path / "file.run"
    names = [f"d{i}" for i in range(3000)] + ["Zo\u00eb"]
    path.write_text("".join(f"1 Q0 {name} 1 {-i} sys\n" for i, name in enumerate(names)), encoding="utf-8")
    found = by_name("trec-run").read(str(path), Problems(str(path))).documents
    assert type(found).__name__ == "Names"
    assert found == names and list(found) == names and len(found) == 3001
    assert found[0] == "d0" and found[-1] == "Zo\u00eb" and found[1:3] == ["d1", "d2"]
    assert "d2999" in found and "d3000" not in found and "\ud800" not in found and 5 not in found
    assert found.codes(["d7", "no", "Zo\u00eb"]).tolist() == [7, -1, 3000]
    assert pickle.loads(pickle.dumps(found)) == names
    with pytest.raises(IndexError):
        found[3001]


def test_ties_are_ordered_by_name_whatever_the_file_order() -> None:
    draw = random.Random(3)
    names = [f"d{draw.randrange(40)}" for _ in range(200)]
    topics = [str(draw.randrange(4)) for _ in names]
    score = np.array([float(draw.randrange(3)) for _ in names])
    run = assemble(tag="", topic=topics, document=names, score=score, order="trec")
    rows = sorted(range(len(names)), key=lambda i: i)
    rows.sort(key=lambda i: names[i], reverse=True)
    rows.sort(key=lambda i: -score[i])
    for topic in run.topics:
        mine = [names[i] for i in rows if topics[i] == topic]
        assert [run.documents[code] for code in run.ranking(topic).document.tolist()] == mine


@pytest.mark.parametrize("kernels", ["numpy", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("kind", ["documents", "spans", "seconds", "elements"])
@pytest.mark.parametrize("count", [3, 40, 300])
def test_repeats_are_repeated_pointers(kind: str, kernels: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    draw = random.Random(5)
    spans = kind in ("spans", "seconds")
    positions = np.float64 if kind == "seconds" else np.int64
    run = assemble(
        tag="",
        topic=[str(draw.randrange(5)) for _ in range(count)],
        document=[f"d{draw.randrange(60 if kind == 'documents' else 6)}" for _ in range(count)],
        start=np.array([draw.choice([-0.0, 0.0, 1, 2]) for _ in range(count)], dtype=positions) if spans else None,
        end=np.array([4 + draw.randrange(3) for _ in range(count)], dtype=positions) if spans else None,
        path=[f"/a[{draw.randrange(9)}]" for _ in range(count)] if kind == "elements" else None,
    )
    for topic, ranking in run.rankings():
        repeated, _ = repeated_pointers(ranking)
        assert np.array_equal(repeats_of(run).get(topic, np.zeros(len(ranking), dtype=bool)), repeated)


def test_names_of_a_file_are_joined_by_their_codes():
    """Whether columns come from one file, from two or from none: the same names in the same rows."""
    known, other = ["a", "b", "c"], ["b", "d"]
    of_file = [
        CodedNames.of([known[i] for i in codes], np.array(codes, np.int32), known) for codes in ([2, 0], [], [0, 1])
    ]
    of_another = CodedNames.of(other, np.array([0, 1]), other)
    for columns in (of_file, [*of_file, of_another], [*of_file, ("e", "a")], [("a",), *of_file], [()], []):
        found = Coded.joined(columns)
        assert [found.names[code] for code in found.codes.tolist()] == [name for column in columns for name in column]
    assert Coded.joined(of_file).names is known


def test_names_with_codes_are_a_tuple_in_all_else():
    names = CodedNames.of(["b", "a"], np.array([1, 0]), ["a", "b"])
    assert names == ("b", "a") and hash(names) == hash(("b", "a"))
    for made in (names[:], names[0:1] + names[1:], pickle.loads(pickle.dumps(names)), copy.deepcopy(names)):
        assert type(made) is tuple and made == names


@pytest.mark.parametrize("order", ["trec", "score", "rank"])
def test_topics_sorted_one_by_one_are_in_the_same_order(order, monkeypatch):
    """With ties, and topics that stand together or not."""
    for seed in range(12):
        draw = np.random.default_rng(seed)
        topic = draw.integers(0, 5, 300).astype(str)
        topic = topic if seed % 3 else np.sort(topic)
        by = draw.integers(0, 40, 300).astype(np.float64)
        columns = {"topic": topic.tolist(), "document": [f"d{draw.integers(0, 200)}" for _ in topic], "score": by}
        found = []
        for long in (1, 32, 1000):
            monkeypatch.setattr("berrypick.data.assemble.LONG", long)
            run = assemble(tag="t", **columns, rank=by, line=np.arange(300), order=order)
            found.append((run.topics, run.bounds.tolist(), run.line.tolist(), run.score.tolist(), run.rank.tolist()))
        assert found[0] == found[1] == found[2]


def test_whole_documents_in_the_order_of_trec():
    """By falling score, then by falling name, then as they stand, whatever kind of sort orders the scores."""
    for seed in range(20):
        draw = np.random.default_rng(seed)
        sizes = draw.integers(40, 90, 3)
        score = draw.choice([0.0, -0.0, 1.5, 2.0, *draw.uniform(0, 3, 40)], int(sizes.sum()))
        names = [f"d{number}" for number in draw.integers(0, 60, len(score))]  # some of them twice
        topic = [f"q{i}" for i, size in enumerate(sizes) for _ in range(size)]
        for given in (names, NameColumn(_native.name_column(names)) if _native else names):
            line = np.arange(len(score))
            run = assemble(tag="", topic=topic, document=given, score=score.copy(), line=line, order="trec")
            falling = {name: -place for place, name in enumerate(sorted(set(names)))}
            expected = sorted(line.tolist(), key=lambda row: (topic[row], -score[row], falling[names[row]], row))
            assert run.line.tolist() == expected
            assert [run.documents[code] for code in run.document] == [names[row] for row in expected]
