"""Responses of vector stores and search engines, by topic."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from berrypick.data.errors import InputError
from berrypick.data.run import Run
from berrypick.files.json_files import from_first_filled, load, starts_object
from berrypick.formats._records import RunRecords
from berrypick.formats.base import Problems
from berrypick.inputs.stores.hit_rows import HitRows
from berrypick.inputs.stores.responses import answer_in, is_answer
from berrypick.rows.json_lines import Rows
from berrypick.rows.row_lists import LISTED
from berrypick.rows.run_rows import run_of_rows

#: Pairs of names that responses have near their start.
_MARKS = (
    ("hits", "_id"), ("payload", "score"), ("points", "payload"), ("ids", "distances"), ("ids", "metadatas"),
    ("ids", "documents"), ("data", "Get"), ("objects", "properties"), ("matches", "score"), ("distance", "entity"),
    ("root", "relevance"), ("relevance", "fields"), ("responseHeader", "status"), ("@search.score",),
    ("@odata.context",),
    ("found", "hits"), ("found", "grouped_hits"), ("hits", "processingTimeMs"), ("hits", "_rankingScore"),
    ("code", "data", "distance"), ("retrievalResults",), ("citations", "retrievedReferences"),
    ("output", "file_search_call"),
    ("object", "vector_store.search_results.page"), ("content", "cited_text"), ("message", "sources"),
    ("generation_id", "text"), ("candidates", "groundingMetadata"), ("candidates", "usageMetadata"),
    ("candidates", "content", "parts"), ("groundingMetadata",), ("groundingChunks",), ("grounding_chunks",),
    ("retrievedContext",), ("retrieved_context",), ("_rankingScore",), ("root", "children", "fields"),
)  # fmt: skip


class SearchHits(RunRecords):
    """Responses of vector stores, search engines and models that cite, by topic, as JSON.

    Chroma, Elasticsearch, Milvus, OpenSearch, Pinecone, Qdrant, Weaviate; Azure AI Search, Meilisearch, Solr,
    Typesense, Vespa; knowledge bases of Bedrock and searches in files of OpenAI; citations of Anthropic, Cohere and
    Gemini.

    A response is what the store returns for one query, as it is; a list of its hits will do too. The hits are ranked in
    the order of the response. Document, start, end and text are looked for in each hit's source, fields, payload,
    properties or metadata, under the names that LangChain, LlamaIndex and Haystack give them; a hit without the name
    of its document is called by its id; where the documents have no such name, it is found by its text.

    A start without an end has that of its text, and only without a text that of a
    ``length``. Hits without offsets are found by their text in the documents.

    Where a hit of Elasticsearch or OpenSearch has ``inner_hits``, these are the results, in its place: nested objects
    and children are in the document of the outer hit, unless they name one. They are ranked by the outer hit first,
    then by their rank in their own list; of several lists, the first of each come before the second. Groups of Qdrant
    are ranked in the same way. An inner hit has its own score, and must have offsets or text.

    What an answer cites again is one result, and counted. Offsets of an answer, such as the segments of Gemini's
    grounding supports, say nothing of documents; citations by pages and blocks are found by their text.

    A response that was cut down to its hits is known by their names: ``relevance`` and ``fields`` in the ``children``
    of Vespa's ``root``, ``_rankingScore`` in the hits of Meilisearch, ``retrievedContext`` in the chunks of Gemini.

    Distances are kept as negative scores, also those that Qdrant and Pinecone call scores: these grow down the lists.
    What Milvus calls a distance may be either, and is no score. A response to several queries, or one that reports an
    error, is refused; one that timed out, or lacks shards, is read and noted. Fields that are not read are noted.

    Sample::

        {"q1": {"took": 2, "hits": {"hits": [
          {"_id": "7", "_score": 9.1, "_source": {"source": "guide.md", "start_index": 100, "text": "Cut old canes."}},
          {"_id": "9", "_score": 4.0, "_source": {"source": "faq.md", "start_index": 0, "text": "Pick dry."}}]}}}
    """

    format_name: ClassVar[str] = "search-hits"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = (
        '"_id"', '"payload"', '"ids"', '"Get"', '"objects"', '"matches"', '"entity"', '"relevance"', '"responseHeader"',
        '"@search.score"', '"@odata.context"', '"found"', '"processingTimeMs"', '"_rankingScore"', '"code"',
        '"retrievalResults"', '"retrievedReferences"', '"file_search_call"', '"vector_store.search_results.page"',
        '"cited_text"', '"sources"', '"generation_id"', '"candidates"', '"groundingMetadata"', '"groundingChunks"',
        '"grounding_chunks"', '"retrievedContext"', '"retrieved_context"', '"children"', '"hits"', '"points"',
        '"result"', '"finish_reason"', '"message"', "[[", "[ ", "[\t", "[\r", "[\n",
    )  # fmt: skip
    before: ClassVar[tuple[str, ...]] = ("topic-dictionary-run",)
    aliases: ClassVar[tuple[str, ...]] = (
        "chroma", "qdrant", "weaviate", "elasticsearch", "opensearch", "pinecone", "milvus", "vespa", "solr",
        "azure-ai-search", "typesense", "meilisearch", "bedrock", "openai", "anthropic", "cohere", "gemini",
    )  # fmt: skip
    shape: ClassVar[str] = '{"q1": {"hits": {"hits": [{"_id": "7", "_score": 9.1, "_source": {...}}]}}}'
    json_names: ClassVar[tuple[str, ...]] = ("hits", "_source", "_score", "ids", "distances", "metadatas", "payload")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        lines_of_spans = '"topic"' in lines[0]
        known = any(starts_object(lines, *names) for names in _MARKS) or _begins_with_no_hits(lines)
        return not lines_of_spans and known

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        reader = HitRows()
        run = run_of_rows(cls._rows(path, problems, reader), problems, path)
        return run.changed(format=cls.format_name, notes=(*run.notes, *reader.notes()), unread=tuple(reader.unread))

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        return cls._rows(path, problems, HitRows())

    @classmethod
    def _rows(cls, path: str, problems: Problems, reader: HitRows) -> Rows:
        value, source = load(path, problems)
        if value is None:
            return
        if not isinstance(value, dict) or is_answer(value):
            problems.report("has responses without their topics", 1, remedy="write an object of topics to responses")
            return
        rows: list[dict[str, Any]] = []
        for topic, response in value.items():
            line = source.line_of(topic)
            source.skip()
            try:
                empty = response in ([], {})
                answer = None if empty else answer_in(response)
                found = [] if answer is None else reader.of_answer(answer)
            except InputError as error:
                problems.report(f"topic {topic}: {error.what}", line, remedy=error.remedy)
                continue
            if answer is None and not empty:
                problems.report(f"topic {topic} has no response of a known store", line)
                continue
            if not found:
                yield line, topic, {"topic": topic, "results": []}
            rows += [{"topic": topic, LISTED: place, "line": line, **one} for place, one in enumerate(found, start=1)]
        for row in reader.with_scores(rows):
            fields = {name: cell for name, cell in row.items() if name != "line"}
            yield row["line"], row["topic"], _with_end(fields)


#: A topic with the response of a store that found nothing, whatever else the response says before that.
_NO_HITS = re.compile(
    r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\[\s*\[\s*\]\s*\]|'
    r'\{[^{}\[\]]*(?:"result"\s*:\s*\{[^{}\[\]]*)?"(?:hits|matches|points|objects|result)"\s*:\s*'
    r'(?:\{[^\[\]]*"hits"\s*:\s*)?\[\s*\])'
)


#: A topic with an answer of a model, which may cite nothing: a message of Anthropic or a response of Cohere.
_ANSWER = re.compile(
    r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{[^{}\[\]]*'
    r'(?:"type"\s*:\s*"message"\s*,|"finish_reason"\s*:\s*"[^"]*"\s*,\s*"message"\s*:)'
)


def _begins_with_no_hits(lines: list[str]) -> bool:
    """Whether the first topic of an object has a response without hits, or an answer that may be without citations."""
    text = from_first_filled("\n".join(lines).lstrip("\ufeff \t\n"))
    return _NO_HITS.match(text) is not None or _ANSWER.match(text) is not None


def _with_end(fields: dict[str, Any]) -> dict[str, Any]:
    """A start without an end has that of its text, else of its length."""
    length = fields.pop("length", None)
    start, text = fields.get("start"), fields.get("text")
    if isinstance(start, (int, float)) and fields.get("end") is None:
        size = len(text) if text else length
        fields.update({} if size is None else {"end": start + size})
    return fields
