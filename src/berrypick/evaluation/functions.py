"""The public functions; each prepares an evaluation and uses it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from berrypick.data.drawn import READERS
from berrypick.data.errors import BerrypickWarning, UsageError
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import WHOLE_DOCUMENTS, Results, refuse_whole_documents
from berrypick.evaluation.evaluation import Evaluation, prepare_one
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, given_measures
from berrypick.evaluation.scoring import score_run
from berrypick.given.convert import RunLike, RunsLike, TruthLike
from berrypick.topics.topic import JudgedTopic
from berrypick.workers.progress import ProgressLike

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords


@takes_options
def evaluate(
    truth: TruthLike,
    runs: RunsLike,
    measures: MeasuresGiven = (),
    *,
    curves: bool = False,
    progress: ProgressLike = None,
    jobs: int = 1,
    executor: Executor | None = None,
    reader_draws: int = READERS,
    model_truth: TruthLike | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Results:
    """Evaluate runs against a truth.

    Files, data frames, records, dictionaries and objects of other libraries are accepted directly. Notes about
    the numbers are in ``notes`` of the results; meaningless numbers give a
    :class:`~berrypick.BerrypickWarning` too.

    Parameters
    ----------
    truth : TruthLike
        The judgements: a file, a Truth, a data frame, records, a dictionary by topic, or Qrels of ranx.
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    measures : str, Measure or list
        One text with several measures, or a list of texts and measures; ``metrics`` is another name for them. By
        default, some that fit what is judged.
    curves : bool
        Whether to keep the curves behind the numbers, for plots.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    jobs : int
        The number of processes.
    executor : concurrent.futures.Executor, optional
        Workers that do the work instead, such as ``client.get_executor()`` of Dask.
    reader_draws : int
        With a fitted user model: number of readers to draw for the interval over readers; 0 for none.
    model_truth : TruthLike, optional
        Judgements by a model of the topics of ``truth`` and of others. ``truth`` then has the judgements by people, of
        a random sample of these topics, and means are model-assisted: their rows also have ``low``, ``high``,
        ``people``, ``model`` and ``worth``.
    **options
        Options of an evaluation, by name; ``help(bp.evaluate)`` lists them with their defaults. ``user`` is classical
        by default, or the model that ``navigation`` is for; ``task`` and ``protocol`` bring a campaign's rules, and
        its measures where none are named; ``documents`` are the texts, for quotes, tokens and offsets in other units.

    Returns
    -------
    Results
        A row for every run, topic and measure, the means, and the notes.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q1": {"guide#0-40": 1}, "q2": {"faq#10-30": 1}}
    >>> run = {"q1": {"guide#20-60": 2.0, "faq#0-9": 1.0}, "q2": {"faq#0-50": 1.5}}
    >>> results = bp.evaluate(truth, run, "charP@1 charR@1")
    >>> results.mean()
    {'run': {'charP@1': 0.45, 'charR@1': 0.75}}
    >>> print(results)
    run  charP@1  charR@1
    ---  -------  -------
    run   0.4500   0.7500
    """
    measures = given_measures(measures, options)
    given = EvaluationOptions.from_arguments(options)
    if model_truth is not None:
        from berrypick.evaluation.model_truth import evaluate_with_model  # few evaluations need it

        how: dict[str, Any] = {"jobs": jobs, "executor": executor, "progress": progress, "curves": curves}
        found = evaluate_with_model(truth, runs, measures or (), given, model_truth, reader_draws=reader_draws, **how)
        return _with_warnings(found.results)
    prepared = Evaluation._from_options(truth, runs, measures or (), given, once=True)
    return _with_warnings(
        prepared.run(curves=curves, jobs=jobs, executor=executor, progress=progress, reader_draws=reader_draws)
    )


def evaluate_parts(truth: Any, runs: Any, measures: MeasuresGiven, what: str, options: Mapping[str, Any]) -> Results:
    """Results that decide something, for ``what``: measures of whole documents are refused where parts are judged."""
    given = EvaluationOptions.from_arguments(dict(options))
    return decided(Evaluation._from_options(truth, runs, measures, given, once=True), what)


def decided(evaluation: Evaluation, what: str) -> Results:
    """The results of a prepared evaluation that decide something, under the same condition."""
    results = evaluation.run()
    refuse_whole_documents(results.notes, what)
    return _with_warnings(results)


#: Kinds of notes on numbers that mean nothing.
MEANINGLESS = ("unknown documents", "unused navigation", WHOLE_DOCUMENTS)
#: Kinds of notes that are a warning once in a process.
ONCE = {"kernels"}
_warned: set[str] = set()


def _with_warnings(results: Results) -> Results:
    """Notes that must not be missed are warnings too, since a number or a dictionary of numbers shows no notes."""
    for note in merge_notes([note for note in results.notes if note.kind in MEANINGLESS], len(results.runs)):
        warnings.warn(str(note), BerrypickWarning, stacklevel=3)
    for note in results.notes:
        if note.kind in ONCE - _warned:
            _warned.add(note.kind)
            warnings.warn(str(note), BerrypickWarning, stacklevel=3)
    return results


@takes_options
def score(
    measure: MeasuresGiven, truth: TruthLike, run: RunLike, **options: Unpack[EvaluationKeywords]
) -> float | None:
    """Compute the mean of one measure for one run, as a number.

    Parameters
    ----------
    measure : str or Measure
        One measure.
    truth : TruthLike
        The judgements: a file, a Truth, a data frame, records, a dictionary by topic, or Qrels of ranx.
    run : RunLike
        What the system returned: a file, a Run, a data frame, records, a dictionary by topic, or a Run of ranx.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    float or None
        The mean over topics; None where no topic has a value.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.score("charP", {"q": {"d#100-220": 1}}, {"q": {"d#0-300": 1.0}})
    0.4
    """
    prepared = prepare_one(truth, run, measure, options, "score")
    if len(prepared.measures) != 1:
        raise UsageError("score takes one measure; evaluate takes several")
    [only] = prepared.runs.values()
    scored = score_run(prepared, False, only, lambda count: None, all_notes=False)  # a number shows no notes
    return _with_warnings(prepared._results([scored], [])).mean_rows[0].value


@takes_options
def judge(truth: TruthLike, run: RunLike, topic: str, **options: Unpack[EvaluationKeywords]) -> JudgedTopic:
    """Judge one topic of one run: its targets, the ranking, and what a reader of it sees.

    Parameters
    ----------
    truth : TruthLike
        The judgements: a file, a Truth, a data frame, records, a dictionary by topic, or Qrels of ranx.
    run : RunLike
        What the system returned: a file, a Run, a data frame, records, a dictionary by topic, or a Run of ranx.
    topic : str
        The topic.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    JudgedTopic
        What a measure sees; a notebook displays it with its documents.

    Examples
    --------
    >>> import berrypick as bp
    >>> judged = bp.judge({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "q")
    >>> judged
    JudgedTopic('q', 1 target, 2 ranks, user=classical(share=0.5))
    >>> judged.reach.dense().tolist()
    [[0.0], [1.0]]
    """
    prepared = prepare_one(truth, run, None, options, "judge")
    return prepared.judge(next(iter(prepared.runs)), topic)
