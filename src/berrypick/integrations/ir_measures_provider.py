"""Measures of berrypick in ir_measures, by their own names."""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import ir_measures
from ir_measures import measures as theirs
from ir_measures.providers import Evaluator, Provider
from ir_measures.util import Metric

from berrypick.data import spec as specs
from berrypick.data.errors import UsageError, nearest
from berrypick.data.results import mean
from berrypick.evaluation.functions import evaluate
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.given.convert import as_run, as_truth
from berrypick.measures import document_measures, registry
from berrypick.measures.base import Measure

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords


@takes_options
def register_ir_measures(**options: Unpack[EvaluationKeywords]) -> None:
    """Register all measures with ir_measures, for ``parse_measure("EPRUM")``, ``calc_aggregate`` and so on there.

    A second call replaces the options, and registers measures that were added in between. Names that ir_measures has
    itself stay with ir_measures. A topic where a measure is undefined has the value NaN and is not part of the mean.

    Parameters
    ----------
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`, such as user, collection and navigation: they are
        used for every measure of berrypick through ir_measures.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> import berrypick as bp
    >>> import ir_measures
    >>> bp.register_ir_measures()
    >>> str(ir_measures.parse_measure("EPRUM"))
    'EPRUM'
    """
    EvaluationOptions.from_arguments(options, "register_ir_measures")
    _PROVIDER.options = dict(options)
    if _PROVIDER not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.append(_PROVIDER)
        ir_measures.providers.registry[_PROVIDER.NAME] = _PROVIDER
    for cls in registry:
        for name in (cls.name(), *cls.aliases):
            if name not in theirs.registry or getattr(theirs.registry[name], document_measures.REGISTERED, False):
                theirs.registry[name] = _registered(cls, name)
    ir_measures.parse_trec_measure = _trec_or_registered
    if sys.version_info >= (3, 12):  # where ir_measures reads numbers with deprecated parts of ast, gone since 3.14
        ir_measures.util._ast_to_value = _literal


class _Registered(theirs.Measure):
    """A measure of berrypick as ir_measures has measures; its text is what berrypick evaluates."""

    #: Value of topics that ir_measures adds by itself.
    DEFAULT = math.nan

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)  # type: ignore[no-untyped-call,unused-ignore]
        for name in params:
            if name not in self.SUPPORTED_PARAMS:
                offer = nearest(name, list(self.SUPPORTED_PARAMS))
                what = "takes no cut-off after @" if name == self.AT_PARAM else f"has no parameter {name}{offer}"
                raise UsageError(f"{self.NAME} {what}")

    def aggregator(self) -> Any:
        return _Defined()


setattr(_Registered, document_measures.REGISTERED, True)


_info: Any = theirs.ParamInfo


def _registered(cls: type[Measure], name: str) -> Any:
    # without defaults: ir_measures would leave out a value that is the default, and protocols have other defaults
    parameters = {one.name: _info(desc=one.help) for one in cls.parameters()}
    if cls.cutoff != "none":
        kinds = int if cls.cutoff == "rank" else (int, float)
        parameters["cutoff"] = _info(dtype=kinds, required=cls.cutoff_required, desc="after @")
    facts = {"__name__": name, "NAME": name, "SHORT_DESC": cls.description(), "SUPPORTED_PARAMS": parameters}
    return type(f"_{name}", (_Registered,), {**facts, "__doc__": cls.__doc__, "__module__": __name__})()


class _Defined(theirs.base.Agg):
    """The mean over topics where the measure is defined, to the last digit that of berrypick."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        if not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        found = mean(self.values)
        return math.nan if found is None else found


class _Provider(Provider):
    NAME = "berrypick"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
        self.options: dict[str, Any] = {}

    def supports(self, measure: Any) -> bool:
        if not getattr(measure, document_measures.REGISTERED, False):
            return False
        measure.validate_params()
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        return _Evaluator(list(measures), qrels, self.options)


class _Evaluator(Evaluator):
    def __init__(self, measures: list[Any], qrels: Any, options: dict[str, Any]) -> None:
        self.truth, self.options = as_truth(qrels), options
        super().__init__(measures, list(self.truth.topics))

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        by_text = {specs.normalise(str(measure)): measure for measure in self.measures}
        held = run if hasattr(run, "__len__") else list(run)
        # nothing at all, a mistake elsewhere, is what PyTerrier gives for topics that it has not run
        given = as_run(held if len(held) else {topic: [] for topic in self.truth.topics})
        for row in evaluate(self.truth, [given], list(by_text), **self.options).topic_rows:
            value = math.nan if row.value is None else row.value
            yield Metric(query_id=row.topic, measure=by_text[row.measure], value=value)


def _trec_or_registered(measure: str) -> list[Any]:
    """``parse_trec_measure``, by which PyTerrier reads texts, with the measures of berrypick."""
    name = re.match(r"\s*(\w*)", str(measure))
    ours = name is not None and hasattr(theirs.registry.get(name[1]), document_measures.REGISTERED)
    return [ir_measures.parse_measure(measure)] if ours else _parse_trec_measure(measure)


_parse_trec_measure = ir_measures.parse_trec_measure


def _literal(node: ast.AST) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError("problem parsing measure: values must be str, float, int, bool, etc.") from None


_PROVIDER = _Provider()
