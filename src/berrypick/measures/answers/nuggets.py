"""Nuggets: the share of facts that an answer states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.data.words import counted
from berrypick.formats.answers.nugget_files import NUGGETS, Nugget, numbered
from berrypick.measures.base import SHOWN, Measure
from berrypick.topics.topic import JudgedTopic

#: What a nugget counts by what the answer says of it; any other label counts 0.
VALUES = {"support": 1.0, "partial_support": 0.5}
#: What a nugget weighs by its importance.
WEIGHTS: dict[str, dict[str, float]] = {"vital": {"vital": 1.0}, "weighted": {"vital": 1.0, "okay": 0.5}}


@dataclass(frozen=True)
class Nuggets(Measure):
    """The share of a topic's nuggets that the answer states; half for those that it states in part.

    Formula
    -------
    With a = 1 for a nugget that the answer supports, 1/2 for one that it supports in part (0 with strict=True), 0 for
    any other::

        Nuggets(of='vital')    = sum of a over vital nuggets / their number
        Nuggets(of='all')      = sum of a over all nuggets / their number
        Nuggets(of='weighted') = (sum of a over vital ones + 1/2 sum over okay ones) / (vital + 1/2 okay)

    A nugget without an assignment counts 0. Nuggets whose importance is neither vital nor okay count for of='all'
    alone. Labels outside the vocabulary are counted in a note.

    Meaning
    -------
    How much of what an answer should say it says. It looks at no document: whether that was retrieved, and is cited
    rightly, is another question.

    Use
    ---
    Answers of retrieval-augmented generation, with nuggets and assignments that people or a language model made. The
    names of TREC RAG: vital_score, strict_vital_score, all_score, weighted_score ...; protocol trec-rag computes all
    six.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    Topics without nuggets that count: for of='vital' those without a vital one. Protocol trec-rag scores them 0.

    Example
    -------
    Two vital nuggets, one of them stated in part, and one that is okay and stated

    >>> import os, tempfile
    >>> import berrypick as bp
    >>> path = os.path.join(tempfile.mkdtemp(), "assigned.jsonl")
    >>> with open(path, "w") as file:
    ...     _ = file.write('{"qid": "1", "nuggets": ['
    ...         '{"text": "a", "importance": "vital", "assignment": "partial_support"},'
    ...         '{"text": "b", "importance": "vital", "assignment": "not_support"},'
    ...         '{"text": "c", "importance": "okay", "assignment": "support"}]}')
    >>> bp.score("Nuggets", path, path), bp.score("Nuggets(of='weighted')", path, path)
    (0.25, 0.4)
    >>> bp.score("Nuggets(of='all')", path, path), bp.score("Nuggets(strict=True)", path, path)
    (0.5, 0.0)
    """

    #: It reads no list of results.
    laws: ClassVar[tuple[str, ...]] = ("truth-order", "document-names", "topic-names", "kernels", "jobs")
    depends_on: ClassVar[tuple[str, ...] | None] = ()
    needs_targets: ClassVar[bool] = False
    references: ClassVar[tuple[str, ...]] = ("pradeep2025nuggets",)

    of: Literal["vital", "all", "weighted"] = parameter("vital", "vital|all|weighted", "which nuggets count")
    strict: bool = parameter(False, "bool", "whether only full support counts")

    def counted_nuggets(self, judged: JudgedTopic) -> list[tuple[Nugget, str, float, float]]:
        """Return every nugget of a topic with its assignment ('' if it has none), its value and its weight."""
        held, said = _nuggets(judged), judged.extra.get(NUGGETS, ())
        assigned = dict(zip(numbered([one.text for one in said]), (one.assignment for one in said), strict=True))
        keys = numbered([one.text for one in held])
        if held and assigned and assigned.keys().isdisjoint(keys):
            raise UsageError(
                f"none of the {counted(len(said), 'nugget')} of the run in topic {judged.topic} is one of the truth's "
                f"(truth: {held[0].text!r:.60}; run: {said[0].text!r:.60})"
            )
        found = []
        for key, nugget in zip(keys, held, strict=True):
            label = assigned.get(key, "")
            value = 0.0 if self.strict and label != "support" else VALUES.get(label, 0.0)
            weight = 1.0 if self.of == "all" else WEIGHTS[self.of].get(nugget.importance, 0.0)
            found.append((nugget, label, value, weight))
        return found

    def compute(self, judged: JudgedTopic) -> Score:
        rows = self.counted_nuggets(judged)
        total = sum(weight for *_, weight in rows)
        if not total:
            which = {"vital": "vital nuggets", "all": "nuggets", "weighted": "vital or okay nuggets"}[self.of]
            if "empty-is-zero" in judged.rules:
                return Score(0.0, (f"0 where a topic has no {which}, as protocol {judged.protocol} does",))
            return Score(None, (f"undefined where a topic has no {which}, and excluded from the mean",))
        value = sum(value * weight for _, _, value, weight in rows) / total
        return Score(value, tuple(self._notes(judged, rows)))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def _notes(self, judged: JudgedTopic, rows: list[tuple[Nugget, str, float, float]]) -> list[str]:
        """What was assumed of nuggets that only one side has."""
        if NUGGETS not in judged.extra:
            return ["the run assigns no nugget of the topic, which scores 0"]
        notes = []
        if any(not label for _, label, _, _ in rows):
            notes.append("the run does not assign all nuggets of the topic; those count as not supported")
        known = set(numbered([nugget.text for nugget, *_ in rows]))
        if not known.issuperset(numbered([one.text for one in judged.extra[NUGGETS]])):
            notes.append("the run assigns nuggets that are not in the truth; they are ignored")
        return notes

    def explain(self, judged: JudgedTopic) -> Explanation:
        rows = self.counted_nuggets(judged)
        table = Table(
            counted(len(rows), "nugget") + (f", of which the first {SHOWN}" if len(rows) > SHOWN else ""),
            ["nugget", "importance", "assignment", "counts", "weight"],
            [
                [nugget.text, nugget.importance, label or "-", number(value), number(weight)]
                for nugget, label, value, weight in rows[:SHOWN]
            ],
            align="<<<>>",
        )
        score = self.compute(judged)
        shown = "undefined" if score.value is None else number(score.value, 6)
        total, top = sum(row[3] for row in rows), sum(row[2] * row[3] for row in rows)
        working = f"{number(top)} / {number(total)} = " if total else ""
        return self._explanation(judged, table, f"{self} = {working}{shown}")


def _nuggets(judged: JudgedTopic) -> tuple[Nugget, ...]:
    found: tuple[Nugget, ...] | None = judged.truth.extra.get(NUGGETS)
    if found is None:
        raise UsageError(
            "the truth has no nuggets: give a file with qid and nuggets, with importance for the truth and assignment "
            "for the run"
        )
    return found
