"""Preparation of an evaluation: the steps from what a person gives to a truth and runs that can be scored.

:data:`STEPS` lists them in their order; the steps of a single run are in :mod:`berrypick.evaluation.run_inputs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import repeat
from os import fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick import formats
from berrypick.data.collection import Collection, with_judged_lengths
from berrypick.data.columns import Coded
from berrypick.data.errors import InputError, Message, UsageError, option
from berrypick.data.navigation import LinkTable
from berrypick.data.paths import element_name, matches
from berrypick.data.results import Note
from berrypick.data.truth import Offsets, Truth
from berrypick.data.words import counted
from berrypick.documents.collection_files import resolved
from berrypick.documents.quotes import refuse_locate, unlocated
from berrypick.evaluation.evaluation_context import NO_ELEMENTS, element_names, prepare_context
from berrypick.evaluation.given_truth import least_similarity, read_truth, with_texts
from berrypick.evaluation.notes import skipped_notes, some
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import get_protocol
from berrypick.evaluation.run_inputs import RunInputs, copy_rules, refuse_foreign
from berrypick.files.files import is_stream
from berrypick.given.convert import RunFile, run_sources, run_stream
from berrypick.inputs.text_search import TextSearch
from berrypick.inputs.titles import Titles
from berrypick.targets.idealism import unwanted_grades
from berrypick.topics.context import JudgingContext
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts


@dataclass(frozen=True, eq=False)
class Inputs:
    """Truth, runs and context between two steps, with the notes so far."""

    truth: Truth
    runs: RunInputs
    context: JudgingContext
    options: EvaluationOptions
    given_runs: Any = ()
    #: Whether runs are scored once, so that an iterator of them need not become a list.
    once: bool = False
    #: What offsets of the truth counted before they were converted to characters.
    offsets: Offsets = "chars"
    #: What positions count, if truth or options say so.
    line_unit: str | None = None
    notes: tuple[Note, ...] = ()
    #: The judgements with quotes in their places, before options change what counts; signatures have their sum.
    judged: Truth | None = None
    #: The judgements as they were read, before any step.
    read: Truth | None = None

    @property
    def texts(self) -> Texts | None:
        """The texts of the documents, if they are given."""
        return self.context.reader.texts

    @property
    def source(self) -> str:
        """What messages call the truth."""
        return self.truth.source or "the truth"

    def noting(self, notes: Iterable[Note]) -> Inputs:
        """Return the same with more notes."""
        more = tuple(notes)
        return replace(self, notes=(*self.notes, *more)) if more else self


Step = Callable[[Inputs], Inputs]


def prepare_inputs(truth: Any, runs: Any, options: EvaluationOptions, once: bool = False) -> Inputs:
    """Read truth and runs, and take them through all steps.

    ``once``: the runs are scored once, so an iterator of them need not become a list.
    """
    context = prepare_context(options)
    judgements = read_truth(truth, context.reader.texts, options)
    inputs = Inputs(
        judgements, RunInputs((), options, context, judgements), context, options, runs, once, read=judgements
    )
    for step in STEPS:
        inputs = step(inputs)
    return inputs


# What few inputs need is imported inside their step: a first small evaluation takes half the time.


def refuse_foreign_labels(inputs: Inputs) -> Inputs:
    """With ``strict``, refuse labels outside the vocabulary of the truth's format."""
    if inputs.options.strict:
        refuse_foreign(inputs.truth)
    return inputs


def keep_as_read(inputs: Inputs) -> Inputs:
    """Keep judgements for signatures, where later steps change them before quotes have places."""
    changed = inputs.options.id_pattern or inputs.options.level or len(inputs.truth.annotators) > 1
    return replace(inputs, judged=inputs.truth) if changed else inputs


def merge_annotators(inputs: Inputs) -> Inputs:
    """Merge the judgements of several annotators by the rule that is given, else by union."""
    rule, many = inputs.options.annotators, len(inputs.truth.annotators)
    if rule is None:
        text = f"{many} annotators; text is relevant if any of them marked it (union)"
        return inputs.noting([Note("annotators", text)] if many > 1 else [])
    if many < 2:
        text = Message(f"{inputs.source} has one annotator: {option('annotators', rule)} has no effect")
        return inputs.noting([Note("annotators", text)])
    from berrypick.data.annotators import merge_annotators as merged

    return replace(inputs, truth=replace(inputs.truth, topics=merged(inputs.truth.annotators, rule)))


def map_units(inputs: Inputs) -> Inputs:
    """Judge coarser units, by ``level`` or ``id_pattern``."""
    if inputs.options.id_pattern is None and inputs.options.level is None:
        return inputs
    truth, notes = inputs.options.levels().truth(inputs.truth)
    return replace(inputs, truth=truth).noting(notes)


def convert_boxes(inputs: Inputs) -> Inputs:
    """Convert boxes on pages to shares of their pages, where the sizes are known."""
    if not _has_boxes(inputs.truth):
        return inputs
    from berrypick.documents.pages.page_units import PageUnits

    truth, pages = PageUnits.of_truth(inputs.truth)
    return replace(inputs, truth=truth, runs=replace(inputs.runs, pages=pages))


def check_effort(inputs: Inputs) -> Inputs:
    """Refuse an effort that counts something else than the positions of the truth, and texts beside pages."""
    options, pages = inputs.options, inputs.runs.pages is not None
    if pages and options.effort in ("chars", "tokens", "seconds"):
        raise UsageError(f"effort on pages counts pages: use {option('effort', 'pages')}")
    if pages and options.documents is not None:
        raise UsageError(f"the truth judges places on pages: omit {option('documents')}, which has texts")
    if options.effort == "pages" and not pages:
        raise UsageError(f"{option('effort', 'pages')} is for places on pages, and the truth judges none")
    if options.effort == "lines" or _unit(inputs.truth):
        from berrypick.evaluation.line_units import check_lines

        check_lines(inputs.truth, options)
    return inputs


def count_in_lines(inputs: Inputs) -> Inputs:
    """Take lengths of documents in lines, if the truth judges lines."""
    if _unit(inputs.truth) != "lines":
        return inputs
    from berrypick.evaluation.line_units import in_lines

    return replace(inputs, context=in_lines(inputs.context))


def find_runs(inputs: Inputs) -> Inputs:
    """Convert objects to runs, and find the files of others."""
    runs = replace(inputs.runs, context=inputs.context, truth=inputs.truth)
    return replace(inputs, runs=with_sources(runs, inputs.given_runs, inputs.once))


def with_sources(runs: RunInputs, given: Any, once: bool) -> RunInputs:
    """Convert objects to runs, and find the files of others; none of them goes through its steps."""
    options = runs.options
    later = options.level is None and options.id_pattern is None
    search = TextSearch(runs.texts, options.quotes, runs.truth.units == "spans", options.offsets or "chars", later)
    sources, stream = run_stream(given, search) if once else (run_sources(given, search), None)
    return runs.with_sources(tuple(sources), stream)


def note_unread_fields(inputs: Inputs) -> Inputs:
    """Note fields that are not read, and lines that are skipped."""
    truth, notes = inputs.truth, list[Note]()
    if truth.origin.unread:
        from berrypick.rows.fields import unread_note

        unread = unread_note(truth.origin.unread)
        notes += [Note("unread", f"{inputs.source}: {unread}")] if unread else []
    if truth.skipped:
        notes += skipped_notes(truth, inputs.source)
    if isinstance(navigation := inputs.context.reader.navigation, LinkTable):
        notes += skipped_notes(navigation, navigation.source)
    return inputs.noting(notes)


def note_offsets(inputs: Inputs) -> Inputs:
    """Note offsets of the truth that count something else than those of the runs, or do not say what they count."""
    truth, offsets = inputs.truth, inputs.options.offsets or "chars"
    if truth.offsets is not None and truth.offsets != offsets:
        text = f"{inputs.source}: its offsets are declared as {truth.offsets}; those of the runs are {offsets}"
        return inputs.noting([Note("offsets", text)])
    if truth.offsets is not None or offsets == "chars" or truth.units != "spans":
        return inputs
    if not any(topic.start is not None and len(topic.start) for topic in truth.topics.values()):
        return inputs
    text = f"{inputs.source}: does not declare what its offsets count; {offsets} is assumed, as for the runs"
    return inputs.noting([Note("offsets", text)])


def check_own_texts(inputs: Inputs) -> Inputs:
    """Check offsets against the texts that the truth itself brings, where no documents are given."""
    if inputs.texts is not None or not inputs.truth.texts:
        return inputs
    from berrypick.documents.checked import checked_by_itself

    least = least_similarity(inputs.options)
    return replace(inputs, truth=checked_by_itself(inputs.truth, inputs.options.text_mismatch, least))


def find_line_unit(inputs: Inputs) -> Inputs:
    """Find what positions count; later steps do not change it."""
    return replace(inputs, line_unit=_line_unit(inputs.truth, inputs.context.effort, inputs.context.reader))


def note_changed_documents(inputs: Inputs) -> Inputs:
    """Note documents whose text changed since they were judged, and documents that are found by their paths."""
    truth, texts = inputs.truth, inputs.texts
    if texts is None:
        return inputs
    notes = [Note("documents", f"{texts.source}: {note}") for note in texts.notes]
    if truth.checksums:
        from berrypick.documents.texts import checksum

        known = {name: made_on for name, made_on in truth.checksums.items() if name in texts}
        if changed := [name for name, made_on in known.items() if checksum(texts[name]) != made_on]:
            who = changed[0] if len(changed) == 1 else f"{some(changed)}: each"
            remedy = "move the judgements with berrypick relocate"
            text = f"{who} has changed since it was judged; {remedy}"
            notes.append(Note("changed documents", text))
    if paths := texts.path_note(name for topic in truth.topics.values() for name in topic.documents()):
        notes.append(Note("documents", f"{inputs.source}: {paths}"))
    return inputs.noting(notes)


def locate_quotes(inputs: Inputs) -> Inputs:
    """Convert offsets to characters and locate quotes in the documents; refuse what needs documents without them."""
    truth, options = inputs.truth, inputs.options
    if inputs.texts is not None:
        counting = truth.offsets or options.offsets or "chars"
        return replace(inputs, truth=with_texts(truth, inputs.texts, options), offsets=counting)
    if (waiting := unlocated(truth)) is not None:
        raise waiting
    if truth.offsets not in (None, "chars"):
        raise UsageError(
            f"{inputs.source} has offsets in {truth.offsets}: "
            f"give the texts of the documents with {option('documents')} to convert them"
        )
    return inputs


def check_quote_lengths(inputs: Inputs) -> Inputs:
    """Compare the length of quotes with that of their spans, where no documents are given."""
    truth, options = inputs.truth, inputs.options
    if inputs.texts is not None or inputs.line_unit in WITHOUT_TEXT:
        return inputs
    if not any(topic.quotes for topic in truth.topics.values()):
        return inputs
    from berrypick.documents.text_length import check_truth_lengths

    if options.text_mismatch == "locate":
        raise refuse_locate()
    return replace(inputs, truth=check_truth_lengths(truth, options.text_mismatch))


def drop_own_texts(inputs: Inputs) -> Inputs:
    """Drop the texts that the truth brings: they need not go to other processes."""
    return replace(inputs, truth=replace(inputs.truth, texts={})) if inputs.truth.texts else inputs


def keep_placed(inputs: Inputs) -> Inputs:
    """Keep judgements for signatures, with quotes in their places, before options change what counts."""
    return replace(inputs, judged=inputs.truth) if inputs.judged is None else inputs


def note_reading(inputs: Inputs) -> Inputs:
    """Put the notes of the truth's own reading and locating before all others."""
    own = tuple(Note("input", text) for text in inputs.truth.notes)
    return replace(inputs, notes=(*own, *inputs.notes)) if own else inputs


def apply_idealism(inputs: Inputs) -> Inputs:
    """Treat documents and spans of a grade that is ideal for no user as not relevant, for any measure."""
    truth, idealism = inputs.truth, inputs.context.idealism
    if idealism is None or truth.units == "elements":
        return inputs
    unwanted = unwanted_grades(idealism)
    if not unwanted & truth.grades():
        return inputs
    topics = {}
    count = 0
    for name, topic in truth.topics.items():
        gone = np.isin(topic.grade, list(unwanted))
        count += int(gone.sum())
        topics[name] = replace(topic, grade=np.where(gone, 0.0, topic.grade)) if gone.any() else topic
    units = counted(count, "judged unit")
    text = Message(f"{units} of a grade that is ideal for no user ({option('idealism')}) count as not relevant")
    return replace(inputs, truth=replace(truth, topics=topics)).noting([Note("idealism", text)])


def merge_copies(inputs: Inputs) -> Inputs:
    """With ``copies`` same, make judged copies of a passage one unit."""
    truth, options, texts = inputs.truth, inputs.options, inputs.texts
    if options.copies == "apart":
        return inputs
    same = option("copies", "same")
    if texts is None:
        raise UsageError(f"{same} compares texts: give those of the documents with {option('documents')}")
    if truth.units != "spans" or inputs.line_unit != "chars" or inputs.runs.pages is not None:
        raise UsageError(f"{same} is for judged spans of characters, which {inputs.source} does not have")
    if options.chunks is not None:
        remedy = "omit one of them; berrypick diagnose takes both"
        raise UsageError(f"measures of {option('chunks')} count each chunk where it is, not with {same}: {remedy}")
    from berrypick.documents.copies import with_twins_merged

    rules = copy_rules(options)
    topics = {
        name: topic if topic.start is None else with_twins_merged(topic, texts, rules)
        for name, topic in truth.topics.items()
    }
    merged = sum(len(topic) for topic in truth.topics.values()) - sum(map(len, topics.values()))
    text = Message(f"{same} merges {counted(merged, 'judged passage')} with earlier copies")
    runs = replace(inputs.runs, copied=truth.topics)
    changed = replace(inputs, truth=replace(truth, topics=topics), runs=runs)
    return changed.noting([Note("copies", text)] if merged else [])


def note_ideal_elements(inputs: Inputs) -> Inputs:
    """Note ideal elements that are named for only some topics, or for a truth without elements."""
    truth, given = inputs.truth, inputs.context.ideal_elements
    if given is None:
        return inputs
    if truth.units != "elements":
        text = Message(f"the truth does not judge elements, so {option('ideal_elements')} has no effect")
        return inputs.noting([Note("ideal elements", text)])
    rest = [topic for topic in truth.topics if topic not in given and truth.topics[topic].has_relevant]
    topics = counted(len(rest), "topic")
    text = Message(f"{option('ideal_elements')} names none for {topics}, where the ideal recall base is used")
    return inputs.noting([Note("ideal elements", text)] if rest else [])


def resolve_structure(inputs: Inputs) -> Inputs:
    """Resolve the paths of elements in the structure of the collection."""
    collection = inputs.context.reader.collection
    if collection is None or not collection.structures:
        return inputs
    return replace(inputs, truth=resolved(inputs.truth, collection))


def prepare_runs(inputs: Inputs) -> Inputs:
    """Take every run through its own steps; one of several files goes through them when it is scored."""
    runs = replace(
        inputs.runs,
        context=inputs.context,
        truth=inputs.truth,
        titles=Titles.of(inputs.truth),
        no_text=inputs.line_unit in WITHOUT_TEXT,
    )
    return replace(inputs, runs=prepared(runs))


def prepared(runs: RunInputs) -> RunInputs:
    """Take the runs through their steps; one of several files waits until it is scored."""
    several = len(runs.sources) > 1
    ready = tuple(
        source.recognised()
        if isinstance(source, RunFile) and several and not is_stream(fspath(source.path))
        else runs.prepare(source)
        for source in runs.sources
    )
    return runs.with_sources(ready, runs.stream)


def note_ignored_elements(inputs: Inputs) -> Inputs:
    """Note judged elements that a protocol ignores, and ignored names that are never judged: probably misspelt."""
    if not inputs.context.ignore_elements:
        return inputs
    topics = inputs.truth.topics.values()
    known = Counter(element_name(path) for topic in topics for path in topic.path or ())
    notes = []
    for name in get_protocol(inputs.options.protocol).ignore_elements:
        if count := sum(times for one, times in known.items() if matches(one, [name])):
            off = option("ignore_elements", NO_ELEMENTS)
            text = f"protocol {inputs.context.protocol} ignores elements named {name}, as the campaign did: {count} of "
            text += f"{counted(sum(known.values()), 'judged element')}; {off} counts them"
            notes.append(Note("ignored elements", Message(text)))
    for name in element_names(inputs.options.ignore_elements):
        if not any(matches(one, [name]) for one in known):
            text = f"no judged element is called {name}: {option('ignore_elements', name)} has no effect"
            notes.append(Note("ignored elements", Message(text)))
    return inputs.noting(notes)


def add_lengths(inputs: Inputs) -> Inputs:
    """Take lengths of documents from the texts if there is no collection, and from the truth for those it lacks."""
    reader, truth = inputs.context.reader, inputs.truth
    collection, notes = reader.collection, list[Note]()
    if collection is None and inputs.texts is not None:
        collection = inputs.texts.collection
    if truth.lengths and inputs.offsets == "chars":  # not in bytes, say, where the texts are counted in characters
        collection, notes = _with_judged_lengths(collection, truth)
    if collection is reader.collection:
        return inputs
    context = replace(inputs.context, reader=replace(reader, collection=collection))
    return replace(inputs, context=context).noting(notes)


def cut_at_document_ends(inputs: Inputs) -> Inputs:
    """Cut spans at the end of their document, where only its length is known."""
    collection, truth = inputs.context.reader.collection, inputs.truth
    if collection is None or inputs.texts is not None or truth.units != "spans":
        return inputs
    cut, count = _within_documents(truth, collection)
    text = f"{counted(count, 'relevant span')} of the truth ran past the end of the document, cut off there"
    return replace(inputs, truth=cut).noting([Note("cut", text)]) if count else inputs


def resolve_user(inputs: Inputs) -> Inputs:
    """Let the user model know what positions count, and how long documents are."""
    reader = replace(inputs.context.reader, line_unit=inputs.line_unit)
    context = replace(inputs.context, reader=reader, user=inputs.context.user.resolved(reader))
    return replace(inputs, context=context, runs=replace(inputs.runs, truth=inputs.truth))


#: The steps of preparation, in their order.
STEPS: tuple[Step, ...] = (
    refuse_foreign_labels,
    keep_as_read,
    merge_annotators,
    map_units,
    convert_boxes,
    check_effort,
    count_in_lines,
    find_runs,
    note_unread_fields,
    note_offsets,
    check_own_texts,
    find_line_unit,
    note_changed_documents,
    locate_quotes,
    check_quote_lengths,
    drop_own_texts,
    keep_placed,
    note_reading,
    apply_idealism,
    merge_copies,
    note_ideal_elements,
    resolve_structure,
    prepare_runs,
    note_ignored_elements,
    add_lengths,
    cut_at_document_ends,
    resolve_user,
)
#: What positions count where no text has such positions.
WITHOUT_TEXT = ("seconds", "lines")


def _has_boxes(truth: Truth) -> bool:
    return any(topic.boxes is not None for topic in truth.topics.values())


def _unit(truth: Truth) -> str:
    """What positions of a truth are declared to count; '' for characters, or where nothing is declared."""
    return truth.unit if truth.units == "spans" else ""


def _within_documents(truth: Truth, collection: Collection) -> tuple[Truth, int]:
    """Cut relevant spans that end after their document, and count them; one that starts there is an error."""
    spans = {name: topic for name, topic in truth.topics.items() if topic.start is not None and topic.end is not None}
    documents = Coded.joined([topic.document for topic in spans.values()])
    known = np.array(list(map(collection.lengths.get, documents.names, repeat(np.inf))), dtype=np.float64)
    lengths = known[documents.codes]
    ends, grades = ([np.zeros(0), *(getattr(topic, name) for topic in spans.values())] for name in ("end", "grade"))
    if not ((np.concatenate(ends) > lengths) & (np.concatenate(grades) > 0)).any():
        return truth, 0
    topics, count, before = dict(truth.topics), 0, 0
    for name, topic in spans.items():
        assert topic.start is not None and topic.end is not None
        length, before = lengths[before : before + len(topic)], before + len(topic)
        beyond = (topic.end > length) & (topic.grade > 0)
        if not beyond.any():
            continue
        outside = np.flatnonzero(beyond & (topic.start >= length))
        if len(outside):
            row = int(outside[0])
            raise InputError(
                f"{topic.name(row)} of topic {name} starts after the end of its document, which has length "
                f"{length[row]:g}",
                path=truth.source or None,
                line=int(topic.line[row]) if topic.line is not None else None,
                remedy=f"correct it, or the length in {collection.source or 'the collection'}",
            )
        count += int(beyond.sum())
        end = np.where(beyond, length, topic.end).astype(topic.end.dtype)
        topics[name] = replace(topic, end=end)
    return replace(truth, topics=topics), count


def _with_judged_lengths(collection: Collection | None, truth: Truth) -> tuple[Collection, list[Note]]:
    """Add the lengths that a truth has for documents that the collection lacks."""
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
    """Return the unit of positions, if truth or options give it; positions with fractions are not characters."""
    if _has_boxes(truth):
        return "pages"
    if _unit(truth):
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
