"""Document measures: any name that ir_measures knows, scored by ir_measures itself.

Runs that point into documents are read as runs of documents: a document counts at its best rank, and is relevant if
any text in it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.core.errors import UsageError
from berrypick.core.run import Run
from berrypick.core.truth import Truth


@dataclass(frozen=True)
class DocumentMeasure:
    """One of ir_measures' measures."""

    measure: Any
    text: str

    def __str__(self) -> str:
        return str(self.measure).replace('"', "'")

    @property
    def summed(self) -> bool:
        """Counts over topics are added up, not averaged."""
        return type(self.measure.aggregator()).__name__ == "SumAgg"


def names() -> list[str]:
    """The measures ir_measures knows, plain names only."""
    from ir_measures import measures

    return [name for name in measures.registry if name.isascii()]


def parse(text: str) -> DocumentMeasure | None:
    """None if ir_measures does not know the name; an error if it knows the name but not the parameters."""
    import ir_measures

    try:
        measure = ir_measures.parse_measure(text)
    except (NameError, ValueError, SyntaxError):
        return None
    except KeyError as error:
        raise UsageError(f"{text}: ir_measures knows no parameter {error} of this measure") from None
    try:
        measure.validate_params()  # type: ignore[no-untyped-call,unused-ignore]
    except AssertionError as error:
        if "<object object" in str(error):
            raise UsageError(f"{text} needs a cut-off, as in {text}@10") from None
        raise UsageError(f"{text}: {error}") from None
    return DocumentMeasure(measure, text)


def score(truth: Truth, run: Run, measures: Sequence[DocumentMeasure]) -> dict[tuple[DocumentMeasure, str], float]:
    """Values of all measures for all judged topics that the run answers or not."""
    import ir_measures

    wanted = {measure.measure: measure for measure in measures}
    qrels, ranked = _qrels(truth), _ranked(run, truth)
    found: dict[tuple[DocumentMeasure, str], float] = {}
    try:
        for metric in ir_measures.iter_calc(list(wanted), qrels, ranked):
            found[wanted[metric.measure], metric.query_id] = float(metric.value)
    except (ValueError, RuntimeError, AssertionError, ImportError) as error:
        names = ", ".join(str(measure) for measure in measures)
        raise UsageError(f"ir_measures could not compute {names}: {error}") from None
    for measure in measures:
        if type(measure.measure).__name__ == "_NumRel":  # what is relevant does not depend on the run
            level = measure.measure["rel"] if "rel" in measure.measure.params else 1
            for topic, grades in qrels.items():
                found[measure, topic] = float(sum(grade >= level for grade in grades.values()))
    return found


def _qrels(truth: Truth) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name, topic in truth.topics.items():
        grades: dict[str, int] = dict.fromkeys(topic.empty_documents, 0)
        for passage in topic.passages:
            grades[passage.document] = 1
        for document, grade in zip(topic.document, topic.grade.tolist(), strict=True):
            if not float(grade).is_integer():
                raise UsageError(
                    f"document measures of ir_measures count whole grades; {document} has {grade:g} in topic {name}"
                )
            grades[document] = max(int(grade), grades.get(document, int(grade)))
        found[name] = grades
    return found


def _ranked(run: Run, truth: Truth) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, ranking in run.rankings():
        if name not in truth:
            continue
        scores: dict[str, float] = {}
        own = ranking.score if run.ties == "score" and not run.points_into_documents else None
        for row, code in enumerate(ranking.document.tolist()):
            document = ranking.documents[code]
            if document not in scores:
                scores[document] = float(own[row]) if own is not None else -float(len(scores))
        found[name] = scores
    return found
