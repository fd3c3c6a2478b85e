"""What consulting results costs, and browsing from them to targets: ranks, clicks, text, tokens or time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.observed import once_for_each
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.intervals import merge
from berrypick.targets.targets import targets_as_spans, without_structure
from berrypick.topics.context import JudgingContext
from berrypick.topics.effort import Effort, span_lengths
from berrypick.topics.topic import JudgedTopic
from berrypick.users.base import ReaderContext, UserModel
from berrypick.users.pairs import covered, same_document_pairs


def measure_effort(ranking: Ranking, targets: Targets, reach: Reach, context: JudgingContext) -> Effort:
    """Return what consulting each rank, and browsing from it to targets, costs.

    Parameters
    ----------
    ranking
        What is consulted, repeated results included.
    targets
        What may be found.
    reach
        What each rank leads to.
    context
        What effort is counted in, and the reader.

    Returns
    -------
    Effort
        The effort of each rank, of each target, and of what lies outside of the results.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.topics.measured_effort import measure_effort
    >>> judged = bp.judge({"q": {"doc#0-40": 1}}, {"q": {"doc#0-90": 2, "doc#20-40": 1}}, "q", effort="chars")
    >>> measure_effort(judged.consulted, judged.targets, judged.reach, judged.context).ranks.tolist()
    [90.0, 20.0]
    """
    nothing = np.zeros(len(reach.probability))
    if context.effort == "rank":
        return Effort(np.ones(ranking.ranks), np.ones(len(targets)), nothing)
    browses = context.user.browses
    if context.effort == "clicks":
        ranks = context.user.clicks(ranking, targets, context.reader)
        outside = (_missed(ranking, targets, reach) > 0).astype(np.float64) if browses else nothing
        return Effort(ranks, np.ones(len(targets)), outside)
    lengths = _target_lengths(targets, context)
    ranks = context.user.effort(ranking, targets, context.reader)
    if len(ranks) and ranks[0] <= 0:
        raise UsageError(
            f"the effort of rank 1 ({ranking.names_by_rank()[0]}) is 0 {context.effort}; it must be above 0; "
            f"if its length is unknown, give document lengths with {option('collection')}"
        )
    if not browses:
        return Effort(ranks, lengths, nothing)
    if context.reader.effort_tokens is not None and targets.start is not None:
        return Effort(ranks, lengths, _tokens_outside(ranking, targets, reach, lengths, context.reader))
    return Effort(ranks, lengths, lengths[reach.target] * _missed(ranking, targets, reach))


def _target_lengths(targets: Targets, context: JudgingContext) -> FloatArray:
    reader = context.reader
    if targets.start is None and targets.size is not None and not np.isnan(targets.size).any():
        if reader.effort_tokens is not None:
            raise without_structure("effort in tokens needs the offsets of elements in their documents")
        return targets.size
    spans = targets_as_spans(targets, reader.single_documents)
    assert spans.start is not None and spans.end is not None
    if (spans.end <= spans.start).any():
        x = int(np.flatnonzero(spans.end <= spans.start)[0])
        raise UsageError(
            f"the target {spans.name(x)} has no length, as entry points have none, so reading it has no effort in "
            f"{context.effort}: use {option('effort', 'rank')}"
        )
    return span_lengths(spans, reader.effort_tokens)


@once_for_each
def candidates_effort(judged: JudgedTopic) -> Effort:
    """What consulting each candidate costs as the first of a list, and browsing from it."""
    candidates, targets, context = judged.candidates, judged.targets, judged.context
    parts = [_effort_alone(ranking, targets, reach, context) for ranking, reach in candidates.parts]
    ranks = np.concatenate([part.ranks for part in parts])
    if not (ranks[candidates.reach.events - 1] > 0).all():
        i = int(np.flatnonzero((ranks <= 0) & (candidates.reach.row_sums > 0))[0])
        raise UsageError(
            f"the effort of {candidates.names[i]}, which an ideal list may hold, is 0 {context.effort}; it must be "
            f"above 0: give the length of its document with {option('collection')}"
        )
    return Effort(ranks, parts[0].targets, np.concatenate([part.outside for part in parts]))


def _effort_alone(ranking: Ranking, targets: Targets, reach: Reach, context: JudgingContext) -> Effort:
    if type(context.user).reach_alone is UserModel.reach_alone or context.effort == "rank":
        return measure_effort(ranking, targets, reach, context)
    # earlier ranks matter to this user model, so each is consulted by itself
    found = []
    for row in range(ranking.ranks):
        one = replace(ranking.rows(np.array([row])), rank=np.zeros(1, dtype=np.int64), ranks=1)
        found.append(measure_effort(one, targets, reach.take([row]), context))
    ranks, outside = (np.concatenate([getattr(one, name) for one in found]) for name in ("ranks", "outside"))
    return Effort(ranks, found[0].targets, outside)


def _missed(ranking: Ranking, targets: Targets, reach: Reach) -> FloatArray:
    """For each entry of the reach, the share of the target that lies outside of the rank's pointers."""
    if targets.start is not None and ranking.start is not None:
        rank, target, share = covered(ranking, targets)
    elif targets.path is not None and ranking.path is not None:
        return _missed_of_elements(ranking, targets, reach)
    else:
        row, target = same_document_pairs(ranking, targets)
        rank, share = ranking.rank[row], np.ones(len(row))
    found = np.zeros(len(reach.rank))
    if len(rank):
        key, first = np.unique(rank * len(targets) + target, return_index=True)
        wanted = reach.rank * len(targets) + reach.target
        place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        found = np.where(key[place] == wanted, share[first[place]], 0.0)
    return np.maximum(0.0, 1.0 - found)


def _missed_of_elements(ranking: Ranking, targets: Targets, reach: Reach) -> FloatArray:
    """The same where only the sizes of elements are known: of the elements at a rank the outermost count."""
    assert ranking.path is not None and targets.path is not None
    pointers: dict[tuple[int, str], list[int]] = {}
    for row, (rank, code) in enumerate(zip(ranking.rank.tolist(), ranking.document.tolist(), strict=True)):
        pointers.setdefault((rank, ranking.documents[code]), []).append(row)
    found = np.ones(len(reach.rank))
    for entry, (rank, x) in enumerate(zip(reach.rank.tolist(), reach.target.tolist(), strict=True)):
        rows = pointers.get((rank, targets.document[x]), [])
        here = {ranking.paths[int(ranking.path[row])]: row for row in rows}
        if any(paths.contains(path, targets.path[x]) for path in here):
            found[entry] = 0.0
            continue
        inside = [path for path in here if paths.contains(targets.path[x], path)]
        outermost = [path for path in inside if not any(above in inside for above in paths.ancestors(path))]
        if outermost and ranking.size is not None and targets.size is not None:
            size = float(targets.size[x])  # an empty element holds only empty ones
            seen = float(sum(ranking.size[here[path]] for path in outermost)) / size if size else 1.0
            found[entry] = max(0.0, 1.0 - seen)
    return found


def _tokens_outside(
    ranking: Ranking, targets: Targets, reach: Reach, lengths: FloatArray, reader: ReaderContext
) -> FloatArray:
    """Tokens of each target outside of the rank's pointers, one entry at a time."""
    assert ranking.start is not None and ranking.end is not None and reader.effort_tokens is not None
    assert targets.start is not None and targets.end is not None
    found = lengths[reach.target].copy()
    for entry, (rank, x) in enumerate(zip(reach.rank.tolist(), reach.target.tolist(), strict=True)):
        rows = ranking.rows_by_document.get(targets.document[x])
        rows = rows[ranking.rank[rows] == rank] if rows is not None else np.zeros(0, dtype=np.int64)
        start, end = merge(
            np.maximum(ranking.start[rows], targets.start[x]), np.minimum(ranking.end[rows], targets.end[x])
        )
        if len(start):
            inside = reader.effort_tokens.between(targets.document[x], start, np.maximum(start, end))
            found[entry] = max(0.0, found[entry] - float(inside.sum()))
    return found
