"""What measures of sufficient answers share: when targets are found, and which sets are complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.score import Explanation, Score, Table
from berrypick.data.words import counted
from berrypick.measures._found_targets import SpanMeasure
from berrypick.topics.topic import JudgedTopic

#: Sets, and missing targets of one, that a table shows.
SHOWN = 30


def document_ranks(judged: JudgedTopic) -> FloatArray:
    """The place of each target in the list, infinite if it is not there; parts of one document share a place."""
    ranking, targets = judged.ranking, judged.targets
    codes = ranking.document.tolist()
    codes = codes if ranking.of_documents else list(dict.fromkeys(codes))  # repeated whole documents keep their ranks
    by_name = {ranking.documents[code]: place for place, code in reversed([*enumerate(codes, start=1)])}
    return np.array([by_name.get(name, np.inf) for name in targets.document], dtype=np.float64)


@dataclass(frozen=True)
class SetMeasure(SpanMeasure):
    """Measures of which sets, or hops, the found targets complete; whole documents are found by their names."""

    of_sets: ClassVar[bool] = True

    def ranks(self, judged: JudgedTopic) -> FloatArray:
        """The rank, from 1, at which each target is found; infinite if it never is, or after the cut-off."""
        if not judged.targets.of_documents:
            return super().ranks(judged)
        for name in ("share", "iou"):
            if getattr(self, name) is not None:
                raise UsageError(f"{name}= applies to parts of documents, but whole documents are judged: remove it")
        found = document_ranks(judged)
        return found if self.at is None else np.where(found <= self.at, found, np.inf)

    def found_at(self, judged: JudgedTopic) -> FloatArray | None:
        return self.ranks(judged)

    def set_parts(self, judged: JudgedTopic) -> list[str | Table]:
        """Which sets are complete at which rank, and what is missing from the others."""
        sufficient = judged.sufficient
        if not sufficient.possible:
            return ["Undefined: no set has only units that are ideal for some reader."]
        return [set_table(judged, self.ranks(judged)), *dropped_sentences(judged)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        if not judged.sufficient.possible:
            return self._explanation(judged, *self.set_parts(judged))
        return self._explanation(judged, *self.set_parts(judged), f"{self} = {self._value_text(judged)}")

    def compute(self, judged: JudgedTopic) -> Score:
        if not judged.sufficient.possible:
            return Score(None)
        return Score(self.value(judged, self.ranks(judged)))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """An empty list, of a topic for which something would be enough."""
        return self.compute(judged)

    def value(self, judged: JudgedTopic, ranks: FloatArray) -> float:
        """The value from the ranks at which targets are found."""
        raise NotImplementedError


def set_table(judged: JudgedTopic, ranks: FloatArray) -> Table:
    """Each set or hop: how many of its rows are found, when it is complete, and what is missing."""
    sufficient, names = judged.sufficient, judged.targets.names()
    rows = []
    lacking = sufficient.missing(np.isfinite(ranks))
    for name, group, gone in zip(sufficient.names, sufficient.groups, lacking, strict=True):
        here = ranks[list(group)]
        when = here.max() if sufficient.kind == "set" else here.min()
        found = f"{int(np.isfinite(here).sum())} of {len(group)}"
        missing = ", ".join(names[x] for x in gone[:SHOWN]) + (f" and {len(gone) - SHOWN} more" * (len(gone) > SHOWN))
        rows.append([name, found, f"{when:.0f}" if np.isfinite(when) else "never", missing])
    what = (
        "A set is complete when all its units are found" if sufficient.kind == "set" else "A hop needs one of its units"
    )
    more = f"; the first {SHOWN} of {len(rows)}" if len(rows) > SHOWN else ""
    head = [sufficient.kind, "found", "complete at rank", "missing"]
    return Table(f"{what}{more}", head, rows[:SHOWN], align="<>><")


def dropped_sentences(judged: JudgedTopic) -> list[str]:
    """Sets that are left out, and why."""
    dropped = judged.sufficient.dropped
    many = counted(len(dropped), "set")
    return (
        [f"{many} skipped, because one of their units is ideal for no reader: {', '.join(dropped)}."] if dropped else []
    )
