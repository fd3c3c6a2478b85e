"""Abstained and Answered at every score threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.exchange import Kind
from berrypick.data.run import Run
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.tables.tabular import Tabular

if TYPE_CHECKING:
    from typing_extensions import Unpack


MEASURES = ("Abstained", "Answered")


@dataclass(frozen=True)
class AbstentionPoint:
    """The measures of one run if results with a lower score are dropped."""

    run: str
    min_score: float
    abstained: float
    answered: float

    def as_dict(self) -> dict[str, Any]:
        return {"run": self.run, "min_score": self.min_score, "Abstained": self.abstained, "Answered": self.answered}


@dataclass(frozen=True)
class Abstention(Tabular):
    """Abstained and Answered of each run at every score threshold that changes them.

    Attributes
    ----------
    points
        Run by run, with rising scores: ``run``, ``min_score``, ``abstained``, ``answered``.
    unanswerable
        How many topics have no answer.
    answerable
        How many have one.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.abstention({"q1": {"a": 1}, "q9": None}, {"q1": {"a": 0.9}, "q9": {"a": 0.5}})
    >>> type(found) is bp.Abstention, found.points[-1].min_score > 0.9
    (True, True)
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {"run": "text", **dict.fromkeys(("min_score", *MEASURES), "number")}

    points: tuple[AbstentionPoint, ...]
    unanswerable: int
    answerable: int

    def records(self) -> list[dict[str, Any]]:
        return [point.as_dict() for point in self.points]

    def tables(self, places: int = 4) -> list[Table]:
        title = f"{counted(self.unanswerable, 'topic')} without an answer, {self.answerable} with one"
        last = {point.run: point for point in self.points}  # above all scores
        rows = [
            [p.run, f"{'above ' * (p is last[p.run])}{p.min_score:.6g}", f"{p.abstained:.{places}f}",
             f"{p.answered:.{places}f}"]
            for p in self.points
        ]  # fmt: skip
        return [Table(title, ["run", "min_score", *MEASURES], rows, "<>>>")]

    def plot(self, **how: Any) -> Any:
        """Return an Altair chart: Abstained against Answered, a line for each run.

        ``how``: width, height, font_size.
        """
        from berrypick.report.figures.abstention_chart import plot_abstention

        return plot_abstention(self, **how)


@takes_options
def abstention(truth: TruthLike, runs: RunsLike, **options: Unpack[EvaluationKeywords]) -> Abstention:
    """Compute Abstained and Answered of runs at every score threshold that changes either.

    Parameters
    ----------
    truth : TruthLike
        The judgements, which say which topics have no answer.
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    Abstention
        A point for each run and score threshold.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q1": {"a": 1}, "q2": {"b": 1}, "q9": None}
    >>> found = bp.abstention(truth, {"q1": {"a": 0.9}, "q2": {"b": 0.4}, "q9": {"a": 0.5}})
    >>> [(point.min_score, point.abstained, point.answered) for point in found.points[:3]]
    [(0.4, 0.0, 1.0), (0.5, 0.0, 0.5), (0.9, 1.0, 0.5)]
    """
    settings = EvaluationOptions.from_arguments(options, "abstention")
    return trade_off(Evaluation._from_options(truth, runs, "Abstained Answered", settings))


def trade_off(prepared: Evaluation) -> Abstention:
    """The same for the inputs of an evaluation."""
    topics = prepared.truth.topics
    without = [name for name, topic in topics.items() if topic.unanswerable]
    having = [name for name, topic in topics.items() if topic.has_relevant]
    if not without or not having:
        lacking = "without an answer" if not without else "with an answer"
        raise UsageError(
            f"{prepared.truth.source or 'the truth'} has no topic {lacking}: there is no threshold to choose"
        )
    points: list[AbstentionPoint] = []
    for name, run in prepared.runs.items():
        silent, speaking = _best_scores(run, without), _best_scores(run, having)
        silent[[run.missing_as(topic) == "absent" for topic in without]] = np.inf  # absent is never abstained
        known = np.unique(np.concatenate([silent, speaking]))
        known = known[np.isfinite(known)]
        levels = [*known.tolist(), *([float(np.nextafter(known[-1], np.inf))] if len(known) else [])]
        points += [
            AbstentionPoint(name, level, float((silent < level).mean()), float((speaking >= level).mean()))
            for level in levels
        ]
    return Abstention(tuple(points), len(without), len(having))


def _best_scores(run: Run, topics: list[str]) -> FloatArray:
    """The best score of each topic; -inf where the run returns nothing."""
    if run.score is None and run.size():
        raise UsageError(f"{run.source or run.tag or 'the run'} has no scores, which {option('min_score')} needs")
    best = []
    for topic in topics:
        score = run.ranking(topic).score
        best.append(float(score.max()) if score is not None and len(score) else -np.inf)
    return np.array(best, dtype=np.float64)
