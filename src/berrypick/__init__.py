"""berrypick: evaluation of retrieval systems that point into documents.

import berrypick as bp
results = bp.evaluate("truth.qrels", ["a.run", "b.run"], "EPRUM PRUM", navigation="clicks.tsv")
results.mean()
bp.eprum([[.4, .4], [.6, .4], [1, 0]])
"""

from berrypick._version import __version__
from berrypick.analysis.compare import Comparison, compare
from berrypick.analysis.difference import Difference, diff
from berrypick.analysis.sweep import Sweep, sweep
from berrypick.core.collection import Collection
from berrypick.core.errors import BerrypickError, InputError, UsageError
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
