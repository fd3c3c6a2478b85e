"""MediaEval runs of video segments."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.columns import unpacked
from berrypick.data.run import Run
from berrypick.files.files import content
from berrypick.files.line_words import finite, whole_number, word_problem
from berrypick.files.scan import Scanned, scan
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.video._video import in_minutes_seconds, minutes_seconds, read_segment, whole_seconds
from berrypick.rows.values import result_counts, results

_NUMBERS = ("start", "end", "rank", "score", "line")


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
    marks: ClassVar[tuple[str, ...]] = (".",)
    words: ClassVar[int] = 7
    before: ClassVar[tuple[str, ...]] = ("trec-run",)
    shape: ClassVar[str] = "query Q0 video start end [jump_in] rank score [tag] (minutes.seconds)"

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
        columns, moved = _read_lines(path, problems) if found is None else _scanned(found)
        notes = (f"{moved} jump-in points differ from the start; the start is used",) if moved else ()
        return assemble(**columns, order="rank", source=path, format=cls.format_name, duplicates="keep", notes=notes)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run) or value.start is None or value.end is None:
            return "it is not a run of spans"
        if not (whole_seconds(unpacked(value.start)) and whole_seconds(unpacked(value.end))):
            return "times are not whole seconds"
        if unpacked(value.start).min(initial=0) < 0:
            return "some results have no times"
        return word_problem(value.topics, value.documents)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        tag = "_".join(value.tag.split())
        for topic, video, rank, score, ranking, row in results(value):
            assert ranking.start is not None and ranking.end is not None
            start, end = in_minutes_seconds(ranking.start[row]), in_minutes_seconds(ranking.end[row])
            out.write(f"{topic} Q0 {video} {start} {end} {start} {rank} {score!r}{' ' + tag if tag else ''}\n")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return result_counts(value, "video")


def _read_lines(path: str, problems: Problems) -> tuple[dict[str, Any], int]:
    """Columns, and how many jump-in points are not the start."""
    topics: list[str] = []
    videos: list[str] = []
    rows: list[tuple[int, int, int, float, int]] = []
    tag = ""
    moved = 0
    for number, text in content(path, problems):
        fields = text.split()
        shape = MediaevalRun._columns(fields) if 7 <= len(fields) <= 9 else None
        if shape is None:
            problems.report(f"is not {MediaevalRun.shape}", number, text)
            continue
        if (segment := read_segment(fields[3], fields[4], 0, problems, number, text)) is None:
            continue
        rank, name = shape
        moved += rank == 6 and minutes_seconds(fields[5]) != segment[0]
        topics.append(fields[0])
        videos.append(fields[2])
        rows.append((*segment, int(fields[rank]), float(fields[rank + 1]), number))
        tag = tag or name
    numbers = dict(zip(_NUMBERS, np.array(rows, dtype=np.float64).reshape(-1, 5).T, strict=True))
    numbers |= {name: numbers[name].astype(np.int64) for name in ("start", "end", "line")}
    return {"tag": tag, "topic": topics, "document": videos, **numbers}, moved


def _scanned(found: Scanned) -> tuple[dict[str, Any], int]:
    topics, videos = found.coded()
    numbers = {name: found.columns[name] for name in _NUMBERS}
    return {"tag": found.tag, "topic": topics, "document": videos, **numbers}, found.moved
