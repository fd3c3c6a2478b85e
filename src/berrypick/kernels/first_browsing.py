"""What readers browse to at the rank where they find their first target.

Where any target is enough, nobody has browsed to anything before that rank. The effort of a reader who finds the first
targets there is that of the list up to the rank, plus the costs of browsing to the targets seen there. Targets are seen
independently, so the distribution of this sum is listed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray

#: Rows whose targets cost more different sums than this are given their mean instead.
MOST_SUMS = 256


@dataclass(frozen=True, eq=False)
class FirstBrowsing:
    """For each of some rows: the sums that browsing can cost, and the share of readers who find something at that sum.

    ``cost`` and ``share`` are rows x sums, filled up with shares of 0; ``misses`` is the share who find nothing.
    """

    cost: FloatArray
    share: FloatArray
    misses: FloatArray
    exact: bool  # whether no row has a mean in the place of its sums

    @classmethod
    def of(cls, rows: FloatArray, outside: FloatArray) -> FirstBrowsing:
        """``rows``: what each leads to; ``outside``: what browsing to each target costs (both rows x targets)."""
        found = [_sums(row, cost) for row, cost in zip(rows, outside, strict=True)]
        cost, share = np.zeros((2, len(rows), max((len(sums) for sums, _ in found), default=0)))
        for i, (sums, _) in enumerate(found):
            cost[i, : len(sums)], share[i, : len(sums)] = zip(*sums, strict=True) if sums else ((), ())
        return cls(cost, share, np.prod(1.0 - rows, axis=1), all(exact for _, exact in found))

    def inverse_effort(self, effort: FloatArray) -> float:
        """E[1/effort] of readers who go down a list of these rows, given the effort of the list up to each."""
        nothing = np.concatenate([[1.0], np.cumprod(self.misses)[:-1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.share > 0, self.share / (effort[:, None] + self.cost), 0.0)
        return float(nothing @ each.sum(axis=1))


def _sums(row: FloatArray, cost: FloatArray) -> tuple[list[tuple[float, float]], bool]:
    """The sums in increasing order with the share of readers of each; and whether they are exact."""
    law = {0.0: 1.0}
    for p, c in zip(row.tolist(), cost.tolist(), strict=True):
        if p > 0 and c > 0:
            following: dict[float, float] = {}
            for total, share in law.items():
                following[total] = following.get(total, 0.0) + share * (1.0 - p)
                following[total + c] = following.get(total + c, 0.0) + share * p
            law = following
        if len(law) > MOST_SUMS:
            found = 1.0 - float(np.prod(1.0 - row))
            return [(float(row @ cost) / found, found)], False
    law[0.0] -= float(np.prod(1.0 - row))  # those who find nothing
    return [(total, share) for total, share in sorted(law.items()) if share > 0], True
