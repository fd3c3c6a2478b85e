"""Ego4D natural language queries: moments of clips that answer a question, and what systems predict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.files.json_files import JsonSource, load, objects, starts_object
from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.video._moment_rows import Moments, is_number, is_window, predicted_rows
from berrypick.rows.json_lines import Fields, Rows
from berrypick.rows.truth_rows import truth_of_rows

#: Names in the annotations of Ego4D's other tasks.
_OTHERS = ('"query_sets"', '"labels"', '"narrations"')


class Ego4dNlqTruth(TruthRecords):
    """Queries of Ego4D, one JSON object: ``videos`` of ``clips`` of ``annotations`` of ``language_queries``.

    A query has ``clip_start_sec`` and ``clip_end_sec``. The topic is ``annotation_uid`` and the place of the query in
    it, from 0, with ``_`` between them; the document is ``clip_uid``, as long as ``video_start_sec`` to
    ``video_end_sec`` of the clip. Moments without length are counted, and topics without a target: undefined, and
    missed by the protocol ego4d-nlq. Queries without times are counted and left out.

    Sample::

        {"videos": [{"video_uid": "v", "clips": [{"clip_uid": "c", "annotations": [{"annotation_uid": "a",
         "language_queries": [{"query": "Where is it?", "clip_start_sec": 4.5, "clip_end_sec": 9.1}]}]}]}]}
    """

    format_name: ClassVar[str] = "ego4d-nlq"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"video_uid"',)
    positions = "seconds"
    shape: ClassVar[str] = '{"videos": [{"clips": [{"clip_uid": "c", "annotations": [{"language_queries": [..]}]}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("videos", "clips", "clip_uid", "annotations", "language_queries")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines)
        return starts_object(lines, "videos", "video_uid", "clips") and not any(name in text for name in _OTHERS)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        found = Moments(problems)
        truth = truth_of_rows(_queries(path, problems, found), problems, path)
        return truth.changed(format=cls.format_name, lengths=found.lengths)


class Ego4dNlqRun(RunRecords):
    """Predictions for Ego4D's queries, one JSON object: ``results`` with ``clip_uid``, ``predicted_times`` and more.

    A result has ``clip_uid``, ``annotation_uid``, ``query_idx`` and ``predicted_times``, lists of start and end in
    seconds, the best first. Topics and documents as in ego4d-nlq.

    Sample::

        {"version": "1.0", "challenge": "ego4d_nlq_challenge", "results": [{"clip_uid": "c", "annotation_uid": "a",
         "query_idx": 0, "predicted_times": [[4.0, 9.0], [20.5, 31.0]]}]}
    """

    format_name: ClassVar[str] = "ego4d-nlq-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"query_idx"',)
    positions = "seconds"
    shape: ClassVar[str] = '{"results": [{"clip_uid": "c", "annotation_uid": "a", "query_idx": 0, ' \
                           '"predicted_times": [[4, 9]]}]}'  # fmt: skip
    json_names: ClassVar[tuple[str, ...]] = ("results", "clip_uid", "annotation_uid", "query_idx", "predicted_times")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "results", "clip_uid", "query_idx")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        value, source = load(path, problems)
        if value is None:
            return
        seen: set[str] = set()
        for one in objects(value.get("results") if isinstance(value, dict) else None, "results", source, problems):
            line = source.line_of(one.get("annotation_uid"))
            source.skip()
            fields = Fields(line, "", one, problems)
            clip, place = fields.name("clip_uid"), one.get("query_idx")
            windows: Any = one.get("predicted_times")
            topic = f"{fields.name('annotation_uid')}_{place}"
            if type(place) is not int:
                fields.fail("query_idx must be a whole number")
            elif not isinstance(windows, list) or not all(map(is_window, windows)):
                fields.fail("predicted_times must be a list of lists of start and end")
            elif topic in seen:
                fields.fail(f"query {topic} is given twice")
            seen.add(topic)
            if fields.good:
                yield from predicted_rows(line, topic, topic, [(clip, window) for window in windows], problems)


def _queries(path: str, problems: Problems, found: Moments) -> Rows:
    value, source = load(path, problems)
    if value is None:
        return
    clips: dict[str, str] = {}  # of each annotation
    for line, clip, note, queries in _annotations(value, source, problems, found):
        if clips.setdefault(note, clip) != clip:
            problems.report(f"annotation {note} belongs to clips {clips[note]} and {clip}", line)
            continue
        for place, query in enumerate(queries):
            start, end = _times(query, "clip")
            shown = str(query.get("query") or "")
            if start is None and end is None:
                problems.count("queries without times, skipped")
            elif not is_number(start) or not is_number(end):
                problems.report("clip_start_sec and clip_end_sec must be numbers", line, shown)
            else:
                names = {"topic": f"{note}_{place}", "doc": clip, **({"question": shown} if shown else {})}
                yield from found.rows(line, shown, names, float(start), float(end))


def _times(value: Mapping[str, Any], of: str) -> tuple[Any, Any]:
    return value.get(f"{of}_start_sec"), value.get(f"{of}_end_sec")


def _annotations(
    value: Any, source: JsonSource, problems: Problems, found: Moments
) -> Iterator[tuple[int, str, str, list[dict[str, Any]]]]:
    """Every annotation with the clip that it belongs to."""
    for video in objects(value.get("videos") if isinstance(value, Mapping) else None, "videos", source, problems):
        for clip in objects(video.get("clips"), "clips", source, problems):
            line = source.line_of(clip.get("clip_uid"))
            source.skip()
            name = Fields(line, "", clip, problems).name("clip_uid")
            start, end = _times(clip, "video")
            if name and is_number(start) and is_number(end):
                found.length(name, end - start, line, name)
            for note in objects(clip.get("annotations"), "annotations", source, problems):
                line = source.line_of(note.get("annotation_uid"))
                source.skip()
                fields = Fields(line, "", note, problems)
                uid = fields.name("annotation_uid")
                if name and fields.good:
                    queries = objects(note.get("language_queries"), "language_queries", source, problems)
                    yield line, name, uid, list(queries)
