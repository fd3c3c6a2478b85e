"""Where a person who moves from page to page ends up: probabilities of ever visiting a page before leaving."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray


class Chain:
    """A chain that may stop at any page: row sums of the step probabilities are at most 1, the rest is leaving."""

    def __init__(self, units: Iterable[str], source: IntArray, target: IntArray, probability: FloatArray) -> None:
        from scipy import sparse

        self.units = tuple(units)
        self.number = {unit: i for i, unit in enumerate(self.units)}
        size = len(self.units)
        self.step = sparse.csr_matrix((probability, (source, target)), shape=(size, size))
        self._known: dict[tuple[int, int | None, float | None], FloatArray] = {}

    def visits(self, target: int, steps: int | None = None, trail: float | None = None) -> FloatArray:
        """P(ever at ``target``), or within a number of steps, from every unit; all routes counted, 1 from itself.

        With ``trail`` the number of steps is drawn, t with a probability that falls as t^-trail, t = 1 .. steps.
        """
        key = (target, steps, trail)
        if key not in self._known:
            self._known[key] = self._ever(target) if steps is None else self._within(target, steps, trail)
        return self._known[key]

    def _within(self, target: int, steps: int, trail: float | None) -> FloatArray:
        weight = np.zeros(steps)
        weight[-1:] = 1.0
        if trail is not None:
            weight = np.arange(1, steps + 1, dtype=np.float64) ** -trail
            weight /= weight.sum()
        hit = np.zeros(len(self.units))
        hit[target] = 1.0
        found = np.zeros(len(self.units))
        for share in weight.tolist():
            hit = np.asarray(self.step @ hit)
            hit[target] = 1.0
            found += share * hit
        found[target] = 1.0
        return np.minimum(found, 1.0)

    def _ever(self, target: int) -> FloatArray:
        """First-step equations on the units from which the target can be reached; there they have one solution."""
        from scipy.sparse import eye
        from scipy.sparse.linalg import spsolve

        hit = np.zeros(len(self.units))
        hit[target] = 1.0
        inside = self._leading_to(target)
        if len(inside):
            among = self.step[inside][:, inside]
            direct = np.asarray(self.step[inside][:, [target]].todense()).ravel()
            solved = spsolve((eye(len(inside), format="csc") - among).tocsc(), direct)
            # the solution lies in [0, 1]; the last digit of the solver need not
            hit[inside] = np.clip(np.atleast_1d(solved), 0.0, 1.0)
        return hit

    def _leading_to(self, target: int) -> IntArray:
        """Units other than the target from which some route leads to it."""
        backwards = self.step.tocsc()
        reached = np.zeros(len(self.units), dtype=bool)
        reached[target] = True
        frontier = [target]
        while frontier:
            sources = np.unique(
                np.concatenate([backwards.indices[backwards.indptr[i] : backwards.indptr[i + 1]] for i in frontier])
            )
            fresh = sources[~reached[sources]]
            reached[fresh] = True
            frontier = fresh.tolist()
        reached[target] = False
        return np.flatnonzero(reached)
