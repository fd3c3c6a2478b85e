"""Rows that name the stage of a pipeline they belong to: a run for each stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, TypeVar

from berrypick.data.run import Run
from berrypick.files.problems import Problems
from berrypick.rows.json_lines import Rows

Held = TypeVar("Held")

ONLY_SOME = "only some rows name their stage"
NAME_ALL = "give stage in every row, or in none"
NO_NAME = "stage must be a name or a whole number"


def stage_name(value: Any) -> str | None:
    """The name of a stage; None if the value is none."""
    if isinstance(value, float) and value.is_integer():  # a column of numbers with gaps
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return str(value).strip() or None


def in_order(stages: Mapping[str, Held]) -> dict[str, Held]:
    """Stages in the order in which rows name them; those that are numbers by number."""
    if all(name.lstrip("-").isdecimal() for name in stages):
        return dict(sorted(stages.items(), key=lambda item: int(item[0])))
    return dict(stages)


def run_of_stages(stages: Mapping[str, Held], read: Callable[[Held], Run]) -> Run:
    """The run of the last stage, which has the others before it."""
    runs = [read(held).changed(stage=name) for name, held in in_order(stages).items()]
    return runs[-1].changed(earlier=tuple(runs[:-1]))


def by_stage(rows: Rows, problems: Problems) -> Rows | dict[str, list[Any]]:
    """Rows of each stage; rows that name no stage as they are."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None or first[2].get("stage") is None:
        return () if first is None else chain([first], rows)
    found: dict[str, list[Any]] = {}
    for number, text, value in chain([first], rows):
        if (name := stage_name(value.get("stage"))) is None:
            problems.report(ONLY_SOME if value.get("stage") in (None, "") else NO_NAME, number, text, NAME_ALL)
        else:
            found.setdefault(name, []).append((number, text, value))
    return found
