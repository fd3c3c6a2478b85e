"""Formats whose records mean what lines of span-truth or span-run mean, under other names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.spans.span_run import SpanRun
from berrypick.formats.spans.span_truth import SpanTruth
from berrypick.rows.entries import ONE_LIST, two_lists
from berrypick.rows.json_lines import Rows
from berrypick.rows.run_rows import run_of_rows
from berrypick.rows.truth_rows import truth_of_rows


class RecordsFormat(Format):
    """A subclass has ``records``, and is read as its format of lines is."""

    lines: ClassVar[type[SpanTruth] | type[SpanRun]]

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        """What the file says, by the names of the format of lines."""
        raise NotImplementedError(f"{cls.__name__} has no method records")

    @classmethod
    def describe(cls, value: Any) -> list[str]:
        return cls.lines.describe(value)


class TruthRecords(RecordsFormat):
    """Judgements."""

    role: ClassVar[Role] = "truth"
    lines: ClassVar[type[SpanTruth] | type[SpanRun]] = SpanTruth

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Any:
        return truth_of_rows(cls.records(path, problems), problems, path).changed(format=cls.format_name)


class RunRecords(RecordsFormat):
    """Results, with one entry per topic, which may be an empty list."""

    role: ClassVar[Role] = "run"
    lines: ClassVar[type[SpanTruth] | type[SpanRun]] = SpanRun
    states_empty_lists: ClassVar[bool] = True

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Any:
        rows = one_entry_each(cls.records(path, problems), problems)
        return run_of_rows(rows, problems, path).changed(format=cls.format_name)


def one_entry_each(rows: Rows, problems: Problems) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Rows of a format that has one entry per topic; a topic that comes again later is an error."""
    first: dict[str, int] = {}
    last = None
    for number, text, value in rows:
        topic = str(value.get("topic"))
        line = first.setdefault(topic, number)
        if topic != last and line != number:
            problems.report(two_lists(topic, f"line {line}", f"line {number}"), number, text, ONE_LIST)
        last = topic
        yield number, text, value
