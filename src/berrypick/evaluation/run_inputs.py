"""The runs of an evaluation, and the steps of each run before it is scored; :data:`RUN_STEPS` has their order."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import fspath
from typing import TYPE_CHECKING

import numpy as np

from berrypick import formats
from berrypick.data.collection import Collection
from berrypick.data.columns import unpacked
from berrypick.data.errors import InputError, Message, UsageError, nearest, option, shorten
from berrypick.data.run import Run
from berrypick.data.strings import settled
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.documents.collection_files import resolved
from berrypick.documents.quotes import looser_quotes, refuse_locate
from berrypick.documents.unplaced import JudgedPlaces
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import check_task
from berrypick.evaluation.run_order import in_order
from berrypick.files.files import reusable
from berrypick.given.convert import RunFile
from berrypick.inputs.titles import Titles
from berrypick.topics.context import JudgingContext
from berrypick.topics.repeats import refuse_duplicates

if TYPE_CHECKING:
    from berrypick.documents.copies import CopyRules
    from berrypick.documents.pages.page_units import PageUnits
    from berrypick.documents.texts import Texts


@dataclass(frozen=True, eq=False)
class RunInputs:
    """Runs that are prepared, files of runs that are not read yet, and what the steps of a run need to know."""

    sources: tuple[Run | RunFile, ...]
    options: EvaluationOptions
    context: JudgingContext
    truth: Truth
    no_text: bool = False  # positions count seconds or lines
    stream: Iterator[Run | RunFile] | None = None  # instead of sources: runs that are not all in memory
    titles: Titles = field(default_factory=Titles)  # of topics, for runs that name these by their questions
    copied: Mapping[str, TopicTruth] | None = None  # topics before judged copies of a passage became one
    pages: PageUnits | None = None  # what boxes of a truth of places on pages count in

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def texts(self) -> Texts | None:
        """The texts of the documents, if they are given."""
        return self.context.reader.texts

    @property
    def collection(self) -> Collection | None:
        """The lengths and structures of the documents, if they are given."""
        return self.context.reader.collection

    def load(self, source: Run | RunFile) -> Run:
        """Return a run of the sources; only files are not prepared yet."""
        return self.prepare(source) if isinstance(source, RunFile) else source

    def streamed(self) -> Iterator[Run | RunFile]:
        """Yield the runs of an iterator, each prepared when it comes; files are prepared by those who score them."""
        for source in self.stream or ():
            yield source if isinstance(source, RunFile) else self.prepare(source)

    def without_sources(self) -> RunInputs:
        """Return the same for runs that come one by one."""
        return self.with_sources(())

    def with_sources(
        self, sources: tuple[Run | RunFile, ...], stream: Iterator[Run | RunFile] | None = None
    ) -> RunInputs:
        """Return the same for other runs."""
        made = object.__new__(RunInputs)  # as replace does, which takes longer than the steps of a small run
        made.__dict__.update(self.__dict__, sources=sources, stream=stream)
        return made

    def prepare(self, source: Run | RunFile) -> Run:
        """Read a run and take it through all steps."""
        run = self._read(source) if isinstance(source, RunFile) else source
        if not isinstance(source, RunFile):
            formats.finer_format(run, self.options.level, False)
        for step in RUN_STEPS:
            run = step(run, self)
        return run

    def _read(self, source: RunFile) -> Run:
        """Read a file, with the format for the level where there is one."""
        with reusable(fspath(source.path)):
            run = source.read()
            finer = formats.finer_format(run, self.options.level, True)
            return run if finer is None else replace(source, format=finer).read()

    def judged_documents(self) -> frozenset[str]:
        """Return the names of all documents that the truth mentions."""
        return frozenset(name for topic in self.truth.topics.values() for name in topic.documents())


RunStep = Callable[[Run, RunInputs], Run]


# What few runs need is imported inside their step.


def refuse_foreign_labels(run: Run, inputs: RunInputs) -> Run:
    """With ``strict``, refuse labels outside the vocabulary of the run's format."""
    if inputs.options.strict:
        refuse_foreign(run)
    return run


def choose_stage(run: Run, inputs: RunInputs) -> Run:
    """Score the stage that ``stage`` names, else the last one."""
    wanted = inputs.options.stage
    if wanted is not None:
        return chosen_stage(run, wanted)
    return run.changed(notes=(*run.notes, stage_note(run))) if run.earlier else run


def set_missing(run: Run, inputs: RunInputs) -> Run:
    """Let ``missing`` say what topics without results are."""
    return run if inputs.options.missing is None else run.changed(missing=inputs.options.missing)


def set_order(run: Run, inputs: RunInputs) -> Run:
    """Order results by ``order``."""
    return run if inputs.options.order is None else in_order(run, inputs.options.order)


def settle_strings(run: Run, inputs: RunInputs) -> Run:
    """Decide whether strings in lists of results are names of documents or texts."""
    if not run.texts.strings:
        return run
    if inputs.options.id_pattern is not None:
        return run.changed(strings=False)
    lengths = () if inputs.collection is None else inputs.collection.lengths
    known: tuple[Container[str], ...] = (inputs.judged_documents(), inputs.texts or (), lengths)
    named = inputs.options.whole_documents or inputs.pages is not None
    documents = inputs.truth.units == "documents"
    return settled(run, known, documents=documents, texts=inputs.texts is not None, named=named)


def refuse_other_things(run: Run, inputs: RunInputs) -> Run:
    """Refuse a run that has something else than results, such as nuggets, if the truth judges nothing of that kind."""
    topics, extra = inputs.truth.topics.values(), run.of_topics.extra
    if not extra or run.size() or any(name in topic.extra for topic in topics for name in extra):
        return run
    what = f"the run has {' and '.join(extra)}, and no results; the truth judges no {' and no '.join(extra)}"
    raise InputError(what, path=_called(run), remedy="give a truth that does, or a run with results")


def match_titles(run: Run, inputs: RunInputs) -> Run:
    """Name topics as the truth does, where the run names them by their questions."""
    return inputs.titles.matched(run)


def read_page_fields(run: Run, inputs: RunInputs) -> Run:
    """Read the pages that loaders leave beside texts, if pages are judged; else leave them out."""
    if not run.texts.page_fields:
        return run
    from berrypick.evaluation.loader_pages import on_pages, without_pages

    by_page = inputs.options.level == "page"
    if by_page or inputs.pages is not None:
        return on_pages(run, None if by_page else inputs.truth)
    return without_pages(run)


def map_units(run: Run, inputs: RunInputs) -> Run:
    """Retrieve coarser units, by ``level`` or ``id_pattern``."""
    options = inputs.options
    if options.id_pattern is None and options.level is None:
        return run
    mapped: Run = options.levels().run(run, options.duplicates)
    return mapped


def convert_boxes(run: Run, inputs: RunInputs) -> Run:
    """Convert boxes on pages to the units of those of the truth; refuse them if it judges none."""
    if inputs.pages is not None:
        return inputs.pages.of_run(run).changed(quoted={})  # places on pages are not offsets of a text
    if run.boxes is None:
        return run
    what = "the results are places on pages, and the truth judges none"
    raise InputError(what, path=_called(run), remedy="give page, and box, in the truth")


def check_position_units(run: Run, inputs: RunInputs) -> Run:
    """Refuse positions that count something else than those of the truth."""
    if run.unit == inputs.truth.unit or run.start is None:
        return run
    from berrypick.evaluation.line_units import check_unit

    return check_unit(run, inputs.truth)


def name_documents(run: Run, inputs: RunInputs) -> Run:
    """Find the documents of results that only their text, or another name, can tell."""
    if not run.texts.quoted and not run.texts.other_names:
        return run
    from berrypick.documents.placed import named_run

    by_truth = bool(run.texts.other_names) and inputs.texts is None
    return named_run(run, inputs.texts, inputs.judged_documents() if by_truth else frozenset[str]())


def locate_texts(run: Run, inputs: RunInputs) -> Run:
    """Convert offsets to characters, and find the texts of results in the documents."""
    texts, options = inputs.texts, inputs.options
    if texts is None:
        return run
    from berrypick.documents.checked import checked_and_waiting
    from berrypick.documents.placed import TextRules, waiting_rows, with_documents, with_text_places

    spans, placed = inputs.truth.units == "spans", run.start is not None
    quotes = looser_quotes(options.quotes, options.text_mismatch)
    waiting = waiting_rows(run, spans)
    if placed:
        if run.texts.quoted:
            run, waiting = with_documents(run, waiting, texts, quotes, options.text_mismatch)
        if paths := texts.path_note(run.documents):
            run = run.changed(notes=(*run.notes, paths))
        run, waiting = checked_and_waiting(run, texts, options.offsets or "chars", options.text_mismatch, waiting)
    if not waiting:
        return run
    run = with_text_places(run, waiting, texts, TextRules(quotes, options.unplaced, JudgedPlaces(inputs.truth)))
    return run if spans or placed else replace(run, start=None, end=None)


def check_text_lengths(run: Run, inputs: RunInputs) -> Run:
    """Compare the length of texts with that of their spans, where no documents are given."""
    if inputs.texts is not None or inputs.no_text or not run.texts.quoted:
        return run
    from berrypick.documents.text_length import check_run_lengths

    options = inputs.options
    if options.text_mismatch == "locate" and run.start is not None:
        raise refuse_locate()
    return check_run_lengths(run, options.offsets or "chars", options.text_mismatch)


def note_ends(run: Run, inputs: RunInputs) -> Run:
    """Note results that end after their document; they count as they are given."""
    collection = inputs.collection
    if inputs.texts is not None or collection is None or run.start is None or run.end is None or not run.size():
        return run
    length = np.array([collection.lengths.get(name, np.inf) for name in run.documents], dtype=np.float64)
    count = int((unpacked(run.end) > length[run.document]).sum())
    if not count:
        return run
    source = collection.source or "the collection"
    ends = "1 result ends" if count == 1 else f"{count} results end"
    return run.changed(
        notes=(*run.notes, f"{ends} after the document, by its length in {source}; the rest finds nothing")
    )


def resolve_structure(run: Run, inputs: RunInputs) -> Run:
    """Resolve the paths of elements in the structure of the collection."""
    collection = inputs.collection
    return run if collection is None or not collection.structures else resolved(run, collection)


def cut_scores(run: Run, inputs: RunInputs) -> Run:
    """Drop results below ``min_score``."""
    return run if inputs.options.min_score is None else cut_by_score(run, inputs.options.min_score)


def drop_texts(run: Run, inputs: RunInputs) -> Run:
    """Drop the texts of results; the run keeps whether they were all that it has."""
    return run.changed(quoted={}, of_text=not run.points_into_documents) if run.texts.quoted else run


def rename_copies(run: Run, inputs: RunInputs) -> Run:
    """Give copies of judged passages their judged place, if ``copies`` is same; else count them in a note."""
    texts, options, plain = inputs.texts, inputs.options, inputs.truth.units == "spans" and not inputs.truth.unit
    if texts is None or not plain or inputs.pages is not None or inputs.no_text or not run.size():
        return run
    from berrypick.documents.copies import copies_retrieved, whole_as_spans, with_copies_renamed

    rules = copy_rules(options)
    given, unknown = run, list[str]()
    if run.start is None:
        if options.copies == "apart" or run.path is not None:
            return run
        run, unknown = whole_as_spans(run, texts)
    if options.copies == "apart":
        passages, results = copies_retrieved(run, inputs.truth.topics, texts, rules)
        if not results:
            return run
        occur = "1 judged passage occurs elsewhere" if passages == 1 else f"{passages} judged passages occur elsewhere"
        contain = "1 result contains" if results == 1 else f"{results} results contain"
        what = f"{occur} word for word; {contain} such copies: {option('copies', 'same')} counts them"
        return run.changed(notes=(*run.notes, Message(what)))
    if (options.duplicates or run.ordering.duplicates) == "error":
        refuse_duplicates(run)  # before copies become repetitions of what they are copies of
    renamed, count = with_copies_renamed(run, inputs.copied or inputs.truth.topics, texts, rules)
    if not count:
        return given
    if unknown:
        what = f"{_called(run)} returns whole documents, and the text of {shorten(unknown[0])} is not known"
        raise UsageError(f"{what}: give it with {option('documents')}, or omit {option('copies', 'same')}")
    text = Message(f"{option('copies', 'same')} counts copies of judged passages in {counted(count, 'result')}")
    duplicates = "keep" if renamed.ordering.duplicates == "error" else renamed.ordering.duplicates
    return renamed.changed(duplicates=duplicates, notes=(*run.notes, text))


def copy_rules(options: EvaluationOptions) -> CopyRules:
    """What counts as a copy, by ``copies_least`` and ``quotes``."""
    from berrypick.documents.copies import CopyRules

    return CopyRules(options.copies_least, options.quotes in ("normalised", "fuzzy"))


def apply_repairs(run: Run, inputs: RunInputs) -> Run:
    """Repair what the rules of a campaign forbid, by ``repair``."""
    if not inputs.options.repair:
        return run
    from berrypick.evaluation.run_rules import repair

    return repair(run, inputs.options.repair)


def check_rules(run: Run, inputs: RunInputs) -> Run:
    """Refuse a run that breaks the rules of its task."""
    if inputs.context.task:
        check_task(run, inputs.context.task)
    return run


#: What every run goes through before it is scored, in this order.
RUN_STEPS: tuple[RunStep, ...] = (
    refuse_foreign_labels,
    choose_stage,
    set_missing,
    set_order,
    settle_strings,
    refuse_other_things,
    match_titles,
    read_page_fields,
    map_units,
    convert_boxes,
    check_position_units,
    name_documents,
    locate_texts,
    check_text_lengths,
    note_ends,
    resolve_structure,
    cut_scores,
    drop_texts,
    apply_repairs,
    check_rules,
    rename_copies,
)


def _called(run: Run) -> str:
    """What messages call a run."""
    return run.source or run.tag or "the run"


def stage_note(run: Run) -> Message:
    """What is scored of a run with several stages."""
    names = ", ".join(one.stage for one in run.stages)
    other = option("stage", run.earlier[0].stage)
    return Message(f"stages {names}, in this order; the last one counts, {other} would count another")


def chosen_stage(run: Run, wanted: str | Sequence[str]) -> Run:
    """The last of some stages of a run, the others before it."""
    names = [name.strip() for name in wanted.split(",")] if isinstance(wanted, str) else [*wanted]
    known = {one.stage: one for one in run.stages if one.stage}
    if not known:
        raise UsageError(f"{_called(run)} has no stages, which {option('stage')} needs: its rows have no field stage")
    if unknown := [name for name in names if name not in known]:
        offer = nearest(unknown[0], [*known]) or f"; it has {', '.join(known)}"
        raise UsageError(f"{_called(run)} has no stage {unknown[0]!r:.60}{offer}")
    if len({*names}) < len(names):
        raise UsageError(f"{option('stage')} names a stage twice: {', '.join(names):.80}")
    *earlier, last = (known[name] for name in names)
    return last.changed(tag=run.tag, source=run.source, earlier=tuple(earlier))


def refuse_foreign(value: Truth | Run) -> None:
    """Refuse a value of a file with labels outside the vocabulary of its format."""
    for label, line in value.origin.foreign.items():
        others = f", and {counted(len(value.origin.foreign) - 1, 'other')}" if len(value.origin.foreign) > 1 else ""
        remedy = f"correct it; without {option('strict')} such labels are counted in a note"
        what = f"labels outside the vocabulary: {label}{others}"
        raise InputError(what, path=value.source or None, line=line, remedy=remedy)


def cut_by_score(run: Run, least: float) -> Run:
    """Drop results whose score is below the least one; a note counts them."""
    if run.score is None and run.size():
        raise UsageError(f"{_called(run)} has no scores, which {option('min_score')} needs")
    kept = np.ones(run.size(), dtype=bool) if run.score is None else unpacked(run.score) >= least
    cut = run.keep(kept)
    emptied = int(((np.diff(run.bounds) > 0) & (np.diff(cut.bounds) == 0)).sum())
    dropped = counted(run.size() - cut.size(), "result")
    text = Message(f"{option('min_score', least)} dropped {dropped} and emptied {counted(emptied, 'list')}")
    return cut.changed(notes=(*run.notes, text))
