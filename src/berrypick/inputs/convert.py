"""Whatever stands for a truth or for runs: files, values, data frames, records, dictionaries, objects."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, Protocol

from berrypick import formats
from berrypick.core.errors import InputError, UsageError, shorten
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.formats.io.files import head, is_stream
from berrypick.formats.io.responses import is_answer
from berrypick.formats.io.table_files import Part
from berrypick.formats.span_table import SpanTableRun
from berrypick.inputs.chains import retrieved_in
from berrypick.inputs.column_tables import TextSearch, run_of_table, runs_of_table, truth_of_table
from berrypick.inputs.fields import names_topic
from berrypick.inputs.frames import frame_table, holds_results, is_frame, is_record, records_table
from berrypick.inputs.objects import KINDS, is_result, refuse_response, topics_table
from berrypick.inputs.span_lists import begins_with_span


class FrameLike(Protocol):
    """A data frame of pandas, polars, Arrow or DuckDB: whatever narwhals reads."""

    @property
    def columns(self) -> Any: ...


class DictLike(Protocol):
    """Qrels and Runs of ranx."""

    def to_dict(self) -> Any: ...


def as_truth(given: Any) -> Truth:
    """A truth as it is, or from a file, a data frame, records, a dictionary by topic, or Qrels of ranx."""
    if isinstance(given, Truth):
        return given
    if isinstance(given, (str, PathLike)):
        given = TruthFile(given)
    if isinstance(given, TruthFile):
        truth: Truth = formats.read_any(given.path, "truth", given.format)
        return truth
    given = _split_of(given, "truth")
    if _ranx(given, "Qrels"):
        return truth_of_table(topics_table(given.to_dict(), "truth"))
    if is_frame(given):
        return truth_of_table(frame_table(given, "truth"))
    refuse_response(given, "truth")
    if isinstance(given, Mapping):
        return truth_of_table(topics_table(_lists(given), "truth"))
    records = _items(given, "truth")
    if not records:
        raise UsageError("the truth judges nothing: there are no records")
    return truth_of_table(records_table(records, "truth"))


def as_run(given: Any, search: TextSearch | None = None) -> Run:
    """One run; see :func:`as_runs`."""
    runs = as_runs(given, search)
    if len(runs) > 1:
        raise UsageError(f"one run is expected here, not {len(runs)}")
    return runs[0]


@dataclass(frozen=True)
class TruthFile:
    """A truth that is read when it is needed."""

    path: str | PathLike[str]
    format: str | None = None


@dataclass(frozen=True)
class RunFile:
    """A run that is read when it is needed."""

    path: str | PathLike[str]
    format: str | None = None
    tag: str = ""  # goes before the name in the file
    part: Part | None = None  # of a file with several runs
    source: str = ""  # how the file was named, where that is not its path

    def read(self) -> Run:
        part: dict[str, Any] = {} if self.part is None else {"part": self.part}
        run: Run = formats.read_any(self.path, "run", self.format, **part)
        return run.changed(tag=self.tag or run.tag, source=self.source or run.source)

    def absolute(self) -> RunFile:
        """The same file for a process that works in another folder."""
        name = fspath(self.path)
        return replace(self, path=os.path.abspath(name), source=self.source or name)

    def expanded(self) -> list[Run | RunFile]:
        """A table with a column ``run`` as its runs; any other file as it is."""
        name, table = fspath(self.path), SpanTableRun.name()
        if self.part is not None or not os.path.isfile(name):
            return [self]
        if self.format in (None, table) and (found := SpanTableRun.split(name)):
            return [run if isinstance(run, Run) else replace(self, format=table, part=run) for run in found]
        runs = _runs_in(name, self.format)
        return [run.changed(tag=self.tag or run.tag, source=self.source or run.source) for run in runs] or [self]

    def recognised(self) -> RunFile:
        """With its format; an error if it is a file that cannot be a run."""
        name = fspath(self.path)
        return self if self.format else replace(self, format=formats.sniff(name, "run").name())


def _runs_in(path: str, format: str | None) -> list[Run]:
    """The runs of a file of JSON whose format may hold several; empty for any other, and where brackets choose one."""
    if format and "(" in format:
        return []
    if next(iter(head(path, 1)), "").lstrip("\ufeff \t")[:1] not in ("{", "["):
        return []
    chosen = formats.by_name(format, "run") if format else formats.sniff(path, "run")
    return formats.split_runs(path, chosen) if chosen is not SpanTableRun else []


#: What stands for a truth, for one run, and for one or several.
TruthLike = Truth | TruthFile | str | PathLike[str] | Mapping[Any, Any] | Iterable[Any] | FrameLike | DictLike
RunLike = Run | RunFile | str | PathLike[str] | Mapping[Any, Any] | Iterable[Any] | FrameLike | DictLike
RunsLike = RunLike | Iterable[RunLike] | Mapping[str, RunLike]


def as_runs(given: Any, search: TextSearch | None = None, name: str = "") -> list[Run]:
    """Runs, all of them read; see :func:`run_sources`."""
    return [run.read() if isinstance(run, RunFile) else run for run in run_sources(given, search, name)]


def run_sources(given: Any, search: TextSearch | None = None, name: str = "") -> list[Run | RunFile]:
    """Runs as they are, or from files (which are not read yet), data frames, records, dictionaries, or Runs of ranx.

    Several are a list, a dictionary ``{name: run}``, a pattern such as ``runs/*.txt``, or a frame or records with a
    column ``run``, also in a file. ``name`` goes before any other name of a single run.
    """
    search = search or TextSearch()
    if isinstance(given, Run):
        return [given]
    if isinstance(given, RunFile):
        return given.expanded()
    if isinstance(given, (str, PathLike)):
        return [run for path in _paths(given) for run in RunFile(path).expanded()]
    plain = (Run, RunFile, str, PathLike)
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, plain) for one in given):
        return [run for one in given for run in run_sources(one, search)]
    given = _split_of(given, "run")
    if _ranx(given, "Run"):
        return [run_of_table(topics_table(given.to_dict(), "run"), name or given.name or "", search)]
    if is_frame(given):
        return [*runs_of_table(frame_table(given, "run"), search, name)]
    refuse_response(given, "run")
    if isinstance(given, Mapping):
        held = _lists(given)
        if _is_by_run(held):
            return [_run_with_name(str(key), run, search) for key, run in held.items()]
        return [run_of_table(topics_table(held, "run"), name, search)]
    items = _items(given, "run")
    if not items:
        raise UsageError("no runs given")
    if is_record(items[0]):
        return [*runs_of_table(records_table(items, "run"), search, name)]
    for item in items:
        if isinstance(item, (list, tuple)) and not (item and is_record(item[0])):
            raise UsageError(
                f"{shorten(repr(item), 60)} is not a run; "
                "records are named tuples or dictionaries that name topic and doc"
            )
    return [run for item in items for run in run_sources(item, search)]


def run_stream(given: Any, search: TextSearch) -> tuple[list[Run | RunFile], Iterator[Run | RunFile] | None]:
    """Runs as :func:`run_sources` has them; those of an iterator that is not one of files are left in it."""
    if not isinstance(given, Iterator):
        return run_sources(given, search), None
    first = list(itertools.islice(given, 1))
    items = itertools.chain(first, given)
    if not first or isinstance(first[0], (str, PathLike, RunFile)) or is_record(first[0]):
        return run_sources(items, search), None
    return [], (run for item in items for run in run_sources([item], search))


def _paths(given: str | PathLike[str]) -> list[str | PathLike[str]]:
    """A file, or the files that a pattern names."""
    name = fspath(given)
    if not isinstance(name, str) or not glob.has_magic(name) or os.path.exists(name) or is_stream(name):
        return [given]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise UsageError(f"no file matches {name}")
    return list(found)


def _ranx(given: Any, kind: str) -> bool:
    """Qrels or a Run of ranx, which is not imported: it takes seconds."""
    made = type(given)
    if made.__module__.partition(".")[0] != "ranx" or not hasattr(given, "to_dict"):
        return False
    if made.__name__ != kind:
        other = "truth" if kind == "Qrels" else "run"
        raise UsageError(f"a {other} is made of ranx.{kind}, not of ranx.{made.__name__}")
    return True


def _items(given: Any, what: str) -> list[Any]:
    """The items of an iterable; an error if it is none."""
    if is_result(given):
        kind = type(given).__name__
        raise UsageError(f"a {what} of {kind} results needs their topics: {{topic: [results]}}")
    if isinstance(given, (bytes, Run, Truth)) or hasattr(given, "_fields") or not isinstance(given, Iterable):
        raise UsageError(f"a {what} is {KINDS.format(what.title())}, not {type(given).__name__}")
    return list(given)


def _lists(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """Iterators and data sets as lists, so that they can be looked at and then used."""
    return {
        key: list(value) if isinstance(value, Iterator) or _is_dataset(value) else value for key, value in given.items()
    }


def _is_dataset(value: Any) -> bool:
    """Whether a value is a data set of Hugging Face, which goes through its rows."""
    return hasattr(value, "column_names") and hasattr(value, "features") and not isinstance(value, Mapping)


def _split_of(given: Any, what: str) -> Any:
    """The only split of a DatasetDict of Hugging Face; anything else as it is."""
    if not isinstance(given, Mapping) or not hasattr(given, "column_names") or not given:
        return given
    if len(given) > 1:
        names = ", ".join(map(str, given))
        raise UsageError(f"a {what} is one split of a {type(given).__name__}, which has {names}: give one of them")
    return next(iter(given.values()))


# --- by topic or by run -----------------------------------------------------------------------------------------------


def _run_with_name(name: str, given: Any, search: TextSearch) -> Run | RunFile:
    runs = run_sources(given, search, name)
    if len(runs) > 1:
        raise UsageError(f"{name} names {len(runs)} runs; give every run a name of its own")
    [run] = runs
    return run.changed(tag=name) if isinstance(run, Run) else replace(run, tag=name)


def _is_by_run(given: Mapping[Any, Any]) -> bool:
    """Whether a dictionary is ``{name: run}``; else it is ``{topic: results}``. Values that are empty may be either."""
    by_run = {key: _holds_run(key, value) for key, value in given.items()}
    known = {key: is_run for key, is_run in by_run.items() if is_run is not None}
    if len(set(known.values())) == 2:
        run, topic = (next(key for key, is_run in known.items() if is_run is wanted) for wanted in (True, False))
        raise UsageError(
            f"a dictionary of runs is by topic or by name, not both: {shorten(str(run))!r} holds a run, "
            f"{shorten(str(topic))!r} holds the results of a topic; several runs are {{name: run}}, "
            "each of them a file, a Run, a frame or {topic: results}"
        )
    return any(known.values())


def _holds_run(key: Any, value: Any) -> bool | None:
    """Whether a value is a run (True) or the results of one topic (False); None if it is empty."""
    if begins_with_span(value):
        return False
    if isinstance(value, (Run, RunFile, str, PathLike)) or _ranx(value, "Run"):
        return True
    if is_answer(value) or _is_chain(value):
        return False
    if is_frame(value):
        return True
    if isinstance(value, Mapping):
        return all(_is_collection(one) for one in value.values()) if value else None
    if not isinstance(value, (list, tuple)):
        return False
    if not value:
        return None
    first = value[0]
    rows = hasattr(first, "_fields") and not names_topic(first._fields)  # of a database, for one topic
    return is_record(first) and not rows and not _is_results_of(str(key), value)


def _is_chain(value: Any) -> bool:
    """Whether a value is what a chain returned, be it refused, or a data frame without topics."""
    if is_frame(value):
        return holds_results(value)
    try:
        return retrieved_in(value) is not None
    except InputError:
        return True


def _is_collection(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple, Iterator)) or is_answer(value) or _is_chain(value)


def _is_results_of(topic: str, records: Iterable[Any]) -> bool:
    """Whether dictionaries in a list repeat the topic that the list is for."""
    return all(
        isinstance(one, Mapping) and all(str(cell) == topic for name, cell in one.items() if names_topic([str(name)]))
        for one in records
    )
