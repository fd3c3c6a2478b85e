"""What consulting results and targets costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.errors import UsageError, option
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
from berrypick.judging.context import JudgingContext
from berrypick.relevance.targets import targets_as_spans
from berrypick.users.base import ReaderContext


@dataclass(frozen=True)
class Effort:
    """What consulting costs: of each rank of the list, and of each target if it stood in the ideal list."""

    ranks: FloatArray
    targets: FloatArray


def measure_effort(ranking: Ranking, targets: Targets, context: JudgingContext) -> Effort:
    if context.effort == "rank":
        return Effort(np.ones(ranking.ranks), np.ones(len(targets)))
    lengths = _target_lengths(targets, context.reader)
    ranks = context.user.effort(ranking, targets, context.reader)
    if len(ranks) and ranks[0] <= 0:
        raise UsageError(
            f"the effort of rank 1 ({ranking.names_by_rank()[0]}) is 0 {context.effort}, which cannot be divided by; "
            f"if its length is unknown, give document lengths with {option('collection')}"
        )
    return Effort(ranks, lengths)


def _target_lengths(targets: Targets, reader: ReaderContext) -> FloatArray:
    if targets.start is None and targets.size is not None and not np.isnan(targets.size).any():
        return targets.size
    spans = targets_as_spans(targets, reader.collection)
    assert spans.start is not None and spans.end is not None
    if reader.effort_tokens is None:
        return (spans.end - spans.start).astype(np.float64)
    tokens = np.zeros(len(spans))
    for document, rows in spans.by_document().items():
        tokens[rows] = reader.effort_tokens.between(document, spans.start[rows], spans.end[rows])
    return tokens
