"""Files of what clients, chains and pipelines returned, as runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.data.errors import InputError
from berrypick.files.json_files import from_first_filled, holds_only_empty
from berrypick.formats.base import Problems
from berrypick.formats.traces.search_hits import SearchHits
from berrypick.formats.traces.traces_format import Retrievals, Samples, Traces, parsed, shown, values_in
from berrypick.inputs.stores.chains import is_document, retrieved_in
from berrypick.inputs.traces.retrieval import Retrieval, told_apart
from berrypick.inputs.traces.samples import listed_in, response_in
from berrypick.rows.fields import has_list, ours_of

#: What stands in predictions of KILT, which have the answer to a question as ``output`` too.
_OF_KILT = ("id", "output", "provenance")


class ClientResults(Retrievals):
    """What clients, chains and pipelines returned: by topic as JSON, or line by line with the topic or the question.

    Results of LangChain (``context``, ``source_documents``), also of LangChain.js, LlamaIndex (``source_nodes``) and
    Haystack (``documents`` of a pipeline's component, or of one component), rows of databases, texts, and every response
    of search-hits. A line is the result of a chain with
    its question, or has the topic and, as ``response``, what was returned. Names of files in the metadata are names of
    documents where the libraries made others; results without a known document are found by their text.

    Sample::

        {"input": "When are canes cut?", "context": [{"page_content": "Cut old canes.", "metadata": {"source": "guide.md"}}]}
        {"topic": "q2", "response": {"source_nodes": []}}
    """  # noqa: E501

    format_name: ClassVar[str] = "client-results"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = (
        "[", "{}", "{ ", "{\t", "{\r", "{\n",
        '"response"', '"responses"', '"responseHeader"', '"result"', '"results"', '"output"', '"outputs"', '"status"',
        '"error"', '"root"', '"value"', '"found"', '"hits"', '"code"', '"data"', '"retrievalResults"', '"citations"',
        '"content"', '"message"', '"candidates"', '"groundingChunks"', '"grounding_chunks"', '"groundingMetadata"',
        '"grounding_metadata"', '"page_content"', '"pageContent"', '"source_nodes"', '"start_char_idx"',
        '"token_count"', '"documents"',
    )  # fmt: skip
    before: ClassVar[tuple[str, ...]] = ("span-run",)
    aliases: ClassVar[tuple[str, ...]] = ("langchain", "llama-index", "haystack", "chonkie")
    shape: ClassVar[str] = '{"topic": "q1", "response": {"context": [{"page_content": "...", "metadata": {...}}]}}'
    json_names: ClassVar[tuple[str, ...]] = ("context", "source_nodes", "documents", "page_content", "response")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        begins = lines[0].lstrip("\ufeff \t\n")
        if not begins.startswith(("{", "[")) or Traces.sniff(lines) or Samples.sniff(lines):
            return False
        if begins.startswith("["):
            return _is_list_of_responses("\n".join(lines))
        if all(f'"{name}"' in lines[0] for name in _OF_KILT):
            return False
        first = parsed(lines[0])
        if isinstance(first, dict) and response_in(first) is not None:
            return True
        if SearchHits.sniff(lines):
            return False
        if isinstance(first, dict):
            return _is_by_topic(first) or ("hits" in first and listed_in(first) is not None)
        text = from_first_filled("\n".join(lines).lstrip("\ufeff \t\n"))
        if holds_only_empty("\n".join(lines).lstrip("\ufeff \t\n")):
            return True
        return any(all(f'"{name}"' in text for name in names) for names in _MARKS) or _looks_by_topic(text)

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        found: list[Retrieval] = []
        for line, value in values_in(path, problems):
            if isinstance(value, Mapping) and (one := response_in(value, line)) is not None:
                found.append(one)
            elif isinstance(value, Mapping) and _is_by_topic(value):
                found += [Retrieval(str(topic), "", one, line) for topic, one in value.items()]
            elif isinstance(value, Mapping) and (one := listed_in(value, line)) is not None:
                found.append(one)  # a line before it has an empty list, which may be that of a chain
            else:
                problems.report("is not a result of a known kind", line, shown(value), f"expected {cls.shape}")
        return told_apart(found, problems)


def _is_list_of_responses(text: str) -> bool:
    """Whether a JSON list begins with what a chain returned, as lines of JSON do."""
    if all(f'"{name}"' in text for name in _OF_KILT):
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(text.lstrip("\ufeff \t\n[\r"))
        known = isinstance(first, dict) and (not _OF_CHAINS.isdisjoint(first) or not has_list(first))
        return known and response_in(first) is not None
    except (ValueError, RecursionError):  # the first lines end within it
        chain = any(f'"{name}"' in text for name in _OF_CHAINS) and _OF_DOCUMENTS.search(text) is not None
        return chain or _OF_RESPONSE.search(text) is not None


#: Lists of chains and engines, and what their documents have.
_OF_CHAINS = frozenset({"context", "source_documents", "source_nodes"})
_OF_DOCUMENTS = re.compile(r'"(?:page_content|pageContent|node)"\s*:')
#: An object or a list that was returned, beside its topic or question.
_OF_RESPONSE = re.compile(r'"response"\s*:\s*[\[{]')
#: Names that results of libraries have near their start.
_MARKS = (("page_content",), ("pageContent",), ("source_nodes",), ("start_char_idx",), ("token_count", "start_index"),
          ("documents", "split_idx_start"), ("documents", "content", "blob"),
          ("documents", "content", "meta"))  # fmt: skip
#: Names around lists in files of other kinds.
_AROUND = frozenset({"data", "version", "results", "tests", "documents", "annotations", "items", "rows", "examples",
                     "queries", "corpus", "videos", "runs", "topics", "questions", "paragraphs", "articles", "passages",
                     "records", "entries", "samples"})  # fmt: skip
#: A topic with a pipeline of Haystack one component of which found nothing.
_NO_DOCUMENTS = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"[^"]*"\s*:\s*\{\s*"documents"\s*:\s*\[\s*\]')
_FIRST_LIST = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*["{]')


def _looks_by_topic(text: str) -> bool:
    """Whether the first lines of an indented file begin an object of topics with lists of results."""
    if _NO_DOCUMENTS.match(text.lstrip("\ufeff")):
        return True
    match = _FIRST_LIST.match(text.lstrip("\ufeff"))
    if match is None or match[1] in _AROUND:
        return False
    return match[0].endswith('"') or any(f'"{name}"' in text for name in _PLACED)


#: Names that rows of results have near their start, beside a text or a document.
_PLACED = ("score", "distance", "_distance", "start", "start_index", "rank", "similarity")


def _is_result(item: Any) -> bool:
    """Whether an item of a list is a result: a text, a document of a library, or a row with a place or a score."""
    if isinstance(item, list) and len(item) == 2 and isinstance(item[1], (int, float)):
        item = item[0]  # with its score
    if isinstance(item, str) or is_document(item):
        return True
    names = {ours_of(str(name), "run") for name in item} if isinstance(item, dict) else set[str]()
    return bool(names & {"doc", "text"}) and bool(names & {"start", "score", "distance", "rank"})


def _is_by_topic(value: Mapping[str, Any]) -> bool:
    """Whether an object is one of topics: each has results, or what holds some."""
    for one in value.values():
        try:
            results = one == {} or (isinstance(one, list) and all(map(_is_result, one)))
            if not results and retrieved_in(one) is None:
                return False
        except InputError:
            return True
    return bool(value) and _AROUND.isdisjoint(value)
