"""parent: the reader gets the whole section that a result lies in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.errors import UsageError, option
from berrypick.data.parameters import parameter, positive_share
from berrypick.data.run import Ranking
from berrypick.documents.sections import section_starts
from berrypick.targets.targets import without_structure
from berrypick.users.base import ContextModel, ReaderContext


@dataclass(frozen=True)
class Parent(ContextModel):
    """The reader, or the pipeline, gets the whole section that a result lies in; otherwise as classical.

    Sections come from the texts given as documents: from one Markdown heading to the next, or with by='paragraph'
    from one blank line to the next; a result that lies in several gets all of them. With by='element' it is the
    smallest XML element around the result that is larger than it, from the collection; with by='document' the
    document. Effort: the length of what the reader gets, each time.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ("tokenizer",)
    #: Each half comes with the section around it.
    breaks: ClassVar[tuple[str, ...]] = ("split-span",)

    by: str = parameter("heading", "heading|paragraph|element|document", "what counts as a parent")
    share: float = positive_share(0.5, "minimum share of a span that must be covered")

    def regions(self, ranking: Ranking, context: ReaderContext) -> Ranking:
        assert ranking.start is not None and ranking.end is not None
        start, end = ranking.start.astype(np.int64), ranking.end.astype(np.int64)
        for document, found in ranking.rows_by_document.items():
            rows = found[start[found] >= 0]  # below 0: a passage that could not be located
            start[rows], end[rows] = self._parents(document, start[rows], end[rows], context)
        return replace(ranking, start=start, end=end)

    def _parents(
        self, document: str, start: IntArray, end: IntArray, context: ReaderContext
    ) -> tuple[IntArray, IntArray]:
        if self.by == "element":
            return _elements_around(document, start, end, context)
        if self.by == "document":
            return np.zeros_like(start), np.maximum(end, int(context.length(document, "user model parent")))
        if context.texts is None:
            raise UsageError(
                f"user model parent(by={self.by!r}) needs the texts of the documents: "
                f"give them with {option('documents')}"
            )
        by = cast(Literal["heading", "paragraph"], self.by)
        heads = context.texts.kept(by, document, lambda text: section_starts(text, by))
        length = len(context.texts[document])
        first = np.searchsorted(heads, start, side="right") - 1
        last = np.searchsorted(heads, np.maximum(end - 1, start), side="right")
        ends = np.append(heads[1:], length)
        return heads[first], np.maximum(ends[last - 1], end)


def _elements_around(
    document: str, start: IntArray, end: IntArray, context: ReaderContext
) -> tuple[IntArray, IntArray]:
    structures = context.single_documents.structures if context.single_documents is not None else {}
    if document not in structures:
        raise without_structure(f"user model parent(by='element') needs the structure of {document}")
    structure = structures[document]
    places = [_larger(structure, low, high) for low, high in zip(start.tolist(), end.tolist(), strict=True)]
    spans = np.array(places, dtype=np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def _larger(structure: Any, start: int, end: int) -> tuple[int, int]:
    """The smallest element that contains a span and is larger; the span itself where there is none."""
    element = structure.covering(start, end)
    for around in (element, *structure.ancestors(element)):
        if structure.size[around] > end - start:
            return int(structure.start[around]), int(structure.end[around])
    return start, end
