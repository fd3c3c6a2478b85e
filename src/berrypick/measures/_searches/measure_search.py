"""The searches for ideal lists that measures ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.reach import Reach
from berrypick.ideal import searches
from berrypick.ideal.best_list import Found
from berrypick.ideal.item_lists import Numbers
from berrypick.ideal.list_problem import Search
from berrypick.kernels.lists.ideal import Ideal, Objective
from berrypick.measures._searched_lists import SearchedLists
from berrypick.measures._searches.cheapest import CheapestLists, cheapest_lists
from berrypick.measures._searches.ideal_items import ideal_items
from berrypick.measures.readers.eprum import EPRUM
from berrypick.topics.candidate_items import item_name
from berrypick.topics.candidates import Candidates
from berrypick.topics.effort import Effort
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class ListSearch:
    """A search for the best lists of candidates, with a proven bound: what ideal='certified' asks for.

    Attributes
    ----------
    nodes
        Sets that are examined for each recall value or gain; by default about a second's work.
    seconds
        The time after which the search for a recall value or gain ends.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.measures._searches.measure_search import ListSearch
    >>> rows = bp.Reach.of([[1, 0], [0, 1], [0.9, 0.9]])
    >>> ListSearch().numbers(rows, (1, 2), "length").length.round(2).tolist()
    [1.0, 1.29]
    """

    nodes: int | None = None
    seconds: float | None = None

    @property
    def limit(self) -> Search:
        """How long to search."""
        return Search(self.nodes, self.seconds)

    def numbers(self, candidates: Reach, wanted: Sequence[int], objective: Objective) -> Ideal:
        """Find the best lists for some recall values; others stay nan."""
        return searches.searched(candidates, wanted, objective, self.limit)

    def items(
        self, measure: EPRUM, judged: JudgedTopic, ideal: BoolArray, reach: Reach, wanted: tuple[int, ...]
    ) -> SearchedLists:
        """Find what EPRUM compares with where list items hold several pointers."""
        return ideal_items(measure, judged, ideal, reach, wanted, self.limit)

    def best(
        self, candidates: Candidates, ideal: BoolArray, wanted: tuple[int, ...], objective: Objective
    ) -> tuple[Sequence[Found], Sequence[str], int]:
        """Find the best lists for recall values, the names of what they count in, and how many candidates there are."""
        if candidates.items is None:
            rows = candidates.reach if ideal.all() else candidates.reach.columns(ideal)
            count = len(candidates.pointers) or len(rows.events)
            return searches.certified(rows, wanted, objective, self.limit), candidates.names, count
        items = candidates.items.columns(ideal)
        made = searches.certified_items(items, Numbers(wanted), objective, self.limit, np.zeros((0, int(ideal.sum()))))
        names = [item_name(candidates.names, item) for item in made.items]
        return made.found, names, len(candidates.pointers)

    def cheapest(
        self,
        judged: JudgedTopic,
        levels: tuple[float, ...],
        wanted: FloatArray,
        effort: Callable[[JudgedTopic], Effort],
        *,
        exact: bool,
        with_run: bool,
    ) -> CheapestLists:
        """Find the lists of the least effort for gains, or of the largest inverse."""
        return cheapest_lists(judged, levels, wanted, effort, exact=exact, with_run=with_run, limit=self.limit)
