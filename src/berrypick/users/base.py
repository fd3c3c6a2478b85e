"""What every user model is: a frozen value that says what a reader who consults a result ends up seeing.

A user model turns a ranking and the targets of a topic into a :class:`~berrypick.core.reach.Reach`, and says how much
text (or time) the reader goes through at each rank. It knows nothing of measures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.core import paths
from berrypick.core.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.core.collection import Collection, unknown_length
from berrypick.core.errors import UsageError, option
from berrypick.core.navigation import Navigation
from berrypick.core.parameters import Parameterized, parameter
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.token_offsets import TokenOffsets
from berrypick.core.truth import Targets
from berrypick.corpus.texts import Texts
from berrypick.kernels.intervals import intersections, merge


@dataclass(frozen=True, eq=False)
class ReaderContext:
    """What is known besides truth and run."""

    collection: Collection | None = None
    navigation: Navigation | None = None
    texts: Texts | None = None
    #: The texts counted in tokens.
    tokens: TokenOffsets | None = None
    #: The same, where effort is counted in tokens.
    effort_tokens: TokenOffsets | None = None
    #: What positions in the documents count, where known: chars or seconds.
    line_unit: str | None = None

    def length(self, document: str, why: str) -> float:
        """How long a document is, in what effort is counted in."""
        if self.effort_tokens is not None:
            return self.effort_tokens.length(document)
        if self.collection is None or document not in self.collection.lengths:
            raise unknown_length(document, why, self.collection)
        return self.collection.lengths[document]


#: Parameters that change together, and values worth trying out.
Slider = tuple[tuple[str, ...], tuple[float, ...]]


@dataclass(frozen=True)
class UserModel(Parameterized, base=True):
    """Base class: a subclass defines :meth:`reach`, and effort where it is not the length of what is pointed to."""

    what: ClassVar[str] = "user model"
    #: Whether the reader looks for entry points instead of the relevant units.
    seeks_entry_points: ClassVar[bool] = False
    #: Kinds of navigation file that the model reads, and what to call them.
    navigation: ClassVar[tuple[type, ...]] = ()
    navigation_needed: ClassVar[str] = ""
    #: What the slider of a report goes through.
    slider: ClassVar[Slider | None] = None

    returns: bool | None = parameter(
        None, "bool", "whether the reader comes back to a document consulted at an earlier rank; True by default"
    )

    @property
    def browses(self) -> bool:
        """Whether the reader goes on from a result to targets outside of it, which costs effort of its own."""
        return True

    def resolved(self, context: ReaderContext) -> UserModel:
        """The model with the values of parameters that depend on the inputs."""
        return self

    @property
    def reads_lengths(self) -> bool:
        """Whether reach depends on how long documents are."""
        return False

    def items(self, ranking: Ranking, grouped: bool) -> Ranking:
        """The list as the reader takes it, each rank one item; ``grouped``: the run itself has ranks of several."""
        return ranking

    def item_notes(self, ranking: Ranking, items: Ranking) -> tuple[str, ...]:
        """What a person should know about how results became list items."""
        return ()

    @classmethod
    def name(cls) -> str:
        """The name people type: the class name in lower case, words joined by underscores."""
        return re.sub("(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def definition_problem(cls) -> str:
        return "it has no method reach" if cls.reach is UserModel.reach else super().definition_problem()

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        """What each rank leads to."""
        raise NotImplementedError(f"{type(self).__name__} has no method reach")

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        """What each rank would lead to as the first of a list; differs only where earlier ranks matter."""
        return self.reach(ranking, targets, context)

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        """Units that lead to some target, in a fixed order: what an ideal list might hold besides the targets."""
        return ()

    def notes(self, ranking: Ranking, targets: Targets) -> tuple[str, ...]:
        """What a person should know about this reader on this ranking."""
        return ()

    def regions(self, ranking: Ranking, context: ReaderContext) -> Ranking:
        """The text that the reader gets with each pointer, which is known as an interval: what is pointed to."""
        return ranking

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        """How much the reader goes through at each rank, in the unit of the documents' line: what is pointed to."""
        return by_rank(ranking, pointer_lengths(ranking, context))

    def clicks(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        """How many results the reader opens at each rank."""
        return by_rank(ranking, np.ones(len(ranking)))


def first_visits(ranking: Ranking) -> BoolArray:
    """The pointers into documents that no earlier rank points into."""
    first: dict[int, int] = {}
    for document, rank in zip(ranking.document.tolist(), ranking.rank.tolist(), strict=True):
        first.setdefault(document, rank)
    return ranking.rank == np.array([first[document] for document in ranking.document.tolist()], dtype=np.int64)


def pointer_lengths(ranking: Ranking, context: ReaderContext) -> FloatArray:
    """The length of what each pointer points to."""
    if ranking.start is not None and ranking.end is not None:
        if context.effort_tokens is None:
            return ranking.lengths("effort in length")
        return reading_cost(ranking, ranking.start, ranking.end, context)
    if ranking.size is not None:
        if np.isnan(ranking.size).any():
            row = int(np.flatnonzero(np.isnan(ranking.size))[0])
            raise UsageError(
                f"effort in length needs the length of {ranking.name(row)}, which the truth does not have: "
                f"give the documents with {option('collection')}"
            )
        return ranking.size
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    return np.array([context.length(name, "effort in length") for name in names], dtype=np.float64)


def reading_cost(ranking: Ranking, start: Positions, end: Positions, context: ReaderContext) -> FloatArray:
    """What reading from start to end costs in the document of each pointer: characters (seconds), or tokens."""
    if context.effort_tokens is None:
        return (end - start).astype(np.float64)
    cost = np.zeros(len(ranking))
    for document, rows in ranking.rows_by_document.items():
        cost[rows] = context.effort_tokens.between(document, start[rows], end[rows])
    return cost


def by_rank(ranking: Ranking, values: FloatArray) -> FloatArray:
    """Values of pointers summed at each rank."""
    return np.bincount(ranking.rank, weights=values, minlength=ranking.ranks).astype(np.float64)


def shared(ranking: Ranking, targets: Targets) -> Iterator[tuple[IntArray, IntArray]]:
    """For each document that has both, the rows that point into it and the targets in it."""
    rows_by_document = ranking.rows_by_document
    for document, indices in targets.by_document().items():
        rows = rows_by_document.get(document)
        if rows is not None:
            yield rows, indices


def combined(ranking: Ranking, targets: int, row: IntArray, target: IntArray, probability: FloatArray) -> Reach:
    """Reach of pointers to reach of ranks: a rank leads to a target unless none of its pointers does."""
    rank = ranking.rank[row]
    key = rank * max(targets, 1) + target
    distinct, where = np.unique(key, return_inverse=True)
    if len(distinct) == len(key):
        return Reach.from_entries(ranking.ranks, targets, rank, target, probability)
    seen = np.zeros(len(distinct))
    order = np.argsort(row, kind="stable")
    for i in order.tolist():
        seen[where[i]] += (1.0 - seen[where[i]]) * probability[i]
    return Reach.from_entries(ranking.ranks, targets, distinct // max(targets, 1), distinct % max(targets, 1), seen)


def pairwise(ranking: Ranking, targets: Targets, probabilities: list[tuple[IntArray, IntArray, FloatArray]]) -> Reach:
    """Reach from blocks of (rows, targets, rows x targets probabilities)."""
    if not probabilities:
        return Reach.nothing(ranking.ranks, len(targets))
    row = np.concatenate([np.repeat(rows, len(indices)) for rows, indices, _ in probabilities])
    target = np.concatenate([np.tile(indices, len(rows)) for rows, indices, _ in probabilities])
    probability = np.concatenate([block.ravel() for _, _, block in probabilities])
    kept = probability > 0
    return combined(ranking, len(targets), row[kept], target[kept], probability[kept])


def same_document(ranking: Ranking, targets: Targets) -> Reach:
    """Where whole documents are judged: a pointer reaches the target that it is."""
    blocks = [(rows, indices, np.ones((len(rows), len(indices)))) for rows, indices in shared(ranking, targets)]
    return pairwise(ranking, targets, blocks)


def whole_documents(ranking: Ranking, targets: Targets) -> bool:
    """Whether documents are judged and retrieved as wholes, and nothing smaller."""
    return (ranking.start is None and ranking.path is None) or (targets.start is None and targets.path is None)


def elements(ranking: Ranking, targets: Targets) -> bool:
    """Whether both are elements with paths, so that nesting can be read off the paths."""
    return ranking.path is not None and ranking.path_end is None and targets.path is not None


def same_element(ranking: Ranking, targets: Targets) -> Reach:
    """Where elements are judged: a pointer reaches the element that it is."""
    assert ranking.path is not None and targets.path is not None
    blocks = []
    for rows, indices in shared(ranking, targets):
        wanted = {targets.path[x]: j for j, x in enumerate(indices.tolist())}
        block = np.zeros((len(rows), len(indices)))
        for i, row in enumerate(rows.tolist()):
            j = wanted.get(ranking.paths[int(ranking.path[row])])
            if j is not None:
                block[i, j] = 1.0
        blocks.append((rows, indices, block))
    return pairwise(ranking, targets, blocks)


def nested_elements(ranking: Ranking, targets: Targets) -> Iterator[tuple[IntArray, IntArray, FloatArray, BoolArray]]:
    """(rows, targets, ratio, above): smaller over larger length where nested (1 for the same element, nan where a
    length is unknown), 0 elsewhere; and where the pointer contains the target."""
    assert ranking.path is not None and targets.path is not None
    for rows, indices in shared(ranking, targets):
        if (
            ranking.start is not None
            and ranking.end is not None
            and targets.start is not None
            and targets.end is not None
        ):
            ratio, above = _nested_spans(
                ranking.start[rows], ranking.end[rows], targets.start[indices], targets.end[indices]
            )
        else:
            ratio, above = _nested_paths(ranking, rows, targets, indices)
        yield rows, indices, ratio, above


def _nested_spans(
    start: Positions, end: Positions, target_start: Positions, target_end: Positions
) -> tuple[FloatArray, BoolArray]:
    """Elements whose places are known: one contains the other, or they are apart."""
    above = (start[:, None] <= target_start[None, :]) & (end[:, None] >= target_end[None, :])
    below = (start[:, None] >= target_start[None, :]) & (end[:, None] <= target_end[None, :])
    length = (end - start).astype(np.float64)[:, None]
    target_length = (target_end - target_start).astype(np.float64)[None, :]
    larger = np.maximum(length, target_length)
    ratio = np.where(larger > 0, np.minimum(length, target_length) / np.where(larger > 0, larger, 1.0), 1.0)
    return np.where(above | below, ratio, 0.0), above


def _nested_paths(
    ranking: Ranking, rows: IntArray, targets: Targets, indices: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Elements known by their paths, with such lengths as the assessments have."""
    assert ranking.path is not None and targets.path is not None
    ratio = np.zeros((len(rows), len(indices)))
    above = np.zeros((len(rows), len(indices)), dtype=bool)
    for i, row in enumerate(rows.tolist()):
        path = ranking.paths[int(ranking.path[row])]
        for j, x in enumerate(indices.tolist()):
            target = targets.path[x]
            above[i, j] = paths.contains(path, target)
            if path == target:
                ratio[i, j] = 1.0
            elif above[i, j] or paths.contains(target, path):
                ratio[i, j] = _ratio(_size(ranking, row), _size(targets, x))
    return ratio, above


def size_ratio(ranking: Ranking, row: int, targets: Targets, x: int) -> float:
    """The smaller length of two units over the larger; nan where one is unknown."""
    return _ratio(_size(ranking, row), _size(targets, x))


def _size(units: Ranking | Targets, i: int) -> float:
    if units.start is not None and units.end is not None:
        return float(units.end[i] - units.start[i])
    return float(units.size[i]) if units.size is not None else float("nan")


def _ratio(one: float, other: float) -> float:
    if math.isnan(one) or math.isnan(other):
        return math.nan
    larger = max(one, other)
    return min(one, other) / larger if larger > 0 else 1.0 if larger == 0 else float("nan")


def need_places(model: UserModel, ranking: Ranking, targets: Targets) -> None:
    """Models that need offsets say so."""
    if ranking.start is None or targets.start is None:
        raise UsageError(
            f"user model {model.name()} needs to know where in their documents elements stand: "
            f"give the folder of XML documents with {option('collection')}"
        )


def covered(ranking: Ranking, targets: Targets) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """(ranks, targets, share): how much of each target the regions of each rank cover together."""
    assert ranking.start is not None and ranking.end is not None
    assert targets.start is not None and targets.end is not None
    for rows, indices in shared(ranking, targets):
        start, end = targets.start[indices], targets.end[indices]
        length = (end - start).astype(np.float64)
        common = intersections(ranking.start[rows], ranking.end[rows], start, end)
        points = length == 0  # an entry point is seen or not
        if points.any():
            common[:, points] = _holds(ranking.start[rows], ranking.end[rows], start[points])
        ranks, heads, counts = np.unique(ranking.rank[rows], return_index=True, return_counts=True)
        block = common[heads]
        for i in np.flatnonzero(counts > 1).tolist():
            group = rows[ranking.rank[rows] == ranks[i]]
            merged_start, merged_end = merge(ranking.start[group], ranking.end[group])
            block[i] = intersections(merged_start, merged_end, start, end).sum(axis=0)
            block[i, points] = _holds(merged_start, merged_end, start[points]).max(axis=0, initial=0.0)
        yield ranks, indices, block / np.where(points, 1.0, length)[None, :]


def _holds(start: FloatArray, end: FloatArray, point: FloatArray) -> FloatArray:
    """1 where start <= point < end."""
    return ((start[:, None] <= point[None, :]) & (point[None, :] < end[:, None])).astype(np.float64)


def covering_reach(ranking: Ranking, targets: Targets, share: float) -> Reach:
    """1 where the regions of a rank together cover at least a share of the target."""
    rank, target = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for ranks, indices, part in covered(ranking, targets):
        enough: BoolArray = (part >= share * (1 - 1e-9)) & (part > 0)
        i, j = np.nonzero(enough)
        rank.append(ranks[i])
        target.append(indices[j])
    ranks_found, targets_found = np.concatenate(rank), np.concatenate(target)
    return Reach.from_entries(ranking.ranks, len(targets), ranks_found, targets_found, np.ones(len(ranks_found)))


def is_share(value: float) -> bool:
    return 0 < value <= 1
