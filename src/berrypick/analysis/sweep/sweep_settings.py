"""The settings of a sweep: a grid of parameters of chunkers and retrievers, or the names of files in a folder."""

from __future__ import annotations

import inspect
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from berrypick.analysis.sweep.splitters import as_chunker
from berrypick.data.errors import UsageError
from berrypick.files.files import check_member

Setting = Mapping[str, Any]
Some = Callable[..., Any] | Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]

#: Columns of the table that are no parameters.
COLUMNS = ("run", "chunks", "measure", "value", "low", "high", "interval", "topics", "optimism", "signature")
#: More of them where some topics confirm the best setting.
CONFIRMED = ("confirmed", "confirmed_low", "confirmed_high", "confirmed_topics")


@dataclass(frozen=True)
class GridStep:
    """A chunker or retriever under its name, with the parameters of the grid that it takes."""

    kind: str
    name: str
    function: Callable[..., Any]
    takes: tuple[str, ...]

    def settings(self, grid: Mapping[str, Sequence[Any]], given: Setting) -> Iterator[Setting]:
        free = [name for name in self.takes if name not in given]
        for values in itertools.product(*(grid[name] for name in free)):
            yield {self.kind: self.name, **dict(zip(free, values, strict=True))}

    def arguments(self, setting: Setting) -> dict[str, Any]:
        return {name: setting[name] for name in self.takes}

    def shown(self, setting: Setting) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.arguments(setting).items())
        return f"{self.kind} {self.name}({inside})"


def find_steps(kind: str, given: Some, first: int, grid: Mapping[str, Sequence[Any]]) -> list[GridStep]:
    """``first``: how many arguments come before the parameters."""
    if isinstance(given, Mapping):
        named = [(name, as_chunker(one) if kind == "chunker" else one) for name, one in given.items()]
    else:
        functions = list(given) if isinstance(given, Sequence) else [given]
        functions = [as_chunker(one) for one in functions] if kind == "chunker" else functions
        named = [(_function_name(function, kind), function) for function in functions]
    if not named:
        raise UsageError(f"no {kind} given")
    names = [name for name, _ in named]
    for name, function in named:
        if not callable(function):
            raise UsageError(f"{kind} {name} is not a function")
        if names.count(name) > 1:
            raise UsageError(f"two {kind}s are called {name}; give them names: {kind}s={{'one': ..., 'two': ...}}")
    return [GridStep(kind, name, function, _takes(function, first, grid)) for name, function in named]


def _function_name(function: Any, kind: str) -> str:
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return kind if name == "<lambda>" else name


def _takes(function: Callable[..., Any], first: int, grid: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return tuple(grid)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:first]
    known = {p.name for p in parameters if p not in positional and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return tuple(name for name in grid if name in known)


def check_grid(grid: Mapping[str, Sequence[Any]], steps: Sequence[GridStep]) -> None:
    taken = {name for step in steps for name in step.takes}
    for name, values in grid.items():
        if name in COLUMNS or name in ("chunker", "retriever"):
            raise UsageError(f"{name} is a column of the table already; give the parameter another name")
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or not list(values):
            raise UsageError(f"the grid needs a list of values for {name}, as in {{'{name}': [1, 2]}}")
        if name not in taken:
            raise UsageError(f"no chunker or retriever has a parameter {name}")


def run_names(settings: Sequence[Setting]) -> list[str]:
    """A name for each run: its settings, without those that are always the same."""
    keys = dict.fromkeys(key for setting in settings for key in setting)
    varied = [key for key in keys if len({repr(setting.get(key)) for setting in settings}) > 1] or list(keys)
    return [
        ",".join(f"{_quoted(key)}={_quoted(setting[key])}" for key in varied if key in setting) or "run"
        for setting in settings
    ]


def check_names(names: Sequence[str]) -> None:
    """Refuse settings that share a name: their runs could not be told apart."""
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        why = "floats must differ in their first 6 digits, other values in their text"
        raise UsageError(f"{count} settings of the grid are called {name}: {why}")


_SAFE = " ()[]+:;@!#~'"  # what stays as it is in a name, which is also the name of a file


def _quoted(value: Any) -> str:
    """In a name; a file name that is not UTF-8 has halves of characters in it."""
    text = shown_value(value)
    safe = _SAFE if text == text.strip() else _SAFE.replace(" ", "")  # blanks around a value are taken off when read
    return quote(text, safe=safe, errors="surrogatepass")


def _unquoted(text: str) -> str:
    try:
        return unquote(text.strip(), errors="surrogatepass")
    except UnicodeDecodeError:  # no name of ours
        return unquote(text.strip())


def shown_value(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def runs_by_settings(
    folder: Path, only: Callable[[Setting], bool] | None
) -> tuple[list[Setting], list[str], list[str]]:
    """Settings, names and files of the runs in a folder, by setting."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of runs")
    found: list[tuple[Setting, str]] = []
    real_top = os.path.realpath(folder)
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        check_member(str(path), real_top)
        if path.is_file() and not any(part.startswith(".") for part in inside.parts):
            setting = settings_in(inside.as_posix())
            if only is None or only(setting):
                found.append((setting, str(path)))
    if not found:
        raise UsageError(f"{folder} holds no runs" + (" that only= accepts" if only else ""))
    found.sort(key=lambda item: [(key, *_sortable(value)) for key, value in item[0].items()])
    names = run_names([setting for setting, _ in found])
    for name in names:
        if names.count(name) > 1:
            same = [Path(path).name for (_, path), own in zip(found, names, strict=True) if own == name]
            raise UsageError(f"{folder}: {' and '.join(same)} have the same settings")
    return [setting for setting, _ in found], names, [path for _, path in found]


def settings_in(path: str) -> dict[str, Any]:
    """The settings in the name of a file.

    >>> settings_in("retriever=bm25/size=200,overlap=0.5.jsonl.gz")
    {'retriever': 'bm25', 'size': 200, 'overlap': 0.5}
    """
    *folders, name = path.split("/")
    name = name.removesuffix(".gz")
    stem, dot, ending = name.rpartition(".")
    if dot and stem and not re.fullmatch(r"\d+", ending):
        name = stem
    found: dict[str, Any] = {}
    for item in itertools.chain.from_iterable(part.split(",") for part in [*folders, name]):
        key, equals, value = item.partition("=")
        key, value = (_unquoted(key), _unquoted(value)) if equals else ("name", _unquoted(item))
        if key in COLUMNS:
            raise UsageError(f"{path}: {key} is a column of the table already; give the parameter another name")
        if key in found:
            raise UsageError(f"{path}: {key} is set twice")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(text, text)


def _sortable(value: Any) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, (int, float)) else (1, 0.0, str(value))
