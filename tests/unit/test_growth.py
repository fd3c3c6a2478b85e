"""Readers of JSON whose work would grow faster than the file: what they look for in vain, and what they do again."""

from __future__ import annotations

import json

import numpy as np
import pytest
from counted import calls

import berrypick as bp
from berrypick.core.annotators import merged
from berrypick.core.truth import TopicTruth
from berrypick.formats.io.annotation_export import Mark, _borders, _characters
from berrypick.formats.io.json_files import JsonSource


class Counted(str):
    """A text that counts the characters that are searched in it."""

    searched = 0

    def find(self, word, start=0):
        found = super().find(word, start)
        self.searched += (len(self) if found < 0 else found) - start
        return found


def searched(words, text):
    source = JsonSource(Counted(text))
    for word in words:
        source.line_of(word)
        source.skip()
    return source.text.searched / len(text)


def test_what_is_not_found_is_not_searched_for_ever():
    names = [f"é{i}" for i in range(400)]
    assert searched(names, json.dumps(names)) < 3, "letters may be escaped"
    assert searched(names, json.dumps(names, ensure_ascii=False)) < 3
    assert searched(names, json.dumps(names).replace("u00e9", "u00E9")) < 12, "in a way we do not know"
    assert searched(names, json.dumps(["another"] * 400)) < 12


def squad(ids, **options):
    def question(one):
        return {"id": one, "question": "?", "answers": [{"text": "b", "answer_start": 1}]}

    asked = [question(one) for one in ids]
    value = {"data": [{"title": "1", "paragraphs": [{"document_id": 7, "context": "abc", "qas": asked}]}]}
    return json.dumps(value, indent=1, **options)


@pytest.mark.parametrize("ids", [[7, 1, 11, 111], ["7", "1", "11"], ["é", "ü", "e"], [1, "é", 2], ["a\nb", "c\\"]])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_lines_of_all_kinds_of_names(tmp_path, ids, ascii_only):
    path = tmp_path / "squad.json"
    text = squad(ids, ensure_ascii=ascii_only)
    path.write_text(text)
    truth = bp.read_truth(path)
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip().startswith('"id"')]
    assert [int(truth.topics[str(one)].line[0]) for one in ids] == lines


def test_whole_numbers_are_searched_once():
    text = squad(range(1000, 1400))
    source = JsonSource(text)
    lines = [source.line_of(one, "id") for one in range(1000, 1400)]
    assert lines == [number for number, line in enumerate(text.splitlines(), start=1) if '"id"' in line]
    source = JsonSource(text)
    for one in range(5000, 5400):
        source.line_of(one, "id")
    assert source._left < 0, "and given up where none is found"


def test_annotators_of_different_topics_are_merged_in_one_pass():
    def judged(count):
        one = (("d",), np.ones(1), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
        return {str(i): {str(i): TopicTruth(str(i), *one)} for i in range(count)}

    assert list(merged(judged(5))) == ["0", "1", "2", "3", "4"]
    lengths = []

    class Seen(dict):
        def __contains__(self, name):
            lengths.append(name)
            return super().__contains__(name)

    merged({who: Seen(topics) for who, topics in judged(300).items()})
    assert len(lengths) <= 300


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
