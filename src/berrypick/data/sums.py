"""Checksums of judgements and of names of topics, by which saved numbers of two truths are told apart.

A sum does not depend on format, order of lines or names of files. Names of documents count, and so do grades, places,
sets, hops and everything else that measures read of a judgement.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.truth import Quote, TopicTruth, Truth

#: The fields of a signature: over the judgements, and over the names of the topics that a mean is over.
TRUTH_SUM, TOPICS_SUM = "truth-sum", "topics-sum"
SUMS = (TRUTH_SUM, TOPICS_SUM)
#: Bytes of a sum, which has two hexadecimal digits for each.
_BYTES = 6
Fields = tuple[tuple[str, str], ...]


class TruthSums:
    """The sums of a truth and of its topics, computed when a signature is first looked at.

    >>> import berrypick as bp
    >>> one, other = (TruthSums(bp.Truth.from_dict({"q": rows})) for rows in ({"a": 1, "b": 0}, {"b": 0, "a": 1}))
    >>> one.whole == other.whole, len(one.whole)
    (True, 12)
    """

    def __init__(self, truth: Truth) -> None:
        self.truth = truth

    @cached_property
    def of_topics(self) -> dict[str, str]:
        """The sum of the judgements of each topic."""
        annotators = self.truth.annotators
        if len(annotators) < 2:
            return {name: topic_sum(topic) for name, topic in self.truth.topics.items()}
        return {  # majorities depend on who said what
            name: _sum(sorted((who, topic_sum(said[name])) for who, said in annotators.items() if name in said))
            for name in self.truth.topics
        }

    @cached_property
    def whole(self) -> str:
        """The sum of all judgements."""
        return sum_of_topics(self.of_topics.items())

    def of_topic(self, topic: str) -> Fields:
        """Return the field of a number of one topic."""
        return ((TRUTH_SUM, self.of_topics[topic]),)

    def of_mean(self, topics: Sequence[str]) -> Fields:
        """Return the fields of a mean over topics."""
        return (TRUTH_SUM, self.whole), (TOPICS_SUM, sum_of_names(topics))


def sum_of_topics(sums: Iterable[tuple[str, str]]) -> str:
    """Return the sum of judgements from the name and the sum of each topic."""
    return _sum(sorted(sums))


def sum_of_names(topics: Iterable[str]) -> str:
    """Return the sum of the names of topics."""
    return _sum(sorted(topics))


def sum_of_values(values: Mapping[str, float | None]) -> str:
    """Return the sum of a value for each topic, without the last digits, which machines compute differently."""
    return _sum(sorted((topic, None if value is None else f"{value:.9g}") for topic, value in values.items()))


def topic_sum(topic: TopicTruth) -> str:
    """Return the sum of the judgements of one topic."""
    columns = _columns(topic)
    names, rows = topic.document, range(len(topic.document))
    # a name that occurs once says where its row belongs; tuples of thousands of topics take twice the time
    key: Sequence[Any] = names if len(set(names)) == len(names) else list(zip(*columns.values(), strict=True))
    order = sorted(rows, key=key.__getitem__)
    return _sum({name: [column[row] for row in order] for name, column in columns.items()} | _beside(topic))


def _columns(topic: TopicTruth) -> dict[str, Sequence[Any]]:
    """What is judged, a column for each part of a judgement."""
    found: dict[str, Sequence[Any]] = {"doc": topic.document, "grade": _numbers(topic.grade)}
    if topic.boxes is not None:  # start and end follow from boxes
        found["page"], found["box"] = topic.boxes.page.tolist(), _numbers(topic.boxes.box)
    elif topic.start is not None and topic.end is not None:
        found["start"], found["end"] = _numbers(topic.start), _numbers(topic.end)
    if topic.path is not None:
        found["path"] = topic.path
    for name in ("exhaustivity", "specificity", "size", "rsize"):
        if (column := getattr(topic, name)) is not None:
            found[name] = _numbers(column)
    for name in ("aspects", "sets", "hops"):
        if (named := getattr(topic, name)) is not None:
            found[name] = list(map(sorted, named))
    return found


def _numbers(column: Any) -> list[Any]:
    """Numbers that can be put in order: -1 for what is not known, without the last digits that units change, and whole
    ones as whole numbers, whatever a format makes of them."""
    known = np.asarray(column)
    if known.dtype.kind == "f" and not (known % 1 == 0).all():
        known = np.nan_to_num(np.round(known, 9), nan=-1.0)
    whole = known.astype(np.int64)
    found: list[Any] = (whole if (whole == known).all() else known).tolist()
    return found


def _beside(topic: TopicTruth) -> dict[str, Any]:
    """What is judged beside the rows of a topic, in the same form whatever the order of a file."""
    parts = topic.start is not None or topic.path is not None
    whole = topic.whole_documents if parts else {*topic.empty_documents, *topic.judged_documents}
    found = {
        # that positions are seconds is known of some formats without a word
        "lines": parts and topic.unit == "lines",
        "no answer": topic.unanswerable,
        "whole": sorted(whole),
        "passages": sorted((one.document, one.start, one.end) for one in topic.passages),
        "entry points": sorted(_text([one.document, one.point, one.offset]) for one in topic.entry_points),
        "quotes": sorted(_text(_quoted(one)) for one in topic.quotes if not one.has_offsets),
        "extra": {name: _plain(value) for name, value in sorted(topic.extra.items())},
    }
    return {name: value for name, value in found.items() if value}


def _quoted(quote: Quote) -> list[Any]:
    places = [quote.document, quote.start, quote.end, quote.prefix, quote.suffix]
    return [quote.text, *places, float(quote.grade), sorted(quote.sets), sorted(quote.hops)]


def _plain(value: Any) -> Any:
    """What a format says of a topic, in types that JSON has."""
    if is_dataclass(value):
        return [_plain(getattr(value, one.name)) for one in fields(value)]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return sorted([str(name), _plain(one)] for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


_text = json.JSONEncoder(separators=(",", ":")).encode


def _sum(value: Any) -> str:
    return hashlib.blake2b(_text(value).encode(), digest_size=_BYTES).hexdigest()
