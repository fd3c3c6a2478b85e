"""The runs of an evaluation, and what each goes through before it is scored."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, Message, UsageError, option
from berrypick.data.run import Run
from berrypick.data.strings import settled
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.documents.collection_files import resolved
from berrypick.documents.quotes import looser_quotes, refuse_locate
from berrypick.documents.unplaced import JudgedPlaces
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import check_task
from berrypick.evaluation.run_order import in_order
from berrypick.given.convert import RunFile
from berrypick.inputs.titles import Titles
from berrypick.topics.context import JudgingContext

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts


@dataclass(frozen=True, eq=False)
class RunInputs:
    """Runs that are prepared, files of runs that are not read yet, and what each goes through before it is scored."""

    sources: tuple[Run | RunFile, ...]
    options: EvaluationOptions
    context: JudgingContext
    units: str  # what the truth judges
    no_text: bool = False  # positions count seconds or lines, where that is known already
    stream: Iterator[Run | RunFile] | None = None  # instead of sources: runs that are not all in memory
    titles: Titles = field(default_factory=Titles)  # of topics, for runs that name these by their questions
    truth: Truth | None = None  # whose names of documents decide where a run has others
    pages: Any = None  # what boxes of a truth of places on pages count in

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, source: Run | RunFile) -> Run:
        """A run of the sources, which is prepared unless it is a file."""
        return self.prepare(source) if isinstance(source, RunFile) else source

    def streamed(self) -> Iterator[Run | RunFile]:
        """The runs of an iterator, each prepared when it comes; files are left to who needs them."""
        for source in self.stream or ():
            yield source if isinstance(source, RunFile) else self.prepare(source)

    def without_sources(self) -> RunInputs:
        return replace(self, sources=(), stream=None)

    def _judged(self) -> frozenset[str]:
        topics = () if self.truth is None else self.truth.topics.values()
        return frozenset(name for topic in topics for name in topic.documents())

    def _with_settled_strings(self, run: Run) -> Run:
        """A run of strings, which are names of documents or texts, as what the truth judges."""
        reader, options = self.context.reader, self.options
        if options.id_pattern is not None:
            return run.changed(strings=False)
        lengths = () if reader.collection is None else reader.collection.lengths
        known: tuple[Container[str], ...] = (self._judged(), reader.texts or (), lengths)
        named = options.whole_documents or self.pages is not None
        judged = self.units == "documents"
        return settled(run, known, documents=judged, texts=reader.texts is not None, named=named)

    def prepare(self, source: Run | RunFile) -> Run:
        """A run as it is scored."""
        run = source.read() if isinstance(source, RunFile) else source
        if self.options.strict:
            refuse_foreign(run)
        if self.options.missing is not None:
            run = run.changed(missing=self.options.missing)
        if self.options.order is not None:
            run = in_order(run, self.options.order)
        if run.strings:
            run = self._with_settled_strings(run)
        if run.extra and not len(run) and self.truth is not None:
            _refuse_other_things(run, self.truth)
        run = self.titles.matched(run)
        if run.page_fields:
            from berrypick.evaluation.loader_pages import on_pages, without_pages

            by_page = self.options.level == "page"
            judged = self.pages is not None
            run = on_pages(run, None if by_page else self.truth) if by_page or judged else without_pages(run)
        if self.options.id_pattern is not None or self.options.level is not None:
            run = self.options.levels().run(run, self.options.duplicates)
        if self.pages is not None:
            run = replace(self.pages.of_run(run), quoted={})  # places on pages are not offsets of a text
        elif run.boxes is not None:
            what = "the results are places on pages, and the truth judges none"
            raise InputError(what, path=run.source or run.tag or "the run", remedy="give page, and box, in the truth")
        if self.truth is not None and run.unit != self.truth.unit and run.start is not None:
            from berrypick.evaluation.line_units import check_unit

            run = check_unit(run, self.truth)
        texts, collection = self.context.reader.texts, self.context.reader.collection
        if run.quoted or run.other_names:  # only a text says which document a result is in
            from berrypick.documents.placed import named_run

            run = named_run(run, texts, self._judged() if run.other_names and texts is None else frozenset[str]())
        if texts is not None:
            run = self._with_texts(run, texts)
        else:
            if run.quoted and not self.no_text:
                from berrypick.documents.text_length import check_run_lengths

                if self.options.text_mismatch == "locate" and run.start is not None:
                    raise refuse_locate()
                run = check_run_lengths(run, self.options.offsets or "chars", self.options.text_mismatch)
            if collection is not None:
                run = _with_length_note(run, collection)
        if collection is not None and collection.structures:
            run = resolved(run, collection)
        if self.options.min_score is not None:
            run = cut_by_score(run, self.options.min_score)
        if run.quoted:
            run = replace(run, quoted={}, of_text=not run.points_into_documents)
        if self.options.repair:
            from berrypick.evaluation.run_rules import repair

            run = repair(run, self.options.repair)
        if self.context.task:
            check_task(run, self.context.task)
        return run

    def _with_texts(self, run: Run, texts: Texts) -> Run:
        """A run whose offsets count characters and whose texts are where they are in the documents."""
        from berrypick.documents.checked import checked_and_waiting
        from berrypick.documents.placed import TextRules, waiting_rows, with_documents, with_text_places

        spans, options = self.units == "spans", self.options
        rules = TextRules(
            looser_quotes(options.quotes, options.text_mismatch), options.unplaced, JudgedPlaces(self.truth)
        )
        waiting, placed = waiting_rows(run, spans), run.start is not None
        if placed:
            if run.quoted:
                run, waiting = with_documents(run, waiting, texts, rules.quotes, options.text_mismatch)
            if paths := texts.path_note(run.documents):
                run = replace(run, notes=(*run.notes, paths))
            run, waiting = checked_and_waiting(run, texts, options.offsets or "chars", options.text_mismatch, waiting)
        if not waiting:
            return run
        run = with_text_places(run, waiting, texts, rules)
        return run if spans or placed else replace(run, start=None, end=None)


def refuse_foreign(value: Truth | Run) -> None:
    """An error for a file with labels outside the vocabulary of its format."""
    for label, line in value.foreign.items():
        others = f", and {counted(len(value.foreign) - 1, 'other')}" if len(value.foreign) > 1 else ""
        remedy = f"correct it; without {option('strict')} such labels are counted in a note"
        what = f"labels outside the vocabulary: {label}{others}"
        raise InputError(what, path=value.source or None, line=line, remedy=remedy)


def cut_by_score(run: Run, least: float) -> Run:
    """Without results whose score is below the least one; their number goes into the notes."""
    name = run.source or run.tag or "the run"
    if run.score is None and len(run):
        raise UsageError(f"{name} has no scores, which {option('min_score')} needs")
    kept = np.ones(len(run), dtype=bool) if run.score is None else run.score >= least
    cut = run.keep(kept)
    emptied = int(((np.diff(run.bounds) > 0) & (np.diff(cut.bounds) == 0)).sum())
    dropped = counted(len(run) - len(cut), "result")
    text = Message(f"{option('min_score', least)} dropped {dropped} and emptied {counted(emptied, 'list')}")
    return replace(cut, notes=(*run.notes, text))


def _with_length_note(run: Run, collection: Collection) -> Run:
    """A note on results that end after their document; they count as they are given."""
    if run.start is None or run.end is None or not len(run):
        return run
    length = np.array([collection.lengths.get(name, np.inf) for name in run.documents], dtype=np.float64)
    count = int((run.end > length[run.document]).sum())
    if not count:
        return run
    source = collection.source or "the collection"
    ends = "1 result ends" if count == 1 else f"{count} results end"
    return replace(
        run, notes=(*run.notes, f"{ends} after the document, by its length in {source}; the rest finds nothing")
    )


def _refuse_other_things(run: Run, truth: Truth) -> None:
    """Refuse a run that has something else than results, such as nuggets, where the truth has nothing of that kind."""
    if not any(name in topic.extra for topic in truth.topics.values() for name in run.extra):
        what = (
            f"the run has {' and '.join(run.extra)}, and no results; the truth judges no {' and no '.join(run.extra)}"
        )
        remedy = "give a truth that does, or a run with results"
        raise InputError(what, path=run.source or run.tag or "the run", remedy=remedy)
