"""Fields that say whether a row of a truth is relevant: their names, and the grades that their values stand for.

Every carrier uses this table: JSON Lines, CSV, Parquet, data frames, records, dictionaries, objects and golden files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: Names that only truths have: a file with one of them is not a run.
OF_TRUTHS_ALONE = ("grade", "relevance", "label", "rel", "judgement", "judgment")
#: Names of a grade. The others may also be in runs, which do not read them.
NAMES = (*OF_TRUTHS_ALONE, "labels", "relevant", "is_relevant", "relevance_label", "is_selected", "is_supporting",
         "is_positive")  # fmt: skip
#: Names that may mean a grade or something else. A person has to say what they are.
OPEN = ("score", "rating", "target", "gold", "verdict")
#: Columns beside which ``score`` is a grade: those of judgements of BEIR, and of ranx.
_SCORED = (frozenset({"query_id", "corpus_id", "score"}), frozenset({"q_id", "doc_id", "score"}))
#: Grades that words stand for, in any case and style.
WORDS: Mapping[str, int] = {
    "true": 1, "yes": 1, "relevant": 1, "positive": 1, "support": 1, "partially relevant": 1,
    "false": 0, "no": 0, "irrelevant": 0, "not relevant": 0, "negative": 0, "not support": 0,
}  # fmt: skip
#: In a file with both words, ``relevant`` is 2 and ``partially relevant`` 1.
_DEGREES = frozenset({"relevant", "partially relevant"})
_LARGEST = 2**53
#: A line, its text, and its fields by our names.
Row = tuple[int, str, dict[str, Any]]
#: The remedy where a value is something else.
EXPECTED = "give a number, true or false, yes or no, relevant or irrelevant"


def word_of(value: Any) -> str:
    """Return a text in lower case with single blanks; '' for anything but a text."""
    return re.sub(r"[\s_\-]+", " ", value.strip()).lower() if isinstance(value, str) else ""


def grade_of(value: Any, scale: Mapping[str, int] = WORDS) -> float | None:
    """Return the grade that a value stands for; None if it is not a value of relevance."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        known = scale.get(word_of(value))
        return known if known is not None else _number(value)
    if not isinstance(value, (int, float)):
        return None
    return value if abs(value) <= _LARGEST else None


def _number(text: str) -> float | None:
    """Return the number that a cell of a table holds."""
    if not re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", text, re.ASCII):
        return None
    number = float(text)
    if not abs(number) <= _LARGEST:
        return None
    return int(number) if number.is_integer() else number


def scale_of(values: Iterable[Any]) -> Mapping[str, int]:
    """Return the grades of words in a file with these values: ``relevant`` is more than ``partially relevant``."""
    found = {word_of(value) for value in values}
    return {**WORDS, "relevant": 2} if found >= _DEGREES else WORDS


def are_relevance(values: Iterable[Any]) -> bool:
    """Return whether every value stands for a grade."""
    return all(grade_of(value) is not None for value in values)


def is_beir(names: Iterable[str]) -> bool:
    """Return whether plain names are those of BEIR's judgements."""
    given = {*names}
    return given >= _SCORED[0] and "rank" not in given


def score_is_grade(names: Iterable[str]) -> bool:
    """Return whether plain names are those of judgements of BEIR or ranx, whose ``score`` is a grade."""
    given = {*names}
    return any(given >= scored for scored in _SCORED) and "rank" not in given


def wrong_grade(name: str, value: Any) -> str:
    """Say that a value is not a grade."""
    if value is None:
        return f"{name} is null"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{name} must be a number of at most 2^53, not {value!r:.40}"
    return f"{name} must be a number or a word of relevance, not {value!r:.40}"


def with_grades(rows: Iterable[Row]) -> Iterator[Row]:
    """Replace words of relevance in rows of a truth with numbers; other values stay for the checks of the fields.

    Rows are held back only from the first ``relevant`` or ``partially relevant`` on: both may be in the file.
    """
    rest = iter(rows)
    for row in rest:
        grade = row[2].get("grade")
        if type(grade) in (int, float) or grade is None:
            yield row
        elif word_of(grade) in _DEGREES:
            held = [row, *rest]
            scale = scale_of(one[2].get("grade") for one in held)
            yield from (_graded(one, scale) for one in held)
        else:
            yield _graded(row, WORDS)


def _graded(row: Row, scale: Mapping[str, int]) -> Row:
    number, text, value = row
    grade = grade_of(value.get("grade"), scale)
    if grade is None:
        return row
    changed = type(value)({**value, "grade": grade})
    if hasattr(value, "called"):
        changed.called = value.called  # type: ignore[attr-defined]
    return number, text, changed
