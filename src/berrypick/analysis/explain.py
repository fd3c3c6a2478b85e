"""bp.explain: the working of one number, and what simulated readers get."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from berrypick.analysis.diagnosis.worst_topics import question_and_passages
from berrypick.data.drawn import READERS
from berrypick.data.errors import UsageError
from berrypick.data.score import Explanation
from berrypick.evaluation.evaluation import prepare_one
from berrypick.evaluation.options import takes_options
from berrypick.evaluation.readers import explain_readers
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.given.convert import RunLike, TruthLike
from berrypick.topics.seen_together import TogetherName, refuse_unsimulated

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords


@takes_options
def explain(
    truth: TruthLike,
    run: RunLike,
    measure: MeasuresGiven,
    topic: str,
    *,
    simulate: int | None = None,
    seed: int = 0,
    reader_draws: int = READERS,
    together: TogetherName | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Explanation:
    """Explain one number: what each rank leads to, and the terms of the sum.

    Parameters
    ----------
    truth : TruthLike
        The judgements: a file, a Truth, a data frame, records, a dictionary by topic, or Qrels of ranx.
    run : RunLike
        What the system returned: a file, a Run, a data frame, records, a dictionary by topic, or a Run of ranx.
    measure : str or Measure
        One measure.
    topic : str
        The topic whose value to explain, by its name or its question.
    simulate : int, optional
        Number of readers to simulate, with the distribution of their values.
    seed : int
        The seed of what is drawn.
    reader_draws : int
        With a fitted user model: number of readers to draw for the interval over readers; 0 for none.
    together : {'walk', 'independent', 'most', 'least'}, optional
        Joint distribution of what simulated readers see, as in :func:`berrypick.simulate`.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    Explanation
        Sentences and tables; it prints, and shows itself in a notebook.

    Examples
    --------
    >>> import berrypick as bp
    >>> print(bp.explain({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "RR", topic="q"))
    RR for topic q
    <BLANKLINE>
    What was expected
    expected  ranks that overlap it
    --------  ---------------------
    a         2
    <BLANKLINE>
    Documents at their best rank
    position  document  rank in the run       grade
    --------  --------  ---------------  ----------
           1  b                       1  not judged
           2  a                       2           1
    <BLANKLINE>
    1 document is relevant.
    <BLANKLINE>
    RR = 0.5
    """
    prepared = prepare_one(truth, run, measure, options, "explain")
    if len(prepared.measures) != 1:
        raise UsageError("explain takes one measure")
    name = next(iter(prepared.runs))
    topic = prepared.topic_named(topic)
    found = prepared.explain(name, prepared.measures[0], topic)
    before, readers = question_and_passages(prepared, name, topic), explain_readers(prepared, name, topic, reader_draws)
    found = replace(found, parts=(*before, *found.parts, *readers))
    if simulate is None:
        refuse_unsimulated(together)
        return found
    from berrypick.analysis.simulation.simulated_readers import SimulatedReaders

    simulated = SimulatedReaders(prepared, simulate, seed, together)
    return replace(found, parts=(*found.parts, *simulated.explain(name, topic)))
