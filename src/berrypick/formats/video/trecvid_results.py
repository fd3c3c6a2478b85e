"""TREC 2001 video search results."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.columns import unpacked
from berrypick.data.run import Run
from berrypick.files.line_words import whole_number
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.inex._xml_files import (
    count_attributes,
    forget,
    line_of,
    looks_like,
    quoted,
    streamed,
    writable,
)
from berrypick.formats.video._video import as_clock, clock
from berrypick.rows.values import result_counts

#: Attributes that are read, and those that are not needed.
_ATTRIBUTES = {"tNum", "sysId", "seqNum", "src", "start", "stop", "pType", "sType", "condition", "elapsedTime"}


class TrecvidResults(Format):
    """TREC 2001 video results in XML: ``videoSearchResult`` (tNum, sysId) with ``item`` (seqNum, src, start, stop).

    Times look like 1m1.5s, 0h12m51s or 500ms. Names of videos are compared without regard to case. The order is that
    of seqNum.

    Sample::

        <videoSearchResults>
        <videoSearchResult tNum="5" pType="A" sType="I" sysId="mysystem">
        <item seqNum="1" src="bor08.mpg" start="1m1.5s" stop="1m20s"/>
        </videoSearchResult>
        </videoSearchResults>
    """

    format_name: ClassVar[str] = "trecvid-results"
    positions = "seconds"
    role: ClassVar[Role] = "run"
    begins: ClassVar[tuple[str, ...]] = ("<",)
    marks: ClassVar[tuple[str, ...]] = ("videoSearchResult",)
    shape: ClassVar[str] = '<videoSearchResult tNum="5"><item seqNum="1" src="bor08.mpg" start="1m1.5s" stop="1m20s"/>'

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return looks_like(lines, "videoSearchResult") or looks_like(lines, "videoSearchResults")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        topic: list[str] = []
        video: list[str] = []
        numbers: list[tuple[float, float, float, int]] = []
        tag = number = ""
        inside = False
        for event, element in streamed(path, problems, ("videoSearchResult", "item")):
            if event == "start":
                count_attributes(element, problems, _ATTRIBUTES)
                if element.tag == "videoSearchResult":
                    number, inside = element.get("tNum", ""), True
                    tag = tag or element.get("sysId", "")
                    if not number:
                        problems.report("a videoSearchResult without tNum", line_of(element))
                continue
            if element.tag == "videoSearchResult":
                number, inside = "", False
            elif not inside:
                problems.count("items outside of any <videoSearchResult>, ignored")
            if element.tag == "item" and number:
                row = item(element, problems)
                if row is not None:
                    rank = whole_number(element.get("seqNum"))
                    if rank is None:
                        problems.report("item needs a seqNum, a whole number", line_of(element))
                        continue
                    topic.append(number)
                    video.append(row[0])
                    numbers.append((rank, row[1], row[2], line_of(element)))
            forget(element, problems, ("videoSearchResult", "item"))
        columns = np.array(numbers, dtype=np.float64).reshape(-1, 4).T
        return assemble(
            tag=tag,
            topic=topic,
            document=video,
            rank=columns[0],
            start=columns[1],
            end=columns[2],
            line=columns[3].astype(np.int64),
            order="rank",
            source=path,
            format=cls.format_name,
            duplicates="keep",
        )

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run) or value.start is None:
            return "it is not a run of spans"
        if unpacked(value.start).min(initial=0) < 0:
            return "some results have no times"
        return writable((*value.topics, *value.documents, value.tag or "run"))

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        out.write("<videoSearchResults>\n")
        for topic, ranking in value.rankings():
            out.write(f"<videoSearchResult tNum={quoted(topic)} sysId={quoted(value.tag)}>\n")
            for row in range(len(ranking)):
                name = quoted(ranking.documents[int(ranking.document[row])])
                times = f'start="{as_clock(float(ranking.start[row]))}" stop="{as_clock(float(ranking.end[row]))}"'
                out.write(f'<item seqNum="{int(ranking.rank[row]) + 1}" src={name} {times}/>\n')
            out.write("</videoSearchResult>\n")
        out.write("</videoSearchResults>\n")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return result_counts(value, "video")


def item(element: Any, problems: Problems) -> tuple[str, float, float] | None:
    """(video, start, stop) of an item or known item; None, and a problem, if it is none."""
    video = (element.get("src") or "").strip().lower()
    start, stop = clock(element.get("start") or ""), clock(element.get("stop") or "")
    if not video or start is None or stop is None:
        problems.report(
            f"{element.tag} needs src, start and stop", line_of(element), remedy="times look like 1m1.5s or 0h12m51s"
        )
        return None
    if stop < start:
        problems.report(f"{element.tag} stops before it starts", line_of(element))
        return None
    return video, start, stop
