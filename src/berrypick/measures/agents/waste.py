"""Waste: the share of its cost that an agent spent after it had seen enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import parameter, positive_share
from berrypick.data.score import Explanation, Score, number
from berrypick.measures.agents.steps import COSTS, cost_of, spent, steps_of, steps_table
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Waste(Measure):
    """The share of what was spent that came after a share of the relevant text had been seen. Smaller is better.

    Formula
    -------
    With c_T what all steps cost together, and CostAt as there::

        Waste(share=p) = (c_T - CostAt(share=p)) / c_T

    1 where the share is never reached, 0 where it is and nothing was spent. cost= as in CostAt.

    Meaning
    -------
    How much of its budget an agent spends on looking on after it has what it needs, or in vain. Defined here, from
    CostAt; Cooper's search length is its nearest relative.

    Use
    ---
    Beside CostAt: an agent that finds soon and reads on for long is cheap by CostAt alone.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text; nothing was shown.

    Example
    -------
    The first step, of 5 lines, shows all; another 15 lines follow: 15/20

    >>> import berrypick as bp
    >>> run = [{"topic": "q", "doc": "b.py", "start_line": 5, "end_line": 9, "rank": 1},
    ...        {"topic": "q", "doc": "a.py", "start_line": 1, "end_line": 15, "rank": 2}]
    >>> bp.score("Waste(share=1)", [{"topic": "q", "doc": "b.py", "start_line": 6, "end_line": 7}], run)
    0.75
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span", laws=without("relevant-added"))
    higher_is_better: ClassVar[bool] = False
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("cooper1968expected",)

    share: float = positive_share(0.5, "the share of the relevant text to see")
    cost: str | None = parameter(None, COSTS, "unit of cost: lines where positions count lines, else steps")

    def compute(self, judged: JudgedTopic) -> Score:
        steps = steps_of(judged)
        if steps.total <= 0 or not len(steps):
            return Score(None)
        cost = cost_of(judged, self.cost)
        step, paid = steps.reached(float(self.share)), spent(judged, cost)
        if step is None:
            return Score(1.0, signed=(("cost", cost),))
        total = float(paid[-1])
        value = (total - float(paid[step])) / total if total > 0 else 0.0
        return Score(value, signed=(("cost", cost),))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps = steps_of(judged)
        if steps.total <= 0 or not len(steps):
            why = "nothing was shown" if steps.total > 0 else f"no {judged.material} is relevant"
            return self._explanation(judged, f"Undefined: {why}.")
        cost = cost_of(judged, self.cost)
        step, paid = steps.reached(float(self.share)), spent(judged, cost)
        all_of_it = f"{number(float(paid[-1]))} {cost} in all"
        if step is None:
            return self._explanation(judged, steps_table(judged, cost), f"{all_of_it}, but the share is never seen: 1")
        there = f"{number(float(paid[step]))} until step {step + 1}"
        return self._explanation(
            judged, steps_table(judged, cost), f"{all_of_it}, {there}: {self._value_text(judged)} came after it"
        )
