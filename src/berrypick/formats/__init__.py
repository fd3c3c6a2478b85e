"""One file per format; a new file is found by itself. Files are recognised by what is in them."""

from __future__ import annotations

import sys
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, UsageError, nearest, option
from berrypick.core.gc import gc_paused
from berrypick.core.navigation import Navigation, ReachTable
from berrypick.core.parameters import discover
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.formats._files import atomic_writer, head, numbered_head, reusable
from berrypick.formats._table import almost_spans, wrong_separator
from berrypick.formats.base import Format, Problems, Role

__all__ = [
    "Format",
    "Problems",
    "by_name",
    "read_any",
    "read_collection",
    "read_navigation",
    "read_run",
    "read_truth",
    "registered",
    "sniff",
    "sniff_all",
    "write",
]


@lru_cache(maxsize=1)
def registered() -> dict[str, type[Format]]:
    """Every format by name."""
    return discover(sys.modules[__name__], Format)


def by_name(name: str, role: Role | None = None) -> type[Format]:
    known = {key: value for key, value in registered().items() if role is None or value.role == role}
    if name not in known:
        raise UsageError(f"unknown format {name}{nearest(name, list(known)) or '; there are ' + ', '.join(known)}")
    return known[name]


def sniff(path: str, role: Role | None = None) -> type[Format]:
    """The format of a file, from its content; ``role`` settles what content alone leaves open."""
    if Path(path).is_dir():
        return _sniff_folder(path, role)
    numbered = numbered_head(path)
    if not numbered:
        raise InputError("the file is empty", path=path, remedy=_expected(role))
    line, first = numbered[0][0], [text for _, text in numbered]
    spans = role in (None, "truth", "run")
    if spans and (wrong := wrong_separator(first[0], path, line)):  # else taken for visited paths
        raise wrong
    for candidate in _candidates(role):
        if candidate.sniff(first):
            return candidate
    if role is not None:
        for candidate in registered().values():
            if candidate.sniff(first):
                raise InputError(
                    f"looks like {candidate.name()} ({candidate.role}), a {role} is expected here",
                    path=path,
                    line=line,
                    text=first[0],
                    remedy=_otherwise(role),
                )
    if spans and (almost := almost_spans(first[0], path, line)):
        raise almost
    raise InputError(
        f"is in no format known for a {role or 'file'}", path=path, line=line, text=first[0], remedy=_expected(role)
    )


def sniff_all(path: str) -> list[type[Format]]:
    """Every format that the content could be in."""
    first = [] if Path(path).is_dir() else head(path)
    return [candidate for candidate in registered().values() if first and candidate.sniff(first)]


def _sniff_folder(path: str, role: Role | None) -> type[Format]:
    for candidate in _candidates(role):
        if candidate.sniff_folder(path):
            return candidate
    raise InputError(f"is a folder, and in no format known for a {role or 'folder'}", path=path)


def _candidates(role: Role | None) -> list[type[Format]]:
    return [value for value in registered().values() if role is None or value.role == role]


def _otherwise(role: Role) -> str:
    if role in ("truth", "run"):
        return (
            "the truth comes first, then the runs; to read the file in another format, name it with "
            f"{option('format', flag=f'format-{role}')}"
        )
    return _expected(role)


def _expected(role: Role | None) -> str:
    shapes = "\n  ".join(f"{value.name()}: {value.shape}" for value in _candidates(role))
    return f"expected one of\n  {shapes}"


def read_any(path: Any, role: Role | None = None, format: str | None = None, problems: Problems | None = None) -> Any:
    """Read a file in whatever format it is; returns the value."""
    if not isinstance(path, (str, PathLike)):
        raise UsageError(f"a file is named by a text or a path, not by {type(path).__name__}")
    name = fspath(path)
    with reusable(name), gc_paused():
        chosen = by_name(format, role) if format else sniff(name, role)
        return chosen.read(name, problems or Problems(name))


def read_truth(path: Any, format: str | None = None) -> Truth:
    """Read judgements; the format is recognised from the content unless given."""
    truth: Truth = read_any(path, "truth", format)
    return truth


def read_run(path: Any, format: str | None = None) -> Run:
    """Read a run; the format is recognised from the content unless given."""
    run: Run = read_any(path, "run", format)
    return run


def read_collection(path: Any, format: str | None = None) -> Collection:
    """Read what is known of documents: their lengths."""
    collection: Collection = read_any(path, "collection", format)
    return collection


def read_navigation(path: Any, format: str | None = None) -> Navigation:
    """Read a table of reach or transitions, a table of links, or sessions. A table without rows is allowed."""
    name = fspath(path)
    with reusable(name):
        if format is None and not head(name):
            return ReachTable({}, name)
        navigation: Navigation = read_any(name, "navigation", format)
        return navigation


def write(value: Any, path: Any, format: str | None = None) -> type[Format]:
    """Write a value to a file, whole or not at all; the format follows from the name's ending unless given."""
    name = fspath(path)
    chosen = by_name(format) if format else _for_suffix(value, name)
    problem = chosen.accepts(value)
    if problem:
        raise UsageError(f"{chosen.name()} cannot hold this: {problem}")
    with atomic_writer(name) as out:
        if Path(name).suffix == ".parquet":
            chosen.write_parquet(value, out.buffer)
        else:
            chosen.write(value, out)
    return chosen


def _for_suffix(value: Any, name: str) -> type[Format]:
    endings = [suffix for suffix in Path(name).suffixes if suffix != ".gz"]
    ending = endings[-1] if endings else ""
    able = [candidate for candidate in registered().values() if not candidate.accepts(value)]
    fitting = [candidate for candidate in able if ending in candidate.suffixes]
    if len(fitting) == 1:
        return fitting[0]
    if not able:
        raise UsageError("no format can hold this")
    names = ", ".join(candidate.name() for candidate in (fitting or able))
    raise UsageError(f"{name}: the ending leaves the format open; choose with {option('format', flag='to')}: {names}")
