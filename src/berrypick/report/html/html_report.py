"""The report: one page that shows where results fall in the documents, with everything it needs in one file.

Its data are an overview as JSON (:mod:`~berrypick.report.html.report_overview`), and blocks for topics and documents
(:mod:`~berrypick.report.html.report_data`) that are unpacked when they are opened; here it is decided how many of
them fit. :mod:`~berrypick.report.html.report_page` puts the page together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from berrypick.analysis.assumptions.assumptions import joint_ends
from berrypick.analysis.comparison.compare import compare_results
from berrypick.analysis.comparison.comparison import Method
from berrypick.analysis.diagnosis.diagnosis import DiagnosisRules
from berrypick.analysis.unjudged import unjudged_bounds
from berrypick.data.drawn import READERS
from berrypick.data.errors import Message, UsageError, option
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import Note
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.groups import topic_clusters
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasureRequest, MeasuresGiven, given_measures
from berrypick.files.files import atomic_writer, file_name
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.inputs.titles import read_titles, titles_of
from berrypick.measures import UnknownMeasureError
from berrypick.report.html.report_data import Details
from berrypick.report.html.report_overview import make_overview, note_text
from berrypick.report.html.report_page import charting_library, pack, render_page
from berrypick.report.html.report_users import (
    Reader,
    fitting_models,
    parse_user_models,
    reader_of,
    requested_models,
    with_own_transitions,
)
from berrypick.report.html.topic_blocks import TopicBlock, TopicPages, document_order, page_order, placed_pages
from berrypick.topics.seen_together import TogetherName, refuse_unsimulated
from berrypick.workers.progress import Progress, ProgressLike, StepCounter, as_progress, gc_paused
from berrypick.workers.workers import ordered_map

#: Most megabytes of a page, and most results of a run and topic on it, unless one says otherwise.
LIMIT, DEPTH = 15, 100
#: Beyond so many rankings only the readers that were requested are worked out, and pairs of runs have no verdict.
RANKINGS = 600

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_options
@gc_paused()
def write_report(
    truth: TruthLike | Evaluation,
    runs: RunsLike = (),
    measures: MeasuresGiven = (),
    *,
    html: str | PathLike[str],
    title: str = "",
    titles: str | PathLike[str] | Mapping[str, str] | None = None,
    readers: str = "auto",
    simulate: int | None = None,
    together: TogetherName | None = None,
    depth: int = DEPTH,
    limit: float = LIMIT,
    pages: str | PathLike[str] | None = None,
    k: int = 5,
    share: float = 0.5,
    budget: float | None = None,
    stages: bool = False,
    baseline: str | None = None,
    command: str = "",
    progress: ProgressLike = None,
    jobs: int = 1,
    test: Any = "randomisation",
    correction: Any = "holm",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    cluster: str | Mapping[str, str] | None = None,
    model_truth: TruthLike | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Report:
    """Evaluate runs and write a page that shows what the numbers mean.

    Parameters
    ----------
    truth : TruthLike or Evaluation
        The judgements, or a prepared evaluation.
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    measures : str, Measure or list
        One text with several measures, or a list of texts and measures.
    html : str or path
        The file to write.
    title : str
        The title of the page.
    titles : mapping, str or path, optional
        What topics are about: a mapping, a file with topic, TAB, title, or a field of the truth (by default title,
        question or query, where it has one).
    readers : str
        The user models to step through: 'auto', 'none', or some of them, e.g. ``'classical t2i(tolerance=100)'``.
    simulate : int, optional
        So many readers are simulated for each topic, and the page shows how they differ.
    together : {'walk', 'independent', 'most', 'least'}, optional
        Joint distribution of what simulated readers see, as in :func:`berrypick.simulate`.
    depth : int
        How many results of each list are shown.
    limit : float
        The most megabytes of the page; what does not fit is omitted, and the page says so.
    pages : str or path, optional
        A folder with pictures of the pages that boxes lie on: DOC/PAGE.png or .jpg, pages from 1, or DOC.pdf.
    k : int
        The first k results count where the page shows where answers are lost, as in :func:`berrypick.diagnose`.
    share : float
        How much of an answer a result must contain to hold it, as in :func:`berrypick.diagnose`.
    budget : float, optional
        How much a reader reads of a list, as in :func:`berrypick.diagnose`.
    stages : bool
        Whether the runs are stages of one pipeline, as in :func:`berrypick.diagnose`.
    baseline : str, optional
        The run that others are compared with; by default the first.
    command : str
        What is shown as the command that made the page.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).
    jobs : int
        The number of processes.
    test : {'randomisation', 't'}
        The paired test, as in :func:`berrypick.compare`.
    correction : {'holm', 'bh', 'none'}
        The correction for many comparisons.
    confidence : float
        The confidence of intervals.
    resamples : int
        Draws of topics for each interval and test.
    seed : int
        The seed of what is drawn.
    cluster : str or mapping, optional
        Clusters of topics that are resampled as a whole.
    model_truth : TruthLike, optional
        Judgements by a model, as in :func:`berrypick.compare`: means and differences are then model-assisted; curves
        and topics are those by people.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`.

    Returns
    -------
    Report
        The page that was written: its size, what it holds, what was omitted.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> page = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> made = bp.write_report({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", html=page)
    >>> made.topics, os.path.exists(page)
    (1, True)
    """
    from berrypick.analysis.simulation.simulated_readers import SimulatedReaders

    if limit <= 0 or depth < 1:
        raise UsageError("limit must be above 0 (megabytes), depth at least 1")
    measures = given_measures(measures, options)
    told = as_progress(progress)
    if simulate is None:
        refuse_unsimulated(together)
    rules = DiagnosisRules(k, share, budget, stages)
    library = charting_library()  # before the work: it may not be there
    given = EvaluationOptions.from_arguments(options, "write_report")
    evaluation, chunks = (truth, truth.options.chunks) if isinstance(truth, Evaluation) else (
        _prepared(truth, runs, measures, given), given.chunks)  # fmt: skip
    known = _titles(titles, evaluation.truth)
    pictures = _pictures(pages, evaluation.truth)
    simulated = None if simulate is None else SimulatedReaders(evaluation, simulate, seed, together)
    if jobs == 1 and evaluation.inputs.stream is None:
        _ = evaluation.runs  # all of them are needed below: they are read once
    results = evaluation.run(curves="common", progress=told, jobs=jobs, reader_draws=READERS)
    clusters = None if cluster is None else topic_clusters(evaluation.truth, cluster)
    method = Method(test, correction, confidence=confidence, resamples=resamples, seed=seed)
    few = len(evaluation.runs) * len(evaluation.truth) <= RANKINGS
    joint = joint_ends(evaluation, jobs) if few and len(evaluation.runs) > 1 else None
    unjudged = unjudged_bounds(evaluation) if joint is None else joint.unjudged
    if model_truth is None:
        comparison = compare_results(results, baseline, method, clusters, unjudged, joint)
    else:
        from berrypick.analysis.comparison.assisted import compare_with_model

        comparison = compare_with_model(
            truth, runs, measures, options, model_truth, method, baseline, cluster, jobs=jobs, reader_draws=READERS
        )
        note = Note("model-assisted", "curves and values of topics are by the judgements of people")
        comparison = replace(comparison, notes=(*comparison.notes, note))
    omitted: list[str] = []
    settings = {"diagnosis": rules, "chunks": chunks}
    if chunks is not None and evaluation.truth.units != "spans":
        omitted.append(f"{option('chunks')}: the judgements have no places in documents")
    chosen = _readers(readers, evaluation, omitted)
    details = Details(evaluation, chosen, depth, known, simulated)
    overview = make_overview(title, command, results, comparison, details, settings)
    notes = merge_notes(comparison.notes, len(evaluation.runs))
    made = _assemble(overview, details, omitted, notes, library, limit * 1e6, jobs, told, pictures)
    with atomic_writer(file_name(html)) as stream:
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


def _prepared(truth: Any, runs: Any, measures: Any, options: EvaluationOptions) -> Evaluation:
    """The evaluation; chunks that no measure needs are left to the panel on lost answers, which reads more forms."""
    try:
        known = MeasureRequest.of(measures, options).measures or ()
    except UnknownMeasureError:
        known = ()  # reported below, with what fits the judgements
    if not any(one.measure.needs_chunks for one in known):
        options = options.changed(chunks=None)
    return Evaluation._from_options(truth, runs, measures, options)


def _titles(given: str | PathLike[str] | Mapping[str, str] | None, truth: Truth) -> Mapping[str, str]:
    """Titles of topics: as they are, from a file, or a field of the truth."""
    if isinstance(given, Mapping):
        return given
    fields = truth.fields
    if given is None:
        return titles_of(truth)
    if isinstance(given, str) and given in fields:
        if fields[given].problem:
            raise UsageError(f"{option('titles', given)}: {fields[given].problem}")
        return fields[given].values
    return read_titles(given)


def _pictures(folder: str | PathLike[str] | None, truth: Truth) -> Any:
    from berrypick.documents.pages.page_pictures import PagePictures

    if folder is None:
        return None
    if not truth.of_pages:
        raise UsageError(f"{option('pages')} shows places on pages, and {truth.source or 'the truth'} judges none")
    return PagePictures.of(folder)


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
            f"name those to switch between with {option('readers', 'classical t2i')}"
        )
    omitted += [f"the reader of {name}, a measure's own: give it with {option('user', name)}"
                for name in with_own_transitions(evaluation)]  # fmt: skip
    known = {str(model): model for model in models}
    readers = [reader_of(model, evaluation) for model in known.values()]
    shown: list[Reader] = []
    for reader in readers:  # without those that another one's slider shows already
        if not any(reader.model in other.models for other in shown):
            shown.append(reader)
    return shown


def _assemble(
    overview: dict[str, Any],
    details: Details,
    omitted: list[str],
    notes: Sequence[Note],
    library: str,
    limit: float,
    jobs: int,
    progress: Progress | None,
    pictures: Any = None,
) -> Report:
    """The page, with as many topics as fit, then as many documents and pictures of pages."""
    step = StepCounter(progress, len(overview["topics"]))
    topics: list[TopicBlock] = ordered_map(partial(_topic, details), overview["topics"], jobs=jobs, step=step)
    room = limit - len(render_page(overview, [], library).encode()) - 5_000  # what is left out has to be said
    if room < 0:
        raise UsageError(
            f"the page takes {(limit - room) / 1e6:.1f} MB without any topic, more than the limit of {limit / 1e6:g} MB"
        )
    kept = _fitting([(i, topic.size) for i, topic in enumerate(topics)], room)
    room -= sum(kept.values())
    blocks: list[str] = []
    numbers: dict[str, int] = {}
    without = 0
    for name in document_order([topics[i] for i in kept]):
        document = details.document(name)
        if document is None:
            continue
        packed = pack(document)
        if len(packed) + 60 > room:
            without += 1
            continue
        room -= len(packed) + 60
        numbers[name] = len(blocks)
        blocks.append(packed)
    shown: dict[str, dict[int, int]] = {}
    if pictures is not None:
        pages = [one for i in kept if (one := topics[i].pages) is not None]
        shown = _fitting_pictures(pages, pictures, room, blocks, omitted, limit)
    for i in kept:
        overview["details"][i] = len(blocks)
        blocks.append(topics[i].packed(numbers, shown))
    missing = [Message(text) for text in (*omitted, *_omitted(topics, kept, without, details, limit))]
    overview["left_out"] = [note_text(text, overview["command"]) for text in missing]
    content = render_page(overview, blocks, library)
    texts = details.evaluation.context.reader.texts
    documents = len(numbers.keys() - (texts.unplaced.keys() if texts is not None else ()))
    return Report(content, len(kept), documents, tuple(missing), tuple(notes))


def _fitting_pictures(
    topics: Sequence[TopicPages],
    pictures: Any,
    room: float,
    blocks: list[str],
    omitted: list[str],
    limit: float,
) -> dict[str, dict[int, int]]:
    """The number of the block of each picture that fits, by document and page; those with something relevant first."""
    found: dict[str, dict[int, int]] = {}
    without = missing = unplaced = 0
    placed = placed_pages(topics)
    for name, page in page_order(topics):
        if (name, page) not in placed:
            unplaced += 1
            continue
        picture = pictures.get(name, page)
        if picture is None:
            missing += 1
            continue
        packed = pack(picture.to_json())
        if len(packed) + 60 > room:
            without += 1
            continue
        room -= len(packed) + 60
        found.setdefault(name, {})[page] = len(blocks)
        blocks.append(packed)
    if without:
        more = option("limit", round(max(2 * limit / 1e6, 1)))
        omitted.append(f"the pictures of {counted(without, 'page')}: {more} makes room for more (megabytes)")
    if unplaced:
        omitted.append(f"the pictures of {counted(unplaced, 'page')}: page_size is needed to place boxes on them")
    if refused := pictures.refused:
        omitted.append(f"{counted(len(refused), 'picture')} that cannot be shown, such as {refused[0]}")
    if missing > len(pictures.refused):
        many = counted(missing - len(pictures.refused), "page")
        omitted.append(f"pictures of {many}, which are not in {option('pages')}: outlines are shown")
    return found


def _topic(details: Details, name: str, step: Callable[[int], None]) -> TopicBlock:
    """The data of one topic, a task of a process."""
    topic = details.topic(name)
    found = TopicBlock.of(topic.to_json(), topic.cut)
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


def _omitted(
    topics: Sequence[TopicBlock], kept: Mapping[int, int], without: int, details: Details, limit: float
) -> list[str]:
    found = []
    more = f"{option('limit', round(max(2 * limit / 1e6, 1)))} makes room for more (megabytes)"
    if len(kept) < len(topics):
        found.append(f"the results of {len(topics) - len(kept)} of {len(topics)} topics: {more}")
    if without:
        found.append(f"the texts of {without} documents: {more}")
    cut = sum(topic.cut for topic in topics)
    if cut:
        found.append(f"results beyond rank {details.depth} in {cut} rankings: {option('depth')} shows more")
    reader = details.evaluation.context.reader
    if details.kind in ("text", "lines") and reader.texts is None and reader.shown is None and not _has_texts(details):
        texts, structure = option("documents"), option("collection")
        found.append(f"the texts of the documents: give them with {texts}, or a folder of XML with {structure}")
    return found


def _has_texts(details: Details) -> bool:
    collection = details.evaluation.context.reader.collection
    return collection is not None and hasattr(collection.structures, "text")
