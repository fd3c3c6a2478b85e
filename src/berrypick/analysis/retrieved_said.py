"""What was retrieved against what was said: nuggets that spans state, and what an answer makes of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from berrypick.data.errors import BerrypickWarning, UsageError
from berrypick.data.exchange import Kind
from berrypick.data.results import Note
from berrypick.data.run import Run
from berrypick.data.score import Table
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import unique_names
from berrypick.evaluation.functions import evaluate
from berrypick.evaluation.notes import skipped_notes
from berrypick.evaluation.options import EvaluationKeywords, takes_options
from berrypick.evaluation.run_inputs import refuse_foreign
from berrypick.files.files import file_name
from berrypick.formats.answers.nugget_files import NUGGETS
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import span_records
from berrypick.given.convert import RunsLike, as_runs
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.json_lines import Fields
from berrypick.rows.truth_rows import truth_of_rows
from berrypick.tables.tabular import Tabular

if TYPE_CHECKING:
    from typing_extensions import Unpack

COUNTS = ("retrieved_and_said", "retrieved_and_lost", "said_not_retrieved", "neither")
_ASKED = "every line has topic, doc, start, end and nugget: the text of the nugget that the span states"


@dataclass(frozen=True)
class NuggetFate:
    """One nugget in one run: whether a span that states it was retrieved, and whether the answer says it."""

    run: str
    topic: str
    nugget: str
    retrieved: bool
    said: bool

    @property
    def kind(self) -> str:
        """Which of the four it is."""
        return COUNTS[2 * (not self.retrieved) + (not self.said)]


@dataclass(frozen=True)
class RetrievedSaid(Tabular):
    """Four counts a run: nuggets retrieved and said, retrieved and lost, said without being retrieved, neither.

    Attributes
    ----------
    fates
        Every nugget of every run: ``run``, ``topic``, ``nugget``, ``retrieved``, ``said``.
    notes
        What was left out or assumed.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> from berrypick.analysis.retrieved_said import RetrievedSaid
    >>> folder = tempfile.mkdtemp()
    >>> stated, said = os.path.join(folder, "stated.jsonl"), os.path.join(folder, "said.jsonl")
    >>> with open(stated, "w") as file:
    ...     _ = file.write('{"topic": "1", "doc": "d", "start": 0, "end": 9, "nugget": "ripe ones are sweet"}')
    >>> with open(said, "w") as file:
    ...     _ = file.write('{"qid": "1", "nuggets": [{"text": "ripe ones are sweet", "assignment": "not_support"}]}')
    >>> found = bp.retrieved_said(stated, {"1": {"d#0-20": 1}}, said)
    >>> isinstance(found, RetrievedSaid), found.records()[0]["retrieved_and_lost"]
    (True, 1)
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {"run": "text", **dict.fromkeys(COUNTS, "count")}

    fates: tuple[NuggetFate, ...]
    notes: Sequence[Note] = field(default=())

    def records(self) -> list[dict[str, Any]]:
        runs = dict.fromkeys(one.run for one in self.fates)
        return [
            {"run": run, **{name: sum(one.kind == name for one in self.fates if one.run == run) for name in COUNTS}}
            for run in runs
        ]

    def tables(self, places: int = 4) -> list[Table]:
        header = ["run", *(name.replace("_", " ") for name in COUNTS)]
        rows = [[str(cell) for cell in one.values()] for one in self.records()]
        return [Table("Nuggets that spans state", header, rows)]


@takes_options
def retrieved_said(
    stated: str | PathLike[str],
    runs: RunsLike,
    assigned: RunsLike,
    *,
    share: float = 0.5,
    iou: float | None = None,
    at: int | None = None,
    only_support: bool = False,
    **options: Unpack[EvaluationKeywords],
) -> RetrievedSaid:
    """Count nuggets by whether they were retrieved, and whether the answer says them.

    Parameters
    ----------
    stated : str or path
        Spans that state nuggets: JSON Lines with topic, doc, start, end and nugget, its text. A nugget may have
        several lines.
    runs : RunsLike
        What systems retrieved.
    assigned : RunsLike
        Nuggets in their answers, in the same order: files of assignments.
    share : float
        The minimum share of a span that the results must cover together.
    iou : float, optional
        Instead of share: the minimum intersection over union of one result and a span.
    at : int, optional
        Only this many first results count.
    only_support : bool
        Whether partly supported nuggets count as not said.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    RetrievedSaid
        Four counts per run, and the outcome for every nugget.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> stated, said = os.path.join(folder, "stated.jsonl"), os.path.join(folder, "said.jsonl")
    >>> with open(stated, "w") as file:
    ...     _ = file.write('{"topic": "1", "doc": "d", "start": 0, "end": 9, "nugget": "ripe ones are sweet"}')
    >>> with open(said, "w") as file:
    ...     _ = file.write('{"qid": "1", "nuggets": [{"text": "ripe ones are sweet", "assignment": "support"}]}')
    >>> bp.retrieved_said(stated, {"1": {"d#50-70": 1}}, said).records()[0]["said_not_retrieved"]
    1
    """
    layers = _layers(file_name(stated))
    found, answers = as_runs(runs), as_runs(assigned)
    if len(found) != len(answers):
        raise UsageError(
            f"{counted(len(found), 'run')} and {counted(len(answers), 'file')} of assignments: give as many"
        )
    match = f"share={share!r}" if iou is None else f"iou={iou!r}"
    measure = f"spanHit({match})" + ("" if at is None else f"@{at}")
    fates: list[NuggetFate] = []
    notes: list[Note] = []
    names = unique_names([(run.tag, run.source) for run in found])
    named = {(topic, nugget) for layer in layers for topic, nugget in layer.nuggets.items()}
    for name, run, answer in zip(names, found, answers, strict=True):
        if options.get("strict"):
            refuse_foreign(answer)
        said, told = _said(answer, only_support)
        notes += [replace(note, run=name) for note in skipped_notes(answer)]
        notes += [Note("nuggets", text, run=name) for text in (*_unmatched(named, told), *_unknown(layers, run))]
        for layer in layers:
            hits = layer.hits(run, measure, options)
            fates += [NuggetFate(name, topic, nugget, hits.get(topic, False), (topic, nugget) in said)
                      for topic, nugget in layer.nuggets.items()]  # fmt: skip
    return RetrievedSaid(tuple(fates), tuple(notes))


@dataclass(frozen=True)
class _Layer:
    """One nugget of each topic, with the spans that state it as a truth."""

    nuggets: Mapping[str, str]
    truth: Truth

    def hits(self, run: Run, measure: str, options: Any) -> dict[str, bool]:
        """Whether a span of each topic's nugget was retrieved."""
        if not any(topic in run for topic in self.nuggets):
            return dict.fromkeys(self.nuggets, False)
        with warnings.catch_warnings():  # one nugget may be stated in documents that the run does not have
            warnings.simplefilter("ignore", BerrypickWarning)
            (values,) = evaluate(self.truth, run, measure, **options).per_topic().values()
        return {topic: bool(value) for topic, value in values[measure].items()}


def _layers(path: str) -> list[_Layer]:
    """The nuggets of a file: the first of each topic, the second of each ..."""
    problems = Problems(path)
    places: dict[str, dict[str, int]] = {}
    rows: list[list[tuple[int, str, dict[str, Any]]]] = []
    for number, text, value in span_records(path, problems, FieldParser("truth")):
        fields = Fields(number, text, value, problems)
        nugget = value.get("nugget")
        if not isinstance(nugget, str) or not nugget.strip():
            fields.fail("nugget is missing", _ASKED)
        held = places.setdefault(fields.name("topic"), {})
        place = held.setdefault(str(nugget), len(held))
        if place == len(rows):
            rows.append([])
        rows[place].append((number, text, {key: one for key, one in value.items() if key != "nugget"}))
    found = []
    for place, some in enumerate(rows):
        truth = truth_of_rows(some, problems, path)
        if truth.units != "spans":
            problems.report("nuggets need spans, not whole documents", some[0][0], remedy=_ASKED)
        names = {topic: nugget for topic, held in places.items() for nugget, at in held.items() if at == place}
        found.append(_Layer(names, truth))
    if not found:
        problems.report("holds no spans", remedy=_ASKED)
    return found


def _said(answer: Run, only_support: bool) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The nuggets that an answer says, and all that it was asked for."""
    if NUGGETS not in answer.of_topics.extra:
        raise UsageError(f"{answer.source or answer.tag or 'the run'} has no nuggets; give a file of assignments")
    every = [(topic, one) for topic, held in answer.of_topics.extra[NUGGETS].items() for one in held]
    enough = ("support",) if only_support else ("support", "partial_support")
    said = {(topic, one.text) for topic, one in every if one.assignment in enough}
    return said, {(topic, one.text) for topic, one in every}


def _unmatched(stated: set[tuple[str, str]], assigned: set[tuple[str, str]]) -> list[str]:
    """Sentences on nuggets that only one side has."""
    if stated.isdisjoint(assigned):
        raise UsageError("no nugget of the spans is one of the assignments: both name a nugget by its text")
    bare, unplaced = len(stated - assigned), len(assigned - stated)
    told = [f"{counted(bare, 'nugget')} without an assignment, counted as not said"] if bare else []
    return [*told, *([f"{counted(unplaced, 'nugget')} that no span states, skipped"] if unplaced else [])]


def _unknown(layers: Sequence[_Layer], run: Run) -> list[str]:
    """A sentence where no span lies in a document of the run: most likely the two name documents differently."""
    names = {name for layer in layers for topic in layer.truth.topics.values() for name in topic.documents()}
    return [] if run.has_any_document(sorted(names)) else ["none of the run's documents states a nugget"]
