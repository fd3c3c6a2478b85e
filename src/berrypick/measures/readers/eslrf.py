"""ESLRF: expected search length reduction factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.arrays import FloatArray
from berrypick.data.score import Score, Table, number
from berrypick.measures.readers._visits import VisitQuantities, _Searching
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class ESLRF(_Searching):
    """How much better than searching at random: the share of the random search length that the list saves.

    Formula
    -------
    ::

        ESLRF = 1 - ESL (R + 1)/(S I)

    with ESL, S, R and I as in ESL, in tokens too; S I/(R + 1) is the search length without any list.

    With spread=s tau differs between people, one for all visits of a person: log-normal with median ``tolerance`` and
    sigma s. The value is the mean over people: exact between the tolerances at which visits or I change, with
    quadrature (error 1e-9) for people whose I is above 10^5, which the signature then says.
    Groups of people have a tolerance each with tolerance='10=.3,25=.7', the value then being the mean by their shares;
    redundancy=rho is the tolerance of text seen before, as in T2I.

    Meaning
    -------
    1: nothing is wasted. 0: no better than reading the collection in random order.

    Use
    ---
    As ESL, when topics with many and with few targets are to be averaged.

    Bounds
    ------
    At most 1; below 0 for a list that wastes more than random search would.

    Undefined
    ---------
    No targets, fewer than S, or no irrelevant material (I = 0).

    Example
    -------
    Targets [5,10) and [80,90) in 100 seconds, results that start at 0 and at 50: S = R = 2, I = 6 and ESL = 4, so
    nothing is saved, 1 - 4 (2 + 1)/(2 x 6)

    >>> import berrypick as bp
    >>> truth, run = {"q": {"video#5-10": 1, "video#80-90": 1}}, {"q": {"video#0-8": 2, "video#50-70": 1}}
    >>> seconds = bp.Collection({"video": 100})
    >>> bp.score("ESLRF(wanted=2,tolerance=15)", truth, run, collection=seconds)
    0.0
    """

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance", "cooper1968expected")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "5",
            "4",
            "equation",
            "reduction of the search length against a random search",
            'berrypick evaluate TRUTH RUN -m "ESLRF(tolerance=15)"',
        ),
    )

    defined_without_units: ClassVar[bool] = False

    def of_search(self, search: VisitQuantities, units: FloatArray, length: FloatArray) -> FloatArray:
        return 1.0 - length * (search.relevant + 1) / (search.wanted * units)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """Searching without any list is the random search itself."""
        return self.scored(judged, None if self.compute(judged).value is None else 0.0)

    def summary(self, judged: JudgedTopic) -> list[str | Table]:
        value = self.compute(judged).value
        if value is None:
            return ["Undefined: fewer targets than wanted, or no irrelevant material in the collection."]
        mean = "mean of " if self.differ else ""
        return [*self.search_tables(judged), f"ESLRF = {mean}1 - ESL (R+1)/(S I) = {number(value, 6)}"]
