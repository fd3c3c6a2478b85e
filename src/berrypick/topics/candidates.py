"""The units an ideal list may be made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.collection import Collection
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.topics.context import JudgingContext


@dataclass(frozen=True)
class Candidates:
    """Targets by decreasing grade, then everything else that is known: pointers, each with what it leads to.

    Where a list item may hold several pointers, candidates are items. If one of each document is enough, these have the
    names; else ``items`` has what they can be made of, and the names are those of the pointers.
    """

    names: Sequence[str]
    parts: tuple[tuple[Ranking, Reach], ...]
    items: Any = None
    #: What items are made of, by document: empty where each candidate is one pointer.
    pointers: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many of them lead anywhere."""
        return len(self.pointers) or len(self.reach.events)

    @cached_property
    def reach(self) -> Reach:
        (_, found), *others = self.parts
        for _, reach in others:
            found = found.stacked(reach)
        return found


def find_candidates(targets: Targets, context: JudgingContext) -> Candidates:
    """Targets by decreasing grade, then truth order, then every other unit that leads somewhere; never from the run."""
    order = np.lexsort((np.arange(len(targets)), -targets.grade))
    rows = np.arange(len(order), dtype=np.int64)
    vocabulary = {name: code for code, name in enumerate(dict.fromkeys(targets.document))}
    own = Ranking(
        documents=list(vocabulary),
        document=np.array([vocabulary[targets.document[x]] for x in order.tolist()], dtype=np.int64),
        rank=rows,
        ranks=len(rows),
        start=None if targets.start is None else targets.start[order],
        end=None if targets.end is None else targets.end[order],
        paths=() if targets.path is None else [targets.path[x] for x in order.tolist()],
        path=None if targets.path is None else rows,
        size=None if targets.size is None else targets.size[order],
        boxes=None if targets.boxes is None else targets.boxes[order],
        unit=targets.unit,
    )
    names = [targets.name(x) for x in order.tolist()]
    rankings = [own]
    known = set(names)
    elements = _elements_around(targets, known, context.reader.single_documents)
    if elements is not None:
        names += [elements.name(row) for row in range(len(elements))]
        rankings.append(elements)
    others = [unit for unit in context.user.other_units(targets, context.reader) if unit not in known]
    if others:
        names += others
        extra = np.arange(len(others), dtype=np.int64)
        rankings.append(Ranking(documents=others, document=extra, rank=extra, ranks=len(others)))
    reaches = (context.user.reach_alone(ranking, targets, context.reader) for ranking in rankings)
    return _in_items(Candidates(names, tuple(zip(rankings, reaches, strict=True))), context)


def _in_items(single: Candidates, context: JudgingContext) -> Candidates:
    """Items instead of pointers where the reader takes several as one. An item costs a rank; where effort is counted
    otherwise, each pointer has its own."""
    from berrypick.topics.candidate_items import in_items

    if context.user.chances is None or context.effort != "rank":
        return single
    return in_items(single, context.user.chances)


def no_items(candidates: Candidates, consulted: Ranking, single: Reach) -> IntArray:
    """The ranks of a run, from 0, that lead anywhere and are no items of the candidates: they point into several
    documents, or to something that is no candidate. ``single``: what each pointer leads to."""
    documents: dict[int, set[str | None]] = {}
    for row in np.unique(single.rank).tolist():
        documents.setdefault(int(consulted.rank[row]), set()).add(candidates.pointers.get(consulted.name(row)))
    found = [rank for rank, known in documents.items() if len(known) > 1 or None in known]
    return np.array(sorted(found), dtype=np.int64)


def _elements_around(targets: Targets, known: set[str], collection: Collection | None) -> Ranking | None:
    """Every other element of the documents that hold targets, in the order of the collection: elements of other
    documents lead nowhere."""
    if collection is None or not collection.structures or targets.start is None:
        return None
    documents = [name for name in dict.fromkeys(targets.document) if name in collection.structures]
    code: list[int] = []
    paths: list[str] = []
    start: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    end: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for i, name in enumerate(documents):
        structure = collection.structures[name]
        kept = [e for e, path in enumerate(structure.paths) if name + path not in known]
        code += [i] * len(kept)
        paths += [structure.paths[e] for e in kept]
        start.append(np.asarray(structure.start)[kept])
        end.append(np.asarray(structure.end)[kept])
    rows = np.arange(len(code), dtype=np.int64)
    return Ranking(
        documents=documents,
        document=np.array(code, dtype=np.int64),
        rank=rows,
        ranks=len(rows),
        start=np.concatenate(start),
        end=np.concatenate(end),
        paths=paths,
        path=rows,
    )
