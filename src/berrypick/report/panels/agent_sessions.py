"""The panel of the report page on sessions of agents: step by step, what was opened, relevant, and spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from berrypick.data.errors import BerrypickError, shorten
from berrypick.data.results import Results
from berrypick.data.run import Ranking, Run
from berrypick.data.score import Table, number
from berrypick.data.words import counted, unit_word
from berrypick.evaluation.evaluation import Evaluation
from berrypick.measures.agents.steps import StepView, costs_of_steps, steps_of
from berrypick.report.panels.base import Panel
from berrypick.topics.topic import JudgedTopic

#: Sessions of a run that are shown, and steps of each.
SESSIONS, STEPS = 12, 40
#: Fields of rows by which a run is known to be one of sessions.
_OF_SESSIONS = ("tokens", "seconds", "lines", "tool", "session")


class AgentSessions(Panel):
    """Each session as it went, for runs whose rows have costs, tools or sessions."""

    name = "agent_sessions"
    title = "Sessions, step by step"

    def parts(self, evaluation: Evaluation, results: Results) -> Sequence[Table | str]:
        """Return a table for each session; none where no run is one of sessions."""
        found: list[Table | str] = []
        for name, run in evaluation.runs.items():
            if any(field in run.details for field in _OF_SESSIONS):
                found += _run_parts(evaluation, name, run)
        return found


def _run_parts(evaluation: Evaluation, name: str, run: Run) -> Iterator[Table | str]:
    topics = [topic for topic in evaluation.truth.topics if topic in run]
    shown = topics[:SESSIONS]
    for topic in shown:
        try:
            judged = evaluation.judge(name, topic)
            steps = steps_of(judged)
        except BerrypickError as error:
            yield f"{name}, topic {topic}: {error}"
            continue
        if steps.total <= 0:
            continue
        yield _session(judged, steps, f"{name}, topic {topic}")
    if len(topics) > len(shown):
        yield f"{counted(len(topics) - len(shown), 'session')} of {name} more; berrypick explain shows each."


def _session(judged: JudgedTopic, steps: StepView, title: str) -> Table:
    unit = f"{unit_word(judged.context.reader.line_unit)}s"
    ranking, share = steps.ranking, steps.share
    costs = [cost for cost in ("tokens", "seconds") if _has(ranking, cost)]
    spent = {cost: np.cumsum(costs_of_steps(judged, cost)) for cost in costs}
    before = np.concatenate([[0.0], steps.seen[:-1]]) if len(steps) else steps.seen
    new = steps.seen - before
    rows = [
        [
            str(t + 1),
            _tool(ranking, t),
            shorten(_opened(ranking, t), 120),
            number(float(steps.shown[t])),
            number(float(new[t])),
            number(float(share[t])),
            *(number(float(spent[cost][t])) for cost in costs),
        ]
        for t in range(min(len(steps), STEPS))
    ]
    head = ["step", "tool", "opened", unit, "new relevant", "share seen", *(f"{cost} so far" for cost in costs)]
    reached = steps.reached(1.0)
    end = "never all" if reached is None else f"all by step {reached + 1}"
    more = f", of which the first {STEPS}" if len(steps) > STEPS else ""
    relevant = f"{number(steps.total)} relevant {unit}"
    return Table(
        f"{title}: {counted(len(steps), 'step')}{more}; {relevant}, {end}", head, rows, "><<" + ">" * (len(head) - 3)
    )


def _has(ranking: Ranking, cost: str) -> bool:
    """Whether every step says what it cost."""
    column = ranking.details.get(cost)
    if column is None or not len(ranking):
        return False
    return bool((np.bincount(ranking.rank, ~np.isnan(column), ranking.ranks) > 0).all())


def _tool(ranking: Ranking, step: int) -> str:
    column = ranking.details.get("tool")
    names = [] if column is None else [str(name) for name in column[ranking.rank == step] if name]
    return ", ".join(dict.fromkeys(names))


def _opened(ranking: Ranking, step: int) -> str:
    rows = np.flatnonzero(ranking.rank == step).tolist()
    more = f" and {len(rows) - 4} more" if len(rows) > 4 else ""
    return ", ".join(ranking.name(row) for row in rows[:4]) + more
