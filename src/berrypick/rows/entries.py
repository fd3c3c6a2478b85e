"""Entries: rows that hold the list of results of their topic, which may be empty."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.errors import shorten

#: What to do about two lists of results for one topic.
ONE_LIST = "keep one of them, give each the topic it belongs to, or give each run a file of its own"


#: Our name for the id of an entry that names its topic by a question. A flat row has it as ``id``, which may also be
#: that of a chunk.
ENTRY_ID = "entry_id"


class Entries:
    """Where the results of each topic are. Flat rows of a topic are one list; a second entry for it is an error."""

    def __init__(self) -> None:
        #: Whether any row was an entry, so that the input can state an empty list.
        self.nested = False
        self._count = 0
        #: By topic, id, run and stage: the row (from 1), its line, whether it is an entry, and whether that is empty.
        self._first: dict[tuple[str, ...], tuple[int, int, bool, bool]] = {}

    def add(self, row: Mapping[str, Any], line: int, nested: bool) -> str:
        """Add a row of the input, or an entry if it is ``nested``; return what is wrong with it, '' if nothing is."""
        self._count += 1
        self.nested = self.nested or nested
        key = tuple(str(row.get(name) or "") for name in ("topic", ENTRY_ID, "run", "stage"))
        empty = "results" in row
        first, its_line, is_entry, is_empty = self._first.setdefault(key, (self._count, line, nested, empty))
        if first == self._count or not (nested or is_entry):
            return ""
        if nested != is_entry and (empty or is_empty):
            return ""  # rows beside an empty list, which the checks of the run report
        if line == its_line:
            return two_lists(key[0], f"entry {first}", f"entry {self._count}")
        return two_lists(key[0], f"line {its_line}", f"line {line}")


def two_lists(topic: str, first: str, second: str) -> str:
    """The error about a topic with two lists of results."""
    return f"{shorten(topic, 80)!r} has two lists of results: {first} and {second}"


@dataclass(frozen=True)
class NamedApart:
    """What rows call their topics: by the question, or by the id beside it where several ids have one question."""

    names: list[str]
    #: The question of each id.
    asked: dict[str, str]
    #: Whether ids beside questions say nothing of these, since they are those of chunks.
    unread: bool = False
    #: The ids of rows, where a question has several: topics with one question, or chunks. The truth decides.
    row_ids: Sequence[str] = ()
    #: Two rows that have one question and no ids that tell them apart.
    repeated: tuple[int, int] | None = None


def named_apart(questions: Sequence[str], own: Sequence[Any], flat: Sequence[Any]) -> NamedApart:
    """Names for topics of rows that have questions, and ids of their entries (``own``) or of their own (``flat``)."""
    held, of_id = _pairs(questions, own)
    names, asked = list(questions), {}
    for row, (question, name) in enumerate(zip(questions, own, strict=True)):
        if name is None:
            continue
        several, alone = len(held[question]) > 1, of_id[str(name)] == {question}
        if several and (not alone or str(name) in held):
            return NamedApart(list(questions), {}, repeated=(_other_entry(row, questions, own), row))
        names[row] = str(name) if several else question
        if alone:
            asked[str(name)] = question
    held, of_id = _pairs(questions, flat)
    said = {question: next(iter(ids)) for question, ids in held.items() if len(ids) == 1}
    asked |= {name: question for question, name in said.items() if of_id[name] == {question}}
    unread = len(said) < len(held)
    apart = unread and None not in flat and all(len(of) == 1 for of in of_id.values())
    return NamedApart(names, asked, unread, [str(name) for name in flat] if apart else ())


def _other_entry(row: int, questions: Sequence[str], own: Sequence[Any]) -> int:
    """A row of the same question with another id."""
    rows = zip(questions, own, strict=True)
    return next(i for i, (question, name) in enumerate(rows) if question == questions[row] and name != own[row])


def _pairs(questions: Sequence[str], ids: Sequence[Any]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The ids of each question, and the questions of each id."""
    of_question, of_id = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for question, name in zip(questions, ids, strict=True):
        if name is not None:
            of_question[question].add(str(name))
            of_id[str(name)].add(question)
    return of_question, of_id
