"""A grid of settings, evaluated: chunk size x overlap x retriever, or a folder of runs named by their settings.

    sweep(documents, truth, fixed, fts5, "charR@5 IoU@5", queries=queries,
          grid={"size": [200, 400, 800], "overlap": [0, 100]})
    sweep(truth=truth, runs="runs/", measures="charR@5")       # runs/size=200,overlap=50.jsonl, ...

A chunker is a function of a text that gives (start, end) pairs in characters; a retriever is a function of a list of
:class:`Chunk` and ``{topic: query}`` that gives ``{topic: ranked list}``. A parameter of the grid goes to every chunker
and retriever that has a parameter of that name; one that has not is not repeated for it. Each setting becomes a run,
and the runs are evaluated like any others: judgements are text spans, so it holds for all chunkings.

Ready to use: the chunkers :func:`fixed`, :func:`sentences`, :func:`paragraphs`, the retrievers :func:`fts5` and
:func:`bm25`.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np

from berrypick import formats
from berrypick.analysis import statistics
from berrypick.analysis.chunkers import fixed, paragraphs, sentences
from berrypick.analysis.heatmap import Grid, grid_of
from berrypick.analysis.retrievers import Chunk, bm25, fts5
from berrypick.core.arrow import Kind, arrow_stream
from berrypick.core.errors import BerrypickError, UsageError, nearest, option
from berrypick.core.explanation import Table
from berrypick.core.results import Results, concat
from berrypick.core.run import Run, assemble
from berrypick.core.truth import Truth
from berrypick.core.workers import jobs_notes, ordered_map
from berrypick.corpus.convert import as_truth
from berrypick.corpus.locate import locate
from berrypick.corpus.texts import Texts, read_texts
from berrypick.evaluation.evaluation import Evaluation, check_progress
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, resolve_measures
from berrypick.measures.precisionomega import PrecisionOmega

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import SweepKeywords

__all__ = ["Chunk", "Sweep", "bm25", "fixed", "fts5", "paragraphs", "sentences", "sweep"]

Setting = Mapping[str, Any]
Chunker = Callable[..., Iterable[tuple[int, int]]]
Retriever = Callable[..., Mapping[str, Iterable[Any]]]
Some = Callable[..., Any] | Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]

#: Columns of the table that are no parameters.
COLUMNS = ("run", "chunks", "measure", "value", "low", "high", "topics", "signature")
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("run", "measure", "signature"), "text"),
    **dict.fromkeys(("value", "low", "high"), "number"),
    **dict.fromkeys(("chunks", "topics"), "count"),
}


@dataclass(frozen=True)
class Sweep:
    """What :func:`sweep` found: the settings, and the results of one run for each."""

    settings: tuple[Setting, ...]
    names: tuple[str, ...]
    chunks: tuple[int | None, ...]  # how many, where chunking was part of it
    results: Results

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for setting in self.settings for name in setting))

    @property
    def measures(self) -> tuple[str, ...]:
        return self.results.measures

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One tidy table: a row for each setting and measure, with a column for each parameter.

        ``low`` and ``high`` bound the mean with a confidence of 95% (bootstrap over topics); a parameter that a setting
        does not have is None.
        """
        means = {(row.run, row.measure): row for row in self.results.mean_rows}
        values = self.results.per_topic()
        found = []
        for setting, name, chunks in zip(self.settings, self.names, self.chunks, strict=True):
            for measure in self.measures:
                mean = means[name, measure]
                known = [value for value in values[name][measure].values() if value is not None]
                low, high = statistics.bootstrap(np.array(known, dtype=np.float64)[:, None])
                bounds = (None, None) if np.isnan(low[0]) else (float(low[0]), float(high[0]))
                found.append(
                    {**{parameter: setting.get(parameter) for parameter in self.parameters}, "run": name,
                     "chunks": chunks, "measure": measure, "value": mean.value, "low": bounds[0], "high": bounds[1],
                     "topics": len(known), "signature": str(mean.signature)}
                )  # fmt: skip
        return found

    def __len__(self) -> int:
        return len(self.settings)

    def best(self, measure: str | None = None) -> dict[str, Any]:
        """The row with the best mean of a measure (by default the first), the earliest of several."""
        name = self._measure(measure)
        rows = [row for row in self.rows if row["measure"] == name and row["value"] is not None]
        if not rows:
            raise UsageError(f"{name} is undefined for every setting")
        return max(rows, key=lambda row: row["value"] if self.results.info(name).higher_is_better else -row["value"])

    def to_pandas(self) -> Any:
        """The tidy table as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def to_polars(self) -> Any:
        """The tidy table as a polars data frame."""
        import polars

        return polars.DataFrame(self.rows, infer_schema_length=None, strict=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The tidy table: ``pyarrow.table(sweep)``; a parameter with values of several types is a column of texts."""
        columns = {name: [row[name] for row in self.rows] for name in (*self.parameters, *COLUMNS)}
        return arrow_stream(columns, _KINDS, requested_schema)

    def table(self, places: int = 4) -> str:
        """As text: a row for each setting, a column for each parameter and measure."""
        values = {(row["run"], row["measure"]): row["value"] for row in self.rows}
        counted = ["chunks"] if any(count is not None for count in self.chunks) else []
        lines = [
            [*(_shown(setting.get(name)) for name in self.parameters), *([_shown(chunks)] if counted else []),
             *(_shown_mean(values[name, measure], places) for measure in self.measures)]
            for setting, name, chunks in zip(self.settings, self.names, self.chunks, strict=True)
        ]  # fmt: skip
        numeric = "".join(
            ">" if all(isinstance(setting.get(name), (int, float, type(None))) for setting in self.settings) else "<"
            for name in self.parameters
        )
        header = [*self.parameters, *counted, *self.measures]
        from berrypick.report.tables import aligned

        return aligned(Table("", header, lines, numeric + ">" * (len(header) - len(numeric))))

    def __str__(self) -> str:
        """The table, with the notes."""
        from berrypick.report.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.results.notes, self.results.runs)

    def heatmap(
        self, rows: str, columns: str, measure: str | None = None, where: Setting | None = None, places: int = 4
    ) -> str:
        """As text: the means of a measure over two parameters, the best with a star.

        ``where`` fixes other parameters, e.g. ``{"chunker": "fixed"}``.
        """
        from berrypick.report.tables import aligned

        return aligned(self._grid(rows, columns, measure, where).table(places))

    def svg(
        self, rows: str, columns: str, measure: str | None = None, where: Setting | None = None, places: int = 3
    ) -> str:
        """The same as an SVG picture, drawn by Altair."""
        from berrypick.report.export import svg_of
        from berrypick.report.heatmap import heatmap

        return svg_of(heatmap(self._grid(rows, columns, measure, where), places).to_dict())

    def write_svg(self, path: str | PathLike[str], rows: str, columns: str, measure: str | None = None,
                  where: Setting | None = None, places: int = 3) -> None:  # fmt: skip
        """Write the picture to a file."""
        from berrypick.report.export import write_bytes

        write_bytes(path, self.svg(rows, columns, measure, where, places).encode())

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return self.measures[0]
        if measure not in self.measures:
            offer = nearest(measure, list(self.measures)) or f"; available: {', '.join(self.measures)}"
            raise UsageError(f"{measure} is not among the measures of this sweep{offer}")
        return measure

    def _grid(self, rows: str, columns: str, measure: str | None, where: Setting | None) -> Grid:
        name = self._measure(measure)
        for parameter in (rows, columns, *(where or {})):
            if parameter not in self.parameters:
                offer = nearest(parameter, list(self.parameters)) or f"; available: {', '.join(self.parameters)}"
                raise UsageError(f"{parameter} is not a parameter of this sweep{offer}")
        kept = [
            row
            for row in self.rows
            if row["measure"] == name and all(row[key] == value for key, value in (where or {}).items())
        ]
        return grid_of(kept, self.parameters, rows, columns, name, self.results.info(name).higher_is_better)

    def _repr_html_(self) -> str:
        from berrypick.report.notebook_analysis import sweep_html

        return sweep_html(self)


@takes_options
def sweep(
    documents: Mapping[str, str] | str | PathLike[str] | None = None,
    truth: Any = None,
    chunkers: Some = fixed,
    retrievers: Some = fts5,
    measures: MeasuresGiven = (),
    *,
    queries: Mapping[str, str] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    only: Callable[[Setting], bool] | None = None,
    runs: str | PathLike[str] | None = None,
    keep: str | PathLike[str] | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    gold: Any = None,
    **options: Unpack[SweepKeywords],
) -> Sweep:
    """Evaluate a grid of chunkers, retrievers and their parameters, or a folder of runs.

    ``documents`` are texts by name (a mapping, a folder, or JSON Lines with doc and text), ``queries`` texts by topic,
    ``truth`` the judgements, as in :func:`berrypick.evaluate`: spans, or quotes to be found in the documents
    (``gold`` is its older name).
    ``chunkers`` and ``retrievers``: one function, several, or functions by name. ``grid``: values for parameters;
    ``only`` says of a setting whether it is wanted. ``keep``: a folder to write the runs to.

    With ``runs``, a folder, there is nothing to chunk: its files are runs, and their names are their settings, as in
    ``size=200,overlap=50.jsonl`` or ``retriever=bm25/size=200.jsonl``.

    ``jobs`` processes work at the same time. Other ``options`` are those of :func:`berrypick.evaluate`.
    """
    truth = gold if truth is None else truth
    if truth is None:
        raise UsageError("truth is missing: give the judgements")
    check_progress(progress)
    truth = as_truth(truth)
    settings: dict[str, Any] = dict(options)
    given = EvaluationOptions.from_arguments(options, "sweep")  # mistakes are reported before any work is done
    requested = resolve_measures(measures, given.protocol or "", given.task or "")
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}")
    if runs is not None:
        if grid or queries:
            raise UsageError("a folder of runs takes no queries and no grid; they need chunkers")
        if documents is not None:
            settings["documents"] = read_texts(documents)
        job: _Job = _Folder(truth, measures, settings, *_runs_by_settings(Path(runs), only))
    else:
        job = _Pipelines.planned(truth, measures, settings, documents, queries, chunkers, retrievers, grid or {}, only)
    if keep is not None:
        Path(keep).mkdir(parents=True, exist_ok=True)
        job.keep = os.fspath(keep)
        _refuse_kept(job.keep, job.names)
    job.all_chunks = any(isinstance(one.measure, PrecisionOmega) for one in requested)
    step = _Progress(len(job.settings), progress)
    outcomes: list[_Outcome] = ordered_map(job, range(len(job.settings)), jobs=jobs, step=step)
    results = concat(*(outcome.results for outcome in outcomes))
    return Sweep(
        tuple(job.settings),
        tuple(job.names),
        tuple(outcome.chunks for outcome in outcomes),
        replace(results, notes=(*results.notes, *jobs_notes(jobs))),
    )


def _refuse_kept(folder: str, names: Sequence[str]) -> None:
    """Runs of an earlier sweep are not overwritten: names leave out what does not vary, so they may be other runs."""
    there = [f"{name}.jsonl" for name in names if (Path(folder) / f"{name}.jsonl").exists()]
    if there:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise UsageError(
            f"{folder} already has {there[0]}{more}, which a sweep would overwrite: "
            f"give another folder with {option('keep')}, or remove them"
        )


# --- settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Step:
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


def _steps(kind: str, given: Some, first: int, grid: Mapping[str, Sequence[Any]]) -> list[_Step]:
    """``first``: how many arguments come before the parameters."""
    if isinstance(given, Mapping):
        named = list(given.items())
    else:
        functions = [given] if callable(given) else list(given)
        named = [(_function_name(function, kind), function) for function in functions]
    if not named:
        raise UsageError(f"no {kind} given")
    names = [name for name, _ in named]
    for name, function in named:
        if not callable(function):
            raise UsageError(f"{kind} {name} is not a function")
        if names.count(name) > 1:
            raise UsageError(f"two {kind}s are called {name}; give them names: {kind}s={{'one': ..., 'two': ...}}")
    return [_Step(kind, name, function, _takes(function, first, grid)) for name, function in named]


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


def _checked_grid(grid: Mapping[str, Sequence[Any]], steps: Sequence[_Step]) -> None:
    taken = {name for step in steps for name in step.takes}
    for name, values in grid.items():
        if name in COLUMNS or name in ("chunker", "retriever"):
            raise UsageError(f"{name} is a column of the table already; give the parameter another name")
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or not list(values):
            raise UsageError(f"the grid needs a list of values for {name}, as in {{'{name}': [1, 2]}}")
        if name not in taken:
            raise UsageError(f"no chunker or retriever has a parameter {name}")


def _names(settings: Sequence[Setting]) -> list[str]:
    """A name for each run: its settings, without those that are always the same."""
    keys = dict.fromkeys(key for setting in settings for key in setting)
    varied = [key for key in keys if len({repr(setting.get(key)) for setting in settings}) > 1] or list(keys)
    return [
        ",".join(f"{key}={quote(_shown(setting[key]), safe=_SAFE)}" for key in varied if key in setting) or "run"
        for setting in settings
    ]


_SAFE = " ()[]+:;@!#~'"  # what stays as it is in a name, which is also the name of a file


def _shown_mean(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


# --- folders of runs --------------------------------------------------------------------------------------------------


def _runs_by_settings(
    folder: Path, only: Callable[[Setting], bool] | None
) -> tuple[list[Setting], list[str], list[str]]:
    """Settings, names and files of the runs in a folder, by setting."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of runs")
    found: list[tuple[Setting, str]] = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in inside.parts):
            setting = settings_in(inside.as_posix())
            if only is None or only(setting):
                found.append((setting, str(path)))
    if not found:
        raise UsageError(f"{folder} holds no runs" + (" that only= accepts" if only else ""))
    found.sort(key=lambda item: [(key, *_sortable(value)) for key, value in item[0].items()])
    names = _names([setting for setting, _ in found])
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
        key, value = (unquote(key.strip()), unquote(value.strip())) if equals else ("name", unquote(item.strip()))
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


# --- the work ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcome:
    results: Results
    chunks: int | None = None


@dataclass
class _Job:
    """Everything a process needs to turn a setting into results."""

    truth: Truth
    measures: Any
    evaluation: dict[str, Any]
    settings: list[Setting]
    names: list[str]
    keep: str = field(default="", init=False)
    all_chunks: bool = field(default=False, init=False)  # whether a measure needs them

    def run(self, i: int) -> tuple[Run, Sequence[Chunk] | None]:
        raise NotImplementedError

    def __call__(self, task: int, step: Callable[[int], None]) -> _Outcome:
        found = self.outcome(task)
        step(1)
        return found

    def outcome(self, i: int) -> _Outcome:
        run, chunks = self.run(i)
        if self.keep:
            formats.write(run, Path(self.keep) / f"{self.names[i]}.jsonl", "span-run")
        known = dict(self.evaluation)
        if self.all_chunks and chunks is not None:
            known["chunks"] = _as_run("chunks", [("all", chunk, None) for chunk in chunks])
        results = Evaluation.prepare(self.truth, run, self.measures, **known).run()
        # runs in a folder have tags of their own; here they go by their settings
        found = results.renamed({results.runs[0]: self.names[i]})
        return _Outcome(found, None if chunks is None else len(chunks))


class _Progress:
    """Counts settings that are done, for those who watch."""

    def __init__(self, of: int, progress: Callable[[int, int], None] | None) -> None:
        self.done, self.of, self.progress = 0, of, progress

    def __call__(self, count: int) -> None:
        self.done += count
        if self.progress is not None:
            self.progress(self.done, self.of)


@dataclass
class _Folder(_Job):
    files: list[str]

    def run(self, i: int) -> tuple[Run, Sequence[Chunk] | None]:
        return formats.read_run(self.files[i]), None


@dataclass
class _Pipelines(_Job):
    documents: Texts
    queries: Mapping[str, str]
    chunkers: dict[str, _Step]
    retrievers: dict[str, _Step]

    @classmethod
    def planned(
        cls,
        truth: Truth,
        measures: Any,
        evaluation: dict[str, Any],
        documents: Mapping[str, str] | str | PathLike[str] | None,
        queries: Mapping[str, str] | None,
        chunkers: Some,
        retrievers: Some,
        grid: Mapping[str, Sequence[Any]],
        only: Callable[[Setting], bool] | None,
    ) -> _Pipelines:
        if documents is None or queries is None:
            raise UsageError(f"{'documents' if documents is None else 'queries'} are missing: texts by name")
        texts = read_texts(documents)
        # quotes are located once; what chunkers give counts characters already
        truth = locate(truth, texts, evaluation.pop("quotes", None), evaluation.pop("offsets", None))
        queries = _checked_queries(truth, texts, queries)
        cutting, finding = _steps("chunker", chunkers, 1, grid), _steps("retriever", retrievers, 2, grid)
        _checked_grid(grid, [*cutting, *finding])
        settings: list[Setting] = [
            {**chunking, **retrieving}
            for cut in cutting
            for chunking in cut.settings(grid, {})
            for find in finding
            for retrieving in find.settings(grid, chunking)
        ]
        wanted = [setting for setting in settings if only is None or only(setting)]
        if not wanted:
            raise UsageError("only= accepts no setting of the grid")
        evaluation["documents"] = texts
        return cls(truth, measures, evaluation, wanted, _names(wanted), texts, queries,
                   {step.name: step for step in cutting}, {step.name: step for step in finding})  # fmt: skip

    def run(self, i: int) -> tuple[Run, Sequence[Chunk] | None]:
        setting = self.settings[i]
        chunks = self._chunks(setting)
        find = self.retrievers[setting["retriever"]]
        with _Blamed(find.shown(setting)):
            ranked = find.function(chunks, self.queries, **find.arguments(setting))
        rows = list(_ranked(ranked, chunks, self.queries, find.shown(setting)))
        if not rows:
            raise UsageError(f"{find.shown(setting)} finds nothing for any topic")
        return _as_run(self.names[i], rows), chunks

    def _chunks(self, setting: Setting) -> list[Chunk]:
        cut = self.chunkers[setting["chunker"]]
        key = (cut.name, repr(cut.arguments(setting)))
        kept: tuple[Any, list[Chunk]] | None = self.__dict__.get("_last")
        if kept is None or kept[0] != key:
            found = [chunk for name, text in self.documents.items() for chunk in _chunked(name, text, cut, setting)]
            if not found:
                raise UsageError(f"{cut.shown(setting)} makes no chunks of these documents")
            kept = self.__dict__["_last"] = (key, found)  # settings that differ in the retriever only share them
        return kept[1]


class _Blamed:
    """Errors of a person's own function, with its name and settings in front."""

    def __init__(self, who: str) -> None:
        self.who = who

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, BerrypickError):
            raise UsageError(f"{self.who}: {error.template}") from None
        if isinstance(error, Exception):
            raise UsageError(f"{self.who} failed: {type(error).__name__}: {error}") from error


def _checked_queries(truth: Truth, texts: Texts, queries: Mapping[str, str]) -> dict[str, str]:
    """The queries of the judged topics; an error if one is missing, or a judged document is."""
    if not texts:
        raise UsageError("there are no documents")
    for name, text in (*texts.items(), *queries.items()):
        if not isinstance(text, str):
            raise UsageError(f"the text of {name} is a {type(text).__name__}, not a str")
    missing = [topic for topic in truth.topics if topic not in queries]
    if missing:
        named = ", ".join(missing[:3]) + ", ..." * (len(missing) > 3)
        raise UsageError(f"{len(missing)} judged topics have no query: {named}")
    for topic in truth.topics.values():
        for row, name in enumerate(topic.document):
            if topic.grade[row] > 0 and name not in texts:
                raise texts.unknown(name, truth.source or None)
    return {topic: queries[topic] for topic in truth.topics}


def _chunked(name: str, text: str, cut: _Step, setting: Setting) -> Iterator[Chunk]:
    who = f"{cut.shown(setting)} on document {name}"
    with _Blamed(who):
        pairs = cut.function(text, **cut.arguments(setting))
        found = [] if pairs is None else list(pairs)
    if pairs is None:
        raise UsageError(f"{who}: gives None, expected (start, end) pairs")
    for number, pair in enumerate(found, start=1):
        start, end = _offsets(pair, f"{who}: chunk {number}")
        if not 0 <= start <= end <= len(text):
            raise UsageError(f"{who}: chunk {number} is {start} to {end}, the text has {len(text)} characters")
        if start == end:
            raise UsageError(f"{who}: chunk {number} is empty, {start} to {end}")
        yield Chunk(name, start, end, text[start:end])


def _offsets(pair: Any, where: str) -> tuple[int, int]:
    if isinstance(pair, str):
        raise UsageError(f"{where} is a string, expected (start, end), its offsets in the document")
    try:
        start, end = pair
        return operator.index(start), operator.index(end)
    except (TypeError, ValueError):
        raise UsageError(f"{where} is {_short(pair)}, expected (start, end), two whole numbers") from None


def _ranked(
    ranked: Any, chunks: Sequence[Chunk], queries: Mapping[str, str], who: str
) -> Iterator[tuple[str, Chunk, float | None]]:
    """(topic, chunk, score) in ranked order."""
    if not isinstance(ranked, Mapping):
        raise UsageError(f"{who}: gives a {type(ranked).__name__}, expected {{topic: ranked list}}")
    for topic, results in ranked.items():
        if topic not in queries:
            raise UsageError(f"{who}: gives results for topic {_short(topic)}, which has no query")
        if isinstance(results, (str, bytes, Chunk)) or not isinstance(results, Iterable):
            raise UsageError(f"{who}: topic {topic} has {_short(results)}, expected a ranked list")
        for number, result in enumerate(results, start=1):
            yield (topic, *_result(result, chunks, f"{who}: result {number} of topic {topic}"))


def _result(result: Any, chunks: Sequence[Chunk], where: str) -> tuple[Chunk, float | None]:
    score = None
    if isinstance(result, tuple) and len(result) == 2:
        result, given = result
        try:
            score = float(given)
        except (TypeError, ValueError):
            raise UsageError(f"{where} has the score {_short(given)}, which is not a number") from None
    if isinstance(result, Chunk):
        return result, score
    try:
        place = operator.index(result)
    except TypeError:
        raise UsageError(f"{where} is {_short(result)}, expected a chunk or its place in the list of chunks") from None
    if not 0 <= place < len(chunks):
        raise UsageError(f"{where} is chunk {place}, there are chunks 0 to {len(chunks) - 1}")
    return chunks[place], score


def _as_run(name: str, rows: Sequence[tuple[str, Chunk, float | None]]) -> Run:
    scores = [score for _, _, score in rows if score is not None]
    return assemble(
        tag=name,
        topic=[topic for topic, _, _ in rows],
        document=[chunk.document for _, chunk, _ in rows],
        start=np.array([chunk.start for _, chunk, _ in rows], dtype=np.int64),
        end=np.array([chunk.end for _, chunk, _ in rows], dtype=np.int64),
        score=np.array(scores, dtype=np.float64) if scores and len(scores) == len(rows) else None,
        order="file",
        duplicates="keep",
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
