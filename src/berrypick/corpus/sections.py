"""Where the sections of plain texts begin: at Markdown headings, or after blank lines."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from berrypick.core.arrays import IntArray

#: A Markdown heading, or the underline of one in the older style, in the line after it.
_HEADING = re.compile(r"^(?:#{1,6}[ \t]+\S.*|[^\s#>*+-].*\r?\n(?:=+|-{2,})[ \t]*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(```+|~~~+).*?^[ \t]{0,3}\1[ \t]*$", re.MULTILINE | re.DOTALL)
_BLANK = re.compile(r"(?:\r?\n[ \t]*){2,}")


def section_starts(text: str, by: Literal["heading", "paragraph"]) -> IntArray:
    """The offsets at which sections begin, 0 first; each lasts until the next one."""
    if by == "paragraph":
        found = [match.end() for match in _BLANK.finditer(text)]
    else:
        code = [match.span() for match in _FENCE.finditer(text)]
        headings = [match.start() for match in _HEADING.finditer(text)]
        found = [at for at in headings if not any(low <= at < high for low, high in code)]
    return np.unique(np.array([0, *found], dtype=np.int64))
