"""The results of one run for a topic on the report page, as columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray, Positions
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.relevant_text import Measured, first_seen, once
from berrypick.report.html.json_numbers import plain_number, plain_numbers
from berrypick.report.html.report_boxes import ResultAreas, place


class ResultColumns:
    """The columns of each result of a run."""

    def __init__(
        self,
        ranking: Ranking,
        located: Ranking | None,
        relevant: Mapping[str, Measured],
        targets: Targets,
        areas: ResultAreas | None = None,
    ) -> None:
        self.ranking, self.located, self.areas = ranking, located, areas
        self.length: FloatArray | None = None
        self.within: FloatArray | None = None
        self.fresh: FloatArray | None = None
        self.grade = dict(zip(targets.names(), targets.grade.tolist(), strict=True))
        self.graded = set(targets.document)
        if located is not None and located.start is not None and located.end is not None:
            self.length = _lengths(located)
            codes = {code: relevant[name] for name, code in located.codes_of(relevant).items()}
            self.new, self.fresh = first_seen(located.document, located.start, located.end, codes)
            self.within = np.zeros(len(located))
            for code, measured in codes.items():
                rows = np.flatnonzero(located.document == code)
                self.within[rows] = measured.within(located.start[rows], located.end[rows])

    def rows(self, shown: IntArray, number: Mapping[str, int]) -> list[list[Any]]:
        """A list of values for each of some results; of a place on a page, this comes last."""
        ranking, located, areas = self.ranking, self.located, self.areas
        nothing: list[Any] = [None] * len(shown)
        known = self.length is not None or areas is not None
        within, fresh = (self.within, self.fresh) if areas is None else (areas.within, areas.fresh)
        at = located if areas is None else ranking
        at = at if known else None
        unknown = set() if self.length is None else set(np.flatnonzero(np.isnan(self.length[shown])).tolist())

        def numbers(column: Positions | None, hidden: Collection[int] = ()) -> list[Any]:
            if column is None:
                return nothing
            found = plain_numbers(column[shown])
            return [None if i in hidden else value for i, value in enumerate(found)] if hidden else found

        codes = ranking.document[shown].tolist()
        names = {code: ranking.documents[code] for code in set(codes)}
        paths = nothing
        if ranking.path is not None:
            paths = ["..".join(part for part in ranking.path_of(row) if part) for row in shown.tolist()]
        repeated = ranking.repeated
        columns = [
            (ranking.rank[shown] + 1).tolist(),
            [number[names[code]] for code in codes],
            numbers(None if at is None else at.start, unknown),
            numbers(None if at is None else at.end, unknown),
            paths,
            numbers(ranking.score),
            numbers(within if known else None, unknown),
            numbers(fresh if known else None, unknown),
            [self._grade(row, names[code]) for row, code in zip(shown.tolist(), codes, strict=True)],
            [0] * len(shown) if repeated is None else repeated[shown].astype(int).tolist(),
        ]
        if areas is not None:
            columns.append([place(areas.boxes, row) for row in shown.tolist()])
        return [list(row) for row in zip(*columns, strict=True)]

    def _grade(self, row: int, document: str) -> float | int | None:
        """The grade of a result that is a target; most documents have none."""
        if document not in self.graded or (name := self.ranking.name(row)) not in self.grade:
            return None
        return plain_number(self.grade[name])

    def seen(self, shown: Any, relevant: Mapping[str, Measured]) -> dict[str, Any]:
        """Relevant text found, and all text retrieved, counted once, after the results that are shown."""
        if self.areas is not None:
            return self.areas.seen()
        if self.fresh is None or self.located is None or self.length is None or np.isnan(self.length[shown]).any():
            return {"relevant": None, "retrieved": None, "total": None}
        assert self.located.start is not None and self.located.end is not None
        retrieved = once(self.located.document[shown], self.located.start[shown], self.located.end[shown])
        total = math.fsum(measured.total for measured in relevant.values())
        return {
            "relevant": plain_number(float(self.fresh[shown].sum())),
            "retrieved": plain_number(retrieved),
            "total": plain_number(total),
        }


def _lengths(located: Ranking) -> FloatArray:
    """nan for whole documents of unknown length."""
    assert located.start is not None and located.end is not None
    length = (located.end - located.start).astype(np.float64)
    if located.size is not None and located.path is None:
        length[np.isnan(located.size)] = np.nan
    return length
