"""What the models that move along a chain of named units share."""

from __future__ import annotations

from functools import partial

import numpy as np

from berrypick.data.arrays import BoolArray, IntArray
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users.base import Leads, themselves
from berrypick.users.links._chain_walks import MOST_STEPS, ChainWalker
from berrypick.users.links._hitting import Chain
from berrypick.users.walks import Readers, Visit, Visits


def walk_chain(
    chain: Chain,
    ranking: Ranking,
    targets: Targets,
    readers: Readers,
    steps: int | None = None,
    trail: float | None = None,
) -> Visits:
    """Readers who start at each result and go from page to page, until they leave or have made all their steps."""
    places: dict[str, list[int]] = {}
    for x, name in enumerate(targets.names()):
        places.setdefault(name, []).append(x)
    known = [name for name in places if name in chain.number]
    walker = ChainWalker(chain, [chain.number[name] for name in known])
    columns = [np.array(places[name], dtype=np.int64) for name in known]
    wanted = "\0".join(known)
    for row in range(len(ranking)):
        name, rank = ranking.name(row), int(ranking.rank[row])
        if name not in chain.number:
            own = np.array(places.get(name, []), dtype=np.int64)
            yield Visit(rank, own, np.ones((len(own), readers.count), dtype=bool))
            continue
        been = readers.draws.kept(f"walk {name}\0{wanted}", partial(_walked, walker, name, readers, steps, trail))
        for column, seen in zip(columns, been, strict=True):
            if seen.any():
                yield Visit(rank, column, np.broadcast_to(seen, (len(column), readers.count)))


def _walked(walker: ChainWalker, start: str, readers: Readers, steps: int | None, trail: float | None) -> BoolArray:
    most: IntArray | int | None = steps
    if steps is not None and trail is not None:
        share = np.cumsum(np.arange(1, steps + 1, dtype=np.float64) ** -trail)
        most = 1 + np.searchsorted(share / share[-1], readers.uniform(f"trail {start}"), side="right")
    random = readers.draws.generator(f"steps {start}")
    been, stopped = walker.visits(walker.chain.number[start], random, readers.count, most)
    if stopped:
        what = f"walks ended after {MOST_STEPS} steps"
        readers.draws.stopped[what] = readers.draws.stopped.get(what, 0) + stopped
    return been


def chain_leads(
    chain: Chain, sources: list[str], targets: list[str], steps: int | None, trail: float | None = None
) -> Leads:
    """P(ever visiting target from source, or within some steps); a unit always visits itself."""
    rows = np.array([i for i, name in enumerate(sources) if name in chain.number], dtype=np.int64)
    states = np.array([chain.number[sources[i]] for i in rows.tolist()], dtype=np.int64)
    places: dict[int, list[int]] = {}  # of each state among the targets
    for j, target in enumerate(targets):
        if target in chain.number and len(rows):
            places.setdefault(chain.number[target], []).append(j)
    found: list[Leads] = [themselves(sources, targets, chain.number)]
    for state, column in chain.columns(list(places), steps, trail):
        led = np.flatnonzero(column[states])
        for j in places[state]:
            found.append((rows[led], np.full(len(led), j), column[states[led]]))
    source, target_, probability = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return source, target_, probability
