"""Tolerance to irrelevance: a reader enters a document at a point, moves forward, and gives up (2004 paper, section 4).

A document is a line of a certain length, targets are half-open intervals on it. One visit finds some targets and
wastes at most one unit of tolerance.

Material of targets that were seen before may have a tolerance of its own, rho: a step through it spends 1/rho, any
other step without anything new 1/tau, and the reader gives up when 1 is spent since the last new relevant moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from berrypick.data.errors import UsageError
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets

if TYPE_CHECKING:
    from berrypick.documents.token_offsets import TokenOffsets
    from berrypick.users.base import ReaderContext
    from berrypick.users.tolerance.distributions import Tolerances

#: The default tolerance of irrelevant material: seconds of video, characters or tokens of text.
USUAL_TOLERANCE = {"seconds": 15.0, "chars": 300.0, "tokens": 60.0}


#: Units of text that are counted in the texts of the documents.
COUNTED = ("tokens", "sentences")


def sentences_of(context: ReaderContext) -> TokenOffsets | None:
    """Return the documents counted in sentences, where their texts are known."""
    if context.texts is None:
        return None
    from berrypick.documents.tokens import sentence_offsets

    return sentence_offsets(context.texts)


def usual_tolerance(unit: str | None, example: str) -> float:
    """The tolerance that goes with what positions count; refused where that is not known."""
    if unit == "lines":
        raise UsageError(f"tolerance has no default where positions count lines; give it, as in {example}")
    if unit == "sentences":
        raise UsageError("tolerance has no default in sentences; give it, as in tolerance=3,unit='sentences'")
    if unit is None:
        raise UsageError(
            "tolerance has no default here, because it is not known whether positions count characters or seconds; "
            f"give it, as in {example}"
        )
    return USUAL_TOLERANCE[unit]


#: Disjoint stretches of a line in order.
Intervals = Sequence[tuple[float, float]]


def seen_before(spans: Sequence[tuple[float, float, int]], unseen: Sequence[tuple[float, float, int]]) -> Intervals:
    """The material of those spans of a document that are not unseen any more."""
    new = {index for _, _, index in unseen}
    merged: list[tuple[float, float]] = []
    for start, end, index in sorted(spans):
        if index in new:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _within(stretches: Intervals, start: float, end: float) -> float:
    """How much of a stretch lies in others."""
    return math.fsum(max(0.0, min(end, high) - max(start, low)) for low, high in stretches)


@dataclass(frozen=True)
class Tolerance:
    """How much irrelevant material is endured, and whether the reader goes on after something relevant."""

    tolerance: float
    keeps_viewing: bool = True
    t_init: float = 0.0
    #: rho, the tolerance of material that was seen before; None: that of irrelevant material.
    redundancy: float | None = None

    def needs(self, start: float, end: float, seen: Intervals) -> float:
        """The tolerance of irrelevant material above which a reader passes from start to end."""
        if self.redundancy is None:
            return end - start
        repeated = _within(seen, start, end)
        left = 1.0 - repeated / self.redundancy
        return (end - start - repeated) / left if left > 0 else math.inf

    def until(self, start: float, tolerance: float, seen: Intervals) -> float:
        """Where a reader of this tolerance gives up who finds nothing from start on."""
        if self.redundancy is None:
            return start + tolerance
        left = 1.0
        for low, high in seen:
            if high <= start:
                continue
            if low - start >= left * tolerance:
                break
            left -= max(0.0, low - start) / tolerance
            start = max(start, low)
            if high - start >= left * self.redundancy:
                return start + left * self.redundancy
            left -= (high - start) / self.redundancy
            start = high
        return start + left * tolerance


@dataclass(frozen=True)
class ListVisit:
    """Indices of the targets found, units of tolerance spent (0 or 1), and how far the reader went."""

    found: tuple[int, ...]
    wasted: int
    length: float = 0.0


def visit(
    entry: float,
    document_end: float | None,
    targets: Sequence[tuple[float, float, int]],
    reader: Tolerance,
    seen: Intervals = (),
) -> ListVisit:
    """One visit. ``targets`` are (start, end, index) of the *unseen* targets of the document, in any order.

    ``document_end`` is None for a document of unknown length. ``seen`` is the material of targets seen before.
    """
    if document_end is None or entry >= document_end:
        return ListVisit((), 1)
    found: list[int] = []
    position = entry
    for gap in gaps(entry, document_end, targets, reader, seen):
        if gap.needs >= reader.tolerance:
            until = reader.until(gap.start + gap.patience, reader.tolerance, seen)
            return ListVisit(tuple(found), 1, min(until, document_end) - entry)
        found += gap.found
        position = gap.end
    return ListVisit(tuple(found), 0, min(position, document_end) - entry)


def _stretches(
    position: float, targets: Sequence[tuple[float, float, int]]
) -> Iterator[tuple[float, float, list[int]]]:
    """Relevant stretches from a position on, (start, end, indices of their targets), in one pass over sorted targets.

    Every target that starts before a stretch ends belongs to it.
    """
    i = 0
    while True:
        while i < len(targets) and targets[i][1] <= position:
            i += 1
        if i == len(targets):
            return
        start = end = max(targets[i][0], position)
        found: list[int] = []
        while i < len(targets) and (targets[i][0] <= start or targets[i][0] < end):
            if targets[i][1] > position:
                found.append(targets[i][2])
                end = max(end, targets[i][1])
            i += 1
        yield start, end, found
        position = end


#: Where each visit begins: document, entry point, and whether the result is a repeated one.
Entries = list[tuple[str, float, bool]]
#: The targets of each document in order: start, end and index.
Spans = dict[str, list[tuple[float, float, int]]]


def entries_of(ranking: Ranking) -> Entries:
    assert ranking.start is not None
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    repeated = ranking.repeated.tolist() if ranking.repeated is not None else [False] * len(ranking)
    return list(zip(names, ranking.start.tolist(), repeated, strict=True))


def ends_of(entries: Entries, lengths: Mapping[str, float]) -> dict[str, float]:
    """Where the documents that are visited end, as far as that is known."""
    return {name: float(lengths[name]) for name in {name for name, _, _ in entries} if name in lengths}


def spans_by_document(targets: Targets) -> Spans:
    assert targets.start is not None and targets.end is not None
    spans: Spans = {}
    for document, indices in targets.by_document().items():
        start, end = targets.start[indices].astype(float).tolist(), targets.end[indices].astype(float).tolist()
        spans[document] = sorted(zip(start, end, indices.tolist(), strict=True))
    return spans


@dataclass(frozen=True)
class ListVisits:
    """All visits of a list: per result what it found, and how many targets had been found before each wasted unit."""

    visits: tuple[ListVisit, ...]
    found_before_unit: tuple[int, ...]
    found: int

    def units_before(self, wanted: float) -> int:
        """Units spent before the wanted-th target is found (all units, if it never is)."""
        return sum(1 for found in self.found_before_unit if found < wanted)


def walk(
    entries: Entries,
    lengths: dict[str, float],
    targets: Spans,
    reader: Tolerance,
) -> ListVisits:
    """Visit (document, entry point, repeated) in turn; what was seen before is irrelevant from then on.

    A repeated result finds nothing and wastes one unit.
    """
    every = {document: sorted(spans) for document, spans in targets.items()}
    unseen = dict(every)
    visits: list[ListVisit] = []
    before: list[int] = []
    found = 0
    for document, entry, repeated in entries:
        if repeated:
            one = ListVisit((), 1)
        else:
            new = unseen.get(document, ())
            seen = () if reader.redundancy is None else seen_before(every.get(document, ()), new)
            one = visit(entry, lengths.get(document), new, reader, seen)
        if one.found:
            gone = set(one.found)
            unseen[document] = [span for span in unseen[document] if span[2] not in gone]
        found += len(one.found)
        before += [found] * one.wasted
        visits.append(one)
    return ListVisits(tuple(visits), tuple(before), found)


# --- tolerances that differ between people --------------------------------------------------------------------------


@dataclass(frozen=True)
class Gap:
    """Irrelevant material to pass: the tolerance it takes, from where, and what is found behind it.

    ``patience`` is what the reader has there besides the tolerance; ``end`` where the relevant stretch behind it ends.
    """

    needs: float
    start: float
    patience: float
    found: tuple[int, ...]
    end: float


def gaps(
    entry: float,
    document_end: float,
    targets: Sequence[tuple[float, float, int]],
    reader: Tolerance,
    seen: Intervals = (),
) -> Iterator[Gap]:
    """The gaps that a visit meets as long as tolerance suffices; the last one has nothing behind it.

    The first steps, ``t_init`` of them, spend nothing.
    """
    position, patience = entry, reader.t_init
    for start, end, stretch in _stretches(entry, sorted(targets)):
        if start >= document_end:
            break
        needs = (
            reader.needs(position + patience, start, seen)
            if start > position + patience
            else start - position - patience
        )
        yield Gap(needs, position, patience, tuple(stretch), end)
        position, patience = end, 0.0
        if position >= document_end or not reader.keeps_viewing:
            return
    yield Gap(math.inf, position, patience, (), document_end)


@dataclass(frozen=True)
class SpreadVisit:
    """With what probability each target is found, and how far readers go on average."""

    found: tuple[tuple[int, float], ...]
    length: float


def spread_visit(
    entry: float,
    document_end: float | None,
    targets: Sequence[tuple[float, float, int]],
    reader: Tolerance,
    law: Tolerances,
) -> SpreadVisit:
    """One visit of readers whose tolerances differ; that of ``reader`` is not read."""
    if document_end is None or entry >= document_end:
        return SpreadVisit((), 0.0)
    found: list[tuple[int, float]] = []
    length = passed = 0.0  # passed: the tolerance that all gaps so far took
    last = entry
    for gap in gaps(entry, document_end, targets, reader):
        limit = min(gap.needs, document_end - gap.start - gap.patience)
        if limit > passed:  # some give up in this gap, or at the end of the document
            length += law.between(passed, limit) * (gap.start + gap.patience - entry) + law.mean(passed, limit)
        passed = max(passed, limit)
        last = min(gap.end, document_end)
        if gap.found:
            found += [(index, law.above(passed)) for index in gap.found]
    return SpreadVisit(tuple(found), length + law.above(passed) * (last - entry))
