"""Tools that the conformance vectors run against: berrypick, and adapters for other libraries.

An adapter calls the library as its documentation shows. Where a library has no cut-off, it is given the first k
results, as by a retriever with top_k. What a library cannot be given, or has no measure for, is not offered.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from berrypick._version import __version__
from berrypick.data import spec as specs
from berrypick.data.spec import Spec
from berrypick.testing.conformance.vectors import Case


class NotOfferedError(Exception):
    """The tool has no such measure, or cannot be given such a case."""


@dataclass(frozen=True)
class Tool:
    """A library, and how it computes a value."""

    name: str
    package: str
    module: str
    compute: Callable[[Case, Spec], float | None]

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def version(self) -> str:
        return __version__ if self.name == "berrypick" else metadata.version(self.package)

    def value(self, case: Case, measure: str) -> float | None:
        """Return the value of a measure, None or NaN where it is undefined; raises what the library raises."""
        silenced = logging.root.manager.disable
        logging.disable(logging.WARNING)  # libraries log what they do about empty lists
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.compute(case, specs.parse(measure))
        finally:
            logging.disable(silenced)


# berrypick


def _berrypick(case: Case, measure: Spec) -> float | None:
    """As in Python: bp.score(measure, truth, run)."""
    from berrypick.evaluation.functions import score

    given = case.scores if case.scored else case.run
    whole = not case.of_documents and all("start" not in row for row in case.run)
    options: dict[str, Any] = {"whole_documents": True} if whole else {}
    return score(measure.text, {_TOPIC: case.truth}, {_TOPIC: given}, **options)


# libraries that take {topic: {document: grade}} and {topic: {document: score}}


def _dictionaries(case: Case) -> tuple[dict[str, int], dict[str, float]]:
    grades, scores = dict(case.judged), case.scores
    if not case.of_documents or scores is None or len(grades) < len(case.judged):
        raise NotOfferedError
    return grades, scores


def _ir_measures(case: Case, measure: Spec) -> float | None:
    """Rows, so that repeated documents can be given."""
    import ir_measures

    if not case.of_documents or measure.name not in _THEIRS:
        raise NotOfferedError
    qrels = [ir_measures.Qrel(_TOPIC, document, grade) for document, grade in case.judged]
    scores = case.scores or {}
    ranked = [
        ir_measures.ScoredDoc(_TOPIC, document, scores.get(document, float(len(case.run) - row)))
        for row, document in enumerate(case.ranked)
    ]
    cutoff = {} if measure.at is None else {"cutoff": measure.at}
    wanted = getattr(ir_measures, measure.name)(**measure.parameters, **cutoff)
    return {one.query_id: one.value for one in ir_measures.iter_calc([wanted], qrels, ranked)}[_TOPIC]


#: The only topic of a case: gdeval, which ir_measures calls, takes numbers.
_TOPIC = "1"
#: Measures that ir_measures has under the same name.
_THEIRS = ("P", "R", "RR", "AP", "nDCG", "Rprec", "Success", "Bpref", "Judged", "SetP", "SetR", "SetF", "ERR")
#: Names of trec_eval without and with a cut-off.
_TREC_NAMES = {
    "AP": ("map", "map_cut_{}"),
    "nDCG": ("ndcg", "ndcg_cut_{}"),
    "P": ("", "P_{}"),
    "R": ("", "recall_{}"),
    "RR": ("recip_rank", ""),
    "Success": ("", "success_{}"),
    "Rprec": ("Rprec", ""),
    "Bpref": ("bpref", ""),
    "SetP": ("set_P", ""),
    "SetR": ("set_recall", ""),
    "SetF": ("set_F", ""),
}
#: Names of ranx.
_RANX_NAMES = {
    "AP": "map",
    "nDCG": "ndcg",
    "P": "precision",
    "R": "recall",
    "RR": "mrr",
    "Success": "hit_rate",
    "Rprec": "r-precision",
    "Bpref": "bpref",
    "SetP": "precision",
    "SetR": "recall",
    "SetF": "f1",
}


#: What ranx writes before the smallest relevant grade; in two parts, because it is not a flag of ours.
_LEVEL = "-" + "l"


def _level(measure: Spec, known: Iterable[str] = ("rel",)) -> int:
    """Return the smallest relevant grade; a library without some other parameter does not offer the measure."""
    if set(measure.parameters) - {*known}:
        raise NotOfferedError
    return int(measure.parameters.get("rel", 1))


def _pytrec_eval(case: Case, measure: Spec) -> float | None:
    import pytrec_eval

    names = _TREC_NAMES.get(measure.name, ("", ""))
    name = names[0] if measure.at is None else names[1].format(measure.at)
    if not name:
        raise NotOfferedError
    grades, scores = _dictionaries(case)
    evaluator = pytrec_eval.RelevanceEvaluator({_TOPIC: grades}, {name}, relevance_level=_level(measure))
    return evaluator.evaluate({_TOPIC: scores})[_TOPIC][name]


def _ranx(case: Case, measure: Spec) -> float | None:
    import ranx

    name = _RANX_NAMES.get(measure.name)
    if name is None:
        raise NotOfferedError
    if measure.parameters.get("dcg") == "exp-log2":
        name = "ndcg_burges"
    level = _level(measure, ("rel", "dcg"))
    text = name if measure.at is None else f"{name}@{measure.at}"
    text += "" if level == 1 else f"{_LEVEL}{level}"
    grades, scores = _dictionaries(case)
    # make_comparable adds topics without results, if there is another topic
    qrels, run = {_TOPIC: grades, "2": {"x": 1}}, {**({_TOPIC: scores} if scores else {}), "2": {"x": 1.0}}
    return ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), text, return_mean=False, make_comparable=True)[0]


# libraries that take lists of relevant and of retrieved documents


def _lists(case: Case, measure: Spec) -> tuple[list[tuple[str, int]], list[str]]:
    """Relevant documents with grades, and the first k results; a list has no scores, so that ties cannot be given."""
    if not case.of_documents or case.scored:
        raise NotOfferedError
    level = _level(measure)
    cut = case.ranked if measure.at is None else case.ranked[: int(measure.at)]
    return [(document, grade) for document, grade in case.judged if grade >= level], cut


def _haystack(case: Case, measure: Spec) -> float | None:
    from haystack import Document
    from haystack.components import evaluators

    makers: dict[str, Callable[[], Any]] = {
        "R": lambda: evaluators.DocumentRecallEvaluator(mode="multi_hit"),
        "Success": lambda: evaluators.DocumentRecallEvaluator(mode="single_hit"),
        "RR": evaluators.DocumentMRREvaluator,
        "AP": evaluators.DocumentMAPEvaluator,
        "nDCG": evaluators.DocumentNDCGEvaluator,
    }
    if measure.name not in makers:
        raise NotOfferedError
    relevant, retrieved = _lists(case, measure)
    found = makers[measure.name]().run(
        ground_truth_documents=[[Document(content=document, score=grade) for document, grade in relevant]],
        retrieved_documents=[[Document(content=document) for document in retrieved]],
    )
    return found["individual_scores"][0]


def _llama_index(case: Case, measure: Spec) -> float | None:
    from llama_index.core.evaluation.retrieval import metrics

    known = {
        "P": metrics.Precision,
        "R": metrics.Recall,
        "Success": metrics.HitRate,
        "RR": metrics.MRR,
        "AP": metrics.AveragePrecision,
        "nDCG": metrics.NDCG,
    }
    if measure.name not in known:
        raise NotOfferedError
    relevant, retrieved = _lists(case, measure)
    expected = [document for document, _ in relevant]
    return known[measure.name]().compute(expected_ids=expected, retrieved_ids=retrieved).score


#: Every tool by the name that --tool takes.
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("berrypick", "berrypick", "berrypick", _berrypick),
        Tool("ir_measures", "ir-measures", "ir_measures", _ir_measures),
        Tool("pytrec_eval", "pytrec-eval-terrier", "pytrec_eval", _pytrec_eval),
        Tool("ranx", "ranx", "ranx", _ranx),
        Tool("haystack", "haystack-ai", "haystack", _haystack),
        Tool("llama_index", "llama-index-core", "llama_index", _llama_index),
    )
}
