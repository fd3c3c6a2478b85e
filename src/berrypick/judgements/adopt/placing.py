"""Gold of a golden file as spans of documents: quotes are found, offsets compared, names of chunks looked up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from berrypick.data.errors import InputError, Message, UsageError, as_flags, option, shorten
from berrypick.data.words import counted
from berrypick.documents.locator import Locator, Place, normal_form
from berrypick.documents.quotes import QUOTES, Quotes
from berrypick.documents.texts import Texts
from berrypick.judgements.adopt.golden_fields import number_of
from berrypick.judgements.adopt.golden_file import GoldenRow
from berrypick.judgements.adopt.golden_grades import GoldenGrades
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_rows import FieldError

#: What became of a quote; those after the first six have no place.
PLACED = ("offsets", "exact", "normalised", "fuzzy", "moved", "document")
UNPLACED = ("missing", "ambiguous", "unknown document", "unknown chunk", "beyond the end", "no quote", "no question")
#: ragas numbers the contexts of questions that need several.
_HOP = re.compile(r"\A\s*<\d+-hop>\s*")
_MOST = 20


@dataclass(frozen=True)
class Gold:
    """One piece of gold in a row: a quote, offsets, the name of a chunk, or a whole document."""

    line: int
    topic: str
    question: str
    quote: str = ""
    document: str | None = None
    start: float | None = None
    end: float | None = None
    chunk: str = ""
    grade: float = 1.0


@dataclass(frozen=True)
class AdoptedCase:
    """What became of one piece of gold.

    Attributes
    ----------
    gold
        What the file has.
    status
        How it was placed, or why it was not.
    place
        Where it stands.
    why
        What is wrong.
    candidates
        Places that come into question.
    """

    gold: Gold
    status: str
    place: Place | None = None
    why: str = ""
    candidates: tuple[Place, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as a line of a report."""
        gold = self.gold
        record: dict[str, Any] = {
            "topic": gold.topic,
            "line": gold.line,
            "status": self.status,
            "question": gold.question or None,
            "doc": self.place.document if self.place is not None else gold.document,
            "quote": gold.quote or None,
            "chunk": gold.chunk or None,
        }
        if self.place is not None:
            record |= {"start": self.place.start, "end": self.place.end}
            record["similarity"] = round(self.place.similarity, 2) if self.place.similarity < 100 else None
        record["why"] = as_flags(Message(self.why)) or None
        record["candidates"] = [
            {"doc": one.document, "start": one.start, "end": one.end} for one in self.candidates[:_MOST]
        ] or None
        return {name: value for name, value in record.items() if value is not None}

    def shown(self) -> str:
        """Show it in one line."""
        what = self.gold.quote or self.gold.chunk or self.gold.question
        return f"line {self.gold.line}, topic {self.gold.topic}: {self.status}: {self.why} ({shorten(what, 70)!r})"


class Documents:
    """The texts, and which of them a golden file means: by their names, or by those without ending, in any case."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.by_stem: Counter[str] = Counter()
        self._stems: dict[str, list[str]] = {}
        for name in texts:
            self._stems.setdefault(_stem(name), []).append(name)

    def find(self, name: str) -> str | None:
        """The document of a name; None if there is none, or more than one."""
        if name in self.texts:
            return self.texts.canonical(name)
        found = self._stems.get(_stem(name), [])
        if len(found) != 1:
            return None
        self.by_stem[f"{name} as {found[0]}"] += 1
        return found[0]

    def known(self, names: Sequence[str]) -> int:
        """How many of some names are those of documents."""
        return sum(self.find(name) is not None for name in names)


def _stem(name: str) -> str:
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return (last.rpartition(".")[0] or last).casefold()


@dataclass(eq=False)
class Placer:
    """Places gold in documents, by the first rule that finds it."""

    documents: Documents
    quotes: Quotes
    threshold: float
    chunks: Mapping[str, Gold] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._locators = [
            Locator(self.documents.texts, rule, self.threshold) for rule in QUOTES[: QUOTES.index(self.quotes) + 1]
        ]
        self._chunk_cases: dict[str, AdoptedCase] = {}
        self._normal: str | None = None
        self.hops = 0

    def known(self, texts: Sequence[str]) -> int:
        """How many texts stand in the documents, up to white space and kinds of quotation marks."""
        if self._normal is None:
            self._normal = "\0".join(normal_form(text) for text in self.documents.texts.values())
        found = (normal_form(_HOP.sub("", text)).strip() for text in texts)
        return sum(bool(text) and text in self._normal for text in found)

    def place(self, gold: Gold) -> AdoptedCase:
        """Where a piece of gold stands."""
        if gold.chunk:
            return self._by_chunk(gold)
        document = None
        if gold.document is not None:
            document = self.documents.find(gold.document)
            if document is None:
                why = self.documents.texts.unknown(gold.document).what
                return AdoptedCase(gold, "unknown document", why=str(why))
        if gold.start is not None and document is not None:
            return self._by_offsets(gold, document)
        if gold.quote:
            return self._by_quote(gold, document)
        if document is not None:
            return AdoptedCase(gold, "document", Place(document, 0, len(self.documents.texts[document])))
        return AdoptedCase(gold, "no quote", why="the row has no quote, no offsets and no document")

    def _by_chunk(self, gold: Gold) -> AdoptedCase:
        if gold.chunk not in self.chunks:
            return AdoptedCase(gold, "unknown chunk", why=f"there is no chunk {shorten(gold.chunk, 60)}")
        if gold.chunk not in self._chunk_cases:
            self._chunk_cases[gold.chunk] = self.place(self.chunks[gold.chunk])
        found = self._chunk_cases[gold.chunk]
        why = f"chunk {shorten(gold.chunk, 60)}: {found.why}" if found.why else ""
        return AdoptedCase(gold, found.status, found.place, why, found.candidates)

    def _by_offsets(self, gold: Gold, document: str) -> AdoptedCase:
        """Offsets count where the text there is the quote, or where there is no quote."""
        text, start = self.documents.texts[document], int(gold.start or 0)
        end = int(gold.end) if gold.end is not None else start + len(gold.quote)
        quote = gold.quote
        if quote and (text[start:end] == quote or normal_form(text[start:end]).strip() == normal_form(quote).strip()):
            return AdoptedCase(gold, "offsets", Place(document, start, end))
        if not quote and 0 <= start < end <= len(text):
            return AdoptedCase(gold, "offsets", Place(document, start, end))
        if not quote:
            why = f"the span {start}-{end} is not in {document}, which has {counted(len(text), 'character')}"
            return AdoptedCase(gold, "beyond the end", why=why)
        found = self._by_quote(gold, document)
        if found.place is None:
            return found
        return AdoptedCase(gold, "moved", found.place, f"the text at {start}-{end} is different")

    def _by_quote(self, gold: Gold, document: str | None) -> AdoptedCase:
        quote = _HOP.sub("", gold.quote)
        self.hops += quote != gold.quote
        if not quote.strip():
            return AdoptedCase(gold, "no quote", why="the quote is empty")
        where = document or "any document"
        for locator in self._locators:
            found = locator.places(quote, document)
            if len(found) == 1:
                return AdoptedCase(gold, locator.how, found[0])
            if found:
                remedy = "name its document" if document is None else "give its start"
                why = f"is in {len(found)} places of {document or 'the documents'}; {remedy}"
                return AdoptedCase(gold, "ambiguous", why=why, candidates=tuple(found))
        return AdoptedCase(gold, "missing", why=f"is not in {where}")


def gold_of_row(
    row: GoldenRow, fields: Mapping[str, str], topic: str, question: str, grades: GoldenGrades
) -> list[Gold]:
    """What a row has as gold. Lists of equal length stand side by side; a single document is that of all quotes."""
    held = {role: row.fields.get(path) for role, path in fields.items() if role in _SIDE_BY_SIDE}
    lists = {role: list(value) for role, value in held.items() if isinstance(value, (list, tuple))}
    main = next((role for role in ("chunk", "quote", "start", "doc") if held.get(role) is not None), None)
    if main is None:
        return []
    many = len(lists[main]) if main in lists else 1
    columns = {role: _column(role, value, lists, many) for role, value in held.items()}
    if main == "doc" and many > 1 and "doc" in lists:
        columns["doc"] = lists["doc"]
    found = []
    graded = grades.of(row, many)
    for i in range(many):
        cell = {role: column[i] for role, column in columns.items()}
        if cell[main] is None or cell[main] == "":
            continue
        found.append(
            Gold(
                row.line,
                topic,
                question,
                str(cell.get("quote") or ""),
                None if cell.get("doc") in (None, "") else str(cell["doc"]),
                number_of(cell.get("start")),
                number_of(cell.get("end")),
                _name(cell.get("chunk")),
                grades.number(row, graded[i]),
            )
        )
    return found


_SIDE_BY_SIDE = ("quote", "doc", "start", "end", "chunk")


def _name(value: Any) -> str:
    return "" if value is None else str(value)


def _column(role: str, value: Any, lists: Mapping[str, list[Any]], many: int) -> list[Any]:
    """One value for each piece of gold. A list of another length names what they may be in, which settles nothing."""
    if role not in lists:
        return [value] * many
    if len(lists[role]) == many:
        return lists[role]
    same = {str(one) for one in lists[role]}
    return [lists[role][0]] * many if len(same) == 1 else [None] * many


def read_chunk_table(rows: Sequence[tuple[int, Mapping[str, Any]]], source: str) -> dict[str, Gold]:
    """Chunks by their names: each with a text, or with a document, start and end."""
    found: dict[str, Gold] = {}
    reader = FieldParser("run")
    for line, row in rows:
        names = ("id", "chunk_id", "_id", "node_id", "id_", "chunkid", "uuid")
        name = next((row[one] for one in names if row.get(one) not in (None, "")), None)
        if name is None or isinstance(name, (list, Mapping)):
            raise InputError(
                "a chunk has no id", path=source, line=line, remedy="a chunk has id, and text or doc, start, end"
            )
        fields = {key.rpartition(".")[2]: value for key, value in row.items() if key not in names}
        try:
            held = next(iter(reader.read(fields)))
        except FieldError as error:
            raise InputError(error.what, path=source, line=line, remedy=error.remedy) from None
        text, document, start, end = (held.get(one) for one in ("text", "doc", "start", "end"))
        if not (isinstance(text, str) and text.strip()) and (document is None or start is None or end is None):
            what = f"chunk {shorten(str(name), 60)} has neither a text nor doc, start and end"
            raise InputError(what, path=source, line=line)
        made = Gold(line, "", "", text if isinstance(text, str) else "", None if document is None else str(document),
                    number_of(start), number_of(end), "")  # fmt: skip
        if found.setdefault(str(name), made) != made:
            raise InputError(f"two chunks are called {shorten(str(name), 60)}", path=source, line=line)
    if not found:
        raise UsageError(f"{option('chunks')}: {source} has no chunks")
    return found
