"""Drop: what an agent saw and did not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.laws import with_laws, without
from berrypick.data.run import Ranking
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.agents.steps import read_steps, steps_of
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Drop(Measure):
    """The relevant text that was shown and not used, as a share of all. Smaller is better.

    Formula
    -------
    ::

        Drop = charR of all that was shown - charR of what was used

    A row with ``"used": true`` was used; one that does not say is as another row of its step says.

    Meaning
    -------
    How much of the evidence an agent loses between finding it and answering. ContextBench's evidence drop is a share
    of the relevant text that was shown; Drop is a share of all relevant text, so that it can be compared with charR.

    Use
    ---
    Where a log says which results went into the answer or the change. With charR it tells an agent that does not find
    from one that does not use.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text; no row of the topic says whether it was used.

    Example
    -------
    Both halves of the relevant lines are shown, one is used: 1 - 1/2

    >>> import berrypick as bp
    >>> run = [{"topic": "q", "doc": "a.py", "start_line": 1, "end_line": 5, "rank": 1, "used": True},
    ...        {"topic": "q", "doc": "a.py", "start_line": 6, "end_line": 10, "rank": 2, "used": False}]
    >>> bp.score("Drop", [{"topic": "q", "doc": "a.py", "start_line": 4, "end_line": 7}], run)
    0.5
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span", laws=without("relevant-added"))
    higher_is_better: ClassVar[bool] = False
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("li2026contextbench",)

    def compute(self, judged: JudgedTopic) -> Score:
        found = self._shares(judged)
        return Score(None if found is None else max(found[0] - found[1], 0.0))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(None)

    def _shares(self, judged: JudgedTopic) -> tuple[float, float] | None:
        """What was shown and what was used, as shares of the relevant text."""
        steps = steps_of(judged)
        used = used_rows(steps.ranking)
        if steps.total <= 0 or used is None:
            return None
        shown = float(steps.share[-1]) if len(steps) else 0.0
        if not used.any():
            return shown, 0.0
        text = judged.relevant_spans if not judged.targets.of_documents else None
        kept = steps.ranking.rows(used)
        seen = read_steps(kept, text).seen if text is not None else _documents_seen(kept, judged)
        return shown, min(float(seen[-1]), steps.total) / steps.total

    def explain(self, judged: JudgedTopic) -> Explanation:
        found = self._shares(judged)
        if found is None:
            relevant = steps_of(judged).total > 0
            why = "no row has a field used" if relevant else f"no {judged.material} is relevant"
            return self._explanation(judged, f"Undefined: {why}.")
        rows = [["shown", number(found[0], 6)], ["used", number(found[1], 6)], ["Drop", self._value_text(judged)]]
        return self._explanation(judged, Table(f"Share of the relevant {judged.material}", ["of it", "share"], rows))


def used_rows(ranking: Ranking) -> BoolArray | None:
    """Which rows were used; None where none says so."""
    column = ranking.details.get("used")
    if column is None or np.isnan(column).all():
        return None
    yes = np.bincount(ranking.rank, column == 1, ranking.ranks) > 0
    return np.asarray(np.where(np.isnan(column), yes[ranking.rank], column == 1), dtype=bool)


def _documents_seen(ranking: Ranking, judged: JudgedTopic) -> np.ndarray:
    names = {ranking.documents[code] for code in ranking.document.tolist()}
    return np.array([float(len(names & {*judged.targets.document}))])
