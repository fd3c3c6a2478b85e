"""Truth, runs and options read and made ready: quotes located, offsets converted, paths resolved, runs repaired."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike, fspath
from typing import Any

import numpy as np

from berrypick import formats, users
from berrypick.core.annotators import merged
from berrypick.core.arrays import Positions
from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, Message, UsageError, option
from berrypick.core.navigation import LinkTable, Navigation, Sessions
from berrypick.core.paths import element_name, matches
from berrypick.core.results import Note
from berrypick.core.run import Ranking, Run, span_name
from berrypick.core.truth import Offsets, Truth
from berrypick.core.words import counted
from berrypick.corpus.convert import RunFile, as_run, as_truth, run_sources, run_stream
from berrypick.corpus.index import ARROW, is_index, read_index
from berrypick.corpus.locate import THRESHOLD, located_run, located_truth, unlocated
from berrypick.corpus.relocate import checksum
from berrypick.corpus.resolve import resolve_run, resolve_truth
from berrypick.corpus.table import Search
from berrypick.corpus.texts import Texts, checked_run, checked_truth, read_texts
from berrypick.corpus.tokens import token_offsets
from berrypick.evaluation.notes import skipped_notes, some
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols import check_task, check_task_name, get_protocol, repair
from berrypick.formats._files import is_stream, open_raw, reusable
from berrypick.judging.context import JudgingContext
from berrypick.relevance.idealism import ideal_for_nobody, parse_idealism
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
    stream: Iterator[Run | RunFile] | None = None  # instead of sources: runs that are not all in memory

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, number: int) -> Run:
        """A run, read and prepared."""
        return self.ready(self.sources[number])

    def ready(self, source: Run | RunFile) -> Run:
        """A run that is prepared, or a file of one."""
        return self._prepare(source.read()) if isinstance(source, RunFile) else source

    def streamed(self) -> Iterator[Run | RunFile]:
        """The runs of an iterator, each prepared when it comes; files are left to who needs them."""
        for source in self.stream or ():
            yield source if isinstance(source, RunFile) else self._prepare(source)

    def without_sources(self) -> RunInputs:
        return replace(self, sources=(), stream=None)

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
            if self.units == "spans" and run.quoted and run.start is None:  # found places count characters already
                run = located_run(run, texts, quotes)
            else:
                run = checked_run(run, texts, self.options.offsets or "chars", self.options.text_mismatch)
        elif collection is not None:
            run = _with_length_note(run, collection)
        if collection is not None and collection.structures:
            run = resolve_run(run, collection)
        run = cut_by_score(run, self.options.min_score)
        run = repair(replace(run, quoted={}) if run.quoted else run, self.options.repair)
        check_task(run, self.context.task)
        return run


def _with_annotators(truth: Truth, options: EvaluationOptions) -> tuple[Truth, tuple[Note, ...]]:
    """What several annotators said, merged by the rule of the option."""
    if options.annotators is None:
        return truth, ()
    if not truth.annotators:
        source = truth.source or "the truth"
        text = Message(f"{source} has one annotator: {option('annotators', options.annotators)} has no effect")
        return truth, (Note("annotators", text),)
    topics = merged(truth.annotators, options.annotators)
    return replace(truth, topics=topics, notes=tuple(n for n in truth.notes if "(union)" not in n)), ()


def cut_by_score(run: Run, least: float | None) -> Run:
    """Without results whose score is below the least one; their number goes into the notes."""
    if least is None:
        return run
    name = run.source or run.tag or "the run"
    if run.score is None and len(run):
        raise UsageError(f"{name} has no scores, which {option('min_score')} needs")
    kept = np.ones(len(run), dtype=bool) if run.score is None else run.score >= least
    cut = run.keep(kept)
    emptied = int(((np.diff(run.bounds) > 0) & (np.diff(cut.bounds) == 0)).sum())
    dropped = counted(len(run) - len(cut), "result")
    text = Message(f"{option('min_score', least)} dropped {dropped} and emptied {counted(emptied, 'list')}")
    return replace(cut, notes=(*run.notes, text))


def prepare_inputs(truth: Any, runs: Any, options: EvaluationOptions, once: bool = False) -> Inputs:
    """Read files, convert objects, and bring truth and runs into one form.

    ``once``: the runs are gone through once, so an iterator of them is not turned into a list.
    """
    context = prepare_context(options)
    texts, judgements, offsets = context.reader.texts, as_truth(truth), options.offsets or "chars"
    judgements, merging = _with_annotators(judgements, options)
    search = Search(texts, options.quotes, judgements.units == "spans", offsets)
    sources, stream = run_stream(runs, search) if once else (run_sources(runs, search), None)
    notes = (*merging, *_skipped_notes(judgements, context), *_offsets_notes(judgements, options))
    if texts is not None:
        notes = (*notes, *_checksum_notes(judgements, texts))
        judgements = _with_texts(judgements, texts, options)
    elif (waiting := unlocated(judgements)) is not None:
        raise waiting
    elif judgements.offsets not in (None, "chars"):
        raise UsageError(
            f"{judgements.source or 'the truth'} has offsets in {judgements.offsets}: "
            f"give the texts of the documents with {option('documents')} to convert them"
        )
    judgements, without = _without_nobodys_ideal(judgements, context)
    notes = (*(Note("input", text) for text in judgements.notes), *notes, *without, *_ideal_notes(judgements, context))
    collection = context.reader.collection
    if collection is not None and collection.structures:
        judgements = resolve_truth(judgements, collection)
    systems = RunInputs(tuple(sources), options, context, judgements.units, stream).with_values_ready()
    notes = (*notes, *_name_notes(judgements, options))
    context = _with_lengths(context, judgements)
    if texts is None:
        judgements, cut = _within_documents(judgements, context.reader.collection)
        notes = (*notes, *cut)
    reader = replace(context.reader, line_unit=_line_unit(judgements, context))
    context = replace(context, reader=reader, user=context.user.resolved(reader))
    return Inputs(judgements, systems, context, notes)


def prepare_context(options: EvaluationOptions) -> JudgingContext:
    """The options with their files read and their texts parsed."""
    navigation, collection, user = options.navigation, options.collection, options.user
    if isinstance(navigation, (str, PathLike)):
        navigation = formats.read_navigation(navigation)
    if isinstance(collection, (str, PathLike)):
        collection = read_collection(collection)
    elif isinstance(collection, Mapping):
        collection = _given_lengths(collection)
    if user is None:
        user = "classical" if navigation is None else _default_user(navigation)
    protocol = get_protocol(options.protocol)
    texts = None if options.documents is None else read_texts(options.documents)
    _need_texts(texts, options)
    tokens = None if texts is None else token_offsets(texts, options.tokenizer)
    return JudgingContext(
        user=users.build(user),
        reader=ReaderContext(collection, navigation, texts, tokens, tokens if options.effort == "tokens" else None),
        units=options.units,
        idealism=None if options.idealism is None else parse_idealism(options.idealism),
        ideal_elements=_ideal_elements(options.ideal_elements),
        effort=options.effort,
        duplicates=options.duplicates,
        ignore_elements=frozenset([*_names(options.ignore_elements), *protocol.ignore_elements]),
        protocol=protocol.name,
        max_ranks=protocol.longest,
        task=check_task_name(options.task),
        unjudged=options.unjudged or "irrelevant",
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
        raise UsageError("chunks must have start and end; these are whole documents")
    run = run if texts is None else checked_run(run, texts, offsets)
    assert run.start is not None and run.end is not None
    order = np.lexsort((run.end, run.start, run.document))
    document, start, end = run.document[order], run.start[order], run.end[order]
    same = (document[1:] == document[:-1]) & (start[1:] == start[:-1]) & (end[1:] == end[:-1])
    once = np.append(True, ~same)[: len(order)]
    document, start, end = document[once], start[once], end[once]
    bounds = np.searchsorted(document, np.arange(len(run.documents) + 1)).tolist()
    return {name: (start[a:b], end[a:b]) for name, (a, b) in zip(run.documents, pairwise(bounds), strict=True)}


def _ideal_elements(given: Run | str | PathLike[str] | None) -> Mapping[str, frozenset[tuple[str, str]]] | None:
    """Ideal elements named by hand, as a run: by topic, document and path."""
    if given is None:
        return None
    run = as_run(given)
    found: dict[str, frozenset[tuple[str, str]]] = {}
    for topic, ranking in run.rankings():
        named = [(ranking.documents[int(ranking.document[row])], *_path(ranking, row)) for row in range(len(ranking))]
        if any(not path or last for _, path, last in named):
            raise UsageError(
                f"{option('ideal_elements')} names elements by their paths; this run has passages or documents"
            )
        found[topic] = frozenset((document, path) for document, path, _ in named)
    return found


def _names(given: str | Sequence[str]) -> list[str]:
    names = given.split(",") if isinstance(given, str) else given
    return [name.strip() for name in names if name.strip()]


def _name_notes(truth: Truth, options: EvaluationOptions) -> list[Note]:
    """Names of ignored elements that are never judged: most likely they are misspelt."""
    given = _names(options.ignore_elements)
    if not given:
        return []
    known = {element_name(path) for topic in truth.topics.values() for path in topic.path or ()}
    return [
        Note(
            "ignored elements",
            Message(f"no judged element is called {name}: {option('ignore_elements', name)} has no effect"),
        )
        for name in given
        if not any(matches(one, [name]) for one in known)
    ]


def _path(ranking: Ranking, row: int) -> tuple[str, str]:
    return ranking.path_of(row) if ranking.path is not None else ("", "")


def _without_nobodys_ideal(truth: Truth, context: JudgingContext) -> tuple[Truth, list[Note]]:
    """Documents and spans whose grade nobody finds ideal are no targets, for any measure."""
    nobodys = ideal_for_nobody(context.idealism)
    if truth.units == "elements" or not nobodys & truth.grades():
        return truth, []
    topics = {}
    count = 0
    for name, topic in truth.topics.items():
        gone = np.isin(topic.grade, list(nobodys))
        count += int(gone.sum())
        topics[name] = replace(topic, grade=np.where(gone, 0.0, topic.grade)) if gone.any() else topic
    units = counted(count, "judged unit")
    text = Message(f"{units} of a grade that is ideal for no user ({option('idealism')}) count as not relevant")
    return replace(truth, topics=topics), [Note("idealism", text)]


def _ideal_notes(truth: Truth, context: JudgingContext) -> list[Note]:
    """Ideal elements named by hand that do not reach all topics."""
    given = context.ideal_elements
    if given is None:
        return []
    if truth.units != "elements":
        text = Message(f"the truth does not judge elements, so {option('ideal_elements')} has no effect")
        return [Note("ideal elements", text)]
    rest = [topic for topic in truth.topics if topic not in given and truth.topics[topic].has_relevant]
    if not rest:
        return []
    topics = counted(len(rest), "topic")
    text = Message(f"{option('ideal_elements')} names none for {topics}, where the ideal recall base is used")
    return [Note("ideal elements", text)]


def _default_user(navigation: Navigation) -> str:
    """The user model that a navigation file is for."""
    if isinstance(navigation, LinkTable):
        return "hyperlink"
    return "markov" if isinstance(navigation, Sessions) else "table"


def read_collection(path: str | PathLike[str]) -> Collection:
    """A folder of XML documents, an index of one, or a file of document lengths."""
    if os.path.isdir(path):
        from berrypick.corpus.folder import read_folder

        return read_folder(path)
    name = fspath(path)
    if not is_stream(name):
        return read_index(name) if is_index(name) else formats.read_collection(name)
    with reusable(name):
        with open_raw(name) as stream:
            if stream.read(len(ARROW)) == ARROW:
                raise InputError("is an index, which cannot be read from a pipe", path=name)
        return formats.read_collection(name)


def _given_lengths(lengths: Mapping[str, float]) -> Collection:
    """Lengths of documents from a mapping."""
    found: dict[str, float] = {}
    for name, length in lengths.items():
        if not isinstance(length, (int, float, np.number)) or not 0 <= length < np.inf:
            raise UsageError(f"{option('collection')}: the length of {name!r:.60} is {length!r:.60}, expected a number")
        found[str(name)] = float(length)
    return Collection(found)


def _checksum_notes(truth: Truth, texts: Texts) -> Iterator[Note]:
    """Documents that are not those that the offsets of a truth were made on."""
    changed = [name for name, made_on in truth.checksums.items() if name in texts and checksum(texts[name]) != made_on]
    if changed:
        who = changed[0] if len(changed) == 1 else f"{some(changed)}: each"
        remedy = "berrypick relocate carries spans into a new version"
        yield Note("changed documents", f"{who} is not the text that the judgements were made on; {remedy}")


def _with_texts(truth: Truth, texts: Texts, options: EvaluationOptions) -> Truth:
    """Offsets checked against the texts and converted to characters, quotes located."""
    offsets, quotes = options.offsets or "chars", options.quotes or "exact"
    counting = truth.offsets or offsets
    least = THRESHOLD if quotes == "fuzzy" else None
    checked = checked_truth(truth, texts, counting, options.text_mismatch, least)
    truth = located_truth(checked, texts, quotes, counting)
    return replace(truth, offsets="chars") if truth.units == "spans" else truth


def _with_lengths(context: JudgingContext, truth: Truth) -> JudgingContext:
    """Where no collection is given, lengths come from the texts, else from the truth."""
    reader = context.reader
    if reader.collection is not None:
        return context
    if reader.texts is not None:
        return replace(context, reader=replace(reader, collection=reader.texts.collection))
    if truth.lengths:
        return replace(
            context, reader=replace(reader, collection=Collection(truth.lengths, truth.source, judged_only=True))
        )
    return context


def _within_documents(truth: Truth, collection: Collection | None) -> tuple[Truth, list[Note]]:
    """Where only lengths are known: spans that end after their document are cut there, others lie outside of it."""
    if collection is None or truth.units != "spans":
        return truth, []
    topics, count = dict(truth.topics), 0
    for name, topic in truth.topics.items():
        if topic.start is None or topic.end is None or not len(topic):
            continue
        length = np.array([collection.lengths.get(document, np.inf) for document in topic.document], dtype=np.float64)
        beyond = (topic.end > length) & (topic.grade > 0)
        if not beyond.any():
            continue
        outside = np.flatnonzero(beyond & (topic.start >= length))
        if len(outside):
            row = int(outside[0])
            raise InputError(
                f"{span_name(topic.document[row], topic.start[row], topic.end[row])} of topic {name} lies after the "
                f"end of its document, which is {length[row]:g} long",
                path=truth.source or None,
                line=int(topic.line[row]) if topic.line is not None else None,
                remedy=f"correct it, or the length in {collection.source or 'the collection'}",
            )
        count += int(beyond.sum())
        end = np.where(beyond, length, topic.end).astype(topic.end.dtype)
        topics[name] = replace(topic, end=end)
    if not count:
        return truth, []
    text = f"{counted(count, 'relevant span')} of the truth ended after the document, and cut there"
    return replace(truth, topics=topics), [Note("cut", text)]


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


#: Formats whose positions count seconds, and those whose positions count characters (or bytes, in TREC Genomics).
_SECONDS, _CHARACTERS = (
    ("mediaeval", "trecvid", "qvhighlights"),
    ("inex", "genomics", "chunking", "squad", "legalbench"),
)


def _line_unit(truth: Truth, context: JudgingContext) -> str | None:
    """What positions count, as far as truth and options say so; nobody points to half a character."""
    if context.effort == "seconds":
        return "seconds"
    collection = context.reader.collection
    if context.reader.texts is not None or truth.offsets is not None or truth.units == "elements":
        return "chars"
    if context.effort in ("chars", "tokens") or (collection is not None and collection.structures):
        return "chars"
    for unit, known in (("seconds", _SECONDS), ("chars", _CHARACTERS)):
        if truth.format.startswith(known):
            return unit
    places = [topic.start for topic in truth.topics.values()]
    whole = all(column is None or bool((column == np.floor(column)).all()) for column in places)
    return None if whole else "seconds"


def _skipped_notes(truth: Truth, context: JudgingContext) -> Iterator[Note]:
    """What the readers of the truth and of a table of links skipped; what those of runs did goes with the runs."""
    yield from skipped_notes(truth, truth.source or "the truth")
    if isinstance(navigation := context.reader.navigation, LinkTable):
        yield from skipped_notes(navigation, navigation.source)


def _offsets_notes(truth: Truth, options: EvaluationOptions) -> tuple[Note, ...]:
    """Notes where the offsets of truth and runs have different or undeclared units."""
    source, offsets = truth.source or "the truth", options.offsets or "chars"
    if truth.offsets is not None and truth.offsets != offsets:
        text = f"{source}: its offsets are declared as {truth.offsets}; those of the runs are {offsets}"
        return (Note("offsets", text),)
    spans = any(topic.start is not None and len(topic.start) for topic in truth.topics.values())
    if truth.offsets is None and offsets != "chars" and truth.units == "spans" and spans:
        text = f"{source}: does not declare what its offsets count; {offsets} is assumed, as for the runs"
        return (Note("offsets", text),)
    return ()
