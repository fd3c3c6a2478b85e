"""Measures of readers beside their simulated twins.

Readers are drawn one by one: they go down the list as the user model says, and each of them gets something. The mean
over readers is the simulated value. The exact value is computed under hypotheses (3.1 of EPRUM, 2.2 and 2.3 of PRUM,
the mean effort of epnav); where these hold, the two agree within the error of the simulation, and elsewhere their
difference is what the hypotheses cost on this input.

**Errors** are standard errors of the simulation, by a jackknife over 128 groups of readers. They say nothing about
other topics. **Common random numbers:** every run of a topic has the same readers, who do the same from the same
result, so that differences between runs have smaller errors than the runs themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.analysis.simulation.simulated_readers import (
    SHARES,
    Readership,
    ReaderSums,
    Spread,
    TaskResult,
    TopicTask,
    by_context,
    check_simulated,
    jackknife_error,
    seen_together,
    simulate_task,
    told_together,
)
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import Message, UsageError, option
from berrypick.data.results import ALL, Note, Results, Row
from berrypick.data.score import Table
from berrypick.data.signature import Signature
from berrypick.evaluation.evaluation import Evaluation, check_workers
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, given_measures
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.tables.tabular import Tabular, fields_of, shown, with_method
from berrypick.topics.judge import judge_topic
from berrypick.topics.seen_together import TogetherName
from berrypick.workers.progress import Progress, ProgressLike, StepCounter, as_progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Blocks of readers that are one task of a process.
BLOCKS = 4
#: A difference of so many errors is hardly chance.
CLEAR = 3.0


@dataclass(frozen=True)
class SimulatedRow:
    """A value and its simulated twin, for a topic or as a mean over topics (``topic`` is 'all')."""

    run: str
    topic: str
    measure: str
    value: float
    simulated: float
    error: float
    #: The simulated value minus that of the first run, with the error of this; None for the first run itself.
    versus_first: float | None
    versus_first_error: float | None
    spread: Spread | None  # None for means
    signature: Signature
    #: What readers see together; None where it is not a matter of the user model.
    together: TogetherName | None = None

    @property
    def difference(self) -> float:
        """What is simulated minus what is exact under the hypotheses."""
        return self.simulated - self.value

    @property
    def is_clear(self) -> bool:
        """Whether the difference is larger than chance explains, and than the last digits."""
        return abs(self.difference) > max(CLEAR * self.error, 1e-9 * max(1.0, abs(self.value)))

    def as_dict(self) -> dict[str, Any]:
        quantiles = (None,) * len(SHARES) if self.spread is None else self.spread.quantiles
        return {
            **fields_of(self, "run", "topic", "measure", "value", "simulated", "error", "difference"),
            **fields_of(self, "versus_first", "versus_first_error"),
            "deviation": None if self.spread is None else self.spread.deviation,
            **{f"p{100 * share:g}": value for share, value in zip(SHARES, quantiles, strict=True)},
            "together": self.together,
            "signature": str(self.signature),
        }


@dataclass(frozen=True, repr=False)
class Simulation(Tabular):
    """The result of :func:`simulate`: values beside their simulated counterparts.

    Attributes
    ----------
    mean_rows
        Means over topics: ``run``, ``measure``, ``value``, ``simulated``, ``error``.
    topic_rows
        The same for each topic, with how readers differ.
    readership
        How many readers, and the seed.
    notes
        Notes about the numbers.
    per_topic
        Whether tables and records have a row for each topic.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.simulate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "EPRUM", readers=100)
    >>> isinstance(found, bp.Simulation), found.mean_rows[0].simulated
    (True, 1.0)
    """

    mean_rows: tuple[SimulatedRow, ...]
    topic_rows: tuple[SimulatedRow, ...]
    readership: Readership
    notes: tuple[Note, ...] = ()
    per_topic: bool = False

    def __len__(self) -> int:
        return len(self.mean_rows)

    def __iter__(self) -> Any:
        return iter(self._shown())

    def _shown(self) -> tuple[SimulatedRow, ...]:
        if not self.per_topic:
            return self.mean_rows
        found: list[SimulatedRow] = []
        for mean in self.mean_rows:
            found += [row for row in self.topic_rows if (row.run, row.measure) == (mean.run, mean.measure)]
            found.append(mean)
        return tuple(found)

    def records(self) -> list[dict[str, Any]]:
        return [row.as_dict() for row in self._shown()]

    def tables(self, places: int = 4) -> list[Table]:
        rows, first = self._shown(), self.mean_rows[0].run if self.mean_rows else ""
        several = any(row.run != first for row in rows)
        header = ["run", *(["topic"] if self.per_topic else []), "measure", "value", "simulated", "error", "difference"]
        body = [
            [
                row.run,
                *([row.topic] if self.per_topic else []),
                row.measure,
                shown(row.value, places),
                shown(row.simulated, places),
                shown(row.error, places),
                _signed(row.difference, places) + ("*" if row.is_clear else " "),
                *([_signed(row.versus_first, places), shown(row.versus_first_error, places)] if several else []),
            ]
            for row in rows
        ]
        if several:
            header += [f"vs {first}", "error"]
        return [Table("", header, body, "<" * (2 + self.per_topic) + ">" * (len(header) - 2 - self.per_topic))]

    def _by_together(self) -> dict[str, list[str]]:
        """The measures whose readers see targets together in one way."""
        found: dict[str, list[str]] = {}
        for row in self.mean_rows:
            if row.together is not None and row.measure not in found.setdefault(row.together, []):
                found[row.together].append(row.measure)
        return found

    def legend(self) -> list[str]:
        how = self.readership
        found = [
            f"simulated: mean over {how.readers} readers for each topic, seed {how.seed}; error: its standard error.",
            f"* the difference is more than {CLEAR:g} errors: the hypotheses behind the value do not hold for these "
            "readers.",
        ]
        ways = self._by_together()
        found += [
            f"{'readers of ' + ', '.join(names) if len(ways) > 1 else 'readers'} {_READERS[way]}."
            for way, names in ways.items()
        ]
        if any(row.versus_first is not None for row in self.mean_rows):
            found.append(f"vs {self.mean_rows[0].run}: difference of the simulated values, and its error.")
        return found


#: What readers see together, in the legend; notes say more of those who do not walk.
_READERS: dict[str, str] = {
    "walk": "walk as the user model says",
    "independent": "see targets independently of each other",
    "most": "see as many targets together at a rank as reach allows",
    "least": "see as few targets together at a rank as reach allows",
}


def _signed(value: float | None, places: int) -> str:
    if value is None:
        return "-"
    return f"{value:+.{places}f}" if round(value, places) else f"{0:.{places}f}"


@takes_options
def simulate(
    truth: TruthLike | Evaluation,
    runs: RunsLike = (),
    measures: MeasuresGiven = (),
    *,
    readers: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    per_topic: bool = False,
    together: TogetherName | None = None,
    progress: ProgressLike = None,
    **options: Unpack[EvaluationKeywords],
) -> Simulation:
    """Simulate readers, and show each measure beside the mean of what they get.

    Parameters
    ----------
    truth : TruthLike or Evaluation
        The judgements, or a prepared evaluation.
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    measures : str, Measure or list
        Measures of readers: EPRUM, PRUM, epnav, ExpectedRatio, GainRecall, T2I, ESL, ESLRF, PT2I, TBG, Coverage,
        spanRBP, spanINST, spanCWL.
    readers : int
        How many are simulated for each topic, the same for all runs.
    seed : int
        The same seed gives the same digits, whatever ``jobs``.
    jobs : int
        The number of processes.
    per_topic : bool
        Whether tables and records have a row for each topic.
    together : {'walk', 'independent', 'most', 'least'}, optional
        How one reader's chances of several targets hang together at a rank: as the user model walks; each target for
        itself, as the papers assume; one number for all targets of a rank; or as far exclusive as reach allows. By
        default walk, and independent where a model has none (table).
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    Simulation
        Values, their simulated twins, and the errors of these.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12})
    >>> found = bp.simulate({"q": {"y": 1, "z": 1}}, {"q": {"x": 1}}, "EPRUM(r=2)", user="markov", navigation=clicks)
    >>> row = found.mean_rows[0]
    >>> round(row.value / 2, 4), abs(row.simulated / 2 - 0.436) < 4 * row.error  # together: .3752 and .436
    (0.3752, True)
    """
    readership = Readership(readers, seed, together)
    measures = given_measures(measures, options)
    told = as_progress(progress)
    check_workers(jobs, None)
    if isinstance(truth, Evaluation):
        if options:
            raise UsageError(f"these options have no effect on a prepared evaluation: {', '.join(options)}")
        evaluation = truth
    else:
        evaluation = Evaluation._from_options(
            truth, runs, measures, EvaluationOptions.from_arguments(options, "simulate")
        )
    check_simulated(evaluation, readership)
    results = evaluation.run(jobs=jobs, progress=told)
    tasks = list(_tasks(evaluation, results, readership))
    found = _simulated(evaluation, tasks, readership, jobs, told)
    drawn = _drawn(evaluation, readership)
    rows = _topic_rows(results, found, drawn)
    told_of = dict.fromkeys(told_together(evaluation, one, readership) for one in evaluation.measures)
    notes = [
        *results.notes,
        *(Note("walks", f"{what}: {count} of them") for what, count in found.stopped.items()),
        *(Note("walks", text) for text in told_of if text),
        *_unused_together(evaluation, readership),
    ]
    return Simulation(_mean_rows(results, rows, drawn), rows, readership, tuple(notes), per_topic)


def _unused_together(evaluation: Evaluation, how: Readership) -> list[Note]:
    """A note where what is seen together was asked for, and no reader goes as the user model says."""
    if how.together is None or any(one.measure.walks for one in evaluation.measures):
        return []
    names = ", ".join(one.text for one in evaluation.measures)
    return [Note("no effect", Message(f"{option('together', how.together)} has no effect on {names}"))]


def _tasks(evaluation: Evaluation, results: Results, readership: Readership) -> Iterable[TopicTask]:
    """Topics by user model, in portions that do not depend on the number of processes."""
    defined: dict[tuple[str, str], set[str]] = {}
    for row in results.topic_rows:
        if row.value is not None and evaluation.runs[row.run].size(row.topic):
            defined.setdefault((row.topic, row.run), set()).add(row.measure)
    for topic in evaluation.truth.topics:
        for measures in by_context(evaluation, evaluation.measures):
            texts = {
                run: tuple(one.text for one in measures if one.text in defined.get((topic, run), ()))
                for run in results.runs
            }
            answered = {run: found for run, found in texts.items() if found}
            if answered:
                run = evaluation.runs[next(iter(answered))]
                judged = judge_topic(evaluation.truth, run, topic, evaluation.contexts[measures[0].text])
                blocks = readership.blocks(len(judged.targets))
                for i in range(0, len(blocks), BLOCKS):
                    yield TopicTask(topic, measures, answered, tuple(blocks[i : i + BLOCKS]))


def _work(evaluation: Evaluation, how: Readership, task: TopicTask, step: Callable[[int], None]) -> TaskResult:
    """One task of a process."""
    found = simulate_task(evaluation, task, how)
    step(task.size)
    return found


@dataclass
class _Found:
    sums: dict[tuple[str, str, str], ReaderSums]  # by run, topic and measure
    stopped: dict[str, int]


def _simulated(
    evaluation: Evaluation, tasks: Sequence[TopicTask], how: Readership, jobs: int, progress: Progress | None
) -> _Found:
    step = StepCounter(progress, sum(task.size for task in tasks))
    work = partial(_work, evaluation, how)
    if jobs == 1:
        parts: Sequence[TaskResult] = [work(task, step) for task in tasks]
    else:
        from berrypick.workers.workers import ordered_map  # loads multiprocessing

        parts = ordered_map(work, tasks, jobs=jobs, step=step)
    by_topic: dict[str, TaskResult] = {}
    for task, part in zip(tasks, parts, strict=True):
        by_topic.setdefault(task.topic, TaskResult()).add(part)
    found = _Found({}, {})
    for topic, result in by_topic.items():
        found.sums |= {(run, topic, measure): sums for (run, measure), sums in result.sums.items()}
        for what, count in result.stopped.items():
            found.stopped[what] = found.stopped.get(what, 0) + count
    return found


@dataclass(frozen=True)
class _Method:
    """How the readers of a measure were drawn: what they see together, and fields of signatures."""

    together: TogetherName | None
    fields: tuple[tuple[str, str], ...]


#: By measure.
Drawn = dict[str, _Method]


@dataclass(frozen=True)
class _Twin:
    """A simulated value, and what it is without each group of readers."""

    value: float
    left_out: FloatArray
    spread: Spread | None = None

    @classmethod
    def of(cls, row: Row, sums: ReaderSums | None) -> _Twin:
        """Nobody is simulated where the run returns nothing: the value is that of the empty list."""
        assert row.value is not None
        return cls(row.value, np.zeros(1)) if sums is None else cls(sums.value, sums.left_out, sums.spread)


def _topic_rows(results: Results, found: _Found, drawn: Drawn) -> tuple[SimulatedRow, ...]:
    rows = [row for row in results.topic_rows if row.value is not None]
    keys = [(row.run, row.topic, row.measure) for row in rows]
    twins = {key: _Twin.of(row, found.sums.get(key)) for key, row in zip(keys, rows, strict=True)}
    made = []
    for (run, topic, measure), row in zip(keys, rows, strict=True):
        own, first = twins[run, topic, measure], twins.get((results.runs[0], topic, measure))
        versus = error = None
        if run != results.runs[0] and first is not None:
            versus, error = own.value - first.value, jackknife_error(own.left_out - first.left_out)
        made.append(
            SimulatedRow(
                run,
                topic,
                measure,
                float(row.value or 0.0),
                own.value,
                jackknife_error(own.left_out),
                versus,
                error,
                own.spread,
                with_method(row.signature, drawn[measure].fields),
                drawn[measure].together,
            )
        )
    return tuple(made)


def _mean_rows(results: Results, rows: Sequence[SimulatedRow], drawn: Drawn) -> tuple[SimulatedRow, ...]:
    """Means over topics, which are simulated independently of each other."""
    of: dict[tuple[str, str], list[SimulatedRow]] = {}
    for row in rows:
        of.setdefault((row.run, row.measure), []).append(row)
    made = []
    for mean in results.mean_rows:
        if mean.value is None:
            continue
        own = of[mean.run, mean.measure]
        versus = [row.versus_first for row in own if row.versus_first is not None]
        errors = [row.versus_first_error for row in own if row.versus_first_error is not None]
        paired = len(versus) == len(own)
        made.append(
            SimulatedRow(
                mean.run,
                ALL,
                mean.measure,
                mean.value,
                math.fsum(row.simulated for row in own) / len(own),
                math.hypot(*(row.error for row in own)) / len(own),
                math.fsum(versus) / len(own) if paired else None,
                math.hypot(*errors) / len(own) if paired else None,
                None,
                with_method(mean.signature, drawn[mean.measure].fields),
                drawn[mean.measure].together,
            )
        )
    return tuple(made)


def _drawn(evaluation: Evaluation, how: Readership) -> Drawn:
    """By measure, what a simulated value depends on besides what the exact one does."""
    common = (("readers", str(how.readers)), ("seed", str(how.seed)))
    found: Drawn = {}
    for one in evaluation.measures:
        together = seen_together(evaluation, one, how)
        said = () if together is None else (("readers_together", together),)
        found[one.text] = _Method(together, (*one.measure.drawn_fields(evaluation.contexts[one.text]), *common, *said))
    return found
