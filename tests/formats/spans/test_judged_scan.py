"""Judged spans as JSON Lines: the compiled scanner against the plain reader, on good, odd and damaged files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from comparable_values import told
from odd_json_lines import ODD

from berrypick import kernels
from berrypick.data.errors import BerrypickError
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import SpanTruth
from berrypick.rows import span_scan

pytestmark = pytest.mark.skipif(kernels._native is None, reason="compiled kernels: they are not installed")

SHAPES = [
    ("topic", "doc", "start", "end"),
    ("topic", "doc", "start", "end", "grade"),
    ("grade", "end", "start", "doc", "topic"),
    ("query_id", "doc_id", "start_index", "end_index", "relevance"),
    ("qid", "docno", "char_start", "char_end"),
    ("topic", "doc", "start_line", "end_line", "grade"),
]
#: Lines that no scanner of runs has to look at.
MORE = [
    '{"topic": "1", "doc": "a", "start": 1, "end": 1}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 1, "grade": 0}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "grade": -0}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "grade": -0.0}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "grade": 1001}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "grade": null}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "grade": "high"}',
    '{"topic": "1", "doc": "a", "start": 1.0, "end": 3}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "quote": "it"}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "judged": "whole"}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "offsets": "bytes"}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "annotator": "x"}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "set": "x"}',
    '{"topic": "1", "doc": "a", "start": 1, "end": 3, "kind": "x"}',
    '{"topic": "1", "is_impossible": true}',
    '{"doc": "a", "checksum": "x"}',
    '{"question": "who is it", "doc": "a", "start": 1, "end": 3}',
    '{"question": "who", "doc": "a", "start": 1, "end": 3}',
    '{"query": "who is it", "doc": "a", "start": 1, "end": 3, "grade": 1}',
]


def outcome(path):
    problems = Problems(str(path))
    try:
        truth = told(SpanTruth.read(str(path), problems))
    except BerrypickError as error:
        return str(error)
    return truth, list(truth["topics"]), problems.counts


@pytest.fixture
def both(monkeypatch):
    """Whether a file is scanned, and what is read in each way."""

    def compared(path):
        used = []
        made = span_scan.judged_topics
        with monkeypatch.context() as patch:
            patch.setattr(span_scan, "judged_topics", lambda *given: used.append(found := made(*given)) or found)
            fast = outcome(path)
        with monkeypatch.context() as patch:
            patch.setattr(span_scan, "native", lambda: None)
            assert outcome(path) == fast
        return bool(used and used[-1]), fast

    return compared


def drawn_lines(draw, count):
    shape = SHAPES[int(draw.integers(len(SHAPES)))]
    known = {}
    for row in range(count):
        start = int(draw.integers(1, 50))
        place = (
            str(draw.choice(["a.md", "\u00e9", 'x"y', "\U0001f600", "7"])),
            start,
            start + int(draw.integers(1, 9)),
        )
        topic = row // 5 if draw.random() < 0.8 else f"q{draw.integers(3)}"
        if draw.random() < 0.1 and "start_line" not in shape:
            place = (place[0], place[1] + 0.5, place[2])
        values = {"doc": place[0], "start": place[1], "end": place[2], "grade": float(draw.choice([0, 0.5, 1, 2, -1]))}
        ours = ("topic", "doc", "start", "end", "grade")
        names = shape if "start" in shape else dict(zip(ours, shape, strict=False)).values()
        record = dict(zip(names, [({"topic": topic} | values)[one] for one in (shape if "start" in shape else ours)],
                          strict=False))  # fmt: skip
        known.setdefault((topic, *place), json.dumps(record, ensure_ascii=draw.random() < 0.5))
    return [*known.values()]


def test_good_files_are_scanned_to_the_same_truth(tmp_path, both):
    for seed in range(60):
        draw = np.random.default_rng(seed)
        lines = drawn_lines(draw, int(draw.integers(1, 60)))
        lines.insert(int(draw.integers(1, len(lines) + 1)), str(draw.choice(["", "  \t", "# a comment"])))
        path = tmp_path / f"{seed}.jsonl"
        path.write_bytes(str(draw.choice(["\n", "\r\n"])).join(lines).encode())
        scanned, found = both(path)
        assert scanned and not isinstance(found, str)


@pytest.mark.parametrize("odd", [*ODD, *MORE], ids=[line[:70] for line in [*ODD, *MORE]])
def test_odd_lines_say_the_same(odd, tmp_path, both):
    good = ['{"topic": "1", "doc": "a", "start": 1, "end": 3}', '{"topic": "2", "doc": "b", "start": 1, "end": 3}']
    graded = [line.replace("}", ', "grade": 2}') for line in good]
    cases = ([odd], [odd, good[1]], [good[0], odd, good[1]], [*good, odd], [graded[1], odd], [odd, *graded])
    for place, lines in enumerate(cases):
        path = tmp_path / f"{place}.jsonl"
        path.write_text("\n".join(lines) + "\n")
        both(path)


def test_damaged_files_say_the_same(tmp_path, both):
    for seed in range(60):
        draw = np.random.default_rng(seed)
        data = bytearray("\n".join(drawn_lines(draw, 12)).encode())
        for _ in range(int(draw.integers(1, 4))):
            at = int(draw.integers(len(data)))
            if draw.random() < 0.5:
                del data[at : at + int(draw.integers(1, 30))]
            else:
                data[at] = int(draw.choice([0, 9, 10, 13, 34, 44, 48, 49, 58, 92, 123, 125, 0xC3, 0xFF]))
        path = tmp_path / "truth.jsonl"
        path.write_bytes(bytes(data))
        both(path)
