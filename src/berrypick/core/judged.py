"""The judged ranking of one topic: the one value that a measure sees.

Parts that cost something (reach, effort, document lengths) are worked out when a measure first asks for them and
kept; a part that the inputs cannot give raises an error that says what would help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from berrypick.core.arrays import FloatArray, Positions
from berrypick.core.collection import Collection
from berrypick.core.drawn import as_html
from berrypick.core.line import Line
from berrypick.core.reach import Reach
from berrypick.core.run import Ranking
from berrypick.core.truth import Highlighted, Targets, TopicTruth


@dataclass(frozen=True)
class Candidates:
    """The units an ideal list may be made of: targets by decreasing grade, then everything else that is known."""

    names: Sequence[str]
    reach: Reach


@dataclass(frozen=True)
class Effort:
    """What consulting costs: of each rank of the list, and of each target if it stood in the ideal list."""

    ranks: FloatArray
    targets: FloatArray


@dataclass(frozen=True, eq=False)
class Judged:
    """One topic: its targets, the ranking, and what a reader of it sees."""

    topic: str
    targets: Targets
    ranking: Ranking
    answered: bool = True  # False: the topic is judged, but missing from the run
    units: int | None = None  # retrievable units in all, where known
    make_reach: Callable[[], Reach] = field(repr=False, default=lambda: Reach.nothing(0, 0))
    make_candidates: Callable[[], Candidates] = field(repr=False, default=lambda: Candidates((), Reach.nothing(0, 0)))
    make_effort: Callable[[], Effort] = field(repr=False, default=lambda: _missing("effort"))
    make_collection: Callable[[], Collection] = field(repr=False, default=lambda: _missing("collection"))
    make_spans: Callable[[], tuple[Ranking, Targets]] = field(repr=False, default=lambda: _missing("spans"))
    make_located: Callable[[], Ranking] = field(repr=False, default=lambda: _missing("located"))
    make_read: Callable[[], Ranking] = field(repr=False, default=lambda: _missing("read"))
    make_text: Callable[[], Highlighted] = field(repr=False, default=lambda: _missing("text"))
    line: Line | None = None  # tokens, where the texts of the documents are known
    effort_in: str = "rank"  # what the person asked effort to be counted in
    chunks: Mapping[str, tuple[Positions, Positions]] | None = None  # starts and ends of all chunks, by document
    truth: TopicTruth | None = None  # the judgements behind the targets
    scale: str = ""  # how elements are graded
    protocol: str = ""  # a campaign whose program's own rules are asked for
    task: str = ""  # the retrieval task, where one is named
    ties: str = "none"  # which column of the run shows ties: rank, score or none
    left_out: frozenset[str] = frozenset()  # names of elements that count for nothing

    @cached_property
    def reach(self) -> Reach:
        return self.make_reach()

    @cached_property
    def candidates(self) -> Candidates:
        return self.make_candidates()

    @cached_property
    def effort(self) -> Effort:
        return self.make_effort()

    @cached_property
    def collection(self) -> Collection:
        """Document lengths."""
        return self.make_collection()

    @cached_property
    def located(self) -> Ranking:
        """The ranking as intervals on the documents' lines."""
        return self.make_located()

    @cached_property
    def read(self) -> Ranking:
        """What the reader gets with each result, as intervals on the documents' lines."""
        return self.make_read()

    @cached_property
    def text(self) -> Highlighted:
        """Relevant text as spans."""
        return self.make_text()

    @cached_property
    def spans(self) -> tuple[Ranking, Targets]:
        """Ranking and targets as intervals on the documents' lines, whole documents included."""
        return self.make_spans()

    def _repr_html_(self) -> str:
        """Targets, ranking and where they stand in the documents, for notebooks."""
        return as_html(self)


def _missing(part: str) -> Any:
    raise AssertionError(f"this judged ranking was built without {part}")


@dataclass(frozen=True)
class Score:
    """A value (None where undefined), with what a person should know about it."""

    value: float | None
    notes: tuple[str, ...] = ()
    #: Extra parts of the signature, e.g. that an approximation of a stated precision was used.
    signed: tuple[tuple[str, str], ...] = ()


Curve = list[tuple[float, float]]
