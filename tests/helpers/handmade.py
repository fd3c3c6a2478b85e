"""Truths, runs and readers made by hand, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.collection import Collection
from berrypick.data.navigation import ReachTable
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth


def document_truth(grades: Mapping[str, Mapping[str, float]]) -> Truth:
    """{topic: {document: grade}}"""
    topics = {
        topic: TopicTruth(topic, tuple(judged), np.array(list(judged.values()), dtype=np.float64))
        for topic, judged in grades.items()
    }
    return Truth("documents", topics)


def document_run(lists: Mapping[str, Sequence[str]], tag: str = "run", duplicates: str = "error") -> Run:
    """{topic: documents in ranked order}"""
    rows = [(topic, document) for topic, documents in lists.items() for document in documents]
    return assemble(tag=tag, topic=[t for t, _ in rows], document=[d for _, d in rows], duplicates=duplicates)


def span_truth(spans: Mapping[str, Sequence[tuple]]) -> Truth:
    """{topic: [(document, start, end) or (document, start, end, grade)]}"""
    topics = {}
    for topic, judged in spans.items():
        topics[topic] = TopicTruth(
            topic,
            tuple(span[0] for span in judged),
            np.array([span[3] if len(span) > 3 else 1.0 for span in judged], dtype=np.float64),
            np.array([span[1] for span in judged], dtype=np.int64),
            np.array([span[2] for span in judged], dtype=np.int64),
        )
    return Truth("spans", topics)


def span_run(lists: Mapping[str, Sequence[tuple]], tag: str = "run", duplicates: str = "keep") -> Run:
    """{topic: [(document, start, end) or (document, start, end, rank)]}; equal ranks are one list item."""
    rows = [(topic, *span) for topic, spans in lists.items() for span in spans]
    ranked = bool(rows) and len(rows[0]) > 4
    return assemble(
        tag=tag,
        topic=[row[0] for row in rows],
        document=[row[1] for row in rows],
        start=np.array([row[2] for row in rows], dtype=np.int64),
        end=np.array([row[3] for row in rows], dtype=np.int64),
        rank=np.array([row[4] for row in rows], dtype=np.float64) if ranked else None,
        order="rank" if ranked else "file",
        duplicates=duplicates,
    )


def lengths(**documents: float) -> Collection:
    return Collection(documents)


def from_matrix(reach, topic: str = "1", grades: Sequence[float] | None = None) -> tuple[Truth, Run, ReachTable]:
    """Truth, run and table of reach in which rank k leads to target x with the given probability.

    Results are called r1, r2, .. and targets x1, x2, ..; no target is retrieved itself.
    """
    ranks, targets = np.shape(reach)
    grades = [1.0] * targets if grades is None else grades
    truth = document_truth({topic: {f"x{x + 1}": grades[x] for x in range(targets)}})
    run = document_run({topic: [f"r{k + 1}" for k in range(ranks)]})
    rows = {(f"r{k + 1}", f"x{x + 1}"): float(reach[k][x]) for k in range(ranks) for x in range(targets)}
    return truth, run, ReachTable(rows)


def truth_of(**topics: dict[str, Any]) -> Truth:
    """Topics with spans {(document, start, end): grade} and documents judged as a whole."""
    found = {}
    for name, topic in topics.items():
        spans = list(topic.get("spans", {}).items())
        found[name] = TopicTruth(
            name,
            tuple(document for (document, _, _), _ in spans),
            np.array([grade for _, grade in spans], dtype=np.float64),
            np.array([start for (_, start, _), _ in spans], dtype=np.int64),
            np.array([end for (_, _, end), _ in spans], dtype=np.int64),
            judged_documents=tuple(topic.get("whole", ())),
        )
    return Truth("spans", found)
