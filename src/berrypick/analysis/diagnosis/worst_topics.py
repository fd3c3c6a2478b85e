"""The topics with the worst values, each with its question and the passages that were expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from berrypick.analysis.diagnosis.diagnosis_tables import in_a_cell, place_of, place_text, text_of
from berrypick.analysis.diagnosis.holdings import Holdings
from berrypick.data.errors import one_line
from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.inputs.titles import titles_of
from berrypick.tables.tabular import shown

#: Number of expected passages of one topic that a table shows.
MOST_PASSAGES = 10


class Expected(NamedTuple):
    """A passage that a topic expects: its place, its text where that is known, and the ranks that overlap it."""

    target: Mapping[str, Any]
    text: str | None
    ranks: tuple[int, ...]

    @property
    def cells(self) -> list[str]:
        """The place and the start of the text as cells of a table."""
        return [place_text(self.target), in_a_cell(self.text)]

    @property
    def found_at(self) -> str:
        """The ranks in one text."""
        return ", ".join(map(str, self.ranks)) or "-"


class WorstTopic(NamedTuple):
    """One of the worst topics of a run: its number among them, from 1, its question, and what it expects."""

    number: int
    question: str | None
    expected: list[Expected]

    def record(self) -> dict[str, Any]:
        """The fields of its rows in JSON."""
        return {"worst": self.number, "question": self.question, "expected": [one._asdict() for one in self.expected]}

    def row(self) -> dict[str, Any]:
        """The columns of its rows in a table of plain values, with every expected passage in one."""
        expected = "; ".join(": ".join(cell for cell in one.cells if cell) for one in self.expected)
        return {"worst": self.number, "question": self.question, "expected": expected}


def expected_passages(evaluation: Evaluation, run: str, topic: str) -> list[Expected]:
    """Return what a topic expects, in the order of the truth."""
    judged, reader = evaluation.judge(run, topic), evaluation.context.reader
    targets, held = judged.targets, Holdings(judged.ranking, judged.targets, share=0.0)  # any overlap counts
    return [
        Expected(place_of(targets, x), text_of(targets, x, reader), held.sighting(x).ranks) for x in range(len(targets))
    ]


def worst_topics(evaluation: Evaluation, results: Results, n: int) -> dict[tuple[str, str], WorstTopic]:
    """Return the n worst topics of each run by the first measure, worst first, by run and topic."""
    questions = titles_of(evaluation.truth)
    return {
        (run, topic): WorstTopic(number, questions.get(topic), expected_passages(evaluation, run, topic))
        for run in results.runs
        for number, topic in enumerate(results.worst(n, run=run), 1)
    }


def worst_tables(
    worst: Mapping[tuple[str, str], WorstTopic], results: Results, places: int | None = None
) -> list[Table]:
    """A table for each run: its worst topics by the first measure, a row for each expected passage."""
    measure, values = results.measures[0], results.per_topic()
    found = []
    for run in results.runs:
        rows = []
        for topic, one in ((topic, one) for (name, topic), one in worst.items() if name == run):
            value = shown(values[run][measure][topic], 4 if places is None else places)
            for i, (place, _, text) in enumerate(_first(one.expected) or [["", "", ""]]):
                rows.append([*([topic, value, in_a_cell(one.question)] if not i else [""] * 3), place, text])
        head = ["topic", measure, "question", "expected", "text"]
        found.append(Table(f"{run}: the worst topics by {measure}", head, rows, "<><<<"))
    return found


def question_and_passages(evaluation: Evaluation, run: str, topic: str) -> list[str | Table]:
    """Return what a person needs to know before the working of a number: the question, and what was expected where."""
    question = titles_of(evaluation.truth).get(topic)
    parts: list[str | Table] = [f"Question: {' '.join(question.split())}"] if question else []
    rows = _first(expected_passages(evaluation, run, topic))
    if not rows:
        return parts
    head = ["expected", "ranks that overlap it", "text"][: 3 if any(row[2] for row in rows) else 2]
    return [*parts, Table("What was expected", head, [row[: len(head)] for row in rows], "<<<"[: len(head)])]


def question_and_places(evaluation: Evaluation, run: str, topic: str) -> tuple[str, list[str]]:
    """Return the question of a topic in one line, and a line for each passage that it expects."""
    rows = _first(expected_passages(evaluation, run, topic), 3)
    lines = [f"{place}{f': {text}' if text else ''}" for place, _, text in rows]
    return in_a_cell(titles_of(evaluation.truth).get(topic)), [one_line(line) for line in lines]


def _first(passages: list[Expected], most: int = MOST_PASSAGES) -> list[list[str]]:
    """Place, ranks and text of the first passages, with a last row that counts the others."""
    rows = [[one.cells[0], one.found_at, one.cells[1]] for one in passages[:most]]
    if rest := passages[most:]:
        rows.append([f"and {len(rest)} more, {sum(bool(one.ranks) for one in rest)} of them in results", "-", ""])
    return rows
