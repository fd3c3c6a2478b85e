"""Topics scored in blocks: every digit, note and part read as where they are judged one by one."""

import re

import numpy as np
import pytest

import berrypick as bp
from berrypick import measures
from berrypick.evaluation import scoring
from berrypick.measures import blocks
from berrypick.measures.spans.charr import charR

TEXT = [
    "charR",
    "charR@3",
    "charP",
    "charP(empty=1)@2",
    "charF(beta=2)",
    "IoU@4",
    "charR(counted='each')",
    "Overlap",
    "Overlap@2",
]
FOUND = ["spanHit@2", "spanRR", "spanRR(share=1)", "spanAll(share=0.2)", "spanNDCG@3", "spanNDCG(gain='binary')"]
MATCHED = ["spanRR(iou=0.5)", "spanAP", "spanAP(iou='0.1:0.5')@3", "spanAP(length='short')", "spanHit(length='long')"]
READ = ["EPRUM", "EPRUM@0.5", "EPRUM(r=2)", "EPRUM(rank=3)", "EPRUM(user='coverage')", "EPRUM(together='low')"]
PASSAGES = [
    "AiP",
    "iP@0",
    "iP@0.07",
    "iP@0.155",
    "iP@1",
    "AgP",
    "AgP(beta=1)",
    "AgP(score='bep')",
    "gP@2",
    "gR",
    "gR@1",
]
MEASURES = [*TEXT, *FOUND, *MATCHED, *READ, *PASSAGES]


def span(draw, most=60):
    start = int(draw.integers(0, most))
    return {"doc": f"d{draw.integers(4)}", "start": start, "end": start + int(draw.choice([0, 1, 5, 20, 40]))}


def drawn(seed):
    """A truth and a run with whatever may make a topic one that is judged alone."""
    draw = np.random.default_rng(seed)
    grades = [[1], [1, 2], [0, 1, 3], [0, 0.5, 1], [-1, 1]][int(draw.integers(5))]
    truth, run = {}, {}
    for topic in range(int(draw.integers(3, 12))):
        judged = {}
        for _ in range(int(draw.integers(0, 5))):
            one, grade = span(draw), float(draw.choice(grades))
            if one["end"] > one["start"] or not grade:
                judged[one["doc"], one["start"], one["end"]] = {**one, "grade": grade}
        truth[f"q{topic}"] = [*judged.values()] or [{"doc": "d0", "start": 0, "end": 9, "grade": 0}]
    for topic in [*truth, "unjudged"]:
        results = [span(draw) for _ in range(int(draw.integers(0, 12)))]
        if draw.random() < 0.8:  # most lists point to nothing twice
            results = [*{tuple(one.values()): one for one in results}.values()]
        if draw.random() < 0.9 or topic == "q0":
            run[topic] = results or [{"doc": "d1", "start": 0, "end": 30}]
    return truth, run


def outcome(truth, run, asked=MEASURES, **options):
    """Everything that an evaluation tells, or the message with which it refuses."""
    try:
        found = bp.evaluate(truth, run, asked, **options)
    except bp.BerrypickError as error:
        return str(error)
    return [*map(repr, (*found.topic_rows, *found.mean_rows))], [*map(repr, found.notes)], repr(found.run_facts)


def alone(monkeypatch):
    monkeypatch.setattr(scoring, "takes_blocks", lambda run, context: False)


@pytest.mark.slow
@pytest.mark.parametrize("kernels", ["native", "numpy"])
def test_topics_together_are_as_topics_alone(monkeypatch, kernels):
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels if kernels == "numpy" else "")
    drawings = [drawn(seed) for seed in range(16)]
    both = [outcome(*one) for one in drawings]
    alone(monkeypatch)
    assert both == [outcome(*one) for one in drawings]
    assert sum(isinstance(one, tuple) for one in both) > 12


@pytest.mark.slow
@pytest.mark.parametrize("kernels", ["native", "numpy"])
def test_curves_of_topics_together_are_as_those_of_topics_alone(monkeypatch, kernels):
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels if kernels == "numpy" else "")
    drawings = [drawn(seed) for seed in range(400, 412)]
    asked = [*TEXT, *READ, *PASSAGES, "spanRR", "EPRUM(r=3)", "charP(empty=1)"]
    both = [outcome(*one, asked, curves=True) for one in drawings]
    alone(monkeypatch)
    assert both == [outcome(*one, asked, curves=True) for one in drawings]
    assert sum(isinstance(one, tuple) for one in both) > 8


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"duplicates": "first"},
        {"user": "coverage"},
        {"user": "classical(returns=False)"},
        {"user": "classical(share=0.2)"},
        {"idealism": "1=.5,2=1,3=1"},
        {"unjudged": "relevant"},
        {"topics": "run"},
        {"protocol": "chunking_evaluation"},
    ],
    ids=str,
)
def test_options_that_change_what_is_judged(monkeypatch, options):
    drawings = [drawn(seed) for seed in range(100, 104)]
    both = [outcome(*one, **options) for one in drawings]
    alone(monkeypatch)
    assert both == [outcome(*one, **options) for one in drawings]


def test_every_measure_that_takes_topics_together_is_compared():
    own = {name for name, one in measures.registered().items() if one.scored_in_blocks}
    assert own and own <= {re.split(r"[@(]", text)[0] for text in MEASURES}


@pytest.mark.slow
def test_blocks_of_topics_are_as_one(monkeypatch):
    drawings = [drawn(seed) for seed in range(200, 204)]
    both = [outcome(*one) for one in drawings]
    monkeypatch.setattr(blocks, "ROWS", 9)
    assert both == [outcome(*one) for one in drawings]
    monkeypatch.setattr(blocks, "MOST_PAIRS", 5)
    assert both == [outcome(*one) for one in drawings]


@pytest.mark.slow
def test_what_lists_repeat_is_told_in_a_note(monkeypatch):
    drawings = [drawn(seed) for seed in range(300, 320)]
    both = [outcome(*one, ["EPRUM", "charP"]) for one in drawings]
    alone(monkeypatch)
    assert both == [outcome(*one, ["EPRUM", "charP"]) for one in drawings]
    assert any("overlap" in note for _, notes, _ in both for note in notes)


@pytest.mark.slow
def test_real_passages_together_are_as_alone(monkeypatch, data):
    folder = data / "inex2009-2010"
    given = bp.read_truth(folder / "inex2009-2010.qrels"), bp.read_run(folder / "runs" / "indri_passages_ric.run")
    both = outcome(*given, [*PASSAGES, "charR", "charP@5"])
    alone(monkeypatch)
    assert both == outcome(*given, [*PASSAGES, "charR", "charP@5"])


def test_plain_topics_are_not_judged_alone(monkeypatch):
    """What is compared above is not the same way twice."""
    truth = {f"q{i}": [{"doc": "d", "start": 10 * i, "end": 10 * i + 10}] for i in range(4)}
    run = {topic: [{"doc": "d", "start": 5, "end": 25}, {"doc": "e", "start": 0, "end": 5}] for topic in truth}
    monkeypatch.setattr(scoring.RunScorer, "_score", None)
    found = bp.evaluate(truth, run, "charR charP spanRR EPRUM")
    values = {row.measure: row.value for row in found.mean_rows}
    assert values["charR"] == pytest.approx((0.5 + 1 + 0.5 + 0) / 4)
    assert values["charP"] == pytest.approx((5 + 10 + 5 + 0) / 25 / 4)
    assert (values["spanRR"], values["EPRUM"]) == (0.75, 0.75)


def test_curves_of_plain_topics_are_not_made_alone(monkeypatch):
    truth = {f"q{i}": [{"doc": "d", "start": 10 * i, "end": 10 * i + 10}] for i in range(4)}
    run = {topic: [{"doc": "d", "start": 5, "end": 25}, {"doc": "e", "start": 0, "end": 5}] for topic in truth}
    monkeypatch.setattr(scoring.RunScorer, "_score", None)
    monkeypatch.setattr(scoring.RunScorer, "_add_curves", None)
    found = {row.measure: row.curve for row in bp.evaluate(truth, run, "charR charP EPRUM", curves=True).mean_rows}
    assert found["charR"] == [(1, 0.5), (2, 0.5)]
    assert [y for _, y in found["charP"]] == pytest.approx([20 / 20 / 4, 20 / 25 / 4])
    assert found["EPRUM"][0] == (0.01, 0.75)


def test_a_measure_that_replaces_a_method_is_computed_as_it_says():
    class twice(charR):
        "Twice charR."

        def compute(self, judged):
            return 2 * super().compute(judged).value

    class renamed(charR):
        "charR by another name."

    class mixed(twice, charR):
        "Twice charR by another name."

    class declared(twice):
        "What scores topics in blocks, and says so."

        scored_in_blocks = True

    assert [one.scored_in_blocks for one in (twice, renamed, mixed, declared)] == [False, True, False, True]
    truth, run = ({f"q{i}": {place: 1} for i in range(5)} for place in ("doc#0-160", "doc#40-340"))
    assert bp.evaluate(truth, run, [twice(), charR()]).mean()["run"] == {"twice": 1.5, "charR": 0.75}
