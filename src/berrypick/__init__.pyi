"""The public names of berrypick, each written once: lazy_loader imports them when they are first used."""

from ._version import __version__
from .analysis.abstention import Abstention, abstention
from .analysis.assumptions.assumptions import Assumptions
from .analysis.assumptions.over import Over
from .analysis.citations import bibtex
from .analysis.comparison.compare import compare
from .analysis.comparison.comparison import Comparison
from .analysis.comparison.difference import Difference, diff
from .analysis.comparison.saved import read_results
from .analysis.diagnosis.diagnosis import Diagnosis, diagnose
from .analysis.explain import explain
from .analysis.fit.fit import Fit, fit
from .analysis.ideal_lists import IdealList, ideal_lists
from .analysis.ledger.history import History, history
from .analysis.retrieved_said import retrieved_said
from .analysis.simulation.simulation import Simulation, simulate
from .analysis.sweep.sweep import Sweep, sweep
from .analysis.trust.correlation import Correlations, correlate
from .analysis.trust.power import Power, power
from .analysis.trust.stability import Stability, stability
from .data.collection import Collection
from .data.errors import BerrypickError, BerrypickWarning, InputError, UsageError
from .data.parameters import parameter
from .data.reach import Reach
from .data.results import Note, Results, concat
from .data.run import Run
from .data.score import Explanation, Score
from .data.signature import Signature
from .data.truth import Truth
from .documents.pages.page_words import read_words
from .documents.texts import Texts, read_texts
from .evaluation.evaluation import Evaluation
from .evaluation.evaluation_context import read_collection
from .evaluation.functions import evaluate, judge, score
from .formats import read_navigation, read_run, read_truth, write
from .formats.base import Format
from .given.read_traces import read_traces
from .inputs.frames import run_from_frame, truth_from_frame
from .inputs.objects import run_from_objects
from .integrations.ir_measures_provider import register_ir_measures
from .integrations.write_back import write_back
from .judgements.adopt.adopt import adopt
from .judgements.agreement import Agreement, agreement
from .judgements.annotate import annotate
from .judgements.locate import locate
from .judgements.place import place
from .judgements.pool import Pool, pool
from .judgements.relocate import Relocation, relocate
from .measures._matrix_functions import expected_ratio
from .measures.base import Measure
from .measures.readers._effort_matrix import effort_precision
from .measures.readers._eprum_of_matrix import eprum
from .measures.readers.prum import prum
from .registry.registry import register
from .report.html.html_report import write_report
from .testing import Laws, laws
from .testing.conformance.conformance import Conformance, conformance
from .topics.topic import JudgedTopic
from .tracks.official import TrackResults, track
from .tracks.submissions import TrackCheck, check_track
from .users.base import UserModel

__all__ = [
    "Abstention",
    "Agreement",
    "Assumptions",
    "BerrypickError",
    "BerrypickWarning",
    "Collection",
    "Comparison",
    "Conformance",
    "Correlations",
    "Diagnosis",
    "Difference",
    "Evaluation",
    "Explanation",
    "Fit",
    "Format",
    "History",
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
    "TrackCheck",
    "TrackResults",
    "Truth",
    "UsageError",
    "UserModel",
    "__version__",
    "abstention",
    "adopt",
    "agreement",
    "annotate",
    "bibtex",
    "check_track",
    "compare",
    "concat",
    "conformance",
    "correlate",
    "diagnose",
    "diff",
    "effort_precision",
    "eprum",
    "evaluate",
    "expected_ratio",
    "explain",
    "fit",
    "history",
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
    "retrieved_said",
    "run_from_frame",
    "run_from_objects",
    "score",
    "simulate",
    "stability",
    "sweep",
    "track",
    "truth_from_frame",
    "write",
    "write_back",
    "write_report",
]
