"""Abstracts: counts of labelled abstracts and sentences, as SciFact's program adds them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.labels import LABELS, NO_INFO, Labelled
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table
from berrypick.measures.base import SHOWN, Measure
from berrypick.measures.benchmarks._labels import gold_of, unlabelled
from berrypick.topics.topic import JudgedTopic

#: SciFact reads so many sentences of an abstract where it asks whether the label has a reason.
FIRST = 3


@dataclass(frozen=True)
class Abstracts(Measure):
    """How many abstracts are returned with a label, how many of these labels are right, and have a reason.

    Formula
    -------
    ::

        Abstracts(of='wanted')    = abstracts with evidence
        Abstracts(of='returned')  = abstracts with a predicted label
        Abstracts(of='labelled')  = those whose label is right
        Abstracts(of='reasoned')  = those with a complete rationale among their first 3 sentences as well
        Abstracts(of='sentences') = sentences of complete rationales in abstracts whose label is right

    Values are added up over topics. SciFact's precision and recall of abstracts are labelled / returned and labelled /
    wanted ("label only"), reasoned / returned and reasoned / wanted ("rationalized"); those of labelled sentences are
    sentences / Selected(of='returned') and sentences / Selected(of='wanted').

    Meaning
    -------
    Ratios of sums, in which a claim with many abstracts counts more.

    Use
    ---
    To compare with published numbers of SciFact.

    Bounds
    ------
    0 to the number of abstracts, or of sentences.

    Undefined
    ---------
    Never. A truth without labels is refused; a topic for which the run has none counts 0.

    Example
    -------
    The label of the abstract is right; its rationale is not complete

    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> truth, run = os.path.join(folder, "truth.jsonl"), os.path.join(folder, "run.jsonl")
    >>> with open(truth, "w") as file:
    ...     _ = file.write('{"id": 7, "claim": "..", "evidence": {"41": [{"sentences": [2, 5], "label": "SUPPORT"}]}}')
    >>> with open(run, "w") as file:
    ...     _ = file.write('{"id": 7, "evidence": {"41": {"sentences": [2], "label": "SUPPORT"}}}')
    >>> [bp.score(f"Abstracts(of='{of}')", truth, run) for of in ("wanted", "returned", "labelled", "reasoned")]
    [1.0, 1.0, 1.0, 0.0]
    """

    summed: ClassVar[bool] = True
    #: It reads no list of results.
    laws: ClassVar[tuple[str, ...]] = ("truth-order", "document-names", "topic-names", "kernels", "jobs")
    depends_on: ClassVar[tuple[str, ...] | None] = ()
    needs_targets: ClassVar[bool] = False
    why_above_one: ClassVar[str] = "it is a number of abstracts or sentences"
    unbounded: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("wadden2020scifact",)

    of: Literal["labelled", "reasoned", "returned", "wanted", "sentences"] = parameter(
        "labelled", "labelled|reasoned|returned|wanted|sentences", "what is counted"
    )

    def compute(self, judged: JudgedTopic) -> Score:
        gold: Mapping[str, Labelled] = gold_of(judged, Mapping, "SciFact")
        if self.of == "wanted":
            return Score(float(len(gold)))
        said: Mapping[str, Labelled] = judged.extra.get(LABELS, {})
        value = sum(self._count(one, gold.get(name)) for name, one in said.items())
        return Score(float(value), unlabelled(judged))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def _count(self, said: Labelled, gold: Labelled | None) -> int:
        """What one predicted abstract counts."""
        if said.label == NO_INFO:
            return 0
        if self.of == "returned":
            return 1
        if gold is None or not gold.label or said.label != gold.label:
            return 0
        [sentences] = said.sentences
        chosen = {*(sentences[:FIRST] if self.of == "reasoned" else sentences)}
        complete = [one for one in map(frozenset[int], gold.sentences) if one <= chosen]
        if self.of == "sentences":
            return len(frozenset[int]().union(*complete))
        return int(self.of == "labelled" or bool(complete))

    def explain(self, judged: JudgedTopic) -> Explanation:
        gold: Mapping[str, Labelled] = gold_of(judged, Mapping, "SciFact")
        said: Mapping[str, Labelled] = judged.extra.get(LABELS, {})
        rows = [
            [name, *(_shown(of.get(name)) for of in (gold, said)), str(self._count(said[name], gold.get(name)))]
            if name in said
            else [name, _shown(gold[name]), "-", "0"]
            for name in list(dict.fromkeys((*gold, *said)))[:SHOWN]
        ]
        table = Table("Abstracts", ["abstract", "truth", "run", "counts"], rows, align="<<<>")
        return self._explanation(judged, table, f"{self} = {self._value_text(judged)}")


def _shown(one: Labelled | None) -> str:
    if one is None:
        return "-"
    return f"{one.label or 'several labels'} {'; '.join(' '.join(map(str, group)) for group in one.sentences)}".strip()
