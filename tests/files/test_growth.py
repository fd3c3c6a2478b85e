"""Readers of JSON whose work would grow faster than the file: what they look for in vain, and what they do again."""

from __future__ import annotations

import json

from berrypick.files.json_files import JsonSource
from berrypick.formats.spans.span_truth import _TOKENS, line_names


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


def test_whole_numbers_are_searched_once():
    text = squad(range(1000, 1400))
    source = JsonSource(text)
    lines = [source.line_of(one, "id") for one in range(1000, 1400)]
    assert lines == [number for number, line in enumerate(text.splitlines(), start=1) if '"id"' in line]
    source = JsonSource(text)
    for one in range(5000, 5400):
        source.line_of(one, "id")
    assert source._left < 0, "and given up where none is found"


def test_a_string_that_a_cut_leaves_open_is_one_token():
    """Each of its escaped quotes would else begin a string that goes to the end of the line."""
    for end in ("", "\\"):
        line = '{"topic": 1, "a": "' + '\\"' * 20_000 + end
        assert line_names(line) == ["topic", "a"]
        assert [len(token[0]) for token in _TOKENS.finditer(line)][-1] == 40_001 + len(end)
    assert line_names('{"a\\"b": "c", "d": ["e"], "f": {"g": 1}}') == ['a\\"b', "d", "f"]
