"""What systems predict for TVR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.addons.moments.moment_rows import Row, is_window, predicted_rows
from berrypick.core.run import Run
from berrypick.formats.base import Problems
from berrypick.formats.io.json_files import JsonSource, load, objects, starts_object
from berrypick.formats.io.json_lines import Fields
from berrypick.formats.io.records import RunRecords
from berrypick.formats.span_run import SpanRun

#: Tasks whose predictions are moments: in a corpus, in a given video. Those of VR are whole videos.
TASKS = ("VCMR", "SVMR")


class TvrRun(RunRecords):
    """Predictions of TVR, one JSON object: ``video2idx`` and lists for the tasks ``VCMR``, ``SVMR``, ``VR``.

    An entry of a list has ``desc_id`` and ``predictions``, lists of the number of a video in ``video2idx``, start, end
    and score, the best first: as in the official program the score does not order them. VCMR and SVMR are runs of
    their own; VR, which ranks whole videos, is counted and not read.

    Sample::

        {"video2idx": {"garden": 0, "hedge": 1}, "VCMR": [{"desc_id": 7, "predictions": [[1, 0.0, 4.5, 1.7]]}]}
    """

    format_name: ClassVar[str] = "tvr-run"
    positions = "seconds"
    shape: ClassVar[str] = '{"video2idx": {"garden": 0}, "VCMR": [{"desc_id": 7, "predictions": [[0, 4.5, 9, 1.7]]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("video2idx", "VCMR", "SVMR", "desc_id", "predictions")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "video2idx")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        """The run of the first task; predictions for others are counted."""
        tasks = _tasks(path, problems)
        for name, rows in [*tasks.items()][1:]:
            problems.count(f"queries of another task ({name}), not read", len({str(row["topic"]) for *_, row in rows}))
        run = SpanRun.from_records(next(iter(tasks.values()), []), problems, path)
        return run.changed(format=cls.format_name)

    @classmethod
    def split(cls, path: str) -> list[Run]:
        """A run for each task, called by its name where there are two."""
        problems = Problems(path)
        tasks = _tasks(path, problems)
        runs = [(name, SpanRun.from_records(rows, problems, path)) for name, rows in tasks.items()]
        more = {"format": cls.format_name, "skipped": problems.counts}
        return [run.changed(tag=name if len(runs) > 1 else "", **more) for name, run in runs]


def _tasks(path: str, problems: Problems) -> dict[str, list[Row]]:
    """The rows of each task of moments."""
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
    if "VR" in value:
        problems.count("lists of whole videos (VR), not read")
    named = [name for name in TASKS if name in value]
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
            fields.fail(f"desc_id {topic} stands twice in {task}")
        seen.add(topic)
        if fields.good and not (isinstance(held, list) and all(is_window(window, (3, 4)) for window in held)):
            fields.fail("predictions must be a list of lists of video, start, end and score")
        elif fields.good and (unknown := next((w[0] for w in held if w[0] not in videos), None)) is not None:
            fields.fail(f"video2idx has no video {unknown}")
        if fields.good:
            windows = [(videos[window[0]], window[1:]) for window in held]
            yield from predicted_rows(line, fields.text, topic, windows, problems)
