"""Retrieved spans as JSON Lines, read into columns by the compiled scanner.

The first line says which names there are. The scanner reads lines of texts and numbers under these names; whatever else
there is, the plain reader reads the whole file instead, and alone decides what is an error.
"""

from __future__ import annotations

from typing import Any

from berrypick.formats.io.files import head
from berrypick.formats.io.json_lines import positions
from berrypick.formats.io.scan import scan_with
from berrypick.formats.io.strict_json import strict_json
from berrypick.inputs.fields import FieldReader, direct_names
from berrypick.kernels import native

#: What the scanner reads, in its order; behind it the tag of the run, and what is not read.
_SLOTS = ("topic", "doc", "start", "end", "score", "rank", "tag")
_OTHER = len(_SLOTS)


def scan_spans(path: str, reader: FieldReader) -> dict[str, Any] | None:
    """The columns of a run as :func:`assemble` takes them; None if the plain reader has to read the file."""
    compiled = native()
    names = None if compiled is None else _names(path)
    if compiled is None or names is None:
        return None
    found = scan_with(compiled.span_lines(list(names), list(names.values())), path)
    if found is None or not len(found.line):
        return None
    reader.leave_values(name for *_, name in sorted(found.others))
    topic, document = found.coded()
    held = found.columns
    return {
        "tag": found.tag,
        "topic": topic,
        "document": document,
        **{name: positions(held[name]) if name in held else None for name in ("start", "end")},
        "score": held.get("score"),
        "rank": held.get("rank"),
        "line": found.line,
    }


def _names(path: str) -> dict[str, int] | None:
    """The slot of each name of the first line; None where a name, or what stands there, has to be looked at."""
    try:
        first = strict_json(head(path, 1)[0])
    except (ValueError, RecursionError, IndexError):
        return None
    if not isinstance(first, dict) or len(first) > 64:
        return None
    ours = direct_names(tuple(first), "run")
    if ours is None or not {*ours.values()} <= {*_SLOTS, ""}:
        return None
    return {name: _SLOTS.index(known) if known else _OTHER for name, known in ours.items()}
