"""Rankings of plain spans on the report page: those of all runs of a topic, or of all topics of a run, at once.

Positions are whole numbers, so that lengths are exact in whatever order they are added; any other ranking is left to
:mod:`~berrypick.report.html.report_data`, which takes one after the other and finds the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray, Positions
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Targets, Truth
from berrypick.evaluation.scoring import takes_blocks
from berrypick.kernels.relevant_text import Measured, MeasuredText, first_seen_of
from berrypick.measures.blocks import FURTHEST, RunBlocks, SpanBlock
from berrypick.measures.readers.eprum import EPRUM
from berrypick.report.html.json_numbers import JsonText, json_rows, plain_number, plain_numbers, to_json
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic

#: Ranks, targets and probabilities; and EPRUM.
Reading = tuple[dict[str, Any] | None, float | None]
_EPRUM = EPRUM()


@dataclass(frozen=True, eq=False)
class PlainRows:
    """The results of all runs of a topic that are shown, one run after the other."""

    rankings: Sequence[Ranking]
    bounds: list[int]  # those of run i are bounds[i]:bounds[i+1]
    run: IntArray
    rank: IntArray
    start: Positions
    end: Positions

    @classmethod
    def of(cls, judged: Sequence[JudgedTopic], depth: int) -> PlainRows | None:
        """Those of the first ranks; None if a list is not plain."""
        rankings = [one.ranking for one in judged]
        if not all(one.unplaced is None and _is_plain(one.ranking) for one in judged):
            return None
        run = np.repeat(np.arange(len(rankings)), [len(ranking) for ranking in rankings])
        rank = np.concatenate([ranking.rank for ranking in rankings])
        if ((rank[1:] < rank[:-1]) & (run[1:] == run[:-1])).any():
            return None  # what is seen first is not what is shown first
        shown = rank < depth
        start, end = (np.concatenate([getattr(ranking, name) for ranking in rankings]) for name in ("start", "end"))
        if len(start) and (int(start.min()) < 0 or int(end.max()) > FURTHEST):
            return None
        bounds = np.append(0, np.cumsum(np.bincount(run[shown], minlength=len(rankings)))).tolist()
        return cls(rankings, bounds, run[shown], rank[shown], start[shown], end[shown])

    def to_json(
        self,
        document: IntArray,
        number: Mapping[str, int],
        relevant: Mapping[str, Measured],
        wanted: Targets,
    ) -> list[JsonText] | None:
        """The results of each run, and the text it has found, as members of an object; None if relevant text is not
        counted in whole numbers.

        ``document`` has the numbers of the documents of results.
        """
        if not all(_is_whole(measured) for measured in relevant.values()):
            return None
        texts = {number[name]: relevant[name] for name in sorted(relevant, key=lambda name: number[name])}
        new, fresh = self._first_seen(document, texts, len(number))
        within = np.zeros(len(document))
        for code, measured in texts.items():
            rows = np.flatnonzero(document == code)
            within[rows] = measured.within(self.start[rows], self.end[rows])
        grades = self._grades(document, {number[name] for name in wanted.document}, wanted)
        columns: list[IntArray | list[str]] = [
            self.rank + 1,
            document,
            self.start,
            self.end,
            ["null"] * len(document),
            self._scores(),
            *(column.astype(np.int64) for column in (within, fresh)),
            grades,
            self._repeated(),
        ]
        results = json_rows(columns, np.array(self.bounds))
        found, read = (
            np.bincount(self.run, values, len(self.rankings)).astype(np.int64).tolist() for values in (fresh, new)
        )
        total = sum(int(measured.total) for measured in relevant.values())
        return [
            JsonText(f'"results":{rows},"seen":{{"relevant":{a},"retrieved":{b},"total":{total}}}')
            for rows, a, b in zip(results, found, read, strict=True)
        ]

    def _first_seen(
        self, document: IntArray, texts: Mapping[int, Measured], many: int
    ) -> tuple[FloatArray, FloatArray]:
        """How much of each result is new in its list, and how much of that relevant."""
        runs = len(self.rankings)
        text = MeasuredText.one_by_one(list(texts.values()), self.start, self.end)
        text = text.of_documents(np.tile(np.arange(len(texts)), runs))
        known = (np.arange(runs)[:, None] * many + np.array(list(texts), dtype=np.int64)).ravel()
        return first_seen_of(self.run * many + document, self.start, self.end, known, text)

    def _scores(self) -> list[str]:
        found: list[str] = []
        for ranking, (a, b) in zip(self.rankings, pairwise(self.bounds), strict=True):
            known = None if ranking.score is None or a == b else to_json(plain_numbers(ranking.score[: b - a]))
            found += ["null"] * (b - a) if known is None else known[1:-1].split(",")
        return found

    def _repeated(self) -> IntArray:
        found = np.zeros(self.bounds[-1], dtype=np.int64)
        for ranking, (a, b) in zip(self.rankings, pairwise(self.bounds), strict=True):
            if ranking.repeated is not None:
                found[a:b] = ranking.repeated[: b - a]
        return found

    def _grades(self, document: IntArray, graded: set[int], wanted: Targets) -> list[str]:
        """The grade of each result that is a target."""
        found = ["null"] * len(document)
        grades = (to_json(plain_number(grade)) for grade in wanted.grade.tolist())
        grade = dict(zip(wanted.names(), grades, strict=True))
        for row in np.flatnonzero(np.isin(document, list(graded))).tolist():
            run = int(self.run[row])
            name = self.rankings[run].name(row - self.bounds[run])
            found[row] = grade.get(name, "null")
        return found


def _is_plain(ranking: Ranking) -> bool:
    if ranking.start is None or ranking.end is None or ranking.path is not None or ranking.boxes is not None:
        return False
    return ranking.start.dtype == ranking.end.dtype == np.int64 and ranking.size is None


def _is_whole(measured: Measured) -> bool:
    return measured.start.dtype.kind == "i" and (not len(measured.end) or int(measured.end[-1]) <= FURTHEST)


def sure_readings(truth: Truth, run: Run, context: JudgingContext) -> dict[str, Reading]:
    """What readers get to in the topics of a run where this is certain, and EPRUM for them, by topic."""
    found: dict[str, Reading] = {}
    if not takes_blocks(run, context) or context.user.chances is not None:
        return found
    blocks = RunBlocks(truth, run)
    for topics in blocks.blocks(list(truth.topics)):
        spans = blocks.of(topics)
        if spans is not None:
            found.update(_sure_readings(spans, context))
    return found


def _sure_readings(spans: SpanBlock, context: JudgingContext) -> dict[str, Reading]:
    values = _EPRUM.score_block(spans, context)
    reached = None if values is None else context.user.surely_reaches(*spans.pair_ends())
    if values is None or reached is None:
        return {}
    row, target = (column[reached] for column in spans.pairs)
    owner = spans.topic[row]
    ends = np.searchsorted(owner, np.arange(len(spans.topics) + 1)).tolist()
    rank, target = (spans.rank[row] + 1).tolist(), (target - spans.wanted.bounds[spans.number[owner]]).tolist()
    found: dict[str, Reading] = {}
    for topic, targets, (a, b) in zip(spans.topics, spans.targets.tolist(), pairwise(ends), strict=True):
        if not targets:
            found[topic] = None, None
        elif topic in values:
            found[topic] = {"rank": rank[a:b], "target": target[a:b], "p": [1] * (b - a)}, values[topic].value
    return found
