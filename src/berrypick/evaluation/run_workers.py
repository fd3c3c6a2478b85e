"""The runs of an evaluation shared by several workers: whole runs, or the topics of few runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from berrypick.data.errors import BerrypickError
from berrypick.data.run import Run
from berrypick.data.score import CurvesWanted
from berrypick.evaluation.scored import ScoredRun, TopicScores
from berrypick.evaluation.scoring import RunScorer, score_run
from berrypick.given.convert import RunFile
from berrypick.topics.repeats import repeats_of
from berrypick.workers.workers import jobs_notes as jobs_notes
from berrypick.workers.workers import ordered_map

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation

#: Fewer runs than this are shared out to an executor by topics.
FEW_RUNS = 8


def share_runs(
    evaluation: Evaluation,
    curves: CurvesWanted,
    sources: Iterable[Run | RunFile],
    jobs: int,
    executor: Executor | None,
    step: Callable[[int], None],
) -> list[ScoredRun]:
    """All runs scored, each read by the worker that scores it."""
    inputs = evaluation.inputs
    if inputs.stream is not None and executor is None:
        work = partial(score_run, evaluation.without_runs(), curves)
        return ordered_map(work, sources, jobs=jobs, step=step, stream=True)
    if executor is not None:
        evaluation = evaluation.without_runs()
        sources = (source.absolute() if isinstance(source, RunFile) else source for source in sources)
    if inputs.stream is not None or len(inputs.sources) >= (jobs if executor is None else FEW_RUNS):
        files = inputs.stream is None and all(isinstance(source, RunFile) for source in inputs.sources)
        work = partial(score_run, evaluation, curves)  # names of files are small, and so are the numbers of runs
        return ordered_map(work, sources, jobs=jobs, executor=executor, step=step, together=files)
    good, failure = _checked(RunScorer(evaluation, inputs.load(source), curves) for source in inputs.sources)
    shares = _Shares(good, jobs if executor is None else FEW_RUNS)
    parts = ordered_map(shares, range(len(shares.tasks)), jobs=jobs, executor=executor, step=step)
    for (which, _, _), found in zip(shares.tasks, parts, strict=True):
        good[which].scores.merge(found)
    if failure is not None:
        raise failure
    return [scorer.finished() for scorer in good]


def _checked(scorers: Iterator[RunScorer]) -> tuple[list[RunScorer], BerrypickError | None]:
    """The runs before the first one that is refused, and why that one is: one process would get as far."""
    good: list[RunScorer] = []
    try:
        for scorer in scorers:
            repeats_of(scorer.run)  # computed once, before the work is shared out
            good.append(scorer)
    except BerrypickError as error:
        return good, error
    return good, None


class _Shares:
    """The work of several processes: each task is some topics of a run, one by one or by measures of documents."""

    def __init__(self, scorers: Sequence[RunScorer], jobs: int) -> None:
        self.scorers = scorers
        size = max(1, -(-sum(len(scorer.topics) for scorer in scorers) // (8 * jobs)))
        self.tasks: list[tuple[int, list[str], bool]] = []
        for which, scorer in enumerate(scorers):
            chunks = [scorer.topics[i : i + size] for i in range(0, len(scorer.topics), size)]
            for of_documents in (False, True):
                self.tasks += [
                    (which, chunk, of_documents)
                    for chunk in chunks
                    if scorer.has_measures(of_documents) or not of_documents
                ]

    def __call__(self, task: int, step: Callable[[int], None]) -> TopicScores:
        which, topics, of_documents = self.tasks[task]
        scorer = copy(self.scorers[which])
        scorer.scores = TopicScores()
        if of_documents:
            scorer.score_documents(topics)
        else:
            scorer.score_topics(topics, step)
        return scorer.scores
