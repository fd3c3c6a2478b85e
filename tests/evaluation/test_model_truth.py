"""Evaluations with judgements by people and by a model."""

from __future__ import annotations

import json

import pytest
from judged_by_model import world
from many_cases import each

import berrypick as bp
from berrypick.data.errors import UsageError
from berrypick.evaluation.model_truth import PairedValues
from berrypick.statistics.intervals import mean_intervals


def plain_estimate(y, f):
    """The estimate and its variance, from dictionaries without undefined values."""
    own, others = list(y), [topic for topic in f if topic not in y]
    n, m = len(own), len(others)
    mean_y, mean_f = sum(y.values()) / n, sum(f[t] for t in own) / n
    cov = sum((y[t] - mean_y) * (f[t] - mean_f) for t in own)
    var = sum((f[t] - mean_f) ** 2 for t in own)
    weight = min(1.0, max(0.0, cov / (var * (1 + n / m))))
    mean_u = sum(f[t] for t in others) / m
    rest = [y[t] - weight * f[t] for t in own]
    value = weight * mean_u + sum(rest) / n
    spread = sum((one - sum(rest) / n) ** 2 for one in rest) / (n - 1) / n
    return value, spread + weight**2 * sum((f[t] - mean_u) ** 2 for t in others) / (m - 1) / m


def test_rows_carry_the_estimate_and_what_it_is_made_of():
    people, model, runs = world()
    results = bp.evaluate(people, runs, "AP", model_truth=model)
    by_people, by_model = (bp.evaluate(truth, runs, "AP").per_topic() for truth in (people, model))
    for row in results.mean_rows:
        y, f = by_people[row.run]["AP"], by_model[row.run]["AP"]
        value, variance = plain_estimate(y, f)
        assert row.value == pytest.approx(value)
        found = row.as_dict()
        assert found["people"] == pytest.approx(sum(y.values()) / 30)
        assert found["model"] == pytest.approx(sum(f.values()) / 80)
        assert found["bias"] == pytest.approx(sum(f[t] - y[t] for t in y) / 30)
        mean = sum(y.values()) / 30
        assert found["worth"] == pytest.approx(sum((one - mean) ** 2 for one in y.values()) / 29 / variance)
        assert found["low"] < row.value < found["high"]
        assert found["model_topics"] == 80
        assert row.signature["model-truth"] == "30 of 80 topics by people"
    assert results.per_topic() == by_people
    assert any("random sample" in str(note) for note in results.notes)


def test_the_truth_sum_covers_both_files():
    people, model, runs = world()

    def summed(people, model):
        return bp.evaluate(people, runs["old"], "AP", model_truth=model).mean_rows[0].signature["truth-sum"]

    first = summed(people, model)
    assert summed(dict(reversed(people.items())), dict(reversed(model.items()))) == first
    assert summed({**people, "q003": {"a": 1}}, model) != first
    assert summed(people, {**model, "q070": {"a": 1}}) != first
    assert bp.evaluate(people, runs["old"], "AP").mean_rows[0].signature["truth-sum"] != first


def test_the_order_of_topics_changes_nothing():
    people, model, runs = world()
    one = bp.evaluate(people, runs, "AP P@1", model_truth=model)
    turned = [dict(reversed(truth.items())) for truth in (people, model)]
    other = bp.evaluate(turned[0], runs, "AP P@1", model_truth=turned[1])
    assert [row.as_dict() for row in one.mean_rows] == [row.as_dict() for row in other.mean_rows]


def test_all_hits_have_wilsons_interval_of_the_topics_by_people():
    people, model, _ = world()
    perfect = {topic: {max(judged, key=judged.get): 1.0} for topic, judged in people.items()}
    [row] = bp.evaluate(people, perfect, "P@1", model_truth=model).mean_rows
    import numpy as np

    low, high, _ = mean_intervals(np.ones((30, 1)))
    assert (row.value, row.summary["low"], row.summary["high"]) == (1.0, pytest.approx(low[0]), high[0])
    assert row.summary["worth"] is None


def test_estimates_stay_within_the_range_of_the_measure():
    y = {f"q{i}": float(i != 0) for i in range(12)}
    f = {**y, "q0": 0.2, **{f"u{i}": 1.0 for i in range(30)}}
    found = PairedValues(y, f).assisted()
    assert found.value <= 1.0 and found.high == 1.0
    assert PairedValues(y, f).assisted(unbounded=True).high > 1.0


def test_undefined_values():
    """A topic without a value by people does not count; without one by the model it counts as the model's mean."""
    people, model, runs = world()
    nothing = {"a": 0}
    [row] = bp.evaluate({**people, "q001": nothing}, runs["old"], "AP", model_truth=model).mean_rows
    y = bp.evaluate({**people, "q001": nothing}, runs["old"], "AP").mean()["run"]["AP"]
    assert row.summary["people"] == pytest.approx(y)
    results = bp.evaluate(people, runs["old"], "AP", model_truth={**model, "q070": nothing})
    f = bp.evaluate({**model, "q070": nothing}, runs["old"], "AP").per_topic()["run"]["AP"]
    filled = {topic: results.mean_rows[0].summary["model"] if value is None else value for topic, value in f.items()}
    value, _ = plain_estimate(bp.evaluate(people, runs["old"], "AP").per_topic()["run"]["AP"], filled)
    assert results.mean_rows[0].value == pytest.approx(value)
    assert any("counted as the mean" in str(note) for note in results.notes)


@each(
    ["change", "said"],
    [
        (lambda people, model: ({**people, "other": {"a": 1}}, model), "lacks 1 topic that people judged: other"),
        (lambda people, model: (dict(list(people.items())[:9]), model), "people judged 9 topics; .* at least 10"),
        (lambda people, model: (people, {topic: model[topic] for topic in people}), "0 topics beyond"),
        (lambda people, model: (people, {t: model[t] for t in [*people, "q079"]}), "1 topics beyond"),
        (lambda people, model: ({t: ({"a": 0} if i > 8 else v) for i, (t, v) in enumerate(people.items())}, model),
         "AP has a value on 9 topics of those that people judged"),
    ],
)  # fmt: skip
def test_refused(change, said):
    people, model, runs = world()
    people, model = change(people, model)
    with pytest.raises(UsageError, match=said):
        bp.evaluate(people, runs, "AP", model_truth=model)


@each(
    ["options", "said"],
    [
        ({"by": "doc"}, "omit by="),
        ({"curves": True}, "omit curves=True"),
        ({"topics": "run"}, "topics='judged'"),
    ],
)
def test_refused_options(options, said):
    people, model, runs = world()
    with pytest.raises(UsageError, match=said):
        bp.evaluate(people, runs, "AP", model_truth=model, **options)


def test_ten_topics_are_accepted_and_a_note_says_that_they_are_few():
    people, model, runs = world(people=10)
    assert any("may be too narrow" in str(note) for note in bp.evaluate(people, runs, "AP", model_truth=model).notes)
    people, model, runs = world(people=20)
    assert not any(
        "may be too narrow" in str(note) for note in bp.evaluate(people, runs, "AP", model_truth=model).notes
    )


def test_an_iterator_of_runs_is_read_once():
    people, model, runs = world()
    made = [bp.Run.from_dict(run) for run in runs.values()]
    assert len(bp.evaluate(people, iter(made), "AP", model_truth=model).runs) == 2


def test_few_hits_or_misses_have_a_note():
    """On 40 topics: 4 misses, 12 misses, 3 hits, and no miss, where the interval is Wilson's."""
    truth = {f"q{i:02}": {"a": 1} for i in range(60)}
    people = {topic: truth[topic] for topic in list(truth)[:40]}
    misses = {"four": 4, "twelve": 12, "most": 37, "none": 0}
    runs = {name: {topic: {"b" if i < count else "a": 1.0} for i, topic in enumerate(truth)}
            for name, count in misses.items()}  # fmt: skip
    found = bp.evaluate(people, runs, "P@1", model_truth=truth)
    text = "by people; below 10, model-assisted intervals of hits may be too narrow"
    assert [str(note) for note in found.notes if "may be too narrow" in note.text] == [
        f"four: P@1: 4 misses {text}", f"most: P@1: 3 hits {text}",
    ]  # fmt: skip
    compared = bp.compare(people, {name: runs[name] for name in ("four", "twelve")}, "P@1", model_truth=truth)
    assert f"four: P@1: 4 misses {text}" in map(str, compared.notes)


@pytest.fixture
def written(tmp_path, monkeypatch):
    people, model, runs = world()
    for name, truth in (("people", people), ("model", model)):
        lines = [f"{topic} 0 {doc} {grade}\n" for topic, judged in truth.items() for doc, grade in judged.items()]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    for name, run in runs.items():
        lines = [f"{topic} Q0 {doc} {rank} {10 - rank} {name}\n" for topic, ranked in run.items()
                 for rank, doc in enumerate(sorted(ranked, key=lambda one, of=ranked: -of[one]), 1)]  # fmt: skip
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return people, model, runs


def test_the_command(written, berrypick):
    people, model, runs = written
    command = ["evaluate", "people.qrels", "old.run", "-m", "AP", "--model-truth", "model.qrels"]
    rows = json.loads(berrypick(*command, "-o", "json", "-q").out)
    [row] = bp.evaluate(people, runs["old"], "AP", model_truth=model).mean_rows
    assert rows[-1]["value"] == pytest.approx(row.value)
    assert rows[-1]["worth"] == pytest.approx(row.summary["worth"])
    assert len(rows) == 31
    for form, said in (
        ("table", "Model-assisted means"),
        ("markdown", "Model-assisted means"),
        ("csv", "people,model,worth"),
    ):
        assert said in berrypick(*command, "-o", form).out


@each("words", [["--model-truth", "empty.qrels"], ["--model-truth", "absent.qrels"], ["--model-truht", "model.qrels"],
                ["--model-truth", "people.qrels"], ["--model-truth", "-"]])  # fmt: skip
def test_mistakes_end_with_one_message(words, written, berrypick):
    from pathlib import Path

    Path("empty.qrels").write_text("")
    found = berrypick("evaluate", "people.qrels", "old.run", "-m", "AP", *words)
    assert (found.code, found.out) == (2, "") and "Traceback" not in found.err
