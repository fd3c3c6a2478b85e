"""Ideal lists for readers who take several pointers as one list item."""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.reach import Reach
from berrypick.ideal import searches
from berrypick.ideal.item_greedy import greedy_lists
from berrypick.ideal.item_lists import MOST_POINTERS, Numbers
from berrypick.ideal.item_search import too_many
from berrypick.ideal.items import Items
from berrypick.ideal.list_problem import Search
from berrypick.kernels.lists.ideal import OBJECTIVES, Ideal
from berrypick.measures._searched_lists import SearchedLists, ideal_list
from berrypick.measures.readers.eprum import EPRUM
from berrypick.topics.candidate_items import item_name
from berrypick.topics.candidates import Candidates
from berrypick.topics.topic import JudgedTopic


def ideal_items(
    measure: EPRUM, judged: JudgedTopic, ideal: BoolArray, reach: Reach, wanted: tuple[int, ...], limit: Search
) -> SearchedLists:
    """The ideal lists of items; ``reach`` is that of the run to the targets that are ideal."""
    candidates = judged.candidates
    if measure.ideal == "exact" and len(candidates.pointers) > MOST_POINTERS:
        raise too_many(len(candidates.pointers))
    foreign = np.zeros((0, reach.targets))
    if measure.norm == "bounded" and measure.ideal != "greedy":
        foreign = reach.at_events[np.isin(reach.events - 1, judged.no_items)]
    if candidates.items is None:
        rows = candidates.reach if ideal.all() else candidates.reach.columns(ideal)
        return ideal_list(measure, rows, Reach.of(foreign), wanted)
    items = candidates.items.columns(ideal)
    if measure.ideal == "greedy":
        return _greedy(items, candidates)
    objective = OBJECTIVES[measure.norm]
    found = searches.certified_items(items, Numbers(wanted), objective, limit, foreign)
    best = searches.of_found(found.found, wanted, reach.targets, objective)
    names = [item_name(candidates.names, item) for item in found.items]
    return SearchedLists(best, len(names), bool(len(foreign)), objective == "inverse", names)


def _greedy(items: Items, candidates: Candidates) -> SearchedLists:
    length, inverse, lists = greedy_lists(items, range(1, items.targets + 1))
    number = {item: n for n, item in enumerate(dict.fromkeys(item for one in lists for item in one))}
    names = [item_name(candidates.names, item) for item in number]
    orders = [[number[item] for item in one] for one in lists]
    return SearchedLists(Ideal(length, inverse, orders), len(names), names=names)
