"""Whatever stands for a truth or for runs: files, values, data frames, records, dictionaries, objects."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Protocol

from berrypick import formats
from berrypick.data.errors import UsageError, option
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.files.files import head, is_parquet, is_stream
from berrypick.formats.base import Problems
from berrypick.inputs.text_search import TextSearch
from berrypick.rows.chosen_fields import ChosenFields, GivenFields
from berrypick.rows.valid_names import check_names

if TYPE_CHECKING:
    from berrypick.rows.table_files import Part


class FrameLike(Protocol):
    """A data frame of pandas, polars, Arrow or DuckDB: whatever narwhals reads."""

    @property
    def columns(self) -> Any: ...


class DictLike(Protocol):
    """Qrels and Runs of ranx."""

    def to_dict(self) -> Any: ...


def as_truth(given: Any, fields: GivenFields = None) -> Truth:
    """A truth as it is, or from a file, a data frame, records, a dictionary by topic, or Qrels of ranx.

    ``fields`` says which field has which role, where that is not to be guessed.
    """
    if isinstance(given, Truth):
        if fields:
            raise UsageError(
                f"{option('fields')} has no effect on a truth that is already read: give the file or records"
            )
        return given
    if isinstance(given, (str, PathLike)):
        given = TruthFile(given)
    if isinstance(given, TruthFile):
        more: dict[str, Any] = {"fields": fields} if fields else {}
        truth: Truth = formats.read_any(given.path, "truth", given.format, **more)
        return truth
    from berrypick.given.given_values import truth_of_value  # not for files

    try:
        return truth_of_value(given, ChosenFields.of(fields))
    except RecursionError:
        raise _too_deep("truth") from None


def truth_of_dict(judgements: Mapping[str, Any]) -> Truth:
    """Build a truth from a dictionary by topic."""
    if not isinstance(judgements, Mapping):
        raise UsageError(f"judgements are a dictionary of topic to what is judged, not {type(judgements).__name__}")
    return as_truth(judgements)


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
        name = fspath(self.path)
        if self.part is not None or not os.path.isfile(name):
            return [self]
        tabular = name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
        called = self.format == _TABLE or (self.format is None and tabular)
        one_of_its_runs = self.format is not None and "(" in self.format  # is chosen by brackets
        first = "" if called or one_of_its_runs else next(iter(head(name, 1)), "")
        if called or (self.format is None and first.startswith("PAR1") and is_parquet(name)):
            from berrypick.formats.spans.span_table import SpanTableRun

            if found := SpanTableRun.split(name):
                for run in found:
                    check_names(run, name, Problems(name))
                return [run if isinstance(run, Run) else replace(self, format=_TABLE, part=run) for run in found]
        first = next(iter(head(name, 1)), "") if called and not one_of_its_runs else first
        if first.lstrip("\ufeff \t")[:1] in ("{", "[") or (first.startswith("PAR1") and is_parquet(name)):
            runs = _runs_in(name, self.format)
            return [run.changed(tag=self.tag or run.tag, source=self.source or run.source) for run in runs] or [self]
        return [self]

    def recognised(self) -> RunFile:
        """With its format; an error if it is a file that cannot be a run."""
        name = fspath(self.path)
        return self if self.format else replace(self, format=formats.sniff(name, "run").name())


#: The format of tables, which may hold several runs.
_TABLE = "span-table-run"


def _runs_in(path: str, format: str | None) -> list[Run]:
    """The runs of a file of JSON whose format may hold several; empty for any other."""
    chosen = formats.by_name(format, "run") if format else formats.sniff(path, "run")
    return formats.split_runs(path, chosen) if chosen.name() != _TABLE else []


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
    from berrypick.given.given_values import runs_of_value  # not for files

    try:
        return runs_of_value(given, search, name)
    except RecursionError:
        raise _too_deep("run") from None


def _too_deep(what: str) -> UsageError:
    return UsageError(f"a {what} given in Python is nested too deeply; it has topics, and they have results")


def run_stream(given: Any, search: TextSearch) -> tuple[list[Run | RunFile], Iterator[Run | RunFile] | None]:
    """Runs as :func:`run_sources` has them; those of an iterator that is not one of files are left in it."""
    if not isinstance(given, Iterator):
        return run_sources(given, search), None
    first = list(itertools.islice(given, 1))
    items = itertools.chain(first, given)
    if not first or isinstance(first[0], (str, PathLike, RunFile)):
        return run_sources(items, search), None
    from berrypick.inputs.frames import is_record

    if is_record(first[0]):
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
