"""ESL: expected search length, in units of tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.score import Table
from berrypick.measures.readers._visits import VisitQuantities, _Searching
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class ESL(_Searching):
    """How many units of effort are wasted until S targets are found. Smaller is better.

    Formula
    -------
    With j units wasted on the list, r targets the list misses, s of the S wanted still missing, and I units of
    irrelevant material in the whole collection::

        I   = ceil((D - D_R)/tau)
        ESL = j + s max(0, I - j)/(r + 1)

    If the list gives all S, j counts the units wasted before the S-th is found, and ESL = j. With unit='tokens' tau
    is a number of tokens (or of sentences, with unit='sentences'), and so are D, all documents together, and D_R, the
    union of the targets.

    With spread=s tau differs between people, one for all visits of a person: log-normal with median ``tolerance`` and
    sigma s. The value is the mean over people: exact between the tolerances at which visits or I change, with
    quadrature (error 1e-9) for people whose I is above 10^5, which the signature then says.
    Groups of people have a tolerance each with tolerance='10=.3,25=.7', the value then being the mean by their shares;
    redundancy=rho is the tolerance of text seen before, as in T2I.

    Meaning
    -------
    The time lost: on the list first, then on a random search through everything else.

    Use
    ---
    When the effort of finding a given number of answers matters.

    Bounds
    ------
    From 0, without upper bound: it counts units of tolerance.

    Undefined
    ---------
    No targets, or fewer than S. A topic missing from the run has the value of an empty list, S I/(R + 1).

    Example
    -------
    Targets [5,10) and [80,90) in 100 seconds, results that start at 0 and at 50, tolerance 15: the viewer wastes a unit
    at each, j = 2, and finds the first target; one is not retrieved, r = 1, and still wanted, s = 1; I = 6 units are
    irrelevant. 2 + 1 (6 - 2)/(1 + 1)

    >>> import berrypick as bp
    >>> truth, run = {"q": {"video#5-10": 1, "video#80-90": 1}}, {"q": {"video#0-8": 2, "video#50-70": 1}}
    >>> seconds = bp.Collection({"video": 100})
    >>> bp.score("ESL(wanted=2,tolerance=15)", truth, run, collection=seconds)
    4.0
    """

    higher_is_better: ClassVar[bool] = False
    why_above_one: ClassVar[str] = "it counts units of tolerance"
    unbounded: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance", "cooper1968expected")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "5",
            "",
            "table",
            "table 1: the quantities of a search",
            'berrypick evaluate TRUTH RUN -m "ESL(tolerance=15)"',
        ),
        cite.tolerance(
            "5",
            "3",
            "equation",
            "expected search length in units of tolerance",
            'berrypick evaluate TRUTH RUN -m "ESL(tolerance=15)"',
        ),
    )

    def of_search(self, search: VisitQuantities, units: FloatArray, length: FloatArray) -> FloatArray:
        return length

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        if self.search(judged) is None:
            return [f"Undefined: {self.wanted} targets are wanted, the topic has {len(judged.targets)}."]
        return [*self.search_tables(judged)]
