"""TREC 2001 video topics with known items."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.origin import Origin
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
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
from berrypick.formats.video._video import as_clock
from berrypick.formats.video.trecvid_results import item

#: Elements of a topic; those that say in words and pictures what is looked for are not needed here.
_ATTRIBUTES = {"num", "tNum", "src", "start", "stop"}
KNOWN = ("videoTopic", "knownItem", "textDescription", "videoExample", "imageExample", "audioExample")


class TrecvidTopics(Format):
    """TREC 2001 video topics in XML: ``knownItem`` (src, start, stop) inside ``videoTopic`` (num).

    Times look like 1m1.5s, 0h12m51s or 500ms. Names of videos are compared without regard to case.

    Sample::

        <videoTopics>
        <videoTopic num="5">
        <knownItem src="BOR08.mpg" start="1m0s" stop="1m25s"/>
        </videoTopic>
        </videoTopics>
    """

    format_name: ClassVar[str] = "trecvid-topics"
    holds_unjudged_topics: ClassVar[bool] = True
    positions = "seconds"
    role: ClassVar[Role] = "truth"
    begins: ClassVar[tuple[str, ...]] = ("<",)
    marks: ClassVar[tuple[str, ...]] = ("videoTopic",)
    shape: ClassVar[str] = '<videoTopic num="5"><knownItem src="bor08.mpg" start="1m0s" stop="1m25s"/>'
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return looks_like(lines, "videoTopics?")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        topics: dict[str, dict[tuple[str, float, float], int]] = {}
        number, inside = "", False
        for event, element in streamed(path, problems, ("videoTopic", "knownItem")):
            if event == "start":
                count_attributes(element, problems, _ATTRIBUTES)
                if element.tag == "videoTopic":
                    inside = True
                    number = element.get("num") or element.get("tNum") or ""
                    if not number:
                        problems.report("a videoTopic without num", line_of(element))
                    else:
                        topics.setdefault(number, {})
                continue
            if element.tag == "videoTopic":
                number, inside = "", False
            elif not inside:
                problems.count("known items outside of any <videoTopic>, ignored")
            if element.tag == "knownItem" and number:
                row = item(element, problems)
                if row is not None and row[2] == row[1]:
                    problems.count("known items of length 0, skipped")
                elif row is not None and row in topics[number]:
                    problems.count("exact copies, merged")
                elif row is not None:
                    topics[number][row] = line_of(element)
            forget(element, problems, KNOWN)
        found = {
            topic: TopicTruth(
                topic,
                tuple(video for video, _, _ in items),
                np.ones(len(items)),
                np.array([start for _, start, _ in items], dtype=np.float64),
                np.array([stop for _, _, stop in items], dtype=np.float64),
                np.array(list(items.values()), dtype=np.int64),
            )
            for topic, items in topics.items()
        }
        return Truth("spans", found, Origin(path, cls.format_name))

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth) or value.units != "spans":
            return "it is not a truth of spans"
        if any((topic.grade != 1).any() or topic.empty_documents for topic in value.topics.values()):
            return "known items are all relevant; this truth has other grades"
        return writable([name for topic in value.topics.values() for name in (topic.topic, *topic.document)])

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        out.write("<videoTopics>\n")
        for topic in value.topics.values():
            out.write(f"<videoTopic num={quoted(topic.topic)}>\n")
            for row, video in enumerate(topic.document):
                times = f'start="{as_clock(float(topic.start[row]))}" stop="{as_clock(float(topic.end[row]))}"'
                out.write(f"<knownItem src={quoted(video)} {times}/>\n")
            out.write("</videoTopic>\n")
        out.write("</videoTopics>\n")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        items = sum(len(topic) for topic in value.topics.values())
        return [counted(len(value), "topic"), counted(items, "known item")]
