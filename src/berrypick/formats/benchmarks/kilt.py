"""Knowledge-intensive questions with provenance in Wikipedia, and what a system predicts: KILT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import (
    Place,
    entries,
    identified,
    ranked,
    sets_of_places,
    whole_number,
)
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Rows

#: A question: its line, the line as it is shown, its object, the places of each of its outputs.
_Question = tuple[int, str, dict[str, Any], list[list[Place]]]


class KiltTruth(TruthRecords):
    """Gold of KILT, one JSON object per line: ``id``, ``input``, and ``output`` with its ``provenance``.

    Each output is an alternative answer: all of its provenance together is a sufficient set, and sets that hold the
    same places are one. The document is ``wikipedia_id``. Positions count paragraphs, ``start_paragraph_id`` to
    ``end_paragraph_id``, where all provenance of the file has them; else whole pages are judged. Characters in
    paragraphs are not read. Outputs without provenance have no set; for a question without any, nothing is judged.

    Sample::

        {"id": 7, "input": "What sets?", "output": [{"answer": "Jam", "provenance": [{"wikipedia_id": "41"}]}]}
        {"id": 8, "input": "What sings?", "output": [{"provenance": [{"wikipedia_id": "42"}, {"wikipedia_id": "43"}]}]}
    """

    format_name: ClassVar[str] = "kilt"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ('"provenance"',)
    shape: ClassVar[str] = '{"id": 7, "input": "...", "output": [{"provenance": [{"wikipedia_id": "41"}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("id", "input", "output", "provenance", "wikipedia_id")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value, outputs in _of_one_kind(_questions(path, problems), problems):
            about = {"topic": value["id"], "question": value.get("input")}
            groups = [places for places in outputs if places]
            if len(outputs) > len(groups):
                problems.count("outputs without provenance, no sets", len(outputs) - len(groups))
            rows = sets_of_places(groups, problems)
            if not rows:
                problems.count("questions without provenance, not judged")
                yield number, text, {**about, "judged": False}
            for row in rows:
                yield number, text, {**about, **row}


class KiltRun(RunRecords):
    """Predictions for KILT, one JSON object per line: ``id``, and ``output`` with one ranked ``provenance``.

    The results of a question are the provenance of its only output, the best first; documents and positions as in kilt.

    Sample::

        {"id": 7, "output": [{"answer": "Jam", "provenance": [{"wikipedia_id": "41"}, {"wikipedia_id": "40"}]}]}
        {"id": 8, "output": [{"provenance": []}]}
    """

    format_name: ClassVar[str] = "kilt-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"provenance"',)
    shape: ClassVar[str] = '{"id": 7, "output": [{"provenance": [{"wikipedia_id": "41"}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("id", "output", "provenance", "wikipedia_id")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value, outputs in _of_one_kind(_questions(path, problems), problems):
            if len(outputs) > 1:
                what = f"a prediction has one output, not {len(outputs)}"
                problems.report(what, number, text, "the truth comes first, then the runs")
                continue
            yield from ranked(number, text, value["id"], outputs[0] if outputs else [])


def _looks(lines: list[str]) -> bool:
    return {"id", "output"} <= {*line_names(lines[0])} and any('"provenance"' in line for line in lines)


def _questions(path: str, problems: Problems) -> Iterator[_Question]:
    for number, text, value in entries(path, problems, "id"):
        outputs = value.get("output")
        if not identified(value, "id", number, text, problems):
            continue
        if not isinstance(outputs, list) or not all(isinstance(one, Mapping) for one in outputs):
            problems.report("output must be a list of objects", number, text)
            continue
        found = [_provenance(one.get("provenance", []), number, text, problems) for one in outputs]
        if None not in found:
            yield number, text, value, [places for places in found if places is not None]


def _provenance(given: Any, number: int, text: str, problems: Problems) -> list[Place] | None:
    """The places of one output; None and a problem if something is wrong with one."""
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        problems.report("provenance must be a list of objects", number, text)
        return None
    places = [_place(one) for one in given]
    if None in places:
        what = "provenance must have a wikipedia_id, and paragraphs from 0, the last not before the first"
        problems.report(what, number, text)
        return None
    return [one for one in places if one is not None]


def _place(given: Mapping[str, Any]) -> Place | None:
    page, first, last = (given.get(name) for name in ("wikipedia_id", "start_paragraph_id", "end_paragraph_id"))
    if isinstance(page, bool) or not isinstance(page, (str, int)) or not str(page).strip():
        return None
    if first is None and last is None:
        return str(page).strip(), None, None
    start, end = whole_number(first), whole_number(first if last is None else last)
    return None if start is None or end is None or end < start else (str(page).strip(), start, end + 1)


def _of_one_kind(questions: Iterator[_Question], problems: Problems) -> Iterator[_Question]:
    """Whole pages throughout, where some provenance has no paragraphs."""
    held = list(questions)
    known = [where[1] is not None for *_, outputs in held for places in outputs for where in places]
    if all(known):
        yield from held
        return
    if any(known):
        problems.count("paragraphs beside provenance of whole pages, read as their pages", sum(known))
    for number, text, value, outputs in held:
        yield number, text, value, [[(where[0], None, None) for where in places] for places in outputs]
