"""What exports of annotation tools share: tasks with a text, and spans that annotators marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from berrypick.data.annotators import merge_annotators
from berrypick.data.arrays import Positions
from berrypick.data.origin import Origin
from berrypick.data.truth import Offsets, TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.documents.offsets import inside_word
from berrypick.files.line_words import finite
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.values import Judgement, judged_counts, spans_topic

#: Labels and the grades that they stand for; other labels may be grades themselves.
GRADES = {"relevant": 1.0, "irrelevant": 0.0, "not relevant": 0.0}
#: A label or choice that says that the text of a task was judged as a whole.
WHOLE = ("judged", "judged whole")


#: The largest offset: larger numbers are not exact as 64-bit floats.
MOST = 2**53


@dataclass(frozen=True)
class Mark:
    """A span of a task's text, as the tool counts; ``text`` is what the tool says stands there."""

    start: int
    end: int
    label: str
    text: str | None = None


@dataclass(frozen=True)
class Annotated:
    """What one annotator marked in one task. ``offset`` is where the task's text begins in its document."""

    topic: str
    document: str
    text: str | None  # None: the text is not there, and spans are not checked
    offset: int
    annotator: str
    marks: tuple[Mark, ...]
    whole: bool = False
    line: int | None = None


def as_list(given: Any) -> list[Any]:
    """Where a list is expected and programs may write one value, or none."""
    return given if isinstance(given, list) else [] if given is None else [given]


def task_fields(
    fields: Sequence[Any], problems: Problems, line: int | None, name: str
) -> tuple[str, str, str, int] | None:
    """Topic, document, text and offset of a task, from the first of some objects that has each of them."""
    known = [one for one in fields if isinstance(one, dict)]

    def first(key: str) -> Any:
        return next((one[key] for one in known if one.get(key) is not None), None)

    names = [str(value) if type(value) is int else value for value in (first("topic"), first("doc"), first("text"))]
    for key, value in zip(("topic", "doc", "text"), names, strict=True):
        if not isinstance(value, str) or not value:
            remedy = "tasks need topic, doc, text and offset (where the text begins in the document)"
            problems.report(f"{name} has no {key}", line, remedy=remedy)
            return None
    given = first("offset") if first("offset") is not None else 0
    offset = finite(given) if isinstance(given, str) else given
    if isinstance(offset, bool) or not isinstance(offset, (int, float)) or not 0 <= offset <= MOST or offset % 1:
        problems.report(f"{name}: offset must be a whole number of at least 0, not {given!r:.40}", line)
        return None
    return str(names[0]), str(names[1]), str(names[2]), int(offset)


def truth_of(
    annotated: Iterable[Annotated], problems: Problems, path: str, name: str, countings: Sequence[Offsets]
) -> Truth:
    """The truth that annotators made; ``countings`` are what the tool's offsets may count, the usual one first."""
    found = list(annotated)
    counting = _counting(found, countings)
    by_annotator: dict[str, dict[str, _Topic]] = {}
    for one in found:
        topics = by_annotator.setdefault(one.annotator, {})
        topics.setdefault(one.topic, _Topic(one.topic)).add(one, counting, problems)
    annotators = {
        annotator: {name: topic.truth() for name, topic in topics.items()} for annotator, topics in by_annotator.items()
    }
    notes = () if counting is None else (f"offsets are read as {_SAID[counting]}",)
    return Truth(
        "spans", merge_annotators(annotators), Origin(path, name, notes), offsets="chars",
        annotators=annotators if len(annotators) > 1 else {},
    )  # fmt: skip


_SAID = {"chars": "characters", "utf16": "UTF-16 units", "bytes": "bytes"}


class _Topic:
    """The spans of one annotator for one topic."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.spans: dict[tuple[str, int, int], Judgement] = {}
        self.judged: dict[tuple[str, int, int], Judgement] = {}

    def add(self, one: Annotated, counting: Offsets | None, problems: Problems) -> None:
        marks = one.marks
        if one.whole or any(mark.label.lower() in WHOLE for mark in marks):
            self._judge(one)
        for mark in marks:
            grade = GRADES.get(mark.label.strip().lower(), finite(mark.label.strip()))
            if mark.label.lower() in WHOLE:
                continue
            if grade is None:
                problems.count(f"spans with the label {mark.label}, skipped")
                continue
            place = _characters(mark, one.text, counting or "chars")
            if place is None or not _same(mark, one.text, place):
                shown = f"{mark.start}-{mark.end} of the task for topic {one.topic} in {one.document}"
                what = "goes beyond its text" if place is None else f"is not {mark.text!r:.60}"
                problems.report(f"the span {shown} {what}", one.line, remedy="export it again, or correct the span")
                continue
            start, end = one.offset + place[0], one.offset + place[1]
            key = one.document, start, end
            if key in self.spans and self.spans[key][0] == grade:
                problems.count("exact copies, merged")
            known = self.spans.setdefault(key, (grade, one.line or 0))
            if known[0] != grade:
                problems.report(f"{one.document} {start}-{end} has two grades for topic {one.topic}", one.line)

    def _judge(self, one: Annotated) -> None:
        """The text of a task, all of it: what is not marked as relevant is not."""
        if one.text is not None:
            self.judged.setdefault((one.document, one.offset, one.offset + len(one.text)), (0.0, one.line or 0))

    def truth(self) -> TopicTruth:
        return spans_topic(self.topic, {**self.judged, **self.spans})


def _characters(mark: Mark, text: str | None, counting: Offsets) -> tuple[int, int] | None:
    """A span in characters; None if it is not within the text, or would cut a character in two."""
    if not 0 <= mark.start < mark.end <= MOST:
        return None
    if text is None:
        return mark.start, mark.end
    if counting == "chars" or text.isascii():
        return (mark.start, mark.end) if mark.end <= len(text) else None
    borders = _borders(text, counting)
    start, end = np.searchsorted(borders, (mark.start, mark.end)).tolist()
    if mark.end > borders[-1] or borders[start] != mark.start or borders[end] != mark.end:
        return None
    return start, end


@lru_cache(maxsize=2)  # spans of one text come one after another, for each counting in turn
def _borders(text: str, counting: Offsets) -> Positions:
    """Where the characters of a text begin, in units of UTF-16 or bytes of UTF-8, and where the last one ends."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    longer = (0xFFFF,) if counting == "utf16" else (0x7F, 0x7FF, 0xFFFF)
    sizes = 1 + sum((codes > most).astype(np.int64) for most in longer)
    return np.concatenate([[0], np.cumsum(sizes)])


def _same(mark: Mark, text: str | None, place: tuple[int, int]) -> bool:
    """Whether a tool's own text of a span stands there; tools trim and join white space, and escape line ends."""
    return mark.text is None or text is None or same_text(mark.text, text[place[0] : place[1]])


def same_text(said: str, there: str) -> bool:
    """Whether two texts are the same but for white space and escaped line ends."""
    one, other = ("".join(part.replace("\\n", "").split()) for part in (said, there))
    return one == other


def _counting(found: Sequence[Annotated], countings: Sequence[Offsets]) -> Offsets | None:
    """What offsets count: that under which spans fit the text, their quotes, and the ends of words. None where it does
    not matter, because all characters before the spans are one unit."""
    if len(countings) < 2 or all(ord(max(one.text or " ")) < 0x10000 for one in found):
        return countings[0] if len(countings) == 1 and countings[0] != "chars" else None

    def misfits(counting: Offsets) -> tuple[int, int]:
        wrong = cut = 0
        for one in found:
            for mark in one.marks:
                place = _characters(mark, one.text, counting)
                if place is None or not _same(mark, one.text, place):
                    wrong += 1
                else:
                    cut += sum(inside_word(one.text or "", at) for at in place)
        return wrong, cut

    return min(countings, key=misfits)


class AnnotationExport(Format):
    """An export of an annotation tool."""

    role: ClassVar[Role] = "truth"
    #: What the tool's offsets may count, the usual one first.
    countings: ClassVar[tuple[Offsets, ...]] = ("chars",)

    @classmethod
    def annotated(cls, path: str, problems: Problems) -> Iterable[Annotated]:
        """What annotators marked in the tasks of a file."""
        raise NotImplementedError(f"{cls.__name__} has no method annotated")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        return truth_of(cls.annotated(path, problems), problems, path, cls.format_name, cls.countings)

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        annotators = [counted(len(value.annotators), "annotator")] if value.annotators else []
        return [*judged_counts(value, "judged span"), *annotators]
