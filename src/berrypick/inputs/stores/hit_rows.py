"""Hits of many topics as rows with our names, and what there is to say about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from berrypick.data.errors import InputError
from berrypick.data.words import counted
from berrypick.inputs.client_readers import ClientReader, DocumentName, Row, without_scores
from berrypick.inputs.objects import document_name
from berrypick.inputs.stores.chains import retrieved_in
from berrypick.inputs.stores.hits import UNREAD, Hit, hit_fields, is_hit, is_match, payload, results_of
from berrypick.inputs.stores.responses import answer_in, is_answer
from berrypick.inputs.stores.stores import Answer
from berrypick.rows.clients import fields_of, plain


class HitRows(ClientReader):
    """Reads answers topic by topic, and keeps the names of fields that were not read."""

    def __init__(self) -> None:
        super().__init__()
        self._partial = self._repeated = 0
        self._distances = False
        self._disordered = 0  # topics
        self._metric: bool | None = None  # whether what all hits call a score may be a distance

    def inside(self, value: Any) -> list[Any] | None:
        return retrieved_in(value)

    def read(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        answer = answer_in(value)
        if answer is None:
            return None
        return self.of_answer(answer) if doc is None else [
            row for hit in answer.hits for row in self._called(hit, doc)
        ]  # fmt: skip

    def read_one(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        return self._called(plain(value), doc) if not isinstance(value, str) and is_hit(fields_of(value)) else None

    def knows(self, value: Any) -> bool:
        return is_answer(value)

    def _called(self, hit: Hit, doc: DocumentName) -> list[Row]:
        """A hit's rows; ``doc`` names one of its fields, which is then not unread."""
        rows = self.of_hits([hit])
        if doc is None:
            return rows
        if isinstance(doc, str):
            self.unread.pop(doc, None)
        named = document_name(hit, payload(hit), doc, None)
        return [{**row, "doc": named} for row in rows]

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
            return without_scores(rows)
        if not self._metric:
            return list(rows)
        pairs = [(a["score"], b["score"]) for a, b in pairwise(rows) if a["topic"] == b["topic"]]
        if all(a >= b for a, b in pairs):
            return list(rows)
        self._distances = all(a <= b for a, b in pairs)
        if not self._distances:
            pairs_of = ((a, b) for a, b in pairwise(rows) if a["topic"] == b["topic"])
            self._disordered = len({a["topic"] for a, b in pairs_of if a["score"] < b["score"]})
        return [{**row, "score": -row["score"]} for row in rows] if self._distances else without_scores(rows)

    def notes(self) -> list[str]:
        """What was not read, and what was taken for something."""
        found = []
        if self._partial:
            kept = counted(self._partial, "response")
            found.append(f"{kept} incomplete: the search timed out, or shards failed; what was found counts")
        if self._repeated:
            found.append(f"{counted(self._repeated, 'citation')} repeated within an answer, skipped")
        if self._distances:
            found.append("scores rise down the lists: treated as distances and negated")
        if self._disordered:
            topics = counted(self._disordered, "topic")
            found.append(f"scores neither fall nor grow in {topics}; they are ignored, and lists keep their order")
        return found
