"""EPRUM(need='set'): the reader wants one sufficient answer, whichever of the alternatives it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.reach import Reach
from berrypick.data.score import Score, Table, number
from berrypick.kernels.lists.ideal import exact_until
from berrypick.measures._reach_tables import MOST_ROWS, reach_table
from berrypick.measures.reader_values import ReaderValues
from berrypick.topics.enough_chance import MOST_SHARED, Kind, enough_chance, most_shared
from berrypick.topics.enough_readers import enough_by_rank
from berrypick.topics.reader_sessions import ReaderSessions
from berrypick.topics.topic import JudgedTopic

if TYPE_CHECKING:
    from berrypick.measures.readers.eprum import EPRUM


@dataclass(frozen=True)
class NeededSet:
    """What a measure computes whose reader wants one sufficient answer.

    Attributes
    ----------
    measure
        EPRUM with need='set'.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.measures.readers._needed_set import NeededSet
    >>> from berrypick.measures import EPRUM
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> needed = NeededSet(EPRUM(need="set"))
    >>> needed.score(bp.judge(truth, {"q": {"x": 2, "c": 1}}, "q")).value
    0.5
    """

    measure: EPRUM
    #: Why a value can be above 1.
    why_above_one: ClassVar[str] = (
        "one result can show several units of a set at once, where the ideal list has one unit per rank"
    )

    def check(self) -> None:
        """Refuse parameters that are about a number of targets."""
        measure = self.measure
        given = {"r": measure.r, "rank": measure.rank, "@": measure.at, "quant": measure.quant}
        for name, value in given.items():
            if value is not None:
                shown = f"@{value:g}" if name == "@" else f"{name}={value}"
                raise UsageError(f"EPRUM(need='set') wants one sufficient set, not a number of targets; remove {shown}")
        if measure.ideal not in ("targets", "exact"):
            raise UsageError(f"EPRUM(need='set') takes ideal='targets' or 'exact', not '{measure.ideal}'")
        for name, usual in (("norm", "product"), ("law", "exact"), ("together", "independent")):
            if getattr(measure, name) != usual:
                raise UsageError(f"EPRUM(need='set') takes no {name}='{getattr(measure, name)}'")

    def _best(self, judged: JudgedTopic) -> tuple[float, tuple[str, ...]]:
        """The ranks that the ideal list needs, and that list where it was searched; nan if no list is surely enough."""
        sufficient = judged.sufficient
        if self.measure.ideal == "targets":
            chances = judged.context.user.chances
            labels = judged.targets.document if chances is not None and chances.takes_all else None
            return float(sufficient.fewest(labels)), ()
        candidates = judged.candidates
        if candidates.items is not None:
            raise UsageError(
                "EPRUM(need='set',ideal='exact') orders single results, and the reader takes several of a document as "
                "one: remove ideal"
            )
        length, order = exact_enough(candidates.reach, sufficient.groups, sufficient.kind)
        return length, tuple(candidates.names[i] for i in order)

    def score(self, judged: JudgedTopic) -> Score:
        """Compute the value of a topic; undefined where nothing is enough, or no list surely is."""
        if not judged.sufficient.possible:
            return Score(None)
        length, _ = self._best(judged)
        if math.isnan(length):
            return Score(None)
        by_rank = enough_by_rank(judged)
        return Score(length * by_rank.mean_inverse(), by_rank.notes(), by_rank.signed)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """Tell what simulated readers get: what the ideal list needs, divided by the rank at which it is enough."""
        length = self._best(judged)[0] if judged.sufficient.possible else math.nan
        if math.isnan(length):
            return ReaderValues.of(np.zeros(sessions.count), np.zeros(sessions.count))
        return ReaderValues.of(length / judged.sufficient.complete_at(sessions.first))

    def explain(self, judged: JudgedTopic) -> list[str | Table]:
        """Show what is enough, and when readers have it."""
        sufficient, targets, names = judged.sufficient, judged.targets.names(), judged.items.names_by_rank()
        if not sufficient.possible:
            return ["Undefined: no set has only units that are ideal for some reader."]
        groups = zip(sufficient.names, sufficient.groups, strict=True)
        rows = [[name, ", ".join(targets[x] for x in group[:MOST_ROWS])] for name, group in groups]
        parts: list[str | Table] = [Table("What is enough", [sufficient.kind, "units"], rows[:MOST_ROWS], "<<")]
        parts.append(reach_table(judged.reach, names, targets))
        by_rank = enough_by_rank(judged)
        pairs = zip(by_rank.events.astype(int).tolist(), by_rank.chance.tolist(), strict=True)
        chances = [[f"{k} ({names[k - 1]})", number(p, 6)] for k, p in pairs]
        parts.append(Table("P(enough) after each rank", ["rank k", "P_k"], chances[:MOST_ROWS]))
        length, best = self._best(judged)
        if math.isnan(length):
            return [*parts, "Undefined: no list of candidates is surely enough."]
        needs = f"The ideal list ({', '.join(best)}) needs" if best else "The ideal list needs"
        inverse = by_rank.mean_inverse()
        said = f"{needs} {number(length, 6)}; E[A/ML] = {number(inverse, 6)}"
        said = f"{said}; their product is {number(length * inverse, 6)}."
        return [*parts, *by_rank.notes(), said]


def exact_enough(candidates: Reach, groups: Sequence[Sequence[int]], kind: Kind) -> tuple[float, tuple[int, ...]]:
    """The least expected number of ranks until it is enough, of all orders, and the list that has it; nan if no list
    is surely enough."""

    def lacking(seen: FloatArray, unseen: FloatArray) -> FloatArray:
        if most_shared(groups) > MOST_SHARED:
            raise UsageError(
                f"ideal='exact' needs exact chances, and more than {MOST_SHARED} targets are shared by sets"
            )
        return enough_chance(groups, kind, seen, unseen)[1]

    return exact_until(candidates, lacking)
