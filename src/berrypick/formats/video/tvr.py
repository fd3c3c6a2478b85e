"""TVR: moments of television series for a query."""

from __future__ import annotations

from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import line_names
from berrypick.formats.video._moment_rows import Moments, is_window
from berrypick.rows.json_lines import Fields, Rows, records
from berrypick.rows.truth_rows import truth_of_rows


class TvrTruth(TruthRecords):
    """Moments of TVR, one JSON object a line: ``desc_id``, ``desc``, ``vid_name``, ``ts``, ``duration``, ``type``.

    ``ts`` is a list of start and end in seconds. The topic is ``desc_id``, the document ``vid_name``, ``duration`` its
    length; ``type`` (v, t or vt: whether video, subtitles or both are needed) is a field of the topic. Moments without
    length are counted, and topics without a target: undefined, and missed by the protocol tvr.
    ``spanHit(iou=0.5)@1`` is R@1, IoU=0.5.

    Sample::

        {"desc_id": 7, "desc": "She picks a berry.", "vid_name": "garden", "ts": [4.5, 9.1], "duration": 60.2}
        {"desc_id": 8, "desc": "It rains.", "vid_name": "hedge", "ts": [0, 12.5], "duration": 58.0, "type": "v"}
    """

    format_name: ClassVar[str] = "tvr"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"desc_id"',)
    positions = "seconds"
    shape: ClassVar[str] = '{"desc_id": 7, "desc": "..", "vid_name": "garden", "ts": [4.5, 9.1], "duration": 60.2}'
    json_names: ClassVar[tuple[str, ...]] = ("desc_id", "desc", "vid_name", "ts", "duration")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and {"desc_id", "vid_name", "ts"} <= set(line_names(lines[0]))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        found = Moments(problems)
        truth = truth_of_rows(_moments(path, problems, found), problems, path)
        return truth.changed(format=cls.format_name, lengths=found.lengths)


def _moments(path: str, problems: Problems, found: Moments) -> Rows:
    for number, text, value in records(path, problems):
        fields = Fields(number, text, value, problems)
        topic, video = fields.name("desc_id"), fields.name("vid_name")
        window: Any = value.get("ts")
        if fields.good and not is_window(window):
            fields.fail("ts must be a list of start and end", "test sets without moments cannot be used as a truth")
        if not fields.good:
            continue
        found.length(video, value.get("duration"), number, text)
        names = {"topic": topic, "doc": video, "question": value.get("desc")}
        names |= {"type": value["type"]} if isinstance(value.get("type"), str) else {}
        yield from found.rows(number, text, names, *window)
