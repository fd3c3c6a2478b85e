"""Spans as JSON Lines: the compiled scanner against the plain reader, on good, odd and damaged files."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from drawn_spans import SHAPES, nested, outcome_of, value_of
from odd_json_lines import ODD

from berrypick import kernels
from berrypick.files import scan
from berrypick.formats.spans.span_run import SpanRun
from berrypick.rows import span_scan
from berrypick.rows.json_lines import positions

pytestmark = pytest.mark.skipif(kernels._native is None, reason="compiled kernels: they are not installed")


def outcome(path):
    """What is read of a file, or what is said of it."""
    return outcome_of(SpanRun, path)


@pytest.fixture(params=[0, 1 << 16], ids=["packed", "not packed"], autouse=True)
def long(monkeypatch, request):
    """Rows of columns that stay packed."""
    monkeypatch.setattr(scan, "LONG", request.param)


@pytest.fixture
def both(monkeypatch):
    """What the scanner makes of a file (None: it is left to the plain reader), and what is read in each way."""

    def compared(path):
        used = []
        scan = span_scan.scan_with
        with monkeypatch.context() as patch:
            patch.setattr(span_scan, "scan_with", lambda *given: used.append(scan(*given)) or used[-1])
            fast = outcome(path)
        with monkeypatch.context() as patch:
            patch.setattr(span_scan, "native", lambda: None)
            plain = outcome(path)
        assert fast == plain
        return bool(used and used[-1] is not None), fast

    return compared


def drawn_lines(draw, count):
    shape = SHAPES[int(draw.integers(len(SHAPES)))]
    made = []
    for row in range(count):
        names = list(shape)
        if draw.random() < 0.1:
            draw.shuffle(names)
        record = {n: value_of(n.rpartition(".")[2], draw, row) for n in names if n != "tag" or row == 0}
        made.append(json.dumps(nested(record), ensure_ascii=draw.random() < 0.5, indent=None))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_good_files_are_scanned_to_the_same_run(seed, tmp_path, both):
    draw = np.random.default_rng(seed)
    lines = drawn_lines(draw, int(draw.integers(1, 60)))
    for _ in range(int(draw.integers(0, 3))):
        lines.insert(int(draw.integers(len(lines) + 1)), str(draw.choice(["", "  \t", "# a comment", " # another"])))
    end = str(draw.choice(["\n", "\r\n", " \n"]))
    path = tmp_path / "run.jsonl"
    path.write_bytes((b"\xef\xbb\xbf" if draw.random() < 0.2 else b"") + end.join(lines).encode() + b"\n" * (seed % 2))
    scanned, found = both(path)
    assert scanned and not isinstance(found, str)


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD, ids=[line[:60] for line in ODD])
def test_odd_lines_say_the_same(odd, tmp_path, both):
    good = '{"topic": "1", "doc": "a", "start": 1, "end": 3}'
    texts = '{"topic": "1", "doc": "a", "start": 1, "end": 3, "text": "it"}'
    unnamed = '{"topic": "1", "text": "it"}'
    files = [[odd], [odd, good], [good, odd, good], [good, good, odd], [texts, odd, texts], [unnamed, odd, unnamed]]
    for place, lines in enumerate(files):
        path = tmp_path / f"{place}.jsonl"
        path.write_text("\n".join(lines) + "\n")
        both(path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_damaged_files_say_the_same(seed, tmp_path, both):
    draw = np.random.default_rng(seed)
    data = bytearray("\n".join(drawn_lines(draw, 12)).encode())
    for _ in range(int(draw.integers(1, 4))):
        at = int(draw.integers(len(data)))
        kind = int(draw.integers(3))
        if kind == 0:
            del data[at : at + int(draw.integers(1, 30))]
        elif kind == 1:
            data[at] = int(draw.choice([0, 9, 10, 13, 34, 44, 58, 92, 123, 125, 0xC3, 0xED, 0xFF]))
        else:
            data[at:at] = bytes(draw.choice([b'"', b"\\", b"\\u12", b"\n", b"{", b"1", b"-", b"null", b"\xef\xbb\xbf"]))
    path = tmp_path / "run.jsonl"
    path.write_bytes(bytes(data))
    both(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ("topic", "text"),
        ("text", "rank", "topic"),
        ("topic", "tag", "text", "score"),
        ("topic", "text", "rank", "null"),
    ],
)
def test_texts_without_a_document_are_scanned(names, tmp_path, both):
    path, scans = tmp_path / "run.jsonl", 0
    for seed in range(12):
        draw = np.random.default_rng(seed)
        lines = [{name: value_of(name, draw, row) for name in names} for row in range(9)]
        for line in lines:
            line["text"] = line["text"] if seed % 3 == 0 or line["text"].strip() else "more"
        if seed % 5 == 0:
            lines.insert(seed % 4, {**lines[0], "doc": "a"})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        scanned, found = both(path)
        if scanned and not isinstance(found, str):
            scans += found["document"] == [""] * 9 and len(found["texts.quoted"]) == 9
    assert scans >= 6


@pytest.mark.parametrize("text", ["", " \t", "\u00a0\u2003", None, 7, {"a": 1}], ids=str)
def test_a_text_that_says_nothing_is_left_to_the_plain_reader(text, tmp_path, both):
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"topic": "1", "text": one}) + "\n" for one in ("some", text, "more")))
    _, found = both(path)
    assert isinstance(found, str) or found["counts"] or len(found["texts.quoted"]) < 3 or found["document"] != [""] * 3


@pytest.mark.slow
def test_blocks_end_anywhere(tmp_path, both, monkeypatch):
    monkeypatch.setattr("berrypick.files.scan.BLOCK", 128)
    lines = drawn_lines(np.random.default_rng(1), 400)
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert both(path)[0]


def test_what_is_not_read_is_said_in_the_order_of_the_file(tmp_path, both):
    path = tmp_path / "run.jsonl"
    first = '{"qid": "1", "docid": "a", "late": "", "model": "", "_x": 1}'
    second = '{"qid": "1", "docid": "b", "late": true, "model": "m"}'
    path.write_text(f"{first}\n{second}\n")
    scanned, found = both(path)
    assert scanned and found["origin.unread"] == ("late", "model")


def test_positions_of_lists_stay_exact():
    assert positions([2**53 + 1]).tolist() == [2**53 + 1]
    assert [positions(np.array(one)).dtype.kind for one in ([1.0, 2.0], [1.0, 2.5])] == ["i", "f"]
