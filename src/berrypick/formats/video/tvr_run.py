"""What systems predict for TVR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from berrypick.data.errors import UsageError
from berrypick.data.run import Run
from berrypick.files.json_files import JsonSource, load, objects, starts_object
from berrypick.formats._records import RunRecords
from berrypick.formats.base import Problems
from berrypick.formats.video._moment_rows import Row, is_window, predicted_rows
from berrypick.rows.json_lines import Fields
from berrypick.rows.run_rows import run_of_rows

#: Tasks whose predictions are moments: in a corpus, in a given video. Those of VR are whole videos.
TASKS = ("VCMR", "SVMR")
VIDEOS = "VR"
#: Why SVMR differs where a list has moments of several videos.
_STRAYS = "SVMR lists with moments of several videos, which keep their ranks; TVR's program strikes other videos out"
_REPEATS = "VR lists with a repeated video: it counts once, and in TVR's program each takes a rank"


class TvrRun(RunRecords):
    """Predictions of TVR, one JSON object: ``video2idx`` and lists for the tasks ``VCMR``, ``SVMR``, ``VR``.

    An entry of a list has ``desc_id`` and ``predictions``, lists of the number of a video in ``video2idx``, start, end
    and score, the best first: as in the official program the score does not order them. VCMR and SVMR are runs of
    their own; VR, which ranks whole videos and does not use start and end, is counted, and read as a run of documents
    where the format is named as ``tvr-run(task='VR')``: ``Success@5`` is its R@5.

    Sample::

        {"video2idx": {"garden": 0, "hedge": 1}, "VCMR": [{"desc_id": 7, "predictions": [[1, 0.0, 4.5, 1.7]]}]}
    """

    format_name: ClassVar[str] = "tvr-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"video2idx"',)
    before: ClassVar[tuple[str, ...]] = ("trec-run",)
    positions = "seconds"
    shape: ClassVar[str] = '{"video2idx": {"garden": 0}, "VCMR": [{"desc_id": 7, "predictions": [[0, 4.5, 9, 1.7]]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("video2idx", "VCMR", "SVMR", "desc_id", "predictions")
    reading: ClassVar[Mapping[str, str]] = {
        "task": "the list to use as the run: VCMR, SVMR or VR; the first by default"
    }

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "video2idx")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        """The run of one task; predictions for others are counted."""
        wanted = options.get("task")
        if wanted not in (None, *TASKS, VIDEOS):
            raise UsageError(f"tvr-run: task is VCMR, SVMR or VR, not {wanted!r:.40}")
        tasks = _tasks(path, problems, wanted)
        read = wanted or next(iter(tasks), "")
        for name, rows in tasks.items():
            if name != read:
                topics = len({str(row["topic"]) for *_, row in rows})
                problems.count(f"queries of another task ({name}), ignored", topics)
        return _run_of(read, tasks.get(read, []), problems).changed(format=cls.format_name)

    @classmethod
    def split(cls, path: str) -> list[Run]:
        """A run for each task, called by its name where there are two."""
        problems = Problems(path)
        tasks = _tasks(path, problems, None)
        runs = []
        for name, rows in tasks.items():
            own = replace(problems, counts={**problems.counts})
            run, tag = _run_of(name, rows, own), name if len(tasks) > 1 else ""
            runs.append(run.changed(tag=tag, format=cls.format_name, skipped=own.counts))
        return runs


def _run_of(task: str, rows: list[Row], problems: Problems) -> Run:
    """The run of a task; lists by whose ranks it differs from the official program are counted."""
    videos: dict[str, list[str]] = {}
    for *_, row in rows:
        if "doc" in row:
            videos.setdefault(row["topic"], []).append(row["doc"])
    if task == "SVMR" and (strays := sum(len({*one}) > 1 for one in videos.values())):
        problems.count(_STRAYS, strays)
    if task == VIDEOS and (repeats := sum(len({*one}) < len(one) for one in videos.values())):
        problems.count(_REPEATS, repeats)
    return run_of_rows(rows, problems, problems.path)


def _tasks(path: str, problems: Problems, wanted: str | None) -> dict[str, list[Row]]:
    """The rows of each task of moments, and of whole videos where these are wanted."""
    value, source = load(path, problems)
    if value is None:
        return {}
    numbers = value.get("video2idx") if isinstance(value, dict) else None
    if not isinstance(numbers, Mapping) or not all(type(number) is int for number in numbers.values()):
        problems.report("video2idx must be an object of videos and their whole numbers", source.line)
        return {}
    videos = {number: name for name, number in numbers.items()}
    if len(videos) < len(numbers):
        problems.report("two videos of video2idx have one number", source.line)
        return {}
    named = [name for name in TASKS if name in value]
    if wanted is not None and wanted not in value:
        problems.report(f"has no {wanted}", source.line, remedy=f"its lists are {', '.join(named) or 'none'}")
    elif VIDEOS in value and wanted != VIDEOS:
        problems.count("lists of whole videos (VR), ignored")
    elif VIDEOS in value:
        named.append(VIDEOS)
    if not named:
        problems.report("has neither VCMR nor SVMR", source.line, remedy=f"expected {TvrRun.shape}")
    return {name: list(_predictions(value[name], name, videos, source, problems)) for name in named}


def _predictions(
    given: Any, task: str, videos: Mapping[int, str], source: JsonSource, problems: Problems
) -> Iterator[Row]:
    source.line_of(task)
    seen: set[str] = set()
    for one in objects(given, task, source, problems):
        line = source.line_of(one.get("desc_id"), "desc_id")
        source.skip()
        fields = Fields(line, str(one.get("desc", "")), one, problems)
        topic = fields.name("desc_id")
        held: Any = one.get("predictions")
        if topic in seen and fields.good:
            fields.fail(f"desc_id {topic} is given twice in {task}")
        seen.add(topic)
        if fields.good and not (isinstance(held, list) and all(is_window(window, (3, 4)) for window in held)):
            fields.fail("predictions must be a list of lists of video, start, end and score")
        elif fields.good and (unknown := next((w[0] for w in held if w[0] not in videos), None)) is not None:
            fields.fail(f"video2idx has no video {unknown}")
        if fields.good:
            windows = [(videos[window[0]], window[1:]) for window in held]
            if task == VIDEOS:
                yield from _whole_videos(line, fields.text, topic, windows)
                continue
            yield from predicted_rows(line, fields.text, topic, windows, problems)


def _whole_videos(line: int, text: str, topic: str, windows: list[tuple[str, list[Any]]]) -> Iterator[Row]:
    if not windows:
        yield line, text, {"topic": topic, "results": []}
    for rank, (video, _) in enumerate(windows, start=1):
        yield line, text, {"topic": topic, "doc": video, "rank": rank}
