"""MediaEval judgements of video segments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.origin import Origin
from berrypick.data.truth import Truth
from berrypick.files.files import content
from berrypick.files.line_words import word_problem
from berrypick.files.scan import scan
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.video._video import in_minutes_seconds, minutes_seconds, read_segment, whole_seconds
from berrypick.rows.values import Judgement, judged_counts, spans_topic

#: Topic, video, start, end, grade, line.
Row = tuple[str, str, int, int, float, int]


class MediaevalQrels(Format):
    """MediaEval search and hyperlinking judgements: ``query Q0 video start end 0|1``, separated by white space.

    Times are minutes.seconds: 17.10 is 17 minutes and 10 seconds. Exact copies are merged; one that is judged both
    ways counts as relevant.

    Sample::

        query_1 Q0 v20080719_202500_bbcfour 17.10 20.00 1
        query_1 Q0 v20080719_202500_bbcfour 3.00 4.30 0
    """

    format_name: ClassVar[str] = "mediaeval-qrels"
    positions = "seconds"
    role: ClassVar[Role] = "truth"
    marks: ClassVar[tuple[str, ...]] = (".",)
    words: ClassVar[int] = 6
    shape: ClassVar[str] = "query Q0 video start end 0|1 (minutes.seconds)"
    suffixes: ClassVar[tuple[str, ...]] = (".qrel",)

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        return (
            len(fields) == 6
            and fields[5] in ("0", "1")
            and all("." in word and minutes_seconds(word) is not None for word in fields[3:5])
        )

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        scanned = scan(path, cls.format_name)
        rows = _read_lines(path, problems) if scanned is None else scanned.rows("start", "end", "grade", "line")
        topics: dict[str, dict[tuple[str, int, int], Judgement]] = {}
        for topic, video, start, end, grade, number in rows:
            judged = topics.setdefault(topic, {})
            key = (video, start, end)
            if key in judged:
                problems.count("segments judged more than once, merged")
                grade, number = max(grade, judged[key][0]), judged[key][1]
            judged[key] = (grade, number)
        found = {topic: spans_topic(topic, judged) for topic, judged in topics.items()}
        return Truth("spans", found, Origin(path, cls.format_name))

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth) or value.units != "spans":
            return "it is not a truth of spans"
        for topic in value.topics.values():
            if topic.start is None or not (whole_seconds(topic.start) and whole_seconds(topic.end)):
                return "times are not whole seconds"
            if np.any(topic.end <= topic.start):
                return "some segments are empty"
            if not set(topic.grade.tolist()) <= {0.0, 1.0}:
                return "grades are not 0 and 1"
            if problem := word_problem((topic.topic,), topic.document):
                return problem
        return ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for topic in value.topics.values():
            rows = zip(topic.document, topic.start.tolist(), topic.end.tolist(), topic.grade.tolist(), strict=True)
            for video, start, end, grade in rows:
                times = f"{in_minutes_seconds(start)} {in_minutes_seconds(end)}"
                out.write(f"{topic.topic} Q0 {video} {times} {grade:.0f}\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        return judged_counts(value, "judged segment")


def _read_lines(path: str, problems: Problems) -> Iterator[Row]:
    for number, text in content(path, problems):
        fields = text.split()
        if len(fields) != 6 or fields[5] not in ("0", "1"):
            problems.report(f"is not {MediaevalQrels.shape}", number, text)
            continue
        if (segment := read_segment(fields[3], fields[4], 1, problems, number, text)) is not None:
            yield fields[0], fields[2], *segment, float(fields[5]), number
