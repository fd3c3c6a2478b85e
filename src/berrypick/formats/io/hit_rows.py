"""Hits of many topics as rows with our names, and what there is to say about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from berrypick.core.errors import InputError
from berrypick.core.words import counted
from berrypick.formats.io.hits import UNREAD, Hit, hit_fields, is_match, results_of
from berrypick.formats.io.stores import Answer


class HitRows:
    """Reads answers topic by topic, and keeps the names of fields that were not read."""

    def __init__(self) -> None:
        self.unread: dict[str, None] = {}
        self._partial = self._repeated = 0
        self._distances = self._disordered = False
        self._metric: bool | None = None  # whether what all hits call a score may be a distance

    def of_answer(self, answer: Answer) -> list[dict[str, Any]]:
        self._partial += answer.is_partial
        self._repeated += answer.repeated
        return self.of_hits(answer.hits)

    def of_hits(self, hits: Iterable[Hit]) -> list[dict[str, Any]]:
        """One row for each result: for a hit, or for each of its inner hits."""
        rows = []
        for hit in hits:
            self._metric = ("payload" in hit or is_match(hit)) and self._metric is not False
            try:
                results = results_of(hit)
            except RecursionError:
                raise InputError("the inner_hits of a hit are nested too deeply") from None
            for one in results:
                fields = hit_fields(one)
                self.unread.update(dict.fromkeys(fields.pop(UNREAD)))
                rows.append(fields)
        return rows

    def with_scores(self, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Scores are kept where every result has one; the order of the lists counts either way. Qdrant and Pinecone
        call a distance a score, too: it grows down the lists. Where theirs do neither, nobody knows which they are."""
        if not all(row.get("score") is not None for row in rows):
            return _without_scores(rows)
        if not self._metric:
            return list(rows)
        pairs = [(a["score"], b["score"]) for a, b in pairwise(rows) if a["topic"] == b["topic"]]
        if all(a >= b for a, b in pairs):
            return list(rows)
        self._distances = all(a <= b for a, b in pairs)
        self._disordered = not self._distances
        return [{**row, "score": -row["score"]} for row in rows] if self._distances else _without_scores(rows)

    def notes(self) -> list[str]:
        """What was not read, and what was taken for something."""
        found = []
        if self._partial:
            kept = counted(self._partial, "response")
            found.append(f"{kept} incomplete: the search timed out, or shards failed; what was found counts")
        if self._repeated:
            found.append(f"{counted(self._repeated, 'citation')} of what an answer cites before, left out")
        if self._distances:
            found.append("scores grow down the lists: they are distances, and kept as negative scores")
        if self._disordered:
            found.append("scores neither fall nor grow down the lists: they are left out, and the order counts")
        return found


def _without_scores(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [{name: value for name, value in row.items() if name != "score"} for row in rows]
