"""CostAt: what an agent has spent by the time it has seen a share of what is relevant."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.laws import with_laws
from berrypick.data.parameters import parameter, positive_share
from berrypick.data.score import Curve, Explanation, Score, number
from berrypick.measures.agents.steps import COSTS, cost_of, spent, steps_of, steps_table
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic

#: The number that a score carries for the summary: what was spent in all.
SPENT = "spent"
#: Points that curves of all topics share: 0, 1 .. 9, 10, 20 ..
_GRID = (0, *(digit * 10**power for power in range(12) for digit in range(1, 10)))


@dataclass(frozen=True)
class CostAt(Measure):
    """What was spent until a share of the relevant text had been seen. Smaller is better.

    Formula
    -------
    With U_t the text of the first t steps, G the relevant text and c_t what they cost together::

        CostAt(share=p) = min {c_t : |U_t and G| >= p |G|}

    cost= says what is counted: lines (the field ``lines``, else the lines that a step shows), tokens, seconds (fields
    of these names) or steps; by default lines where positions count these, else steps. A step's cost is the sum over
    its rows. Beside the mean over the topics that reach the share, results have ``reached``, the share of topics that
    do; ``median`` over all topics, those that never do counting as infinite; and ``median_km``, the median by Kaplan
    and Meier, for whom a session that ends before is censored at what it spent, which presumes that sessions stop
    independently of how near they are.

    Meaning
    -------
    What an agent pays for what it needs. Defined here: Cooper's search length counts the irrelevant documents before
    the wanted ones, this the cost of all steps.

    Use
    ---
    To compare agents, or searches for one agent. A mean over those who succeed favours who gives up early: look at
    ``reached`` and at the medians.

    Bounds
    ------
    0 and above.

    Undefined
    ---------
    No relevant text; the share is never reached.

    Example
    -------
    The second step brings half of the four relevant lines, after 9 and 5 lines

    >>> import berrypick as bp
    >>> run = [{"topic": "q", "doc": "a.py", "start_line": 1, "end_line": 9, "rank": 1},
    ...        {"topic": "q", "doc": "b.py", "start_line": 5, "end_line": 9, "rank": 2}]
    >>> bp.score("CostAt(share=0.5)", [{"topic": "q", "doc": "b.py", "start_line": 8, "end_line": 11}], run)
    14.0
    """

    #: Costs belong to results: other ones in their place cost something else.
    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    higher_is_better: ClassVar[bool] = False
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("cooper1968expected", "kaplan1958nonparametric")
    why_above_one: ClassVar[str] = "it is a cost"
    unbounded: ClassVar[bool] = True
    curve_axes: ClassVar[tuple[str, str]] = ("spent", "share of the relevant text seen")

    share: float = positive_share(0.5, "the share of the relevant text to see")
    cost: str | None = parameter(None, COSTS, "unit of cost: lines where positions count lines, else steps")

    def compute(self, judged: JudgedTopic) -> Score:
        steps = steps_of(judged)
        if steps.total <= 0:
            return Score(None)
        cost = cost_of(judged, self.cost)
        paid, step = spent(judged, cost), steps.reached(float(self.share))
        total = float(paid[-1]) if len(paid) else 0.0
        return Score(None if step is None else float(paid[step]), signed=(("cost", cost),), beside=((SPENT, total),))

    def beside_mean(self, scores: Sequence[Score]) -> Mapping[str, float | None]:
        known = [score for score in scores if score.beside]
        if not known:
            return {}
        values = [math.inf if score.value is None else score.value for score in known]
        middle = statistics.median(values)
        ends = [(dict(score.beside)[SPENT] if score.value is None else score.value, score.value is None)
                for score in known]  # fmt: skip
        return {
            "reached": sum(score.value is not None for score in known) / len(known),
            "median": middle if math.isfinite(middle) else None,
            "median_km": median_by_survival(ends),
        }

    def beside_mean_note(self, summary: Mapping[str, float | None]) -> str:
        reached, middle, survival = (summary[name] for name in ("reached", "median", "median_km"))
        unit = f" {self.cost}" if self.cost else ""
        shown = ["never" if value is None else number(value) + unit for value in (middle, survival)]
        return (
            f"{number(100 * (reached or 0.0), 1)}% of the topics reach {number(100 * float(self.share), 1)}%; median "
            f"over all {shown[0]}, by Kaplan and Meier {shown[1]} (presumes independent stopping)"
        )

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """What has been seen by what was spent."""
        steps = steps_of(judged)
        if steps.total <= 0:
            return None
        cost = cost_of(judged, self.cost)
        return [(0.0, 0.0), *zip(spent(judged, cost).tolist(), steps.share.tolist(), strict=True)]

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        """At numbers that all topics share; a session goes on at what it has seen."""
        natural = self.curve(judged)
        if natural is None:
            return None
        points: list[tuple[float, float]] = []
        for x in _GRID:
            points.append((x, max(y for spent_then, y in natural if spent_then <= x)))
            if x >= natural[-1][0]:
                break
        return points

    def topic_curves(self, judged: JudgedTopic, value: float | None) -> tuple[Curve | None, Curve | None]:
        """Also for sessions that never get there: a mean over the others would show too much."""
        if self.is_empty(judged) or not judged.answered:
            return (None, None) if self.is_empty(judged) else ([(0.0, 0.0)], [(0, 0.0)])
        return self.curve(judged), self.resampled_curve(judged)

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps = steps_of(judged)
        if steps.total <= 0:
            return self._explanation(judged, f"Undefined: no {judged.material} is relevant.")
        step, wanted = steps.reached(float(self.share)), float(self.share) * steps.total
        cost = cost_of(judged, self.cost)
        goal = f"Relevant in all: {number(steps.total)}, of which {number(wanted)} are to be seen"
        if step is None:
            return self._explanation(judged, steps_table(judged, cost), f"{goal}: never; undefined")
        paid = number(float(spent(judged, cost)[step]))
        return self._explanation(judged, steps_table(judged, cost), f"{goal}: by step {step + 1}, after {paid} {cost}")


def median_by_survival(ends: Sequence[tuple[float, bool]]) -> float | None:
    """The least cost by which at most half are left, by Kaplan and Meier; (cost, whether it is censored there).

    At equal cost, those who got there come before those who stopped.
    """
    left, survival = len(ends), 1.0
    for cost in sorted({cost for cost, _ in ends}):
        here = [censored for at, censored in ends if at == cost]
        events = here.count(False)
        if events:
            survival *= 1 - events / left
            if survival <= 0.5 + 1e-12:
                return cost
        left -= len(here)
    return None
