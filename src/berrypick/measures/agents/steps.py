"""A ranking as the steps of an agent: what each shows, what of it is relevant and new, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.columns import Coded
from berrypick.data.errors import InputError, UsageError
from berrypick.data.observed import once_for_each
from berrypick.data.run import Ranking
from berrypick.data.score import Table, number
from berrypick.data.truth import Highlighted
from berrypick.data.words import unit_word
from berrypick.kernels.relevant_text import Measured, first_seen
from berrypick.topics.topic import JudgedTopic

#: How many steps an explanation shows.
SHOWN = 30
#: Shares are compared with this much slack, relative: they are sums of lengths in seconds too.
SLACK = 1e-9
#: What can be counted as the cost of a step.
COSTS = "lines|tokens|seconds|steps"


@dataclass(frozen=True, eq=False)
class StepView:
    """By step: how much it shows, each place once, and how much relevant text has been seen after it."""

    ranking: Ranking
    shown: FloatArray
    seen: FloatArray
    total: float
    relevant: dict[int, Measured]

    def __len__(self) -> int:
        return self.ranking.ranks

    @property
    def share(self) -> FloatArray:
        """The share of the relevant text seen after each step."""
        return np.minimum(self.seen, self.total) / self.total

    def reached(self, share: float) -> int | None:
        """The step, from 0, by which a share of the relevant text has been seen; None if it never is."""
        there = np.flatnonzero(self.seen >= share * self.total * (1 - SLACK))
        return int(there[0]) if len(there) else None


@once_for_each
def steps_of(judged: JudgedTopic) -> StepView:
    """Read the ranking of a topic as steps; whole documents against whole documents count 1 each."""
    whole = judged.ranking.of_documents and judged.targets.of_documents
    if whole:
        ones = np.ones(len(judged.ranking), dtype=np.int64)
        ranking, names = replace(judged.ranking, start=ones - 1, end=ones), judged.targets.document
        text = Highlighted(names, np.zeros(len(names), dtype=np.int64), np.ones(len(names), dtype=np.int64))
    else:
        ranking, text = judged.ranking_spans, judged.relevant_spans
    return read_steps(ranking, text)


def read_steps(ranking: Ranking, text: Highlighted) -> StepView:
    """Read a ranking of spans as steps towards relevant text."""
    assert ranking.start is not None and ranking.end is not None
    ranking.lengths()  # refuses documents of unknown length
    coded = Coded.of(text.document)
    measured = {
        name: Measured(text.start[coded.codes == code], text.end[coded.codes == code])
        for code, name in enumerate(coded.names)
    }
    relevant = {code: measured[name] for name, code in ranking.codes_of(measured).items()}
    good = first_seen(ranking.document, ranking.start, ranking.end, relevant)[1]
    alone = first_seen(_apart(ranking), ranking.start, ranking.end, {})[0]
    many = ranking.ranks
    seen = np.cumsum(np.bincount(ranking.rank, good, many)) if len(ranking) else np.zeros(many)
    shown = np.bincount(ranking.rank, alone, many) if len(ranking) else np.zeros(many)
    columns = shown.astype(np.float64), seen.astype(np.float64)
    return StepView(ranking, *columns, sum(one.total for one in measured.values()), relevant)


def _apart(ranking: Ranking) -> IntArray:
    """A number for each rank and document: places of one step are united, those of several are not."""
    many = int(ranking.document.max(initial=0)) + 1
    return np.unique(ranking.rank * many + ranking.document, return_inverse=True)[1].reshape(-1).astype(np.int64)


def cost_of(judged: JudgedTopic, given: str | None) -> str:
    """What costs count: as said, else lines where positions count lines, and steps where they do not."""
    return given or ("lines" if judged.context.reader.line_unit == "lines" else "steps")


def spent(judged: JudgedTopic, cost: str) -> FloatArray:
    """What was spent up to each step."""
    return np.cumsum(costs_of_steps(judged, cost))


@once_for_each
def costs_of_steps(judged: JudgedTopic, cost: str) -> FloatArray:
    """What each step costs: the sum over its rows; of lines, where no row says it, the lines that it shows."""
    steps = steps_of(judged)
    if cost == "steps":
        return np.ones(len(steps))
    column, rank = steps.ranking.details.get(cost), steps.ranking.rank
    if column is None:
        column = np.full(len(rank), np.nan)
    said = np.bincount(rank, ~np.isnan(column), len(steps)) > 0 if len(rank) else np.zeros(len(steps), dtype=bool)
    found = np.bincount(rank, np.nan_to_num(column), len(steps)) if len(rank) else np.zeros(len(steps))
    if said.all():
        return np.asarray(found, dtype=np.float64)
    if cost == "lines" and judged.context.reader.line_unit == "lines":
        return np.where(said, found, steps.shown)
    raise _missing(judged, steps.ranking, cost, int(np.argmin(said)))


def _missing(judged: JudgedTopic, ranking: Ranking, cost: str, step: int) -> InputError | UsageError:
    """A step without the cost that is asked for."""
    row = int(np.argmax(ranking.rank == step))
    what = f"{cost} is missing at step {step + 1} of topic {judged.topic} ({ranking.name(row)})"
    remedy = f"give {cost} in a row of each step, or choose another cost: cost='steps' needs no field"
    if ranking.line is None:
        return UsageError(f"{what}; {remedy}")
    return InputError(what, path="the run", line=int(ranking.line[row]), remedy=remedy)


def steps_table(judged: JudgedTopic, cost: str | None = None) -> Table:
    """What each step shows, and what has been spent and seen after it."""
    steps = steps_of(judged)
    unit = f"{unit_word(judged.context.reader.line_unit)}s"
    names, share = steps.ranking.names_by_rank(), steps.share
    paid = None if cost is None or cost == "steps" else spent(judged, cost)
    rows = [
        [
            f"{t + 1} ({names[t] if len(names[t]) <= 100 else names[t][:99] + '…'})",
            number(float(steps.shown[t])),
            *([] if paid is None else [number(float(paid[t]))]),
            number(float(steps.seen[t])),
            number(float(share[t])),
        ]
        for t in range(min(len(steps), SHOWN))
    ]
    more = f", of which the first {SHOWN}" if len(steps) > SHOWN else ""
    head = ["step", f"{unit} shown", *([] if paid is None else [f"{cost} so far"]), "relevant seen", "share"]
    return Table(f"What each of {len(steps)} steps shows{more}", head, rows)
