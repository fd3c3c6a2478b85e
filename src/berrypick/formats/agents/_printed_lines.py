"""Line numbers in the output of tools: numbered lines of a file, and hits of ripgrep with the lines around them.

A line ends with a line feed only. Form feeds, U+2028 and the like are characters of a line, as they are in the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

#: A path, the first line from 1, and how many.
Place = tuple[str, int, int]
#: A path as it was printed, and the number of a line.
_Hit = tuple[str, int]

#: A line of a file as a model sees it: the number, an arrow or a TAB, the text.
_NUMBERED = re.compile(r"[ \t]*([0-9]{1,10})(?:→|\t)")
_ALONE = re.compile(r"([1-9][0-9]{0,9})([:-])")
_MATCH = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\n]+):([0-9]{1,10}):")
_AROUND = re.compile(r"-([0-9]{1,10})-")
_NAME = re.compile(r".*[^\\/]\.[A-Za-z]\w*")
#: Arguments of Grep that ask for the lines around a match.
_AROUND_MATCHES = ("-A", "-B", "-C", "context")
#: No path is longer; what is behind it in a line is text.
_LONGEST_PATH = 4096
#: A reminder begins or ends at the start of a line. Lines of files that mention one have their number before it.
_REMINDER = re.compile(
    r"^<system-reminder>.*?(?:</system-reminder>|\Z)"
    r"|<system-reminder>(?:(?!</?system-reminder>).)*^</system-reminder>",
    re.DOTALL | re.MULTILINE,
)
_LARGEST = 2**31


def without_reminders(text: str) -> str:
    """Text of a result without the reminders to the model, which no tool printed."""
    return _REMINDER.sub("", text) if "<system-reminder>" in text else text


def before_reminder(text: str) -> str:
    """Text of a result up to a reminder to the model. What is behind it has no place: lines of it are missing."""
    found = _REMINDER.search(text) if "<system-reminder>" in text else None
    return text if found is None else text[: found.start()].rstrip("\n")


def numbered_lines(text: str, path: str) -> list[Place]:
    """Lines of one file, by the number before each. Asked for offset 0, the tool numbers the first line 0."""
    numbers = [int(found[1]) for line in text.split("\n") if (found := _NUMBERED.match(line))]
    return stretches((path, number + (0 in numbers[:1])) for number in numbers)


def prints_numbers(asked: Mapping[str, Any]) -> bool:
    """Whether a call of Grep prints line numbers: the default of the tool, which ``-n`` switches off."""
    asked_for = asked.get("-n")
    off = asked_for.strip().lower() in ("false", "0", "no") if isinstance(asked_for, str) else asked_for in (False, 0)
    return not off and asked.get("output_mode") not in ("files_with_matches", "count")


def grep_lines(text: str, asked: Mapping[str, Any], folder: str) -> list[Place]:
    """Lines that Grep printed: ``path:line:``, ``path-line-`` around a match, or ``line:`` of the one file searched.

    ``folder`` is the working folder of the call.
    """
    if not prints_numbers(asked):
        return []
    groups = printed_groups(text.split("\n"))
    searched = asked.get("path")
    if isinstance(searched, str) and searched and searched.rstrip("/\\") not in ("", ".", folder.rstrip("/\\")):
        numbers = _of_one_file([line for group in groups for line in group])
        if numbers is not None:
            return stretches((searched, number) for number in numbers)
    around = any(asked.get(name) not in (None, 0, "0", "") for name in _AROUND_MATCHES)
    return stretches(hit for group in groups for hit in _of_group(group, around))


def printed_groups(lines: Iterable[str]) -> list[list[str]]:
    """The lines between ``--``: ripgrep prints it where the next line is not the one that follows in the file."""
    groups: list[list[str]] = [[]]
    for line in lines:
        if line == "--":
            groups.append([])
        elif line.strip():
            groups[-1].append(line)
    return groups


def _of_one_file(lines: Sequence[str]) -> list[int] | None:
    """Numbers of the lines of one file; None for output that names files.

    The numbers of one file rise, and a colon follows that of a match. A name that begins with a number has a dash or a
    letter behind it.
    """
    found = [match for line in lines if (match := _ALONE.match(line))]
    numbers = [int(match[1]) for match in found]
    if not found or any(later <= number for number, later in pairwise(numbers)):
        return None
    named = [line for line in lines if _MATCH.match(line) or _AROUND.search(line)]
    if any(not _ALONE.match(line) for line in named):
        return None
    return numbers if not named or any(match[2] == ":" for match in found) else None


def file_hits(lines: Sequence[str], context: bool) -> list[_Hit]:
    """Hits of one group with the names of files; ``context``: lines around a match may be among them."""
    if context:
        return _of_group(lines, context)
    return [(match[1], int(match[2])) for line in lines if (match := _MATCH.match(line))]


def _of_group(lines: Sequence[str], around: bool) -> list[_Hit]:
    """Hits of one group: the lines around a match follow each other in one file, matches alone need not.

    ``around``: lines around matches were asked for. Of a line that may then be one, and beside which no other line says
    so, nobody can tell where its path ends; it is left out.
    """
    hits: list[_Hit] = []
    before: _Hit | None = None
    for at, line in enumerate(lines):
        read = _readings(line)
        hit = next((one for one in read if before is not None and _follows(one, before)), None)
        if hit is None and at + 1 < len(lines):  # a context line first: its number is the one before the next
            after = _readings(lines[at + 1])
            hit = next((one for one in read if any(_follows(other, one) for other in after)), None)
        if hit is None and (len(read) == 1 or not around) and (match := _MATCH.match(line)):
            hit = match[1], int(match[2])
        if hit is None and (len(read) == 1 or not around):  # a context line whose match was cut off
            hit = next((one for one in read if _NAME.fullmatch(one[0])), None)
        if hit is not None:
            hits.append(hit)
        before = hit
    return hits


def _readings(line: str) -> list[_Hit]:
    """Each place that the start of a line may name: a path and a number between dashes, or between colons."""
    found = [(line[: match.start()], int(match[1])) for match in _around(line)]
    match = _MATCH.match(line)
    return [*([(match[1], int(match[2]))] if match else []), *((path, number) for path, number in found if path)]


def _around(line: str) -> Iterable[re.Match[str]]:
    """Numbers between dashes, overlapping ones too: in ``a-1-2-x`` both are."""
    at = 0
    while match := _AROUND.search(line, at, _LONGEST_PATH):
        yield match
        at = match.end() - 1


def _follows(one: _Hit, before: _Hit) -> bool:
    """Whether a place is the next line of the same file; one path may be relative and the other absolute."""
    return one[1] == before[1] + 1 and _file_name(one[0]) == _file_name(before[0])


def _file_name(path: str) -> str:
    return re.split(r"[\\/]", path)[-1]


def stretches(hits: Iterable[_Hit]) -> list[Place]:
    """Lines as first ones and how many follow, file by file in the order in which they were printed."""
    found: dict[str, set[int]] = {}
    for path, number in hits:
        found.setdefault(path, set()).add(number)
    places: list[Place] = []
    for path, numbers in found.items():
        for number in sorted(number for number in numbers if 0 < number < _LARGEST):
            if places and places[-1][0] == path and places[-1][1] + places[-1][2] == number:
                places[-1] = (path, places[-1][1], places[-1][2] + 1)
            else:
                places.append((path, number, 1))
    return places
