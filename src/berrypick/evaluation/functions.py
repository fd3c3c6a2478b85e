"""The public functions; each prepares an evaluation and uses it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from berrypick.core import whole_documents
from berrypick.core.doors import functions
from berrypick.core.errors import BerrypickWarning, UsageError, option
from berrypick.core.explanation import Explanation
from berrypick.core.progress import ProgressLike
from berrypick.core.results import Results, merge_notes
from berrypick.core.whole_documents import refuse_whole_documents
from berrypick.evaluation.evaluation import Evaluation, prepare_one
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.evaluation.scoring import score_run
from berrypick.judging.topic import JudgedTopic

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords


@takes_options
def evaluate(
    truth: Any,
    runs: Any,
    measures: MeasuresGiven = (),
    *,
    curves: bool = False,
    progress: ProgressLike = None,
    jobs: int = 1,
    executor: Executor | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Results:
    """Evaluate runs against a truth.

    ``truth`` and ``runs`` may be files, values, data frames, records (named tuples of ir_measures or ir_datasets),
    dictionaries of topic to document to grade or score, or of topic to a list of results, or objects of ranx. Several
    runs are a list, a dictionary of name to run, or a frame or table with a column ``run``; those of files, of a
    Parquet table and of an iterator are gone through one after the other. ``measures`` is one text with several
    measures, or a list of texts and measure objects. ``user`` defaults to classical, or to the
    model that ``navigation`` is for. ``task`` and ``protocol`` bring a campaign's rules, and its measures where none
    are named; ``repair`` repairs runs that break the rules of the task. ``documents`` are the texts (a folder, JSON
    Lines, or a mapping), for quotes, tokens and offsets in other units; ``tokenizer`` is a name or a callable;
    ``chunks`` are all chunks of the collection, as a run. ``progress`` is called with (done, of) as topics are
    finished. ``jobs`` is the number of processes; ``executor``, any :class:`concurrent.futures.Executor`, such as
    ``client.get_executor()`` of Dask, does the work instead. What a person should know about the numbers is in
    ``notes``; numbers that mean nothing give a :class:`~berrypick.BerrypickWarning` too.
    """
    prepared = Evaluation._from_options(
        truth, runs, measures or (), EvaluationOptions.from_arguments(options), once=True
    )
    return _with_warnings(prepared.run(curves=curves, jobs=jobs, executor=executor, progress=progress))


def evaluate_parts(truth: Any, runs: Any, measures: MeasuresGiven, what: str, options: Mapping[str, Any]) -> Results:
    """Results that decide something, for ``what``: measures of whole documents are refused where parts are judged."""
    given = EvaluationOptions.from_arguments(dict(options))
    results = Evaluation._from_options(truth, runs, measures, given, once=True).run()
    refuse_whole_documents(results.notes, what)
    return _with_warnings(results)


#: Kinds of notes on numbers that mean nothing.
MEANINGLESS = ("unknown documents", "unused navigation", whole_documents.KIND)
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
def score(measure: Any, truth: Any, run: Any, **options: Unpack[EvaluationKeywords]) -> float | None:
    """The mean of one measure for one run, as a number; None where no topic has a value.

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
def explain(
    truth: Any,
    run: Any,
    topic: str,
    measure: MeasuresGiven,
    *,
    simulate: int | None = None,
    seed: int = 0,
    **options: Unpack[EvaluationKeywords],
) -> Explanation:
    """The working of one number for one topic; options as in :func:`evaluate`.

    With ``simulate=10000`` so many readers are simulated, and the distribution of what they get is shown too.
    """
    prepared = prepare_one(truth, run, measure, options, "explain")
    if len(prepared.measures) != 1:
        raise UsageError("explain takes one measure")
    name = next(iter(prepared.runs))
    found = prepared.explain(name, topic, prepared.measures[0])
    if simulate is None:
        return found
    readers = functions.need("SimulatedReaders", option("simulate"))(prepared, simulate, seed)
    return replace(found, parts=(*found.parts, *readers.explain(name, str(topic))))


@takes_options
def judge(truth: Any, run: Any, topic: str, **options: Unpack[EvaluationKeywords]) -> JudgedTopic:
    """One topic judged: its targets, the ranking, and what a reader of it sees; options as in :func:`evaluate`.

    In a notebook the value is displayed with its documents.
    """
    prepared = prepare_one(truth, run, None, options, "judge")
    return prepared.judge(next(iter(prepared.runs)), topic)
