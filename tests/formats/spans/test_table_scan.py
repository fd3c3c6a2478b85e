"""Spans as CSV: the compiled scanner against the plain reader, on good, odd and damaged files."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from comparable_values import told
from drawn_spans import SHAPES, outcome_of, value_of

from berrypick import kernels
from berrypick.data.errors import BerrypickError
from berrypick.files import scan
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_table import SpanTableRun, SpanTableTruth
from berrypick.rows import span_scan

pytestmark = pytest.mark.skipif(kernels._native is None, reason="compiled kernels: they are not installed")

CELLS = ["", " ", "-0", "-0.0", "1e3", "+5", ".5", "5.", "1_0", "nan", "inf", "0x10", "9007199254740993", "-3",
         "true", "1,5", '"', '"5"', "#", "\u00a0", "\u00a0x", "a\nb", "a\rb", "\ufeffa",
         "tab\there", "7" * 40, "None"]  # fmt: skip
FLAT = [shape for shape in SHAPES if not any("." in name or name in ("list", "object", "null") for name in shape)]


def truth_of(path):
    problems = Problems(str(path))
    try:
        truth = told(SpanTableTruth.read(str(path), problems))
    except BerrypickError as error:
        return str(error)
    return truth, list(truth["topics"]), problems.counts


@pytest.fixture
def both(monkeypatch):
    """Whether a file is scanned, and what is read in each way."""

    def compared(path, read):
        used = []
        scan = span_scan.scan_with
        with monkeypatch.context() as patch:
            patch.setattr(span_scan, "scan_with", lambda *given: used.append(scan(*given)) or used[-1])
            fast = read(path)
        with monkeypatch.context() as patch:
            patch.setattr(span_scan, "native", lambda: None)
            plain = read(path)
        assert fast == plain
        return bool(used and used[-1] is not None), fast

    return compared


def run_of(path):
    return outcome_of(SpanTableRun, path)


def table(draw, shape, rows, mark=","):
    out = io.StringIO()
    style = {"quoting": csv.QUOTE_ALL} if draw.random() < 0.3 else {}
    writer = csv.writer(out, delimiter=mark, lineterminator=str(draw.choice(["\n", "\r\n"])), **style)
    writer.writerow(shape)
    for row in range(rows):
        writer.writerow([value_of(name, draw, row) if name != "tag" or row == 0 else "" for name in shape])
    return out.getvalue()


@pytest.mark.parametrize("seed", range(30))
def test_good_tables_are_scanned_to_the_same_run(seed, tmp_path, both, monkeypatch):
    monkeypatch.setattr(scan, "LONG", 0 if seed % 2 else 1 << 16)
    monkeypatch.setattr(scan, "BLOCK", 128 if seed % 3 == 0 else 1 << 18)
    draw = np.random.default_rng(seed)
    shape = [name for name in FLAT[seed % len(FLAT)] if name != "text"]
    mark = "\t" if seed % 5 == 0 else ","
    path = tmp_path / "run.csv"
    path.write_text(("\ufeff" if seed % 4 == 0 else "") + table(draw, shape, 40, mark), newline="")
    scanned, found = both(path, run_of)
    assert not isinstance(found, str) and scanned


@pytest.mark.parametrize("seed", range(6))
def test_texts_of_several_lines_are_scanned(seed, tmp_path, both, monkeypatch):
    monkeypatch.setattr(scan, "BLOCK", 64 if seed % 2 else 1 << 18)
    draw = np.random.default_rng(seed)
    text = [f'Line {row}\n\nand "more",' + "x" * int(draw.integers(0, 200)) for row in range(20)]
    path = tmp_path / "run.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["topic", "doc", "start", "end", "text"])
        writer.writerows([[f"q{row // 5}", "a", row, row + len(one), one] for row, one in enumerate(text)])
    scanned, found = both(path, run_of)
    assert scanned and [found["texts.quoted"][row] for row in range(20)] == text


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("name", ["topic", "doc", "start", "end", "score", "text", "more"])
def test_odd_cells_say_the_same(cell, name, tmp_path, both):
    header = ["topic", "doc", "start", "end", "score", "text", "more"]
    rows = [dict(zip(header, ["1", "a", 1, 9, 0.5, "it", "x"], strict=True)) for _ in range(3)]
    rows[1][name] = cell
    for kept in (header, header[:5], ["more", *header[:4]]):
        out = io.StringIO()
        writer = csv.DictWriter(out, kept, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        for quoted in (out.getvalue(), out.getvalue().replace('"', "")):
            path = tmp_path / "run.csv"
            path.write_text(quoted, newline="")
            both(path, run_of)
            both(path, truth_of)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_tables_say_the_same(seed, tmp_path, both):
    draw = np.random.default_rng(seed)
    data = bytearray(table(draw, FLAT[seed % len(FLAT)], 12).encode())
    for _ in range(int(draw.integers(1, 4))):
        at = int(draw.integers(len(data)))
        if draw.random() < 0.4:
            del data[at : at + int(draw.integers(1, 30))]
        else:
            data[at:at] = bytes(
                draw.choice([b'"', b'""', b"\n", b"\r", b",", b"#", b"\xc3", b"\xef\xbb\xbf", b"\0", b"\n\n#x\n"])
            )
    path = tmp_path / "run.csv"
    path.write_bytes(bytes(data))
    both(path, run_of)


@pytest.mark.parametrize("unit", [("start", "end"), ("start_line", "end_line"), ("start_time", "end_time")])
def test_judged_tables_are_scanned(unit, tmp_path, both):
    rows = [f"q{row // 3},d{row % 4},{2 * row + 1},{2 * row + 5},{row % 2}" for row in range(20)]
    path = tmp_path / "truth.csv"
    path.write_text("\n".join([",".join(["topic", "doc", *unit, "grade"]), *rows]))
    scanned, found = both(path, truth_of)
    assert scanned and not isinstance(found, str)


def test_many_columns_are_read_in_little_time_each(tmp_path, both):
    names = [f"column{number}" for number in range(3000)]
    path = tmp_path / "run.csv"
    path.write_text(
        "\n".join([",".join(["topic", "doc", "start", "end", *names]), ",".join(["1", "a", "0", "9", *["x"] * 3000])])
    )
    scanned, found = both(path, run_of)
    assert scanned and len(found["origin.unread"]) == 3000
