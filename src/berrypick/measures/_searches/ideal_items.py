"""Candidates of ideal lists for readers who take several pointers as one list item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.addons.ideal import searches
from berrypick.addons.ideal.item_greedy import greedy_lists
from berrypick.addons.ideal.item_lists import MOST_POINTERS, Numbers
from berrypick.addons.ideal.item_search import too_many
from berrypick.addons.ideal.items import Items
from berrypick.addons.ideal.list_problem import Search
from berrypick.core.arrays import BoolArray
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.judging.candidates import Candidates
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels.item_chain import Chances
from berrypick.kernels.lists.ideal import OBJECTIVES, Ideal
from berrypick.measures.readers.eprum import EPRUM
from berrypick.measures.searched_lists import SearchedLists, ideal_list


def in_items(single: Candidates, chances: Chances) -> Candidates:
    """Items instead of pointers; the pointers themselves where no document has several."""
    documents = [ranking.documents[code] for ranking, _ in single.parts for code in ranking.document.tolist()]
    useful = np.unique(single.reach.rank).tolist()
    number = {name: code for code, name in enumerate(dict.fromkeys(documents[i] for i in useful))}
    if len(number) == len(useful):
        return single
    code = np.array([number[documents[i]] for i in useful], dtype=np.int64)
    items = Items(single.reach.dense()[useful], code, chances, np.ones(single.reach.targets, dtype=bool))
    names = [single.names[i] for i in useful]
    pointers = {name: documents[i] for name, i in zip(names, useful, strict=True)}
    whole = items.whole()
    if whole is None:
        return Candidates(names, ((_ranks(len(items)), Reach.of(items.rows)),), items, pointers)
    names = [item_name(names, item) for item in whole]
    return Candidates(names, ((_ranks(len(whole)), Reach.of(items.leads(whole))),), None, pointers)


def item_name(names: Sequence[str], item: Sequence[int]) -> str:
    """As :meth:`Ranking.names_by_rank` writes them."""
    return " + ".join(names[i] for i in item)


def _ranks(count: int) -> Ranking:
    """So many ranks, of which only the number matters."""
    rows = np.arange(count, dtype=np.int64)
    return Ranking(documents=[""], document=np.zeros(count, dtype=np.int64), rank=rows, ranks=count)


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
