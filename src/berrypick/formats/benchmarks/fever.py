"""Claims with sets of evidence sentences, and what a system predicts: FEVER."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from berrypick.data.labels import with_labels
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.formats._records import RunRecords, TruthRecords, one_entry_each
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import (
    Place,
    Repeats,
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

NO_INFO = "NOT ENOUGH INFO"
LABELS = ("SUPPORTS", "REFUTES", NO_INFO)
_GROUPS = re.compile(r'"evidence"\s*:\s*\[\s*(\]|\[)')


class FeverTruth(TruthRecords):
    """Claims of FEVER, one JSON object per line: ``id``, ``claim``, ``label``, ``evidence``.

    Evidence is a list of alternative sets, each a list of ``[annotation, evidence, page, line]``. The document is the
    page, and positions count its sentences from 0. A set is enough by itself; sets that hold the same sentences are
    one. A claim with the label NOT ENOUGH INFO is a topic without an answer; for any other claim without evidence
    nothing is judged. The label is the field ``verdict`` of the topic. A second claim with the same id is called
    ``ID/2``.

    Sample::

        {"id": 7, "claim": "Brambles fruit in June.", "label": "REFUTES", "evidence": [[[1, 1, "Bramble", 4]]]}
        {"id": 8, "claim": "Hedges sing.", "label": "NOT ENOUGH INFO", "evidence": [[[2, null, null, null]]]}
    """

    format_name: ClassVar[str] = "fever"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ('"claim"',)
    shape: ClassVar[str] = '{"id": 7, "claim": "...", "label": "SUPPORTS", "evidence": [[[1, 1, "Page", 4]]]}'
    json_names: ClassVar[tuple[str, ...]] = ("id", "claim", "label", "evidence", "verifiable")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        names = line_names(lines[0])
        return {"label", "evidence"} <= {*names} and "claim" in names and _GROUPS.search(lines[0]) is not None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        return with_verdicts(super().read(path, problems))

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        names = Repeats(problems, "claims")
        for number, text, value in entries(path, problems, "id"):
            label = str(value.get("label", "")).upper()
            if not identified(value, "id", number, text, problems):
                continue
            if label not in LABELS:
                what = f"label must be one of {', '.join(LABELS)}, not {value.get('label')!r:.40}"
                problems.report(what, number, text)
                continue
            about = {"topic": names.name(value["id"]), "question": value.get("claim"), "verdict": label}
            if label == NO_INFO:
                yield number, text, {**about, "answer": None}
                continue
            groups = _sets(value.get("evidence"), number, text, problems)
            if groups is None:
                continue
            rows = sets_of_places(groups, problems)
            if not rows:
                problems.count("claims without evidence, not judged")
                yield number, text, {**about, "judged": False}
            for row in rows:
                yield number, text, {**about, **row}


class FeverRun(RunRecords):
    """Predictions for FEVER, one JSON object per line: ``id`` and ``predicted_evidence``.

    Predicted evidence is a list of ``[page, line]``, the best first; documents and positions as in fever. Predicted
    labels are judged by Verified.

    Sample::

        {"id": 7, "predicted_label": "REFUTES", "predicted_evidence": [["Bramble", 4], ["Hedge", 0]]}
        {"id": 8, "predicted_label": "NOT ENOUGH INFO", "predicted_evidence": []}
    """

    format_name: ClassVar[str] = "fever-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"predicted_evidence"',)
    shape: ClassVar[str] = '{"id": 7, "predicted_label": "SUPPORTS", "predicted_evidence": [["Page", 4]]}'
    json_names: ClassVar[tuple[str, ...]] = ("id", "predicted_label", "predicted_evidence")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return "predicted_evidence" in line_names(lines[0])

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        labels = PredictedLabels(LABELS, problems)
        run = run_of_rows(one_entry_each(_predictions(path, problems, labels), problems), problems, path)
        return run.changed(format=cls.format_name, extra=labels.extra())


def _predictions(path: str, problems: Problems, labels: PredictedLabels) -> Rows:
    """The rows of a run; predicted labels are put to ``labels``."""
    names = Repeats(problems, "claims")
    for number, text, value in entries(path, problems, "id"):
        if not identified(value, "id", number, text, problems):
            continue
        found = _sentences(value.get("predicted_evidence"), number, text, problems)
        if found is not None:
            topic = names.name(value["id"])
            labels.of[str(topic)] = labels.read(value.get("predicted_label"), number)
            yield from ranked(number, text, topic, found)


def with_verdicts(truth: Truth) -> Truth:
    """The truth with the labels of its claims, which are a field of topics, beside their evidence."""
    verdicts = truth.fields.get("verdict")
    return truth if verdicts is None else with_labels(truth, verdicts.values)


def _sets(given: Any, number: int, text: str, problems: Problems) -> list[list[Place]] | None:
    """The sets of a claim, as places; None and a problem if something is wrong with one."""
    if not isinstance(given, list) or not all(isinstance(group, list) for group in given):
        problems.report("evidence must be a list of sets, each a list", number, text)
        return None
    groups: list[list[Place]] = []
    for group in given:
        if not all(isinstance(one, list) and len(one) == 4 for one in group):
            problems.report("evidence must be [annotation, evidence, page, line]", number, text)
            return None
        places = [_sentence(page, line) for _, _, page, line in group]
        if None in places:
            remedy = "evidence of a claim that is not NOT ENOUGH INFO has a page and the number of a line"
            problems.report("evidence has no place", number, text, remedy)
            return None
        groups.append([one for one in places if one is not None])
    return groups


def _sentences(given: Any, number: int, text: str, problems: Problems) -> list[Place] | None:
    if not isinstance(given, list) or not all(isinstance(one, list) and len(one) == 2 for one in given):
        problems.report("predicted_evidence must be a list of [page, line]", number, text)
        return None
    places = [_sentence(page, line) for page, line in given]
    if None in places:
        problems.report("predicted_evidence must have the text of a page and the number of a line", number, text)
        return None
    return [one for one in places if one is not None]


def _sentence(page: Any, line: Any) -> Place | None:
    at = whole_number(line)
    return place(page, at) if isinstance(page, str) and page and at is not None else None
