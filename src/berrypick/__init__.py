"""berrypick: evaluation of retrieval systems that point into documents.

import berrypick as bp
results = bp.evaluate("truth.qrels", ["a.run", "b.run"], "EPRUM PRUM", navigation="clicks.tsv")
results.mean()
bp.eprum([[.4, .4], [.6, .4], [1, 0]])
"""

from berrypick._version import __version__
from berrypick.core.collection import Collection
from berrypick.core.errors import BerrypickError, InputError, UsageError
from berrypick.core.reach import Reach
from berrypick.core.results import Results
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.evaluate import evaluate, explain, read_collection
from berrypick.formats import read_navigation, read_run, read_truth, write
from berrypick.measures._functions import effort_precision, expected_ratio
from berrypick.measures.eprum import eprum
from berrypick.measures.prum import prum

__all__ = [
    "BerrypickError",
    "Collection",
    "InputError",
    "Reach",
    "Results",
    "Run",
    "Truth",
    "UsageError",
    "__version__",
    "effort_precision",
    "eprum",
    "evaluate",
    "expected_ratio",
    "explain",
    "prum",
    "read_collection",
    "read_navigation",
    "read_run",
    "read_truth",
    "write",
]
