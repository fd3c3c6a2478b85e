"""What is enough: the sets of targets that are sufficient answers, or the hops of which one target each is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.truth import Targets, TopicTruth
from berrypick.targets.targets import relevant_rows
from berrypick.topics.enough_chance import Kind, complete_at, fewest


@dataclass(frozen=True)
class Sufficient:
    """Sets (all targets of one are enough) or hops (one target of each is needed), by indices of targets.

    Attributes
    ----------
    kind
        Which of the two.
    names
        What the truth calls them.
    groups
        The targets of each.
    dropped
        Sets that are left out, because a unit of theirs is ideal for nobody.
    named
        False where the truth names none: all targets together are then the one set.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.topics.sufficient import Sufficient
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> found = bp.judge(truth, {"q": {"a": 1}}, "q").sufficient
    >>> isinstance(found, Sufficient), found.groups
    (True, ((0, 1), (2,)))
    """

    kind: Kind
    names: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    dropped: tuple[str, ...] = ()
    named: bool = True

    @classmethod
    def of(cls, topic: TopicTruth, targets: Targets) -> Sufficient:
        """Tell what is enough for a topic: all of its targets where the truth names no sets."""
        named = topic.sets if topic.sets is not None else topic.hops
        if named is None:
            return cls("set", ("all",), (tuple(range(len(targets))),) if len(targets) else (), named=False)
        rows = relevant_rows(topic.grade, None).tolist()
        if len(rows) != len(targets):
            raise UsageError("the truth names sets of its judged units, and the reader looks for something else")
        place = {row: x for x, row in enumerate(rows)}
        groups: dict[str, list[int | None]] = {}
        for row, names in enumerate(named):
            for name in names:
                groups.setdefault(name, []).append(place.get(row))
        if topic.sets is None:
            left = {name: [x for x in found if x is not None] for name, found in groups.items()}
            return cls("hop", tuple(left), tuple(map(tuple, left.values())))
        whole = {name: [x for x in found if x is not None] for name, found in groups.items() if None not in found}
        lost = tuple(name for name in groups if name not in whole)
        return cls("set", tuple(whole), tuple(map(tuple, whole.values())), lost)

    @property
    def possible(self) -> bool:
        """Whether there is anything that would be enough."""
        return bool(self.groups) and all(self.groups)

    def complete_at(self, ranks: FloatArray) -> FloatArray:
        """Tell at which rank it is enough, from those at which targets are found (targets, or targets x readers)."""
        return complete_at(self.groups, self.kind, ranks)

    def missing(self, found: BoolArray) -> list[list[int]]:
        """Return for each set the targets that are not found; for each hop all of them where none is found."""
        lacking = [[x for x in group if not found[x]] for group in self.groups]
        if self.kind == "set":
            return lacking
        return [gone if len(gone) == len(group) else [] for gone, group in zip(lacking, self.groups, strict=True)]

    def fewest(self, labels: Sequence[str] | None = None) -> int:
        """Count the targets, or the different labels of targets, that are enough at least."""
        if labels is None:
            return fewest(self.groups, self.kind)
        number = {name: i for i, name in enumerate(dict.fromkeys(labels))}
        return fewest([[number[labels[x]] for x in group] for group in self.groups], self.kind)


def share_complete(sufficient: Sufficient, found: BoolArray) -> float:
    """The share of the sets that are complete; of hops, whose sets are all ways to take one target of each."""
    if sufficient.kind == "set":
        return float(np.mean([bool(found[list(group)].all()) for group in sufficient.groups]))
    return float(np.prod([found[list(group)].mean() for group in sufficient.groups]))
