"""Nuggets that spans state: retrieved and said, retrieved and lost, said without being retrieved, neither."""

import json

import pytest

import berrypick as bp

#: Topic 1 has four nuggets, one for each fate, the last of them stated at two places; topic 2 is not in the run.
STATED = [
    {"topic": "1", "doc": "d", "start": 0, "end": 10, "nugget": "a"},
    {"topic": "1", "doc": "d", "start": 20, "end": 30, "nugget": "b"},
    {"topic": "1", "doc": "e", "start": 0, "end": 10, "nugget": "c"},
    {"topic": "1", "doc": "e", "start": 50, "end": 60, "nugget": "d"},
    {"topic": "1", "doc": "e", "start": 90, "end": 99, "nugget": "d"},
    {"topic": "2", "doc": "e", "start": 0, "end": 10, "nugget": "a"},
]
RUN = [
    {"topic": "1", "doc": "d", "start": 0, "end": 12, "score": 3},
    {"topic": "1", "doc": "d", "start": 18, "end": 40, "score": 2},
    {"topic": "1", "doc": "e", "start": 55, "end": 58, "score": 1},
]


def said(**labels):
    nuggets = [{"text": text, "assignment": label} for text, label in labels.items()]
    return json.dumps({"qid": "1", "run_id": "mine", "nuggets": nuggets}) + "\n"


ANSWER = said(a="support", b="not_support", c="partial_support", d="not_support", e="support")


@pytest.fixture
def written(files):
    def lines(rows):
        return "".join(json.dumps(row) + "\n" for row in rows)

    return files(stated_jsonl=lines(STATED), run_jsonl=lines(RUN), said_jsonl=ANSWER)


def counts(found):
    (one,) = found.records()
    return tuple(one.values())[1:]


def test_by_hand(written):
    given = written["stated_jsonl"], written["run_jsonl"], written["said_jsonl"]
    found = bp.retrieved_said(*given)
    assert counts(found) == (1, 1, 1, 2)
    assert {(one.topic, one.nugget): one.kind for one in found.fates} == {
        ("1", "a"): "retrieved_and_said",
        ("1", "b"): "retrieved_and_lost",
        ("1", "c"): "said_not_retrieved",
        ("1", "d"): "neither",
        ("2", "a"): "neither",
    }
    assert [str(note) for note in found.notes] == [
        "run: 1 nugget without an assignment, counted as not said",
        "run: 1 nugget that no span states, skipped",
    ]
    assert counts(bp.retrieved_said(*given, only_support=True)) == (1, 1, 0, 3)
    assert counts(bp.retrieved_said(*given, at=1)) == (1, 0, 1, 3)
    assert counts(bp.retrieved_said(*given, share=0.3)) == (1, 2, 1, 1)
    assert counts(bp.retrieved_said(*given, iou=0.5)) == (1, 0, 1, 3)


def test_brute_force_by_characters(written):
    """A nugget is retrieved if half of a span of it is among the characters of the results."""
    seen = {(row["doc"], i) for row in RUN for i in range(row["start"], row["end"])}
    hit = set()
    for row in STATED:
        place = range(row["start"], row["end"])
        if row["topic"] == "1" and 2 * sum((row["doc"], i) in seen for i in place) >= len(place):
            hit.add((row["topic"], row["nugget"]))
    found = bp.retrieved_said(written["stated_jsonl"], written["run_jsonl"], written["said_jsonl"])
    assert {(one.topic, one.nugget) for one in found.fates if one.retrieved} == hit


def test_command(written, berrypick, tmp_path):
    given = ("nuggets", written["stated_jsonl"], written["run_jsonl"], "--assigned", written["said_jsonl"])
    shown = berrypick(*given, "-o", "json")
    assert shown.code == 0 and json.loads(shown.out) == [
        {"run": "run", "retrieved_and_said": 1, "retrieved_and_lost": 1, "said_not_retrieved": 1, "neither": 2}
    ]
    assert "1 nugget that no span states, skipped" in shown.err
    assert "retrieved and lost" in berrypick(*given, "-o", "table").out
    two = berrypick(*given[:3], written["run_jsonl"], *given[3:])
    assert two.code == 2 and "2 runs and 1 file of assignments" in two.err
    assert berrypick(*given, "--assigned", written["said_jsonl"]).code == 2


def test_several_runs_have_names_of_their_own(written):
    run, answer = written["run_jsonl"], written["said_jsonl"]
    found = bp.retrieved_said(written["stated_jsonl"], [run, run], [answer, answer])
    assert [one["run"] for one in found.records()] == ["run", "run-2"]
    assert len({tuple(one.values())[1:] for one in found.records()}) == 1


@pytest.mark.parametrize(
    ("line", "said_of_it"),
    [
        ('{"topic": "1", "doc": "d", "start": 0, "end": 10}', ":1: nugget is missing"),
        ('{"topic": "1", "doc": "d", "start": 9, "end": 3, "nugget": "a"}', ":1: end 3 is before start 9"),
        ('{"topic": "1", "doc": "d", "nugget": "a"}', ":1: nuggets need spans, not whole documents"),
        ('{"topic": "1", "doc": "d", "start": 0, "end": 9, "nugget": "z"}', "no nugget of the spans is one of"),
    ],
)
def test_what_is_wrong(files, written, line, said_of_it):
    path = files(bad_jsonl=line + "\n")["bad_jsonl"]
    with pytest.raises(bp.BerrypickError) as error:
        bp.retrieved_said(path, written["run_jsonl"], written["said_jsonl"])
    assert said_of_it in str(error.value)


def test_an_answer_without_assignments_is_refused(written):
    with pytest.raises(bp.UsageError, match="has no nuggets"):
        bp.retrieved_said(written["stated_jsonl"], written["run_jsonl"], written["run_jsonl"])


def test_foreign_labels_and_documents_are_told(written, files):
    other = files(other_jsonl=said(a="supporter"))["other_jsonl"]
    found = bp.retrieved_said(written["stated_jsonl"], {"1": {"z#0-9": 1.0}}, other)
    assert counts(found) == (0, 0, 0, 5)
    told = "\n".join(map(str, found.notes))
    assert "('supporter'): 1" in told and "none of the run's documents states a nugget" in told
    with pytest.raises(bp.InputError, match="'supporter'"):
        bp.retrieved_said(written["stated_jsonl"], {"1": {"z#0-9": 1.0}}, other, strict=True)
