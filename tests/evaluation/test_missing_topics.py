"""Topics that a run does not mention: absent where the run can state an empty list, an empty list in flat rows."""

import json

import pandas
import pytest

import berrypick as bp

DOCUMENTS = {"guide.md": "Cut the old canes in autumn. Pick raspberries when dry."}
TRUTH = [
    {"topic": "q1", "question": "When are canes cut?", "doc": "guide.md", "start": 0, "end": 28},
    {"topic": "q8", "question": "Who is the king?", "answer": None},
    {"topic": "q9", "question": "What is a pear?", "answer": None},
]
HIT = {"doc": "guide.md", "start": 0, "end": 28}
TEXT = "Cut the old canes in autumn."


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.jsonl"
    path.write_text(lines(TRUTH))
    return path


def nested(folder, carrier, runs):
    """A run with a list for each topic, {topic: texts}, by one of the carriers that can state an empty list."""
    rows = [{"topic": topic, "results": [HIT] * len(texts)} for topic, texts in runs.items()]
    path = folder / f"run-{carrier}.json"
    if carrier == "dictionary of lists":
        return {topic: [HIT] * len(texts) for topic, texts in runs.items()}
    if carrier == "dictionary of scores":
        return {topic: {"guide.md#0-28": 1.0} if texts else {} for topic, texts in runs.items()}
    if carrier == "records":
        return rows
    if carrier == "frame with lists":
        return pandas.DataFrame(rows)
    if carrier == "parquet with lists":
        path = path.with_suffix(".parquet")
        pandas.DataFrame(rows).to_parquet(path)
    elif carrier == "JSON list":
        path.write_text(json.dumps(rows))
    elif carrier == "JSON lines":
        path.write_text(lines(rows))
    elif carrier == "JSON by topic":
        path.write_text(json.dumps({topic: [HIT] * len(texts) for topic, texts in runs.items()}))
    elif carrier == "JSON scores":
        path.write_text(json.dumps({topic: {"guide.md#0-28": 1.0} if texts else {} for topic, texts in runs.items()}))
    elif carrier == "samples":
        samples = [{"topic": topic, "user_input": topic, "retrieved_contexts": texts} for topic, texts in runs.items()]
        path.write_text(json.dumps(samples))
    elif carrier == "store":
        hit = {"_id": "1", "_score": 1.0, "_source": {"source": "guide.md", "start_index": 0, "text": TEXT}}
        path.write_text(json.dumps({topic: {"hits": {"hits": [hit] * len(texts)}} for topic, texts in runs.items()}))
    else:
        steps = [
            {"id": topic, "name": "search", "run_type": "retriever", "trace_id": topic, "inputs": {"query": topic},
             "extra": {"metadata": {"topic": topic}}, "start_time": "2026-05-01T10:00:00",
             "outputs": {"documents": [{"page_content": text, "metadata": {"source": "guide.md"}} for text in texts]}}
            for topic, texts in runs.items()
        ]  # fmt: skip
        path.write_text(lines(steps))
    return path


NESTED = [
    "dictionary of lists", "dictionary of scores", "records", "frame with lists", "parquet with lists", "JSON list",
    "JSON lines", "JSON by topic", "JSON scores", "samples", "store", "traces",
]  # fmt: skip


def flat(folder, carrier, topics):
    """A run of one row for each topic, by one of the carriers that cannot state an empty list."""
    rows = [{"topic": topic, **HIT, "score": 1.0} for topic in topics]
    path = folder / "flat"
    if carrier == "records":
        return rows
    if carrier == "frame":
        return pandas.DataFrame(rows)
    if carrier == "jsonl":
        path.write_text(lines(rows))
    elif carrier == "csv":
        path = path.with_suffix(".csv")
        pandas.DataFrame(rows).to_csv(path, index=False)
    elif carrier == "parquet":
        path = path.with_suffix(".parquet")
        pandas.DataFrame(rows).to_parquet(path)
    else:
        path.write_text(json.dumps(rows))
    return path


FLAT = ["records", "frame", "jsonl", "csv", "parquet", "json"]


def values(results):
    return next(iter(results.mean().values()))


def missing_notes(results):
    return [note.text for note in results.notes if note.kind == "missing topics"]


@pytest.mark.parametrize("carrier", NESTED)
def test_an_absent_topic_without_an_answer_did_not_abstain(tmp_path, truth, carrier):
    """q9 is stated as an empty list, q8 is not mentioned: one of two abstains."""
    run = nested(tmp_path, carrier, {"q1": [TEXT], "q9": []})
    results = bp.evaluate(truth, run, "Abstained Answered charR", documents=DOCUMENTS)
    assert values(results) == {"Abstained": 0.5, "Answered": 1.0, "charR": 1.0}
    per_topic = next(iter(results.per_topic().values()))["Abstained"]
    assert per_topic == {"q1": None, "q8": 0.0, "q9": 1.0}
    [note] = missing_notes(results)
    assert note.startswith("1 topic without an answer missing from the run") and "missing='empty'" in note


@pytest.mark.parametrize("carrier", NESTED)
def test_missing_empty_takes_absent_topics_for_empty_lists(tmp_path, truth, carrier):
    run = nested(tmp_path, carrier, {"q1": [TEXT], "q9": []})
    results = bp.evaluate(truth, run, "Abstained", documents=DOCUMENTS, missing="empty")
    assert values(results) == {"Abstained": 1.0}


@pytest.mark.parametrize("carrier", FLAT)
def test_flat_rows_count_a_topic_without_rows_as_an_empty_list(tmp_path, truth, carrier):
    results = bp.evaluate(truth, flat(tmp_path, carrier, ["q1", "q8"]), "Abstained Answered")
    assert values(results) == {"Abstained": 0.5, "Answered": 1.0}
    [note] = missing_notes(results)
    assert note.startswith("1 topic without an answer has no rows in the run") and "missing='absent'" in note
    absent = bp.evaluate(truth, flat(tmp_path, carrier, ["q1", "q8"]), "Abstained", missing="absent")
    assert values(absent) == {"Abstained": 0.0}


def test_trec_runs_are_flat(tmp_path, berrypick):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n2 0 a 0\n3 0 a 0\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 mine\n2 Q0 a 1 1.0 mine\n")
    command = ("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "Abstained", "-o", "json")
    done = berrypick(*command)
    assert json.loads(done.out)[-1]["value"] == 0.5
    assert "1 topic without an answer has no rows in the run" in done.err and "--missing absent" in done.err
    done = berrypick(*command, "--missing", "absent")
    assert json.loads(done.out)[-1]["value"] == 0.0
    assert "--missing empty" in done.err


def test_flat_rows_beside_a_stated_empty_list_can_state_one(truth):
    """A run that states one empty list could have stated the other as well."""
    run = [{"topic": "q1", **HIT}, {"topic": "q9", "results": []}]
    assert bp.score("Abstained", truth, run) == 0.5


def test_the_signature_says_what_unmentioned_topics_count_as(truth):
    def parts(run, **options):
        [row] = bp.evaluate(truth, run, "Abstained", **options).mean_rows
        return row.signature.get("missing")

    every = {"q1": [HIT], "q8": [], "q9": []}
    assert not parts(every) and not parts(every, missing="empty")  # it changes nothing
    assert parts({"q1": [HIT]}) == "absent"
    assert parts({"q1": [HIT]}, missing="empty") == "empty"
    assert parts([{"topic": "q1", **HIT}]) == "empty"


def test_other_measures_score_absent_topics_as_empty_lists():
    truth = {"q1": {"a": 1}, "q2": {"b": 1}}
    for missing in (None, "empty", "absent"):
        results = bp.evaluate(truth, {"q1": {"a": 1.0}}, "AP Answered RR", missing=missing)
        assert values(results) == {"AP": 0.5, "Answered": 0.5, "RR": 0.5}
        assert "1 judged topic missing from the run, scored as empty lists" in missing_notes(results)
    [note] = [note.text for note in bp.evaluate(truth, truth, "AP", missing="absent").notes if note.kind == "no effect"]
    assert note == "missing='absent' has no effect on AP"


@pytest.mark.parametrize("least", [None, 0.5])
def test_a_list_that_the_least_score_empties_is_mentioned(least):
    truth = {"q1": {"a": 1}, "q8": None, "q9": None}
    run = {"q1": {"a": 0.9}, "q8": {"a": 0.3}}
    # q8 abstains once its result is dropped; q9 is absent at every threshold
    assert bp.score("Abstained", truth, run, min_score=least) == (0.0 if least is None else 0.5)


def test_the_abstention_curve_agrees_with_the_measure(tmp_path, berrypick):
    truth = {"q1": {"a": 1}, "q8": None, "q9": None}
    run = {"q1": {"a": 0.9}, "q8": {"a": 0.3}}
    for missing, expected in (("absent", [0.0, 0.5, 0.5]), ("empty", [0.5, 1.0, 1.0]), (None, [0.0, 0.5, 0.5])):
        found = bp.abstention(truth, run, missing=missing)
        assert [point.abstained for point in found.points] == expected
        for point in found.points:
            given = {"min_score": point.min_score, "missing": missing}
            assert bp.score("Abstained", truth, run, **given) == point.abstained
            assert bp.score("Answered", truth, run, **given) == point.answered
    (tmp_path / "truth.jsonl").write_text(lines(TRUTH))
    (tmp_path / "run.json").write_text(json.dumps([{"topic": "q1", "results": [{**HIT, "score": 0.9}]}]))
    command = ("abstention", tmp_path / "truth.jsonl", tmp_path / "run.json", "-o", "json")
    assert [row["Abstained"] for row in json.loads(berrypick(*command).out)] == [0.0, 0.0]
    assert [row["Abstained"] for row in json.loads(berrypick(*command, "--missing", "empty").out)] == [1.0, 1.0]


def test_a_crashed_retriever_fails_a_gate(tmp_path, truth, berrypick):
    (tmp_path / "crashed.json").write_text(json.dumps([{"question": "When are canes cut?", "results": [HIT]}]))
    gate = ("compare", truth, tmp_path / "crashed.json", "-m", "charR", "--fail-under", "Abstained=0.5")
    assert berrypick(*gate).code == 1
    assert berrypick(*gate, "--missing", "empty").code == 0


def test_explain_says_that_the_run_does_not_mention_the_topic(tmp_path, truth, berrypick):
    (tmp_path / "run.json").write_text(json.dumps([{"topic": "q1", "results": [HIT]}]))
    done = berrypick("explain", truth, tmp_path / "run.json", "-m", "Abstained", "--topic", "q9")
    assert done.code == 0, done.err
    assert "The run does not mention a topic without an answer; it counts as absent" in done.out
    assert "Abstained = 0" in done.out
    done = berrypick("explain", truth, tmp_path / "run.json", "-m", "Abstained", "--topic", "q9", "--missing", "empty")
    assert "it counts as an empty list" in done.out and "Abstained = 1" in done.out


def test_missing_takes_two_values(truth, berrypick):
    with pytest.raises(bp.UsageError, match="unknown missing 'nothing'; expected one of empty, absent"):
        bp.evaluate(truth, {"q1": [HIT]}, "Abstained", missing="nothing")
    done = berrypick("evaluate", truth, truth, "-m", "Abstained", "--missing", "none")
    assert done.code == 2
