"""More marks in a text are more work in proportion, and what is nested is refused."""

from __future__ import annotations

import json

import pytest
from counted_work import calls

import berrypick as bp
from berrypick.formats.annotation.annotation_export import Mark, _borders, _characters


def test_spans_of_one_text_share_its_offsets():
    text = "a\N{GRINNING FACE}é\ud800z" * 50
    units = {"utf16": text.encode("utf-16-le", "surrogatepass"), "bytes": text.encode("utf-8", "surrogatepass")}
    for counting, size in (("utf16", 2), ("bytes", 1)):
        _borders.cache_clear()
        code = "utf-16-le" if size == 2 else "utf-8"
        total = len(units[counting]) // size
        for start in range(total):
            for end in (start + 1, start + 2, start + 7, total, total + 1):
                found = _characters(Mark(start, end, "1"), text, counting)
                if found is not None:
                    inside = text[found[0] : found[1]].encode(code, "surrogatepass")
                    assert inside == units[counting][start * size : end * size]
                    assert len(text[: found[0]].encode(code, "surrogatepass")) == start * size
        assert _characters(Mark(0, total, "1"), text, counting) == (0, len(text))
        assert _characters(Mark(0, total + 1, "1"), text, counting) is None
        assert _characters(Mark(2, 3, "1"), text, counting) is None, "half of a character"
        assert _borders.cache_info().misses == 1


def test_more_spans_of_a_text_are_more_work_in_proportion(tmp_path):
    def work(count):
        spans = [[3 * i + 2, 3 * i + 4, "relevant"] for i in range(count)]
        path = tmp_path / f"{count}.jsonl"
        path.write_text(json.dumps({"text": "😀" + "ab " * count, "label": spans, "topic": 1, "doc": 1}) + "\n")
        return calls(lambda: bp.read_truth(path, "doccano"))

    work(10)
    assert work(400) < 3 * work(200)


def test_what_is_nested_is_named(tmp_path):
    path = tmp_path / "truth.json"
    deep = "[" * 100_000 + "]" * 100_000
    path.write_text(f'{{"target": {deep}, "selector": 1}}\n{{"target": 2, "selector": 1}}\n')
    with pytest.raises(bp.InputError, match=f"{path}:1: is nested too deeply to be read"):
        bp.read_truth(path, "w3c")
