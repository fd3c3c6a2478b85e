"""Sufficient sets and hops as rows of a truth name them, checked topic by topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from berrypick.files.problems import Problems
from berrypick.rows.json_lines import Fields
from berrypick.rows.values import SETS

_ONE_KIND = "name sets in all relevant lines of a topic, or hops in all of them, or neither"


class Memberships:
    """Which sets or hops the judged units are in; what cannot be so is a problem with its line.

    Parameters
    ----------
    problems : Problems
        Where problems are reported.
    bare : dict
        Relevant lines that name neither, by topic, as far as rows have been read.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.rows.memberships import Memberships
    >>> from berrypick.files.problems import Problems
    >>> from berrypick.rows.json_lines import Fields
    >>> problems = Problems("truth.jsonl")
    >>> members = Memberships(problems, {})
    >>> members.add("q", "a", members.read(Fields(1, "", {"set": "x"}, problems), "q", 1.0))
    True
    >>> members.columns("q", ["a", "b"])
    {'sets': (('x',), ())}
    """

    def __init__(self, problems: Problems, bare: dict[str, list[int]]) -> None:
        self._problems = problems
        self._units: dict[str, dict[Any, dict[str, tuple[str, ...]]]] = {}
        self._kinds: dict[str, dict[str, int]] = {}  # of each topic, with the first line that names one
        self._bare = bare
        self._named: dict[str, dict[tuple[str, str], int]] = {}  # by relevant lines
        self._empty: dict[str, dict[tuple[str, str], int]] = {}  # by others

    def read(self, fields: Fields, topic: str, grade: float | None) -> dict[str, tuple[str, ...]]:
        """Read the sets or the hops of one row, ready for a unit or a quote; a row that is not relevant has none."""
        found = {kind: names for kind in SETS if kind in fields.value and (names := _names(fields, kind))}
        if grade is None or not fields.good:
            return {}
        if len(found) > 1:
            fields.fail("names both a set and a hop", _ONE_KIND)
            return {}
        if grade <= 0:
            self._passed_over(fields, topic, found)
            return {}
        if not found:
            self._bare.setdefault(topic, []).append(fields.number)
            return {}
        [(kind, names)] = found.items()
        kinds = self._kinds.setdefault(topic, {})
        kinds.setdefault(kind, fields.number)
        if len(kinds) > 1:
            other = next(one for one in kinds if one != kind)
            fields.fail(f"names a {kind}, but line {kinds[other]} of topic {topic} names a {other}", _ONE_KIND)
            return {}
        for name in names:
            self._named.setdefault(topic, {}).setdefault((kind, name), fields.number)
        return {SETS[kind]: names}

    def _passed_over(self, fields: Fields, topic: str, found: dict[str, tuple[str, ...]]) -> None:
        for kind, names in found.items():
            fields.problems.count(f"lines that are not relevant but name a {kind}, ignored")
            for name in names:
                self._empty.setdefault(topic, {}).setdefault((kind, name), fields.number)

    def add(self, topic: str, unit: Any, named: Mapping[str, tuple[str, ...]]) -> bool:
        """Put a unit into the sets or hops that a row names; whether it was not in all of them yet."""
        if not named:
            return False
        known = self._units.setdefault(topic, {}).setdefault(unit, {})
        before = dict(known)
        for kind, names in named.items():
            known[kind] = tuple(dict.fromkeys((*known.get(kind, ()), *names)))
        return known != before

    def check(self) -> None:
        """Report what only all rows of a topic together show."""
        for topic, kinds in self._kinds.items():
            kind, line = next(iter(kinds.items()))
            for number in self._bare.get(topic, ()):
                what = f"names no {kind}, but line {line} of topic {topic} does"
                self._problems.report(what, number, remedy=_ONE_KIND)
        for topic, names in self._empty.items():
            for (kind, name), number in names.items():
                if (kind, name) not in self._named.get(topic, {}):
                    what = f"{kind} {name} of topic {topic} is empty: no line of it is relevant"
                    self._problems.report(what, number, remedy=f"remove {kind} from lines of grade 0")

    def columns(self, topic: str, units: Iterable[Any]) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Return the fields ``sets`` or ``hops`` of a topic whose units are these, in this order."""
        known = self._units.get(topic, {})
        kinds = dict.fromkeys(kind for named in known.values() for kind in named)
        listed = list(units)
        return {kind: tuple(known.get(unit, {}).get(kind, ()) for unit in listed) for kind in kinds}


def _names(fields: Fields, kind: str) -> tuple[str, ...]:
    """The names under ``set`` or ``hop``: one, or a list of them; none where there is none."""
    given = fields.value.get(kind)
    if given is None:
        return ()
    if type(given) is str and given and given.isprintable():  # nearly always
        return (given,) if fields.good else ()
    if hasattr(given, "tolist"):  # an array, in a cell of a data frame
        given = given.tolist()
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if not listed or any(name == "" for name in listed):
        fields.fail(f"the name of the {kind} is empty", f"name the {kind}, or remove the field")
        return ()
    named = [Fields(fields.number, fields.text, {kind: name}, fields.problems) for name in listed]
    names = tuple(dict.fromkeys(one.name(kind) for one in named))
    fields.good = fields.good and all(one.good for one in named)
    return names if fields.good else ()
