"""A grid of settings, evaluated: chunk size x overlap x retriever, or a folder of runs named by their settings.

    sweep(documents, truth, fixed, fts5, "charR@5 IoU@5", queries=queries,
          grid={"size": [200, 400, 800], "overlap": [0, 100]})
    sweep(truth=truth, runs="runs/", measures="charR@5")       # runs/size=200,overlap=50.jsonl, ...

A chunker is a function of a text that gives (start, end) pairs in characters; a retriever is a function of a list of
:class:`Chunk` and ``{topic: query}`` that gives ``{topic: ranked list}``. A parameter of the grid goes to every chunker
and retriever that has a parameter of that name; one that has not is not repeated for it. Each setting becomes a run,
and the runs are evaluated like any others: judgements are text spans, so it holds for all chunkings.

Ready to use: the chunkers :func:`fixed`, :func:`sentences`, :func:`paragraphs`, :func:`elements`, the retrievers
:func:`fts5` and :func:`bm25`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from berrypick.analysis.comparison.compare import compare
from berrypick.analysis.ledger.looks import LOOK, check_ledger, level_of, looks_so_far, record_results
from berrypick.analysis.sweep.chunkers import elements, fixed, paragraphs, sentences
from berrypick.analysis.sweep.heatmap import Grid, grid_of
from berrypick.analysis.sweep.retrievers import Chunk, bm25, fts5
from berrypick.analysis.sweep.sweep_files import prepare_folder
from berrypick.analysis.sweep.sweep_settings import COLUMNS, CONFIRMED, Setting, Some, runs_by_settings, shown_value
from berrypick.analysis.sweep.sweep_work import FolderJob, Job, Outcome, PipelineJob
from berrypick.analysis.sweep.winner import expected_optimism, split_topics, values_of
from berrypick.data.errors import UsageError, nearest, option
from berrypick.data.exchange import Kind, Written
from berrypick.data.results import Note, Results, concat, warn_of_whole_documents
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.documents.texts import read_texts
from berrypick.evaluation.evaluation import check_workers
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, default_measures, given_measures, resolve_measures
from berrypick.given.convert import TruthLike, as_truth
from berrypick.inputs.titles import titles_of
from berrypick.measures.answers.recalls import Recalls
from berrypick.statistics.intervals import mean_intervals
from berrypick.tables.tabular import shown
from berrypick.workers.progress import ProgressLike, StepCounter, as_progress
from berrypick.workers.workers import jobs_notes, ordered_map

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import SweepKeywords

__all__ = ["Chunk", "Sweep", "bm25", "elements", "fixed", "fts5", "paragraphs", "sentences", "sweep"]


@dataclass(frozen=True, repr=False)
class Sweep(Written):
    """The result of :func:`sweep`: the settings, and the results of one run for each.

    Attributes
    ----------
    settings
        Parameter to value, for each run.
    names
        The names of the runs.
    chunks
        How many chunks there were, where chunking was part of it.
    results
        The numbers.
    confirmed
        With ``confirm``: the best setting of each measure, on topics that were not used to choose it.
    looks
        With ``ledger``: by measure, the number of looks at these topics so far, this sweep included.
    ledger_head
        With ``ledger``: the checksum of its last line.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.sweep({"guide": "Cut the old canes."}, {"q": {"guide#0-17": 1}}, measures="charR@1",
    ...                  queries={"q": "canes"}, grid={"size": [10, 18]})
    >>> isinstance(found, bp.Sweep)
    True
    >>> print(found.table(2), end="")
    chunker  size  retriever  chunks  charR@1
    -------  ----  ---------  ------  -------
    fixed      10  fts5            2     0.41
    fixed      18  fts5            1     1.00
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("run", "measure", "interval", "signature"), "text"),
        **dict.fromkeys(("value", "low", "high", "optimism", "confirmed", "confirmed_low", "confirmed_high"), "number"),
        **dict.fromkeys(("chunks", "topics", "confirmed_topics"), "count"),
    }

    settings: tuple[Setting, ...]
    names: tuple[str, ...]
    chunks: tuple[int | None, ...]
    results: Results
    confirmed: Results | None = None
    looks: Mapping[str, int] = field(default_factory=dict)
    ledger_head: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(dict.fromkeys(name for setting in self.settings for name in setting))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return self.results.measures

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One tidy table: a row for each setting and measure, with a column for each parameter.

        ``low`` and ``high`` bound the mean with a confidence of 95%, as in :func:`berrypick.compare`, and ``interval``
        is the kind of the interval ('equal': none, all topics have the same value); a parameter that a setting does not
        have is None. The row of the best setting has its ``optimism``, see :meth:`optimism`, and with ``confirm`` what
        it has on the topics that no setting was chosen by.
        """
        means = {(row.run, row.measure): row for row in self.results.mean_rows}
        values = self.results.per_topic()
        found = []
        for setting, name, chunks in zip(self.settings, self.names, self.chunks, strict=True):
            for measure in self.measures:
                mean = means[name, measure]
                bounds, kind, topics = self._interval(values[name][measure], measure)
                is_best = name == self._best.get(measure)
                found.append(
                    {**{parameter: setting.get(parameter) for parameter in self.parameters}, "run": name,
                     "chunks": chunks, "measure": measure, "value": mean.value, "low": bounds[0], "high": bounds[1],
                     "interval": kind, "topics": topics, "optimism": self.optimism(measure) if is_best else None,
                     **self._confirmation(measure, name), "signature": str(mean.signature)}
                )  # fmt: skip
        return found

    def _interval(self, values: Mapping[str, float | None], measure: str) -> tuple[tuple[Any, Any], str, int]:
        """The bounds of a mean, their kind, and how many topics have a value."""
        known = [value for _, value in sorted(values.items()) if value is not None]
        column = np.array(known, dtype=np.float64)[:, None]
        low, high, (kind,) = mean_intervals(column, costs=self.results.info(measure).unbounded)
        return (None, None) if np.isnan(low[0]) else (float(low[0]), float(high[0])), kind, len(known)

    def _confirmation(self, measure: str, name: str) -> dict[str, Any]:
        """Fields of a row: what the best setting has on the topics that confirm it."""
        if self.confirmed is None:
            return {}
        if name != self._best.get(measure):
            return dict.fromkeys(CONFIRMED)
        bounds, _, topics = self._interval(self.confirmed.per_topic()[name][measure], measure)
        mean = self.confirmed.mean()[name][measure]
        return dict(zip(CONFIRMED, (mean, *bounds, topics), strict=True))

    @cached_property
    def _best(self) -> dict[str, str]:
        """The run with the best mean of each measure, the earliest of several; none where all are undefined."""
        found = {}
        means = self.results.mean()
        for measure in self.measures:
            sign = 1 if self.results.info(measure).higher_is_better else -1
            known = [name for name in self.names if means[name][measure] is not None]
            if known:
                found[measure] = max(known, key=lambda name: sign * (means[name][measure] or 0.0))
        return found

    def optimism(self, measure: str | None = None) -> float | None:
        """Return by how much the mean of the best setting is expected to exceed what it has on other topics.

        It is the mean over bootstrap resamples of topics of the best setting's mean on the resample minus its mean on
        the topics left out; None where too few topics have a value.
        """
        name, values = self._measure(measure), self.results.per_topic()
        table = values_of([values[run][name] for run in self.names])
        return expected_optimism(table, self.results.info(name).higher_is_better)

    def __len__(self) -> int:
        return len(self.settings)

    def best(self, measure: str | None = None) -> dict[str, Any]:
        """Return the row with the best mean of a measure (by default the first), the earliest of several."""
        name = self._measure(measure)
        warn_of_whole_documents(self.results.notes, len(self.results.runs), [name])
        if name not in self._best:
            raise UsageError(f"{name} is undefined for every setting")
        return next(row for row in self.rows if row["measure"] == name and row["run"] == self._best[name])

    def as_good(self, measure: str | None = None, confidence: float = 0.95) -> list[str]:
        """Return the names of the runs that are not distinguishable from the best: no significant difference (paired
        randomisation test over topics, corrected by Holm's method for the number of settings); the best comes first."""
        name, best = self._measure(measure), self.best(measure)["run"]
        if len(self.names) < 2:
            return [best]
        found = compare(self.results, (), [name], baseline=best, pairs="baseline", confidence=confidence)
        told = {pair.run for pair in found.pairs if pair.significant}
        return [best, *(run for run in self.names if run != best and run not in told)]

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [row[name] for row in self.rows] for name in (*self.parameters, *self._fields)}

    @property
    def _fields(self) -> tuple[str, ...]:
        """Columns of the table that are no parameters."""
        return COLUMNS if self.confirmed is None else (*COLUMNS[:-1], *CONFIRMED, COLUMNS[-1])

    def records(self) -> list[dict[str, Any]]:
        """Return the rows, with values of parameters that JSON does not know as texts."""
        plain = (str, int, float, type(None))
        return [{name: cell if isinstance(cell, plain) else shown_value(cell) for name, cell in row.items()}
                for row in self.rows]  # fmt: skip

    def table(self, output: str | int = "table", places: int | None = None) -> str:
        """Return a text: a row for each setting, a column for each parameter and measure.

        ``output`` is 'table', 'markdown', 'latex', or 'csv', 'tsv', 'json' and 'jsonl', which have :attr:`rows`. A
        number alone is ``places``.
        """
        from berrypick.tables import tables

        if isinstance(output, int):
            return self.table("table", output)
        tables.check_choice("output", output, tables.OUTPUTS)
        if output in ("json", "jsonl"):
            return tables.json_text(self.records(), output)
        if output in ("csv", "tsv"):
            return tables.separated(self.records(), [*self.parameters, *self._fields], output, places)
        return tables.for_people(self._table(4 if places is None else places), output, tables.plain)

    def _table(self, places: int) -> Table:
        values = {(row["run"], row["measure"]): row["value"] for row in self.rows}
        counted = ["chunks"] if any(count is not None for count in self.chunks) else []
        lines = [
            [*(shown_value(setting.get(name)) for name in self.parameters), *([shown_value(chunks)] if counted else []),
             *(shown(values[name, measure], places) for measure in self.measures)]
            for setting, name, chunks in zip(self.settings, self.names, self.chunks, strict=True)
        ]  # fmt: skip
        numeric = "".join(
            ">" if all(isinstance(setting.get(name), (int, float, type(None))) for setting in self.settings) else "<"
            for name in self.parameters
        )
        header = [*self.parameters, *counted, *self.measures]
        return Table("", header, lines, numeric + ">" * (len(header) - len(numeric)))

    def __str__(self) -> str:
        """The table, with the notes."""
        from berrypick.tables.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.results.notes, self.results.runs)

    def heatmap(
        self, rows: str, columns: str, measure: str | None = None, where: Setting | None = None, places: int = 4
    ) -> str:
        """Return a text: the means of a measure over two parameters, the best with a star.

        ``where`` fixes other parameters, e.g. ``{"chunker": "fixed"}``.
        """
        from berrypick.tables.tables import aligned

        return aligned(self._grid(rows, columns, measure, where).table(places))

    def svg(
        self, rows: str, columns: str, measure: str | None = None, where: Setting | None = None, places: int = 3
    ) -> str:
        """Return the same as an SVG picture, drawn by Altair."""
        from berrypick.report.figures.export import FigureFile
        from berrypick.report.figures.heatmap_chart import plot_heatmap

        chart = plot_heatmap(self._grid(rows, columns, measure, where), places)
        found: str = FigureFile.svg(chart)
        return found

    def write_svg(self, path: str | PathLike[str], rows: str, columns: str, measure: str | None = None,
                  where: Setting | None = None, places: int = 3) -> None:  # fmt: skip
        """Write the picture to a file."""
        from berrypick.report.figures.export import FigureFile

        svg = self.svg(rows, columns, measure, where, places)
        FigureFile(path).write(svg)

    def plot(
        self,
        measure: str | None = None,
        *,
        rows: str | None = None,
        columns: str | None = None,
        where: Setting | None = None,
        places: int = 3,
        **how: Any,
    ) -> Any:
        """Return an Altair chart of a measure, by default the first.

        Where two parameters vary, or are named by ``rows`` and ``columns``, it is a heat-map; where one does, the means
        with intervals. ``where`` fixes other parameters. ``how``: width, height ('8.5cm'), font_size.
        """
        from berrypick.report.figures.export import FigureFile
        from berrypick.report.figures.heatmap_chart import plot_heatmap

        FigureFile.check_options(how)
        name, kept = self._measure(measure), self._kept(where)
        varying = [one for one in self.parameters if len({shown_value(row.get(one)) for row in kept.values()}) > 1]
        free = [one for one in varying if one not in (rows, columns)]
        down = rows or (free.pop(0) if free else None)
        across = columns or (free.pop(0) if free else None)
        if down is None or across is None:
            return self.results.only(list(kept), [name]).plot("means", **how)
        return plot_heatmap(self._grid(down, across, name, where), places, **how)

    def _kept(self, where: Setting | None) -> dict[str, Setting]:
        """Return the settings with some values of parameters, by the names of their runs."""
        self._check_parameters(*(where or {}))
        fixed_ones = (where or {}).items()
        found = {
            name: setting
            for name, setting in zip(self.names, self.settings, strict=True)
            if all(setting.get(key) == value for key, value in fixed_ones)
        }
        if not found:
            raise UsageError("no such setting in this sweep")
        return found

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return self.measures[0]
        if measure not in self.measures:
            offer = nearest(measure, list(self.measures)) or f"; available: {', '.join(self.measures)}"
            raise UsageError(f"{measure} is not among the measures of this sweep{offer}")
        return measure

    def _check_parameters(self, *names: str) -> None:
        for parameter in names:
            if parameter not in self.parameters:
                offer = nearest(parameter, list(self.parameters)) or f"; available: {', '.join(self.parameters)}"
                raise UsageError(f"{parameter} is not a parameter of this sweep{offer}")

    def _grid(self, rows: str, columns: str, measure: str | None, where: Setting | None) -> Grid:
        name = self._measure(measure)
        self._check_parameters(rows, columns, *(where or {}))
        kept = [
            row
            for row in self.rows
            if row["measure"] == name and all(row[key] == value for key, value in (where or {}).items())
        ]
        return grid_of(kept, self.parameters, rows, columns, name, self.results.info(name).higher_is_better)

    def _repr_html_(self) -> str:
        from berrypick.report.notebook.notebook_analysis import records_html

        return records_html(self.rows, [*self.parameters, *COLUMNS[1:-1]], self.results)


@takes_options
def sweep(
    documents: Mapping[str, str] | str | PathLike[str] | None = None,
    truth: TruthLike | None = None,
    chunkers: Some | None = None,
    retrievers: Some | None = None,
    measures: MeasuresGiven = (),
    *,
    queries: Mapping[str, str] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    only: Callable[[Setting], bool] | None = None,
    words: Any = None,
    runs: str | PathLike[str] | None = None,
    keep: str | PathLike[str] | None = None,
    confirm: float | None = None,
    ledger: str | PathLike[str] | None = None,
    ledger_head: str | None = None,
    commit: str | None = None,
    jobs: int = 1,
    progress: ProgressLike = None,
    **options: Unpack[SweepKeywords],
) -> Sweep:
    """Evaluate a grid of chunkers, retrievers and their parameters, or a folder of runs.

    Parameters
    ----------
    documents : mapping, str or path, optional
        The texts by name: a mapping, a folder, or JSON Lines with doc and text.
    truth : TruthLike
        The judgements: spans, or quotes to be found in the documents.
    chunkers : callable, list or mapping, optional
        Functions of a text that give (start, end) pairs or the strings of chunks, or splitters of LangChain, LlamaIndex
        and chonkie; fixed windows unless said.
    retrievers : callable, list or mapping, optional
        Functions of chunks and queries that give ranked lists; fts5 of SQLite unless said.
    measures : str, Measure or list
        One text with several measures, or a list of texts and measures.
    queries : mapping, optional
        Topic to text; unless said, the questions that the truth has.
    grid : mapping, optional
        Parameter to the values to try.
    only : callable, optional
        Says of a setting whether it is wanted.
    words : str, path or list of dictionaries, optional
        Where the truth judges boxes on pages: words with their places, as :func:`berrypick.read_words` reads them.
        Their texts are cut instead of documents, and chunks become boxes.
    runs : str or path, optional
        A folder of runs instead of something to chunk; their names are their settings, as in
        ``size=200,overlap=50.jsonl`` or ``retriever=bm25/size=200.jsonl``.
    keep : str or path, optional
        A folder to write the runs to.
    confirm : float, optional
        The share of topics that no setting is chosen by, such as 0.3: the best setting is then evaluated on them. A
        hash of its name decides about each topic.
    ledger : str or path, optional
        A file that counts looks at the truth: a line for each setting and measure is appended, and one for each
        confirmation.
    ledger_head : str, optional
        The checksum of a line that the ledger must have, else it is an error: its last lines were cut off.
    commit : str, optional
        What the lines of the ledger name as the state of the code.
    jobs : int
        The number of processes.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    Sweep
        The settings, and the results of one run for each.

    Examples
    --------
    >>> import berrypick as bp
    >>> texts = {"guide": "Cut the old canes in autumn. " * 3 + "Water in July. " * 5}
    >>> found = bp.sweep(texts, {"q": {"guide#0-28": 1}}, measures="charR@1", queries={"q": "old canes"},
    ...                  grid={"size": [20, 60]})
    >>> found.best()["size"]
    60
    """
    if truth is None:
        raise UsageError("truth is missing: give the judgements")
    told = as_progress(progress)
    measures = given_measures(measures, options)
    given = EvaluationOptions.from_arguments(options, "sweep")  # mistakes are reported before any work is done
    judged = as_truth(truth, given.fields)
    settings: dict[str, Any] = {name: value for name, value in options.items() if name != "fields"}
    if not measures and not given.task and not given.protocol:
        measures = default_measures(judged.units, False, documents is not None)
    recalls = Recalls.among(measures)
    measures = measures if recalls is None else recalls.measures(judged)[0]
    requested = resolve_measures(measures, given.protocol or "", given.task or "")
    check_workers(jobs, None)
    check_ledger(ledger, ledger_head, commit, options)
    chosen_by: list[str] = []
    kept_topics: list[str] = []
    if confirm is not None:
        if given.topics == "run":
            raise UsageError(f"{option('topics', 'run')} lets each run choose its topics: omit it or "
                             f"{option('confirm')}")  # fmt: skip
        chosen_by, kept_topics = split_topics(judged.topics, confirm)
    if runs is not None:
        if grid or queries or words is not None:
            raise UsageError("queries, words and grid need chunkers, not a folder of runs")
        if documents is not None:
            settings["documents"] = read_texts(documents)
        job: Job = FolderJob(judged, measures, settings, *runs_by_settings(Path(runs), only))
    else:
        queries = queries or titles_of(judged) or None
        steps = (fixed if chunkers is None else chunkers, fts5 if retrievers is None else retrievers)
        job = PipelineJob.planned(judged, measures, settings, documents, queries, *steps, grid or {}, only, words)
    if keep is not None:
        job.keep = prepare_folder(os.fspath(keep), job.names)
    job.all_chunks = any(one.measure.needs_chunks for one in requested)
    job.topics = None if confirm is None else (f"not-confirm({confirm:g})", chosen_by)
    step = StepCounter(told, len(job.settings))
    outcomes: list[Outcome] = ordered_map(job, range(len(job.settings)), jobs=jobs, step=step)
    results = concat(*(outcome.results for outcome in outcomes))
    found = Sweep(
        tuple(job.settings),
        tuple(job.names),
        tuple(outcome.chunks for outcome in outcomes),
        replace(results, notes=(*results.notes, *jobs_notes(jobs))),
    )
    if confirm is not None:
        found = _confirmed(found, job, (f"confirm({confirm:g})", kept_topics))
    return found if ledger is None else _recorded(found, ledger, ledger_head, commit)


def _confirmed(found: Sweep, job: Job, topics: tuple[str, Sequence[str]]) -> Sweep:
    """A sweep with the best setting of each measure on other topics."""
    job.topics, job.keep = topics, ""
    best = list(dict.fromkeys(found._best.values()))
    if not best:
        raise UsageError("all measures are undefined for every setting, so there is nothing to confirm")
    confirmed = concat(*(job.outcome(found.names.index(name)).results for name in best))
    return replace(found, confirmed=confirmed)


def _recorded(found: Sweep, ledger: str | PathLike[str], head: str | None, commit: str | None) -> Sweep:
    """A sweep whose settings are lines of a ledger, and so are its confirmations."""
    recorded = record_results(found.results, ledger, commit, head)
    told = [note for note in recorded.notes if note.kind != LOOK and note not in found.results.notes]
    if found.confirmed is not None:
        recorded = record_results(found.confirmed, ledger, commit)
    looks = looks_so_far(recorded, ledger)
    told += [Note(LOOK, f"{counted(count, 'look')} at this truth so far; the next may claim better at p < "
                  f"{level_of(count + 1, recorded.method.alpha):.2g}", measure=measure)
             for measure, count in looks.items()]  # fmt: skip
    results = replace(found.results, notes=(*found.results.notes, *told))
    return replace(found, results=results, looks=looks, ledger_head=recorded.ledger_head)
