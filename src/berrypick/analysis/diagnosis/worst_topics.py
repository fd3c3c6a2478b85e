"""The topics with the worst values, each with its question and the passages that were expected."""

from __future__ import annotations

from typing import NamedTuple

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

    place: str
    text: str
    ranks: tuple[int, ...]

    @property
    def found_at(self) -> str:
        """The ranks in one text."""
        return ", ".join(map(str, self.ranks)) or "-"


def expected_passages(evaluation: Evaluation, run: str, topic: str) -> list[Expected]:
    """Return what a topic expects, in the order of the truth."""
    judged, reader = evaluation.judge(run, topic), evaluation.context.reader
    targets, held = judged.targets, Holdings(judged.ranking, judged.targets, share=0.0)  # any overlap counts
    return [
        Expected(place_text(place_of(targets, x)), in_a_cell(text_of(targets, x, reader)), held.sighting(x).ranks)
        for x in range(len(targets))
    ]


def worst_tables(evaluation: Evaluation, results: Results, n: int, places: int | None = None) -> list[Table]:
    """A table for each run: its n worst topics by the first measure, a row for each expected passage."""
    measure, questions = results.measures[0], titles_of(evaluation.truth)
    found = []
    for run in results.runs:
        values = results.per_topic().get(run, {}).get(measure, {})
        rows = []
        for topic in results.worst(n, run=run):
            value, question = shown(values[topic], 4 if places is None else places), in_a_cell(questions.get(topic))
            cells = [[one.place, one.text] for one in _first(expected_passages(evaluation, run, topic))]
            for i, passage in enumerate(cells or [["", ""]]):
                rows.append([*([topic, value, question] if not i else [""] * 3), *passage])
        head = ["topic", measure, "question", "expected", "text"]
        found.append(Table(f"{run}: the worst topics by {measure}", head, rows, "<><<<"))
    return found


def question_and_passages(evaluation: Evaluation, run: str, topic: str) -> list[str | Table]:
    """Return what a person needs to know before the working of a number: the question, and what was expected where."""
    question = titles_of(evaluation.truth).get(topic)
    parts: list[str | Table] = [f"Question: {' '.join(question.split())}"] if question else []
    passages = _first(expected_passages(evaluation, run, topic))
    if not passages:
        return parts
    texts = any(one.text for one in passages)
    rows = [[one.place, one.found_at, *([one.text] if texts else [])] for one in passages]
    head = ["expected", "ranks that overlap it", *(["text"] if texts else [])]
    return [*parts, Table("What was expected", head, rows, "<<<"[: len(head)])]


def question_and_places(evaluation: Evaluation, run: str, topic: str) -> tuple[str, list[str]]:
    """Return the question of a topic in one line, and a line for each passage that it expects."""
    passages = _first(expected_passages(evaluation, run, topic), 3)
    lines = [f"{one.place}{f': {one.text}' if one.text else ''}" for one in passages]
    return in_a_cell(titles_of(evaluation.truth).get(topic)), [one_line(line) for line in lines]


def _first(passages: list[Expected], most: int = MOST_PASSAGES) -> list[Expected]:
    """The first passages, with a last row that counts the others."""
    if len(passages) <= most:
        return passages
    rest = passages[most:]
    found = sum(bool(one.ranks) for one in rest)
    return [*passages[:most], Expected(f"and {len(rest)} more, {found} of them in results", "", ())]
