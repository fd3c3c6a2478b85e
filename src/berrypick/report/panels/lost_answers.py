"""The panel of the report that shows where answers are lost: a bar for each run, and the flow through stages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from berrypick.analysis.diagnosis.classes import FARTHER, FOUND
from berrypick.analysis.diagnosis.diagnosis import Diagnosis, DiagnosisRules, diagnosis_of
from berrypick.analysis.diagnosis.diagnosis_tables import group_tables, in_a_cell, meaning, place_text, ranks_text
from berrypick.data.results import Results
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.panels.base import Panel

#: Targets whose place, text and ranks the page has; of others it has the topic and the class.
DESCRIBED = 3000


class LostAnswers(Panel):
    """Every target in one class: places in documents, or whole ones."""

    name = "lost_answers"
    title = "Where answers are lost"
    script = (files("berrypick.report.panels") / "assets" / "lost_answers.js").read_text(encoding="utf-8")

    def parts(self, evaluation: Evaluation, results: Results) -> Sequence[Table | str]:
        """Return a table of classes by group, where topics are grouped."""
        found = self._diagnosis(evaluation)
        return () if found is None or found.groups is None else group_tables(found)

    def data(self, evaluation: Evaluation, results: Results) -> dict[str, Any] | None:
        """Return classes, runs with their bars, and targets; None where the truth has no targets."""
        found = self._diagnosis(evaluation)
        if found is None:
            return None
        topics = {topic: number for number, topic in enumerate(results.topics)}
        kinds = {one.class_name: one.kind for one in found.targets}
        classes = sorted(kinds, key=lambda name: kinds[name].depth, reverse=True)
        told = [{"name": name, "kind": FARTHER.index(kinds[name].name), "meaning": meaning(name)} for name in classes]
        lost = sum(one.kind.name != FOUND for one in found.targets)
        room = {False: DESCRIBED, True: DESCRIBED - lost}  # of found targets, what the others leave
        runs = []
        for run in found.runs:
            targets = []
            for one in found.targets_of(run):
                held = sum(1 << stage for stage, ranks in enumerate(one.ranks.values()) if ranks)
                row: list[Any] = [topics.get(one.topic), classes.index(one.class_name), held]
                if room[one.kind.name == FOUND] > 0:
                    row += [place_text(one.place), in_a_cell(one.text), ranks_text(one.ranks)]
                    room[one.kind.name == FOUND] -= 1
                targets.append(row)
            ends = {name: [row["low"], row["high"]] for name, row in found.classes_of(run).items()}
            runs.append({"name": run, "stages": list(found.pipeline(run).stages), "targets": targets,
                         "intervals": [ends.get(name) for name in classes]})  # fmt: skip
        return {"classes": told, "runs": runs, "said": found.legend()}

    def _diagnosis(self, evaluation: Evaluation) -> Diagnosis | None:
        """The diagnosis of all runs, worked out once."""
        if "found" not in self.__dict__:
            judged = any(topic.has_relevant for topic in evaluation.truth.topics.values())
            rules = self.settings.get("diagnosis") or DiagnosisRules()
            chunks = self.settings.get("chunks")
            self.__dict__["found"] = diagnosis_of(evaluation, rules, chunks) if judged else None
        found: Diagnosis | None = self.__dict__["found"]
        return found
