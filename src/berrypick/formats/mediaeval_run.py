"""MediaEval runs of video segments."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.core.run import Run, assemble
from berrypick.core.words import counted
from berrypick.formats._files import content, finite
from berrypick.formats._video import in_minutes_seconds, minutes_seconds
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
        """Where rank stands, and the tag; None if the line has no such shape."""
        for rank in (6, 5):  # with and without jump-in
            if (
                len(fields) in (rank + 2, rank + 3)
                and fields[rank].isdigit()
                and len(fields[rank]) < 16
                and finite(fields[rank + 1]) is not None
            ):
                if rank == 6 and minutes_seconds(fields[5]) is None:
                    continue
                return rank, fields[rank + 2] if len(fields) == rank + 3 else ""
        return None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        topic: list[str] = []
        video: list[str] = []
        numbers: list[tuple[int, int, int, float, int]] = []
        tag = ""
        moved = 0
        for number, text in content(path, problems):
            fields = text.split()
            shape = cls._columns(fields) if 7 <= len(fields) <= 9 else None
            if shape is None:
                problems.report(f"is not {cls.shape}", number, text)
                continue
            start, end = minutes_seconds(fields[3]), minutes_seconds(fields[4])
            if start is None or end is None:
                problems.report("a time is not minutes.seconds", number, text, "17.10 is 17 minutes and 10 seconds")
                continue
            if end < start:
                problems.report("the segment ends before it starts", number, text)
                continue
            rank, name = shape
            moved += rank == 6 and minutes_seconds(fields[5]) != start
            topic.append(fields[0])
            video.append(fields[2])
            numbers.append((start, end, int(fields[rank]), float(fields[rank + 1]), number))
            tag = tag or name
        columns = np.array(numbers, dtype=np.float64).reshape(-1, 5).T
        notes = (f"{moved} jump-in points differ from the start; results are entered at their start",) if moved else ()
        return assemble(
            tag=tag,
            topic=topic,
            document=video,
            start=columns[0].astype(np.int64),
            end=columns[1].astype(np.int64),
            rank=columns[2],
            score=columns[3],
            line=columns[4].astype(np.int64),
            order="rank",
            source=path,
            format=cls.format_name,
            duplicates="keep",
            notes=notes,
        )

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run) or value.start is None or value.end is None:
            return "it is not a run of spans"
        if not (np.floor(value.start) == value.start).all() or not (np.floor(value.end) == value.end).all():
            return "times are not whole seconds"
        if value.start.min(initial=0) < 0:
            return "some results have no place in their video"
        bad = next((name for name in (*value.topics, *value.documents) if name.split() != [name]), None)
        return f"the name {bad!r} has white space in it" if bad is not None else ""

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
        return [
            counted(len(value.topics), "topic"),
            counted(len(value), "result"),
            counted(len(value.documents), "video"),
        ]
