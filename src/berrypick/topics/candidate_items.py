"""Candidates of ideal lists for readers who take several pointers as one list item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.ideal.items import Items
from berrypick.kernels.item_chain import Chances
from berrypick.topics.candidates import Candidates


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
