"""Values nested deeper than Python's stack: every reader of JSON refuses them or passes over them, and none ends in a
RecursionError."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from format_samples import sample
from many_cases import at_length

import berrypick as bp
from berrypick import formats
from berrypick.analysis.comparison.saved import is_saved, read_results
from berrypick.documents.texts import read_texts
from berrypick.inputs.topic_table import read_clusters, read_topic_table

#: Stands for the nested value, which json.dumps could not write.
HOLE = "NESTED"


def depths() -> list[int]:
    """Depths that are parsed some calls up from here and fail some calls further down, and one that is never parsed."""
    deepest = 0
    for step in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
        try:
            json.loads("[" * (deepest + step) + "]" * (deepest + step))
            deepest += step
        except RecursionError:
            pass
    return [100_000, deepest - 12, deepest - 8, deepest - 16][: at_length(2, 4)]


def nested() -> list[str]:
    return [one for depth in depths() for one in ("[" * depth + "]" * depth, '{"id": ' * depth + "1" + "}" * depth)]


def with_a_hole(value: Any) -> Iterator[Any]:
    """A value with each of its parts replaced in turn, and one more part in every object."""
    yield HOLE
    if isinstance(value, dict):
        yield {**value, "another": HOLE}
        for key, part in value.items():
            yield from ({**value, key: one} for one in with_a_hole(part))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from ([*value[:i], one, *value[i + 1 :]] for one in with_a_hole(part))


def variants(text: str) -> Iterator[str]:
    """Files with a nested value, of a file of JSON or of JSON Lines."""
    try:
        whole, rest = json.loads(text), ""
    except json.JSONDecodeError:
        first, *others = text.splitlines()
        whole, rest = json.loads(first), "".join(line + "\n" for line in others)
    deep = nested()
    for one in with_a_hole(whole):
        yield from (json.dumps(one).replace(f'"{HOLE}"', value) + "\n" + rest for value in deep)


def refuses_or_reads(read: Any, path: Any) -> None:
    said = str(path)
    try:
        read()
    except bp.BerrypickError as error:
        said = str(error)
    assert str(path) in said


JSON_FORMATS = [cls for cls in formats.registered().values() if sample(cls).lstrip()[:1] in ("{", "[")]


@pytest.mark.slow
@pytest.mark.parametrize("cls", JSON_FORMATS, ids=lambda cls: cls.format_name)
def test_no_format_recurses(cls, tmp_path):
    path = tmp_path / "file.json"
    for text in variants(sample(cls)):
        for content in (text, text + "\n" + text.splitlines()[0]):  # a second line: JSON Lines are tried too
            path.write_text(content)
            refuses_or_reads(lambda: formats.read_any(path, cls.role, cls), path)
            checked = partial(formats.read_any, problems=formats.Problems(str(path), strict=False))
            refuses_or_reads(partial(checked, path, cls.role, cls), path)


SAVED = '[{"run": "a", "topic": "all", "measure": "RR", "value": 1.0, "signature": "x:1"}]'
OTHERS = [
    (read_results, SAVED, "a.json"),
    (read_results, SAVED[1:-1] + "\n" + SAVED[1:-1], "a.jsonl"),
    (is_saved, SAVED, "a.json"),
    (read_texts, '{"doc": "a", "text": "some text"}\n', "a.jsonl"),
    (read_texts, '{"data": [{"title": "a", "paragraphs": [{"context": "b", "qas": []}]}]}', "a.json"),
    (read_topic_table, '{"topic": "1", "kind": "easy"}\n', "a.jsonl"),
    (read_clusters, '{"topic": "1", "kind": "easy"}\n', "a.jsonl"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("read", "text", "name"), OTHERS)
def test_no_other_reader_recurses(read, text, name, tmp_path):
    path = tmp_path / name
    for variant in variants(text):
        path.write_text(variant)
        refuses_or_reads(lambda: read(str(path)), path)


def test_what_is_nested_is_named(tmp_path):
    path = tmp_path / "truth.json"
    deep = "[" * 100_000 + "]" * 100_000
    path.write_text(f'{{"topic": "1", "doc": "d"}}\n{{"topic": "1", "doc": {deep}}}\n')
    with pytest.raises(bp.InputError, match=f"{path}:2: is nested too deeply to be read") as told:
        bp.read_truth(path, "span-truth")
    assert "not JSON" not in str(told.value)  # it is JSON


@pytest.mark.parametrize("wrap", [lambda value: {"a": value}, lambda value: [value]], ids=["dictionaries", "lists"])
def test_values_of_python_that_are_nested_deeply_are_refused(wrap):
    deep = {}
    for _ in range(20_000):
        deep = wrap(deep)
    plain = {"q": {"d": 1}}
    for truth, run in ((deep, plain), (plain, deep), ({"q": deep}, plain), (plain, {"q": deep}), (plain, [deep])):
        with pytest.raises(bp.BerrypickError) as refused:
            bp.evaluate(truth, run, "RR")
        assert len(str(refused.value)) < 500
