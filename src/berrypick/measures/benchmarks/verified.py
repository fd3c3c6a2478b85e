"""Verified: whether the label is right, and evidence for it is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.labels import LABELS
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score
from berrypick.formats.benchmarks.fever import NO_INFO
from berrypick.measures.benchmarks._labels import gold_of, unlabelled
from berrypick.measures.benchmarks._named_sets import NamedMeasure, named_results, named_sets
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Verified(NamedMeasure):
    """1 if the predicted label is right and the first results hold a sufficient set of evidence, else 0.

    Formula
    -------
    ::

        Verified@k               = [label right] x [NOT ENOUGH INFO, or some set is among the first k results]
        Verified(evidence=False) = [label right]

    Meaning
    -------
    Whether a claim is judged rightly for a good reason. The mean over claims of Verified@5 is the FEVER score, that of
    Verified(evidence=False) the label accuracy.

    Use
    ---
    FEVER, whose predictions name a label beside the evidence. A claim that needs evidence and has none in the truth
    counts 0, as in FEVER's scorer.

    Bounds
    ------
    0 or 1.

    Undefined
    ---------
    Never. A truth without labels is refused; a topic for which the run has none counts 0.

    Example
    -------
    The label is right, and the evidence at rank 2

    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> truth, run = os.path.join(folder, "truth.jsonl"), os.path.join(folder, "run.jsonl")
    >>> with open(truth, "w") as file:
    ...     _ = file.write('{"id": 7, "claim": "Jam sets.", "label": "SUPPORTS", "evidence": [[[1, 1, "Jam", 4]]]}')
    >>> with open(run, "w") as file:
    ...     _ = file.write('{"id": 7, "predicted_label": "SUPPORTS", "predicted_evidence": [["Pot", 0], ["Jam", 4]]}')
    >>> [bp.score(name, truth, run) for name in ("Verified(evidence=False)", "Verified@1", "Verified@5")]
    [1.0, 0.0, 1.0]
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    needs_targets: ClassVar[bool] = False
    references: ClassVar[tuple[str, ...]] = ("thorne2018fever",)

    evidence: bool = parameter(True, "bool", "whether evidence must be found as well")

    def compute(self, judged: JudgedTopic) -> Score:
        wanted = gold_of(judged, str, "FEVER")
        if judged.extra.get(LABELS) != wanted:
            return Score(0.0, unlabelled(judged))
        if not self.evidence or wanted == NO_INFO:
            return Score(1.0)
        first = {*named_results(judged)[: None if self.at is None else int(self.at)]}
        return Score(float(any(one <= first for one in named_sets(judged))))

    def explain(self, judged: JudgedTopic) -> Explanation:
        wanted = gold_of(judged, str, "FEVER")
        labels = f"The label is {wanted}, the predicted one {judged.extra.get(LABELS) or 'missing'}."
        return self._explanation(judged, labels, *super().explain(judged).parts)
