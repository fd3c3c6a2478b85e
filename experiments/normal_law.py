"""PRUM appendix A.1, EPRUM section 5: how far is the normal law from the law of the number of targets seen?

    python experiments/normal_law.py [--seeds N]

The papers take a normal law above ten partly seen targets: "the maximum absolute difference between the normal
approximation and the exact distribution was on average 0.01 for m = 10", over 10,000 random trials. Here: the same for
several numbers of targets, with probabilities drawn uniformly and with small ones; and what it does to EPRUM and PRUM.
"""

from __future__ import annotations

import numpy as np
from _collection import arguments
from scipy.special import ndtr

import berrypick as bp
from berrypick.core.reach import Reach
from berrypick.kernels.poisson_binomial import plain_law
from berrypick.measures.readers._expected_precision import LawName, expected_inverse


def main() -> None:
    given = arguments(__doc__ or "")
    trials = 200 if given.topics else 10_000
    random = np.random.default_rng(2007)
    print(f"largest difference between normal and exact law, {trials} trials      paper: mean 0.01 for m = 10")
    print("m     probabilities    mean     largest")
    for m in (10, 20, 50):
        for name, power in (("uniform", 1), ("small", 4)):
            off = largest_differences(random.random((trials, m)) ** power)
            print(f"{m:<4}  {name:<14}  {off.mean():.4f}   {off.max():.4f}")
    print("\ndifference in a value, 20 random matrices: 100 ranks, each leading to some of 30 targets")
    print("                            mean      largest")
    drawn = matrices(random)
    for name, function in (("EPRUM at a recall value", eprum), ("EPRUM", mean_eprum), ("PRUM at a recall value", prum)):
        off = np.concatenate([np.abs(function(matrix, "normal") - function(matrix, "exact")) for matrix in drawn])
        print(f"{name:<26}  {off.mean():.5f}   {off.max():.5f}")


def largest_differences(probabilities: np.ndarray) -> np.ndarray:
    """For each row the largest difference between the two laws."""
    exact = plain_law(probabilities, 1 - probabilities)
    mean = probabilities.sum(axis=1)[:, None]
    deviation = np.sqrt((probabilities * (1 - probabilities)).sum(axis=1))[:, None]
    borders = ndtr((np.arange(probabilities.shape[1] + 2) - 0.5 - mean) / deviation)
    found: np.ndarray = np.abs(np.diff(borders, axis=1) - exact).max(axis=1)
    return found


def matrices(random: np.random.Generator) -> list[np.ndarray]:
    return [random.random((100, 30)) ** 2 * (random.random((100, 30)) < 0.1) for _ in range(20)]


def eprum(matrix: np.ndarray, law: LawName) -> np.ndarray:
    reach = Reach.of(matrix)
    return np.arange(1, reach.targets + 1) * expected_inverse(reach, law)


def mean_eprum(matrix: np.ndarray, law: LawName) -> np.ndarray:
    return np.atleast_1d(eprum(matrix, law).mean())


def prum(matrix: np.ndarray, law: LawName) -> np.ndarray:
    return bp.prum(matrix, units=200, law=law)


if __name__ == "__main__":
    main()
