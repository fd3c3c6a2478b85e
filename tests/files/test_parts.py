"""Runs read by one thread, by several, and line by line: the same in every column, and the same error."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import berrypick as bp
from berrypick import formats, kernels
from berrypick.data.columns import LineRange, Packed, PackedColumn, unpacked
from berrypick.data.errors import BerrypickError
from berrypick.data.run import Run
from berrypick.files import scan as _scan
from berrypick.files.line_words import finite, whole_number
from berrypick.formats.base import Problems
from berrypick.formats.inex import inex_fol_run

pytestmark = pytest.mark.skipif(
    kernels._native is None or os.name != "posix", reason="threads read files where the kernels are compiled, on POSIX"
)

FORMATS = {name: cls for name, cls in formats.registered().items() if name in ("trec-run", "inex-fol-run")}
#: Lines that are wrong, or that only the plain reader reads.
ODD = [b"7 Q0", b"1 Q0 d 1 nan t", b"1 Q0 d 1 x t 3 4", b"1 Q0 d 1 2 t -5 4", b"1 Q0 d\xff 1 2 t 3 4",
       b"1 Q0 d 1 2 t 3 4\0", b"\xef\xbb\xbf1 Q0 d 1 2 t 3 4", b"1 Q0 d 1 2 t 1_0 4", b"1 Q0 d 1 2 t /a[1]", b"x" * 300,
       "1 Q0 d\u2003e 1 2 t 3 4".encode()]  # fmt: skip


def content(format: str, draw: random.Random) -> bytes:
    """A run of several topics, each in one stretch or in many, with blank lines, comments and odd ends."""
    kind = draw.choice(["passages", "points", "elements"])
    names = [f"d{i}" for i in range(40)] + ["é", "日本語", "a-much-longer-name-of-a-document"]
    decimals, odd = draw.choice([0, 1, 4, 6, 9]), draw.choice([0, 0, 0.02, 0.9])  # scores of other forms
    far = draw.choice([0, 0, 0.02]) * draw.choice([2**20, 2**31, 2**40])
    lines = []
    for topic in draw.sample(range(100), draw.randint(1, 6)):
        for rank in range(1, draw.randint(1, 60)):
            score = f"{draw.uniform(-9, 9):.{decimals}f}"
            score = score.rstrip("0") + "0" if odd == 0.02 and decimals else score  # as many decimals as it needs
            if draw.random() < odd:
                score = draw.choice(["1e3", "7", "-0.0", "12345678901234567890", ".5", "2147483648", "-2147483648.0"])
            begin = rank * 1000 + int(far * draw.choice([0, 0, 50]))
            place = {
                "passages": draw.choice(["X X", "-1 4", f"{begin} {draw.randint(0, 900)}"]),
                "points": draw.choice(["X", f"{rank * 1000}"]),
                "elements": f"/article[1]/sec[{rank}]",
            }[kind]
            shown = draw.choice([str(rank), str(rank), "1", "none"]) if format == "inex-fol-run" else str(rank)
            words = [str(topic), "Q0", f"{draw.choice(names)}-{rank}", shown, score, "tag"]
            lines.append(draw.choice([" ", " ", "\t", "  "]).join([*words, *([place] if "inex" in format else [])]))
    if draw.random() < 0.3:
        draw.shuffle(lines)
    found = [line.encode() for line in lines]
    for _ in range(draw.choice([0, 0, 3])):
        found.insert(draw.randint(0, len(found)), draw.choice([b"", b"   ", b"# a comment", b" #"]))
    if draw.random() < 0.3:
        found.insert(draw.randint(0, len(found)), draw.choice(ODD))
    end = draw.choice([b"\n", b"\n", b"\r\n"])
    return draw.choice([b"", b"", b"\xef\xbb\xbf"]) + end.join(found) + draw.choice([end, b"", end * 3])


def keep_packed(monkeypatch: pytest.MonkeyPatch, rows: int = 0) -> None:
    """Columns of so many rows, else only those of long files."""
    for module in (_scan, inex_fol_run):
        monkeypatch.setattr(module, "LONG", rows)


def packed(run: Run) -> set[str]:
    """The columns of a run that are packed."""
    return {name for name in ("start", "end", "score", "line") if isinstance(getattr(run, name), PackedColumn)}


def outcome(path: str, format: str) -> dict[str, object] | str:
    """All columns of a run and what was counted; or the error."""
    problems = Problems(path)
    try:
        run = FORMATS[format].read(path, problems)
    except BerrypickError as error:
        return str(error)
    columns = ("bounds", "document", "rank", "start", "end", "score", "line", "path", "path_end")
    values = {name: unpacked(getattr(run, name)) for name in columns}
    found: dict[str, object] = {name: None if value is None else value.tolist() for name, value in values.items()}
    found["score"] = None if run.score is None else unpacked(run.score).tobytes()
    found |= {name: getattr(run, name) for name in ("tag", "topics", "notes")}
    found |= {"task": run.ordering.task, "ties": run.ordering.ties}
    return found | {"documents": list(run.documents), "paths": list(run.paths), "counts": problems.counts}


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("seed", range(40))
def test_any_number_of_threads_reads_the_same(format: str, seed: int, tmp_path: Path, monkeypatch) -> None:
    draw = random.Random(f"{format} {seed}")
    path = tmp_path / "run"
    path.write_bytes(content(format, draw))
    with monkeypatch.context() as patch:
        patch.setattr(_scan, "native", lambda: None)
        plain = outcome(str(path), format)
    monkeypatch.setattr(_scan, "LARGE", 0)
    for threads in (1, 2, 7):
        keep_packed(monkeypatch, draw.choice([0, 0, 1 << 16]))
        monkeypatch.setattr(_scan, "BLOCK", draw.choice([16, 100, 1000, 1 << 18]))
        monkeypatch.setattr(_scan, "_threads", lambda threads=threads: threads)
        assert outcome(str(path), format) == plain, threads


@pytest.mark.parametrize("format", FORMATS)
def test_plain_columns_take_half_the_memory(format: str, tmp_path: Path, monkeypatch) -> None:
    """The comparison above is of two forms: most files are packed, and one line that is odd makes them wide."""
    keep_packed(monkeypatch)
    rows = [f"{i // 50} Q0 d{i} {i % 50} {-i / 8} t{' 5 9' * ('inex' in format)}" for i in range(200)]
    path, held = tmp_path / "run", {}
    odd = rows[-1].replace("-24.875", "-1e3").replace(" 5 9", f" {2**40} 1")
    for name, last in (("plain", rows[-1]), ("odd", odd)):
        path.write_text("\n".join([*rows[:-1], *["# odd"] * (name == "odd"), last]) + "\n")
        held[name] = FORMATS[format].read(str(path), Problems(str(path)))
    assert packed(held["plain"]) == {"score", "line"} | ({"start", "end"} if "inex" in format else set())
    assert not packed(held["odd"])
    assert held["plain"].score.values().tolist() == [-i / 8 for i in range(200)] == held["plain"].score[:].tolist()
    assert held["plain"].line.values().tolist() == [*range(1, 201)] == held["plain"].line[:].tolist()
    assert held["odd"].line.tolist() == [*range(1, 200), 201]
    assert packed(held["plain"].changed(start=np.arange(200), end=np.arange(200) + 1)) == {"score", "line"}


@pytest.mark.parametrize("column", [Packed(np.array([5, 7, 9], dtype=np.int32), 10.0), LineRange(4, 3)])
def test_a_packed_column_says_what_it_can_do(column) -> None:
    values = column.values()
    assert len(column) == 3 and column[1] == values[1] and column[np.array([2, 0])].tolist() == [values[2], values[0]]
    assert column[np.array([True, False, True])].tolist() == [values[0], values[2]] and column[1:].dtype == values.dtype
    for compared in (lambda: column == column, lambda: column == 5, lambda: column != values):
        with pytest.raises(TypeError, match=r"values\(\)"):
            compared()
    assert not hasattr(column, "__array__")


@pytest.mark.parametrize("tied", [False, True])
def test_lines_of_some_rows(tied: bool, tmp_path: Path, monkeypatch) -> None:
    keep_packed(monkeypatch)
    path = tmp_path / "run"
    path.write_text("".join(f"{i // 5} Q0 d{i} 1 {-(i // 2) if tied else -i} t\n" for i in range(20)))
    run = FORMATS["trec-run"].read(str(path), Problems(str(path)))
    rows = np.array([0, 1, 2, 7, 19])
    found = run.line[rows].tolist()
    assert "line" in packed(run) and found == run.line.values()[rows].tolist() == run.line[:][rows].tolist()
    assert (found == [1, 2, 3, 8, 20]) is not tied


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_packed_runs_are_evaluated_as_others(format: str, tied: bool, tmp_path: Path, monkeypatch) -> None:
    """Every digit and note, of files whose scores fall, are tied, or rise; passages overlap, and one is there twice."""
    draw, span = random.Random(f"{format} {tied}"), "inex" in format
    truth, runs = [], {"falls": [], "rises": []}
    for topic in range(8):
        names = draw.sample(range(40), 12)
        truth += [f"{topic} Q0 d{d} 30 500 9 9:30" if span else f"{topic} 0 d{d} {d % 2}" for d in names[:6]]
        for rank, d in enumerate([*names, *names[:9]] if span else names):
            place = f" {draw.randint(0, 60)} {draw.randint(0, 60)}" if span else ""
            score = rank // 3 if tied else rank / 8
            for name, sign in (("falls", -1), ("rises", 1)):
                runs[name].append(f"{topic} Q0 d{d} {rank} {sign * score} {name}{place}")
    (tmp_path / "truth").write_text("\n".join([*truth, ""]))
    for name, lines in runs.items():
        (tmp_path / name).write_text("\n".join([*lines, lines[-1] if span and tied else "# end", ""]))
    found, how = [], {"duplicates": "keep"} if span else {}
    for rows in (1 << 16, 0):
        keep_packed(monkeypatch, rows)
        paths = [tmp_path / name for name in runs]
        ranged = ["line" in packed(FORMATS[format].read(str(path), Problems(str(path)))) for path in paths]
        told = bp.evaluate(tmp_path / "truth", paths, "AiP AgP charR" if span else "AP nDCG@5 EPRUM", **how)
        found.append([repr(one) for one in (told.topic_rows, told.mean_rows, told.notes, told.run_facts)])
        assert ranged[0] == (rows == 0)
    assert found[0] == found[1]


def test_evaluating_leaves_columns_packed(tmp_path: Path, monkeypatch) -> None:
    """Notes and signatures that ask whether there are places must not widen all of them."""
    keep_packed(monkeypatch)
    lines = [f"{topic} Q0 d{d} {d} {9.5 - d} s {topic} {20 + d}\n" for topic in range(60) for d in range(9)]
    (tmp_path / "truth").write_text("".join(f"{topic} Q0 d{topic % 9} 30 500 9 9:30\n" for topic in range(60)))
    (tmp_path / "run").write_text("".join(lines))
    run = bp.read_run(tmp_path / "run")
    bp.evaluate(tmp_path / "truth", run, "AiP AgP")
    assert packed(run) == {"start", "end", "score", "line"}


def test_short_names_are_told_apart_by_their_hashes_alone():
    """Names of up to eight bytes, many of which differ in one byte only, and longer ones."""
    draw = random.Random(2)
    names = [
        "".join(draw.choices("0123456789", k=size)) for size in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12) for _ in range(9000)
    ]
    names += ["".join(draw.choices("01aé日", k=size)) for size in range(1, 9) for _ in range(4000)]
    known, codes = kernels._native.name_column(names).interned()
    first = {name: code for code, name in enumerate(dict.fromkeys(names))}
    assert known.names() == [*first] and codes.tolist() == [first[name] for name in names]


def scanned(format: str, line: bytes) -> dict[str, Any] | None:
    """The columns of a line; None if only the plain reader reads it. Digits follow where nothing may be read."""
    reader = kernels._native.lines_of(format)
    block = np.frombuffer(line + b"123456789.5 7\n" * 5, dtype=np.uint8)
    return reader.finish() if reader.feed(block, len(line), True) == len(line) else None


def test_numbers_are_those_that_python_reads():
    """Any number of digits before and after a point, signs, exponents, and words that are nearly numbers."""
    draw = random.Random(5)
    read = refused = 0
    for _ in range(4000):
        digits = ["".join(draw.choices("0123456789", k=draw.choice([0, 1, 2, 7, 8, 9, 15, 16, 17, 25]))) for _ in "ab"]
        word = draw.choice(["", "", "-", "+"]) + draw.choice([digits[0], ".".join(digits), digits[0] + "e-7"])
        if draw.random() < 0.2:
            place = draw.randint(0, len(word))
            word = word[:place] + draw.choice([".", "-", ":", "/", "x", "_", "e", "\x01"]) + word[place:]
        if word in ("", "-1"):  # -1 as an offset: not located
            continue
        columns, expected = scanned("trec-qrels", f"1 0 d {word}".encode()), finite(word)
        if columns is None:
            refused += 1
            assert expected is None or "_" in word, word
        else:
            read += 1
            assert columns["grade"].tobytes() == np.array([expected]).tobytes(), word
        columns = scanned("trec-run", f"1 Q0 d 1 {word} t".encode())
        assert (columns is None) == (expected is None or "_" in word), word
        if columns is not None:
            score = _scan.Scanned(columns).score
            score = score.values() if isinstance(score, Packed) else score
            assert score.tobytes() == np.array([expected]).tobytes(), word
        columns = scanned("inex-fol-run", f"1 Q0 d 1 2.5 t {word} 7".encode())
        whole = whole_number(word)
        assert columns is None if whole is None else columns is not None and columns["start"].tolist() == [whole], word
    assert read > 1000 and refused > 200


def large_run(path: Path, lines: int = 20_000) -> Path:
    path.write_text("".join(f"{i // 1000} Q0 doc{i * 7919 % 5003}-{i} 1 {-i} tag\n" for i in range(lines)))
    return path


def test_threads_end_before_the_run_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(_scan, "LARGE", 0)
    monkeypatch.setattr(_scan, "_threads", lambda: 7)
    path = large_run(tmp_path / "run")
    tasks = Path("/proc/self/task")
    before = len(list(tasks.iterdir())) if tasks.exists() else 0
    assert bp.read_run(path).size() == 20_000
    assert (len(list(tasks.iterdir())) if tasks.exists() else 0) == before


def test_small_and_compressed_files_are_read_by_one_thread(tmp_path, monkeypatch):
    def refuse() -> int:
        raise AssertionError("threads for a file that is not large, or not plain")

    monkeypatch.setattr(_scan, "_threads", refuse)
    path = large_run(tmp_path / "run")
    assert path.stat().st_size < _scan.LARGE
    expected = bp.read_run(path)
    monkeypatch.setattr(_scan, "LARGE", 0)
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert bp.read_run(packed).line.tolist() == expected.line.tolist()
    with pytest.raises(AssertionError):
        bp.read_run(path)


def test_a_worker_process_reads_with_one_thread():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_scan._threads) == 1


def test_an_interruption_ends_the_reading(tmp_path):
    """Between parts, and not when the whole file has been read."""
    path = large_run(tmp_path / "run")

    class Interruption(Exception):
        pass

    def interrupt(*_: object) -> None:
        if reading.is_set():
            reading.clear()
            raise Interruption

    def read_until_interrupted() -> int:
        lines = kernels._native.lines_of("trec-run")
        ended_by_itself = False
        with path.open("rb") as stream, suppress(Interruption):
            reading.set()
            lines.read_parts(stream.fileno(), 0, path.stat().st_size, 16, 1 << 26, 2)
            ended_by_itself = True
            reading.clear()
        count = len(lines.finish()["line"])
        assert count == 20_000 or not ended_by_itself  # the interruption is raised, not swallowed
        return count

    def send() -> None:
        while not ended.wait(0.002):
            os.kill(os.getpid(), signal.SIGUSR1)

    reading, ended, sender = threading.Event(), threading.Event(), threading.Thread(target=send)
    before = signal.signal(signal.SIGUSR1, interrupt)
    sender.start()
    try:
        read = [read_until_interrupted() for _ in range(20)]  # some interruptions come before the first part
    finally:
        ended.set()
        sender.join()
        signal.signal(signal.SIGUSR1, before)
    assert any(0 < count < 20_000 for count in read)


def test_a_file_that_becomes_shorter_is_left_to_the_plain_reader(tmp_path):
    path = large_run(tmp_path / "run", 100)
    with path.open("rb") as stream:
        lines = kernels._native.lines_of("trec-run")
        assert not lines.read_parts(stream.fileno(), 0, path.stat().st_size + 1, 500, 1 << 26, 2)


def test_a_line_that_is_too_long_is_left_to_the_plain_reader(tmp_path):
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 2 t\n" + "1 Q0 " + "n" * 3000 + " 1 2 t\n" + "1 Q0 b 1 1 t\n")
    with path.open("rb") as stream:
        size = path.stat().st_size
        assert not kernels._native.lines_of("trec-run").read_parts(stream.fileno(), 0, size, 100, 2000, 3)
        assert kernels._native.lines_of("trec-run").read_parts(stream.fileno(), 0, size, 100, 4000, 3)
