"""Names of topics, documents and runs that are no text: with NUL, or with half of a character (a lone surrogate).

JSON can escape both, and they pass through Python until something is written, drawn or sent to another program. They
are refused where a file is read, with the line.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from berrypick.data.errors import InputError
from berrypick.data.navigation import LinkTable, ReachTable, Sessions, TransitionCounts
from berrypick.data.run import Run
from berrypick.data.session_paths import Paths
from berrypick.data.truth import Truth
from berrypick.files.files import is_parquet, is_stream, open_bytes
from berrypick.files.problems import Problems

_INVALID = re.compile("[\x00\ud800-\udfff]")
#: The same as JSON escapes them; two halves of one character follow each other.
_ESCAPED = re.compile(
    rb"\x00|\\u0000|\\u[dD][89aAbB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89aAbB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def name_problem(name: str) -> str:
    """Say what is wrong with a name; empty if nothing is."""
    if _INVALID.search(name) is None:
        return ""
    return "NUL" if "\0" in name else "a lone surrogate, which is not valid text"


def check_names(value: Any, path: str, problems: Problems) -> None:
    """Report the first name of each kind that is no text."""
    for kind, names in _named(value):
        name = _invalid(names)
        if name is not None:
            what = f"the {kind} {json.dumps(name)[:80]} contains {name_problem(name)}"
            problems.report(what, line_of_name(path, name), None, f"rename the {kind} in the file")


def _named(value: Any) -> Iterator[tuple[str, Iterable[str]]]:
    """The names in what was read, by kind."""
    if isinstance(value, Run):
        yield "topic", value.topics
        yield "document", value.documents
        yield "run", (value.tag,)
    elif isinstance(value, Truth):
        yield "topic", value.topics
        yield "document", (name for topic in value.topics.values() for name in topic.documents())
    elif isinstance(value, Sessions):
        yield "page", value.paths.names if isinstance(value.paths, Paths) else chain.from_iterable(value.paths)
        yield "page", value.goals
    elif isinstance(value, TransitionCounts):
        yield "page", value.units
    elif isinstance(value, (LinkTable, ReachTable)):
        yield "page", (name for pair in value.rows for name in pair)


def _invalid(names: Iterable[str]) -> str | None:
    """The first name that is no text; all of them are looked at together, as most files have none."""
    known = list(names)
    if _INVALID.search("".join(known)) is None:
        return None
    return next(name for name in known if _INVALID.search(name))


def line_of_name(path: str, name: str) -> int | None:
    """The line where a name stands, as it is or escaped by JSON; else the first line with anything of the kind."""
    if is_stream(path) or not os.path.isfile(path) or is_parquet(path):
        return None
    wanted = _pattern(name)
    other = None
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(stream, start=1):
                if _ESCAPED.search(line) is None:
                    continue
                if wanted.search(line):
                    return number
                other = other or number
    except (OSError, InputError):  # gone since
        return None
    return other


def _pattern(name: str) -> re.Pattern[bytes]:
    """A name as bytes of a file: each character as UTF-8, or escaped."""
    parts = []
    for char in name[:200]:
        escaped = json.dumps(char)[1:-1].encode()
        parts.append(b"(?:%s|%s)" % (re.escape(char.encode("utf-8", "surrogatepass")), re.escape(escaped)))
    return re.compile(b"".join(parts), re.IGNORECASE)
