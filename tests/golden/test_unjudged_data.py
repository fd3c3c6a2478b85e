"""Judgements of real data removed at random: differences stay between the values under the two favouring truths."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.unjudged import UnjudgedBounds, unjudged_bounds
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth

AT = 10
SLACK = 1e-12
Marks = dict[str, np.ndarray]


def rows_of(topic: TopicTruth, kept: list[int], **more: object) -> TopicTruth:
    return replace(
        topic,
        document=tuple(topic.document[row] for row in kept),
        grade=topic.grade[kept],
        start=topic.start[kept],
        end=topic.end[kept],
        line=None,
        quotes=(),
        entry_points=(),
        **more,
    )


def without_spans(truth: Truth, rng: random.Random) -> Truth:
    """A third of the relevant spans forgotten; of a truth that judges nothing else."""
    topics = {
        name: rows_of(topic, [row for row in range(len(topic)) if rng.random() > 0.33], no_answer=False)
        for name, topic in truth.topics.items()
    }
    return replace(truth, topics=topics)


def without_documents(truth: Truth, rng: random.Random) -> Truth:
    """A third of the judged documents forgotten, with all that was judged in them."""
    topics = {}
    for name, topic in truth.topics.items():
        kept = {document for document in topic.documents() if rng.random() > 0.33}
        rows = [row for row, document in enumerate(topic.document) if document in kept]
        empty = tuple(document for document in topic.empty_documents if document in kept)
        topics[name] = rows_of(topic, rows, empty_documents=empty)
    return replace(truth, topics=topics)


def chunk_runs(truth: Truth, texts: bp.Texts, rng: random.Random) -> Iterator[Run]:
    """Chunks of several sizes around the answers and elsewhere."""
    for size in (200, 400, 900):
        rows = []
        for name, topic in truth.topics.items():
            starts = [(topic.document[i], int(topic.start[i])) for i in range(len(topic))]
            starts += [(document, rng.randrange(len(texts[document]))) for document in rng.choices(list(texts), k=4)]
            rng.shuffle(starts)
            for rank, (document, at) in enumerate(starts[:8], start=1):
                begin = max(0, at - rng.randrange(size))
                rows.append({"topic": name, "doc": document, "start": begin, "end": begin + size, "rank": rank})
        yield bp.Evaluation.prepare(truth, rows, "charP").runs["run"]


def marked(lengths: dict[str, int], spans: Iterator[tuple[str, int, int]]) -> Marks:
    """Characters of documents that some spans hold."""
    found: Marks = {}
    for document, start, end in spans:
        found.setdefault(document, np.zeros(lengths[document], dtype=bool))[max(start, 0) : max(end, 0)] = True
    return found


def size(*marks: Marks) -> int:
    """How many characters all of these hold."""
    names = set.intersection(*(set(mark) for mark in marks))
    return sum(int(np.logical_and.reduce([mark[name] for mark in marks]).sum()) for name in names)


def joined(lengths: dict[str, int], *marks: Marks) -> Marks:
    names = set().union(*marks)
    none = {name: np.zeros(lengths[name], dtype=bool) for name in names}
    return {name: np.logical_or.reduce([mark.get(name, none[name]) for mark in marks]) for name in names}


class Case:
    """A full truth, one with judgements removed, and runs."""

    def __init__(self, full: Truth, less: Truth, runs: dict[str, Run]) -> None:
        self.full, self.less, self.runs = full, less, runs
        measures = f"charP@{AT} charR@{AT}"
        prepared = bp.Evaluation.prepare(less, runs, measures)
        self.bounds: dict[str, UnjudgedBounds] = unjudged_bounds(prepared)
        self.low = bp.evaluate(less, runs, measures, unjudged="irrelevant").per_topic()
        self.high = bp.evaluate(less, runs, measures, unjudged="relevant").per_topic()
        self.now = bp.evaluate(full, runs, measures).per_topic()
        self.compared = bp.compare(less, runs, measures, resamples=200)
        ends: dict[str, int] = {}
        for run in runs.values():
            for code, end in zip(run.document.tolist(), run.end.tolist(), strict=True):
                name = run.documents[code]
                ends[name] = max(ends.get(name, 0), int(end))
        for topic in full.topics.values():
            for name, end in zip(topic.document, topic.end.tolist(), strict=True):
                ends[name] = max(ends.get(name, 0), int(end))
        self.ends = ends

    def retrieved(self, name: str, topic: str) -> Marks:
        ranking = self.runs[name].ranking(topic)
        kept = ranking.rows(ranking.rank < AT)
        names = [kept.documents[code] for code in kept.document.tolist()]
        return marked(self.ends, zip(names, kept.start.tolist(), kept.end.tolist(), strict=True))

    def text(self, truth: Truth, topic: str) -> Marks:
        found = truth.topics[topic].relevant_text()
        return marked(self.ends, zip(found.document, found.start.tolist(), found.end.tolist(), strict=True))

    def judged(self, topic: str) -> Marks:
        whole = self.less.topics[topic].whole_documents
        full = {name: np.ones(self.ends[name], dtype=bool) for name in whole if name in self.ends}
        return joined(self.ends, self.text(self.less, topic), full)

    def check(self) -> int:
        """How many pairs turn round; the number of topics looked at is checked as well."""
        precision, recall = f"charP@{AT}", f"charR@{AT}"
        looked = 0
        differences: dict[tuple[str, str, str], list[float]] = {}
        for measure, bounds in self.bounds.items():
            for one in bounds.topics:
                lists = {name: self.retrieved(name, one.topic) for name in bounds.runs}
                relevant = self.text(self.full, one.topic)
                for i, j in combinations(range(len(bounds.runs)), 2):
                    a, b = bounds.runs[i], bounds.runs[j]
                    if measure == precision:
                        values = [self.now[name][measure][one.topic] for name in (a, b)]
                    else:
                        seen = joined(self.ends, self.judged(one.topic), lists[a], lists[b])
                        total = size(relevant, seen)
                        values = [size(relevant, lists[name]) / total if total else None for name in (a, b)]
                    if None in values:
                        continue
                    difference = values[0] - values[1]
                    assert one.low[i, j] - SLACK <= difference <= one.high[i, j] + SLACK, (measure, one.topic, a, b)
                    differences.setdefault((measure, a, b), []).append(difference)
                    looked += 1
        assert looked > 100
        for name, values in self.now.items():
            for topic, value in values[precision].items():
                if value is not None and self.low[name][precision][topic] is not None:
                    assert (
                        self.low[name][precision][topic] - SLACK <= value <= self.high[name][precision][topic] + SLACK
                    )
            for topic, value in values[recall].items():
                if value is not None and self.high[name][recall][topic] is not None:
                    assert value <= self.high[name][recall][topic] + SLACK
        turned = 0
        for (measure, a, b), found in differences.items():
            pair = self.compared.pair(measure, a, b)
            if pair.difference * np.mean(found) < 0:
                turned += 1
                assert pair.could_turn_round, (measure, a, b)
        return turned


@pytest.mark.parametrize("seed", range(3))
def test_chunks(data: Path, seed: int) -> None:
    rng = random.Random(seed)
    texts = bp.read_texts(data / "chunking-evaluation" / "corpora")
    truth = bp.locate(bp.read_truth(data / "chunking-evaluation" / "questions_df.csv"), texts)
    chosen = dict(rng.sample(sorted(truth.topics.items()), 80))
    full = replace(truth, topics=chosen)
    runs = {f"r{i}": replace(run, tag=f"r{i}") for i, run in enumerate(chunk_runs(full, texts, rng))}
    Case(full, without_spans(full, rng), runs).check()


@pytest.mark.parametrize("seed", range(2))
def test_passages_of_inex(data: Path, seed: int) -> None:
    rng = random.Random(seed)
    folder = data / "inex2009-2010"
    truth = bp.read_truth(folder / "inex2009-2010.qrels")
    runs = {}
    for name in ("bert_inex_converted_1", "indri_passages_ric"):
        run = bp.read_run(folder / "runs" / f"{name}.run")
        runs[name] = replace(run, tag=name).keep((run.rank < 3 * AT) & (run.start >= 0))
    both = [topic for topic in truth.topics if all(topic in run for run in runs.values())]
    full = replace(truth, topics={topic: truth.topics[topic] for topic in both})
    Case(full, without_documents(full, rng), runs).check()


@dataclass(frozen=True)
class Replay:
    """What is pooled from two runs, and the assessments of it."""

    runs: dict[str, Run]
    tasks: list[Any]
    relevant: dict[str, dict[str, np.ndarray]]
    full: Truth


@pytest.fixture(scope="module")
def replay(data: Path) -> Replay:
    """Of all topics that both runs answer, in made-up documents that are as long as the assessments say."""
    folder = data / "inex2009-2010"
    truth = bp.read_truth(folder / "inex2009-2010.qrels")
    runs = {}
    for name in ("bert_inex_converted_1", "indri_passages_ric"):
        run = bp.read_run(folder / "runs" / f"{name}.run")
        kept = run.keep((run.start >= 0) & np.isin(run.document, run.codes_in_order(list(truth.lengths))))
        runs[name] = replace(kept, tag=name)
    topics = [topic for topic in truth.topics if all(run.size(topic) for run in runs.values())]
    assert len(topics) == 59
    filler = "canes \U0001f347 in autumn " * 40_000
    texts = bp.Texts({name: filler[: int(length)] for name, length in truth.lengths.items()})
    inside = {name: run.keep(_inside(run, truth)) for name, run in runs.items()}
    tasks = [
        task for task in bp.pool(list(inside.values()), texts, depth=10_000, context=30) if task.topic in set(topics)
    ]
    assert len(tasks) > 200
    ends = {name: len(texts[name]) for name in truth.lengths}
    relevant = {
        topic: marked(ends, zip(text.document, text.start.tolist(), text.end.tolist(), strict=True))
        for topic in topics
        for text in [truth.topics[topic].relevant_text()]
    }
    pooled: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for task in tasks:
        pooled.setdefault(task.topic, {}).setdefault(task.document, []).extend(task.regions)
    full = replace(truth, topics={topic: _within(truth.topics[topic], pooled[topic], ends) for topic in topics})
    return Replay(inside, tasks, relevant, full)


@pytest.mark.parametrize("dialect", ["label-studio", "doccano", "w3c", "jsonl"])
def test_assessments_of_inex_replayed_through_a_pool(replay: Replay, tmp_path: Path, dialect: str) -> None:
    """An annotator who gives the assessments again: pool, export, the same numbers to the last digit.

    Of the truth what the runs retrieve is compared.
    """
    judged = ((task, list(_stretches(task, replay.relevant[task.topic].get(task.document)))) for task in replay.tasks)
    path = tmp_path / "export.json"
    path.write_text(EXPORTS[dialect](judged), encoding="utf-8")
    back = bp.read_truth(path)
    measures = "charP charR charF IoU charP@10 charR@10 AiP iP@0.01"
    for name, run in replay.runs.items():
        one = bp.evaluate(replay.full, run, measures).per_topic()[name]
        two = bp.evaluate(back, run, measures).per_topic()[name]
        assert one == {measure: {topic: values[topic] for topic in one[measure]} for measure, values in two.items()}
        assert any(value for value in one["charR"].values())
        assert set(bp.evaluate(back, run, "charJudged").per_topic()[name]["charJudged"].values()) <= {1.0, None}


Judged = Iterator[tuple[Any, list[tuple[int, int, str]]]]


def _stretches(task: Any, relevant: np.ndarray | None) -> Iterator[tuple[int, int, str]]:
    """Every region in stretches of one label, as characters of the document."""
    for start, end in task.regions:
        good = np.zeros(end - start, dtype=bool) if relevant is None else relevant[start:end]
        cuts = [0, *(np.flatnonzero(good[1:] != good[:-1]) + 1).tolist(), end - start]
        for low, high in pairwise(cuts):
            yield start + low, start + high, "relevant" if good[low] else "irrelevant"


def _utf16(task: Any, at: int) -> int:
    return len(task.text[: at - task.offset].encode("utf-16-le")) // 2


def _fields(task: Any) -> dict[str, Any]:
    return {"topic": task.topic, "doc": task.document, "offset": task.offset, "text": task.text}


def _label_studio(judged: Judged) -> str:
    """Offsets in UTF-16 units."""
    found = []
    for task, spans in judged:
        result = [
            {
                "type": "labels",
                "value": {
                    "start": _utf16(task, low),
                    "end": _utf16(task, high),
                    "text": task.text[low - task.offset : high - task.offset],
                    "labels": [label],
                },
            }
            for low, high, label in spans
        ]
        found.append({"data": _fields(task), "annotations": [{"completed_by": 1, "result": result}]})
    return json.dumps(found)


def _doccano(judged: Judged) -> str:
    return "".join(
        json.dumps(
            {**_fields(task), "label": [[_utf16(task, low), _utf16(task, high), label] for low, high, label in s]}
        )
        + "\n"
        for task, s in judged
    )


def _w3c(judged: Judged) -> str:
    """Positions count characters of the document."""
    found = []
    for task, spans in judged:
        for low, high, label in spans:
            body = [
                {"type": "TextualBody", "purpose": purpose, "value": value}
                for purpose, value in (("tagging", f"topic:{task.topic}"), ("assessing", label))
            ]
            selector = [{"type": "TextPositionSelector", "start": low, "end": high}]
            target = {"source": task.document, "selector": selector}
            found.append({"type": "Annotation", "body": body, "target": target})
    return json.dumps(found)


def _jsonl(judged: Judged) -> str:
    rows = (
        {"topic": task.topic, "doc": task.document, "start": low, "end": high, "grade": int(label == "relevant")}
        for task, spans in judged
        for low, high, label in spans
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


EXPORTS: dict[str, Callable[[Judged], str]] = {
    "label-studio": _label_studio,
    "doccano": _doccano,
    "w3c": _w3c,
    "jsonl": _jsonl,
}


def _inside(run: Run, truth: Truth) -> np.ndarray:
    lengths = np.array([truth.lengths.get(name, 0) for name in run.documents])
    return run.end <= lengths[run.document]


def _within(topic: TopicTruth, regions: dict[str, list[tuple[int, int]]], ends: dict[str, int]) -> TopicTruth:
    """The relevant text inside of some regions."""
    text = topic.relevant_text()
    mine = marked(ends, zip(text.document, text.start.tolist(), text.end.tolist(), strict=True))
    pool = marked(ends, ((name, a, b) for name, spans in regions.items() for a, b in spans))
    rows = []
    for name in sorted(set(mine) & set(pool)):
        both = np.concatenate([[False], mine[name] & pool[name], [False]])
        cuts = np.flatnonzero(both[1:] != both[:-1]).reshape(-1, 2)
        rows += [(name, a, b) for a, b in cuts.tolist()]
    return TopicTruth(
        topic.topic,
        tuple(name for name, _, _ in rows),
        np.ones(len(rows)),
        np.array([a for _, a, _ in rows], dtype=np.int64),
        np.array([b for _, _, b in rows], dtype=np.int64),
        empty_documents=tuple(regions) if not rows else (),
    )
