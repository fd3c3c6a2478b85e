"""A name that a JSON object has twice is an error with its line in whatever is read; Python would keep the last one."""

import json

import pytest

import berrypick as bp
from berrypick.analysis.comparison.saved import read_results
from berrypick.documents.texts import read_texts
from berrypick.files.strict_json import RepeatedName, strict_json

TRUTH = '{"topic": "1", "doc": "a", "start": 0, "end": 5}\n'
SPAN = '{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 2}\n'
SQUAD = {"data": [{"title": "t", "paragraphs": [{"context": "Pick dry.", "qas": [
    {"id": "q", "question": "?", "answers": [{"text": "dry", "answer_start": 5}]}]}]}]}  # fmt: skip


def twice(text: str, name: str, value: str) -> str:
    """The text with one name given once more, in a line of its own, before it stands."""
    assert f'"{name}":' in text
    return text.replace(f'"{name}":', f'"{name}": {value},\n"{name}":', 1)


def line_twice(text: str, name: str, value: str) -> str:
    return text + twice(text, name, value).replace("\n", " ", 1)


LINES = {
    "span-truth": (bp.read_truth, line_twice(TRUTH, "start", "3")),
    "span-run": (bp.read_run, line_twice(SPAN, "end", "900")),
    "document lengths": (bp.read_collection, line_twice('{"doc": "a", "length": 5}\n', "length", "50")),
    "documents": (read_texts, line_twice('{"doc": "a", "text": "Pick dry."}\n', "text", '"Cut."')),
    "prodigy": (bp.read_truth, line_twice('{"topic": "1", "doc": "a", "offset": 0, "text": "Pick dry.", '
                                          '"spans": [{"start": 5, "end": 8, "label": "A"}], '
                                          '"answer": "accept"}\n', "answer", '"reject"')),
    "doccano": (bp.read_truth, line_twice('{"topic": "1", "doc": "a", "offset": 0, "text": "Pick dry.", '
                                          '"label": [[5, 8, "A"]]}\n', "offset", "3")),
    "saved results": (read_results, line_twice('{"run": "a", "topic": "all", "measure": "AP", "value": 0.5, '
                                               '"signature": ""}\n', "value", "0.9")),
}  # fmt: skip
WHOLE = {
    "squad": (bp.read_truth, twice(json.dumps(SQUAD), "answer_start", "0")),
    "topic dictionary": (bp.read_run, '{"q": {"a": 2.0},\n"q": {"b": 1.0}}'),
    "truth dictionary": (bp.read_truth, '{"q": {"a": 2,\n"a": 0}}'),
    "search-hits": (bp.read_run, '{"q": {"hits": {"hits": [{"_id": "1", "_score": 2, "_source": '
                                 '{"source": "a", "start": 0,\n"start": 7, "text": "x"}}]}}}'),
    "label-studio": (bp.read_truth, twice(json.dumps([{"id": 1, "data": {"text": "Pick dry."}, "annotations": [
        {"result": [{"type": "labels", "value": {"start": 5, "end": 8, "labels": ["A"]}}]}]}]), "start", "0")),
    "web annotation": (bp.read_truth, twice(json.dumps({
        "@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation", "body": {"value": "1"}, "target": {
            "source": "a", "selector": {"type": "TextPositionSelector", "start": 0, "end": 3}}}), "start", "1")),
    "legalbench-rag": (bp.read_truth, twice(json.dumps({"tests": [{"query": "x", "snippets": [
        {"file_path": "a.txt", "span": [1, 2], "answer": "y"}]}]}), "span", "[0, 1]")),
    "saved results": (read_results, '[{"run": "a", "topic": "all", "measure": "AP", "value": 0.5,\n"value": 0.9}]'),
}  # fmt: skip


@pytest.mark.parametrize("what", LINES)
def test_in_lines(tmp_path, what):
    read, text = LINES[what]
    path = tmp_path / "given.jsonl"
    path.write_text(text)
    with pytest.raises(bp.InputError, match=r"given\.jsonl:2: the name '\w+' is given twice in one object"):
        read(path)
    path.write_text(text.splitlines()[0] + "\n")
    read(path)


@pytest.mark.parametrize("what", WHOLE)
def test_in_one_value(tmp_path, what):
    read, text = WHOLE[what]
    path = tmp_path / "given.json"
    path.write_text(text)
    with pytest.raises(bp.InputError, match=r"given\.json:2: the name '\w+' is given twice in one object"):
        read(path)


def test_in_a_cell_of_a_table(tmp_path):
    cell = '[{""content"": ""dry"", ""start_index"": 5, ""start_index"": 6, ""end_index"": 8}]'
    path = tmp_path / "questions.csv"
    path.write_text(f'question,references,corpus_id\n?,"{cell}",a\n')
    with pytest.raises(bp.InputError, match=r"csv:2: references: the name 'start_index' is given twice"):
        bp.read_truth(path)


def test_by_the_command_line(berrypick, tmp_path):
    (tmp_path / "truth.jsonl").write_text(LINES["span-truth"][1])
    shown = berrypick("check", tmp_path / "truth.jsonl")
    assert shown.code == 2
    assert "truth.jsonl:2: the name 'start' is given twice in one object" in shown.err + shown.out


def test_the_line_is_that_of_the_second():
    text = '{"a": {"x": "{\\"x\\": 1}", "y": ["x", {"x": 1}]},\n "b": {"x": 1,\n\n"y": 2,\n"\\u0078": 3}}'
    with pytest.raises(RepeatedName) as error:
        strict_json(text)
    assert error.value.line == 5
    assert strict_json(text.replace("\\u0078", "z"))["b"]["z"] == 3
