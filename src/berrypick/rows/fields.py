"""The one table of field names: what columns, keys, attributes and payloads are called elsewhere, and here.

JSON Lines, CSV, Parquet, data frames, records, dictionaries, objects and hits all use it, so that a name is read in all
of them or in none. Case and style do not matter: ``startOffset``, ``START-OFFSET`` and ``Start Offset`` are
``start_offset``. A field that says where in a document something is, and is not used, is an error: without it a part
of a document would count as the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from berrypick.data.costs import TOPIC_COSTS
from berrypick.data.errors import BerrypickError, InputError, UsageError, nearest, option, shorten
from berrypick.data.strings import LONGEST_NAME, is_text
from berrypick.data.words import plain_title
from berrypick.rows.chosen_fields import NOTHING_CHOSEN, ChosenFields
from berrypick.rows.counted_places import COUNTED, DETAIL_NUMBERS, DETAILS, LINES, SECONDS, in_one_unit
from berrypick.rows.entries import ENTRY_ID, Entries
from berrypick.rows.layouts import LayoutError, with_places
from berrypick.rows.loader_fields import PAGE_FIELDS, without_loader_fields
from berrypick.rows.relevance_fields import NAMES as GRADES
from berrypick.rows.relevance_fields import OF_TRUTHS_ALONE, OPEN, are_relevance, grade_of, score_is_grade
from berrypick.rows.row_lists import LISTED, OF_TOPIC, STRING, as_lists, spread

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
_TOPIC = Aliases(
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
_PAGES = {
    "page": Aliases(("page", "page_no", "page_number", "page_num", "page_id")),
    "page_index": Aliases(("page_index", "page_idx")),  # counts from 0
    "box": Aliases(("box", "bbox", "bounding_box")),
    "page_size": Aliases(("page_size",)),
    "page_places": Aliases(("page_places",)),  # several, of one result; layouts are read as these
    **{name: Aliases((name,)) for name in ("x0", "y0", "x1", "y1", "page_width", "page_height")},
}
#: Names of ours for places on pages.
PAGE_NAMES = tuple(_PAGES)
_COUNTS = {ours: Aliases(names) for ours, names in (*LINES.items(), *SECONDS.items())}
_SHARED = {"topic": _TOPIC, "doc": _DOC, "start": _START, "end": _END, "length": _LENGTH, **_COUNTS, **_PAGES,
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
_TEXTS_ONLY = frozenset({"text", "content", "cited_text", "page_content", "chunk_text", "passage_text", "body",
                         "snippet", "excerpt", "document_text"})  # fmt: skip
#: Fields that may be lists of the same length, an item for each result.
_PLACED = ("start", "end", "length", *(name for name in COUNTED if name != "ts"))
_LISTED = ("doc", *_PLACED, "rank", "score", "distance", "grade")
_OF_ONE = (*_PLACED, "rank", "score", "distance")
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
#: Names under which a list or an object says where; a single number there may be anything, such as a rank.
_PLACES = frozenset({"span", "spans", "char_span", "char_range", "range", "ranges", "position", "positions", "loc",
                     "location", "locations", "offsets"})  # fmt: skip
#: Objects in a row whose fields count as fields of the row.
_INSIDE = ("metadata", "meta")
_NUMBERS = frozenset(
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
_COUNTED = {name: unit for unit, names in ELSEWHERE.items() for name in names}
#: What may stand for the name of a document: text that is looked up.
_INSTEAD: Mapping[Role, str] = {"truth": "quote", "run": "text"}
_REMEDY = {
    "milliseconds": "give start_time and end_time, in seconds",
    "bytes": f"call them start and end, and say {option('offsets', 'bytes')}",
}
#: Haystack has the page beside its own offset, which counts from the start of the whole document.
_WITH_PAGES = "split_idx_start"
#: Words of other meanings too, such as the sender of a message: places only where they are numbers.
_COMMON = frozenset({"from", "to", "begin", "stop", "offset"})
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class FieldError(BerrypickError):
    """What is wrong with the fields of a row, and what to do about it."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(f"{what}; {remedy}" if remedy else what)
        self.what, self.remedy = what, remedy


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A name as the table has it, whatever its case and style."""
    plain = re.sub(r"[\s.\-]+", "_", _WORDS.sub("_", name.strip())).lower()
    return plain if plain in _known() else _joined().get(plain.replace("_", ""), plain)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    names = {name for table in TABLE.values() for aliases in table.values() for name in aliases.all}
    lists = {name for known in LISTS.values() for name in known}
    return frozenset({*names, *_COUNTED, *_PLACES, *QUESTIONS, *lists})


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
    return has_name(names, _TOPIC)


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
    known = {*_PLACES, *_COUNTED, *_INSIDE, *LISTS[role], "tag", "id"}
    return bool(ours_of(name, role)) or plain_name(name) in known


def counts(name: str) -> str:
    """What a field counts that says where by something else than characters; '' for any other."""
    return _COUNTED.get(plain_name(name), "")


# --- rows -------------------------------------------------------------------------------------------------------------


class FieldRow(dict[str, Any]):
    """Fields by our names; ``called`` has what they are called in the input."""

    called: Mapping[str, str] = {}


def with_fields(row: Mapping[str, Any], more: Mapping[str, Any]) -> FieldRow:
    """A row with other or more fields, and what its fields are called."""
    made = FieldRow({**row, **more})
    made.called = names_of(row)
    return made


def names_of(row: Mapping[str, Any]) -> Mapping[str, str]:
    """What the fields of a row are called in the input, where that is known."""
    return row.called if isinstance(row, FieldRow) else {}


@dataclass(frozen=True)
class _Plan:
    """What the names of a row mean: for each of ours the names to look under, in order."""

    role: Role
    simple: bool  # all names are ours, and their values are taken as they are
    wanted: Mapping[str, tuple[str, ...]]
    #: Our names to theirs, where plain values decide nothing; None where they may.
    easy: Mapping[str, str] | None = None
    rest: tuple[str, ...] = ()
    #: Their names under which there may be lists of results, or of what is relevant.
    whole: tuple[str, ...] = ()
    asked: bool = False  # whether the question is all that names the topic
    #: Their names of texts under which a list may hold objects: results, each with fields of its own.
    contexts: tuple[str, ...] = ()
    #: Their names that are not read because a person says so.
    ignored: frozenset[str] = frozenset()

    def names(self, *ours: str) -> list[str]:
        """Their names for some of ours."""
        return [name for one in ours for name in self.wanted.get(one, ())]

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """Their names under which there may be lists, of results or of what results have."""
        return (*self.whole, *self.names(*_LISTED))

    @cached_property
    def may_list(self) -> bool:
        """Whether a row may hold lists."""
        return bool(self.lists or self.contexts or (self.role == "truth" and self.quotes))

    @cached_property
    def may_list_beside_doc(self) -> bool:
        """Whether a row may hold lists although it has one document, and our names alone."""
        return bool(self.whole or (self.role == "truth" and self.quotes)) if self.simple else self.may_list

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """Their names of quotes, which may be lists of objects."""
        return tuple(name for name in self.names("quote") if plain_name(name) not in LAST_QUOTES)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Their names of texts, of which each value is looked at."""
        return tuple(theirs for ours, theirs in (self.easy or {}).items() if ours in ("text", "quote"))

    @cached_property
    def as_is(self) -> bool:
        """Whether an easy row has our names, and no others."""
        return not self.rest and all(ours == theirs for ours, theirs in (self.easy or {}).items())

    @cached_property
    def lacks_end(self) -> bool:
        """Whether an easy row has a start and no end."""
        return self.easy is not None and "start" in self.easy and "end" not in self.easy


#: Fields whose values are taken as they are. Texts and lengths may be something else, and are looked at.
_SIMPLE = frozenset({"topic", "doc", "start", "end", "rank", "score", "grade", "tag", "run", "stage", "results",
                     "judged", "is_impossible", "annotator", "checksum", "set", "hop"})  # fmt: skip
_SIMPLE_TOO = ("tag", "results")
#: Of these only one may be there: the other would say something else, and not be used.
_ONE_ONLY = ("start", "end", *COUNTED, *_PAGES)


@lru_cache(maxsize=1024)
def _plan(names: tuple[str, ...], role: Role, chosen: ChosenFields = NOTHING_CHOSEN) -> _Plan:
    """Make the plan for a tuple of names."""
    settled = {ours: _spelt(name, names) for ours, name in chosen.named}
    ignored = frozenset(name for name in names if _is_ignored(name, role, chosen))
    apart = {*settled.values(), *ignored, *(_spelt(name, names) for name in chosen.groups)}
    plain: dict[str, list[str]] = {}
    for name in names:
        if name not in apart:
            plain.setdefault(plain_name(name), []).append(name)
    asked = not plain.keys().isdisjoint(QUESTIONS[:-1]) and plain.keys().isdisjoint(_TOPIC.usual)
    wanted = {
        **{ours: theirs for ours, theirs in _by_table(plain, role).items() if ours not in settled},
        **{ours: (theirs,) for ours, theirs in settled.items() if theirs in names},
    }
    wanted = {ours: wanted[ours] for ours in TABLE[role] if ours in wanted}  # what is read first decides
    if "id" in plain and asked and "topic" not in settled:  # in a run it may also be the id of a chunk
        wanted["topic" if role == "truth" else "id"] = tuple(plain["id"])
    if role == "truth" and "grade" not in {*wanted, *settled} and score_is_grade(plain):
        wanted["grade"] = tuple(plain["score"])
    used = {name for theirs in wanted.values() for name in theirs}
    return _Plan(
        role,
        simple=not chosen and {*TABLE[role]}.intersection(_SIMPLE).union(_SIMPLE_TOO).issuperset(names),
        wanted=wanted,
        easy=_easy(plain, wanted),
        rest=tuple(name for name in names if name not in used and name not in ignored),
        whole=_under(plain, LISTS[role]),
        asked=asked,
        contexts=_under(plain, LISTS_OF_TEXTS) if role == "run" else (),
        ignored=ignored,
    )


def _by_table(plain: Mapping[str, Sequence[str]], role: Role) -> dict[str, tuple[str, ...]]:
    """Our names to theirs, as the table has them; a tag names the run in its own way."""
    found = {ours: _under(plain, aliases.all, "tag") for ours, aliases in TABLE[role].items()}
    return {ours: theirs for ours, theirs in found.items() if theirs}


def _under(plain: Mapping[str, Sequence[str]], known: Iterable[str], but: str = "") -> tuple[str, ...]:
    """Their names that stand for some known ones."""
    return tuple(name for one in known if one != but for name in plain.get(one, ()))


def _spelt(name: str, names: Sequence[str]) -> str:
    """A name as the file writes it, if it differs by case or style only."""
    if name in names:
        return name
    return next((one for one in names if plain_name(one) == plain_name(name)), name)


def _is_ignored(name: str, role: Role, chosen: ChosenFields) -> bool:
    """Whether a person says that a field is not read, by its name or by what it would be read as."""
    if not chosen.ignored or name in chosen.names:
        return False
    return ours_of(name, role) in chosen.ignored or plain_name(name) in map(plain_name, chosen.ignored)


def _easy(plain: Iterable[str], wanted: Mapping[str, tuple[str, ...]]) -> Mapping[str, str] | None:
    doubtful = {*_COUNTED, *_PLACES, *_INSIDE, *_COMMON, *LAST_QUOTES, "document", "tag", "results"}
    if (
        not doubtful.isdisjoint(plain)
        or not {"distance", "length", "lines", "id", *COUNTED}.isdisjoint(wanted)
        or {"quote", "text"} <= {*wanted}
    ):
        return None
    if any(len(theirs) > 1 for theirs in wanted.values()):
        return None
    if not {*_PAGES}.isdisjoint(wanted) and not {"start", "text"}.isdisjoint(wanted):
        return None
    return {ours: theirs[0] for ours, theirs in wanted.items()}


def direct_names(names: tuple[str, ...], role: Role) -> Mapping[str, str] | None:
    """What names are called here, '' where they are not read; None where texts and numbers under them decide what is
    read. A row of some of these names is read the same way."""
    plan = _plan(names, role)
    if plan.simple:
        return {name: name for name in names}
    if plan.easy is None or plan.texts or plan.lacks_end:
        return None
    return {**dict.fromkeys(names, ""), **{theirs: ours for ours, theirs in plan.easy.items()}}


def refuse_unknown(chosen: ChosenFields, names: Sequence[str], where: str) -> None:
    """Refuse names that a person gave and that are not among those of an input."""
    ignored = {plain_name(name) for name in names} | {*TABLE["truth"]}
    for name in (*chosen.names, *(name for name in chosen.ignored if plain_name(name) not in ignored)):
        if names and _spelt(name, names) not in names:
            has = nearest(name, list(names)) or f"; it has {', '.join(names[:12])}"
            raise UsageError(f"{where} has no field {name}{has}")


class FieldReader:
    """Reads rows by our names, and keeps the names of what it did not read.

    ``ends``: an end that is missing follows from the text or the length of its row; those who know what offsets count
    do that themselves. ``metadata``: of several names of a document the first counts, whatever tier it is of.
    ``chosen``: what a person says about fields.
    """

    def __init__(
        self, role: Role, ends: bool = True, metadata: bool = False, chosen: ChosenFields = NOTHING_CHOSEN
    ) -> None:
        self.role: Role = role
        self._ends, self._metadata, self._chosen = ends, metadata, chosen
        self.unread: dict[str, None] = {}
        #: Whether the last row was an entry: the list of results of its topic, perhaps an empty one.
        self.is_entry = False
        #: The rows of a run that were read, by topic.
        self.entries = Entries()
        self._names: tuple[Any, ...] = ()
        self._plan = _Plan(role, simple=False, wanted={})
        self._seen: dict[str, None] = {}  # names of all rows, where a person has named some
        for role_name, _ in chosen.named:
            if role_name not in TABLE[role]:
                offer = (
                    nearest(role_name, [*TABLE[role]]) or "; roles are topic, doc, start, end, quote, grade and group"
                )
                raise UsageError(f"{option('fields')}: {shorten(role_name, 40)} is not a role{offer}")

    def read(self, given: Mapping[Any, Any]) -> Sequence[Mapping[str, Any]]:
        """A row by our names; several rows where it holds a list of texts. What would not be used is an error."""
        rows = self._read(given)
        if self.role == "run" and self._plan.asked:
            for row in rows:
                if type(row.get("topic")) is str:
                    row["topic"] = plain_title(row["topic"])  # type: ignore[index]
        return rows

    def _read(self, given: Mapping[Any, Any]) -> Sequence[Mapping[str, Any]]:
        names = tuple(given)
        if not names or names != self._names:  # most rows have the names of the one before
            if {*map(type, names)} != {str}:
                given = {str(name): value for name, value in given.items()}
                names = tuple(given)
            self._names, self._plan = names, self._plan_for(names)
        plan, self.is_entry = self._plan, False
        if plan.ignored:
            given = {name: value for name, value in given.items() if name not in plan.ignored}
        may_list = plan.may_list_beside_doc if type(given.get("doc")) is str else plan.may_list
        if may_list and (rows := self._spread(plan, given)) is not None:
            return rows
        if plan.simple:
            return (given,)
        if plan.easy is not None and (easy := self._easy_row(plan, plan.easy, given)) is not None:
            return (easy,)
        try:
            return self._any_row(given)
        except LayoutError as error:
            raise FieldError(str(error), error.remedy) from None

    def _plan_for(self, names: tuple[str, ...]) -> _Plan:
        if self._chosen:
            self._seen |= dict.fromkeys(names)
        return _plan(names, self.role, self._chosen)

    def _any_row(self, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Read a row of any fields: flatten it, look up names, read the place, read the text."""
        given, pages = _flat(given), dict[str, Any]()
        if self.role == "run" and _has_text_or_offsets(given):
            given, pages = without_loader_fields(given, _is_page, _place_inside)
        given = with_places(given)
        plan = self._plan_for(tuple(given))
        given = {name: value for name, value in given.items() if name not in plan.ignored}
        refuse_places({name: value for name, value in given.items() if value is not None})
        row = self._row(plan.wanted, given)
        if self.role == "run" and _has_no_texts(row, plan.wanted, given):
            self.is_entry = True
            for name in plan.wanted["text"]:
                self.unread.pop(name, None)
            return (self._empty_entry(plan.wanted, given),)
        self._place(row)
        if pages:
            row[PAGE_FIELDS] = pages
        if self._ends:
            row = with_end(row)
        self.is_entry = isinstance(row.get("text"), (list, tuple))
        if self.is_entry and "id" in row:
            row[ENTRY_ID] = row.pop("id")
        if self.is_entry and (own := {name: row.pop(name) for name in TOPIC_COSTS if row.get(name) is not None}):
            row[OF_TOPIC] = own
        return _one_text_each(row, self.role)

    def _empty_entry(self, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> FieldRow:
        """A row that says that nothing was retrieved for its topic."""
        names = {ours: self._name(ours, {name: given[name] for name in wanted[ours]})
                 for ours in ("topic", "id", "run", "stage") if ours in wanted}  # fmt: skip
        row = FieldRow({ours: given[name] for ours, name in names.items() if name is not None})
        row.called = {ours: name for ours, name in names.items() if name is not None}
        if self.role == "truth":
            row["is_impossible"] = True
            return row
        row["results"] = []
        if own := self._own_costs(wanted, given):
            row[OF_TOPIC] = own
        if "id" in row:
            row[ENTRY_ID] = row.pop("id")
        if "tag" in given and "run" not in row:
            row["tag"] = given["tag"]
        return row

    def _spread(self, plan: _Plan, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
        """The rows of a row that holds lists; None if it holds none."""
        if _SCALARS.issuperset(map(type, given.values())):
            return None
        given, whole = as_lists(given), plan.whole
        if self.role == "truth":
            given, judged = _judged_lists(plan, given)
            whole = (*(name for name in whole if not _grades_passages(name, plan, given)), *judged)
        lists = frozenset(name for name, value in given.items() if isinstance(value, (list, tuple)))
        single = [name for name in plan.names(*_OF_ONE) if name not in lists and given[name] is not None]
        beside = [name for name in plan.names(*_LISTED) if name in lists and name not in plan.whole]
        if beside and single:
            what = f"{beside[0]} is a list, but {single[0]} is not"  # it would be taken for that of every item
            raise FieldError(what, "give lists with an item for each, or none")
        texts = lists.intersection(plan.names("text", *(("set", "hop") if beside else ())))
        if self.role == "truth":
            texts |= _beside_lists(plan, given, whole)
        if single:
            return None  # one place or score cannot be that of several results
        if plan.contexts and lists.isdisjoint(plan.lists):
            whole = tuple(name for name in plan.contexts if _holds_objects(given[name]))
        cells = {*plan.lists, *(() if lists.isdisjoint(plan.lists) else texts)} - {*whole}
        own = self._own_costs(plan.wanted, given)
        items = {name: value for name, value in given.items() if not own or name not in plan.names(*own)}
        try:
            rows = spread(items, whole, cells)
        except ValueError as error:
            raise FieldError(str(error), "give one list, with an item for each result") from None
        if rows is None:
            return None
        self.is_entry = not lists.isdisjoint({*plan.whole, *plan.names("doc"), *texts})
        if rows:
            found = self._items(plan, given, rows)
            return [with_fields(one, {OF_TOPIC: own}) for one in found] if own else found
        if any(given[name] is not None and name not in lists for name in plan.names(*_LISTED)):
            raise FieldError("has both a result and an empty list of results", "keep one of them")
        return (self._empty_entry(plan.wanted, given),)

    def _own_costs(self, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> dict[str, Any]:
        """The costs of a topic that stand beside its list; what results say of theirs is in the list."""
        if self.role != "run":
            return {}
        held = {ours: given.get(wanted[ours][0]) for ours in TOPIC_COSTS if ours in wanted}
        return {ours: value for ours, value in held.items() if value is not None and type(value) in _SCALARS}

    def _items(self, plan: _Plan, given: Mapping[str, Any], rows: list[dict[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Read the rows of the items of a list."""
        reader = FieldReader(self.role, self._ends, self._metadata, self._chosen)
        own = self._own_id(plan, given, rows)
        found = [one for row in rows for one in reader.read_item(row)]
        self.unread |= reader.unread
        self._seen |= reader._seen
        return found if own is None else [with_fields(one, {ENTRY_ID: own}) for one in found]

    def _own_id(self, plan: _Plan, given: Mapping[str, Any], rows: list[dict[str, Any]]) -> Any:
        """The id of an entry. Its rows lose what they have under that name: the same, or the id of a chunk."""
        if not self.is_entry or "id" not in plan.wanted:
            return None
        name = plan.wanted["id"][0]
        for row in rows:
            if row.pop(name, None) is not given[name]:
                self.unread[name] = None
        return given[name]

    def read_item(self, row: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Read the row of an item of a list; a value that is not an object is under the name ``item``."""
        if self.role == "truth":
            return self.read(_named(row))
        string = isinstance(row.get("item"), str)
        if "item" in row:
            row["doc"] = row.pop("item")
        return [_in_list(one, string) for one in self.read(row)]

    def refuse_unknown(self, where: str) -> None:
        """Refuse names that a person gave and no row has."""
        refuse_unknown(self._chosen, [*self._seen], where)

    def number_names(self, names: Iterable[str]) -> dict[str, str]:
        """Names of fields that hold numbers, to what these are called here."""
        wanted = _plan(tuple(names), self.role, self._chosen).wanted
        return {theirs: ours for ours, held in wanted.items() if ours in _NUMBERS for theirs in held}

    def read_columns(
        self, columns: Mapping[str, Sequence[Any]]
    ) -> tuple[dict[str, Sequence[Any]], dict[str, str]] | None:
        """Columns by our names, with what they are called, where every row is an easy one; None if some are not."""
        plan = _plan(tuple(columns), self.role, self._chosen)
        if plan.easy is None or self._chosen or (self._ends and plan.lacks_end) or (plan.rest and self.role == "truth"):
            return None
        for name, held in columns.items():
            kinds = {*map(type, held)}
            if not kinds <= _SCALARS or (float in kinds and any(value != value for value in held)):
                return None
            if name in plan.texts and not all(map(_is_text, held)):
                return None
        for name in plan.rest:
            self._keep_rest(FieldRow(), _NOTHING, {name: next((value for value in columns[name] if value != ""), None)})
        return {ours: columns[theirs] for ours, theirs in plan.easy.items()}, dict(plan.easy)

    def _easy_row(self, plan: _Plan, names: Mapping[str, str], given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The same for most rows, in less time; None for others."""
        if (self._ends and plan.lacks_end) or not _SCALARS.issuperset(map(type, given.values())):
            return None
        for name in plan.texts:
            if not _is_text(given[name]):
                return None
        if plan.as_is:
            return given
        row = FieldRow([(ours, given[theirs]) for ours, theirs in names.items()])
        if plan.rest:
            self._keep_rest(row, _NOTHING, {name: given[name] for name in plan.rest})
        row.called = names
        return row

    def _row(self, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> FieldRow:
        row = FieldRow()
        called: dict[str, str] = {}
        for ours, theirs in wanted.items():
            held = {name: given[name] for name in theirs}
            name = self._text_name(ours, held, row) if ours in ("quote", "text") else self._name(ours, held)
            if name is not None and name not in called.values():
                row[ours], called[ours] = given[name], name
            elif (ours in given and given[ours] is None) or (ours == "grade" and name is None):
                row[ours] = None  # null is not the same as a field that is not there
                called.update({ours: theirs[0]} if ours == "grade" else {})
        if plain_name(called.get("start", "")) == _WITH_PAGES:
            for ours in PAGE_NAMES:
                row.pop(ours, None)
        if self.role == "truth" and "answer" in given and given["answer"] is None:
            row["answer"] = None  # says that there is none
        if self.role == "run":
            _from_distance(row)
        for name in ("tag", "results"):
            if name in given and self.role == "run":
                row[name] = given[name]
        self._keep_rest(row, {*called.values(), *row}, given)
        row.called = called
        return row

    def _place(self, row: FieldRow) -> None:
        """Fields that count lines or seconds are start and end of these; what is no detail of a step is unread."""
        called = dict(row.called)
        in_one_unit(row, called, self.role)
        for name in DETAILS if self.role == "run" else ():
            if name in row and type(row[name]) not in _SCALARS:
                del row[name]
                self.unread[called.pop(name, name)] = None
        row.called = called

    def _name(self, ours: str, held: Mapping[str, Any]) -> str | None:
        """The name whose value counts."""
        found = [name for name, value in held.items() if value is not None and not _is_other(ours, name, value)]
        usual = [name for name in found if ours != "id" and plain_name(name) in TABLE[self.role][ours].usual]
        rivals = _rivals(ours, usual, found)
        if len(rivals) > 1 and not (self._metadata and ours == "doc"):
            known = {name: grade_of(held[name]) if ours == "grade" else None for name in rivals}
            values = {str(held[name] if known[name] is None else known[name]) for name in rivals}
            if len(values) > 1:
                also = f", or name it with {option('fields', f'{ours}={rivals[0]}')}" if self.role == "truth" else ""
                raise FieldError(
                    f"has {len(rivals)} fields for the {ours}, which differ: {', '.join(rivals)}",
                    f"keep one of them{also}",
                )
        return next(iter([*usual, *found]), None)

    def _text_name(self, ours: str, held: Mapping[str, Any], row: Mapping[str, Any]) -> str | None:
        """The first name that holds text."""
        if ours == "text" and row.get("quote") is not None:
            return "text" if "text" in held else None
        placed = row.get("start") is not None
        for name, value in held.items():
            if _is_text(value) and not (placed and plain_name(name) in LAST_QUOTES):
                return name
        return next((name for name, value in held.items() if plain_name(name) == ours and value is not None), None)

    def _keep_rest(self, row: FieldRow, used: AbstractSet[str], given: Mapping[str, Any]) -> None:
        """Other fields are those of a topic in a truth, and unread in a run."""
        for name, value in given.items():
            if (
                name in used
                or value is None
                or name in self.unread
                or (isinstance(value, str) and not value and self.role == "run")
            ):
                continue
            if self.role == "truth" and name not in _OF_RUNS:
                self._refuse_open(row, name, value)
                row.setdefault(name, value)
            elif not is_question(name) and not name.startswith("_"):
                self.unread[name] = None

    def _refuse_open(self, row: Mapping[str, Any], name: str, value: Any) -> None:
        """Refuse a field that may be the grade, in a row that has no other: a judged-false row would be relevant."""
        if plain_name(name) not in OPEN or "grade" in row or grade_of(value) is None or name in self._chosen.groups:
            return
        if row.get("is_impossible") or row.get("judged") is not None or row.get("answer", "") is None:
            return  # nothing is graded in such a row
        if "grade" in {*self._chosen.ignored, *(role for role, _ in self._chosen.named)}:
            return
        shown = name if name.isprintable() and not {*",="} & {*name} else "NAME"
        raise FieldError(
            f"{shorten(name, 40)} may be the grade or something else",
            f"read it with {option('fields', f'grade={shown}')}, or ignore it with {option('fields', f'{shown}=')}",
        )

    def leave(self, names: Iterable[str]) -> None:
        """Columns that are not even loaded."""
        self.unread.update(dict.fromkeys(name for name in names if not is_question(name)))

    def leave_values(self, names: Iterable[str]) -> None:
        """Fields of rows that hold something and are not read."""
        for name in names:
            self._keep_rest(FieldRow(), _NOTHING, {name: True})


_OF_RUNS = ("tag", "rank", "results")
_SCALARS = frozenset({str, int, float, bool})
_NOTHING: frozenset[str] = frozenset()


def _named(row: dict[str, Any]) -> Mapping[str, Any]:
    """A row for an item of a list of what is relevant; a text that is no name is looked up."""
    if "item" not in row:
        return row
    item = row.pop("item")
    return {**row, ("quote" if isinstance(item, str) and is_text(item) else "doc"): item}


def _in_list(row: Mapping[str, Any], string: bool) -> FieldRow:
    """A row that says that it comes from a list, and whether it is a string there."""
    return with_fields(row, {LISTED: True, **({STRING: True} if string else {})})


def _holds_objects(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, Mapping) for one in value)


def unread_note(names: Iterable[str]) -> str:
    """The one note on fields that were not read; '' if there are none."""
    shown = ", ".join(shorten(name, 40) for name in names)
    return f"unread: {shown}" if shown else ""


def _grades_passages(name: str, plan: _Plan, given: Mapping[str, Any]) -> bool:
    """Whether a list, such as ``relevant``, grades a list of passages beside it instead of listing what is relevant."""
    held = given[name]
    if name not in plan.wanted.get("grade", ()) or not isinstance(held, (list, tuple)) or not held:
        return False
    passages = [given[other] for ours in ("quote", "text", "doc") for other in plan.wanted.get(ours, ())]
    alike = any(isinstance(one, (list, tuple)) and len(one) == len(held) for one in passages)
    return alike and are_relevance(held)


def _judged_lists(plan: _Plan, given: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """The row with its passages as lists of objects with quotes, and the names of these lists.

    ``contexts: [{text, relevant}, ..]`` is one already; ``passages: {is_selected: [..], passage_text: [..]}`` becomes
    one. A row with offsets of its own keeps such objects as they are.
    """
    if any(given[name] is not None for ours in ("start", *COUNTED) for name in plan.wanted.get(ours, ())):
        return given, []
    found: dict[str, list[Any]] = {}
    for name in plan.quotes:
        items = _as_objects(given[name])
        if items and all(isinstance(one, Mapping) and (_text_key(one) or _grade_key(one)) for one in items):
            found[name] = [_with_quote(one) for one in items]
    return {**given, **found}, list(found)


def _as_objects(value: Any) -> list[Any]:
    """Objects in a list; an object of lists of one length as such a list."""
    if not isinstance(value, Mapping):
        return list(value) if isinstance(value, (list, tuple)) else []
    if not all(isinstance(held, (list, tuple)) for held in value.values()):
        return []
    if len({len(held) for held in value.values()}) > 1:
        shown = ", ".join(f"{len(held)} {name}" for name, held in value.items())
        raise FieldError(f"has lists of different lengths: {shown}", "give one list, with an item for each passage")
    return [dict(zip(value, cells, strict=True)) for cells in zip(*value.values(), strict=True)]


def _text_key(item: Mapping[Any, Any]) -> str:
    return next((str(name) for name in item if "text" in (ours_of(str(name), "run"), ours_of(str(name), "truth"))), "")


def _grade_key(item: Mapping[Any, Any]) -> str:
    return next((str(name) for name in item if ours_of(str(name), "truth") == "grade"), "")


def _with_quote(item: Mapping[Any, Any]) -> dict[str, Any]:
    """An object in a list of passages: its text is a quote."""
    placed = any(ours_of(str(name), "truth") in ("start", "quote") for name in item)
    name = "" if placed else _text_key(item)
    return {"quote" if str(key) == name else str(key): value for key, value in item.items()}


def _beside_lists(plan: _Plan, given: Mapping[str, Any], whole: Sequence[str]) -> set[str]:
    """Names of lists of quotes, each quote of which belongs to an item of the lists beside them."""

    def listed(names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in whole and isinstance(given[name], (list, tuple))]

    others, quotes, texts = (listed(one) for one in (plan.lists, *(plan.wanted.get(n, ()) for n in ("quote", "text"))))
    graded = [name for name in others if name in plan.wanted.get("grade", ())]
    if graded and len(graded) == len(others) and not quotes and not texts and len(given[graded[0]]) != 1:
        raise FieldError(
            f"{graded[0]} is a list, but no list of passages is beside it", "give each passage its own row"
        )
    return {name for name in quotes if graded or (others and len(given[name]) == len(given[others[0]]))}


def _rivals(ours: str, usual: list[str], found: list[str]) -> list[str]:
    """Names of which each could be meant. Of texts the first is; a title or a passage gives way to any other name."""
    if ours in ("text", "quote"):
        return []
    if ours in _ONE_ONLY:
        return found
    return usual or [name for name in found if plain_name(name) not in _WEAK]


_WEAK = frozenset({"document", "title", "passage_id", "pid"})


def _of_node(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with the fields of the node that it holds: LlamaIndex saves a result as a node beside its score."""
    node = given.get("node")
    if not isinstance(node, Mapping) or not {"text", "start_char_idx"} <= node.keys():
        return given
    metadata, related = node.get("metadata"), node.get("relationships")
    held = {name: node[name] for name in ("text", "start_char_idx", "end_char_idx", "metadata") if name in node}
    names = metadata if isinstance(metadata, Mapping) else {}
    if not any(ours_of(str(name), "run") == "doc" for name in names) and isinstance(related, Mapping):
        source = related.get("1")  # the document that the node is a part of
        held["ref_doc_id"] = source.get("node_id") if isinstance(source, Mapping) else None
    return {**held, **{name: value for name, value in given.items() if name not in ("node", "class_name")}}


def _flat(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with the fields of its metadata; its own come first."""
    given = _of_node(given)
    inside = [name for name in given if name in _INSIDE and isinstance(given[name], Mapping)]
    if not inside:
        return given
    own = {name: value for name, value in given.items() if name not in inside}
    known = {ours for name in own if own[name] is not None and (ours := ours_of(name, "run"))}
    more = {str(name): value for outer in inside for name, value in given[outer].items()}
    taken = known - {*_ONE_ONLY}
    return {**{name: value for name, value in more.items() if ours_of(name, "run") not in taken}, **own}


def _has_text_or_offsets(given: Mapping[str, Any]) -> bool:
    """Whether a row of a run says where it is by its text or by offsets, lines or seconds."""
    wanted = _plan(tuple(given), "run").wanted
    for ours in ("start", *COUNTED):
        if any(given[name] is not None and not _is_other(ours, name, given[name]) for name in wanted.get(ours, ())):
            return True
    texts = [name for name in wanted.get("text", ()) if _is_text(given[name]) or _is_number_text(name, given[name])]
    return any(plain_name(name) != "document" or _is_other("doc", name, given[name]) for name in texts)


def _is_number_text(name: str, value: Any) -> bool:
    """Whether a field holds a text of digits alone, under a name that is never that of an id."""
    return plain_name(name) in ("text", "content", "page_content") and isinstance(value, str) and bool(value.strip())


def _is_page(name: str) -> bool:
    """Whether a field of this name says where by pages or boxes."""
    return ours_of(name, "run") in _PAGES or counts(name) in ("pages", "boxes")


def refuse_places(given: Mapping[str, Any]) -> None:
    """Refuse fields that say where, but not in characters, or in a form that is not read."""
    plain = {plain_name(name) for name in given}
    for name, value in given.items():
        unit = counts(name)
        if unit == "pages" and not plain.isdisjoint((_WITH_PAGES, *_PAGES["page"].usual)):
            continue  # a label beside the number
        if unit and value is not None:
            _refuse_place(name, unit)
        if plain_name(name) in _PLACES and isinstance(value, (list, tuple, Mapping)) and len(value):
            raise FieldError(f"{name} says where, but a list or object there is not read", "give start and end")
        is_place = name.startswith("_") or ours_of(name, "run") in _PAGES
        if isinstance(value, (list, tuple, Mapping)) and not is_place and (inner := _place_inside(value)):
            raise FieldError(
                f"{name} holds {inner}, which says where and is not read", "give start and end in the row itself"
            )


def _refuse_place(name: str, unit: str) -> None:
    remedy = _REMEDY.get(unit, "give start and end, which count characters")
    raise FieldError(f"{name} says where, by {unit}, which are not read yet", f"{remedy}; or leave {name} out")


def _place_inside(value: Any) -> str:
    """The name inside an object, or a list of them, that says where."""
    held = value if isinstance(value, Mapping) else value[0] if value and isinstance(value[0], Mapping) else {}
    names = [str(name) for name, inner in held.items() if inner is not None]
    return next((name for name in names if counts(name) or ours_of(name, "run") in _ONE_ONLY), "")


def _is_other(ours: str, name: str, value: Any) -> bool:
    """Whether a value under a name of several meanings is something else."""
    plain = plain_name(name)
    if plain in _COMMON:
        return isinstance(value, str) and not re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", value)
    if ours == "doc" and plain == "document":
        return not isinstance(value, (str, int)) or len(str(value)) > LONGEST_NAME or "\n" in str(value)
    return ours == "doc" and plain in ("path", "file", "source", "title") and isinstance(value, (Mapping, list))


def _is_text(value: Any) -> bool:
    if isinstance(value, str):
        words = value.strip()
        return bool(words) and not words.isdigit()
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, str) for one in value)


def _from_distance(row: FieldRow) -> None:
    """A distance is a score with its sign changed: the smaller, the better."""
    distance = row.pop("distance", None)
    if distance is not None and row.get("score") is None:
        number = isinstance(distance, (int, float)) and not isinstance(distance, bool)
        row["score"] = -distance if number else distance


def with_end(row: FieldRow) -> FieldRow:
    """The end of a span follows from its text, else from its length; a length without a start says nothing."""
    length = row.pop("length", None)
    start, text = row.get("start"), row.get("text")
    if start is None or row.get("end") is not None or row.get("quote") is not None:
        return row
    if not isinstance(start, (int, float)) or isinstance(start, bool):
        return row  # the checks of the fields say what is wrong with it
    if isinstance(text, str) and text:
        row["end"] = start + len(text)
    elif length is not None:
        row["end"] = start + checked_length(length)
    return row


def checked_length(length: Any) -> Any:
    """A length, which is a number."""
    if isinstance(length, (bool, str)) or not hasattr(length, "__float__"):
        raise FieldError(f"length must be a number, not {length!r:.40}", "give end, or the length in characters")
    return length


def _has_no_texts(row: FieldRow, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> bool:
    """Whether a row has an empty list in the place of texts that were retrieved, and no result."""
    held = [given[name] for name in wanted.get("text", ())]
    empty = any(isinstance(one, (list, tuple)) and not len(one) for one in held)
    return empty and all(row.get(name) is None for name in ("doc", "text", *_OF_ONE))


def _one_text_each(row: FieldRow, role: Role) -> Sequence[FieldRow]:
    """Several rows for a list of texts."""
    ours = "quote" if role == "truth" and isinstance(row.get("quote"), (list, tuple)) else "text"
    texts = row.get(ours)
    if not isinstance(texts, (list, tuple)):
        return [row]
    if len(texts) > 1 and (rival := next((n for n in ("start", "rank", "score") if row.get(n) is not None), "")):
        name = row.called.get(ours, ours)
        raise FieldError(f"{name} holds {len(texts)} texts beside one {rival}", "give each text a row of its own")
    name = plain_name(row.called.get(ours, ours))
    string = role == "run" and row.get("doc") is None and name not in _TEXTS_ONLY
    made = []
    for text in texts:
        one = with_fields(row, {ours: text})
        if string:
            one["doc"] = one.pop(ours)
        made.append(_in_list(one, string) if role == "run" else one)
    return made or [row]


# --- columns ----------------------------------------------------------------------------------------------------------


def match_columns(
    names: Sequence[str], role: Role, chosen: Mapping[str, str] | None = None, where: str = "the data frame"
) -> dict[str, str]:
    """Our names to those of the columns; ``chosen`` settles some of them."""
    known, chosen = TABLE[role], dict(chosen or {})
    for ours, theirs in chosen.items():
        if ours not in known:
            raise UsageError(f"columns: {ours} is none of {', '.join(known)}{nearest(ours, list(known))}")
        if theirs not in names:
            raise InputError(f"{where} has no column {theirs}{nearest(theirs, list(names))}", remedy=_has(names))
    left = [name for name in names if name not in chosen.values()]
    matched = {**find_columns(tuple(left), role, where, frozenset(chosen)), **chosen}
    listed = any(plain_name(name) in (*LISTS[role], *_INSIDE) for name in names)  # it may be in there
    for needed in ("topic", "doc"):
        if needed not in matched and not (needed == "doc" and (_INSTEAD[role] in matched or listed)):
            expected = ", ".join(known[needed].usual)
            also = f", or {_INSTEAD[role]} to look up in the documents" if needed == "doc" else ""
            raise InputError(
                f"{where} has no column for the {'document' if needed == 'doc' else 'topic'}",
                remedy=f"expected one of {expected}{also}; {_has(names)}; {_explicit(role, needed)}",
            )
    _check_role(matched, names, role, where, "grade" in chosen)
    return matched


#: Columns whose meaning is plain from their names, whatever they hold.
_PLAIN = frozenset({"topic", "doc", "start", "end", "rank", "score", "grade", "run", "stage", "judged",
                    "is_impossible", "annotator", "set", "hop"})  # fmt: skip


def is_plain(matched: Mapping[str, str], names: Sequence[str], role: Role) -> bool:
    """Whether names alone say what columns are; else their values are looked at, row by row."""
    used = {theirs: ours for ours, theirs in matched.items()}
    for name in names:
        plain = plain_name(name)
        if used.get(name, "") in _PLAIN and plain not in _COMMON and plain != "document":
            continue
        if role == "truth" and plain in OPEN:
            return False
        doubtful = is_used(name, role) and plain not in QUESTIONS and ours_of(name, role) != "doc"
        if name in used or doubtful:
            return False
    return True


def unread_names(names: Iterable[str], matched: Mapping[str, str], role: Role) -> list[str]:
    """Columns of a run that are not read; those of a truth are fields of its topics."""
    used = {*matched.values()}
    return [name for name in names if role == "run" and name not in used and not is_question(name)]


def _check_role(matched: Mapping[str, str], names: Sequence[str], role: Role, where: str, chosen: bool) -> None:
    """Truth and run in each other's place would give numbers too."""
    grades = OF_TRUTHS_ALONE if role == "run" else GRADES
    graded = [name for name in names if plain_name(name) in grades]
    ranked = [name for name in names if plain_name(name) == "rank"]
    if role == "run" and graded and not {"rank", "score", "distance"} & set(matched):
        why = f"a truth: it has {graded[0]}, and neither rank nor score"
    elif role == "truth" and ranked and not graded and not chosen:
        why = f"a run: it has {ranked[0]}, and no {', '.join(grades)}"
    else:
        return
    raise InputError(f"{where} looks like {why}", remedy="the truth is given first, then the runs")


@lru_cache(maxsize=256)
def find_columns(
    names: tuple[str, ...], role: Role, where: str, settled: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Our names to those that mean the same, without the ``settled`` ones; none is needed."""
    found: dict[str, str] = {}
    for ours, aliases in TABLE[role].items():
        if ours not in settled and (theirs := _column(ours, aliases, names, role, where, [*found.values()])):
            found[ours] = theirs
    if role == "truth" and "grade" not in {*found, *settled} and score_is_grade(map(plain_name, names)):
        found["grade"] = next(name for name in names if plain_name(name) == "score")
    return found


def _column(ours: str, aliases: Aliases, names: Sequence[str], role: Role, where: str, taken: Sequence[str]) -> str:
    free = [name for name in names if name not in taken]
    usual = [name for name in free if plain_name(name) in aliases.usual]
    other = [name for known in aliases.other for name in free if plain_name(name) == known]
    rivals = [name for name in names if name in _rivals(ours, usual, [*usual, *other])]
    if len(rivals) > 1 and ours != "grade":  # whose values may agree: rows are looked at
        raise InputError(
            f"{where} has {len(rivals)} columns for the {ours}: {', '.join(rivals)}",
            remedy=f"keep one of them; {_explicit(role, ours, rivals[0])}",
        )
    return next(iter([*usual, *other]), "")


def _has(names: Sequence[str]) -> str:
    return f"it has {', '.join(names) or 'no columns'}"


def _explicit(role: Role, ours: str, example: str = "...") -> str:
    shown = example if example == "..." else repr(example)
    return f"bp.{role}_from_frame(frame, columns={{{ours!r}: {shown}}}) names one"
