"""What formats declare as literals: read from their files without import, necessary for sniff, and a complete order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest
from format_samples import sample
from format_shapes import json_forms, shapes

import berrypick as bp
from berrypick import formats
from berrypick.files.files import head
from berrypick.formats import Format

DOCS = Path(__file__).parents[2] / "docs" / "examples"
DEFINITIONS = formats.registry.definitions()
CLASSES = {name: formats.registry.load(one) for name, one in DEFINITIONS.items()}
#: What the index holds of a class, and the base class has a default for.
LITERALS = ("aliases", "begins", "marks", "words", "before", "usual")
METHODS = ("sniff_columns", "sniff_folder")

#: Contents that formats recognise by what they lack, or that two of them recognise.
RARE = {
    "topics without results": '{"q1": {}, "q2": {}}',
    "topics without results, with blanks": '{"q1":{ } , "q2":{\t}}',
    "topics without results, on lines": '{"q1":\n{\n}\n}',
    "a response without hits": '{"q1": [[]]}',
    "a response without hits, on lines": '{"q1":[\n[\n]\n]}',
    "Qdrant without hits": '{"q1": {"result": {"points": []}, "status": "ok", "time": 0.1}}',
    "Vespa cut down": '{"q1": {"root": {"children": [{"id": "a", "fields": {"text": "Cut old canes."}}]}}}',
    "Gemini cut down": '{"q1": {"groundingChunks": [{"retrievedContext": {"text": "Cut.", "title": "a"}}]}}',
    "a failed query": '{"topic": "q1", "status": 400, "error": "bad request"}',
    "LangChain.js": '[{"question": "When?", "context": [{"pageContent": "Cut.", "metadata": {"source": "a"}}]}]',
    "Langfuse": '[{"id": "t", "timestamp": "2026", "sessionId": null, "release": null, "output": []}]',
    "MLflow": '{"info": {"trace_metadata": {}}, "data": {"spans": []}}',
    "a list of judgements": '[{"topic": "1", "doc": "a", "start": 1, "end": 2}]',
    "a line of HotpotQA": '{"_id": "q", "question": "Which?", "context": [["a"]], "supporting_facts": [["a", 0]]}',
    "a line of LoCoMo": '{"sample_id": "s", "question": "When?", "evidence": ["D1:3"], "retrieved_ids": ["D1:3"]}',
    "Label Studio": '[{"topic": "q", "doc": "a", "page": 2, "label": [{"x": 1.0}], "annotation_id": 4}]',
}


def names_after(name: str) -> set[str]:
    """Return the formats that are asked after one by declaration, directly or by way of others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = {*CLASSES[waiting.pop()].before} - found
        found |= new
        waiting += new
    return found


def spaced(text: str) -> str:
    """Return lines of JSON with blanks around every colon and comma, where each line is a value."""
    try:
        return "".join(json.dumps(json.loads(line), separators=(" , ", " : ")) + "\n" for line in text.splitlines())
    except ValueError:
        return text


def contents() -> dict[str, bytes]:
    """Return the content of every sample, shape and example, as people also have it: with a mark, blanks, and so on."""
    texts: dict[str, str] = {name: sample(cls) for name, cls in CLASSES.items()}
    texts |= {f"{name}, {form}": one for name, text in texts.items() for form, one in json_forms(text).items()}
    found = {name: one.encode() for name, one in (texts | RARE).items()}
    for name, shape in shapes().items():
        inner = shape if isinstance(shape, dict) else {"": shape}
        found |= {f"{name} {file}": one if isinstance(one, bytes) else one.encode() for file, one in inner.items()}
    found |= {str(path): path.read_bytes() for path in DOCS.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    return found


def odd_forms(content: bytes) -> Iterator[bytes]:
    yield content
    yield b"\xef\xbb\xbf" + content
    yield b" \t " + content
    yield content.replace(b"\n", b"\r\n")
    try:
        text = content.decode()
    except ValueError:
        return
    yield text.encode("utf-16")
    yield spaced(text).encode()


@pytest.fixture(scope="module")
def first_lines(tmp_path_factory) -> dict[str, list[str]]:
    """Return the first lines of every content in every form."""
    path = tmp_path_factory.mktemp("contents") / "content"
    found = {}
    for name, content in contents().items():
        for number, form in enumerate(odd_forms(content)):
            path.write_bytes(form)
            with suppress(bp.InputError):  # a packed file
                if lines := head(str(path)):
                    found[f"{name} ({number})"] = lines
    return found


@pytest.mark.parametrize("literal", LITERALS)
def test_the_index_and_the_class_agree(literal):
    """A class does not inherit what decides whether its file is loaded: the index would not know."""
    read = {name: one.facts.get(literal, getattr(Format, literal)) for name, one in DEFINITIONS.items()}
    assert read == {name: getattr(cls, literal) for name, cls in CLASSES.items()}


def test_every_class_states_its_role():
    assert {name: one.facts["role"] for name, one in DEFINITIONS.items()} == {k: one.role for k, one in CLASSES.items()}


@pytest.mark.parametrize("method", METHODS)
def test_the_index_knows_who_has_a_method(method):
    base = getattr(Format, method).__func__
    having = {name for name, cls in CLASSES.items() if getattr(cls, method).__func__ is not base}
    assert {name for name, one in DEFINITIONS.items() if method in one.facts} == having != set()


def test_what_is_declared_is_necessary(first_lines):
    """Whatever sniff recognises agrees with begins, marks and words, or the file would not be loaded to ask."""
    lost = [
        f"{name}: {sample_name}"
        for sample_name, lines in first_lines.items()
        for name, cls in CLASSES.items()
        if cls.sniff(lines) and not cls.recognises(lines)
    ]
    assert lost == []


def test_an_order_is_declared_of_known_formats():
    for name, cls in CLASSES.items():
        assert {*cls.before} <= {*CLASSES}, name
        assert name not in names_after(name), f"{name} is before itself"


def test_formats_are_asked_in_the_declared_order():
    asked = [one.facts["format_name"] for one in formats.in_order(DEFINITIONS)]
    assert sorted(asked) == sorted(CLASSES)
    for name in CLASSES:
        assert all(asked.index(name) < asked.index(later) for later in names_after(name)), name


def test_the_order_of_formats_of_one_role_is_declared_where_two_recognise_a_file(first_lines):
    open_pairs: dict[tuple[str, str], str] = {}
    for sample_name, lines in first_lines.items():
        found = [name for name, cls in CLASSES.items() if cls.recognises(lines)]
        for one, other in combinations(found, 2):
            declared = other in names_after(one) or one in names_after(other)
            if CLASSES[one].role == CLASSES[other].role and not declared:
                open_pairs.setdefault((one, other), sample_name)
    assert open_pairs == {}, "declare before in one of each pair"


def test_no_two_formats_of_one_role_recognise_a_folder_without_an_order(tmp_path):
    folders = {name: shape for name, shape in shapes().items() if isinstance(shape, dict)}
    asked = {name: cls for name, cls in CLASSES.items() if "sniff_folder" in DEFINITIONS[name].facts}
    for number, (name, files) in enumerate(folders.items()):
        for file, text in files.items():
            path = tmp_path / str(number) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = [one for one, cls in asked.items() if cls.sniff_folder(str(tmp_path / str(number)))]
        for one, other in combinations(found, 2):
            same = asked[one].role == asked[other].role
            assert not same or other in names_after(one) or one in names_after(other), (name, one, other)


def test_names_decide_where_the_order_is_open():
    """Only there: a format that is declared to come first does, whatever its name."""

    def defined(name: str, *before: str) -> Any:
        return formats.Definition("", "", {"format_name": name, "before": before})

    known = {one.facts["format_name"]: one for one in (defined("a"), defined("b"), defined("c"), defined("z", "b"))}
    assert [one.facts["format_name"] for one in formats.in_order(known)] == ["a", "c", "z", "b"]
    with pytest.raises(ValueError, match="cycle"):
        [*islice(formats.in_order({"a": defined("a", "b"), "b": defined("b", "a")}), 1)]
