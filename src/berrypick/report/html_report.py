"""The report: one page that shows where results fall in the documents, with everything it needs in one file.

The page is made of ``assets`` (its own HTML, CSS and JavaScript), the charting library that vl-convert carries, and
data: an overview as JSON, and blocks for topics and documents that are unpacked when somebody looks at them. Its
content security policy allows these scripts by their hashes and nothing else: no network, no script in any text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berrypick._version import __version__
from berrypick.analysis.compare import Comparison, compare
from berrypick.analysis.curves import POINTS, bands
from berrypick.core.errors import InputError, Message, UsageError, as_flags, option
from berrypick.core.results import Note, Results, RunFacts, merge_notes
from berrypick.core.workers import ordered_map
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.options import options as all_options
from berrypick.evaluation.requested import MeasuresGiven, RequestedMeasure
from berrypick.formats._files import atomic_writer, open_bytes
from berrypick.measures.base import Measure
from berrypick.references import bibtex, cited
from berrypick.relevance.idealism import describe
from berrypick.report.report_data import Details
from berrypick.report.report_users import (
    Reader,
    fitting_models,
    parse_user_models,
    reader_of,
    requested_models,
)

#: Most megabytes of a page, and most results of a run and topic on it, unless one says otherwise.
LIMIT, DEPTH = 15, 100
#: So many drawn means are worked out for bands, about 20 seconds of work; with more curves there are fewer draws.
DRAWN, FEWER_DRAWS = 100_000_000, 1000
#: Beyond so many rankings only the readers that were requested for are worked out.
RANKINGS = 600
#: In this order: later ones use what earlier ones define.
SCRIPTS = ("start", "charts", "overview", "curves", "topics", "spans", "model", "choosing", "strips", "text", "tree",
           "links", "documents", "reader", "last")  # fmt: skip
STYLES = ("page", "documents", "reader")
_LIBRARY = "window.vegaEmbed=vegaEmbed;window.vega=vega;window.vegaLite=vegaLite;"

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords

Progress = Callable[[int, int], None]


@takes_options
def write_report(
    truth: Any,
    runs: Any = (),
    measures: MeasuresGiven = (),
    *,
    html: str | PathLike[str],
    title: str = "",
    titles: str | PathLike[str] | Mapping[str, str] | None = None,
    readers: str = "auto",
    depth: int = DEPTH,
    limit: float = LIMIT,
    baseline: str | None = None,
    command: str = "",
    progress: Progress | None = None,
    jobs: int = 1,
    test: Any = "randomisation",
    correction: Any = "holm",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    **options: Unpack[EvaluationKeywords],
) -> Report:
    """Evaluate runs and write a page that shows what the numbers mean.

    ``truth``, ``runs``, ``measures`` and ``options`` are those of :func:`berrypick.evaluate`, or ``truth`` is an
    :class:`~berrypick.Evaluation`; ``baseline``, ``test``, ``correction``, ``confidence``, ``resamples`` and ``seed``
    are those of :func:`berrypick.compare`. ``titles`` says what topics are about: a mapping, or a file of ``topic TAB
    title``. ``readers`` are the user models to step through: 'auto', 'none', or some of them, e.g. ``'classical
    t2i(tolerance=100)'``. ``depth`` is how many results of each list are shown, ``limit`` the most megabytes of the
    page; what does not fit is omitted, and the page says so.
    """
    if limit <= 0 or depth < 1:
        raise UsageError("limit is a number of megabytes above 0, depth a number of results from 1")
    library = _library()  # before the work: it may not be there
    known = titles if isinstance(titles, Mapping) else {} if titles is None else read_titles(titles)
    evaluation = (
        truth
        if isinstance(truth, Evaluation)
        else Evaluation._prepare(truth, runs, measures, EvaluationOptions.from_arguments(options, "write_report"))
    )
    results = evaluation.run(curves=True, progress=progress, jobs=jobs)
    comparison = compare(
        results, baseline=baseline, test=test, correction=correction, confidence=confidence,
        resamples=resamples, seed=seed,
    )  # fmt: skip
    omitted: list[str] = []
    chosen = _readers(readers, evaluation, omitted)
    details = Details(evaluation, chosen, depth, known)
    overview = _overview(title, command, results, comparison, details)
    notes = merge_notes(comparison.notes, len(evaluation.runs))
    made = _assemble(overview, details, omitted, notes, library, limit * 1e6, jobs, progress)
    with atomic_writer(fspath(html)) as stream:
        stream.write(made.content)
    return made


@dataclass(frozen=True)
class Report:
    """A page that was written."""

    content: str = field(repr=False)
    topics: int
    documents: int
    omitted: tuple[str, ...]  # what did not fit
    notes: tuple[Note, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.content.encode())


def read_titles(path: str | PathLike[str]) -> dict[str, str]:
    """A file of topics and what they are about, with a TAB between."""
    found: dict[str, str] = {}
    name = fspath(path)
    with open_bytes(name) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise InputError("is not UTF-8 text", path=name, line=number, remedy="save it as UTF-8") from None
            if not line.strip() or line.startswith("#"):
                continue
            topic, tab, title = line.partition("\t")
            if not tab:
                raise InputError(
                    "has no TAB", path=name, line=number, text=line, remedy="a line is a topic, a TAB, and its title"
                )
            found[topic.strip()] = title.strip()
    return found


def _readers(text: str, evaluation: Evaluation, omitted: list[str]) -> list[Reader]:
    if text == "none":
        return []
    models = requested_models(evaluation)
    if text != "auto":
        models = parse_user_models(text)
    elif len(evaluation.truth) * len(evaluation.runs) <= RANKINGS:
        models += [model for model in fitting_models(evaluation) if model not in models]
    else:
        omitted.append(
            f"readers other than {', '.join(map(str, models))}: there are many rankings; "
            f"name those to step through with {option('readers', 'classical t2i')}"
        )
    known = {str(model): model for model in models}
    readers = [reader_of(model, evaluation) for model in known.values()]
    shown: list[Reader] = []
    for reader in readers:  # without those that another one's slider shows already
        if not any(reader.model in other.models for other in shown):
            shown.append(reader)
    return shown


# the overview, which the page has at once


def _overview(title: str, command: str, results: Results, comparison: Comparison, details: Details) -> dict[str, Any]:
    requested = details.evaluation.measures
    runs, measures = list(comparison.runs), [one.text for one in requested]
    topics = list(results.topics)
    values = {(row.measure, row.run, row.topic): row.value for row in results.topic_rows}
    baseline = comparison.baseline if comparison.baseline is not None else runs[0]
    return {
        "title": title or _title(details),
        "version": __version__,
        "kind": details.kind,
        "runs": [{"name": run, "label": comparison.estimate(measures[0], run).label} for run in runs],
        "baseline": runs.index(baseline),
        "measures": [_measure(one, comparison) for one in requested],
        "table": [[_cell(comparison, measure, run) for measure in measures] for run in runs],
        "pairs": _pairs(comparison),
        "method": [list(part) for part in comparison.method.fields()],
        "configuration": _configuration(details),
        "counts": _counts(details),
        "systems": [_system(results.run_facts[run]) for run in runs],
        "warnings": [
            _note_text(note, command) for note in merge_notes(comparison.notes, len(runs)) if note.kind != "overlap"
        ],
        "left_out": [],
        "command": command,
        "topics": topics,
        "titles": [details.titles.get(topic, "") for topic in topics],
        "values": [[[values.get((m, run, topic)) for topic in topics] for run in runs] for m in measures],
        "curves": _curves(results, comparison),
        "bands": {"draws": _draws(results, comparison), "table": comparison.method.resamples},
        "details": [None] * len(topics),
        "readers": [reader.to_json() for reader in details.readers],
    }


def _title(details: Details) -> str:
    """The name of the truth, as people call their files."""
    return Path(details.evaluation.truth.source).name.partition(".")[0] or "berrypick report"


def _measure(one: RequestedMeasure, comparison: Comparison) -> dict[str, Any]:
    info = one.info()
    sections = _sections(type(one.measure)) if isinstance(one.measure, Measure) else {}
    references = one.measure.references if isinstance(one.measure, Measure) else ()
    return {
        "text": one.text,
        "increasing": info.higher_is_better,
        "curve": info.has_curve,
        "what": info.description,
        "formula": sections.get("Formula", ""),
        "meaning": sections.get("Meaning", ""),
        "use": sections.get("Use", ""),
        "references": [{"cite": cited(key), "bibtex": bibtex(key)} for key in references],
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
            "topics": pair.topics,
            "difference": pair.difference,
            "low": pair.low,
            "high": pair.high,
            "p": pair.p,
            "corrected": pair.p_adjusted,
            "effect": pair.effect,
            "wins": pair.wins,
            "ties": pair.ties,
            "losses": pair.losses,
            "significant": pair.significant,
        }
        for pair in comparison.pairs
    ]


def _configuration(details: Details) -> list[list[str]]:
    """Inputs, and every option with its value, as far as it has one."""
    evaluation = details.evaluation
    options, context = evaluation.options, evaluation.context
    reader = context.reader
    special = {
        "user": str(context.user),
        "tokenizer": reader.tokens.name if reader.tokens is not None else "",
        "idealism": "" if context.idealism is None else describe(set(), context.idealism),
        "duplicates": context.duplicates or "as each format has it",
        "ignore_elements": ", ".join(sorted(context.ignore_elements)),
        "navigation": reader.navigation.source if reader.navigation is not None else "",
        "collection": reader.collection.source if reader.collection is not None else "",
        "documents": reader.texts.source if reader.texts is not None else "",
        "chunks": getattr(options.chunks, "source", options.chunks or ""),
        "ideal_elements": getattr(options.ideal_elements, "source", options.ideal_elements or ""),
    }
    parts = {
        "truth": _file(evaluation.truth.source),
        "format of the truth": evaluation.truth.format,
        "runs": ", ".join(_file(run.source) for run in evaluation.runs.values() if run.source),
    }
    for one in all_options():
        value = str(special[one.name] if one.name in special else getattr(options, one.name) or "")
        if one.label:
            parts[one.label] = _file(value) if one.file and value else value
    return [[name, value] for name, value in parts.items() if value]


def _file(source: str) -> str:
    """As it was typed, but not where on this machine it lies: pages are sent around."""
    return Path(source).name if Path(source).is_absolute() else source


def _counts(details: Details) -> list[list[Any]]:
    truth = details.evaluation.truth
    judged = sum(len(topic) for topic in truth.topics.values())
    relevant = sum(int((topic.grade > 0).sum()) for topic in truth.topics.values())
    return [["judged topics", len(truth)], [f"judged {truth.units}", judged], ["relevant", relevant]]


def _system(facts: RunFacts) -> dict[str, Any]:
    """How many results a run has, and which share of its text repeats earlier results."""
    return {"results": facts.results, "overlap": facts.overlap}


def _draws(results: Results, comparison: Comparison) -> int:
    """As many as the table's intervals have, so that bands agree with them, unless that takes too long."""
    drawn = comparison.method.resamples
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
        one["points"].append(
            {
                "run": runs.index(band.run),
                "x": [_short(value) for value in band.x],
                "y": [_short(value) for value in band.y],
                "low": [_short(value) for value in band.low],
                "high": [_short(value) for value in band.high],
            }
        )
    return list(found.values())


def _short(value: Any) -> float | None:
    """To nine digits: what can be seen in a curve, and read off it."""
    return None if value is None else float(f"{value:.9g}")


# blocks, and how many of them fit


def _assemble(
    overview: dict[str, Any],
    details: Details,
    omitted: list[str],
    notes: Sequence[Note],
    library: str,
    limit: float,
    jobs: int,
    progress: Progress | None,
) -> Report:
    """The page, with as many topics as fit, then as many documents."""
    topics = _topics(details, overview["topics"], jobs, progress)
    room = limit - len(_page(overview, [], library).encode()) - 5_000  # what is left out has to be said
    if room < 0:
        raise UsageError(
            f"the page takes {(limit - room) / 1e6:.1f} MB without any topic, more than the limit of {limit / 1e6:g} MB"
        )
    kept = _fitting([(i, len(_packed(topic))) for i, topic in enumerate(topics)], room)
    room -= sum(kept.values())
    blocks: list[str] = []
    numbers: dict[str, int] = {}
    without = 0
    for name in _document_order(topics[i] for i in kept):
        document = details.document(name)
        if document is None:
            continue
        packed = _packed(document)
        if len(packed) + 60 > room:
            without += 1
            continue
        room -= len(packed) + 60
        numbers[name] = len(blocks)
        blocks.append(packed)
    for i in kept:
        for document in topics[i]["documents"]:
            document["block"] = numbers.get(document["name"])
        overview["details"][i] = len(blocks)
        blocks.append(_packed(topics[i]))
    missing = [Message(text) for text in (*omitted, *_omitted(topics, kept, without, details, limit))]
    overview["left_out"] = [_note_text(text, overview["command"]) for text in missing]
    content = _page(overview, blocks, library)
    return Report(content, len(kept), len(numbers), tuple(missing), tuple(notes))


def _note_text(said: object, command: str) -> str:
    """A note on the page: with the flags of the command that wrote it, else with options as in Python."""
    return as_flags(said) if command else str(said)


def _topics(details: Details, names: Sequence[str], jobs: int, progress: Progress | None) -> list[dict[str, Any]]:
    """The data of each topic."""
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, len(names))

    return ordered_map(_TopicTask(details, names), range(len(names)), jobs=jobs, step=step)


@dataclass(frozen=True)
class _TopicTask:
    """The work of several processes: each task is a topic."""

    details: Details
    names: Sequence[str]

    def __call__(self, task: int, step: Callable[[int], None]) -> dict[str, Any]:
        found = self.details.topic(self.names[task])
        step(1)
        return found


def _fitting(sizes: Sequence[tuple[int, int]], room: float) -> dict[int, int]:
    """The first of them, until there is no room left; a tenth more is reckoned with for numbers of blocks."""
    found: dict[int, int] = {}
    for i, size in sizes:
        room -= 1.1 * size + 60
        if room < 0:
            break
        found[i] = int(1.1 * size + 60)
    return found


def _document_order(topics: Iterator[dict[str, Any]]) -> list[str]:
    """Documents with something relevant before others, then in the order of topics."""
    first: dict[str, None] = {}
    later: dict[str, None] = {}
    for topic in topics:
        holds = {target["doc"] for target in topic["targets"]}
        for number, document in enumerate(topic["documents"]):
            (first if number in holds else later).setdefault(document["name"])
    return list({**first, **later})


def _omitted(
    topics: Sequence[dict[str, Any]], kept: Mapping[int, int], without: int, details: Details, limit: float
) -> list[str]:
    found = []
    more = f"{option('limit', round(max(2 * limit / 1e6, 1)))} allows for more (megabytes)"
    if len(kept) < len(topics):
        found.append(f"the results of {len(topics) - len(kept)} of {len(topics)} topics: {more}")
    if without:
        found.append(f"the texts of {without} documents: {more}")
    cut = sum(1 for topic in topics for run in topic["runs"] if run["ranks"] > details.depth)
    if cut:
        found.append(f"results beyond rank {details.depth} in {cut} rankings: {option('depth')} shows more")
    if details.kind == "text" and details.evaluation.context.reader.texts is None and not _has_texts(details):
        texts, structure = option("documents"), option("collection")
        found.append(f"the texts of the documents: give them with {texts}, or a folder of XML with {structure}")
    return found


def _has_texts(details: Details) -> bool:
    collection = details.evaluation.context.reader.collection
    return collection is not None and hasattr(collection.structures, "text")


def _packed(value: Any) -> str:
    content = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(content.encode("ascii"), compresslevel=6, mtime=0)).decode("ascii")


# the page


def _page(overview: dict[str, Any], blocks: Sequence[str], library: str) -> str:
    style = "\n".join(_asset(f"{name}.css") for name in STYLES)
    script = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    policy = (
        f"default-src 'none'; script-src {_hash(library)} {_hash(script)}; style-src {_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    data = json.dumps(overview, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(_shown(overview['title']))}</title>",
        f"<style>{style}</style></head>",
        f"<body>{_asset('page.html')}",
        f'<script type="application/json" id="overview">{data}</script>',
        *(f'<script type="text/plain" data-block="{i}">{block}</script>' for i, block in enumerate(blocks)),
        f"<script>{library}</script>",
        f"<script>{script}</script>",
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _shown(text: str) -> str:
    """A title for a window: on one line, without what could turn the line around."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)[:200]


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode('ascii')}'"


@cache
def _asset(name: str) -> str:
    return resources.files("berrypick.report").joinpath("assets", name).read_text(encoding="utf-8").strip()


@cache
def _library() -> str:
    """The charting library as one script."""
    try:
        import vl_convert
    except ImportError:
        raise UsageError("the report page needs vl-convert: pip install 'berrypick[report]'") from None
    bundle: str = vl_convert.javascript_bundle(_LIBRARY)
    return bundle.replace("</script", "<\\/script")
