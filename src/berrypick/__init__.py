"""berrypick: evaluation of retrieval systems that point into documents.

import berrypick as bp
results = bp.evaluate("truth.qrels", ["a.run", "b.run"], "EPRUM PRUM", navigation="clicks.tsv")
results.mean()
bp.eprum([[.4, .4], [.6, .4], [1, 0]])
"""

from importlib import import_module
from os import listdir
from os.path import dirname
from typing import TYPE_CHECKING, Any

from berrypick._version import __version__
from berrypick.core.errors import BerrypickError, BerrypickWarning, InputError, UsageError

if TYPE_CHECKING:
    from berrypick.addons.adopt.adopt import adopt
    from berrypick.addons.adopt.locate import locate
    from berrypick.addons.adopt.relocate import Relocation, relocate
    from berrypick.addons.assumptions.assumptions import Assumptions
    from berrypick.addons.assumptions.over import Over
    from berrypick.addons.continuation.coverage_measure import coverage_band, coverage_budgets
    from berrypick.addons.diff.difference import Difference, diff
    from berrypick.addons.effort.effort_matrix import effort_precision
    from berrypick.addons.figures.charts import chart_config
    from berrypick.addons.fit.fit import Fit, fit
    from berrypick.addons.ideal.ideal_lists import IdealList, ideal_lists
    from berrypick.addons.integrations.ir_measures_provider import register_ir_measures
    from berrypick.addons.judge.abstention import Abstention, abstention
    from berrypick.addons.judge.agreement import Agreement, agreement
    from berrypick.addons.judge.annotate import annotate
    from berrypick.addons.judge.pool import Pool, pool
    from berrypick.addons.laws import Laws, laws
    from berrypick.addons.page.html_report import write_report
    from berrypick.addons.pages.page_words import read_words
    from berrypick.addons.pages.place import place
    from berrypick.addons.simulate.simulation import Simulation, simulate
    from berrypick.addons.sweep.sweep import Sweep, sweep
    from berrypick.addons.traces.read_traces import read_traces
    from berrypick.addons.traces.write_back import write_back
    from berrypick.addons.trust.correlation import Correlations, correlate
    from berrypick.addons.trust.power import Power, power
    from berrypick.addons.trust.stability import Stability, stability
    from berrypick.comparison.compare import compare
    from berrypick.comparison.comparison import Comparison
    from berrypick.comparison.saved import read_results
    from berrypick.core.collection import Collection
    from berrypick.core.parameters import parameter
    from berrypick.core.reach import Reach
    from berrypick.core.registry import register
    from berrypick.core.results import Note, Results, Signature, concat
    from berrypick.core.run import Run
    from berrypick.core.score import Explanation, Score
    from berrypick.core.truth import Truth
    from berrypick.documents.texts import Texts, read_texts
    from berrypick.evaluation.evaluation import Evaluation
    from berrypick.evaluation.evaluation_context import read_collection
    from berrypick.evaluation.functions import evaluate, explain, judge, score
    from berrypick.formats import read_navigation, read_run, read_truth, write
    from berrypick.formats.base import Format
    from berrypick.inputs.frames import run_from_frame, truth_from_frame
    from berrypick.inputs.objects import run_from_objects
    from berrypick.judging.topic import JudgedTopic
    from berrypick.measures.base import Measure
    from berrypick.measures.matrix_functions import expected_ratio
    from berrypick.measures.readers.eprum import eprum
    from berrypick.measures.readers.prum import prum
    from berrypick.users.base import UserModel

__all__ = [
    "Abstention",
    "Agreement",
    "Assumptions",
    "BerrypickError",
    "BerrypickWarning",
    "Collection",
    "Comparison",
    "Correlations",
    "Difference",
    "Evaluation",
    "Explanation",
    "Fit",
    "Format",
    "IdealList",
    "InputError",
    "JudgedTopic",
    "Laws",
    "Measure",
    "Note",
    "Over",
    "Pool",
    "Power",
    "Reach",
    "Relocation",
    "Results",
    "Run",
    "Score",
    "Signature",
    "Simulation",
    "Stability",
    "Sweep",
    "Texts",
    "Truth",
    "UsageError",
    "UserModel",
    "__version__",
    "abstention",
    "adopt",
    "agreement",
    "annotate",
    "chart_config",
    "compare",
    "concat",
    "correlate",
    "coverage_band",
    "coverage_budgets",
    "diff",
    "effort_precision",
    "eprum",
    "evaluate",
    "expected_ratio",
    "explain",
    "fit",
    "ideal_lists",
    "judge",
    "laws",
    "locate",
    "parameter",
    "place",
    "pool",
    "power",
    "prum",
    "read_collection",
    "read_navigation",
    "read_results",
    "read_run",
    "read_texts",
    "read_traces",
    "read_truth",
    "read_words",
    "register",
    "register_ir_measures",
    "relocate",
    "run_from_frame",
    "run_from_objects",
    "score",
    "simulate",
    "stability",
    "sweep",
    "truth_from_frame",
    "write",
    "write_back",
    "write_report",
]

#: Where each name of the core is defined: a module is imported when one of its names is first used. Add-ons bring
#: theirs by the entry points of berrypick.functions.
_HOMES = {
    "Comparison": "berrypick.comparison.comparison",
    "compare": "berrypick.comparison.compare",
    "read_results": "berrypick.comparison.saved",
    "Collection": "berrypick.core.collection",
    "Explanation": "berrypick.core.score",
    "parameter": "berrypick.core.parameters",
    "Reach": "berrypick.core.reach",
    "register": "berrypick.core.registry",
    "Note": "berrypick.core.results",
    "Results": "berrypick.core.results",
    "Signature": "berrypick.core.results",
    "concat": "berrypick.core.results",
    "Run": "berrypick.core.run",
    "Score": "berrypick.core.score",
    "Truth": "berrypick.core.truth",
    "run_from_frame": "berrypick.inputs.frames",
    "truth_from_frame": "berrypick.inputs.frames",
    "run_from_objects": "berrypick.inputs.objects",
    "Texts": "berrypick.documents.texts",
    "read_texts": "berrypick.documents.texts",
    "Evaluation": "berrypick.evaluation.evaluation",
    "evaluate": "berrypick.evaluation.functions",
    "explain": "berrypick.evaluation.functions",
    "judge": "berrypick.evaluation.functions",
    "score": "berrypick.evaluation.functions",
    "read_collection": "berrypick.evaluation.evaluation_context",
    "read_navigation": "berrypick.formats",
    "read_run": "berrypick.formats",
    "read_truth": "berrypick.formats",
    "write": "berrypick.formats",
    "Format": "berrypick.formats.base",
    "JudgedTopic": "berrypick.judging.topic",
    "expected_ratio": "berrypick.measures.matrix_functions",
    "Measure": "berrypick.measures.base",
    "eprum": "berrypick.measures.readers.eprum",
    "prum": "berrypick.measures.readers.prum",
    "UserModel": "berrypick.users.base",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        value = None if name.startswith("_") or name in _modules() else _from_addon(name)
        if value is None:
            raise AttributeError(f"module 'berrypick' has no attribute {name!r}")
    globals()[name] = value
    return value


def _modules() -> set[str]:
    """Our own modules, which Python asks for as attributes before it imports them."""
    return {entry.partition(".")[0] for entry in listdir(dirname(__file__))}


def _from_addon(name: str) -> Any:
    from berrypick.core.doors import functions

    return functions.find(name)


def __dir__() -> list[str]:
    """Our own names, without those that add-ons have for the core alone, and the functions of other packages."""
    from berrypick.core.doors import functions, own_points

    return sorted({*__all__, *functions.names()} - (own_points("functions").keys() - {*__all__}))
