"""The units an ideal list may be made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import IntArray
from berrypick.core.collection import Collection
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.judging.context import JudgingContext


@dataclass(frozen=True)
class Candidates:
    """Targets by decreasing grade, then everything else that is known."""

    names: Sequence[str]
    reach: Reach


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
    )
    names = [targets.name(x) for x in order.tolist()]
    reach = context.user.reach_alone(own, targets, context.reader)
    known = set(names)
    elements = _elements_around(targets, known, context.reader.collection)
    if elements is not None:
        names += [elements.name(row) for row in range(len(elements))]
        reach = reach.stacked(context.user.reach_alone(elements, targets, context.reader))
    others = [unit for unit in context.user.other_units(targets, context.reader) if unit not in known]
    if not others:
        return Candidates(names, reach)
    extra = np.arange(len(others), dtype=np.int64)
    other = Ranking(documents=others, document=extra, rank=extra, ranks=len(others))
    return Candidates([*names, *others], reach.stacked(context.user.reach_alone(other, targets, context.reader)))


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
