"""Formats whose records mean what lines of span-truth or span-run mean, under other names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.io.json_lines import Rows
from berrypick.formats.span_run import SpanRun
from berrypick.formats.span_truth import SpanTruth


class RecordsFormat(Format):
    """A subclass has ``records``, and is read as its format of lines is."""

    lines: ClassVar[type[SpanTruth] | type[SpanRun]]

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        """What the file says, by the names of the format of lines."""
        raise NotImplementedError(f"{cls.__name__} has no method records")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Any:
        found: Any = cls.lines.from_records(cls.records(path, problems), problems, path)
        return replace(found, format=cls.format_name)

    @classmethod
    def describe(cls, value: Any) -> list[str]:
        return cls.lines.describe(value)


class TruthRecords(RecordsFormat):
    """Judgements."""

    role: ClassVar[Role] = "truth"
    lines: ClassVar[type[SpanTruth] | type[SpanRun]] = SpanTruth


class RunRecords(RecordsFormat):
    """Results."""

    role: ClassVar[Role] = "run"
    lines: ClassVar[type[SpanTruth] | type[SpanRun]] = SpanRun
