"""What a law is: it makes variants of a case, and says how values of a variant relate to those of the case."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from berrypick.evaluation.requested import RequestedMeasure
from berrypick.testing.case import Case, Values

#: Values that differ by less are the same: sums in another order differ in their last digits.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Variant:
    """A case that was changed."""

    case: Case
    what: str  # what was done
    #: The old names of topics by their new ones, where they were renamed.
    renamed: Mapping[str, str] = field(default_factory=dict)
    #: How its values are computed, where that is what was changed.
    compute: Callable[[Sequence[RequestedMeasure]], Values] | None = None
    #: Whether an error is an answer as good as the same value: nobody is misled.
    may_refuse: bool = False

    def values(self, measures: Sequence[RequestedMeasure]) -> Values:
        """The values under the names that topics had before."""
        found = (self.compute or self.case.values)(measures)
        return {(text, self.renamed.get(topic, topic)): value for (text, topic), value in found.items()}


#: Makes the n-th variant of a case for some measures; None where there is nothing to vary.
Vary = Callable[[Case, Sequence[RequestedMeasure], np.random.Generator, int], Variant | None]


@dataclass(frozen=True)
class Law:
    """One law."""

    name: str
    vary: Vary
    #: Why it was not tried, where it makes no variant.
    idle: str
    #: Values move in the direction of the measure, or stay.
    moves: bool = False
    tolerance: float = TOLERANCE
    #: So many variants are all there are; 0: as many as are wanted.
    most: Callable[[Case], int] | None = None
    #: Measures that cannot share a variant have different keys.
    key: Callable[[Case, RequestedMeasure], Hashable] = lambda case, one: ""
    #: Whether it is tried on whole files, not on a sample of their topics.
    whole: bool = False

    def broken(self, one: RequestedMeasure, before: float | None, after: float | None) -> bool:
        """Whether two values of a measure contradict the law."""
        if before is None or after is None:
            return (before is None) != (after is None) and not (self.moves and before is None)
        room = self.tolerance * max(1.0, abs(before), abs(after))
        if self.moves:
            return (after - before if one.measure.higher_is_better else before - after) < -room
        return abs(after - before) > room
