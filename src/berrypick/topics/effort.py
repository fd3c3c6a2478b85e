"""What consulting results costs, and browsing from them to targets: the value, and the lengths of targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.truth import Targets
from berrypick.documents.token_offsets import TokenOffsets


@dataclass(frozen=True)
class Effort:
    """The cost of consulting each rank of the list, and each target in an ideal list."""

    ranks: FloatArray
    targets: FloatArray
    #: For each entry of the reach, what reading the part of the target outside of the rank's pointers costs.
    outside: FloatArray


def span_lengths(targets: Targets, tokens: TokenOffsets | None) -> FloatArray:
    """How long each target is, in tokens or in what positions count."""
    assert targets.start is not None and targets.end is not None
    if targets.boxes is not None:
        return targets.boxes.areas
    if tokens is None:
        return (targets.end - targets.start).astype(np.float64)
    found = np.zeros(len(targets))
    for document, rows in targets.by_document().items():
        found[rows] = tokens.between(document, targets.start[rows], targets.end[rows])
    return found
