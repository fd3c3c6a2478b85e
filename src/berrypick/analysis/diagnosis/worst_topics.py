"""The topics with the worst values, each with its question and the passages that were expected."""

from __future__ import annotations

from berrypick.analysis.diagnosis.diagnosis import in_a_cell, place_of, place_text, text_of
from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.inputs.titles import titles_of
from berrypick.tables.tabular import shown


def worst_tables(evaluation: Evaluation, results: Results, n: int, places: int | None = None) -> list[Table]:
    """A table for each run: its n worst topics by the first measure, a row for each expected passage."""
    measure, questions, reader = results.measures[0], titles_of(evaluation.truth), evaluation.context.reader
    found = []
    for run in results.runs:
        values = results.per_topic().get(run, {}).get(measure, {})
        rows = []
        for topic in results.worst(n, run=run):
            targets = evaluation.judge(run, topic).targets
            value, question = shown(values[topic], 4 if places is None else places), in_a_cell(questions.get(topic))
            expected = [[place_text(place_of(targets, x)), text_of(targets, x, reader)] for x in range(len(targets))]
            for i, (place, text) in enumerate(expected or [["", None]]):
                rows.append([*([topic, value, question] if not i else [""] * 3), place or "", in_a_cell(text)])
        head = ["topic", measure, "question", "expected", "text"]
        found.append(Table(f"{run}: the worst topics by {measure}", head, rows, "<><<<"))
    return found
