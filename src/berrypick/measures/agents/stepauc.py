"""StepAUC: how early in its steps an agent sees what is relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws
from berrypick.data.parameters import one_or_more, parameter
from berrypick.data.score import Curve, Explanation, Score, number
from berrypick.measures.agents.steps import COSTS, SLACK, spent, steps_of, steps_table
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class StepAUC(Measure):
    """The share of the relevant text seen, averaged over the steps of a session.

    Formula
    -------
    With U_t the text of the first t of T steps, each place counted once, and G the relevant text::

        StepAUC = (1/T) sum_{t=1..T} |U_t and G| / |G|

    A step is a rank, which may point to several places. 0 for a session that shows nothing.

    StepAUC rises when a session goes on after it has seen everything: each further step has recall 1. With a budget B
    it does not. This is the area under recall against cost up to B, divided by B: the mean recall that a budget of
    1, 2 .. B pays for, c_t being what the first t steps cost together::

        StepAUC(budget=B) = (1/B) sum_{b=1..B} max {|U_t and G| / |G| : c_t <= b}

    A step counts once it is paid for, as in CostAt; before the first, recall is 0. A session that ends within the
    budget keeps its last recall. cost= says what is counted: steps, or lines, tokens or seconds as in CostAt. With
    cost='steps' and B = T this is StepAUC.

    Meaning
    -------
    How much of what is needed an agent has in its context at a step taken at random; with a budget, when a part of it
    taken at random has been spent.

    Use
    ---
    Sessions of agents: two that end with the same charR differ in how soon they got there. Compare sessions of
    different length within one budget.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    Of two steps, the first shows nothing relevant, the second all: (0 + 1)/2

    >>> import berrypick as bp
    >>> run = [{"topic": "q", "doc": "a.py", "start_line": 1, "end_line": 9, "rank": 1},
    ...        {"topic": "q", "doc": "b.py", "start_line": 5, "end_line": 9, "rank": 2}]
    >>> truth = [{"topic": "q", "doc": "b.py", "start_line": 6, "end_line": 7}]
    >>> bp.score("StepAUC", truth, run)
    0.5

    A third step that repeats the second raises StepAUC to (0 + 1 + 1)/3, but not StepAUC(budget=2)

    >>> again = [*run, {**run[1], "rank": 3}]
    >>> round(bp.score("StepAUC", truth, again, duplicates="keep"), 4)
    0.6667
    >>> bp.score("StepAUC(budget=2)", truth, again, duplicates="keep")
    0.5
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("li2026contextbench",)
    curve_axes: ClassVar[tuple[str, str]] = ("step", "share of the relevant text seen")

    budget: int | None = one_or_more(None, "the cost up to which recall is averaged; all steps by default")
    cost: str | None = parameter(None, COSTS, "with budget=, the unit of cost; steps by default")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cost is not None and self.budget is None:
            raise UsageError(f"StepAUC takes cost= with a budget, as in StepAUC(budget=1000,cost='{self.cost}')")

    def compute(self, judged: JudgedTopic) -> Score:
        steps = steps_of(judged)
        if steps.total <= 0:
            return Score(None)
        if self.budget is not None:
            return Score(self._within(judged, self.budget), signed=(("cost", self.cost or "steps"),))
        return Score(math.fsum(steps.share.tolist()) / len(steps) if len(steps) else 0.0)

    def _within(self, judged: JudgedTopic, budget: int) -> float:
        """The mean recall over the budgets 1 .. ``budget``: what a step adds counts for all that pay for it."""
        paid = spent(judged, self.cost or "steps")
        first = np.maximum(np.ceil(paid * (1 - SLACK)), 1.0)  # the least whole budget that pays for each step
        added = np.diff(steps_of(judged).share, prepend=0.0)
        return math.fsum((added * np.maximum(budget + 1 - first, 0.0)).tolist()) / budget

    def curve(self, judged: JudgedTopic) -> Curve | None:
        steps = steps_of(judged)
        return None if steps.total <= 0 else list(enumerate(steps.share.tolist(), start=1))

    def missing_topic_curve(self) -> Curve | None:
        return []

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps = steps_of(judged)
        if steps.total <= 0:
            return self._explanation(judged, f"Undefined: no {judged.material} is relevant.")
        mean = "the mean of the shares"
        if self.budget is not None:
            mean = f"the mean share over {self.cost or 'steps'} 1 to {self.budget}"
        return self._explanation(
            judged,
            steps_table(judged, self.cost),
            f"Relevant in all: {number(steps.total)}; {mean} is {self._value_text(judged)}",
        )
