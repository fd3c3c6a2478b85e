"""Where the sections of plain texts begin: at Markdown headings, or after blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import numpy as np

from berrypick.data.arrays import IntArray

#: A Markdown heading, or the underline of one in the older style, in the line after it.
_HEADING = re.compile(r"^(?:#{1,6}[ \t]+\S.*|[^\s#>*+-].*\r?\n(?:=+|-{2,})[ \t\r]*)$", re.MULTILINE)
#: A line that opens or closes code; after backticks that open it no other ones stand in the line.
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)
_BLANK = re.compile(r"(?:\r?\n[ \t]*){2,}")


def section_starts(text: str, by: Literal["heading", "paragraph"]) -> IntArray:
    """The offsets at which sections begin, 0 first; each lasts until the next one."""
    if by == "paragraph":
        found = np.array([match.end() for match in _BLANK.finditer(text)], dtype=np.int64)
    else:
        found = np.array([match.start() for match in _HEADING.finditer(text)], dtype=np.int64)
        low, high = np.array(list(_code(text)), dtype=np.int64).reshape(-1, 2).T
        before = np.searchsorted(low, found, side="right") - 1  # the code that begins last before each heading
        inside = (before >= 0) & (found < np.append(high, 0)[before])
        found = found[~inside]
    return np.unique(np.append(found, 0))


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Fenced code, from the line that opens it to the one that closes it; what nothing closes is not code."""
    fences = list(_FENCE.finditer(text))
    closing = [match[1] if not match[2].strip() else "" for match in fences]
    # the longest line of either kind, from each one on, that could close code: tells at once where none will come
    longest: dict[str, list[int]] = {}
    for mark in "`~":
        sizes = [len(line) if line[:1] == mark else 0 for line in closing]
        longest[mark] = np.maximum.accumulate([0, *sizes[::-1]])[::-1].tolist()
    at = 0
    while at < len(fences):
        start, opening = fences[at].start(), fences[at][1]
        at += 1
        if longest[opening[0]][at] < len(opening):
            continue
        while not closing[at].startswith(opening):
            at += 1
        yield start, fences[at].end()
        at += 1
