"""Parsers of the values that clients of stores, chains and pipelines return for a topic.

A reader is a class derived from :class:`ClientReader`, named by an entry point of ``berrypick.clients`` or handed to
:func:`berrypick.register`. What no reader knows is read as a list, a dictionary or a data frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from berrypick.data.errors import InputError
from berrypick.inputs.frames import frame_rows, holds_results, is_frame
from berrypick.registry.registry import Registry

Row = dict[str, Any]
#: The key of the metadata that holds the document's name, or a function of the object.
DocumentName = str | Callable[[Any], str] | None


class ClientReader:
    """Reads what one kind of client returns; an instance reads the topics of one run.

    Rows have our names: doc, start, end, text, score. Each method may return None for a value that is of another kind;
    one that is of this kind and cannot be read is an InputError.
    """

    def __init__(self) -> None:
        #: Names of fields that were not read, for a note.
        self.unread: dict[str, None] = {}

    def inside(self, value: Any) -> list[Any] | None:
        """Return the results that stand inside of what a chain or a pipeline returned."""
        return None

    def read(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        """Return the rows of a response to one query, best first."""
        return None

    def read_one(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        """Return the rows of one item of a list of results."""
        return None

    def knows(self, value: Any) -> bool:
        """Return whether :meth:`read` reads a value, be it one that is refused."""
        try:
            return self.read(value) is not None
        except InputError:
            return True

    def is_result(self, value: Any) -> bool:
        """Return whether a value is one result, which is then no list and no dictionary by topic."""
        return False

    def with_scores(self, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return all rows of a run, which have scores, with what is a score for evaluation."""
        return list(rows)

    def notes(self) -> list[str]:
        """Return what there is to say about what was read."""
        return []


def _problem(value: Any) -> str:
    right = isinstance(value, type) and issubclass(value, ClientReader)
    return "" if right else "it is not a class derived from berrypick.inputs.client_readers.ClientReader"


#: Readers of other packages; ours are asked first.
readers: Registry[type[ClientReader]] = Registry("clients", "reader of clients", None, _problem)


class Clients(ClientReader):
    """Reads what any client returns, by the first reader that knows it."""

    _looked: tuple[Any, bool] = (None, False)  # the last value, and whether it is one of numbers: asked in turn

    @cached_property
    def _readers(self) -> list[ClientReader]:
        from berrypick.inputs.stores.hit_rows import HitRows
        from berrypick.inputs.stores.library_objects import LibraryReader

        made = [one() for one in (HitRows, LibraryReader, *readers)]
        for one in made:
            one.unread = self.unread  # in the order in which they come, whoever reads
        return made

    def inside(self, value: Any) -> list[Any] | None:
        """Return results inside of something else; those of a data frame without topics too."""
        if is_frame(value):
            return frame_rows(value) if holds_results(value) else None
        return self._first(value, lambda one: one.inside(value))

    def read(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        return self._first(value, lambda one: one.read(value, doc))

    def read_one(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        return self._first(value, lambda one: one.read_one(value, doc))

    def knows(self, value: Any) -> bool:
        return any(one.knows(value) for one in self._asked(value))

    def is_result(self, value: Any) -> bool:
        return any(one.is_result(value) for one in self._asked(value))

    def holds(self, value: Any) -> bool:
        """Return whether :meth:`inside` finds results, be they refused."""
        if is_frame(value):
            return holds_results(value)
        try:
            return self.inside(value) is not None
        except InputError:
            return True

    def with_scores(self, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Keep scores where every result has one; the order of the lists counts either way."""
        if not all(row.get("score") is not None for row in rows):
            return without_scores(rows)
        for one in self._readers:
            rows = one.with_scores(rows)
        return list(rows)

    def notes(self) -> list[str]:
        """Return what readers say, and which of them cannot be used."""
        if "_readers" not in vars(self):
            return []
        return [*(note for one in self._readers for note in one.notes()), *readers.problems()]

    def _asked(self, value: Any) -> list[ClientReader]:
        """Return the readers; none for numbers by document and for names: they need not be loaded."""
        if type(value) in (int, float, str):
            return []
        if self._looked[0] is not value:
            self._looked = (value, _is_numbers(value))
        return [] if self._looked[1] else self._readers

    def _first(self, value: Any, read: Callable[[ClientReader], list[Any] | None]) -> list[Any] | None:
        for one in self._asked(value):
            if (found := read(one)) is not None:
                return found
        return None


def _is_numbers(value: Any) -> bool:
    """Return whether a value is a dictionary of numbers, or of such dictionaries by topic."""
    if not isinstance(value, dict):
        return False
    kinds = {*map(type, value.values())}
    if kinds == {dict}:
        kinds = {*map(type, chain.from_iterable(map(dict.values, value.values())))}
    return kinds <= {int, float}


def without_scores(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return rows without their scores."""
    return [{name: value for name, value in row.items() if name != "score"} for row in rows]
