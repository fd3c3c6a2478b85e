"""The values that a run has beside its pointers: texts of results, the rules of their order, facts of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from berrypick.data.arrays import IntArray
from berrypick.data.trace_step import TraceStep

Duplicates = Literal["error", "first", "keep"]
Missing = Literal["empty", "absent"]
#: What orders the results of a topic.
Order = Literal["rank", "list", "score", "file"]


@dataclass(frozen=True, eq=False)
class ResultTexts:
    """What results say beside their places: texts, ids and other names, which documents settle.

    Attributes
    ----------
    quoted
        The texts of results, by row: to be looked up in the documents, or checked against the offsets.
    of_text
        Whether its results are texts whose places are not known: parts of the documents that they name.
    strings
        Whether the results are strings of lists: names of documents, or texts, as the truth decides.
    row_ids
        The ids of rows, where a question has several: they are topics with one question, or chunks.
    page_fields
        Fields of pages beside the text or the offsets of results, by row: a truth of pages reads them.
    other_names
        Names that a program made for documents, and the names of files beside them.
    unplaced
        Results whose text is not in the documents, which count as irrelevant: topic, rank, text and why.
    """

    quoted: Mapping[int, str] = field(default_factory=dict)
    of_text: bool = False
    strings: bool = False
    row_ids: Sequence[str] = ()
    page_fields: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    other_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unplaced: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Ordering:
    """The rules by which results of a topic are ordered, and what they leave open.

    Attributes
    ----------
    order
        What orders the results of a topic: ``rank`` (their ranks, or the rules of the format), ``list`` (their places
        in a list), ``score``, or ``file`` (their lines).
    duplicates
        How its format treats repeated results.
    ties
        Which column shows ties.
    task
        The retrieval task that the file declares (focused, thorough, ...); empty if none.
    disordered
        Number of topics whose scores do not fall in the order of the input.
    given
        The order in which rows ordered by score stood in the input, where their lines do not say it.
    """

    order: Order = "file"
    duplicates: Duplicates = "error"
    ties: Literal["rank", "score", "none"] = "none"
    task: str = ""
    disordered: int = 0
    given: IntArray | None = None


@dataclass(frozen=True, eq=False)
class TopicFacts:
    """What a run says of topics beside their results.

    Attributes
    ----------
    asked
        The questions of topics, by the ids beside them, where the run names topics by questions.
    missing
        What a topic counts as that the run does not mention: an ``empty`` list, as in flat rows, or ``absent``, where
        the input can state an empty list.
    costs
        What answering a topic cost, by topic and name: latency (seconds), cost, tokens.
    extra
        What a format says of topics beside results, by name and topic, for the measures that know that name.
    traces
        The ids of the trace and of the step of it that retrieved, by topic, where the run comes from traces.
    """

    asked: Mapping[str, str] = field(default_factory=dict)
    missing: Missing = "empty"
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    extra: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    traces: Mapping[str, TraceStep] = field(default_factory=dict)
