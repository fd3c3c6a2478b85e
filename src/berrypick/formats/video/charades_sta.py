"""Charades-STA: moments of short videos for a sentence."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.files.files import content
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.video._moment_rows import Moments
from berrypick.rows.json_lines import Rows
from berrypick.rows.truth_rows import truth_of_rows

_LINE = re.compile(r"(\S+)\s+(\d{1,9}(?:\.\d+)?)\s+(\d{1,9}(?:\.\d+)?)##(.*)")


class CharadesSta(TruthRecords):
    """Moments of Charades-STA, one a line: ``VIDEO start end##sentence``, in seconds.

    The topic is the number of the line, from 1; the document is the video, the sentence its title. Moments without
    length, and those that end before they start, are counted, and topics without a target. There is no official format
    of predictions: lines of JSON with topic, doc, start_time, end_time and score are a run.

    Sample::

        GARDEN 24.3 30.4##a person picks a berry.
        HEDGE 0.0 12.1##rain falls on the hedge.
    """

    format_name: ClassVar[str] = "charades-sta"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ("##",)
    positions = "seconds"
    shape: ClassVar[str] = "GARDEN 24.3 30.4##a person picks a berry."

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return all(_LINE.fullmatch(line.strip()) for line in lines)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        truth = truth_of_rows(_moments(path, problems), problems, path)
        return truth.changed(format=cls.format_name)


def _moments(path: str, problems: Problems) -> Rows:
    found = Moments(problems)
    for number, text in content(path, problems):
        match = _LINE.fullmatch(text.strip())
        if match is None:
            problems.report("is not VIDEO start end##sentence", number, text)
            continue
        names = {"topic": str(number), "doc": match[1], "question": match[4].strip()}
        yield from found.rows(number, text, names, float(match[2]), float(match[3]))
