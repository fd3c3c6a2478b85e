"""The same note on several runs or measures, as one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from berrypick.data.errors import Message
from berrypick.data.results import Note

#: So many runs are named in a merged note.
LISTED_RUNS = 5


def merge_notes(notes: Sequence[Note], runs: int) -> list[Note]:
    """The same note on several runs or measures as one that names them; ``runs`` is how many runs there are in all."""
    groups: dict[Note, list[str]] = {}
    for note in notes:
        groups.setdefault(replace(note, run=""), []).append(note.run)
    if len(groups) > 1:
        groups = _alike(groups)
    by_run = [replace(note, run=_join_names(list(dict.fromkeys(names)), runs)) for note, names in groups.items()]
    measures: dict[Note, list[str]] = {}
    for note in by_run:
        measures.setdefault(replace(note, measure=""), []).append(note.measure)
    return [replace(note, measure=", ".join(names)) for note, names in measures.items()]


#: A number that is no part of a name.
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w,-]|\.\d)")


def _alike(groups: Mapping[Note, list[str]]) -> dict[Note, list[str]]:
    """Notes on many runs that differ in numbers alone, as one note with the least and the largest of each number."""
    same: dict[Note, list[Note]] = {}
    for note in groups:
        same.setdefault(replace(note, text=_NUMBER.sub("#", str(note.text))), []).append(note)
    found: dict[Note, list[str]] = {}
    for notes in same.values():
        with_options = any(Message(note.text).template != str(note.text) for note in notes)
        if len(notes) <= LISTED_RUNS or with_options:
            found |= {note: groups[note] for note in notes}
            continue
        numbers = zip(*(_NUMBER.findall(str(note.text)) for note in notes), strict=True)
        ranges = iter([_range(column) for column in numbers])
        text = _NUMBER.sub(lambda _, ranges=ranges: next(ranges), str(notes[0].text))  # type: ignore[misc]
        found[replace(notes[0], text=text)] = [run for note in notes for run in groups[note]]
    return found


def _range(numbers: Sequence[str]) -> str:
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if float(low) == float(high) else f"{low} to {high}"


def _join_names(names: Sequence[str], of: int) -> str:
    if len(names) <= LISTED_RUNS:
        return ", ".join(names)
    return (
        f"all {of} runs"
        if len(names) == of
        else f"{', '.join(names[:LISTED_RUNS])} and {len(names) - LISTED_RUNS} more runs"
    )
