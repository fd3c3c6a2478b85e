"""Large files read as columns are what they are read line by line, and bad lines are told the same way."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from berrypick.core.errors import InputError
from berrypick.core.run import Run, assemble, repeated_pointers
from berrypick.core.truth import Truth
from berrypick.formats import Problems, _columns, by_name

pytest.importorskip("polars")

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
    """(value or message, what was reported and counted), by lines and by columns in small blocks."""
    found = []
    for large, block in ((1 << 60, 1 << 20), (0, 700), (0, 1 << 20)):
        monkeypatch.setattr(_columns, "LARGE", large)
        monkeypatch.setattr(_columns, "BLOCK", block)
        problems = Problems(str(path), strict=strict)
        try:
            value: Any = by_name(name).read(str(path), problems)
        except InputError as error:
            value = str(error)
        found.append((value, ([str(error) for error in problems.found], problems.counts)))
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, Run):
        return all(same(getattr(a, name), getattr(b, name)) for name in Run.__dataclass_fields__)
    if isinstance(a, Truth):
        assert list(a.topics) == list(b.topics)
        return all(
            same(getattr(topic, name), getattr(b.topics[key], name))
            for key, topic in a.topics.items()
            for name in type(topic).__dataclass_fields__
        )
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
    "topics mixed": lambda lines: lines[::2] + lines[1::2],
    "document twice": lambda lines: [*lines, lines[7]],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("trec-run", "{t} Q0 d{d} {r} {s:.4f} sys"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys {o} {n}"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys {o}"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys /article[1]/sec[{o}]/p"),
        ("inex-fol-run", "{t} Q0 {d} {r} {s:.4f} sys /article[1]/sec[1] /article[1]/sec[{n}2]"),
        ("trec-qrels", "{t} 0 d{d} {n}"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_are_lines(name: str, shape: str, change: str, end: str, tmp_path: Path,
                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = tmp_path / "file.txt"
    path.write_bytes(end.join(CHANGES[change](written(shape))).encode() + end.encode())
    agree(path, name, monkeypatch)


@pytest.mark.parametrize("name", ["trec-run", "inex-fol-run"])
def test_bytes_that_are_odd(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = TREC[0] if name == "trec-run" else FOL[0]
    text = "\n".join(written(shape)).encode()  # no line end at the end
    path = tmp_path / "file.run"
    variants = {
        "byte order mark": b"\xef\xbb\xbf" + text,
        "not text": text.replace(b" 3 ", b" \xff\xfe ", 1),
        "gzip": gzip.compress(text),
        "gzip that breaks off": gzip.compress(text)[:-20],
        "nul": text.replace(b"sys", b"s\x00s", 3),
        "carriage return inside": text.replace(b"sys", b"\r sys", 1),
    }
    for variant in variants.values():
        path.write_bytes(variant)
        agree(path, name, monkeypatch)


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


def test_small_files_do_not_import_polars(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = tmp_path / "file.run"
    path.write_text("\n".join(written(TREC[0])))
    code = f"import sys, berrypick as bp; bp.read_run({str(path)!r}); sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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


def test_repeats_are_repeated_pointers() -> None:
    draw = random.Random(5)
    count = 300
    run = assemble(
        tag="",
        topic=[str(draw.randrange(5)) for _ in range(count)],
        document=[f"d{draw.randrange(6)}" for _ in range(count)],
        start=np.array([draw.randrange(4) for _ in range(count)]),
        end=np.array([4 + draw.randrange(3) for _ in range(count)]),
    )
    for topic, ranking in run.rankings():
        repeated, _ = repeated_pointers(ranking)
        assert np.array_equal(run.repeats.get(topic, np.zeros(len(ranking), dtype=bool)), repeated)
