"""StepAUC: how early in its steps an agent sees what is relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.laws import with_laws
from berrypick.data.score import Curve, Explanation, Score, number
from berrypick.measures.agents.steps import steps_of, steps_table
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

    Meaning
    -------
    How much of what is needed an agent has in its context at a step taken at random.

    Use
    ---
    Sessions of agents: two that end with the same charR differ in how soon they got there.

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
    >>> bp.score("StepAUC", [{"topic": "q", "doc": "b.py", "start_line": 6, "end_line": 7}], run)
    0.5
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    depends_on: ClassVar[tuple[str, ...]] = ()
    references: ClassVar[tuple[str, ...]] = ("li2026contextbench",)
    curve_axes: ClassVar[tuple[str, str]] = ("step", "share of the relevant text seen")

    def compute(self, judged: JudgedTopic) -> Score:
        steps = steps_of(judged)
        if steps.total <= 0:
            return Score(None)
        return Score(math.fsum(steps.share.tolist()) / len(steps) if len(steps) else 0.0)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        steps = steps_of(judged)
        return None if steps.total <= 0 else list(enumerate(steps.share.tolist(), start=1))

    def missing_topic_curve(self) -> Curve | None:
        return []

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps = steps_of(judged)
        if steps.total <= 0:
            return self._explanation(judged, f"Undefined: no {judged.material} is relevant.")
        return self._explanation(
            judged,
            steps_table(judged),
            f"Relevant in all: {number(steps.total)}; the mean of the shares is {self._value_text(judged)}",
        )
