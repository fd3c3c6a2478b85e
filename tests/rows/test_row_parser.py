"""Rows go through the parts of their keys, in the order that a parser lists."""

import pytest

from berrypick.data.errors import InputError
from berrypick.data.truth import TopicFields
from berrypick.files.problems import Problems
from berrypick.rows.run_parser import RunParser
from berrypick.rows.truth_parser import TruthParser


def parts(parser, *keys):
    return [part.__name__ for part in parser.plan(keys)]


def test_a_row_goes_through_the_parts_of_its_keys():
    parser = RunParser(Problems("run.jsonl"))
    plain = parts(parser, "topic", "doc", "start", "end", "score")
    assert plain == ["read_topic", "read_document", "read_span", "read_score", "is_bad", "check_kind", "check_fields",
                     "keep"]  # fmt: skip
    assert [name for name in parts(parser, "topic", "doc", "page", "text") if name not in plain] == [
        "read_place",
        "keep_text",
    ]


def test_a_row_that_is_done_goes_no_further():
    problems = Problems("truth.jsonl")
    parser = TruthParser(problems, "truth.jsonl", TopicFields())
    parser.read([(1, "", {"doc": "a", "checksum": "c0ffee"}), (2, "", {"topic": "q", "doc": "a", "grade": 2})])
    truth = parser.truth()
    assert truth.checksums == {"a": "c0ffee"}
    assert truth.topics["q"].grade.tolist() == [2.0]


def test_rows_of_other_keys_have_their_own_plan():
    parser = RunParser(Problems("run.jsonl"))
    row = {"topic": "q", "doc": "a", "start": 0, "end": 4}
    with pytest.raises(InputError, match=r"run\.jsonl:2.*only some lines have start and end"):
        parser.read([(1, "", row), (2, "", {"topic": "q", "doc": "b"})])


def test_many_tuples_of_keys_are_read_alike():
    """More than are kept as plans."""
    parser = RunParser(Problems("run.jsonl"))
    parser.read((i, "", {"topic": "q", f"field{i}": i, "doc": f"d{i}"}) for i in range(1, 1500))
    assert len(parser.run("").topics) == 1
    assert parser.document[-1] == "d1499"
