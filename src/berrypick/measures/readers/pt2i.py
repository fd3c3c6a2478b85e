"""PT2I: probability of relevance under tolerance to irrelevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.data.score import Curve, Score, Table, number
from berrypick.measures.base import LEVELS, recall_value
from berrypick.measures.readers._visits import VisitQuantities, _Searching
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class PT2I(_Searching):
    """Targets found per unit met, relevant or wasted, until S targets are found.

    Formula
    -------
    ::

        PT2I(wanted=S) = S/(S + ESL)
        PT2I@l         = PT2I(wanted=S) with S = max(1, ceil(l R))

    with ESL as there, in tokens too, and R targets in all. The curve shows S = 1 .. R at the recall S/R. With real=True
    S = l R is not rounded: j counts the units wasted before at least S targets are found, and a list that finds fewer
    leaves S - found of them to the random search. The curve then shows S = l R at l = .01 .. 1.

    With spread=s tau differs between people, one for all visits of a person: log-normal with median ``tolerance`` and
    sigma s. The value is the mean over people: exact between the tolerances at which visits or I change, with
    quadrature (error 1e-9) for people whose I is above 10^5, which the signature then says.
    Groups of people have a tolerance each with tolerance='10=.3,25=.7', the value then being the mean by their shares;
    redundancy=rho is the tolerance of text seen before, as in T2I.

    Meaning
    -------
    Raghavan's probability of relevance, with units of tolerance in the place of irrelevant documents.

    Use
    ---
    Precision-recall thinking for video and long text: one value per number of targets wanted.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets, or fewer than S.

    Example
    -------
    Targets [5,10) and [80,90) in 100 seconds, results that start at 0 and at 50: ESL = 4 for S = 2, so 2/(2 + 4)

    >>> import berrypick as bp
    >>> truth, run = {"q": {"video#5-10": 1, "video#80-90": 1}}, {"q": {"video#0-8": 2, "video#50-70": 1}}
    >>> seconds = bp.Collection({"video": 100})
    >>> round(bp.score("PT2I(wanted=2,tolerance=15)", truth, run, collection=seconds), 4)
    0.3333

    At recall .75 S is 2, or 1.5 with real=True: the result at 0 wastes j = 1 unit and finds one target, so that
    ESL = 1 + .5 (6 - 1)/2 = 2.25 and 1.5/(1.5 + 2.25)

    >>> run = {"q": {"video#0-8": 1}}
    >>> [round(bp.score(f"PT2I(tolerance=15,real={real})@0.75", truth, run, collection=seconds), 4)
    ...  for real in (False, True)]
    [0.3636, 0.4]
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "level"
    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance", "raghavan1989critical")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "5",
            "5",
            "equation",
            "probability of relevance from the search length",
            'berrypick evaluate TRUTH RUN -m "PT2I(tolerance=15)"',
        ),
        cite.tolerance(
            "5",
            "",
            "definition",
            "the same at recall points that are not whole numbers of targets",
            'berrypick evaluate TRUTH RUN -m "PT2I(tolerance=15,real=True)@0.5"',
        ),
    )
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "precision")

    real: bool = parameter(False, "bool", "whether to use the level unchanged, without rounding l R up")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at is not None and self.wanted is not None:
            raise UsageError("PT2I takes one of wanted= and @level, not both")
        if self.real and self.wanted is not None:
            raise UsageError("PT2I takes one of wanted= and real=True, which applies to levels, not both")
        if self.real and self.at == 0:
            raise UsageError("PT2I(real=True) takes a level above 0: nobody searches for 0 targets")

    def wants(self, judged: JudgedTopic) -> float:
        return super().wants(judged) if self.at is None else self._wanted_at(float(self.at), len(judged.targets))

    def _wanted_at(self, level: float, targets: int) -> float:
        """S at a recall level; a whole number where only rounding keeps l R from it."""
        if not self.real:
            return recall_value(level, targets)
        wanted = level * targets
        return float(round(wanted)) if abs(wanted - round(wanted)) < 1e-9 * targets else wanted

    def of_search(self, search: VisitQuantities, units: FloatArray, length: FloatArray) -> FloatArray:
        return np.asarray(search.wanted / (search.wanted + length))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def _precisions(self, judged: JudgedTopic, wanted: Sequence[float]) -> list[float]:
        values = [self.value(judged, number) for number in wanted]
        return [value for value in values if value is not None]

    def curve(self, judged: JudgedTopic) -> Curve | None:
        if self.real:
            return self.resampled_curve(judged)
        values = self._precisions(judged, range(1, len(judged.targets) + 1))
        return [(s / len(values), value) for s, value in enumerate(values, start=1)]

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        targets = len(judged.targets)
        wanted = [self._wanted_at(level, targets) for level in LEVELS]
        values = dict(zip(dict.fromkeys(wanted), self._precisions(judged, [*dict.fromkeys(wanted)]), strict=True))
        return [(level, values[number]) for level, number in zip(LEVELS, wanted, strict=True)]

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        value = self.compute(judged).value
        if value is None:
            return [f"Undefined: {self.wanted} targets are wanted, the topic has {len(judged.targets)}."]
        mean = "mean of " if self.differ else ""
        return [*self.search_tables(judged), f"PT2I = {mean}S/(S + ESL) = {number(value, 6)}"]
