"""What the two span formats share: JSON Lines with checked fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from berrypick.data.arrays import FloatArray, Positions
from berrypick.data.errors import TOO_DEEP
from berrypick.files.files import content, is_compressed, size_of
from berrypick.files.limits import json_cost, memory_limit, too_much_memory
from berrypick.files.problems import Problems
from berrypick.files.strict_json import RepeatedName, strict_json
from berrypick.rows.valid_names import line_of_name, name_problem

if TYPE_CHECKING:
    from berrypick.data.boxes import Place
    from berrypick.rows.field_parser import FieldParser

#: (line number, the line as it is shown to a person, its fields)
Rows = Iterable[tuple[int, str, dict[str, Any]]]


#: A span called by its document and its offsets.
_SPAN_NAME = re.compile(r"(.+)#(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)\Z", re.DOTALL)
#: Lines up to this length are read without a look at what they cost.
_SHORT = 1 << 20


def records(path: str, problems: Problems, nan: bool = False) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Every line as an object; ``nan``: NaN may stand in it, for the one who looks at the values."""
    for number, text in content(path, problems):
        if len(text) > _SHORT and is_compressed(path) and json_cost(text.encode()) > memory_limit(size_of(path)):
            raise too_much_memory(path, memory_limit(size_of(path)))
        try:
            value = strict_json(text, nan)
        except RecursionError:
            problems.report(TOO_DEEP, number, text)
            continue
        except RepeatedName as error:
            problems.report(str(error), number, text, error.remedy)
            continue
        except ValueError as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            problems.report(f"is not JSON ({why})", number, text, "each line must be one object")
            continue
        if not isinstance(value, dict):
            problems.report("is not an object", number, text, 'each line looks like {"topic": ..., "doc": ...}')
            continue
        yield number, text, value


def span_fields(rows: Rows, reader: FieldParser, problems: Problems) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Rows by our names."""
    from berrypick.rows.entries import ONE_LIST
    from berrypick.rows.field_rows import FieldError

    for number, text, value in rows:
        try:
            found = reader.read(value)
        except FieldError as error:
            problems.report(error.what, number, text, error.remedy)
            continue
        of_run = reader.role == "run" and bool(found)
        if of_run and (twice := reader.entries.add(found[0], number, reader.is_entry)):
            problems.report(twice, number, text, ONE_LIST)
            continue
        for one in found:
            yield number, text, one  # type: ignore[misc]


def write_lines(values: Iterable[dict[str, Any]], out: TextIO) -> None:
    """Every object as a line."""
    out.writelines(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


class Fields:
    """Checked access to the fields of one line."""

    def __init__(self, number: int, text: str, value: dict[str, Any], problems: Problems) -> None:
        self.number, self.text, self.value, self.problems = number, text, value, problems
        self.good = True

    def called(self, key: str) -> str:
        """What a field is called in the input."""
        return str(getattr(self.value, "called", {}).get(key, key))

    def fail(self, what: str, remedy: str = "", rule: str = "") -> None:
        self.good = False
        self.problems.report(what, self.number, self.text, remedy, rule)

    def name(self, key: str) -> str:
        """A topic or document: text, or a whole number taken as text."""
        value = self.value.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and not value.isprintable() and (problem := name_problem(value)):
            self.good = False
            line = line_of_name(self.problems.path, value) or self.number
            self.problems.report(f"{key} contains {problem}", line, self.text)
            return ""
        if not isinstance(value, str) or not value:
            self.fail(f"{key} is missing" if value is None else f"{key} must be a non-empty string")
            return ""
        return value

    def number_of(self, key: str, default: float | None = None) -> float | None:
        value = self.value.get(key, default)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= 2**53:
            self.fail(f"{self.called(key)} must be a number of at most 2^53, not {value!r:.40}")
            return None
        return value

    def offsets(self, empty_allowed: bool) -> tuple[float, float] | None:
        """start and end, checked; None where the line has neither."""
        start, end = self.number_of("start"), self.number_of("end")
        if start is None and end is None:
            return None
        if start is None or end is None:
            self.fail(f"{'start' if start is None else 'end'} is missing", "give both start and end")
            return None
        if start < 0:
            self.fail(f"start {start:g} is below 0", rule="range")
        elif end < start:
            self.fail(f"end {end:g} is before start {start:g}", "offsets are half-open: start <= end", "range")
        elif end == start and not empty_allowed:
            self.fail(f"the span from {start:g} to {end:g} is empty", "a relevant span ends after it starts")
        return start, end

    def page_place(self, empty_allowed: bool) -> Place | None:
        """The place on a page, checked; None where the line has none that is good."""
        from berrypick.rows.page_places import read_place

        found: Place | None = read_place(self, empty_allowed)
        return found


def are_span_names(names: Sequence[str]) -> bool:
    """Whether all documents are called ``document#start-end``, so that they are spans."""
    return bool(names) and all(map(_SPAN_NAME.match, names))


def place_of_name(name: Any, may_be_span: bool) -> dict[str, Any]:
    """What a name says: a document, or a span of one."""
    match = _SPAN_NAME.match(str(name)) if may_be_span else None
    return {"doc": match[1], "start": _number(match[2]), "end": _number(match[3])} if match else {"doc": name}


def _number(digits: str) -> float:
    return float(digits) if "." in digits else int(digits)


def positions(values: Sequence[float] | FloatArray) -> Positions:
    """Whole numbers stay whole. Those of an array are below 2^53, those of a list may be larger, and stay exact."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "i":
            return values.astype(np.int64, copy=False)
        whole = values.astype(np.int64)
        return whole if (whole == values).all() else values
    if all(float(value).is_integer() for value in values):
        return np.array([int(value) for value in values], dtype=np.int64)
    return np.array(values, dtype=np.float64)


def plain(value: float) -> float:
    """A number as it is best written: whole where it is whole."""
    return int(value) if float(value).is_integer() else float(value)
