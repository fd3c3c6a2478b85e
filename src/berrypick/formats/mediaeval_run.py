"""MediaEval runs of video segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.assemble import assemble
from berrypick.core.columns import Coded, Stretches
from berrypick.core.run import Run
from berrypick.formats._files import content
from berrypick.formats._judged import result_counts
from berrypick.formats._scan import scan
from berrypick.formats._video import in_minutes_seconds, minutes_seconds
from berrypick.formats._words import finite, whole_number, word_problem
from berrypick.formats.base import Format, Problems, Role


class MediaevalRun(Format):
    """MediaEval search run: ``query Q0 video start end jump_in rank score [tag]``; a linking run has no jump_in.

    Times are minutes.seconds: 17.10 is 17 minutes and 10 seconds. The order is that of the rank column. The jump-in
    point is read and checked; results are entered at their start.

    Sample::

        query_1 Q0 v20080719_202500_bbcfour 17.10 20.0 17.10 1 17.57
        query_1 Q0 v20080703_200000_bbctwo 52.0 55.0 52.0 2 17.44
    """

    format_name: ClassVar[str] = "mediaeval-run"
    positions = "seconds"
    role: ClassVar[Role] = "run"
    shape: ClassVar[str] = "query Q0 video start end [jump_in] rank score [tag] (minutes.seconds)"
    suffixes: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split()
        if not 7 <= len(fields) <= 9 or not all("." in w and minutes_seconds(w) is not None for w in fields[3:5]):
            return False
        return cls._columns(fields) is not None

    @staticmethod
    def _columns(fields: list[str]) -> tuple[int, str] | None:
        """The column of the rank, and the tag; None if the line has no such shape."""
        for rank in (6, 5):  # with and without jump-in
            if (
                len(fields) in (rank + 2, rank + 3)
                and whole_number(fields[rank]) is not None
                and finite(fields[rank + 1]) is not None
            ):
                if rank == 6 and minutes_seconds(fields[5]) is None:
                    continue
                return rank, fields[rank + 2] if len(fields) == rank + 3 else ""
        return None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        found = scan(path, cls.format_name)
        if found is not None:
            topic, video = found.coded()
            numbers = (found.start, found.end, found.rank, found.score, found.line)
            return _assembled(path, found.tag, topic, video, numbers, found.moved)
        topics: list[str] = []
        videos: list[str] = []
        rows: list[tuple[int, int, int, float, int]] = []
        tag = ""
        moved = 0
        for number, text in content(path, problems):
            fields = text.split()
            shape = cls._columns(fields) if 7 <= len(fields) <= 9 else None
            if shape is None:
                problems.report(f"is not {cls.shape}", number, text)
                continue
            first, last = minutes_seconds(fields[3]), minutes_seconds(fields[4])
            if first is None or last is None:
                problems.report("a time is not minutes.seconds", number, text, "17.10 is 17 minutes and 10 seconds")
                continue
            if last < first:
                problems.report("the segment ends before it starts", number, text)
                continue
            rank, name = shape
            moved += rank == 6 and minutes_seconds(fields[5]) != first
            topics.append(fields[0])
            videos.append(fields[2])
            rows.append((first, last, int(fields[rank]), float(fields[rank + 1]), number))
            tag = tag or name
        columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        start, end, line = (columns[i].astype(np.int64) for i in (0, 1, 4))
        return _assembled(path, tag, topics, videos, (start, end, columns[2], columns[3], line), moved)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run) or value.start is None or value.end is None:
            return "it is not a run of spans"
        if not (np.floor(value.start) == value.start).all() or not (np.floor(value.end) == value.end).all():
            return "times are not whole seconds"
        if value.start.min(initial=0) < 0:
            return "some results have no times"
        return word_problem(value.topics, value.documents)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        tag = "_".join(value.tag.split())
        for topic, ranking in value.rankings():
            for row in range(len(ranking)):
                start, end = in_minutes_seconds(ranking.start[row]), in_minutes_seconds(ranking.end[row])
                rank = int(ranking.rank[row]) + 1
                score = float(ranking.score[row]) if ranking.score is not None else -float(rank)
                name = ranking.documents[int(ranking.document[row])]
                out.write(f"{topic} Q0 {name} {start} {end} {start} {rank} {score!r}{' ' + tag if tag else ''}\n")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return result_counts(value, "video")


def _assembled(
    path: str,
    tag: str,
    topic: Sequence[str] | Coded | Stretches,
    video: Sequence[str] | Coded,
    numbers: tuple[IntArray, IntArray, FloatArray, FloatArray, IntArray],
    moved: int,
) -> Run:
    start, end, rank, score, line = numbers
    notes = (f"{moved} jump-in points differ from the start; the start is used",) if moved else ()
    return assemble(
        tag=tag,
        topic=topic,
        document=video,
        start=start,
        end=end,
        rank=rank,
        score=score,
        line=line,
        order="rank",
        source=path,
        format=MediaevalRun.format_name,
        duplicates="keep",
        notes=notes,
    )
