"""What the measures of benchmarks' programs share: results and sets of evidence by their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.score import Explanation, Score, Table
from berrypick.measures.base import SHOWN, Measure
from berrypick.topics.topic import JudgedTopic


def named_sets(judged: JudgedTopic) -> list[frozenset[str]]:
    """The sets of a topic in the order of their names, numbers by size; all relevant units where it names none."""
    truth = judged.truth
    rows = [row for row, grade in enumerate(truth.grade.tolist()) if grade > 0]
    if truth.sets is None:
        return [frozenset(truth.name(row) for row in rows)] if rows else []
    found: dict[str, set[str]] = {}
    for row in rows:
        for name in truth.sets[row]:
            found.setdefault(name, set()).add(truth.name(row))
    return list(dict.fromkeys(frozenset(found[name]) for name in sorted(found, key=lambda name: (len(name), name))))


def named_results(judged: JudgedTopic) -> list[str]:
    """The names of the results in their order, repeated ones included."""
    return [judged.ranking.name(row) for row in range(len(judged.ranking))]


@dataclass(frozen=True)
class NamedMeasure(Measure):
    """Measures of programs that compare names: a result is a unit of the truth, or it is not."""

    depends_on: ClassVar[tuple[str, ...] | None] = ()
    of_areas: ClassVar[bool] = True

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        """The value from the names of results, and of the units of each set."""
        raise NotImplementedError

    def compute(self, judged: JudgedTopic) -> Score:
        sets = named_sets(judged)
        return Score(self.value(named_results(judged), sets) if sets else None)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def explain(self, judged: JudgedTopic) -> Explanation:
        results = named_results(judged)
        place = {name: rank for rank, name in reversed([*enumerate(results, start=1)])}
        rows = [
            [str(number), ", ".join(f"{name} ({place.get(name, 'never')})" for name in sorted(one)[:SHOWN])]
            for number, one in enumerate(named_sets(judged)[:SHOWN], start=1)
        ]
        table = Table("Sets, with the rank of each unit", ["set", "units"], rows, align="><")
        return self._explanation(judged, table, f"{self} = {self._value_text(judged)}")
