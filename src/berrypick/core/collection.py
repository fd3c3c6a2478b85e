"""What is known of the documents without their texts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from berrypick.core.errors import NeedsError, UsageError, option
from berrypick.core.structure import Structure
from berrypick.core.words import counted


@dataclass(frozen=True, eq=False)
class Collection:
    """The lengths of documents (characters, seconds, whatever their line is counted in), and for XML their structure.

    Both mappings may work things out on demand.
    """

    lengths: Mapping[str, float]
    source: str = ""
    structures: Mapping[str, Structure] = field(default_factory=dict)
    #: Whether only the lengths of judged documents are known.
    judged_only: bool = False

    def __repr__(self) -> str:
        return f"Collection({counted(len(self), 'document')}{f', {self.source!r}' if self.source else ''})"

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def total(self) -> float:
        return math.fsum(self.lengths.values())

    @cached_property
    def mean_length(self) -> float:
        return self.total / len(self.lengths)


def unknown_length(document: str, why: str = "", collection: Collection | None = None) -> UsageError:
    """The error for a document of unknown length; without ``why`` it is what the measure needs."""
    missing = f", which {collection.source or 'the collection'} does not have" if collection is not None else ""
    return (UsageError if why else NeedsError)(
        f"{why + ' ' if why else ''}needs the length of document {document}{missing}: "
        f"give document lengths with {option('collection')}, or the texts with {option('documents')}"
    )
