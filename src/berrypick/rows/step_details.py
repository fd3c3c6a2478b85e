"""What rows of a run say of their steps: costs, whether a result was used, the tool and the session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from berrypick.data.arrays import IntArray, Narrow
from berrypick.rows.counted_places import COSTS, DETAIL_TEXTS, DETAILS
from berrypick.rows.json_lines import Fields, plain

_SWITCH = {True: 1.0, False: 0.0, "true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


class StepDetails:
    """Collects the details of those rows that have some."""

    def __init__(self) -> None:
        self._held: dict[str, dict[int, Any]] = {}

    def add(self, fields: Fields, row: int) -> None:
        """Add the details of a row of the run."""
        for name in DETAILS:
            if (given := fields.value.get(name)) is not None and (value := checked(fields, name, given)) is not None:
                self._held.setdefault(name, {})[row] = value

    def held(self, name: str) -> dict[int, Any]:
        """The values of a detail, by row."""
        return self._held.get(name, {})

    def without(self, names: Iterable[str]) -> None:
        """Forget some details."""
        for name in names:
            self._held.pop(name, None)

    def columns(self, order: IntArray | Narrow) -> dict[str, Any]:
        """A column for each detail that any row has, in the order of the run."""
        found: dict[str, Any] = {}
        for name in DETAILS:
            if name in self._held:
                text = name in DETAIL_TEXTS
                column: Any = np.full(len(order), "" if text else np.nan, dtype=object if text else np.float64)
                column[[*self._held[name]]] = [*self._held[name].values()]
                found[name] = column[order]
        return found


def checked(fields: Fields, name: str, given: Any) -> Any:
    """A value as a column has it; what is none is counted and not read."""
    value: Any = None
    if name in DETAIL_TEXTS:
        value = str(given) if isinstance(given, (str, int)) and not isinstance(given, bool) else None
    elif name == "used":
        known = given.strip().lower() if isinstance(given, str) else given
        value = _SWITCH.get(known) if isinstance(known, (str, bool, int, float)) else None
    elif isinstance(given, (int, float)) and not isinstance(given, bool) and abs(given) <= 2**53:
        if given < 0 and name in COSTS:
            fields.fail(f"{fields.called(name)} {given:g} is below 0", "a cost is 0 or more")
            return None
        value = float(given)
    if value is None:
        fields.problems.count(f"values of {fields.called(name)} that are {_KIND.get(name, 'not a number')}, ignored")
    return value


_KIND = {"used": "neither true nor false", **dict.fromkeys(DETAIL_TEXTS, "no text")}


def record_of(details: Mapping[str, Any], row: int) -> dict[str, Any]:
    """The details of a row as a line has them."""
    found: dict[str, Any] = {}
    for name, column in details.items():
        value = column[row]
        if name in DETAIL_TEXTS:
            found |= {name: value} if value else {}
        elif value == value:
            found[name] = bool(value) if name == "used" else plain(value)
    return found
