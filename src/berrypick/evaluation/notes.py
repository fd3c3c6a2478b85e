"""Notes on the results of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.columns import as_kept
from berrypick.data.errors import Message, option, shorten
from berrypick.data.navigation import LinkTable, Navigation
from berrypick.data.results import Note, Row, mean, whole_documents_note
from berrypick.data.run import Run
from berrypick.data.score import number
from berrypick.data.truth import Truth
from berrypick.data.words import counted, material, plain_title
from berrypick.documents.near_names import KnownNames, near_hint
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.run_order import order_notes
from berrypick.inputs.titles import titles_of
from berrypick.measures import Measure

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts
    from berrypick.evaluation.evaluation import Evaluation
    from berrypick.evaluation.scoring import RunScorer

#: Values of counted= under which a result that repeats another one counts like any other.
#: Below this share overlap is not worth a line.
LEAST_OVERLAP = 5e-5


def run_notes(scorer: RunScorer) -> list[Note]:
    """Everything that was skipped, assumed or not computed for one run."""
    return [
        *(Note("input", text) for text in scorer.run.notes),
        *(unread_notes(scorer.run) if scorer.run.origin.unread else ()),
        *(skipped_notes(scorer.run) if scorer.run.skipped else ()),
        *_topic_notes(scorer),
        *document_notes(scorer),
        *score_notes(scorer.run),
        *_ranking_notes(scorer),
        *(note for one in scorer.evaluation.measures for note in _measure_notes(scorer, one)),
    ]


def lengths_notes(evaluation: Evaluation, reads: Mapping[str, Container[str]]) -> list[Note]:
    """Measures that count all documents, where only the judged ones are known."""
    collection = evaluation.context.reader.collection
    if collection is None or not collection.judged_only:
        return []
    known = counted(len(collection), "judged document")
    text = Message(f"lengths are known for the {known} only; give all with {option('collection')}")
    return [Note("lengths", text, measure=one.text) for one in evaluation.measures if "lengths" in reads[one.text]]


#: Writing without spaces between words: the first and last character, its name, and what a token is in it.
_UNSPACED = (
    ("\u0e00", "\u0e7f", "Thai", "letter"),
    ("\u0e80", "\u0eff", "Lao", "letter"),
    ("\u1780", "\u17ff", "Khmer", "letter"),
    ("\u1000", "\u109f", "Burmese", "letter"),
    ("\u3040", "\u309f", "Japanese", "character"),
    ("\u4e00", "\u9fff", "Chinese or Japanese", "ideograph"),
)
#: So many documents are looked at, and so many characters of each.
_LOOKED_AT = (50, 2000)


def unspaced_notes(truth: Truth, texts: Texts, rows: Sequence[Row]) -> list[Note]:
    """What a budget of tokens means in texts whose words are not told apart by spaces."""
    from berrypick.documents.token_offsets import WORDS

    counted_in = dict.fromkeys(row.measure for row in rows if WORDS in row.signature.get("tokenizer"))
    if not counted_in:
        return []
    judged = dict.fromkeys(name for topic in truth.topics.values() for name in topic.documents())
    some_texts = [texts[name][: _LOOKED_AT[1]] for name in list(judged)[: _LOOKED_AT[0]] if name in texts]
    whole = "".join(some_texts)
    codes = np.frombuffer(b"" if whole.isascii() else whole.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    for first, last, script, unit in _UNSPACED:
        if 10 * int(((codes >= ord(first)) & (codes <= ord(last))).sum()) > len(whole) > 0:
            text = Message(
                f"{script} has no spaces between words: each {unit} counts as a token; "
                f"{option('tokenizer')} chooses a tokenizer that splits words"
            )
            return [Note("tokens", text, measure=measure) for measure in counted_in]
    return []


def unread_notes(value: Truth | Run) -> list[Note]:
    """Fields that are not read."""
    from berrypick.rows.fields import unread_note

    text = unread_note(value.origin.unread)
    return [Note("unread", text)] if text else []


def skipped_notes(value: Truth | Run | LinkTable, source: str = "") -> Iterator[Note]:
    """What the reader of a file skipped, merged or assumed."""
    where = f"{source}: " if source else ""
    for what, count in value.skipped.items():
        yield Note("skipped", f"{where}{what}: {count}")


def reading_notes(value: object, source: str) -> list[object]:
    """Return what the reader of a file skipped, merged or assumed, and what it did not read."""
    notes = [f"{source}: {note}" for note in value.notes] if isinstance(value, Run) else []
    if isinstance(value, Run) and value.texts.page_fields and value.boxes is None:
        from berrypick.evaluation.loader_pages import without_pages

        value = without_pages(value)
    if isinstance(value, (Truth, Run)) and value.origin.unread:
        notes += [f"{source}: {note}" for note in unread_notes(value)]
    return [*notes, *(skipped_notes(value, source) if isinstance(value, (Truth, Run, LinkTable)) else ())]


def _topic_notes(scorer: RunScorer) -> Iterator[Note]:
    truth, run = scorer.evaluation.truth, scorer.run
    ignored = [topic for topic in run.topics if topic not in truth]
    if ignored:
        missing = [topic for topic in truth.topics if topic not in run]
        hint = (
            (near_hint(ignored, missing, "run", "truth") or _near_questions(scorer, ignored, missing))
            if missing
            else ""
        )
        yield Note("unjudged topics", f"{counted(len(ignored), 'topic')} of the run not in the truth, ignored{hint}")
    absent = sum(1 for topic in scorer.topics if topic not in run and topic in truth.relevant_topics)
    if absent:
        yield Note("missing topics", f"{counted(absent, 'judged topic')} missing from the run, scored as empty lists")
    yield from _unanswerable_notes(scorer)
    answered_only = scorer.evaluation.options.topics == "run"
    if answered_only and (left := [topic for topic in truth.relevant_topics if topic not in run]):
        yield Note("missing topics", f"{counted(len(left), 'judged topic')} missing from the run, excluded from means")
    empty = [topic for topic in scorer.topics if topic not in truth.relevant_topics]
    if empty:
        asked = [one.text for one in scorer.evaluation.measures if one.measure.needs_targets]
        yield from _empty_notes(scorer, empty, asked)


def _near_questions(scorer: RunScorer, ignored: list[str], missing: list[str]) -> str:
    """The end of a note on topics of a run: those whose questions differ from the truth's in case or punctuation."""
    asked, titles = scorer.run.of_topics.asked, titles_of(scorer.evaluation.truth)
    theirs = {_near_form(text): text for topic in reversed(missing) for text in (topic, titles.get(topic, topic))}
    ours = [asked.get(name, name) for name in ignored]
    near = [(text, theirs[form]) for text in ours if " " in (form := _near_form(text)) and form in theirs]
    if not near:
        return ""
    shown = "; ".join(f"run {shorten(mine, 80)!r}, did you mean {shorten(other, 80)!r}?" for mine, other in near[:3])
    return f"; {counted(len(near), 'question')} would match except for case or punctuation ({shown})"


def _near_form(question: str) -> str:
    return plain_title(question).casefold().rstrip(" ?!.:;\u2026\uff1f\u3002")


def _unanswerable_notes(scorer: RunScorer) -> Iterator[Note]:
    """Topics without an answer that the run does not mention: it abstained, or it crashed."""
    truth, run = scorer.evaluation.truth, scorer.run
    count = sum(topic not in run and truth.topics[topic].unanswerable for topic in scorer.topics)
    asked = any("missing" in one.measure.dependencies() for one in scorer.evaluation.measures)
    topics = counted(count, "topic") + " without an answer"
    it = "it" if count == 1 else "they"
    if count and run.of_topics.missing == "absent":
        text = f"{topics} missing from the run, so {it} did not abstain"
        remedy = f"give {'it' if count == 1 else 'them'} an empty list of results, or use {option('missing', 'empty')}"
        yield Note("missing topics", Message(f"{text}; if the run found nothing, {remedy}"))
    elif count and asked:
        has, counts = ("has", "counts as an empty list") if count == 1 else ("have", "count as empty lists")
        text = f"{topics} {has} no rows in the run and {counts}, which is abstaining"
        yield Note("missing topics", Message(f"{text}; if the run failed, use {option('missing', 'absent')}"))


def _empty_notes(scorer: RunScorer, empty: list[str], measures: list[str]) -> Iterator[Note]:
    """What topics without targets count: they are undefined, or have the value that a protocol gives them."""
    undefined: dict[int, list[str]] = {}
    given: dict[str, list[float]] = {}
    for text in measures:
        values = [scorer.scores.found[text].numbers[topic] for topic in empty]
        given[text] = [value for value in values if value is not None]
        if len(given[text]) < len(empty):
            undefined.setdefault(len(empty) - len(given[text]), []).append(text)
    for count, texts in undefined.items():
        of = f" of {some(texts)}" if len(texts) < len(scorer.evaluation.measures) else ""  # others have values
        yield Note(
            "topics without targets",
            f"1 judged topic has nothing relevant; its value{of} is undefined and left out of means"
            if count == 1
            else f"{count} judged topics have nothing relevant; their values{of} are undefined and left out of means",
        )
    rule = f"as protocol {scorer.evaluation.context.protocol} does"
    for text, found in given.items():
        if found:
            shown = " or ".join(number(value) for value in sorted({*found}))
            what = f"{shown} where nothing is relevant, {rule}"
            yield Note("topics without targets", what, measure=text, count=len(found))


def meaningless_notes(scorer: RunScorer) -> Iterator[Note]:
    """What must be known of a number that is handed on alone."""
    yield from document_notes(scorer)
    for one in scorer.evaluation.measures:
        yield from _whole_documents_note(scorer, one)


def document_notes(scorer: RunScorer) -> Iterator[Note]:
    """Numbers that mean nothing, since names do not match."""
    truth, run = scorer.evaluation.truth, scorer.run
    navigation = scorer.evaluation.context.reader.navigation
    if navigation is None or not scorer.has_measures(of_documents=False):
        # else users may move from what is retrieved to what is judged
        unknown = list(unknown_documents_note(truth, run))
        yield from unknown
        in_lines = truth.units == "spans" and truth.unit == "lines"
        if in_lines and not unknown:
            from berrypick.evaluation.line_units import near_paths

            if near := near_paths(truth, run):
                yield Note("near paths", near)
    elif not _occurs(navigation, scorer):
        source = navigation.source or "the navigation"
        yield Note(
            "unused navigation",
            f"no unit of the run or the truth occurs in {source}, so it has no effect "
            f"({source}: {some(navigation.units)}; run: {some(_retrieved(scorer))})",
        )


def _retrieved(scorer: RunScorer) -> list[str]:
    """The first names of what is retrieved, as user models know them."""
    from berrypick.topics.judge import judge_topic

    context = next(iter(scorer.evaluation.contexts.values()))
    found = (judge_topic(scorer.evaluation.truth, scorer.run, topic, context).ranking for topic in scorer.topics)
    names = (ranking.name(row) for ranking in found for row in range(len(ranking)))
    return list(dict.fromkeys(islice(names, 4)))


def score_notes(run: Run) -> Iterator[Note]:
    """Orders that the scores leave open or contradict, and scores that are most likely distances."""
    score = as_kept(run.score)
    if score is None or run.ordering.ties != "score" or run.size() < 2:
        yield from order_notes(run)
        return
    tied = score[1:] == score[:-1]
    tied[run.inner_bounds - 1] = False  # neighbours of different topics
    if tied.any():
        count = int((np.append(tied, False) | np.append(False, tied)).sum())
        yield Note("ties", f"{count} results share their score with another one of their topic{_tie_order(run, tied)}")
    if _rises(run, tied):
        text = "the scores rise down the list, but the largest ranks first; if they are distances, negate them"
        yield Note("rising scores", Message(f"{text}, or use {option('order', 'file')}"))
    else:
        yield from order_notes(run)


def _tie_order(run: Run, tied: BoolArray) -> str:
    """How results of equal scores are ordered. Several results may stand in one line."""
    rows = np.flatnonzero(tied)
    if run.line is None:
        return ""
    steps = run.line[rows + 1].astype(np.int64) - run.line[rows]
    kept = (steps > 0).all() or ((steps >= 0).all() and (run.points_into_documents or not _names_fall(run, tied)))
    return "; they keep the order given" if kept else "; they are ordered by document name, as trec_eval does"


def _names_fall(run: Run, tied: BoolArray) -> bool:
    rows = np.flatnonzero(tied).tolist()
    names, code = run.documents, run.document
    return all(names[int(code[row])] > names[int(code[row + 1])] for row in rows)


def _rises(run: Run, tied: BoolArray) -> bool:
    """Whether neighbours in the ranking that differ in their scores all come in the opposite order in the file."""
    apart = run.inner_bounds - 1
    for most in (1000, len(tied)):  # nearly every run shows its order at once
        ordered = ~tied[:most]
        ordered[apart[apart < most]] = False
        row = np.flatnonzero(ordered)
        if run.line is None or not (run.line[row + 1] < run.line[row]).all():
            return False
    return len(row) > 1


def _material(scorer: RunScorer) -> str:
    return material(scorer.evaluation.context.reader.line_unit)


def _ranking_notes(scorer: RunScorer) -> Iterator[Note]:
    scores = scorer.scores
    if scores.repeats:
        each = [one.text for one in scorer.evaluation.measures if one.measure.counts_repeats()]
        but = f", but counts again in {some(each)}" if each else ""
        yield Note(
            "repeated results",
            f"1 result repeats an earlier one of the same topic; it adds nothing{but}"
            if scores.repeats == 1
            else f"{scores.repeats} results repeat an earlier one of the same topic; they add nothing"
            f"{but.replace('counts', 'count')}",
        )
    if scorer.evaluation.context.max_ranks is not None:
        yield from _cut_notes(scorer, scorer.evaluation.context.max_ranks)
    share = mean(list(scores.overlap.values()))
    if share is not None and share >= LEAST_OVERLAP:
        yield Note(
            "overlap", f"{100 * share:.3g}% of the retrieved {_material(scorer)} repeats earlier results (Overlap)"
        )
    for text, count in scores.user_notes.items():
        yield Note("user model", text, count=count)


def _cut_notes(scorer: RunScorer, longest: int) -> Iterator[Note]:
    """Results behind the last rank that a protocol counts."""
    beyond = [int((scorer.run.ranking(topic).rank >= longest).sum()) for topic in scorer.topics]
    if any(beyond):
        name, topics = scorer.evaluation.context.protocol, sum(count > 0 for count in beyond)
        text = f"{counted(sum(beyond), 'result')} after rank {longest} left out, as protocol {name} does"
        yield Note("cut", text, count=topics)


def _whole_documents_note(scorer: RunScorer, one: RequestedMeasure) -> Iterator[Note]:
    """A measure of whole documents where parts are judged says little about the parts."""
    units = scorer.evaluation.truth.units
    if instead := one.instead(units):
        yield whole_documents_note(one.text, instead, units)


def _measure_notes(scorer: RunScorer, one: RequestedMeasure) -> Iterator[Note]:
    yield from _whole_documents_note(scorer, one)
    scores = scorer.scores.found[one.text]
    defined = [value for topic in scorer.topics if (value := scores.numbers[topic]) is not None]
    above = sum(value > 1 + 1e-9 for value in defined)
    undefined = 0
    if len(defined) < len(scorer.topics) and one.measure.needs_targets:
        without = [topic for topic in scorer.topics if scores.numbers[topic] is None and topic in scorer.run]
        undefined = sum(scorer.evaluation.truth.topics[topic].has_relevant for topic in without)
    counts = Counter(text for topic in scorer.topics if topic in scores.more for text in scores.more[topic].notes)
    for text, count in counts.items():
        yield Note("measure", text, measure=one.text, count=count)
    if above and one.measure.higher_is_better and (why := one.measure.above_one()):
        yield Note("above one", f"values above 1: {why}", measure=one.text, count=above)
    if not one.measure.needs_targets and not defined:
        yield Note(
            "undefined",
            "undefined for every topic: the measure applies to none of the truth's topics",
            measure=one.text,
        )
    if one.measure.misses_text and scorer.evaluation.context.unjudged == "relevant":
        what = f"relevant {_material(scorer)} that is neither judged nor retrieved is unknown"
        text = f"{what}; with more judgements it may be lower"
        yield Note("unjudged text", text, measure=one.text)
    if undefined:
        yield Note("undefined", "undefined, and excluded from the mean", measure=one.text, count=undefined)
    silent = type(one.measure).beside_mean is Measure.beside_mean
    if not silent and (summary := one.measure.beside_mean([scores[topic] for topic in scorer.topics])):
        yield Note("summary", one.measure.beside_mean_note(summary), measure=one.text)


def _occurs(navigation: Navigation, scorer: RunScorer) -> bool:
    """Whether the navigation has any unit that is retrieved or a target, under the names that user models know.

    Those are names of documents, spans or elements; whole documents that are evaluated as spans have names of spans.
    """
    from berrypick.topics.judge import judge_topic

    units, evaluation = set(navigation.units), scorer.evaluation
    readers = {evaluation.contexts[one.text] for one in evaluation.measures if not one.measure.of_documents}
    if not units:
        return True
    judged = (
        judge_topic(evaluation.truth, scorer.run, topic, context) for context in readers for topic in scorer.topics
    )
    return any(
        not units.isdisjoint(one.targets.names())
        or any(one.ranking.name(row) in units for row in range(len(one.ranking)))
        for one in judged
    )


#: The names of all judged documents of a truth, for all runs.
_judged_names: WeakKeyDictionary[Truth, KnownNames] = WeakKeyDictionary()


def _judged(truth: Truth) -> KnownNames:
    if truth not in _judged_names:
        _judged_names[truth] = KnownNames([name for topic in truth.topics.values() for name in topic.documents()])
    return _judged_names[truth]


#: Runs with more documents are not searched for names that nearly match, which would take seconds.
_MOST_DOCUMENTS = 20_000


def unknown_documents_note(truth: Truth, run: Run) -> list[Note]:
    """A note if no document of a run is judged for any topic: most likely the two name documents differently.

    Also if some of them nearly match.
    """
    if not run.size() and not run.of_topics.extra:
        return [Note("empty run", "the run returns nothing, for any topic")]
    if run.has_more_documents(_MOST_DOCUMENTS):
        # nearly every run has a judged document of the first topics
        any_judged, candidates = any(map(run.has_any_document, _names_by_tens(truth))), list[str]()
    else:
        any_judged, candidates = _judged(truth).look(run)
    if any_judged:
        return _nearly_known(truth, run, candidates) if candidates else []
    known = _judged(truth)
    if not known.names:
        return []
    near = known.match(list(run.documents), files=True)
    remedy = ""
    if near is not None:
        shown = near.shown("run", "truth")
        remedy = f"; names differ in their {near.why}: use the same names in both ({shown})"
    examples = f"(truth: {some(sorted(known.names))}; run: {some(run.documents)})"
    return [Note("unknown documents", f"none of the run's documents is judged {examples}{remedy}")]


def _names_by_tens(truth: Truth) -> Iterator[list[str]]:
    """The judged documents of ten topics at a time."""
    topics = iter(truth.topics.values())
    while some_topics := list(islice(topics, 10)):
        yield list({name for topic in some_topics for name in topic.documents()})


def _nearly_known(truth: Truth, run: Run, candidates: Sequence[str]) -> list[Note]:
    """A note on documents that are not judged, but would be but for case, zeros or the form of their letters."""
    near = _judged(truth).match(candidates, without=set(run.documents))
    if near is None:
        return []
    documents = counted(near.many, "document")
    text = f"{documents} of the run match judged ones except for the {near.why} of names ({near.shown('run', 'truth')})"
    return [Note("unknown documents", text)]


def some(names: Sequence[str], most: int = 3) -> str:
    """The first of some names."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
