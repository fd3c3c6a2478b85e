"""Whole documents of all topics of a run at once: which of the judged ones it retrieves, and at which ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.run import Duplicates, Run
from berrypick.data.truth import DocumentGrades, Truth
from berrypick.kernels import native
from berrypick.topics.repeats import repeats_of


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """One row for each judged document that is retrieved, topic by topic, in ranked order.

    A document counts at its best rank, and once. Topics are numbered in the order of ``judged``.
    """

    judged: DocumentGrades
    retrieved: IntArray  # distinct documents of each topic
    topic: IntArray
    rank: IntArray  # from 0
    grade: IntArray

    @property
    def topics(self) -> int:
        return len(self.retrieved)

    def count(self, topic: IntArray) -> IntArray:
        """The number of rows of each topic."""
        return np.bincount(topic, minlength=self.topics)

    def sums(self, topic: IntArray, values: FloatArray) -> FloatArray:
        """The sum of values of each topic, added in ranked order."""
        return np.asarray(np.bincount(topic, weights=values, minlength=self.topics), dtype=np.float64)

    def relevant(self, rel: int) -> IntArray:
        """How many documents of each topic are judged relevant."""
        return self.judged.relevant(rel)

    def rows(self, keep: BoolArray) -> JudgedDocuments:
        """Some of the rows, at their ranks."""
        return JudgedDocuments(self.judged, self.retrieved, self.topic[keep], self.rank[keep], self.grade[keep])

    def number(self, topic: IntArray) -> IntArray:
        """For rows in order of topics: the how-manieth of its topic each one is, from 1."""
        counts = self.count(topic)
        return np.arange(1, len(topic) + 1) - (np.cumsum(counts) - counts)[topic]

    @cached_property
    def judged_only(self) -> JudgedDocuments:
        """As if nothing else had been retrieved. A grade below 0 stands for a document that was not judged."""
        kept = self.rows(self.grade >= 0)
        return replace(kept, retrieved=self.count(kept.topic), rank=self.number(kept.topic) - 1)


#: Judged names made ready for the kernel: once for all runs that are scored by a truth.
_ready: WeakKeyDictionary[DocumentGrades, Any] = WeakKeyDictionary()


def judged_documents(truth: Truth, run: Run, topics: Sequence[str], duplicates: Duplicates) -> JudgedDocuments:
    """The documents of some topics of a run; a topic that the run does not answer retrieves none.

    Results that are parts of one document share a rank, the best. A whole document that is repeated leaves no gap
    unless ``duplicates`` is keep.
    """
    judged = truth.document_grades.of_topics(topics)
    start, end = run.bounds[:-1], run.bounds[1:]
    if run.topics != tuple(topics):
        positions = {topic: i for i, topic in enumerate(run.topics)}
        place = np.array([positions.get(topic, -1) for topic in topics], dtype=np.int64)
        start, end = (np.where(place >= 0, run.bounds[place + i], 0) for i in (0, 1))
    compiled = native()
    repeats = repeats_of(run)
    names = run.uncoded
    if compiled is not None and names is not None and not repeats:
        if (ready := _ready.get(judged)) is None:
            ready = _ready[judged] = compiled.JudgedNames(judged.bounds, judged.names)
        found, rank = ready.find(start, end, names.column, *names.places)
        return JudgedDocuments(judged, end - start, judged.topic[found], rank, judged.grade[found])
    codes = run.codes_in_order(judged.names)
    retrieved = np.zeros(len(topics), dtype=np.int64)
    if compiled is None or run.document.dtype != np.int32:
        found, rank = _plainly_hit(start, end, run.document, judged.bounds, codes, retrieved)
    else:
        document = np.ascontiguousarray(run.document)
        found, rank = compiled.judged_hits(start, end, document, judged.bounds, codes, len(run.documents), retrieved)
    if repeats and duplicates == "keep" and not run.points_into_documents:
        for number, topic in enumerate(topics):
            if topic in repeats:
                own = judged.topic[found] == number
                rank[own] = np.flatnonzero(~repeats[topic])[rank[own]]
    return JudgedDocuments(judged, retrieved, judged.topic[found], rank, judged.grade[found])


def _plainly_hit(
    start: IntArray, end: IntArray, document: IntArray, bounds: IntArray, codes: IntArray, retrieved: IntArray
) -> tuple[IntArray, IntArray]:
    """Which judgements are retrieved, and at which rank; fills in the numbers of documents retrieved."""
    found: list[int] = []
    ranks: list[int] = []
    for topic in range(len(retrieved)):
        known = {int(codes[i]): i for i in range(int(bounds[topic]), int(bounds[topic + 1])) if codes[i] >= 0}
        distinct = dict.fromkeys(document[int(start[topic]) : int(end[topic])].tolist())
        retrieved[topic] = len(distinct)
        for rank, code in enumerate(distinct):
            if code in known:
                found.append(known[code])
                ranks.append(rank)
    return np.array(found, dtype=np.int64), np.array(ranks, dtype=np.int64)
