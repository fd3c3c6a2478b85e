"""ActivityNet Captions: moments of videos, each with a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.files.json_files import load
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.video._moment_rows import Moments, is_window
from berrypick.rows.json_lines import Rows
from berrypick.rows.truth_rows import truth_of_rows

_BEGINS = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')


class ActivityNet(TruthRecords):
    """Moments of ActivityNet Captions, one JSON object of videos: ``duration``, ``timestamps``, ``sentences`` of each.

    A timestamp is a list of start and end in seconds, and belongs to the sentence at its place. The topic is the video
    and the place of the sentence, from 0 (``v_garden-0``); the document is the video, ``duration`` its length. Moments
    without length, and those that end before they start, are counted, and topics without a target. There is no
    official format of predictions for single sentences: lines of JSON with topic, doc, start_time, end_time and score
    are a run.

    Sample::

        {"v_garden": {"duration": 82.7, "timestamps": [[0.8, 19.9], [17.4, 60.8]], "sentences": ["A berry.", "Rain."]},
         "v_hedge": {"duration": 30, "timestamps": [[3, 12.5]], "sentences": ["A bird."]}}
    """

    format_name: ClassVar[str] = "activitynet"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"timestamps"',)
    positions = "seconds"
    shape: ClassVar[str] = '{"v_garden": {"duration": 82.7, "timestamps": [[0.8, 19.9]], "sentences": ["A berry."]}}'
    json_names: ClassVar[tuple[str, ...]] = ("duration", "timestamps", "sentences")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines).lstrip("\ufeff \t\n")
        return _BEGINS.match(text) is not None and '"timestamps"' in text and '"duration"' in text

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        found = Moments(problems)
        truth = truth_of_rows(_moments(path, problems, found), problems, path)
        return truth.changed(format=cls.format_name, lengths=found.lengths)


def _moments(path: str, problems: Problems, found: Moments) -> Rows:
    value, source = load(path, problems)
    if value is not None and not isinstance(value, dict):
        problems.report("is not an object of videos", source.line)
    for video, about in value.items() if isinstance(value, dict) else ():
        line = source.line_of(video)
        source.skip()
        windows, sentences = (about.get(name) for name in ("timestamps", "sentences")) if _is_video(about) else (0, 0)
        if not isinstance(windows, list) or not all(map(is_window, windows)):
            problems.report("timestamps must be a list of lists of start and end", line, video)
        elif not isinstance(sentences, list) or len(sentences) != len(windows):
            problems.report("sentences must be a list, of one for each of the timestamps", line, video)
        else:
            found.length(video, about.get("duration"), line, video)
            for place, (window, sentence) in enumerate(zip(windows, sentences, strict=True)):
                names = {"topic": f"{video}-{place}", "doc": video, "question": str(sentence).strip()}
                yield from found.rows(line, video, names, *window)


def _is_video(value: Any) -> bool:
    return isinstance(value, Mapping)
