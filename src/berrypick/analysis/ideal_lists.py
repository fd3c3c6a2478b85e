"""Ideal lists: the best list of candidates for each topic and recall value or gain, with a bound no list can pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.data.columns import Coded
from berrypick.data.errors import UsageError, option
from berrypick.data.run import Run
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, RequestedMeasure, given_measures
from berrypick.evaluation.signature import SignedMeasure, depends_on, sign
from berrypick.given.convert import TruthLike
from berrypick.ideal.best_list import GAP, Found
from berrypick.measures.base import Measure
from berrypick.tables.tabular import Tabular, fields_of
from berrypick.topics.judge import judge_topic
from berrypick.topics.topic import JudgedTopic
from berrypick.workers.progress import ProgressLike, as_progress

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class IdealList:
    """The best list found for a recall value (EPRUM) or a gain (epnav) of a topic.

    No list of the candidates is better than ``bound``.

    Attributes
    ----------
    topic
        The topic.
    measure
        The measure, as requested.
    r
        For EPRUM the recall value.
    level
        For epnav the gain-recall level up to which the list is the ideal one.
    targets
        How many targets the topic has.
    candidates
        How many units a list may be made of; where items hold several, these are the pointers.
    readers
        For EPRUM the share of readers whose ideal units are these targets.
    value
        E[ML_r] or E[ce] of the list (least is best), or with norm='bounded' E[A_r/ML_r] or E[1/ce] (most is best).
    bound
        A bound that no list of the candidates exceeds.
    gap
        The relative distance of the two, 0 where the list is proven best.
    list
        The units, in order; the pointers of an item that holds several are joined by " + ".
    signature
        How it was computed.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.ideal_lists({"q": {"a": 1}})[0]
    >>> isinstance(found, bp.IdealList), found.list, found.gap
    (True, ('a',), 0.0)
    """

    topic: str
    measure: str
    r: int | None
    level: float | None
    targets: int
    candidates: int
    readers: float
    value: float | None
    bound: float | None
    gap: float | None
    list: tuple[str, ...]
    signature: str

    def record(self) -> dict[str, Any]:
        """Return a dictionary, as JSON has it."""
        return {**asdict(self), "list": [*self.list]}

    @property
    def listed(self) -> str:
        """The list as one text."""
        return (", " if any(" + " in unit for unit in self.list) else " ").join(self.list)


class IdealLists(list[IdealList], Tabular):
    """What :func:`ideal_lists` found, a list of :class:`IdealList` that writes itself as the command line does."""

    def records(self) -> list[dict[str, Any]]:
        return [one.record() for one in self]

    def rows(self) -> list[dict[str, Any]]:
        return [{**one.record(), "list": one.listed} for one in self]

    def tables(self, places: int = 4) -> list[Table]:
        from berrypick.analysis.ideal_table import table

        return [table(self, places)]

    def table(self, output: str = "table", places: int | None = None) -> str:
        """Return the text that ``berrypick ideal -o output`` prints."""
        from berrypick.analysis.ideal_table import render

        return render(self, output, places)


@takes_options
def ideal_lists(
    truth: TruthLike,
    measures: MeasuresGiven = "EPRUM",
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    progress: ProgressLike = None,
    **options: Unpack[EvaluationKeywords],
) -> IdealLists:
    """Search for the best list of candidates for each topic and recall value or gain, with a proven bound.

    Candidates are the targets of a topic and every unit that leads to one by the user model. For readers who take
    several pointers of a document as one list item (fetch_browse), lists are of items.

    Parameters
    ----------
    truth : TruthLike
        The judgements: a file, a Truth, a data frame, records, a dictionary by topic, or Qrels of ranx.
    measures : str, Measure or list
        EPRUM with any of its parameters but rank=, and epnav; with norm='bounded' (which takes ideal='certified') they
        ask for the lists of the largest E[A/ML] or E[1/ce].
    nodes : int, optional
        Number of sets to examine for each recall value or gain.
    seconds : float, optional
        The time after which a search ends.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    IdealLists
        A list of :class:`IdealList`, which writes itself as tables.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.data.navigation import ReachTable
    >>> clicks = ReachTable({("hub", "a"): 0.9, ("hub", "b"): 0.9})
    >>> for found in bp.ideal_lists({"q": {"a": 1, "b": 1}}, "EPRUM", navigation=clicks):
    ...     print(found.r, found.list, round(found.value, 4), found.gap)
    1 ('a',) 1.0 0.0
    2 ('hub', 'a', 'b') 1.29 0.0
    """
    told = as_progress(progress)
    measures = given_measures(measures, options)
    settings = EvaluationOptions.from_arguments(options, "ideal_lists")
    evaluation = Evaluation._from_options(truth, _no_run(), measures, settings)
    asked = [replace(one, measure=_certified(one, nodes, seconds)) for one in evaluation.measures]
    found = IdealLists()
    topics = list(evaluation.truth.topics)
    for done, topic in enumerate(topics, start=1):
        for one in asked:
            judged = judge_topic(evaluation.truth, _no_run(), topic, evaluation.contexts[one.text])
            if len(judged.targets):
                found += _found(one, judged, evaluation)
        if told is not None:
            told(done, len(topics))
    return found


def gap_note(found: Sequence[IdealList], gap: float | None) -> list[str]:
    """How many lists are not proved to be within the gap."""
    allowed = GAP if gap is None else gap
    wide = [one for one in found if one.gap is not None and one.gap > allowed]
    if not wide:
        return []
    largest = max(one.gap for one in wide if one.gap is not None)
    return [
        f"{counted(len(wide), 'list')} of {len(found)} may be more than {allowed:g} from the best (at most "
        f"{largest:.3g}); {option('nodes', '5000')} searches longer"
    ]


def _certified(one: RequestedMeasure, nodes: int | None, seconds: float | None) -> Measure:
    if why := one.measure.no_best_lists():
        raise UsageError(f"{one.text}: {why}")
    return one.measure.certified(nodes, seconds)


def _found(one: RequestedMeasure, judged: JudgedTopic, evaluation: Evaluation) -> Iterator[IdealList]:
    reads = depends_on(one.measure, evaluation.contexts[one.text].user)
    fields = SignedMeasure(one, evaluation, _no_run(), reads).fields()
    signature = str(
        sign(fields, [], one.measure.signature_head()).with_sums(lambda: evaluation.sums.of_topic(judged.topic))
    )
    for best in one.measure.best_lists(judged):
        facts = fields_of(best, "r", "level", "targets", "candidates", "readers")
        yield IdealList(
            topic=judged.topic, measure=one.text, signature=signature, **facts, **_numbers(best.found), list=best.units
        )


def _numbers(best: Found) -> dict[str, Any]:
    if np.isnan(best.value):  # no list surely reaches r
        return {"value": None, "bound": None, "gap": None}
    return {"value": best.value, "bound": best.bound, "gap": best.gap}


def _no_run() -> Run:
    """A run without topics: ideal lists are never taken from a run."""
    return Run("none", (), np.zeros(1, dtype=np.int64), Coded((), np.zeros(0, np.int64)))


def missing_navigation(found: Sequence[IdealList]) -> list[str]:
    """Where nothing but targets can be listed, every list is one of targets."""
    if found and all(one.candidates <= one.targets for one in found):
        return [
            "the candidates are only the targets; to add other units that lead to a target, give "
            f"{option('navigation')} or the XML documents with {option('collection')}"
        ]
    return []
