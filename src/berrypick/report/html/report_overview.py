"""The data of a report page that it has at once: tables, pairs, curves, configuration, warnings.

Everything is plain lists and dictionaries, ready for JSON; docs/how-to/report.md describes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from berrypick._version import __version__
from berrypick.analysis.assumptions.assumptions import Assumptions
from berrypick.analysis.comparison.comparison import Comparison
from berrypick.analysis.comparison.curves import POINTS, bands
from berrypick.data.costs import summary
from berrypick.data.errors import Message, as_flags, option
from berrypick.data.merged_notes import merge_notes
from berrypick.data.references import bibtex, cited
from berrypick.data.results import Note, Results, RunFacts
from berrypick.data.truth import Truth
from berrypick.evaluation.options import options as all_options
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.formats import positions_in
from berrypick.registry.registry import plugin_errors
from berrypick.report.html.report_data import Details
from berrypick.report.panels.base import panel_data, panels, table_data
from berrypick.tables.tabular import fields_of
from berrypick.targets.idealism import describe

#: So many drawn means are worked out for bands, about 20 seconds of work; with more curves there are fewer draws.
DRAWN, FEWER_DRAWS = 100_000_000, 1000


def make_overview(
    title: str,
    command: str,
    results: Results,
    comparison: Comparison,
    details: Details,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything about the evaluation as a whole."""
    comparison = _without_folder(comparison)
    requested = details.evaluation.measures
    runs, measures = list(comparison.runs), [one.text for one in requested]
    topics = list(results.topics)
    values = {(row.measure, row.run, row.topic): row.value for row in results.topic_rows}
    baseline = comparison.baseline if comparison.baseline is not None else runs[0]
    return {
        "title": title or _title(details),
        "version": __version__,
        "kind": details.kind,
        "unit_known": _unit_known(details),
        "runs": [_run(results.run_facts[run], comparison.estimate(measures[0], run).label) for run in runs],
        "baseline": runs.index(baseline),
        "measures": [_measure(one, comparison) for one in requested],
        "table": [[_cell(comparison, measure, run) for measure in measures] for run in runs],
        "pairs": _pairs(comparison),
        "method": [list(part) for part in comparison.method.fields()],
        "confidence": float(comparison.method.confidence),  # JSON has no numbers of NumPy
        "configuration": _configuration(details, settings.get("chunks")),
        "counts": _counts(details),
        "warnings": _warnings(comparison.notes, len(runs), command, details.evaluation.truth),
        "groups": _groups(results, comparison, runs, measures),
        "left_out": [],
        "command": command,
        "topics": topics,
        "titles": [details.titles.get(topic, "") for topic in topics],
        "values": [[[values.get((m, run, topic)) for topic in topics] for run in runs] for m in measures],
        "curves": _curves(results, comparison),
        "bands": {"draws": _draws(results, comparison), "table": int(comparison.method.resamples)},
        "details": [None] * len(topics),
        "readers": [reader.to_json() for reader in details.readers],
        "simulated": _simulated(details),
        "panels": _panels(details, results, comparison, settings),
    }


def _unit_known(details: Details) -> bool:
    """Whether the unit of positions is known: texts show it, and formats of other units say so."""
    evaluation, reader = details.evaluation, details.evaluation.context.reader
    collection = reader.collection
    texts = reader.texts is not None or reader.shown is not None or bool(collection and collection.structures)
    formats = [evaluation.truth.format, *(run.format for run in evaluation.runs.values())]
    return details.kind != "text" or texts or any(positions_in(name) is not None for name in formats)


def _panels(
    details: Details, results: Results, comparison: Comparison, settings: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the panels, ours and those of other packages, that have something to show."""
    found = [_verdicts(comparison, details.evaluation.truth) if comparison.model is None else _assisted(comparison)]
    for panel in panels:
        with plugin_errors(f"panel {panel.name}", panel):
            found.append(panel_data(panel(), details.evaluation, results, settings))
    return [panel for panel in found if panel is not None]


def _verdicts(comparison: Comparison, truth: Truth) -> dict[str, Any] | None:
    """Verdicts on the pairs of the comparison that the report shows; none if it was made without bounds."""
    if not comparison.pairs:
        return None
    parts: list[Any] = ["Too many rankings for this page: berrypick compare --assumptions gives the verdicts."]
    if all(pair.joint is not None for pair in comparison.pairs):
        found = Assumptions.of(comparison)
        parts = [*map(table_data, found.tables()), *found.legend()]
        if _marks_relevant_alone(truth) and any(one.unjudged is not None for one in found.verdicts):
            said = "The judgements mark only relevant text: under unjudged, any other text could be relevant."
            parts.insert(-1, said)  # the last one explains the columns
    return {"name": "verdicts", "title": "Is the better run proven to be better?", "parts": parts, "data": None}


def _without_folder(comparison: Comparison) -> Comparison:
    """Return the comparison without the folder of the model's judgements: pages are sent around."""
    model = comparison.model
    if model is None or (name := _file(model.source)) == model.source:
        return comparison
    notes = [replace(note, text=Message(Message(note.text).template.replace(model.source, name)))
             for note in comparison.notes]  # fmt: skip
    return replace(comparison, model=replace(model, source=name), notes=tuple(notes))


def _assisted(comparison: Comparison) -> dict[str, Any]:
    """What model-assisted means are made of, and how the model differs from people."""
    from berrypick.analysis.comparison.comparison_text import assisted_table, legend

    parts = [table_data(assisted_table(comparison)), *legend(comparison)]
    return {"name": "assisted", "title": "Means are model-assisted", "parts": parts, "data": None}


def _simulated(details: Details) -> dict[str, Any] | None:
    """How many readers are simulated for each topic, and which measures they are shown for."""
    how = details.simulated
    if how is None:
        return None
    numbers = [details.evaluation.measures.index(one) for one in how.measures]
    pools = [one.measure.pools for one in how.measures]
    assumed = [how.told(one) for one in how.measures]
    return {"readers": how.readers, "seed": how.seed, "measures": numbers, "pools": pools, "shares": list(how.shares),
            "assumed": assumed}  # fmt: skip


#: What to do about notes that do not say so themselves.
_REMEDIES = {
    "missing topics": f"{option('topics', 'run')} scores only the topics that a run has",
    "few topics": "judge more topics",
    "unjudged text": "judge the text that berrypick pool lists",
}


def _warnings(notes: Sequence[Note], runs: int, command: str, truth: Truth) -> list[dict[str, Any]]:
    """Return a line for each kind of note: its first note, a remedy, further notes, and on how many runs they are.

    The table of runs shows overlap itself. Judgements that mark relevant text alone leave all other text unjudged: that
    this could matter for a pair is no news.
    """
    known = {"overlap", *(("unjudged text",) if _marks_relevant_alone(truth) else ())}
    kept = [note for note in notes if note.kind not in known]
    kinds: dict[str, list[Note]] = {}
    for note in merge_notes(kept, runs):
        kinds.setdefault(note.kind, []).append(note)
    concerned = {kind: {note.run for note in kept if note.kind == kind and note.run} for kind in kinds}
    found = []
    for kind, (first, *more) in kinds.items():
        remedy = _REMEDIES.get(kind, "") if not any(mark in first.text for mark in ("; ", "use ")) else ""
        found.append({
            "text": note_text(first, command),
            "remedy": f"Remedy: {note_text(Message(remedy), command)}." if remedy else "",
            "more": [{"text": note_text(note, command), "more": []} for note in more],
            "runs": len(concerned[kind]),
        })  # fmt: skip
    return found


def _marks_relevant_alone(truth: Truth) -> bool:
    return truth.units == "spans" and all(bool((topic.grade > 0).all()) for topic in truth.topics.values())


def _title(details: Details) -> str:
    """Return the question of a single topic, else the folder of the truth: most truths are called truth."""
    titles = [title for title in details.titles.values() if title]
    if len(titles) == 1 and len(details.evaluation.truth.topics) == 1:
        return titles[0]
    source = details.evaluation.truth.source
    return (Path(source).resolve().parent.name if source else "") or "berrypick report"


def _measure(one: RequestedMeasure, comparison: Comparison) -> dict[str, Any]:
    info = one.info()
    sections = _sections(type(one.measure))
    return {
        "text": one.text,
        "increasing": info.higher_is_better,
        "curve": info.has_curve,
        "what": info.description,
        "formula": sections.get("Formula", ""),
        "meaning": sections.get("Meaning", ""),
        "use": sections.get("Use", ""),
        "references": [{"cite": cited(key), "bibtex": bibtex(key)} for key in one.measure.references],
        "signatures": [str(comparison.estimate(one.text, run).signature) for run in comparison.runs],
    }


def _sections(value: type) -> dict[str, str]:
    """The parts of a docstring by their underlined headings; the first line under ''."""
    from inspect import cleandoc

    lines = cleandoc(value.__doc__ or "").splitlines()
    found: dict[str, list[str]] = {"": lines[:1]}
    current = "more"
    for line, below in zip(lines[1:], [*lines[2:], ""], strict=False):
        if below and set(below) == {"-"}:
            current = line
        elif not (line and set(line) == {"-"}):
            found.setdefault(current, []).append(line)
    return {name: "\n".join(part).strip() for name, part in found.items()}


def _cell(comparison: Comparison, measure: str, run: str) -> dict[str, Any]:
    one = comparison.estimate(measure, run)
    return {"value": one.value, "low": one.low, "high": one.high, "letters": list(one.beats), "topics": one.topics,
            "undefined": one.undefined}  # fmt: skip


def _pairs(comparison: Comparison) -> list[dict[str, Any]]:
    runs, measures = list(comparison.runs), list(comparison.measures)
    return [
        {
            "measure": measures.index(pair.measure),
            "run": runs.index(pair.run),
            "versus": runs.index(pair.versus),
            **fields_of(pair, "topics", "difference", "low", "high", "p"),
            "corrected": pair.p_adjusted,
            **fields_of(pair, "effect", "wins", "ties", "losses", "significant"),
        }
        for pair in comparison.pairs
    ]


def _configuration(details: Details, chunks: Any) -> list[list[str]]:
    """Inputs, and every option with its value, as far as it has one.

    ``chunks`` are given apart: where no measure reads them, the evaluation has none.
    """
    evaluation = details.evaluation
    options, context = evaluation.options, evaluation.context
    reader = context.reader
    special = {
        "user": str(context.user),
        "tokenizer": reader.tokens.name if reader.tokens is not None else "",
        "idealism": "" if context.idealism is None else describe(set(), context.idealism),
        "duplicates": context.duplicates or "by format",
        "ignore_elements": ", ".join(sorted(context.ignore_elements)),
        "navigation": _source(reader.navigation) if options.navigation is not None else "",
        "collection": _source(reader.collection) if options.collection is not None else "",
        "documents": _source(reader.texts or reader.shown),
        "chunks": _source(chunks),
        "ideal_elements": _source(options.ideal_elements),
        "by": "" if evaluation.groups is None else evaluation.groups.field,
        "topic_table": _source(options.topic_table),
    }
    parts = {
        "truth": _file(evaluation.truth.source),
        "format of the truth": evaluation.truth.format,
        "runs": _files([_file(run.source) for run in evaluation.runs.values() if run.source]),
    }
    for one in all_options():
        value = str(special[one.name] if one.name in special else getattr(options, one.name) or "")
        if one.label:
            parts[one.label] = _file(value) if one.file and value else value
    return [[name, value] for name, value in parts.items() if value]


def _source(value: Any) -> str:
    """The file that a value was read from, or is to be."""
    if value is None or isinstance(value, (str, PathLike)):
        return "" if value is None else fspath(value)
    return getattr(value, "source", "") or "given as an object"


def _file(source: str) -> str:
    """As it was typed, but not where on this machine it lies: pages are sent around."""
    return Path(source).name if Path(source).is_absolute() else source


#: So many files are named.
LISTED_FILES = 5


def _files(names: list[str]) -> str:
    """A list that is read; of many files the first and the last, since runs are named everywhere."""
    if len(names) <= LISTED_FILES:
        return ", ".join(names)
    return f"{len(names)} files, {names[0]} to {names[-1]}"


def _groups(results: Results, comparison: Comparison, runs: list[str], measures: list[str]) -> dict[str, Any] | None:
    """The groups of topics: their names, the group of each topic by number, and their means by run and measure."""
    if results.groups is None:
        return None
    names = list(comparison.groups)
    number = {name: i for i, name in enumerate(names)}
    of = results.groups.of
    return {
        "field": results.groups.field,
        "names": names,
        "of": [number.get(of[topic]) if topic in of else None for topic in results.topics],
        "table": [
            [[_cell(part, measure, run) for measure in measures] for run in runs] for part in comparison.groups.values()
        ],
    }


def _counts(details: Details) -> list[list[Any]]:
    truth = details.evaluation.truth
    judged = sum(len(topic) for topic in truth.topics.values())
    relevant = sum(int((topic.grade > 0).sum()) for topic in truth.topics.values())
    return [["judged topics", len(truth)], [f"judged {truth.units}", judged], ["relevant", relevant]]


def _run(facts: RunFacts, label: str) -> dict[str, Any]:
    """A run by name and letter, its number of results, and the share of its text that repeats earlier results."""
    return {"name": facts.name, "label": label, "results": facts.results, "overlap": facts.overlap,
            "costs": summary(facts.costs)}  # fmt: skip


def _draws(results: Results, comparison: Comparison) -> int:
    """As many as the table's intervals have, so that bands agree with them, unless that takes too long."""
    drawn = int(comparison.method.resamples)
    points = sum(min(len(row.curve), POINTS) for row in results.mean_rows if row.curve)
    return drawn if points * drawn <= DRAWN else min(drawn, FEWER_DRAWS)


def _curves(results: Results, comparison: Comparison) -> list[dict[str, Any]]:
    runs = list(comparison.runs)
    method = comparison.method
    found: dict[str, dict[str, Any]] = {}
    draws = _draws(results, comparison)
    for band in bands(results, confidence=method.confidence, resamples=draws, seed=method.seed):
        if not len(band.x):
            continue
        across, up = band.axes
        one = found.setdefault(
            band.measure,
            {"measure": band.measure, "title": band.measure, "x_title": across, "y_title": up, "points": []},
        )
        columns = fields_of(band, "x", "y", "low", "high")
        points = {name: [_short(value) for value in column] for name, column in columns.items()}
        one["points"].append({"run": runs.index(band.run), **points})
    return list(found.values())


def _short(value: Any) -> float | None:
    """To nine digits: what can be seen in a curve, and read off it."""
    return None if value is None else float(f"{value:.9g}")


def note_text(said: object, command: str) -> str:
    """A note on the page: with the flags of the command that wrote it, else with options as in Python."""
    return as_flags(said) if command else str(said)
