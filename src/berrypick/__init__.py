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
    from berrypick.core.reach import Reach
    from berrypick.core.results import Results
    from berrypick.core.run import Run
    from berrypick.core.truth import Truth
    from berrypick.corpus.frames import run_from_frame, truth_from_frame
    from berrypick.corpus.locate import locate
    from berrypick.corpus.objects import run_from_objects
    from berrypick.corpus.texts import Texts, read_texts
    from berrypick.evaluate import evaluate, explain, read_collection
    from berrypick.formats import read_navigation, read_run, read_truth, write
    from berrypick.measures._functions import effort_precision, expected_ratio
    from berrypick.measures.coverage import coverage_band, coverage_budgets
    from berrypick.measures.eprum import eprum
    from berrypick.measures.prum import prum

__all__ = [
    "BerrypickError",
    "Collection",
    "Comparison",
    "Difference",
    "InputError",
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
    "Collection": "berrypick.core.collection",
    "Reach": "berrypick.core.reach",
    "Results": "berrypick.core.results",
    "Run": "berrypick.core.run",
    "Truth": "berrypick.core.truth",
    "run_from_frame": "berrypick.corpus.frames",
    "truth_from_frame": "berrypick.corpus.frames",
    "locate": "berrypick.corpus.locate",
    "run_from_objects": "berrypick.corpus.objects",
    "Texts": "berrypick.corpus.texts",
    "read_texts": "berrypick.corpus.texts",
    "evaluate": "berrypick.evaluate",
    "explain": "berrypick.evaluate",
    "read_collection": "berrypick.evaluate",
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
}


class _Package(ModuleType):
    """This package. ``evaluate`` is the function also once its module of the same name has been imported, which
    would otherwise take the name."""

    @property
    def evaluate(self) -> Any:
        return import_module("berrypick.evaluate").evaluate

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
