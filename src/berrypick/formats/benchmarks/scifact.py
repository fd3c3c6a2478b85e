"""Scientific claims with evidence sentences in abstracts, and what a system predicts: SciFact."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.data.labels import CONTRADICT, NO_INFO, SUPPORT, Labelled, with_labels
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.formats._records import RunRecords, TruthRecords, one_entry_each
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import (
    Place,
    entries,
    identified,
    place,
    ranked,
    sets_of_places,
    whole_number,
)
from berrypick.formats.benchmarks._predicted_labels import PredictedLabels
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Rows
from berrypick.rows.run_rows import run_of_rows
from berrypick.rows.truth_rows import truth_of_rows

_BY_DOCUMENT = re.compile(r'"evidence"\s*:\s*\{')
_KNOWN = (SUPPORT, CONTRADICT, NO_INFO)
#: What says in gold only, and not in predictions.
_OF_GOLD = frozenset({"claim", "cited_doc_ids"})


class SciFactTruth(TruthRecords):
    """Claims of SciFact, one JSON object per line: ``id``, ``claim``, ``evidence``, ``cited_doc_ids``.

    Evidence has for each abstract a list of rationales, ``sentences`` with a ``label``. The document is the abstract,
    positions count its sentences from 0, and each rationale is a sufficient set. A claim without evidence is a topic
    without an answer. Abstracts that a claim cites were judged as a whole. The label is the field ``verdict`` of the
    topic, if it has one only.

    Sample::

        {"id": 7, "claim": "Jam sets.", "evidence": {"41": [{"sentences": [2, 5], "label": "SUPPORT"}]}}
        {"id": 8, "claim": "Hedges sing.", "evidence": {}, "cited_doc_ids": [42]}
    """

    format_name: ClassVar[str] = "scifact"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ('"evidence"',)
    shape: ClassVar[str] = '{"id": 7, "claim": "...", "evidence": {"41": [{"sentences": [2], "label": "SUPPORT"}]}}'
    json_names: ClassVar[tuple[str, ...]] = ("id", "claim", "evidence", "cited_doc_ids", "sentences")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        names = {*line_names(lines[0])}
        return {"id", "evidence"} <= names and bool(names & _OF_GOLD) and bool(_BY_DOCUMENT.search(lines[0]))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        labels: dict[str, dict[str, Labelled]] = {}
        truth = truth_of_rows(_claims(path, problems, labels), problems, path)
        return with_labels(truth.changed(format=cls.format_name), labels)


def _claims(path: str, problems: Problems, labels: dict[str, dict[str, Labelled]]) -> Rows:
    """The rows of a truth; what is said of abstracts is put to ``labels``."""
    for number, text, value in entries(path, problems, "id"):
        if not identified(value, "id", number, text, problems):
            continue
        groups = _rationales(value.get("evidence"), number, text, problems)
        cited = value.get("cited_doc_ids", [])
        if not isinstance(cited, list) or not all(isinstance(one, (str, int)) for one in cited):
            problems.report("cited_doc_ids must be a list of names", number, text)
            continue
        if groups is None:
            continue
        labels[str(value["id"])] = _by_abstract(groups, problems)
        named = {label for label, _ in groups}
        verdict = {"verdict": named.pop()} if len(named) == 1 else {}
        about = {"topic": value["id"], "question": value.get("claim"), **verdict}
        rows = sets_of_places((places for _, places in groups), problems)
        for row in rows:
            yield number, text, {**about, **row}
        if not rows:
            yield number, text, {**about, "answer": None}
        for document in dict.fromkeys(map(str, cited)):
            yield number, text, {**about, "doc": document, "judged": True}


class SciFactRun(RunRecords):
    """Predictions for SciFact, one JSON object per line: ``id`` and ``evidence``.

    Evidence has for each abstract ``sentences`` and a ``label``. The results of a claim are its sentences, in the order
    of the file; documents and positions as in scifact. Predicted labels are judged by Abstracts.

    Sample::

        {"id": 7, "evidence": {"41": {"sentences": [2, 5, 6], "label": "SUPPORT"}}}
        {"id": 8, "evidence": {}}
    """

    format_name: ClassVar[str] = "scifact-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"evidence"',)
    shape: ClassVar[str] = '{"id": 7, "evidence": {"41": {"sentences": [2], "label": "SUPPORT"}}}'
    json_names: ClassVar[tuple[str, ...]] = ("id", "evidence", "sentences", "label")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        names = {*line_names(lines[0])}
        return {"id", "evidence"} <= names and not names & _OF_GOLD and bool(_BY_DOCUMENT.search(lines[0]))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        labels = PredictedLabels(_KNOWN, problems)
        run = run_of_rows(one_entry_each(_predictions(path, problems, labels), problems), problems, path)
        return run.changed(format=cls.format_name, extra=labels.extra())


def _predictions(path: str, problems: Problems, labels: PredictedLabels) -> Rows:
    """The rows of a run; what is said of abstracts is put to ``labels``."""
    for number, text, value in entries(path, problems, "id"):
        given = value.get("evidence")
        if not identified(value, "id", number, text, problems):
            continue
        if not isinstance(given, Mapping):
            problems.report("evidence must be an object of abstracts", number, text)
            continue
        found: list[Place] = []
        said: dict[str, Labelled] = {}
        for document, one in given.items():
            places = _numbered(document, one, number, text, problems)
            if places is None:
                break
            found += places
            label = labels.read(one.get("label"), number)
            said[document] = Labelled(label, (tuple(int(at or 0) for _, at, _ in places),))
        else:
            labels.of[str(value["id"])] = said
            yield from ranked(number, text, value["id"], found)


def _by_abstract(groups: list[tuple[str, list[Place]]], problems: Problems) -> dict[str, Labelled]:
    """What the gold says of each abstract: one label for all its rationales."""
    found: dict[str, Labelled] = {}
    for label, places in groups:
        for document in dict.fromkeys(name for name, *_ in places):
            known = found.get(document, Labelled(label, ()))
            if known.label != label:
                problems.count("abstracts with rationales of different labels, for which no label is right")
            one = tuple(int(at or 0) for _, at, _ in places)
            found[document] = Labelled(label if known.label == label else "", (*known.sentences, one))
    return found


def _rationales(given: Any, number: int, text: str, problems: Problems) -> list[tuple[str, list[Place]]] | None:
    """Every rationale of a claim with its label."""
    if not isinstance(given, Mapping) or not all(isinstance(one, list) for one in given.values()):
        problems.report("evidence must be an object of abstracts, each with a list", number, text)
        return None
    found: list[tuple[str, list[Place]]] = []
    for document, rationales in given.items():
        for one in rationales:
            places = _numbered(document, one, number, text, problems)
            if places is None:
                return None
            found.append((str(one.get("label", "")), places))
    return found


def _numbered(document: str, given: Any, number: int, text: str, problems: Problems) -> list[Place] | None:
    """The sentences of an abstract; None and a problem if something is wrong with them."""
    sentences = given.get("sentences") if isinstance(given, Mapping) else None
    numbers = [whole_number(one) for one in sentences] if isinstance(sentences, list) else [None]
    if None in numbers:
        problems.report("sentences must be a list of numbers from 0", number, text)
        return None
    return [place(document, one) for one in numbers]
