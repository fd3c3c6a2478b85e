"""The ideal lists that EPRUM compares with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from berrypick.data.reach import Reach
from berrypick.data.score import Table, number
from berrypick.kernels.lists import ideal as ideals
from berrypick.measures.readers._certificate import Searched, search_of
from berrypick.topics.candidates import Candidates

IdealName = Literal["targets", "greedy", "exact", "certified"]


@dataclass(frozen=True)
class SearchedLists:
    """Ideal lists, and what their values hold for."""

    ideal: ideals.Ideal
    rows: int = 0  # candidates, with results of the run where the bound needs them
    with_run: bool = False
    of_inverse: bool = False  # the lists are those of the largest E[A/ML]
    names: Sequence[str] | None = None  # of what lists count in, where that is not the candidates

    @property
    def gap(self) -> float:
        gap = self.ideal.gap
        return 0.0 if gap is None or np.isnan(gap).all() else float(np.nanmax(gap))

    @property
    def stopped(self) -> bool:
        return self.ideal.stopped


def ideal_list(measure: Searched, candidates: Reach, reach: Reach, wanted: tuple[int, ...]) -> SearchedLists:
    """The ideal lists that a measure compares with; ``reach`` is that of the run."""
    if measure.ideal == "targets":
        return SearchedLists(ideals.by_targets(candidates.targets))
    if measure.ideal == "greedy":
        return SearchedLists(ideals.greedy(candidates), candidates.ranks)
    exact = ideals.exact(candidates) if measure.ideal == "exact" else None
    if measure.norm == "bounded":
        rows, with_run = ideals.with_rows(candidates, reach)
        if exact is None or with_run:
            found = search_of(measure).numbers(rows, wanted, "inverse")
            return SearchedLists(found, rows.ranks, with_run, of_inverse=True)
    if exact is not None:
        return SearchedLists(exact, candidates.ranks)
    return SearchedLists(search_of(measure).numbers(candidates, wanted, "length"), candidates.ranks)


def ideal_table(certificate: SearchedLists, candidates: Candidates, wanted: Sequence[int]) -> Table:
    """The ideal lists; those for norm='bounded' may hold results of the run, which have no name as candidates."""
    best = certificate.ideal
    known = candidates.names if certificate.names is None else certificate.names
    extra = certificate.rows - len(known)
    names = [*known, *(f"(a result of the run, {n})" for n in range(1, extra + 1))]
    shown, head = (best.inverse, "E[A/ML] <=") if certificate.of_inverse else (best.length, "E[ML*]")
    rows = []
    for r in wanted:
        gap = [] if best.gap is None else [number(float(best.gap[r - 1]), 4)]
        rows.append([str(r), number(float(shown[r - 1]), 6), *gap, ", ".join(names[i] for i in best.lists[r - 1])])
    columns = ["r", head, *(["gap"] if best.gap is not None else []), "list"]
    return Table("The ideal list for each recall value", columns, rows, align=">" * (len(columns) - 1) + "<")
