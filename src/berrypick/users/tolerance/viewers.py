"""One visit of many viewers with different tolerances: :func:`~berrypick.users.tolerance.visits.visit` of them all.

Viewers who have seen the same targets meet the same gaps, and differ only in how many of these they get over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.users.tolerance.visits import Tolerance, gaps, seen_before

#: Up to so many targets what viewers have seen is distinguished by counting, beyond by sorting.
FEW = 12


@dataclass(frozen=True, eq=False)
class Viewing:
    """What viewers find (targets x viewers), whether they waste a unit of tolerance, and how far they go."""

    found: BoolArray
    wasted: BoolArray
    length: FloatArray


def tolerances(median: float, spread: float, normal: FloatArray) -> FloatArray:
    """Log-normal tolerances from standard normal numbers."""
    return np.asarray(median * np.exp(spread * normal))


def view(
    entry: float,
    document_end: float | None,
    targets: Sequence[tuple[float, float]],
    unseen: BoolArray,
    tolerance: FloatArray,
    reader: Tolerance,
    lengths: bool = True,
) -> Viewing:
    """``targets`` are (start, end), ``unseen`` says for whom each of them is new (targets x viewers).

    Without ``lengths`` it does not matter how far viewers go, and all lengths are 0.
    """
    count = len(tolerance)
    found = np.zeros((len(targets), count), dtype=bool)
    if document_end is None or entry >= document_end:
        return Viewing(found, np.ones(count, dtype=bool), np.zeros(count))
    wasted, length = np.zeros(count, dtype=bool), np.zeros(count)
    every = [(*span, x) for x, span in enumerate(targets)]
    ahead = [x for x, (_, end) in enumerate(targets) if end > entry]
    for new, who in _alike(unseen[ahead]):
        spans = [(*targets[x], x) for x, is_new in zip(ahead, new, strict=True) if is_new]
        seen = () if reader.redundancy is None else seen_before([every[x] for x in ahead], spans)
        met = list(gaps(entry, document_end, spans, reader, seen))
        own = tolerance[who]
        passed = np.searchsorted(np.maximum.accumulate([gap.needs for gap in met]), own, side="left")
        for i, gap in enumerate(met):
            for x in gap.found:
                found[x, who] = passed > i
        wasted[who] = passed < len(met)
        if not lengths:
            continue
        starts = np.array([gap.start + gap.patience for gap in met] + [met[-1].end])
        until = starts[passed] + np.where(passed < len(met), own, 0.0)
        if seen:
            stops = zip(passed.tolist(), own.tolist(), strict=True)
            until = np.array([reader.until(starts[i], t, seen) if i < len(met) else starts[i] for i, t in stops])
        length[who] = np.minimum(until, document_end) - entry
    return Viewing(found, wasted, length)


def _alike(unseen: BoolArray) -> Iterator[tuple[list[bool], slice | IntArray]]:
    """What is new for some viewers, and which viewers these are."""
    if not len(unseen) or (unseen == unseen[:, :1]).all():
        yield unseen[:, 0].tolist() if len(unseen) else [], slice(None)
        return
    if len(unseen) <= FEW:
        code = np.zeros(unseen.shape[1], dtype=np.int64)
        for x, row in enumerate(unseen):
            code += row.astype(np.int64) << x
        for state in np.flatnonzero(np.bincount(code)).tolist():
            yield [bool(state >> x & 1) for x in range(len(unseen))], np.flatnonzero(code == state)
        return
    states, which = np.unique(np.packbits(unseen, axis=0), axis=1, return_inverse=True)
    for number, state in enumerate(states.T):
        new = np.unpackbits(state, count=len(unseen)).astype(bool).tolist()
        yield new, np.flatnonzero(which.ravel() == number)
