"""Selected: counts of evidence sentences, as SciFact's program adds them up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.parameters import parameter
from berrypick.data.score import Score
from berrypick.measures.benchmarks._named_sets import NamedMeasure, named_results, named_sets
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Selected(NamedMeasure):
    """How many sentences are selected, how many of them are correct, and how many there are, added up over topics.

    Formula
    -------
    ::

        Selected(of='returned') = results
        Selected(of='correct')  = results that belong to a set all of which is returned
        Selected(of='wanted')   = units of all sets

    Values are added up over topics. SciFact's precision of sentence selection is correct / returned, its recall
    correct / wanted.

    Meaning
    -------
    Ratios of sums, in which a claim with much evidence counts more; means over topics treat claims alike. A sentence of
    a set that is not complete is no help, and counts as wrong.

    Use
    ---
    To compare with published sentence selection of SciFact.

    Bounds
    ------
    0 to the number of results, or of units.

    Undefined
    ---------
    Never: a claim without evidence has nothing correct.

    Example
    -------
    Sentences 2 and 5 are enough together, and so is 7; 5 and 7 are returned:

    >>> import berrypick as bp
    >>> rows = [("2", "1"), ("5", "1"), ("7", "2")]
    >>> truth = {"q": [{"doc": doc, "set": name} for doc, name in rows]}
    >>> [bp.score(f"Selected(of='{of}')", truth, {"q": {"5": 2, "7": 1}}) for of in ("returned", "correct", "wanted")]
    [2.0, 1.0, 3.0]
    """

    summed: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = False
    why_above_one: ClassVar[str] = "it is a number of sentences"
    unbounded: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("wadden2020scifact",)

    of: Literal["correct", "returned", "wanted"] = parameter("correct", "correct|returned|wanted", "what is counted")

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(self.value(named_results(judged), named_sets(judged)))

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        returned = {*results}
        if self.of == "returned":
            return float(len(returned))
        chosen = sets if self.of == "wanted" else [one for one in sets if one <= returned]
        return float(len(frozenset[str]().union(*chosen)))
