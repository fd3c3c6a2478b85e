"""Files of what clients, chains and pipelines returned, as runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.addons.traces.chains import is_document, retrieved_in
from berrypick.addons.traces.retrieval import Retrieval
from berrypick.addons.traces.samples import response_in
from berrypick.addons.traces.search_hits import SearchHits
from berrypick.addons.traces.traces_format import Retrievals, Samples, Traces, parsed, shown, values_in
from berrypick.core.errors import InputError
from berrypick.formats.base import Problems
from berrypick.inputs.fields import ours_of

#: What stands in predictions of KILT, which have the answer to a question as ``output`` too.
_OF_KILT = ("id", "output", "provenance")


class ClientResults(Retrievals):
    """What clients, chains and pipelines returned: by topic as JSON, or line by line with the topic or the question.

    Results of LangChain (``context``, ``source_documents``), LlamaIndex (``source_nodes``) and Haystack (``documents``
    of a component), rows of databases, texts, and every response of search-hits. A line is the result of a chain with
    its question, or has the topic and, as ``response``, what was returned. Names of files in the metadata are names of
    documents where the libraries made others; results without a known document are found by their text.

    Sample::

        {"input": "When are canes cut?", "context": [{"page_content": "Cut old canes.", "metadata": {"source": "guide.md"}}]}
        {"topic": "q2", "response": {"source_nodes": []}}
    """  # noqa: E501

    format_name: ClassVar[str] = "client-results"
    aliases: ClassVar[tuple[str, ...]] = ("langchain", "llama-index", "haystack", "chonkie")
    shape: ClassVar[str] = '{"topic": "q1", "response": {"context": [{"page_content": "...", "metadata": {...}}]}}'
    json_names: ClassVar[tuple[str, ...]] = ("context", "source_nodes", "documents", "page_content", "response")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        if not lines[0].lstrip("\ufeff \t\n").startswith("{") or Traces.sniff(lines) or Samples.sniff(lines):
            return False
        if all(f'"{name}"' in lines[0] for name in _OF_KILT):
            return False
        first = parsed(lines[0])
        if isinstance(first, dict) and response_in(first) is not None:
            return True
        if SearchHits.sniff(lines):
            return False
        if isinstance(first, dict):
            return _is_by_topic(first)
        text = "\n".join(lines)
        return any(all(f'"{name}"' in text for name in names) for names in _MARKS) or _looks_by_topic(text)

    @classmethod
    def retrievals(cls, path: str, problems: Problems) -> list[Retrieval]:
        found: list[Retrieval] = []
        for line, value in values_in(path, problems):
            if isinstance(value, Mapping) and (one := response_in(value, line)) is not None:
                found.append(one)
            elif isinstance(value, Mapping) and _is_by_topic(value):
                found += [Retrieval(str(topic), "", one, line) for topic, one in value.items()]
            else:
                problems.report("is no result of a known kind", line, shown(value), f"expected {cls.shape}")
        return found


#: Names that results of libraries have near their start.
_MARKS = (("page_content",), ("source_nodes",), ("start_char_idx",), ("token_count", "start_index"),
          ("documents", "split_idx_start"), ("documents", "content", "blob"))  # fmt: skip
#: Names around lists in files of other kinds.
_AROUND = frozenset({"data", "version", "results", "tests", "documents", "annotations", "items", "rows", "examples",
                     "queries", "corpus", "videos", "runs", "topics", "questions", "paragraphs", "articles", "passages",
                     "records", "entries", "samples"})  # fmt: skip
_FIRST_LIST = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*["{]')


def _looks_by_topic(text: str) -> bool:
    """Whether the first lines of an indented file begin an object of topics with lists of results."""
    match = _FIRST_LIST.match(text.lstrip("\ufeff"))
    if match is None or match[1] in _AROUND:
        return False
    return match[0].endswith('"') or any(f'"{name}"' in text for name in _PLACED)


#: Names that rows of results have near their start, beside a text or a document.
_PLACED = ("score", "distance", "_distance", "start", "start_index", "rank", "similarity")


def _is_result(item: Any) -> bool:
    """Whether an item of a list is a result: a text, a document of a library, or a row with a place or a score."""
    if isinstance(item, str) or is_document(item):
        return True
    names = {ours_of(str(name), "run") for name in item} if isinstance(item, dict) else set[str]()
    return bool(names & {"doc", "text"}) and bool(names & {"start", "score", "distance", "rank"})


def _is_by_topic(value: Mapping[str, Any]) -> bool:
    """Whether an object is one of topics: each has results, or what holds some."""
    for one in value.values():
        try:
            results = isinstance(one, list) and all(map(_is_result, one))
            if not results and retrieved_in(one) is None:
                return False
        except InputError:
            return True
    return bool(value) and _AROUND.isdisjoint(value)
