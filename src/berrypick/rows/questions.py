"""Topics that nothing but their questions names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from berrypick.data.words import plain_title
from berrypick.files.problems import Problems
from berrypick.rows.field_rows import FieldRow, names_of, with_fields
from berrypick.rows.fields import is_question
from berrypick.rows.json_lines import Rows


def by_place(rows: Rows, problems: Problems) -> Rows:
    """Rows whose questions are all that names their topics, with the place of the question (1, 2 ..) as the topic.

    A question is a text of several words; names that stand under ``query`` stay what they are.
    """
    rest, first = iter(rows), list[tuple[int, str, dict[str, Any]]]()
    for row in rest:
        first.append(row)
        if "topic" in row[2]:
            break
    if not first or not _asked(first[-1][2]):
        return chain(first, rest)
    held = [*first, *rest]
    if not any(isinstance(row[2].get("topic"), str) and len(row[2]["topic"].split()) > 1 for row in held):
        return map(_trimmed, held)
    return _numbered(held, problems)


def _trimmed(row: tuple[int, str, dict[str, Any]]) -> tuple[int, str, dict[str, Any]]:
    """A row with the name of its topic up to white space, where it stands in the place of a question."""
    number, text, value = row
    asked = value.get("topic")
    if not _asked(value) or not isinstance(asked, str) or asked == plain_title(asked):
        return row
    return number, text, with_fields(value, {"topic": plain_title(asked)})


def _asked(row: Mapping[str, Any]) -> bool:
    """Whether the topic of a row is the text of its question."""
    return is_question(names_of(row).get("topic", ""))


def _numbered(rows: Rows, problems: Problems) -> Iterator[tuple[int, str, dict[str, Any]]]:
    places: dict[str, tuple[str, str]] = {}
    for number, text, value in rows:
        asked = value.get("topic")
        if asked is None or not isinstance(asked, (str, int)):
            yield number, text, value  # the checks of the fields say what is wrong with it
            continue
        if not _asked(value):
            remedy = "name the topic in every line, or in none"
            problems.report("has a topic, but other lines only have questions", number, text, remedy)
            continue
        topic, question = places.setdefault(plain_title(str(asked)), (str(len(places) + 1), str(asked)))
        row = FieldRow({"question": question, **value, "topic": topic})
        row.called = names_of(value)
        yield number, text, row
