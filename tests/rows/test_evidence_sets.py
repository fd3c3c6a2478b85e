"""Sets and hops of a truth: read from every carrier, given back, checked line by line."""

import json

import pandas
import polars
import pytest
from many_cases import each

import berrypick as bp
from berrypick.data.truth import TopicTruth

SPANS = [
    {"topic": "1", "doc": "a", "start": 0, "end": 10, "set": "x"},
    {"topic": "1", "doc": "b", "start": 5, "end": 9, "set": ["x", "y"]},
    {"topic": "1", "doc": "c", "start": 0, "end": 7, "set": 2},
    {"topic": "1", "doc": "a", "start": 0, "end": 10, "set": "z"},  # a copy, in another set
    {"topic": "1", "doc": "d", "start": 0, "end": 7, "grade": 0},
    {"topic": "2", "doc": "a", "start": 0, "end": 10, "hop": "who"},
    {"topic": "2", "doc": "b", "start": 0, "end": 10, "hop": "where"},
    {"topic": "2", "doc": "c", "start": 0, "end": 10, "hop": ["who", "where"]},
    {"topic": "3", "doc": "a", "start": 0, "end": 10},
]
MEANT = {
    "1": (("x", "z"), ("x", "y"), ("2",), ()),
    "2": (("who",), ("where",), ("who", "where")),
    "3": None,
}


def memberships(topic: TopicTruth):
    assert topic.sets is None or topic.hops is None
    return topic.sets or topic.hops


def meaning(truth):
    return {name: memberships(topic) for name, topic in truth.topics.items()}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def flat(rows):
    """A row for each set, as tables have it."""
    for row in rows:
        several = next((kind for kind in ("set", "hop") if isinstance(row.get(kind), list)), None)
        yield from ([row] if several is None else [{**row, several: one} for one in row[several]])


def as_frame(rows):
    return pandas.DataFrame([{"grade": 1, **row} for row in flat(rows)])


def test_every_carrier_says_the_same(tmp_path):
    by_topic = {}
    for row in SPANS:
        by_topic.setdefault(row["topic"], []).append({key: value for key, value in row.items() if key != "topic"})
    table = as_frame(SPANS)
    table.to_csv(tmp_path / "truth.csv", index=False)
    rows = [{name: str(cell) if name in ("set", "hop") else cell for name, cell in {"grade": 1, **row}.items()}
            for row in flat(SPANS)]  # fmt: skip
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "truth.parquet")
    carriers = {
        "lines": bp.read_truth(lines(tmp_path / "truth.jsonl", SPANS)),
        "csv": bp.read_truth(tmp_path / "truth.csv"),
        "parquet": bp.read_truth(tmp_path / "truth.parquet"),
        "frame": bp.Truth.from_frame(table),
        "frame with lists": bp.Truth.from_frame(pandas.DataFrame([{"grade": 1, **row} for row in SPANS])),
        "records": bp.Truth.from_records([{"grade": 1, **row} for row in SPANS]),
        "dictionary": bp.Truth.from_dict({t: [{"grade": 1, **row} for row in held] for t, held in by_topic.items()}),
    }
    for name, truth in carriers.items():
        assert meaning(truth) == MEANT, name
        assert truth.units == "spans" and truth.skipped.get("exact copies, merged", 0) == 0, name


def test_given_back_by_every_way(tmp_path):
    truth = bp.read_truth(lines(tmp_path / "truth.jsonl", SPANS))
    assert meaning(bp.Truth.from_records(truth.to_records())) == MEANT
    assert meaning(bp.Truth.from_dict(truth.to_dict())) == MEANT
    assert meaning(bp.Truth.from_frame(truth.to_pandas())) == MEANT
    assert meaning(bp.Truth.from_frame(truth.to_polars())) == MEANT
    for name in ("again.jsonl", "again.csv", "again.parquet"):
        truth.write(tmp_path / name)
        assert meaning(bp.read_truth(tmp_path / name)) == MEANT, name
    assert list(truth["1"])[1]["set"] == ["x", "y"] and "set" not in list(truth["1"])[3]


def test_whole_documents_have_sets_too(tmp_path):
    rows = [{"topic": "1", "doc": "a", "set": "x"}, {"topic": "1", "doc": "b", "set": ["x", "y"]}]
    truth = bp.read_truth(lines(tmp_path / "truth.jsonl", rows))
    assert truth.units == "documents" and meaning(truth) == {"1": (("x",), ("x", "y"))}
    with pytest.raises(bp.UsageError, match="the truth has sets, which would be lost"):
        truth.write(tmp_path / "truth.qrels", "trec-qrels")


def test_lists_of_documents_and_of_sets_go_together():
    truth = bp.Truth.from_records([{"topic": "1", "doc": ["a", "b"], "set": ["x", "y"]}])
    assert meaning(truth) == {"1": (("x",), ("y",))}
    with pytest.raises(bp.InputError, match="lists of different lengths: 2 doc, 1 set"):
        bp.Truth.from_records([{"topic": "1", "doc": ["a", "b"], "set": ["x"]}])


A, B = {"topic": "1", "doc": "a", "start": 0, "end": 9}, {"topic": "1", "doc": "b", "start": 0, "end": 9}
REFUSED = {
    "both in one row": ([A | {"set": "x", "hop": "h"}], "1: names both a set and a hop"),
    "both in one topic": ([A | {"set": "x"}, B | {"hop": "h"}], "2: names a hop, but line 1 of topic 1 names a set"),
    "neither, later": ([A | {"set": "x"}, B], "2: names no set, but line 1 of topic 1 does"),
    "neither, before": ([A, B | {"hop": "h"}], "1: names no hop, but line 2 of topic 1 does"),
    "an empty list": ([A | {"set": []}], "1: the name of the set is empty"),
    "an empty name": ([A | {"set": ["x", ""]}], "1: the name of the set is empty"),
    "no name": ([A | {"set": {"x": 1}}], "1: set must be a non-empty string"),
    "an empty set": (
        [A | {"set": "x"}, B | {"set": "y", "grade": 0}],
        "2: set y of topic 1 is empty: no line of it is relevant",
    ),
    "a judged document": (
        [A | {"set": "x"}, {"topic": "1", "doc": "b", "judged": True, "set": "x"}],
        "2: judged marks",
    ),
}


@each("name", REFUSED)
def test_what_cannot_be_so_is_refused_with_its_line(name, tmp_path):
    rows, message = REFUSED[name]
    with pytest.raises(bp.InputError, match=message):
        bp.read_truth(lines(tmp_path / "truth.jsonl", rows))


def test_a_row_of_grade_0_belongs_to_no_set(tmp_path):
    path = lines(tmp_path / "truth.jsonl", [A | {"set": "x"}, B | {"set": "x", "grade": 0}])
    assert meaning(bp.read_truth(path)) == {"1": (("x",), ())}
