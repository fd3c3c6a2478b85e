"""Rankings of plain spans taken together: the data of every topic as where they are taken one after the other."""

import base64
import gzip
import json
from itertools import pairwise

import numpy as np
import pytest

from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.html import report_data
from berrypick.report.html.json_numbers import json_rows, plain_number, plain_numbers
from berrypick.report.html.plain_rankings import PlainRows
from berrypick.report.html.report_data import Details
from berrypick.report.html.report_users import Reader
from berrypick.report.html.topic_blocks import TopicBlock
from berrypick.users import build

MODELS = [build(text) for text in ("classical", "classical(share=0.1)", "coverage")]


def span(draw):
    start = int(draw.integers(0, 60))
    return {"doc": f"d{draw.integers(4)}", "start": start, "end": start + int(draw.choice([0, 1, 5, 20, 40]))}


def results(draw, judged):
    """A list that may repeat, find targets as they are judged, or have scores."""
    found = [span(draw) for _ in range(int(draw.integers(0, 12)))] + judged[: int(draw.integers(0, 2))]
    if draw.random() < 0.7:
        found = [*{tuple(one.values()): one for one in found}.values()]
    return [{**one, "score": 9 - i / 4} for i, one in enumerate(found)] if draw.random() < 0.5 else found


def drawn(seed):
    draw = np.random.default_rng(seed)
    grades = [[1], [0, 1, 3], [0, 0.5, 1]][seed % 3]
    judged = {f"q{i}": [span(draw) for _ in range(int(draw.integers(1, 5)))] for i in range(6)}
    judged = {topic: [one for one in spans if one["end"] > one["start"]] for topic, spans in judged.items()}
    truth = {
        topic: [{**one, "grade": float(draw.choice(grades))} for one in {tuple(s.values()): s for s in spans}.values()]
        or [{"doc": "d0", "start": 0, "end": 9, "grade": 0}]
        for topic, spans in judged.items()
    }
    runs = {
        f"s{number}": {topic: found for topic, spans in judged.items() if (found := results(draw, spans))}
        for number in range(3)
    }
    return truth, runs


def detailed(truth, runs, depth=5, **options):
    evaluation = Evaluation.prepare(truth, runs, "EPRUM charR", **options)
    return Details(evaluation, [Reader((model,)) for model in MODELS], depth, {})


def told(truth, runs, **options):
    details = detailed(truth, runs, **options)
    evaluation = details.evaluation
    return [unpacked(TopicBlock.of(details.topic(topic).to_json(), 0)) for topic in evaluation.truth.topics]


def unpacked(block):
    """The text of a block."""
    return gzip.decompress(base64.b64decode(block.packed({}, {}))).decode("ascii")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"duplicates": "first"}, {"idealism": "0.5=.1,1=.5,3=1"}, {"depth": 100}], ids=str
)
def test_rankings_together_are_as_one_after_the_other(monkeypatch, options):
    drawings = [drawn(seed) for seed in range(6)]
    together = [told(*one, **options) for one in drawings]
    monkeypatch.setattr(PlainRows, "of", lambda judged, depth: None)
    monkeypatch.setattr(report_data, "sure_readings", lambda truth, run, context: {})
    assert together == [told(*one, **options) for one in drawings]


def test_plain_rankings_are_taken_together(monkeypatch):
    """What is compared above is not the same way twice."""
    truth = {f"q{i}": [{"doc": "d", "start": 0, "end": 10}] for i in range(4)}
    runs = {"a": {topic: [{"doc": "d", "start": 5, "end": 25}, {"doc": "e", "start": 0, "end": 9}] for topic in truth}}
    monkeypatch.setattr(report_data.PageTopic, "_run", None)
    first = json.loads(told(truth, runs)[0])
    assert first["runs"][0]["seen"] == {"relevant": 5, "retrieved": 29, "total": 10}
    rows = [[1, 0, 5, 25, None, None, 5, 5, None, 0], [2, 1, 0, 9, None, None, 0, 0, None, 0]]
    assert first["runs"][0]["results"] == rows
    assert first["reach"][0][0][0] == {"rank": [1], "target": [0], "p": [1]}


def test_documents_come_by_the_best_rank_of_any_run():
    """Those with something relevant first; of equal ranks, as they are met."""
    for seed in range(12):
        details = detailed(*drawn(seed), depth=4)
        for topic in details.evaluation.truth.topics:
            page = details.topic(topic)
            page.to_json()
            best, numbers = {}, []
            for one in page.judged:
                rows = [
                    (one.ranking.documents[c], k)
                    for c, k in zip(one.ranking.document, one.ranking.rank, strict=True)
                    if k < 4
                ]
                for name, rank in rows:
                    best[name] = min(rank, best.get(name, rank))
                numbers += [page.number[name] for name, _ in rows]
            wanted = list(dict.fromkeys([*page.targets.document, *page.relevant]))
            ordered = sorted(wanted, key=lambda name: best.get(name, 9))
            ordered += sorted((name for name in best if name not in wanted), key=lambda name: best[name])
            assert list(page.number) == ordered and page.document.tolist() == numbers


@pytest.mark.parametrize("change", [0.25, 1 << 40], ids=["fractions", "far away"])
def test_other_positions_are_left_alone(monkeypatch, change):
    truth = {f"q{i}": [{"doc": "d", "start": 0 + change, "end": 10 + change}] for i in range(4)}
    runs = {"a": {topic: [{"doc": "d", "start": 5 + change, "end": 25 + change}] for topic in truth}}
    both = told(truth, runs)
    monkeypatch.setattr(PlainRows, "of", lambda judged, depth: None)
    assert told(truth, runs) == both
    assert json.loads(both[0])["runs"][0]["seen"] == {"relevant": 5, "retrieved": 20, "total": 10}


@pytest.mark.parametrize("kernels", ["native", "numpy"])
def test_rows_as_json(monkeypatch, kernels):
    """As Python writes them, whatever the numbers."""
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels if kernels == "numpy" else "")
    draw = np.random.default_rng(3)
    for rows in (0, 1, 2, 300):
        numbers = draw.integers(-(2**63), 2**63 - 1, (3, rows)) >> draw.integers(0, 64, (3, rows))
        texts = [json.dumps(value) for value in draw.choice([None, 0.5, 1e-7, "\u00fc", 12], rows).tolist()]
        bounds = np.sort(np.append(draw.integers(0, rows + 1, 3), [0, rows]))
        columns = [*numbers[:2].tolist(), map(json.loads, texts), numbers[2].tolist()]
        lists = [list(row) for row in zip(*columns, strict=True)]
        expected = [json.dumps(lists[a:b], separators=(",", ":")) for a, b in pairwise(bounds.tolist())]
        assert json_rows([*numbers[:2], texts, numbers[2]], bounds) == expected


def test_numbers_that_json_has():
    far = 2**53
    assert plain_numbers(np.array([1, -far, far - 1])) == [1, float(-far), far - 1]
    assert plain_numbers(np.array([1.0, -0.0])) == [1, 0]
    assert plain_numbers(np.array([1.5, np.nan, 2.0])) == [1.5, None, 2]
    assert [plain_number(value) for value in (np.inf, 3.0, far)] == [None, 3, float(far)]
