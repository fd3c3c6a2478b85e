"""The panel of the report page on which sets were completed, and what was missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.report.panels.base import Panel
from berrypick.topics.topic import JudgedTopic

#: Rows of a run, those that lack most first; and names in a cell.
MOST_TOPICS, MOST_NAMES = 50, 5


class CompletedSets(Panel):
    """Topic by topic the set that was completed first, or the one that lacks least."""

    name: ClassVar[str] = "completed_sets"
    title: ClassVar[str] = "What was enough, and what was missing"

    def parts(self, evaluation: Evaluation, results: Results) -> Sequence[Table | str]:
        """Return a table for each run, where a measure of sets is shown; none for readers who move."""
        one = next((one for one in evaluation.measures if one.measure.of_sets), None)
        if one is None:
            return []
        return [part for run in evaluation.runs for part in _of_run(evaluation, run, one)]


def _of_run(evaluation: Evaluation, run: str, one: RequestedMeasure) -> Iterator[Table | str]:
    rows: list[tuple[int, list[str]]] = []
    for topic in evaluation.truth.topics:
        judged = evaluation.judge(run, topic)
        if not len(judged.targets) or not judged.sufficient.possible:
            continue
        ranks = one.measure.found_at(judged)
        if ranks is None:
            return
        rows.append(_row(judged, ranks))
    if not rows:
        return
    rows.sort(key=lambda row: -row[0])
    title = f"{run}, as {one.text} counts; topics that lack most first"
    head = ["topic", "enough at rank", "completed, or nearest to it", "missing"]
    yield Table(title, head, [cells for _, cells in rows[:MOST_TOPICS]], align="<><<")
    if len(rows) > MOST_TOPICS:
        yield f"{counted(len(rows) - MOST_TOPICS, 'more topic')} not shown."


def _row(judged: JudgedTopic, ranks: FloatArray) -> tuple[int, list[str]]:
    """How much a topic lacks, and its cells."""
    sufficient, names = judged.sufficient, judged.targets.names()
    lacking = sufficient.missing(np.isfinite(ranks))
    when = float(sufficient.complete_at(ranks))
    if sufficient.kind == "hop":
        which = ", ".join(name for name, gone in zip(sufficient.names, lacking, strict=True) if not gone)
        gone_hops = [name for name, gone in zip(sufficient.names, lacking, strict=True) if gone]
        missing, lacks = [f"hop {name}" for name in gone_hops], len(gone_hops)
    else:
        ends = [ranks[list(group)].max() for group in sufficient.groups]
        nearest = min(range(len(lacking)), key=lambda i: (len(lacking[i]), ends[i]))
        which, missing, lacks = sufficient.names[nearest], [names[x] for x in lacking[nearest]], len(lacking[nearest])
    shown = ", ".join(missing[:MOST_NAMES]) + (f" and {len(missing) - MOST_NAMES} more" * (len(missing) > MOST_NAMES))
    return lacks, [judged.topic, f"{when:.0f}" if np.isfinite(when) else "never", which, shown]
