"""T2I: what is found while patience lasts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from berrypick.core.errors import UsageError
from berrypick.core.explanation import Table, number
from berrypick.core.parameters import parameter
from berrypick.core.score import Score
from berrypick.judging.topic import JudgedTopic
from berrypick.measures._visits import VisitMeasure

#: More units of tolerance than this in a budget are a slip of the pen.
MOST_UNITS = 1_000_000


@dataclass(frozen=True)
class T2I(VisitMeasure):
    """Targets found per unit of wasted effort, averaged over growing budgets of waste.

    Formula
    -------
    With tolerance tau and budget T::

        T2I = mean over t = 1 .. floor(T/tau) of (targets found before the t-th unit is wasted) / t

    If fewer units are ever wasted, everything found counts. A result is an entry point: the reader moves forward
    from it, and wastes one unit when tau of irrelevant material has passed, or the document ends, with nothing new.

    tau and T count what offsets count, seconds or characters; with unit='tokens' the tokens of the texts, and then
    white space between tokens costs nothing.

    Meaning
    -------
    How much a person finds who is willing to sit through T of irrelevant material, tau at a time.

    Use
    ---
    Video and long text, where a result is a place to start, and where starting a little early does no harm.

    Bounds
    ------
    From 0; above 1 when more targets are found than units wasted.

    Undefined
    ---------
    No targets. Document lengths must be known (option collection), for tokens the texts (option documents).

    Example
    -------
    Two targets, 5 and 20 seconds into a video of 100, and a result that starts at 0. A viewer with a tolerance of 15
    finds both before the first unit is wasted, so with a budget of two units (2/1 + 2/2)/2

    >>> import berrypick as bp
    >>> truth, run = {"q": {"video#5-10": 1, "video#20-30": 1}}, {"q": {"video#0-5": 1}}
    >>> bp.score("T2I(tolerance=15,budget=30)", truth, run, collection=bp.Collection({"video": 100}))
    1.5
    """

    why_above_one: ClassVar[str] = "more targets are found than units of effort wasted"

    budget: float = parameter(
        300, "number", "how much irrelevant material the person endures in all", check=lambda v: v > 0, must="above 0"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.units() < 1:
            raise UsageError(f"T2I: the budget {self.budget:g} is smaller than the tolerance {self.tolerance:g}")
        if self.units() > MOST_UNITS:
            raise UsageError(f"T2I: the budget {self.budget:g} is more than {MOST_UNITS} times the tolerance")

    def units(self) -> int:
        return math.floor(self.budget / self.tolerance + 1e-9)

    def precisions(self, judged: JudgedTopic) -> list[float]:
        steps = self.walk(judged)
        before = [*steps.found_before_unit[: self.units()]]
        before += [steps.found] * (self.units() - len(before))
        return [found / t for t, found in enumerate(before, start=1)]

    def compute(self, judged: JudgedTopic) -> Score:
        return self.scored(judged, math.fsum(self.precisions(judged)) / self.units())

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        values = self.precisions(judged)
        rows = [[str(t), number(value * t), number(value, 6)] for t, value in enumerate(values, start=1)]
        rows.append(["mean", "", number(math.fsum(values) / len(values), 6)])
        return [Table("Found before the t-th unit is wasted", ["t", "found", "found / t"], rows)]
