"""What is known of the documents without their texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from berrypick.data.errors import InputError, NeedsError, UsageError, option
from berrypick.data.words import counted


@dataclass(frozen=True, eq=False)
class Collection:
    """The lengths of documents (characters, seconds, whatever their line is counted in), and for XML their structure.

    Both mappings may work things out on demand.

    Attributes
    ----------
    lengths
        Document to length.
    source
        The file or folder.
    structures
        Document to its tree of elements.
    judged_only
        Whether only the lengths of judged documents are known.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.Collection({"guide": 120.0, "faq": 80.0}).mean_length
    100.0
    """

    lengths: Mapping[str, float]
    source: str = ""
    structures: Mapping[str, Any] = field(default_factory=dict)
    judged_only: bool = False

    def __repr__(self) -> str:
        return f"Collection({counted(len(self), 'document')}{f', {self.source!r}' if self.source else ''})"

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def total(self) -> float:
        """The lengths of all documents together."""
        return math.fsum(self.lengths.values())

    @cached_property
    def mean_length(self) -> float:
        """The mean length of a document."""
        return self.total / len(self.lengths)


class _JoinedLengths(Mapping[str, float]):
    """Lengths from a collection, and those of a truth for documents that it lacks; where both have one they agree."""

    def __init__(self, given: Collection, judged: Mapping[str, float], source: str) -> None:
        self._given, self._judged, self._source = given, judged, source
        self._more = [name for name in judged if name not in given.lengths]

    def __getitem__(self, name: str) -> float:
        if name not in self._given.lengths:
            return self._judged[name]
        length = self._given.lengths[name]
        if self._judged.get(name, length) != length:
            raise InputError(
                f"document {name} has two lengths, {length:.12g} here and {self._judged[name]:.12g} in {self._source}",
                path=self._given.source or "the collection",
                remedy="give the documents that the judgements were made on",
            )
        return length

    def __iter__(self) -> Iterator[str]:
        yield from self._given.lengths
        yield from self._more

    def __len__(self) -> int:
        return len(self._given.lengths) + len(self._more)

    def __contains__(self, name: object) -> bool:
        return name in self._given.lengths or name in self._judged


def with_judged_lengths(given: Collection, judged: Mapping[str, float], source: str) -> tuple[Collection, int]:
    """A collection that knows the lengths a truth has, too; and how many documents only the truth knows.

    Two lengths of one document are an error: at once where all lengths are known, else when its length is asked for.
    """
    joined = _JoinedLengths(given, judged, source or "the truth")
    if isinstance(given.lengths, dict):
        for name in judged:
            joined[name]
    return replace(given, lengths=joined), len(joined) - len(given)


def unknown_length(document: str, why: str = "", collection: Collection | None = None) -> UsageError:
    """The error for a document of unknown length; without ``why`` it is what the measure needs."""
    missing = f", which {collection.source or 'the collection'} does not have" if collection is not None else ""
    return (UsageError if why else NeedsError)(
        f"{why + ' ' if why else ''}needs the length of document {document}{missing}: "
        f"give document lengths with {option('collection')}, or the texts with {option('documents')}"
    )
