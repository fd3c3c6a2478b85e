"""Truth, runs and options read and made ready: quotes located, offsets converted, paths resolved, runs repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from berrypick import formats, users
from berrypick.core.arrays import Positions
from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, UsageError, option
from berrypick.core.navigation import LinkTable, Navigation, Sessions
from berrypick.core.results import Note
from berrypick.core.run import Run
from berrypick.core.truth import Offsets, Truth
from berrypick.corpus.convert import RunFile, as_run, as_truth, run_sources
from berrypick.corpus.index import ARROW, is_index, read_index
from berrypick.corpus.locate import located_run, located_truth, unlocated
from berrypick.corpus.resolve import resolve_run, resolve_truth
from berrypick.corpus.table import Search
from berrypick.corpus.texts import Texts, checked_run, checked_truth, read_texts
from berrypick.corpus.tokens import token_offsets
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols import check_task, check_task_name, get_protocol, repair
from berrypick.formats._files import is_stream, open_raw, reusable
from berrypick.judging.context import JudgingContext
from berrypick.relevance.idealism import parse_idealism
from berrypick.users.base import ReaderContext


@dataclass(frozen=True, eq=False)
class Inputs:
    """Everything read once."""

    truth: Truth
    runs: RunInputs
    context: JudgingContext
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class RunInputs:
    """Runs, and what each goes through before it is scored. Several files are read one after the other, when needed."""

    sources: tuple[Run | RunFile, ...]
    options: EvaluationOptions
    context: JudgingContext
    units: str  # what the truth judges

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, number: int) -> Run:
        """A run, read and prepared."""
        source = self.sources[number]
        return self._prepare(source.read()) if isinstance(source, RunFile) else source

    def with_values_ready(self) -> RunInputs:
        """Prepared, but for several files, of which only the format is looked at, and pipes, which are read now."""
        several = len(self.sources) > 1
        ready: list[Run | RunFile] = []
        for source in self.sources:
            if isinstance(source, RunFile) and several and not is_stream(fspath(source.path)):
                ready.append(source.recognised())
            else:
                ready.append(self._prepare(source.read() if isinstance(source, RunFile) else source))
        return replace(self, sources=tuple(ready))

    def _prepare(self, run: Run) -> Run:
        texts, collection = self.context.reader.texts, self.context.reader.collection
        if texts is not None:
            quotes = self.options.quotes or "exact"
            if self.units == "spans" and run.quoted:  # places that were looked up count characters already
                run = located_run(run, texts, quotes)
            else:
                run = checked_run(run, texts, self.options.offsets or "chars")
        if collection is not None and collection.structures:
            run = resolve_run(run, collection)
        run = repair(run, self.options.repair)
        check_task(run, self.context.task)
        return run


def prepare_inputs(truth: Any, runs: Any, options: EvaluationOptions) -> Inputs:
    """Read what is named by file, convert what is given as objects, and bring truth and runs into one shape."""
    context = prepare_context(options)
    texts, judgements, offsets = context.reader.texts, as_truth(truth), options.offsets or "chars"
    sources = run_sources(runs, Search(texts, options.quotes, judgements.units == "spans", offsets))
    notes = (*(Note("input", text) for text in judgements.notes), *_offsets_notes(judgements, options))
    if texts is not None:
        judgements = _with_texts(judgements, texts, options)
    elif (waiting := unlocated(judgements)) is not None:
        raise waiting
    elif judgements.offsets not in (None, "chars"):
        raise UsageError(
            f"{judgements.source or 'the truth'} says that its offsets count {judgements.offsets}: "
            f"give the texts of the documents, to convert them, with {option('documents')}"
        )
    collection = context.reader.collection
    if collection is not None and collection.structures:
        judgements = resolve_truth(judgements, collection)
    systems = RunInputs(tuple(sources), options, context, judgements.units).with_values_ready()
    return Inputs(judgements, systems, _with_lengths(context, judgements), notes)


def prepare_context(options: EvaluationOptions) -> JudgingContext:
    """The options with their files read and their texts parsed."""
    navigation, collection, user = options.navigation, options.collection, options.user
    if isinstance(navigation, (str, PathLike)):
        navigation = formats.read_navigation(navigation)
    if isinstance(collection, (str, PathLike)):
        collection = read_collection(collection)
    if user is None:
        user = "classical" if navigation is None else _default_user(navigation)
    protocol = get_protocol(options.protocol)
    names = options.ignore_elements
    texts = None if options.documents is None else read_texts(options.documents)
    _need_texts(texts, options)
    tokens = None if texts is None else token_offsets(texts, options.tokenizer)
    return JudgingContext(
        user=users.build(user),
        reader=ReaderContext(collection, navigation, texts, tokens, tokens if options.effort == "tokens" else None),
        units=options.units,
        idealism=parse_idealism(options.idealism) if isinstance(options.idealism, str) else options.idealism,
        effort=options.effort,
        duplicates=options.duplicates,
        ignore_elements=frozenset(names.split(",") if isinstance(names, str) and names else names),
        protocol=protocol.name,
        max_ranks=protocol.longest,
        task=check_task_name(options.task),
        chunks=_chunks(options.chunks, texts, options.offsets or "chars"),
    )


def _need_texts(texts: Texts | None, options: EvaluationOptions) -> None:
    """Some options make no sense without the texts of the documents."""
    for needs, what in (
        (options.effort == "tokens", f"{option('effort', 'tokens')} counts tokens"),
        (options.tokenizer is not None, f"{option('tokenizer')} counts tokens"),
        (options.offsets not in (None, "chars"), f"{option('offsets', options.offsets)} converts offsets"),
    ):
        if needs and texts is None:
            raise UsageError(f"{what} in the texts of the documents: give them with {option('documents')}")


def _chunks(given: Any, texts: Texts | None, offsets: Offsets) -> Mapping[str, tuple[Positions, Positions]] | None:
    """Every chunk of a chunking once, by document."""
    if given is None:
        return None
    run = as_run(given, Search(texts, offsets=offsets))
    if run.start is None or run.end is None:
        raise UsageError("chunks have a start and an end; these are whole documents")
    run = run if texts is None else checked_run(run, texts, offsets)
    assert run.start is not None and run.end is not None
    found: dict[str, tuple[Positions, Positions]] = {}
    for code, document in enumerate(run.documents):
        rows = np.flatnonzero(run.document == code)
        spans = np.unique(np.stack([run.start[rows], run.end[rows]], axis=1), axis=0)
        found[document] = (spans[:, 0], spans[:, 1])
    return found


def _default_user(navigation: Navigation) -> str:
    """The user model that a navigation file is for."""
    if isinstance(navigation, LinkTable):
        return "hyperlink"
    return "markov" if isinstance(navigation, Sessions) else "table"


def read_collection(path: str | PathLike[str]) -> Collection:
    """A folder of XML documents, an index of one, or a file of document lengths."""
    if Path(path).is_dir():
        from berrypick.corpus.folder import read_folder

        return read_folder(path)
    name = fspath(path)
    if not is_stream(name):
        return read_index(name) if is_index(name) else formats.read_collection(name)
    with reusable(name):
        with open_raw(name) as stream:
            if stream.read(len(ARROW)) == ARROW:
                raise InputError("is an index, which is read from a file and not from a pipe", path=name)
        return formats.read_collection(name)


def _with_texts(truth: Truth, texts: Texts, options: EvaluationOptions) -> Truth:
    """Offsets checked against the texts and converted to characters, quotes located."""
    offsets, quotes = options.offsets or "chars", options.quotes or "exact"
    counting = truth.offsets or offsets
    truth = located_truth(checked_truth(truth, texts, counting), texts, quotes, counting)
    return replace(truth, offsets="chars") if truth.units == "spans" else truth


def _with_lengths(context: JudgingContext, truth: Truth) -> JudgingContext:
    """Where no collection is given, lengths come from the texts, else from the truth."""
    reader = context.reader
    if reader.collection is not None:
        return context
    if reader.texts is not None:
        return replace(context, reader=replace(reader, collection=reader.texts.collection))
    if truth.lengths:
        return replace(context, reader=replace(reader, collection=Collection(truth.lengths, truth.source)))
    return context


def _offsets_notes(truth: Truth, options: EvaluationOptions) -> tuple[Note, ...]:
    """Truth and runs may count offsets differently; which of them counts what is never left to guessing."""
    source, offsets = truth.source or "the truth", options.offsets or "chars"
    if truth.offsets is not None and truth.offsets != offsets:
        text = f"{source}: offsets count {truth.offsets}, as it says; those of the runs count {offsets}"
        return (Note("offsets", text),)
    spans = any(topic.start is not None and len(topic.start) for topic in truth.topics.values())
    if truth.offsets is None and offsets != "chars" and truth.units == "spans" and spans:
        text = f"{source}: does not say what its offsets count; they are taken to count {offsets} too"
        return (Note("offsets", text),)
    return ()
