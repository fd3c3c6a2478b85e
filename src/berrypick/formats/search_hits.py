"""Responses of vector stores and search engines, by topic."""

from __future__ import annotations

from typing import ClassVar

from berrypick.formats._hits import hit_fields, hits_in, is_hit
from berrypick.formats._json import load, starts_object
from berrypick.formats._records import RunRecords
from berrypick.formats._spans import Rows
from berrypick.formats.base import Problems

#: Pairs of names that responses have near their start.
_MARKS = (
    ("hits", "_id"), ("payload", "score"), ("points", "payload"), ("ids", "distances"), ("ids", "metadatas"),
    ("ids", "documents"), ("data", "Get"), ("objects", "properties"),
)  # fmt: skip


class SearchHits(RunRecords):
    """Responses of Chroma, Qdrant, Weaviate, Elasticsearch or OpenSearch: one JSON object of topics to responses.

    A response is what the store returns for one query, as it is; a list of its hits will do too. The hits are ranked in
    the order of the response. Document, start, end (or length) and text are looked for in each hit's source, payload,
    properties or metadata, under the names that LangChain, LlamaIndex and Haystack give them; a hit without the name
    of its document is called by its id. Hits without offsets are found by their text in the documents. Distances are
    kept as negative scores.

    Sample::

        {"q1": {"took": 2, "hits": {"hits": [
          {"_id": "7", "_score": 9.1, "_source": {"source": "guide.md", "start_index": 100, "text": "Cut old canes."}},
          {"_id": "9", "_score": 4.0, "_source": {"source": "faq.md", "start_index": 0, "text": "Pick dry."}}]}}}
    """

    format_name: ClassVar[str] = "search-hits"
    aliases: ClassVar[tuple[str, ...]] = ("chroma", "qdrant", "weaviate", "elasticsearch", "opensearch")
    shape: ClassVar[str] = '{"q1": {"hits": {"hits": [{"_id": "7", "_score": 9.1, "_source": {...}}]}}}'
    json_names: ClassVar[tuple[str, ...]] = ("hits", "_source", "_score", "ids", "distances", "metadatas", "payload")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        lines_of_spans = '"topic"' in lines[0]
        return not lines_of_spans and any(starts_object(lines, *names) for names in _MARKS)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        value, source = load(path, problems)
        if value is None:
            return
        if not isinstance(value, dict) or hits_in(value) is not None or "responses" in value:
            problems.report("has responses without their topics", 1, remedy="write an object of topics to responses")
            return
        rows = []
        for topic, response in value.items():
            line = source.line_of(topic)
            source.skip()
            hits = response if isinstance(response, list) and all(map(is_hit, response)) else hits_in(response)
            if hits is None:
                problems.report(f"topic {topic} has no response of a known store", line)
                continue
            if not hits:
                yield line, topic, {"topic": topic, "results": []}
            rows += [(line, topic, {"topic": topic, "rank": rank, **hit_fields(hit)})
                     for rank, hit in enumerate(hits, start=1)]  # fmt: skip
        scored = all("score" in fields for _, _, fields in rows)
        for line, topic, fields in rows:
            yield line, topic, fields if scored else {name: cell for name, cell in fields.items() if name != "score"}
