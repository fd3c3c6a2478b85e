"""berrypick: evaluation of retrieval systems that point into documents.

import berrypick as bp
results = bp.evaluate("truth.qrels", ["a.run", "b.run"], "EPRUM PRUM", navigation="clicks.tsv")
results.mean()
bp.eprum([[.4, .4], [.6, .4], [1, 0]])
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: F401 (what everything needs, so that its time is spent here)

from berrypick._version import __version__
from berrypick.core.errors import BerrypickError, InputError, UsageError

if TYPE_CHECKING:
    from berrypick.analysis.compare import Comparison, compare
    from berrypick.analysis.difference import Difference, diff
    from berrypick.analysis.sweep import Sweep, sweep
    from berrypick.core.collection import Collection
    from berrypick.core.explanation import Explanation
    from berrypick.core.judged import Judged
    from berrypick.core.reach import Reach
    from berrypick.core.results import Results
    from berrypick.core.run import Run
    from berrypick.core.truth import Truth
    from berrypick.corpus.frames import run_from_frame, truth_from_frame
    from berrypick.corpus.locate import locate
    from berrypick.corpus.objects import run_from_objects
    from berrypick.corpus.texts import Texts, read_texts
    from berrypick.evaluate import evaluate, explain, judge
    from berrypick.formats import read_navigation, read_run, read_truth, write
    from berrypick.measures._functions import effort_precision, expected_ratio
    from berrypick.measures.coverage import coverage_band, coverage_budgets
    from berrypick.measures.eprum import eprum
    from berrypick.measures.prum import prum
    from berrypick.report.page import write_report
    from berrypick.setting import read_collection

__all__ = [
    "BerrypickError",
    "Collection",
    "Comparison",
    "Difference",
    "Explanation",
    "InputError",
    "Judged",
    "Reach",
    "Results",
    "Run",
    "Sweep",
    "Texts",
    "Truth",
    "UsageError",
    "__version__",
    "compare",
    "coverage_band",
    "coverage_budgets",
    "diff",
    "effort_precision",
    "eprum",
    "evaluate",
    "expected_ratio",
    "explain",
    "judge",
    "locate",
    "prum",
    "read_collection",
    "read_navigation",
    "read_run",
    "read_texts",
    "read_truth",
    "run_from_frame",
    "run_from_objects",
    "sweep",
    "truth_from_frame",
    "write",
    "write_report",
]

#: Where the rest lives: a module is imported when something of it is first asked for.
_HOMES = {
    # of berrypick.analysis, with what writes them down
    "Comparison": "berrypick.report.comparison",
    "compare": "berrypick.report.comparison",
    "Difference": "berrypick.report.comparison",
    "diff": "berrypick.report.comparison",
    "Sweep": "berrypick.report.comparison",
    "sweep": "berrypick.report.comparison",
    # with what shows them in notebooks
    "Explanation": "berrypick.report.notebook",
    "Judged": "berrypick.report.notebook",
    "Results": "berrypick.report.notebook",
    "evaluate": "berrypick.report.notebook",
    "explain": "berrypick.report.notebook",
    "judge": "berrypick.report.notebook",
    "Collection": "berrypick.core.collection",
    "Reach": "berrypick.core.reach",
    "Run": "berrypick.core.run",
    "Truth": "berrypick.core.truth",
    "run_from_frame": "berrypick.corpus.frames",
    "truth_from_frame": "berrypick.corpus.frames",
    "locate": "berrypick.corpus.locate",
    "run_from_objects": "berrypick.corpus.objects",
    "Texts": "berrypick.corpus.texts",
    "read_texts": "berrypick.corpus.texts",
    "read_collection": "berrypick.setting",
    "read_navigation": "berrypick.formats",
    "read_run": "berrypick.formats",
    "read_truth": "berrypick.formats",
    "write": "berrypick.formats",
    "effort_precision": "berrypick.measures._functions",
    "expected_ratio": "berrypick.measures._functions",
    "coverage_band": "berrypick.measures.coverage",
    "coverage_budgets": "berrypick.measures.coverage",
    "eprum": "berrypick.measures.eprum",
    "prum": "berrypick.measures.prum",
    "write_report": "berrypick.report.page",
}


class _Package(ModuleType):
    """This package. ``evaluate`` is the function also once its module of the same name has been imported, which
    would otherwise take the name."""

    @property
    def evaluate(self) -> Any:
        return import_module("berrypick.report.notebook").evaluate

    @evaluate.setter
    def evaluate(self, module: Any) -> None:
        pass


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'berrypick' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


sys.modules[__name__].__class__ = _Package
