"""Rows of judgements as a truth, whatever carrier they come from, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from berrypick.data.run import place_record
from berrypick.data.truth import OFFSETS, Offsets, Quote, TopicFields, TopicTruth, Truth, in_sets
from berrypick.files.problems import Problems
from berrypick.rows.counted_places import COUNTED, UNIT
from berrypick.rows.fields import PAGE_NAMES, QUESTIONS
from berrypick.rows.json_lines import Fields, Rows, plain
from berrypick.rows.layouts import one_place_each
from berrypick.rows.questions import by_place
from berrypick.rows.relevance_fields import EXPECTED, grade_of, with_grades, wrong_grade
from berrypick.rows.values import (
    ONE_OF_TWO,
    SETS,
    Judgement,
    documents_topic,
    spans_topic,
)

#: Fields of judgements and of runs; any other is a field of the topic.
OWN_FIELDS = frozenset({"topic", "doc", "start", "end", "grade", "quote", "offsets", "length", "text", "tag", "answer",
                        "judged", "is_impossible", "annotator", "set", "hop", UNIT, "score", "rank", "results",
                        *COUNTED, *PAGE_NAMES})  # fmt: skip


#: A row with none of these has no place on a page.
PAGES = frozenset(PAGE_NAMES)


#: The remedy where only some spans have pages.
ONE_KIND = "give pages for every span, or for none"


def truth_of_rows(rows: Rows, problems: Problems, path: str) -> Truth:
    """Checked rows of any source with these columns: lines of JSON, a table, a data frame."""
    split = _ByAnnotator(with_grades(by_place(rows, problems)), problems)
    topic_fields = TopicFields(OWN_FIELDS, QUESTIONS)
    first = _truth_of_one(split.first_rows(), problems, path, topic_fields)
    parts = {split.first: first}
    for who, held in split.others.items():
        parts[who] = _truth_of_one(held, problems, path, topic_fields)
    found = topic_fields.found()
    unread = (name for name, field in found.items() if field.problem and name not in QUESTIONS)
    unplaced = (name for part in parts.values() for name in part.unread)
    truth = _together(parts, problems)
    notes = (*truth.notes, *topic_fields.notes())
    return replace(truth, fields=found, notes=notes, unread=tuple(dict.fromkeys((*unplaced, *unread))))


def _truth_of_one(rows: Rows, problems: Problems, path: str, topic_fields: TopicFields) -> Truth:
    """The judgements of one annotator."""
    spans: dict[str, dict[tuple[Any, ...], Judgement]] = {}
    quotes: dict[str, list[Quote]] = {}
    whole: dict[str, dict[str, Judgement]] = {}
    judged: dict[str, dict[str, int]] = {}
    unanswerable: dict[str, int] = {}
    checksums: dict[str, str] = {}
    counting: dict[Offsets | None, int] = {}
    unplaced: dict[str, None] = {}
    any_span = False
    units: dict[str, int] = {}  # what offsets count, and a line in which they do
    members: Memberships | None = None  # of sets and hops
    bare: dict[str, list[int]] = {}  # relevant lines before a first one that names a set or a hop
    places: dict[bool, int] = {}  # whether lines have pages, and a line that has or has none
    for _, number, text, value in one_place_each(rows):
        fields = Fields(number, text, value, problems)
        if len(value) > 2 and isinstance(value.get("topic"), (str, int)):
            topic_fields.add(str(value["topic"]), value, f"{path}:{number}")
        if "checksum" in value and "topic" not in value:
            checksums[fields.name("doc")] = fields.name("checksum")
            continue
        if _has_no_answer(fields):
            unanswerable.setdefault(fields.name("topic"), number)
            if value.get("doc") is not None:
                judged.setdefault(fields.name("topic"), {}).setdefault(fields.name("doc"), number)
            continue
        said = value.get("judged") is not None
        if said and _is_unjudged(fields):
            spans.setdefault(fields.name("topic"), {})
            continue
        if said and _is_judged_whole(fields):
            _judge_whole(fields, judged)
            continue
        topic, grade = fields.name("topic"), _grade(fields)
        if members is None and any(value.get(name) is not None for name in SETS):
            from berrypick.rows.memberships import Memberships

            members = Memberships(problems, bare)
        named: dict[str, tuple[str, ...]] = {} if members is None else members.read(fields, topic, grade)
        if members is None and fields.good and grade is not None and grade > 0:
            bare.setdefault(topic, []).append(number)
        if value.get("start") is not None:
            _count(fields, counting)
            _same_unit(fields, units)
        place = None if PAGES.isdisjoint(value) else fields.page_place(empty_allowed=grade == 0)
        if not fields.good:
            spans.setdefault(topic, {})  # of which a target without area may be the only one
            continue
        if place is None and (value.get("quote") is not None or _has_text(value)):
            quote = _quote(fields, grade)
            if quote is None:
                continue
            quotes.setdefault(topic, []).append(replace(quote, sets=named.get("sets", ()), hops=named.get("hops", ())))
            spans.setdefault(topic, {})
            any_span = True
            if not quote.has_offsets:
                continue
        document = fields.name("doc")
        span: tuple[Any, ...] | None = (place,) if place else fields.offsets(empty_allowed=grade == 0)
        if not fields.good or grade is None:
            continue
        if span is None:
            if isinstance(value.get("text"), str):
                unplaced[fields.called("text")] = None
            whole.setdefault(topic, {})
            spans.setdefault(topic, {})
            _once(
                fields,
                whole[topic],
                document,
                grade,
                members is not None and bool(named) and members.add(topic, document, named),
            )
        else:
            any_span = True
            if places.setdefault(place is not None, number) and len(places) > 1:
                fields.fail(f"only some spans have a page; line {places[place is None]} is another kind", ONE_KIND)
                continue
            key = (document, *span)
            _once(
                fields,
                spans.setdefault(topic, {}),
                key,
                grade,
                members is not None and bool(named) and members.add(topic, key, named),
            )
    for topic in (*judged, *unanswerable):
        spans.setdefault(topic, {})
    if members is not None:
        members.check()
    relevant = any(grade > 0 for found in whole.values() for grade, _ in found.values())
    if any_span or not whole or (judged and not relevant):
        _no_whole_documents(whole, problems)
        topics = {
            topic: spans_topic(
                topic,
                found,
                empty_documents=tuple(whole.get(topic, ())),
                quotes=tuple(quotes.get(topic, ())),
                judged_documents=tuple(judged.get(topic, ())),
                unit=next(iter(units), ""),
                **({} if members is None else members.columns(topic, found)),
            )
            for topic, found in spans.items()
        }
        truth = Truth("spans", topics, path, "span-truth", offsets=next(iter(counting), None))
    else:
        graded = {topic: {**_not_relevant(judged.get(topic, {})), **whole.get(topic, {})} for topic in spans}
        topics = {
            topic: documents_topic(topic, found, **({} if members is None else members.columns(topic, found)))
            for topic, found in graded.items()
        }
        truth = Truth("documents", topics, path, "span-truth")
    truth = replace(truth, checksums=checksums, unread=tuple(unplaced))
    return _without_answers(truth, unanswerable, problems) if unanswerable else truth


def _once(fields: Fields, known: dict[Any, Judgement], key: Any, grade: float, news: bool) -> None:
    """Keep a unit; ``news``: a copy of it names a set that the others do not."""
    if key in known and known[key][0] != grade:
        there = f"{known[key][0]:g} in line {known[key][1]}"
        document = fields.name("doc")
        fields.fail(f"the same unit of {document} has grade {grade:g} here and {there}", ONE_OF_TWO)
    elif key in known and not news:
        fields.problems.count("exact copies, merged")
    known.setdefault(key, (grade, fields.number))


def _no_whole_documents(whole: dict[str, dict[str, Judgement]], problems: Problems) -> None:
    remedy = "give start and end for every relevant line, or for none"
    for found in whole.values():
        for document, (grade, line) in found.items():
            if grade > 0:
                what = f"{document} is judged relevant as a whole, but other lines judge spans"
                problems.report(what, line, remedy=remedy)


def rows_of_truth(value: Any) -> Iterator[dict[str, Any]]:
    """A truth as lines have it."""
    judgements = value.annotators or {"": value.topics}
    for who, topic in ((who, topic) for who, topics in judgements.items() for topic in topics.values()):
        more = {name: of.values[topic.topic] for name, of in value.fields.items() if topic.topic in of.values}
        more |= {"annotator": who} if who else {}
        unit = {} if value.offsets is None else {"offsets": value.offsets}
        checks: dict[tuple[str | None, float | None, float | None], str] = {}
        others = [
            q
            for q in topic.quotes
            if not q.has_offsets or checks.setdefault((q.document, q.start, q.end), q.text) != q.text
        ]
        for row, document in enumerate(topic.document):
            record: dict[str, Any] = {"topic": topic.topic, "doc": document}
            if topic.boxes is not None:
                record |= topic.boxes.record(row)
            elif topic.start is not None:
                start, end = plain(topic.start[row]), plain(topic.end[row])
                record |= place_record(topic.unit, start, end)
                if (document, start, end) in checks:
                    record["quote"] = checks[document, start, end]
            record |= {"grade": plain(topic.grade[row]), **topic.memberships(row)}
            yield record | (unit if topic.start is not None else {}) | more
        for quote in others:
            yield _quoted(topic.topic, quote) | (unit if quote.start is not None else {}) | more
        for record in _wholes(topic):
            yield {"topic": topic.topic, **record, **more}
    for document, made_on in value.checksums.items():
        yield {"doc": document, "checksum": made_on}


class _ByAnnotator:
    """Rows by who judged: those of the first annotator as they are read, those of others kept for later."""

    def __init__(self, rows: Rows, problems: Problems) -> None:
        self._rows, self._problems = rows, problems
        self.first = ""
        self.others: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}

    def first_rows(self) -> Rows:
        known = False
        for row in self._rows:
            who = self._annotator(row)
            if not known and "topic" in row[2]:
                self.first, known = who, True
            if who == self.first or "topic" not in row[2]:
                yield row
            else:
                self.others.setdefault(who, []).append(row)

    def _annotator(self, row: tuple[int, str, dict[str, Any]]) -> str:
        given = row[2].get("annotator")
        if given is None or given == "":
            return ""
        return Fields(*row, self._problems).name("annotator")


def _together(parts: dict[str, Truth], problems: Problems) -> Truth:
    """The judgements of all annotators as one truth."""
    (name, first), *others = parts.items()
    if not others:
        return replace(first, annotators={name: first.topics}) if name else first
    for who, part in parts.items():
        if part.units != "spans":
            what = f"the lines of {f'annotator {who}' if who else 'no annotator'} judge whole documents"
            problems.report(what, remedy="judgements of several annotators are spans")
            return first
        if part.offsets != first.offsets or part.unit != first.unit:
            problems.report("offsets count different things in the lines of different annotators")
    from berrypick.data.annotators import merge_annotators

    annotators = {who: part.topics for who, part in parts.items()}
    return replace(
        first,
        topics=merge_annotators(annotators),
        annotators=annotators,
        checksums={name: made_on for part in parts.values() for name, made_on in part.checksums.items()},
    )


def _wholes(topic: TopicTruth) -> Iterator[dict[str, Any]]:
    """What a topic says of whole documents, or of all of them."""
    documents = dict.fromkeys(topic.document) if topic.judged_whole and topic.start is not None else ()
    for document in dict.fromkeys((*topic.judged_documents, *documents)):
        yield {"doc": document, "judged": True}
    for document in topic.empty_documents:
        yield {"doc": document, "grade": 0}
    if topic.no_answer:
        yield {"answer": None}
    elif not topic.quotes and not any(topic.documents()):
        yield {"judged": False}


def _grade(fields: Fields) -> float | None:
    """The grade of a line, 1 where it has none; words are numbers already."""
    value = fields.value.get("grade", 1.0)
    if grade_of(value) is None or isinstance(value, (bool, str)):
        fields.fail(wrong_grade(fields.called("grade"), value), EXPECTED)
        return None
    return float(value) if isinstance(value, float) else value


def _has_no_answer(fields: Fields) -> bool:
    """Whether a line says that its topic has no answer. ``answer`` beside a span is another program's field; a document
    beside ``is_impossible``, as in SQuAD, is one that was judged as a whole."""
    value = fields.value
    impossible = value.get("is_impossible") is True
    if not impossible and not ("answer" in value and value["answer"] is None):
        return False
    units = [name for name in _OF_UNITS if value.get(name) is not None]
    if impossible and units:
        fields.fail(f"is_impossible stands beside {units[0]}", "a topic without an answer has no spans and grades")
    elif not impossible and not units and value.get("doc") is not None:
        fields.fail("has a document and no answer", "a topic without an answer names no document; else give a grade")
    return impossible or not units


#: Fields of which a line that judges part of a document has one.
_OF_UNITS = ("start", "end", "quote", "grade", "set", "hop")


def _is_unjudged(fields: Fields) -> bool:
    """Whether a line says that nothing was judged for its topic."""
    said = any(fields.value.get(name) is not None for name in ("doc", *_OF_UNITS))
    return fields.value.get("judged") is False and not said


def _is_judged_whole(fields: Fields) -> bool:
    units = any(fields.value.get(name) is not None for name in _OF_UNITS)
    said = fields.value.get("judged")
    return said is not None and not (said is False and units)


def _judge_whole(fields: Fields, judged: dict[str, dict[str, int]]) -> None:
    """A document that was judged as a whole."""
    topic, document = fields.name("topic"), fields.name("doc")
    if fields.value["judged"] is not True:
        fields.fail(f"judged is true or missing, not {fields.value['judged']!r:.40}")
    elif any(fields.value.get(name) is not None for name in _OF_UNITS):
        fields.fail("judged stands for a whole document, without a span or grade", "put it into a line of its own")
    elif fields.good and judged.setdefault(topic, {}).setdefault(document, fields.number) != fields.number:
        fields.problems.count("exact copies, merged")


def _without_answers(truth: Truth, unanswerable: dict[str, int], problems: Problems) -> Truth:
    """The truth with the topics marked that have no answer, none of which may have relevant text."""
    topics = dict(truth.topics)
    for name, line in unanswerable.items():
        topic = topics[name]
        if topic.has_relevant or any(quote.grade > 0 for quote in topic.quotes):
            problems.report(f"topic {name} is said to have no answer, but other lines give one", line)
        topics[name] = replace(topic, no_answer=True)
    return replace(truth, topics=topics)


def _count(fields: Fields, known: dict[Offsets | None, int]) -> None:
    """What the offsets of a line count, which is the same in all lines."""
    said = fields.value.get("offsets")
    unit = next((unit for unit in OFFSETS if unit == said), None)
    if unit is None and isinstance(said, str):  # anything but a string is another program's field
        remedy = "add +bom (chars+bom) where they count the byte order mark of a text file too"
        fields.fail(f"offsets count chars, bytes or utf16, not {said!r:.40}", remedy)
        return
    known.setdefault(unit, fields.number)
    other, line = next(iter(known.items()))
    if other != unit:
        here, there = (f"count {one}" if one else "are undeclared" for one in (unit, other))
        fields.fail(f"offsets {here} here, and {there} in line {line}", "declare the same in every line")


def _same_unit(fields: Fields, known: dict[str, int]) -> None:
    """Lines, seconds or characters in all lines alike."""
    unit = str(fields.value.get(UNIT, ""))
    known.setdefault(unit, fields.number)
    other, line = next(iter(known.items()))
    if other != unit:
        here, there = (f"count {one or 'characters'}" for one in (unit, other))
        fields.fail(f"offsets {here} here, and {there} in line {line}", "give the same fields in every line")


def _has_text(value: dict[str, Any]) -> bool:
    """Whether a line has the text of its span beside the offsets; without offsets, ``text`` may be anything."""
    text = value.get("text")
    offsets = value.get("start") is not None and value.get("end") is not None
    return offsets and isinstance(text, str) and bool(text.strip())


def _quote(fields: Fields, grade: float | None) -> Quote | None:
    """A quote with the offsets of its line; None if something is wrong."""
    text, document = fields.value.get("quote"), fields.value.get("doc")
    text = fields.value["text"] if text is None else text
    if not isinstance(text, str) or not text.strip():
        fields.fail("quote must be a non-empty string")
        return None
    name = None if document is None else fields.name("doc")
    start, end = fields.number_of("start"), fields.number_of("end")
    if start is None and end is not None:
        fields.fail("the quote has end but no start", "give both, or start, or neither")
    elif start is not None and start < 0:
        fields.fail(f"start {start:g} is below 0")
    if not fields.good or grade is None:
        return None
    return Quote(text, name, start, end, float(grade), fields.number)


def _quoted(topic: str, quote: Quote) -> dict[str, Any]:
    """A line for a quote that has not been located, or for another quote of a place."""
    start, end = (None if offset is None else plain(offset) for offset in (quote.start, quote.end))
    known = {"doc": quote.document, "start": start, "end": end, "quote": quote.text}
    given = {key: value for key, value in known.items() if value is not None}
    return {"topic": topic, **given, "grade": plain(quote.grade), **in_sets(quote.sets, quote.hops)}


def _not_relevant(judged: dict[str, int]) -> dict[str, Judgement]:
    """Documents judged as a whole, where others are graded as a whole: of these no line says that they are relevant."""
    return {document: (0.0, line) for document, line in judged.items()}
