"""The one table of field names: what columns, keys, attributes and payloads are called elsewhere, and here.

JSON Lines, CSV, Parquet, data frames, records, dictionaries, objects and hits all use it, so that a name is read in all
of them or in none. Case and style do not matter: ``startOffset``, ``START-OFFSET`` and ``Start Offset`` are
``start_offset``. A field that says where in a document something is, and is not used, is an error: without it a part
of a document would count as the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from berrypick.data.errors import shorten
from berrypick.rows.counted_places import COUNTED, DETAIL_NUMBERS, DETAILS, LINES, SECONDS
from berrypick.rows.relevance_fields import NAMES as GRADES

Role = Literal["truth", "run"]


@dataclass(frozen=True)
class Aliases:
    """Names for one thing. Two ``usual`` ones are an error; of ``other`` ones the first there is counts, and only where
    no usual one is there."""

    usual: tuple[str, ...]
    other: tuple[str, ...] = ()

    @cached_property
    def all(self) -> tuple[str, ...]:
        return (*self.usual, *self.other)


#: Texts of questions: known, and not what a number is made of.
QUESTIONS = ("question", "query", "user_input", "input", "title")
# PyTerrier's frames have docno and, beside it, an internal docid; and qid beside the text of the query
TOPIC = Aliases(
    ("topic", "topic_id", "query_id", "qid", "q_id", "question_id"),
    ("queryid", "topicid", "query", "question", "user_input", "input"),
)
_DOC = Aliases(
    ("doc", "doc_id", "docno", "corpus_id", "document_id"),
    ("docid", "source", "source_id", "ref_doc_id", "file_path", "file_name", "source_file", "filename", "file", "path",
     "uri", "doc_uri", "video_id", "passage_id", "pid", "document", "title"),
)  # fmt: skip
_START = Aliases(
    ("start", "begin", "from", "start_index", "start_char", "char_start", "chunk_start", "start_pos", "start_offset",
     "span_start", "start_idx", "start_char_idx", "split_idx_start"),
    ("offset",),
)  # fmt: skip
_END = Aliases(
    ("end", "stop", "to", "end_index", "end_char", "char_end", "chunk_end", "end_pos", "end_offset", "span_end",
     "end_idx", "end_char_idx"),
)  # fmt: skip
_LENGTH = Aliases(("length", "span_len", "span_length"))
_RESULT_TEXT = Aliases(
    (),
    ("text", "content", "retrieved_contexts", "retrieval_context", "cited_text", "page_content", "chunk", "chunk_text",
     "passage", "passage_text", "body", "snippet", "excerpt", "context", "contexts", "document_text", "document"),
)  # fmt: skip
_QUOTE = Aliases(
    (),
    ("quote", "reference_context", "reference_contexts", "ground_truth_context", "ground_truth_contexts", "evidence",
     "context", "contexts", "passage", "passages", "reference", "answer"),
)  # fmt: skip
PAGES = {
    "page": Aliases(("page", "page_no", "page_number", "page_num", "page_id")),
    "page_index": Aliases(("page_index", "page_idx")),  # counts from 0
    "box": Aliases(("box", "bbox", "bounding_box")),
    "page_size": Aliases(("page_size",)),
    "page_places": Aliases(("page_places",)),  # several, of one result; layouts are read as these
    **{name: Aliases((name,)) for name in ("x0", "y0", "x1", "y1", "page_width", "page_height")},
}
#: Names of ours for places on pages.
PAGE_NAMES = tuple(PAGES)
_COUNTS = {ours: Aliases(names) for ours, names in (*LINES.items(), *SECONDS.items())}
_SHARED = {"topic": TOPIC, "doc": _DOC, "start": _START, "end": _END, "length": _LENGTH, **_COUNTS, **PAGES,
           "lines": Aliases(("lines",))}  # fmt: skip
#: Our names, and what they are called elsewhere, for the two roles.
TABLE: Mapping[Role, Mapping[str, Aliases]] = {
    "truth": {
        **_SHARED,
        "grade": Aliases(GRADES),
        "quote": _QUOTE,
        # of a span: it checks the offsets. What is a quote in a truth is not repeated here
        "text": Aliases((), tuple(name for name in _RESULT_TEXT.other if name not in _QUOTE.other)),
        "offsets": Aliases(("offsets",)),
        "judged": Aliases(("judged",)),
        "is_impossible": Aliases(("is_impossible",)),
        "annotator": Aliases(("annotator",)),
        "set": Aliases(("set", "evidence_set")),
        "hop": Aliases(("hop",)),
        "checksum": Aliases(("checksum",)),
    },
    "run": {
        **_SHARED,
        "rank": Aliases(("rank",), ("step",)),
        "score": Aliases(("score", "_score", "similarity", "similarity_score", "relevance_score")),
        "distance": Aliases(("distance", "_distance")),
        "text": _RESULT_TEXT,
        "run": Aliases(("run", "run_id", "runid", "run_name", "tag", "system")),
        "stage": Aliases(("stage",)),
        "results": Aliases(("results",)),
        **{name: Aliases((name,)) for name in DETAILS},
    },
}
#: Lists of results, or of what is relevant, in a row of their topic: objects, names of documents, or texts.
LISTS: Mapping[Role, tuple[str, ...]] = {
    "truth": ("relevant", "relevant_docs", "relevant_documents"),
    "run": (
        "retrieved", "docs", "retrieved_docs", "retrieved_documents", "results", "hits", "chunks", "retrieved_chunks",
        "passages", "retrieved_passages", "nodes", "retrieved_nodes", "documents", "source_documents", "source_nodes",
        "search_results",
    ),
}  # fmt: skip
#: Of these lists, those that stores, chains and engines return: no truth has them.
OF_ANSWERS = frozenset({"hits", "documents", "source_documents", "source_nodes", "search_results"})
#: Names of texts under which a list may hold objects: results, each with fields of its own.
LISTS_OF_TEXTS = ("contexts", "retrieved_contexts", "retrieval_context", "context")
#: Names of texts whose strings are texts, whatever the truth judges.
TEXTS_ONLY = frozenset({"text", "content", "cited_text", "page_content", "chunk_text", "passage_text", "body",
                         "snippet", "excerpt", "document_text"})  # fmt: skip
#: Fields that may be lists of the same length, an item for each result.
_PLACED = ("start", "end", "length", *(name for name in COUNTED if name != "ts"))
LISTED_FIELDS = ("doc", *_PLACED, "rank", "score", "distance", "grade")
OF_ONE = (*_PLACED, "rank", "score", "distance")
#: Of these only one may be there: the other would say something else, and not be used.
ONE_ONLY = ("start", "end", *COUNTED, *PAGES)
#: Quotes only in a row that has no offsets and no other quote.
LAST_QUOTES = ("reference", "answer")
#: Fields that say where, but not in characters: what they count. They are refused until they can be counted.
ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "milliseconds": ("start_ms", "end_ms"),
    "pages": ("pages", "page_label"),
    "boxes": ("bboxes", "boxes", "bounding_boxes"),
    "turns": ("turn", "turns", "turn_id", "turn_no", "turn_number", "turn_index"),
    "tokens": ("start_token", "end_token", "token_start", "token_end"),
    "bytes": ("start_byte", "end_byte", "byte_start", "byte_end"),
    "elements": ("xpath",),
    "characters of an answer": ("answer_start", "answer_end"),
}  # fmt: skip
ELSEWHERE_UNITS = {name: unit for unit, names in ELSEWHERE.items() for name in names}
#: Names under which a list or an object says where; a single number there may be anything, such as a rank.
PLACES = frozenset({"span", "spans", "char_span", "char_range", "range", "ranges", "position", "positions", "loc",
                     "location", "locations", "offsets"})  # fmt: skip
#: Objects in a row whose fields count as fields of the row.
INSIDE = ("metadata", "meta")
NUMBERS = frozenset(
    {
        "start",
        "end",
        "length",
        "rank",
        "score",
        "distance",
        "grade",
        "page",
        "page_index",
        "x0",
        "y0",
        "x1",
        "y1",
        "page_width",
        "page_height",
        *(name for name in COUNTED if name != "ts"),
        *DETAIL_NUMBERS,
    }
)
#: Words of other meanings too, such as the sender of a message: places only where they are numbers.
COMMON = frozenset({"from", "to", "begin", "stop", "offset"})
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A name as the table has it, whatever its case and style."""
    plain = re.sub(r"[\s.\-]+", "_", _WORDS.sub("_", name.strip())).lower()
    return plain if plain in _known() else _joined().get(plain.replace("_", ""), plain)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    names = {name for table in TABLE.values() for aliases in table.values() for name in aliases.all}
    lists = {name for known in LISTS.values() for name in known}
    return frozenset({*names, *ELSEWHERE_UNITS, *PLACES, *QUESTIONS, *lists})


@lru_cache(maxsize=1)
def _joined() -> dict[str, str]:
    """Names of several words, written as one."""
    return {name.replace("_", ""): name for name in sorted(_known()) if "_" in name.strip("_")}


@lru_cache(maxsize=4096)
def ours_of(name: str, role: Role) -> str:
    """What a name is called here; '' if it is unknown."""
    plain = plain_name(name)
    return next((ours for ours, aliases in TABLE[role].items() if plain in aliases.all), "")


def names_topic(names: Iterable[str]) -> bool:
    """Whether one of the names is that of a topic."""
    return has_name(names, TOPIC)


def is_question(name: str) -> bool:
    """Whether a field of this name holds the text of a question."""
    return plain_name(name) in QUESTIONS


def has_name(names: Iterable[str], aliases: Aliases) -> bool:
    """Whether one of the names is among those for one thing."""
    return any(plain_name(name) in aliases.all for name in names)


def is_span_header(names: Iterable[str]) -> bool:
    """Whether names of columns or fields are those of spans: a topic, and a document or a text."""
    given = [*names]
    text = {"text", "quote"}
    found = {ours_of(name, "run") for name in given} | {ours_of(name, "truth") for name in given}
    return names_topic(given) and ("doc" in found or bool(text & found))


def has_list(names: Iterable[Any]) -> bool:
    """Whether one of the names is that of a list of results, or of what is relevant."""
    return any(plain_name(str(name)) in known for name in names for known in LISTS.values())


def is_list(name: str, role: Role) -> bool:
    """Whether a name is that of a list of results, or of what is relevant."""
    return plain_name(name) in LISTS[role]


def is_used(name: str, role: Role) -> bool:
    """Whether a field of this name may change a number, or say that one would be wrong."""
    # an id may be that of a question, where nothing else names the topic
    known = {*PLACES, *ELSEWHERE_UNITS, *INSIDE, *LISTS[role], "tag", "id"}
    return bool(ours_of(name, role)) or plain_name(name) in known


def counts(name: str) -> str:
    """What a field counts that says where by something else than characters; '' for any other."""
    return ELSEWHERE_UNITS.get(plain_name(name), "")


def is_page(name: str) -> bool:
    """Whether a field of this name says where by pages or boxes."""
    return ours_of(name, "run") in PAGES or counts(name) in ("pages", "boxes")


def spelt(name: str, names: Sequence[str]) -> str:
    """A name as the file writes it, if it differs by case or style only."""
    if name in names:
        return name
    return next((one for one in names if plain_name(one) == plain_name(name)), name)


def unread_note(names: Iterable[str]) -> str:
    """The one note on fields that were not read; '' if there are none."""
    shown = ", ".join(shorten(name, 40) for name in names)
    return f"unread: {shown}" if shown else ""
