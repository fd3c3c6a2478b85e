"""Truth and runs read and made ready: quotes located, offsets converted, paths resolved, runs repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import repeat
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick import formats
from berrypick.data.collection import Collection, with_judged_lengths
from berrypick.data.columns import Coded
from berrypick.data.errors import BerrypickError, InputError, Message, UsageError, option
from berrypick.data.navigation import LinkTable
from berrypick.data.paths import element_name, matches
from berrypick.data.results import Note
from berrypick.data.truth import MergeRule, Offsets, Truth
from berrypick.data.words import counted
from berrypick.documents.collection_files import resolved
from berrypick.documents.quotes import THRESHOLD, Quotes, looser_quotes, refuse_locate, unlocated
from berrypick.evaluation.evaluation_context import NO_ELEMENTS, element_names, prepare_context
from berrypick.evaluation.notes import skipped_notes, some
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import get_protocol
from berrypick.evaluation.run_inputs import RunInputs, refuse_foreign
from berrypick.files.files import is_stream, reusable
from berrypick.given.convert import RunFile, TruthFile, as_truth, run_sources, run_stream
from berrypick.inputs.text_search import TextSearch
from berrypick.inputs.titles import Titles
from berrypick.targets.idealism import Idealism, unwanted_grades
from berrypick.topics.context import JudgingContext
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts


@dataclass(frozen=True, eq=False)
class Inputs:
    """Everything read once."""

    truth: Truth
    runs: RunInputs
    context: JudgingContext
    notes: tuple[Note, ...] = ()
    #: The judgements with quotes in their places, before options change what counts; signatures have their sum.
    judged: Truth | None = None


def prepare_inputs(truth: Any, runs: Any, options: EvaluationOptions, once: bool = False) -> Inputs:
    """Read files, convert objects, and bring truth and runs into one form.

    ``once``: the runs are gone through once, so an iterator of them is not turned into a list.
    """
    context = prepare_context(options)
    texts = context.reader.texts
    judgements = _judgements(truth, texts, options)
    as_read = judgements if _changed_before_placing(judgements, options) else None
    notes: list[Note] = []
    if options.strict:
        refuse_foreign(judgements)
    if options.annotators is not None:
        judgements, merging = _with_annotators(judgements, options.annotators)
        notes += merging
    elif len(judgements.annotators) > 1:
        text = f"{len(judgements.annotators)} annotators, of whom any may find text relevant (union)"
        notes.append(Note("annotators", text))
    # what few inputs need is loaded where they need it: a first small evaluation takes half the time
    if options.id_pattern is not None or options.level is not None:
        judgements, said = options.levels().truth(judgements)
        notes += said
    pages: Any = None
    if any(topic.boxes is not None for topic in judgements.topics.values()):
        from berrypick.documents.pages.page_units import PageUnits

        judgements, pages = PageUnits.of_truth(judgements)
    if pages is not None or options.effort == "pages":
        _check_effort(options, pages is not None)
    unit = judgements.unit if judgements.units == "spans" else ""
    if unit or options.effort == "lines":
        from berrypick.evaluation.line_units import check_lines

        check_lines(judgements, options)
    if unit == "lines":
        from berrypick.evaluation.line_units import in_lines

        context = in_lines(context)
        texts = context.reader.texts
    later = options.level is None and options.id_pattern is None
    search = TextSearch(texts, options.quotes, judgements.units == "spans", options.offsets or "chars", later)
    sources, stream = run_stream(runs, search) if once else (run_sources(runs, search), None)
    if judgements.unread:
        notes += _unread_notes(judgements)
    if judgements.skipped:
        notes += skipped_notes(judgements, judgements.source or "the truth")
    if isinstance(navigation := context.reader.navigation, LinkTable):
        notes += skipped_notes(navigation, navigation.source)
    if judgements.offsets != options.offsets:
        notes += _offsets_notes(judgements, options)
    counting = "chars" if texts is None else judgements.offsets or options.offsets or "chars"
    if texts is None and judgements.texts:
        from berrypick.documents.checked import checked_by_itself

        judgements = checked_by_itself(judgements, options.text_mismatch, _least(options))
    quoted = any(topic.quotes for topic in judgements.topics.values())
    no_text = _line_unit(judgements, context.effort, context.reader) in ("seconds", "lines")
    if texts is not None:
        notes += _checksum_notes(judgements, texts)
        if paths := texts.path_note(name for topic in judgements.topics.values() for name in topic.documents()):
            notes.append(Note("documents", f"{judgements.source or 'the truth'}: {paths}"))
        judgements = _with_texts(judgements, texts, options)
    elif quoted and (waiting := unlocated(judgements)) is not None:
        raise waiting
    elif judgements.offsets not in (None, "chars"):
        raise UsageError(
            f"{judgements.source or 'the truth'} has offsets in {judgements.offsets}: "
            f"give the texts of the documents with {option('documents')} to convert them"
        )
    elif quoted and not no_text:
        from berrypick.documents.text_length import check_truth_lengths

        if options.text_mismatch == "locate":
            raise refuse_locate()
        judgements = check_truth_lengths(judgements, options.text_mismatch)
    judgements = replace(judgements, texts={}) if judgements.texts else judgements  # not for every process
    judged = judgements if as_read is None else as_read
    notes = [*(Note("input", text) for text in judgements.notes), *notes]
    if context.idealism is not None:
        judgements, without = _without_unwanted_grades(judgements, context.idealism)
        notes += without
    if context.ideal_elements is not None:
        notes += _ideal_notes(judgements, context.ideal_elements)
    collection = context.reader.collection
    if collection is not None and collection.structures:
        judgements = resolved(judgements, collection)
    titles = Titles.of(judgements)
    systems = RunInputs((), options, context, judgements.units, no_text, stream, titles, judgements, pages)
    ready = tuple(
        source.recognised()  # read when it is scored, one of several files after the other
        if isinstance(source, RunFile) and len(sources) > 1 and not is_stream(fspath(source.path))
        else systems.prepare(source)
        for source in sources
    )
    if context.ignore_elements:
        notes += _ignored_notes(judgements, options, context)
    if collection is None and texts is not None:
        collection = texts.collection
    if judgements.lengths and counting == "chars":  # not in bytes, say, where the texts are counted in characters
        collection, unlisted = _with_judged_lengths(collection, judgements)
        notes += unlisted
    if collection is not None and texts is None and judgements.units == "spans":
        judgements, cut = _within_documents(judgements, collection)
        notes += cut
    reader = replace(context.reader, collection=collection)
    reader = replace(reader, line_unit=_line_unit(judgements, context.effort, reader))
    context = replace(context, reader=reader, user=context.user.resolved(reader))
    return Inputs(judgements, replace(systems, sources=ready, truth=judgements), context, tuple(notes), judged)


def _changed_before_placing(truth: Truth, options: EvaluationOptions) -> bool:
    """Whether options change judgements before quotes have places, or several annotators have a say each."""
    return bool(options.id_pattern or options.level) or len(truth.annotators) > 1


#: Fields of ragas, whose older files have what a system retrieved under the same name as newer ones have gold.
_OF_SAMPLES = frozenset({"ground_truth", "ground_truths"})


def _judgements(given: Any, texts: Texts | None, options: EvaluationOptions) -> Truth:
    """The truth that is given. What is not a plain truth but a golden file is read as ``adopt`` reads it; where that
    needs a guess, or there are no documents, it is refused with the command that makes a truth of it."""
    if isinstance(given, Truth) or (isinstance(given, TruthFile) and given.format):
        return as_truth(given, options.fields)
    if isinstance(given, TruthFile):
        given = given.path
    elif isinstance(given, Iterator):  # it may be read twice; batches of Arrow become a table
        given = given.read_all() if hasattr(given, "read_all") else list(given)
    with reusable(fspath(given)) if isinstance(given, (str, PathLike)) else nullcontext():
        try:
            truth = _plain_truth(given, texts, options)
            return truth if texts is None else _or_golden(truth, given, texts, options)
        except BerrypickError as error:
            return _golden_truth(given, texts, options, error)


def _golden_truth(given: Any, texts: Texts | None, options: EvaluationOptions, error: BerrypickError) -> Truth:
    from berrypick.judgements.adopt.golden_truth import golden_truth  # few evaluations need it

    return golden_truth(given, texts, options.documents, options.quotes, error, options.fields)


def _or_golden(truth: Truth, given: Any, texts: Texts, options: EvaluationOptions) -> Truth:
    """A truth that may be a golden file although it can be read: an unread field beside questions and whole documents
    may quote the answers, and texts of its own (SQuAD) may be paragraphs of the documents."""
    whole = truth.units == "documents" and truth.unread and _has_questions(truth) and not options.whole_documents
    judged = (name for topic in truth.topics.values() for name in topic.documents()) if truth.texts else ()
    if not whole and all(name in texts for name in judged):
        return truth
    try:
        return _golden_truth(given, texts, options, UsageError("is not a golden file"))
    except BerrypickError:
        return truth


def _is_list_of_questions(value: Any) -> bool:
    """Whether a value is a list of records with different questions, which are not the judgements of one topic."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, Mapping) for one in value):
        return False
    from berrypick.rows.fields import QUESTIONS

    return len({str(one[name]) for one in value for name in QUESTIONS[:-1] if isinstance(one.get(name), str)}) > 1


def _has_questions(truth: Truth) -> bool:
    from berrypick.rows.fields import QUESTIONS

    return any(name in truth.fields for name in QUESTIONS[:-1])


def _plain_truth(given: Any, texts: Texts | None, options: EvaluationOptions) -> Truth:
    """A plain truth. The quotes of one with questions are located at once: if they are not found, it may be a golden
    file."""
    if isinstance(given, Mapping) and any(map(_is_list_of_questions, given.values())):
        raise InputError("holds a list of questions, not judgements by topic", path="the truth")
    truth = as_truth(given, options.fields)
    if not _OF_SAMPLES.isdisjoint(truth.fields) and any(topic.quotes for topic in truth.topics.values()):
        what = f"may quote what a system retrieved, since it has {next(iter(_OF_SAMPLES & truth.fields.keys()))} too"
        raise InputError(what, path=truth.source or None)
    if texts is None or options.level is not None or not _has_questions(truth):
        return truth
    quoted = any(not quote.has_offsets for topic in truth.topics.values() for quote in topic.quotes)
    return _with_texts(truth, texts, options) if quoted else truth


def _check_effort(options: EvaluationOptions, pages: bool) -> None:
    """Effort and texts of another kind than what is judged."""
    if pages and options.effort in ("chars", "tokens", "seconds"):
        raise UsageError(f"places on pages are read in pages: use {option('effort', 'pages')}")
    if pages and options.documents is not None:
        raise UsageError(f"the truth judges places on pages, and {option('documents')} holds texts: leave it out")
    if options.effort == "pages" and not pages:
        raise UsageError(f"{option('effort', 'pages')} is for places on pages, and the truth judges none")


def _with_annotators(truth: Truth, rule: MergeRule) -> tuple[Truth, tuple[Note, ...]]:
    """What several annotators said, merged by a rule."""
    from berrypick.data.annotators import merge_annotators

    if len(truth.annotators) < 2:
        source = truth.source or "the truth"
        text = Message(f"{source} has one annotator: {option('annotators', rule)} has no effect")
        return truth, (Note("annotators", text),)
    return replace(truth, topics=merge_annotators(truth.annotators, rule)), ()


def _unread_notes(truth: Truth) -> list[Note]:
    """Fields of a truth that are not read."""
    from berrypick.rows.fields import unread_note

    unread = unread_note(truth.unread)
    return [Note("unread", f"{truth.source or 'the truth'}: {unread}")] if unread else []


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


def _checksum_notes(truth: Truth, texts: Texts) -> Iterator[Note]:
    """Documents that are not those that the offsets of a truth were made on."""
    from berrypick.documents.texts import checksum

    changed = [name for name, made_on in truth.checksums.items() if name in texts and checksum(texts[name]) != made_on]
    if changed:
        who = changed[0] if len(changed) == 1 else f"{some(changed)}: each"
        remedy = "berrypick relocate carries spans into a new version"
        yield Note("changed documents", f"{who} is not the text that the judgements were made on; {remedy}")


def _with_texts(truth: Truth, texts: Texts, options: EvaluationOptions) -> Truth:
    """Offsets checked against the texts and converted to characters, quotes located."""
    from berrypick.documents.checked import checked_truth  # not for truths without texts
    from berrypick.documents.quotes import located_truth

    quotes: Quotes = looser_quotes(options.quotes, options.text_mismatch)
    counting: Offsets = truth.offsets or options.offsets or "chars"
    checked = checked_truth(truth, texts, counting, options.text_mismatch, _least(options))
    truth = located_truth(checked, texts, quotes, counting)
    return replace(truth, offsets="chars") if truth.units == "spans" else truth


def _least(options: EvaluationOptions) -> float | None:
    """The least similarity of a quote to the text at its offsets; None if it has to be the same."""
    return THRESHOLD if options.quotes == "fuzzy" else None


def _without_unwanted_grades(truth: Truth, idealism: Idealism) -> tuple[Truth, list[Note]]:
    """Documents and spans with a grade that is ideal for no reader are no targets, for any measure."""
    unwanted = unwanted_grades(idealism)
    if truth.units == "elements" or not unwanted & truth.grades():
        return truth, []
    topics = {}
    count = 0
    for name, topic in truth.topics.items():
        gone = np.isin(topic.grade, list(unwanted))
        count += int(gone.sum())
        topics[name] = replace(topic, grade=np.where(gone, 0.0, topic.grade)) if gone.any() else topic
    units = counted(count, "judged unit")
    text = Message(f"{units} of a grade that is ideal for no user ({option('idealism')}) count as not relevant")
    return replace(truth, topics=topics), [Note("idealism", text)]


def _ideal_notes(truth: Truth, given: Container[str]) -> list[Note]:
    """Ideal elements named by hand that do not reach all topics."""
    if truth.units != "elements":
        text = Message(f"the truth does not judge elements, so {option('ideal_elements')} has no effect")
        return [Note("ideal elements", text)]
    rest = [topic for topic in truth.topics if topic not in given and truth.topics[topic].has_relevant]
    if not rest:
        return []
    topics = counted(len(rest), "topic")
    text = Message(f"{option('ideal_elements')} names none for {topics}, where the ideal recall base is used")
    return [Note("ideal elements", text)]


def _ignored_notes(truth: Truth, options: EvaluationOptions, context: JudgingContext) -> list[Note]:
    """Judged elements that a protocol ignores, and ignored names that are never judged: they are probably misspelt."""
    known = Counter(element_name(path) for topic in truth.topics.values() for path in topic.path or ())
    given = element_names(options.ignore_elements)
    found = []
    for name in get_protocol(options.protocol).ignore_elements:
        if count := sum(times for one, times in known.items() if matches(one, [name])):
            off = option("ignore_elements", NO_ELEMENTS)
            text = f"protocol {context.protocol} ignores elements named {name}, as the campaign did: {count} of "
            text += f"{counted(sum(known.values()), 'judged element')}; {off} counts them"
            found.append(Note("ignored elements", Message(text)))
    return found + [
        Note(
            "ignored elements",
            Message(f"no judged element is called {name}: {option('ignore_elements', name)} has no effect"),
        )
        for name in given
        if not any(matches(one, [name]) for one in known)
    ]


def _within_documents(truth: Truth, collection: Collection) -> tuple[Truth, list[Note]]:
    """Where only lengths are known: spans that end after their document are cut there, others lie outside of it."""
    spans = {name: topic for name, topic in truth.topics.items() if topic.start is not None and topic.end is not None}
    documents = Coded.joined([topic.document for topic in spans.values()])
    known = np.array(list(map(collection.lengths.get, documents.names, repeat(np.inf))), dtype=np.float64)
    lengths = known[documents.codes]
    ends, grades = ([np.zeros(0), *(getattr(topic, name) for topic in spans.values())] for name in ("end", "grade"))
    if not ((np.concatenate(ends) > lengths) & (np.concatenate(grades) > 0)).any():
        return truth, []
    topics, count, before = dict(truth.topics), 0, 0
    for name, topic in spans.items():
        assert topic.start is not None and topic.end is not None
        length, before = lengths[before : before + len(topic)], before + len(topic)
        assert topic.start is not None and topic.end is not None
        beyond = (topic.end > length) & (topic.grade > 0)
        if not beyond.any():
            continue
        outside = np.flatnonzero(beyond & (topic.start >= length))
        if len(outside):
            row = int(outside[0])
            raise InputError(
                f"{topic.name(row)} of topic {name} lies after the end of its document, which is {length[row]:g} long",
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


def _with_judged_lengths(collection: Collection | None, truth: Truth) -> tuple[Collection, list[Note]]:
    """The lengths of documents that a truth has beside those of a collection, which may lack some."""
    if collection is None:
        return Collection(truth.lengths, truth.source, judged_only=True), []
    joined, more = with_judged_lengths(collection, truth.lengths, truth.source)
    if not more:
        return joined, []
    documents = "1 judged document is" if more == 1 else f"{more} judged documents are"
    has = "its length is that" if more == 1 else "their lengths are those"
    text = f"{documents} not in {collection.source or 'the collection'}; {has} of {truth.source or 'the truth'}"
    return joined, [Note("lengths", text)]


def _line_unit(truth: Truth, effort: str, reader: ReaderContext) -> str | None:
    """The unit of positions, if truth or options give it; positions with fractions are not characters."""
    if any(topic.boxes is not None for topic in truth.topics.values()):
        return "pages"
    if truth.units == "spans" and truth.unit:
        return truth.unit
    if effort == "seconds":
        return "seconds"
    if reader.texts is not None or truth.offsets is not None or truth.units == "elements":
        return "chars"
    if effort in ("chars", "tokens") or (reader.collection is not None and reader.collection.structures):
        return "chars"
    if truth.units != "documents" and (unit := formats.positions_in(truth.format)) is not None:
        return unit
    places = (topic.start for topic in truth.topics.values())
    whole = all(
        column is None or column.dtype.kind == "i" or bool((column == np.floor(column)).all()) for column in places
    )
    return None if whole else "seconds"
