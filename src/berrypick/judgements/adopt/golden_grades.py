"""Grades of a golden file: which field says whether a passage is relevant, and what its values mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from berrypick.data.errors import option
from berrypick.judgements.adopt.golden_file import Golden, GoldenRow
from berrypick.rows.fields import plain_name
from berrypick.rows.relevance_fields import EXPECTED, NAMES, OPEN, grade_of, scale_of, wrong_grade


def grade_paths(golden: Golden, paths: Sequence[str], gold: str) -> list[str]:
    """Fields with a name of relevance, those beside the gold first.

    A list under ``relevant`` that holds other values lists what is relevant. A list of another length than the gold is
    about something else, unless it is a field of the row or stands beside the gold.
    """
    named = [path for path in paths if _last(path) in NAMES and not _lists_items(golden, path)]
    kept = [path for path in named if _is_close(path, gold) or _fits(golden, path, gold)]
    return sorted(kept, key=lambda path: _outer(path) != _outer(gold))


def open_paths(golden: Golden, paths: Sequence[str], gold: str) -> list[str]:
    """Fields that may be the grade or something else, and whose values all stand for grades."""
    named = [path for path in paths if _last(path) in OPEN and _fits(golden, path, gold)]
    return [path for path in named if all(grade_of(value) is not None for value in _values(golden, path))]


def same_grades(golden: Golden, first: str, second: str) -> bool:
    """Whether two fields grade every row alike."""
    pairs = [(row.fields.get(first), row.fields.get(second)) for row in golden.rows]
    return all(_grades(one) == _grades(other) for one, other in pairs)


def _grades(value: Any) -> list[float | None]:
    return [grade_of(one) for one in (value if isinstance(value, (list, tuple)) else [value])]


class GoldenGrades:
    """The grades of pieces of gold; 1 where the file has none."""

    def __init__(self, golden: Golden, path: str) -> None:
        self._golden, self._path = golden, path
        self._scale: Mapping[str, int] = scale_of(_values(golden, path) if path else ())

    def of(self, row: GoldenRow, many: int) -> Sequence[Any]:
        """Return what the row says of each of its pieces of gold."""
        if self._path not in row.fields:
            return [None if self._path in row.empty else 1] * many
        held = row.fields[self._path]
        if not isinstance(held, (list, tuple)):
            return [held] * many
        if len(held) != many:
            quotes = "is 1 quote" if many == 1 else f"are {many} quotes"
            what = f"{self._path} is a list of {len(held)}, but there {quotes}"
            raise self._golden.error(what, self._ignored("give one for each"), row.line)
        return held

    def number(self, row: GoldenRow, value: Any) -> float:
        """Return the grade that a value stands for; anything else is an error with its line."""
        grade = grade_of(value, self._scale)
        if grade is None:
            raise self._golden.error(wrong_grade(self._path, value), self._ignored(EXPECTED), row.line)
        return grade

    def _ignored(self, remedy: str) -> str:
        return f"{remedy}; or ignore the field with {option('fields', f'{self._path}=')}"


def _last(path: str) -> str:
    return plain_name(path.rpartition(".")[2])


def _outer(path: str) -> str:
    return path.rpartition(".")[0]


def _is_close(path: str, gold: str) -> bool:
    return not _outer(path) or _outer(path) == _outer(gold)


def _values(golden: Golden, path: str) -> Iterator[Any]:
    for row in golden.rows:
        value = row.fields.get(path)
        if value is not None:
            yield from value if isinstance(value, (list, tuple)) else [value]


def _lists_items(golden: Golden, path: str) -> bool:
    """Whether ``relevant`` lists what is relevant, by names or texts."""
    if _last(path) != "relevant":
        return False
    lists = [row.fields[path] for row in golden.rows if isinstance(row.fields.get(path), (list, tuple))]
    return bool(lists) and not any(grade_of(one) is not None for held in lists for one in held)


def _fits(golden: Golden, path: str, gold: str) -> bool:
    """Whether every row has one value, or one for each piece of gold."""
    for row in golden.rows:
        value, pieces = row.fields.get(path), row.fields.get(gold)
        many = len(pieces) if isinstance(pieces, (list, tuple)) else 1
        if isinstance(value, (list, tuple)) and len(value) != many:
            return False
    return True
