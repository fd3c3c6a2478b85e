"""What files of benchmarks have in common: a question an object, with evidence by number of sentence, turn or page."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from berrypick.files.files import head
from berrypick.files.json_files import load, objects
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows, records

#: A document, and the numbers of the first sentence and of the one after the last; None for all of it.
Place = tuple[str, int | None, int | None]


def entries(path: str, problems: Problems, name: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Go through the objects of a file with their lines: lines of JSON, or a list; ``name`` is what identifies one."""
    first = next(iter(head(path)), "").lstrip("\ufeff \t")
    if not first.startswith("["):
        yield from records(path, problems)
        return
    value, source = load(path, problems)
    if value is None:
        return
    for one in objects(value, "the file", source, problems):
        line = source.line_of(one.get(name), name)
        source.skip()
        yield line, shown(one), one


def shown(value: Mapping[str, Any]) -> str:
    """An object as messages quote it: its short texts and numbers."""
    known = {name: one for name, one in value.items() if isinstance(one, (str, int, float))}
    return ", ".join(f"{name}: {str(one)[:60]}" for name, one in list(known.items())[:4])


def whole_number(value: Any) -> int | None:
    """A number of a sentence, a turn or a paragraph, from 0; also as digits. None if it is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value) if len(value) < 16 else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def place(document: str, number: int | None) -> Place:
    """One sentence or turn of a document, or all of it."""
    return document, number, None if number is None else number + 1


def in_row(where: Place) -> dict[str, Any]:
    """A place as rows of truths and runs have it."""
    document, start, end = where
    return {"doc": document} if start is None else {"doc": document, "start": start, "end": end}


def sets_of_places(groups: Iterable[Iterable[Place]], problems: Problems) -> list[dict[str, Any]]:
    """Rows for alternative sets of evidence, a row a place, with the numbers of its sets from 1.

    Sets that hold the same places are one.
    """
    known: dict[frozenset[Place], None] = {}
    for group in groups:
        places = frozenset(group)
        if not places:
            problems.count("evidence sets without evidence, skipped")
        elif places in known:
            problems.count("repeated evidence sets, merged")
        else:
            known[places] = None
    found: dict[Place, list[str]] = {}
    for number, places in enumerate(known, start=1):
        for where in sorted(places, key=_order):
            found.setdefault(where, []).append(str(number))
    return [{**in_row(where), "set": names} for where, names in found.items()]


def _order(where: Place) -> tuple[str, int]:
    return where[0], where[1] or 0


class Repeats:
    """Names of topics that occur again: the second is called NAME/2, in the truth and in the run alike."""

    def __init__(self, problems: Problems, what: str) -> None:
        self._seen: dict[Hashable, int] = {}
        self._problems, self._what = problems, what

    def name(self, given: Any) -> Any:
        """The name of the next topic that the file calls so."""
        if not isinstance(given, (str, int)) or isinstance(given, bool):
            return given
        times = self._seen[given] = self._seen.get(given, 0) + 1
        if times > 1:
            self._problems.count(f"{self._what} whose name occurred before, counted by place")
        return given if times == 1 else f"{given}/{times}"


def ranked(number: int, text: str, topic: Any, places: Sequence[Place]) -> Rows:
    """The rows of a run for one topic, in the order of the file."""
    if not places:
        yield number, text, {"topic": topic, "results": []}
    for where in places:
        yield number, text, {"topic": topic, **in_row(where)}


def identified(value: Mapping[str, Any], name: str, number: int, text: str, problems: Problems) -> bool:
    """Whether an object has its id; reported otherwise."""
    given = value.get(name)
    if (isinstance(given, str) and given) or (isinstance(given, int) and not isinstance(given, bool)):
        return True
    problems.report(f"{name} is missing" if given is None else f"{name} must be a text or a whole number", number, text)
    return False
