"""What the tolerance-to-irrelevance measures share: the reader, the walk along the list, its explanation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from berrypick.core.declared import parameter
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.judged import Judged
from berrypick.kernels.intervals import merge
from berrypick.kernels.visits import Tolerance, Walk, walk
from berrypick.measures._base import Measure


@dataclass(frozen=True)
class _Visiting(Measure):
    """Parameters of the reader."""

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)

    tolerance: float = parameter(
        15,
        "number",
        "how much irrelevant material is endured before the reader gives up, in the unit of the documents' line",
        check=lambda v: v > 0,
        must="above 0",
    )
    keeps_viewing: bool = parameter(True, "bool", "whether the reader goes on after something relevant has ended")
    t_init: float = parameter(
        0, "number", "extra patience at the beginning of each visit", check=lambda v: v >= 0, must="0 or more"
    )

    def reader(self) -> Tolerance:
        return Tolerance(self.tolerance, self.keeps_viewing, self.t_init)

    def walk(self, judged: Judged) -> Walk:
        return walk_of(judged, self.reader())

    def summary(self, judged: Judged) -> list[str | Table]:
        """How the value follows from the walk."""
        return []

    def explain(self, judged: Judged) -> Explanation:
        steps = self.walk(judged)
        ranking, targets = judged.spans
        rows = []
        spent = found = 0
        for row, one in enumerate(steps.visits[:60]):
            spent += one.wasted
            found += len(one.found)
            rows.append(
                [
                    f"{int(ranking.rank[row]) + 1} ({ranking.name(row)})",
                    ", ".join(targets.name(x) for x in one.found) or "-",
                    number(one.length),
                    str(one.wasted),
                    str(found),
                    str(spent),
                ]
            )
        head = ["rank", "finds", "goes through", "wastes", "found so far", "units spent"]
        return Explanation(
            f"{self} for topic {judged.topic}",
            [Table("Visits in turn", head, rows, align="<<>>>>"), *self.summary(judged)],
        )


@lru_cache(maxsize=4)
def walk_of(judged: Judged, reader: Tolerance) -> Walk:
    ranking, targets = judged.spans
    assert ranking.start is not None and targets.start is not None and targets.end is not None
    spans: dict[str, list[tuple[float, float, int]]] = {}
    for x, document in enumerate(targets.document):
        spans.setdefault(document, []).append((float(targets.start[x]), float(targets.end[x]), x))
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    repeated = ranking.repeated.tolist() if ranking.repeated is not None else [False] * len(ranking)
    known = judged.collection.lengths
    lengths = {name: float(known[name]) for name in set(names) if name in known}
    return walk(list(zip(names, ranking.start.tolist(), repeated, strict=True)), lengths, spans, reader)


@dataclass(frozen=True)
class Search:
    """The quantities of table 1 of the paper."""

    wanted: int  # S
    relevant: int  # R
    units: int  # I, units of irrelevant material in the whole collection
    spent: int  # j
    missing: int  # r, targets not retrieved
    still: int  # s, targets still wanted after the list

    @property
    def length(self) -> float:
        """ESL: units spent on the list, and on a random search through the rest for what is still wanted."""
        return self.spent + self.still * max(0, self.units - self.spent) / (self.missing + 1)


def search(judged: Judged, reader: Tolerance, wanted: int | None) -> Search | None:
    """None where more targets are wanted than there are."""
    relevant = len(judged.targets)
    target_count = relevant if wanted is None else wanted
    if target_count > relevant:
        return None
    units = irrelevant_units(judged, reader.tolerance)
    if not judged.answered:
        return Search(target_count, relevant, units, 0, relevant, target_count)
    steps = walk_of(judged, reader)
    still = max(0, target_count - steps.found)
    return Search(target_count, relevant, units, steps.units_before(target_count), relevant - steps.found, still)


def irrelevant_units(judged: Judged, tolerance: float) -> int:
    """I = ceil((D - D_R)/tolerance): the collection without the union of the targets, in units."""
    _, targets = judged.spans
    assert targets.start is not None and targets.end is not None
    relevant = 0.0
    for indices in targets.by_document().values():
        start, end = merge(targets.start[indices], targets.end[indices])
        relevant += float((end - start).sum())
    return max(0, math.ceil((judged.collection.total - relevant) / tolerance - 1e-9))


def search_table(judged: Judged, reader: Tolerance, wanted: int | None) -> Table:
    found = search(judged, reader, wanted)
    assert found is not None
    rows = [
        ["S, targets wanted", str(found.wanted)],
        ["R, targets there are", str(found.relevant)],
        ["I, units of irrelevant material in the collection", str(found.units)],
        ["j, units spent on the list", str(found.spent)],
        ["r, targets not retrieved", str(found.missing)],
        ["s, targets still wanted after the list", str(found.still)],
        ["ESL = j + s max(0, I - j)/(r + 1)", number(found.length, 6)],
    ]
    return Table("Expected search length", ["quantity", "value"], rows)


def wanted_parameter() -> int | None:
    value: int | None = parameter(
        None,
        "int",
        "S, how many targets the reader wants; all of them by default",
        check=lambda v: v >= 1,
        must="1 or more",
    )
    return value
