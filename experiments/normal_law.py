"""PRUM appendix A.1, EPRUM section 5: how far is the normal law from the law of the number of targets seen?

    python experiments/normal_law.py [--seeds N]

The papers take a normal law above ten partly seen targets: "the maximum absolute difference between the normal
approximation and the exact distribution was on average 0.01 for m = 10", over 10,000 random trials. Here: the same for
several numbers of targets, with probabilities drawn uniformly and with small ones; and what it does to EPRUM and PRUM.
EPRUM needs P(F >= r). Taken from the normal law itself that is its tail; a sum of P(F = f) up to the number of targets
loses what the law has above it, and is printed to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from _collection import arguments
from data import told
from scipy.special import ndtr

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.kernels.poisson_binomial import events, inverse_by_parts, normal_law, plain_law, upper_tails
from berrypick.measures.readers._expected_precision import LawName, expected_inverse

Values = Callable[[np.ndarray], np.ndarray]


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words)
    trials = 200 if given.small else 10_000
    random = np.random.default_rng(2007)
    print(f"largest difference between normal and exact law, {trials} trials      paper: mean 0.01 for m = 10")
    print("m     probabilities    mean     largest")
    for m in (10, 20, 50):
        for name, power in (("uniform", 1), ("small", 4)):
            off = largest_differences(random.random((trials, m)) ** power)
            print(f"{m:<4}  {name:<14}  {off.mean():.4f}   {off.max():.4f}")
    drawn = matrices(random, 2 if given.small else 20)
    print(f"\ndifference in a value, {len(drawn)} random matrices: 100 ranks, each leading to some of 30 targets")
    print("                                    mean      largest")
    for name, normal, exact in COMPARED:
        off = np.concatenate([np.abs(normal(matrix) - exact(matrix)) for matrix in drawn])
        print(f"{name:<34}  {off.mean():.5f}   {off.max():.5f}")


def largest_differences(probabilities: np.ndarray) -> np.ndarray:
    """For each row the largest difference between the two laws."""
    exact = plain_law(probabilities, 1 - probabilities)
    mean = probabilities.sum(axis=1)[:, None]
    deviation = np.sqrt((probabilities * (1 - probabilities)).sum(axis=1))[:, None]
    borders = ndtr((np.arange(probabilities.shape[1] + 2) - 0.5 - mean) / deviation)
    found: np.ndarray = np.abs(np.diff(borders, axis=1) - exact).max(axis=1)
    return found


def matrices(random: np.random.Generator, number: int) -> list[np.ndarray]:
    return [random.random((100, 30)) ** 2 * (random.random((100, 30)) < 0.1) for _ in range(number)]


def eprum(law: LawName) -> Values:
    """EPRUM at each recall value."""

    def values(matrix: np.ndarray) -> np.ndarray:
        reach = Reach.of(matrix)
        return np.arange(1, reach.targets + 1) * expected_inverse(reach, law)

    return values


def by_masses(matrix: np.ndarray) -> np.ndarray:
    """EPRUM at each recall value, from sums of the normal law's P(F = f) up to the number of targets."""
    reach = Reach.of(matrix)
    masses = normal_law(reach.seen, reach.unseen)
    weight = inverse_by_parts(events(reach).astype(np.float64))
    return np.arange(1, reach.targets + 1) * (weight @ upper_tails(masses))[1:]


def mean_of(values: Values) -> Values:
    return lambda matrix: np.atleast_1d(values(matrix).mean())


def prum(law: LawName) -> Values:
    return lambda matrix: bp.prum(matrix, units=200, law=law)


COMPARED = (
    ("EPRUM at a recall value", eprum("normal"), eprum("exact")),
    ("EPRUM", mean_of(eprum("normal")), mean_of(eprum("exact"))),
    ("EPRUM, sums of P(F = f)", mean_of(by_masses), mean_of(eprum("exact"))),
    ("PRUM at a recall value", prum("normal"), prum("exact")),
)

if __name__ == "__main__":
    with told():
        main()
