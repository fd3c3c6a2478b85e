"""Document measures: any name that ir_measures knows, scored by ir_measures itself.

Runs that point into documents are read as runs of documents: a document counts at its best rank, and is relevant if
any text in it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from berrypick.data import spec as specs
from berrypick.data.errors import NamedError, UsageError, shorten
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import Parameter
from berrypick.data.run import Duplicates, Run
from berrypick.data.score import Explanation, Score, number
from berrypick.data.truth import LARGEST_GRADE, TopicTruth, Truth
from berrypick.measures.base import Measure
from berrypick.measures.documents._ranked import document_table, run_of
from berrypick.topics.repeats import ranking_of, repeats_of
from berrypick.topics.topic import JudgedTopic
from berrypick.topics.topics import JudgedTopics
from berrypick.workers.progress import gc_paused

#: Results that go through ir_measures at once.
BATCH = 200_000


@dataclass(frozen=True)
class DocumentMeasure(Measure):
    """A measure of whole documents, computed by ir_measures."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    computed_by: ClassVar[str] = "ir_measures"
    of_documents: ClassVar[bool] = True
    of_spans: ClassVar[str] = "charR"
    depends_on: ClassVar[tuple[str, ...] | None] = ()

    measure: Any = field(default=None, compare=False)
    #: As ir_measures writes it, with its parameters: written out once, which shows with many topics.
    text: str = ""

    @classmethod
    def of(cls, measure: Any) -> DocumentMeasure:
        """One of ir_measures' measures, with what is known of it."""
        name, cutoff = type(measure).__name__.lstrip("_"), measure.params.get("cutoff")
        summed = type(measure.aggregator()).__name__ == "SumAgg"
        made = SummedMeasure if summed else SampledMeasure if name in ("infAP", "InfAP") else cls
        return made(cutoff if isinstance(cutoff, int) else None, measure, str(measure).replace('"', "'"))

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """None: they are part of the text."""
        return []

    def __str__(self) -> str:
        return self.text

    __repr__ = canonical = signature_head = __str__

    def kept_laws(self) -> tuple[str, ...]:
        uncut = ("junk-after-cut",) if self.at is None else ()
        return without(*uncut, *_BREAKS.get(type(self.measure).__name__.lstrip("_"), ()), laws=self.laws)

    def score_topics(self, judged: JudgedTopics) -> dict[str, Score]:
        """All topics at once, and with all measures that ir_measures computes for them."""
        theirs = [one for one in judged.measures if isinstance(one, DocumentMeasure)] or [self]
        values = judged.kept(DocumentMeasure, lambda: _scored(judged, theirs))
        relevant = {topic: judged.truth.topics[topic].has_relevant for topic in judged.topics}
        return {topic: Score(values[self, topic] if some else None) for topic, some in relevant.items()}

    def compute(self, judged: JudgedTopic) -> Score:
        truth, run = Truth("documents", {judged.topic: judged.truth}), run_of(judged.topic, judged.ranking)
        return self.score_topics(JudgedTopics(truth, run, (judged.topic,), judged.context))[judged.topic]

    def explain_topic(self, judged: JudgedTopics, text: str) -> Explanation:
        [topic] = judged.topics
        truth, ranking = judged.truth.topics[topic], ranking_of(judged.run, topic, judged.context)
        value = _scored(judged, [self])[self, topic]
        found = f"{self} = {number(value, 6)}, computed by ir_measures"
        return Explanation(f"{self} for topic {topic}", [*document_table(truth, ranking), found])


class SummedMeasure(DocumentMeasure):
    """A measure of whole documents, computed by ir_measures."""

    summed: ClassVar[bool] = True


class SampledMeasure(DocumentMeasure):
    """A measure of whole documents, computed by ir_measures."""

    instead_on_spans: ClassVar[str] = "samples judged documents"


#: Laws that measures break there: Compat's ideal list has documents of equal grades in the order of the truth, and a
#: longer list is compared to a greater depth, whatever is added; Accuracy divides by 0 where all retrieved documents
#: are relevant.
_BREAKS = {"Compat": ("truth-order", "relevant-added"), "Accuracy": ("relevant-added",)}
#: What measures of berrypick have that are registered with ir_measures.
REGISTERED = "of_berrypick"


def is_theirs(value: object) -> bool:
    """Whether a value is a measure as ir_measures has it, e.g. ``ir_measures.nDCG @ 10``."""
    return type(value).__module__.partition(".")[0] == "ir_measures" or hasattr(value, REGISTERED)


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The measures that only ir_measures has, plain names only; those of documents that are defined here are ours."""
    from ir_measures import measures

    from berrypick.measures import registry

    room = f"{__name__.rpartition('.')[0]}.documents."
    ours = {name.lower() for name, one in registry.definitions().items() if one.module.startswith(room)}
    return tuple(
        name
        for name, measure in measures.registry.items()
        if name.isascii() and not hasattr(measure, REGISTERED) and measure.NAME.lower() not in ours
    )


def parse(text: str) -> DocumentMeasure | None:
    """None if ir_measures does not know the name; an error if it knows the name but not the parameters."""
    from ir_measures import measures

    _, at, cutoff = text.rpartition("@")
    if at and cutoff.startswith("-"):
        raise UsageError(f"{text}: the cut-off after @ must be at least 1, not {cutoff}")
    try:
        spec = specs.parse(text)
    except UsageError:
        return None
    if spec.name not in measures.registry or hasattr(measures.registry[spec.name], REGISTERED):
        return None
    # put together here: ir_measures' own parser uses parts of ast that Python 3.14 does not have any more
    known = measures.registry[spec.name]
    if "self" in spec.parameters:  # in Python too the name of the measure itself
        raise UsageError(f"{text}: {spec.name} has no parameter self")
    measure = known(**{**spec.parameters, **({} if spec.at is None else {known.AT_PARAM: spec.at})})
    _check_numbers(measure, text)
    for name, parameter in known.SUPPORTED_PARAMS.items():
        if parameter.required and name not in measure.params:
            cutoff = f"a cut-off, as in {text}@{0.5 if name == 'recall' else 10}"
            raise UsageError(f"{text} needs {cutoff if name == known.AT_PARAM else f'the parameter {name}'}")
    try:
        measure.validate_params()  # type: ignore[no-untyped-call,unused-ignore]
    except AssertionError as error:
        raise UsageError(f"{text}: {error}") from None
    return DocumentMeasure.of(measure)


#: Parameters that the libraries below take whatever they are: what they must be.
_BOUNDS: dict[str, tuple[Callable[[float], bool], str]] = {
    "recall": (lambda v: 0 <= v <= 1 and round(v, 2) == v, "from 0 to 1, with two digits at most"),
    "p": (lambda v: 0 < v < 1, "between 0 and 1"),
    "T": (lambda v: 0 < v < math.inf, "above 0"),
    "alpha": (lambda v: 0 <= v <= 1, "from 0 to 1"),
}


def _check_numbers(measure: Any, text: str) -> None:
    """Numbers that the libraries below would take without a word, or end the program over."""
    for name, (good, must) in _BOUNDS.items():
        value = measure.params.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not good(value):
            shown = "the recall level after @" if name == "recall" else name
            raise UsageError(f"{text}: {shown} must be {must}, not {value:g}")
    _check_gains(measure.params.get("gains"), text)
    for name in ("cutoff", "rel"):
        value = measure.params.get(name)
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and not 1 <= value < 2**31:
            raise UsageError(
                f"{text}: {'the cut-off after @' if name == 'cutoff' else name} must be at least 1, not {value}"
            )


def _check_gains(gains: object, text: str) -> None:
    """pytrec_eval takes gains for grades: it has an entry of memory for each up to the largest."""
    if isinstance(gains, dict):
        for grade, gain in gains.items():
            whole = all(isinstance(one, int) and not isinstance(one, bool) for one in (grade, gain))
            if not whole or not 0 <= gain <= LARGEST_GRADE:
                must = f"whole numbers, and gains from 0 to {LARGEST_GRADE}"
                raise UsageError(
                    f"{text}: grades and their gains are {must}, not {shorten(f'{grade!r}: {gain!r}', 60)}"
                )


def _scored(judged: JudgedTopics, measures: Sequence[DocumentMeasure]) -> dict[tuple[DocumentMeasure, str], float]:
    return score(judged.truth, judged.run, measures, judged.topics, judged.duplicates)


@gc_paused()
def score(
    truth: Truth,
    run: Run,
    measures: Sequence[DocumentMeasure],
    topics: Sequence[str] | None = None,
    duplicates: Duplicates = "error",
) -> dict[tuple[DocumentMeasure, str], float]:
    """Values of all measures for all judged topics that the run answers or not, or for some of them.

    A few topics at a time go through ir_measures, as the dictionaries that it hands on to pytrec_eval as they are.
    """
    wanted: dict[Any, list[DocumentMeasure]] = {}
    for measure in measures:
        wanted.setdefault(measure.measure, []).append(measure)  # AP and MAP are two names of one measure
    found: dict[tuple[DocumentMeasure, str], float] = {}
    names = np.empty(len(run.documents), dtype=object)  # from which many are taken at once
    names[:] = list(run.documents)
    # topics without anything relevant have no values; and of grades that are all below 0 pytrec_eval dies
    relevant = [t for t in (truth.topics if topics is None else topics) if truth.topics[t].has_relevant]
    for batch in _batches(relevant, run):
        qrels = {name: _grades(truth, name) for name in batch}
        ranked = {name: _scores(run, name, names, duplicates) for name in batch if run.size(name)}
        found.update(_values(wanted, qrels, ranked))
        for measure in measures:
            if type(measure.measure).__name__ == "_NumRel":  # what is relevant does not depend on the run
                level = measure.measure["rel"] if "rel" in measure.measure.params else 1
                for topic, grades in qrels.items():
                    found[measure, topic] = float(sum(grade >= level for grade in grades.values()))
            for topic in batch:
                _check_value(found, measure, truth.topics[topic], run.size(topic) > 0)
    return found


def _check_value(
    found: dict[tuple[DocumentMeasure, str], float], measure: DocumentMeasure, topic: TopicTruth, answered: bool
) -> None:
    """What the run does not answer counts 0; any other value has to be there, and to be a number."""
    value = found.setdefault((measure, topic.topic), math.nan if answered else 0.0)
    if not math.isfinite(value) and topic.has_relevant:
        raise NamedError(f"ir_measures gives no value of {measure} for topic {topic.topic}")


def _batches(topics: Sequence[str], run: Run) -> Iterator[list[str]]:
    """Topics that have some hundred thousand results together: dictionaries of all would be many times the file."""
    batch: list[str] = []
    size = 0
    for topic in topics:
        batch.append(topic)
        size += run.size(topic)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _values(
    wanted: dict[Any, list[DocumentMeasure]], qrels: dict[str, dict[str, int]], ranked: dict[str, dict[str, float]]
) -> dict[tuple[DocumentMeasure, str], float]:
    import ir_measures

    try:
        return {
            (measure, metric.query_id): float(metric.value)
            for metric in ir_measures.iter_calc(list(wanted), qrels, ranked)
            for measure in wanted[metric.measure]
        }
    except MemoryError:
        raise
    except Exception as error:  # whatever the libraries that ir_measures calls may raise
        names = ", ".join(str(measure) for measure in wanted)
        why = " ".join(str(error).split()) or type(error).__name__
        raise NamedError(f"ir_measures could not compute {names}: {why}") from None


def _grades(truth: Truth, name: str) -> dict[str, int]:
    judged = truth.document_grades
    i = judged.position[name]
    rows = slice(int(judged.bounds[i]), int(judged.bounds[i + 1]))
    return dict(zip(judged.names[rows], judged.grade[rows].tolist(), strict=True))


def _scores(run: Run, name: str, names: npt.NDArray[np.object_], duplicates: Duplicates) -> dict[str, float]:
    """Each document with minus its rank: pytrec_eval keeps scores as 32-bit floats, in which close ones are equal."""
    repeats, ranking = repeats_of(run), run.ranking(name)
    found = names[ranking.document]
    if name in repeats and duplicates == "keep" and not run.points_into_documents:
        for row in np.flatnonzero(repeats[name]).tolist():
            found[row] = f"{found[row]}#repeated-at-{row + 1}"  # takes its rank, and nobody has judged it
    elif run.points_into_documents or name in repeats:
        found = found[np.sort(ranking.grouped.first())]
    return dict(zip(found.tolist(), range(0, -len(found), -1), strict=True))
