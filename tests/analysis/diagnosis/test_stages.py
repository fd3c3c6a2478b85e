"""Stages of a pipeline as runs, as rows that name their stage, and as reranker spans: one diagnosis."""

import json

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import each

import berrypick as bp

# what each stage returns for a question, as (document, start); all results and targets have 10 characters
STAGES = {
    "first": {"q": [("e", 0), ("d", 0), ("d", 20)], "r": [("d", 40)]},
    "rerank": {"q": [("d", 0), ("e", 0)], "r": [("e", 20)]},
}
TRUTH = {
    "q": [{"doc": "d", "start": 0, "end": 10}, {"doc": "d", "start": 20, "end": 30}],
    "r": [{"doc": "d", "start": 40, "end": 50}],
}


def result(place):
    return {"doc": place[0], "start": place[1], "end": place[1] + 10}


def flat(stages):
    return [
        {"topic": topic, "stage": stage, "rank": rank, **result(place)}
        for stage, lists in stages.items()
        for topic, places in lists.items()
        for rank, place in enumerate(places, 1)
    ]


def nested(stages):
    return [
        {"topic": topic, "stage": stage, "results": [result(place) for place in places]}
        for stage, lists in stages.items()
        for topic, places in lists.items()
    ]


def by_topic(stages):
    topics = dict.fromkeys(topic for lists in stages.values() for topic in lists)
    return {
        topic: [{"stage": stage, **result(place)} for stage, lists in stages.items() for place in lists[topic]]
        for topic in topics
    }


def written(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


CARRIERS = {
    "records": lambda folder, stages: flat(stages),
    "frame": lambda folder, stages: pandas.DataFrame(flat(stages)),
    "nested": lambda folder, stages: nested(stages),
    "dictionary": lambda folder, stages: by_topic(stages),
    "JSON Lines": lambda folder, stages: written(folder, "run.jsonl", lines(flat(stages))),
    "nested JSON Lines": lambda folder, stages: written(folder, "run.jsonl", lines(nested(stages))),
    "JSON": lambda folder, stages: written(folder, "run.json", json.dumps(nested(stages))),
    "CSV": lambda folder, stages: written(folder, "run.csv", pandas.DataFrame(flat(stages)).to_csv(index=False)),
    "read back": lambda folder, stages: bp.Run.from_records(bp.Run.from_records(flat(stages)).to_records()),
}


def apart(stages):
    return {stage: {topic: [*map(result, places)] for topic, places in lists.items()}
            for stage, lists in stages.items()}  # fmt: skip


def same(one, other):
    rows = [[(row["topic"], row["target"], row["class"], row["ranks"]) for row in found.records() if "target" in row]
            for found in (one, other)]  # fmt: skip
    assert rows[0] == rows[1]
    assert (one.stages, one.flow, one.oracle) == (other.stages, other.flow, other.oracle)


@each("carrier", CARRIERS)
def test_every_carrier_names_stages(carrier, tmp_path):
    found = bp.diagnose(TRUTH, CARRIERS[carrier](tmp_path, STAGES))
    assert [one.class_name for one in found.targets] == ["found", "lost in rerank", "lost in rerank"]
    same(found, bp.diagnose(TRUTH, apart(STAGES), stages=True))


def test_parquet_names_stages(tmp_path):
    pandas.DataFrame(flat(STAGES)).to_parquet(tmp_path / "run.parquet")
    same(bp.diagnose(TRUTH, tmp_path / "run.parquet"), bp.diagnose(TRUTH, apart(STAGES), stages=True))


@each("carrier", CARRIERS)
def test_an_evaluation_scores_the_last_stage_and_says_so(carrier, tmp_path):
    run = CARRIERS[carrier](tmp_path, STAGES)
    alone = {stage: bp.evaluate(TRUTH, lists, "charR@1 charR@3") for stage, lists in apart(STAGES).items()}
    scored = bp.evaluate(TRUTH, run, "charR@1 charR@3")
    assert [*scored.mean().values()] == [*alone["rerank"].mean().values()]
    assert any("stages first, rerank" in note.text for note in scored.notes)
    chosen = bp.evaluate(TRUTH, run, "charR@1 charR@3", stage="first")
    assert [*chosen.mean().values()] == [*alone["first"].mean().values()]


def test_stages_are_in_the_order_of_rows_or_of_numbers_or_as_named():
    rows = flat(STAGES)
    assert bp.diagnose(TRUTH, rows[::-1]).stages == ("rerank", "first")
    assert bp.diagnose(TRUTH, rows[::-1], stage=["first", "rerank"]).stages == ("first", "rerank")
    numbers = {"first": 2, "rerank": 10}
    assert bp.diagnose(TRUTH, [{**row, "stage": numbers[row["stage"]]} for row in rows[::-1]]).stages == ("2", "10")


def test_a_stage_may_return_nothing():
    stages = {**STAGES, "rerank": {"q": STAGES["rerank"]["q"], "r": []}}
    same(bp.diagnose(TRUTH, nested(stages)), bp.diagnose(TRUTH, apart(stages), stages=True))


def test_two_lists_of_one_stage_are_refused():
    with pytest.raises(bp.InputError, match="two lists"):
        bp.diagnose(TRUTH, [*nested(STAGES), nested(STAGES)[0]])


WRONG = {
    "only some": lambda rows: [{k: v for k, v in row.items() if k != "stage" or i} for i, row in enumerate(rows)],
    "only the first": lambda rows: [{k: v for k, v in row.items() if k != "stage" or not i}
                                    for i, row in enumerate(rows)],
    "no name": lambda rows: [{**row, "stage": True} for row in rows],
    "empty": lambda rows: [{**row, "stage": ""} for row in rows],
}  # fmt: skip


@each("wrong", WRONG)
def test_rows_without_a_stage_among_others_are_refused(wrong, tmp_path):
    rows = WRONG[wrong](flat(STAGES))
    for run in (rows, written(tmp_path, "run.jsonl", lines(rows))):
        with pytest.raises(bp.InputError, match="stage"):
            bp.evaluate(TRUTH, run, "charR@1")


@each("wrong", {"rernk": "did you mean rerank", "nothing": "has first, rerank", "first,first": "twice"}.items())
def test_unknown_stages_are_refused(wrong):
    with pytest.raises(bp.UsageError, match=wrong[1]):
        bp.diagnose(TRUTH, flat(STAGES), stage=wrong[0])
    with pytest.raises(bp.UsageError, match="no stages"):
        bp.diagnose(TRUTH, apart(STAGES)["first"], stage="first")


def test_runs_with_stages_of_their_own_are_diagnosed_each_and_follow_each_other():
    other = {"first": STAGES["first"], "filter": STAGES["first"]}
    runs = {"a": flat(STAGES), "b": flat(other)}
    found = bp.diagnose(TRUTH, runs)
    assert {run: found.pipeline(run).stages for run in found.runs} == {"a": ("first", "rerank"),
                                                                      "b": ("first", "filter")}  # fmt: skip
    assert found.topics_of("a")["r"] == "lost in rerank"
    assert bp.diagnose(TRUTH, runs, stages=True).stages == ("a first", "rerank", "b first", "filter")


def test_measures_are_compared_between_stages():
    found = bp.diagnose(TRUTH, flat(STAGES), measures="charR@3 RR")
    alone = {stage: bp.evaluate(TRUTH, lists, "charR@3 RR").mean()["run"] for stage, lists in apart(STAGES).items()}
    first, last = found.flow
    assert (first.means, last.means) == (alone["first"], alone["rerank"])
    assert first.differences == {}
    for name, one in last.differences.items():
        assert one.value == pytest.approx(last.means[name] - first.means[name])
        assert one.low <= one.value <= one.high
    with pytest.raises(bp.UsageError, match="stages"):
        bp.diagnose(TRUTH, apart(STAGES)["first"], measures="RR")


def test_json_ends_with_the_stages_and_the_oracle_reranker():
    found = bp.diagnose(TRUTH, flat(STAGES), k=1, measures="charR@1")
    *targets, last = json.loads(found.table("json"))
    assert len(targets) == 3
    assert (last["run"], last["topic"], [one["stage"] for one in last["stages"]]) == ("run", "all", ["first", "rerank"])
    assert (last["stages"][1]["lost"], last["stages"][1]["measures"]["charR@1"]["mean"]) == (2 / 3, 0.25)
    oracle = last["oracle_reranker"]
    assert (oracle["first"], oracle["best"], oracle["last"], oracle["greedy_topics"]) == (0.5, 0.75, 0.25, 0)
    assert len(found.to_pandas()) == 3


places = st.lists(st.tuples(st.sampled_from("de"), st.integers(0, 4).map(lambda i: 5 * i)), max_size=5, unique=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(places, places), min_size=2, max_size=3), st.integers(1, 3))
def test_rows_with_stages_agree_with_runs(lists, k):
    stages = {f"s{i}": dict(zip("qr", both, strict=True)) for i, both in enumerate(lists)}
    same(bp.diagnose(TRUTH, nested(stages), k=k), bp.diagnose(TRUTH, apart(stages), stages=True, k=k))


# --- traces -----------------------------------------------------------------------------------------------------------

TEXT = "Plant canes in a row from north to south. Five centimetres of soil are enough. Water them every week."
PARTS = {"row": TEXT[:41], "depth": TEXT[42:78], "water": TEXT[79:]}


def documents(name, keys):
    return {
        f"reranker.{name}.{i}.document.{field}": value
        for i, key in enumerate(keys)
        for field, value in {"content": PARTS[key], "metadata": json.dumps({"source": "guide"})}.items()
    }


def reranker(question, before, after, trace="1"):
    return {
        "context": {"trace_id": trace, "span_id": f"s{trace}"}, "name": "rerank",
        "start_time": f"2026-05-01T10:0{trace}:00",
        "attributes": {"openinference.span.kind": "RERANKER", "reranker.query": question,
                       **documents("input_documents", before), **documents("output_documents", after)},
    }  # fmt: skip


def test_reranker_spans_have_two_stages(tmp_path):
    spans = [reranker("How deep?", ["row", "water", "depth"], ["row", "water"]),
             reranker("Where?", ["water", "row"], ["row"], "2")]  # fmt: skip
    truth = [
        {"topic": "deep", "question": "How deep?", "doc": "guide", "quote": PARTS["depth"]},
        {"topic": "where", "question": "Where?", "doc": "guide", "quote": PARTS["row"]},
    ]
    given = {"documents": {"guide": TEXT}}
    for run in (written(tmp_path, "traces.jsonl", lines(spans)), bp.read_traces(spans)):
        found = bp.diagnose(truth, run, **given)
        assert found.stages == ("input of rerank", "rerank")
        assert found.topics == {"deep": "lost in rerank", "where": "found"}
        assert bp.evaluate(truth, run, "charR@5", **given).mean() == {found.runs[0]: {"charR@5": 0.5}}


def test_formats_that_cannot_hold_stages_refuse_them(tmp_path):
    run = bp.Run.from_records(flat(STAGES))
    for name in ("run.jsonl", "run.csv"):
        bp.write(run, tmp_path / name, {"run.jsonl": "span-run", "run.csv": "span-table-run"}[name])
        same(bp.diagnose(TRUTH, tmp_path / name), bp.diagnose(TRUTH, run))
    whole = bp.Run.from_records([{"topic": "q", "doc": "d", "rank": 1, "stage": stage} for stage in "ab"])
    with pytest.raises(bp.UsageError, match="stages, which would be lost"):
        bp.write(whole, tmp_path / "run.trec", "trec-run")
