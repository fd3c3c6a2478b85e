"""User models estimated from a log."""

from __future__ import annotations

import json
from typing import Any, ClassVar, TextIO

from berrypick.data.navigation import FITTED_VERSION, SCALES, FittedReader, content_checksum
from berrypick.data.words import counted
from berrypick.files.json_files import load, starts_object
from berrypick.formats.base import Format, Problems, Role

#: The most parameters whose law a file may hold.
MOST_PARAMETERS = 16


class FittedUserModel(Format):
    """Fitted user model, one JSON object: what ``berrypick fit`` writes, and the option user takes.

    ``user`` is the user model with its parameters, ``parameters`` has their intervals. ``unit`` is what its
    distances count; a truth that counts something else is refused. ``agent``, ``version``, ``sessions`` (count and
    checksum) and ``period`` (first and last day of the sessions) say whom it describes, where the log does. The
    others say what it was estimated from (``data``, ``split``) and how well it fits (``held_out``,
    ``calibration``). A chain has ``transitions``: from, to, probability, the ends of its interval, how often it was
    seen; a reader with a goal has the ``links`` that it follows. The uncertainty of the fit is in ``law`` (the
    covariance of the logarithms of parameters, or as its ``scales`` say of their values or log-odds) or ``visits``
    (how often each page was left), and gives values of measures their interval over readers; a file without either
    is read, and gives none. The file holds no date of its own: the same log, options and seed give the same
    ``checksum``. A file that does not match its checksum is refused.

    Sample::

        {"fitted": 1, "user": "distance(theta=0.02)",
         "parameters": {"theta": {"value": 0.02, "low": 0.015, "high": 0.027}}, "checksum": "387f58f234150dce"}
    """

    format_name: ClassVar[str] = "fitted-user"
    role: ClassVar[Role] = "user"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"fitted"',)
    shape: ClassVar[str] = '{"fitted": 1, "user": "distance(theta=0.02)", ..., "checksum": "..."}'
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    json_names: ClassVar[tuple[str, ...]] = ("fitted", "user", "parameters", "checksum")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "fitted", "user")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> FittedReader:
        content, _ = load(path, problems)
        wrong = _problem(content)
        if wrong and content is not None:
            problems.report(wrong, 1, remedy="run berrypick fit again")
        return FittedReader({"user": ""} if wrong else content, path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return "" if isinstance(value, FittedReader) else "it is not a fitted user model"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        content = {**value.content, "checksum": content_checksum(value.content)}
        tables = {name: content.pop(name) for name in ("transitions", "links") if name in content}
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
        for name, rows in tables.items():  # one a line
            written = json.JSONEncoder(ensure_ascii=False).encode  # dumps would make an encoder for each row
            lines = ",\n".join("  " + written(row) for row in rows)
            text = f'{text[:-2]},\n "{name}": [\n{lines}\n ]\n}}'
        out.write(text + "\n")

    @classmethod
    def describe(cls, value: FittedReader) -> list[str]:
        rows = value.content.get("transitions")
        steps = [counted(len(rows), "transition")] if isinstance(rows, list) else []
        return [value.user or "no user model", *steps, f"checksum {value.content.get('checksum')}"]


def _problem(content: Any) -> str:
    """What is wrong with the content of a file; '' if nothing is."""
    if not isinstance(content, dict) or not isinstance(content.get("user"), str):
        return "contains no user model"
    if content.get("fitted") != FITTED_VERSION:
        return f"is version {content.get('fitted')!r:.20} of this format, and {FITTED_VERSION} is read"
    try:
        same = content.get("checksum") == content_checksum(content)
    except (ValueError, RecursionError):  # numbers and nesting that were never written
        same = False
    if not same:
        return "does not match its checksum: it was changed or damaged after it was written"
    if not _good_rows(content.get("transitions", [])):
        return "has transitions that are not from, to, probability"
    if not _good_links(content.get("links", [])):
        return "has links that are not from, to"
    return "" if _good_law(content) else "has a distribution or visits that do not fit its parameters or transitions"


def _good_law(content: dict[str, Any]) -> bool:
    """Whether what the log leaves open, where the file says it, belongs to what was estimated."""
    if (law := content.get("law")) is not None:
        names, known = law.get("of") if isinstance(law, dict) else None, content.get("parameters")
        if not (isinstance(names, list) and 1 <= len(names) <= MOST_PARAMETERS and isinstance(known, dict)):
            return False
        scales = law.get("scales", ["log"] * len(names))
        if not (isinstance(scales, list) and len(scales) == len(names) and all(one in SCALES for one in scales)):
            return False
        if not all(_on_scale(known.get(name), scale) for name, scale in zip(names, scales, strict=True)):
            return False
        rows, size = law.get("covariance"), len(names)
        square = isinstance(rows, list) and [len(row) for row in rows if isinstance(row, list)] == [size] * size
        return square and all(isinstance(one, (int, float)) for row in rows for one in row)
    visits = content.get("visits")
    if visits is None:
        return True
    good = isinstance(visits, dict) and all(_number(count) >= 0 for count in visits.values())
    return good and all(row[0] in visits for row in content.get("transitions", []))


def _on_scale(one: Any, scale: str) -> bool:
    """Whether a parameter has a value that its scale knows."""
    if not isinstance(one, dict):
        return False
    value = one.get("value")
    if scale == "linear":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return _number(value) > 0 and (scale == "log" or _number(value) < 1)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else -1.0


def _good_links(rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 2 and all(isinstance(unit, str) and unit for unit in row) for row in rows
    )


def _good_rows(rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list)
        and len(row) >= 3
        and all(isinstance(unit, str) and unit for unit in row[:2])
        and isinstance(row[2], (int, float))
        and not isinstance(row[2], bool)
        and 0 <= row[2] <= 1
        for row in rows
    )
