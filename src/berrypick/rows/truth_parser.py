"""Rows of judgements, read into the topics of a truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from berrypick.data.adopting import several_contexts
from berrypick.data.origin import Origin
from berrypick.data.truth import OFFSETS, Offsets, Quote, TopicFields, TopicTruth, Truth
from berrypick.files.problems import Problems
from berrypick.rows.counted_places import UNIT
from berrypick.rows.relevance_fields import EXPECTED, grade_of, wrong_grade
from berrypick.rows.row_lists import LISTED
from berrypick.rows.row_parser import PAGES, ParsedRow, Part, RowParser
from berrypick.rows.values import ONE_OF_TWO, SETS, Judgement, documents_topic, spans_topic

if TYPE_CHECKING:
    from berrypick.rows.memberships import Memberships

#: Fields of which a line that judges part of a document has one.
_OF_UNITS = ("start", "end", "quote", "grade", "set", "hop")


class TruthParser(RowParser):
    """Reads the rows of one annotator, and makes a truth of them."""

    def __init__(self, problems: Problems, path: str, topic_fields: TopicFields) -> None:
        super().__init__(problems)
        self.path, self.topic_fields = path, topic_fields
        # of every topic
        self.spans: dict[str, dict[tuple[Any, ...], Judgement]] = {}
        self.whole: dict[str, dict[str, Judgement]] = {}
        self.quotes: dict[str, list[Quote]] = {}
        self.listed_quotes = Counter[str]()  # relevant ones, which a row quotes in a list
        self.judged: dict[str, dict[str, int]] = {}  # documents that were judged as a whole, and a line
        self.unanswerable: dict[str, int] = {}
        # of sets and hops
        self.members: Memberships | None = None
        self.bare: dict[str, list[int]] = {}  # relevant lines before a first one that names a set or a hop
        # of all rows, each with a line that says so
        self.offsets: dict[Offsets | None, int] = {}
        self.units: dict[str, int] = {}
        self.with_page: dict[bool, int] = {}
        self.any_span = False
        self.unplaced: dict[str, None] = {}  # names of texts without a place
        self.checksums: dict[str, str] = {}

    # --- rows that judge no unit ---

    def add_topic_fields(self, row: ParsedRow) -> None:
        """Add other fields to those of the topic."""
        topic = row.value["topic"]
        if len(row.value) > 2 and isinstance(topic, (str, int)):
            self.topic_fields.add(str(topic), row.value, f"{self.path}:{row.number}")

    def read_checksum(self, row: ParsedRow) -> bool:
        """Read the checksum of a document."""
        if "topic" in row.value:
            return False
        self.checksums[row.name("doc")] = row.name("checksum")
        return True

    def read_no_answer(self, row: ParsedRow) -> bool:
        """Read that a topic has no answer.

        ``answer`` beside a span is another program's field; a document beside ``is_impossible``, as in SQuAD, is one
        that was judged as a whole.
        """
        value = row.value
        impossible = value.get("is_impossible") is True
        if not impossible and not ("answer" in value and value["answer"] is None):
            return False
        units = _units(value)
        if impossible and units:
            row.fail(
                f"is_impossible is true, but {units[0]} is given", "a topic without an answer has no spans and grades"
            )
        elif units:
            return False
        elif not impossible and value.get("doc") is not None:
            row.fail("has a document and no answer", "a topic without an answer names no document; else give a grade")
        self.unanswerable.setdefault(row.name("topic"), row.number)
        if value.get("doc") is not None:
            self.judged.setdefault(row.name("topic"), {}).setdefault(row.name("doc"), row.number)
        return True

    def read_judged(self, row: ParsedRow) -> bool:
        """Read that a document was judged as a whole, or that nothing was judged for a topic."""
        value, judged = row.value, row.value["judged"]
        if judged is None:
            return False
        units = _units(value)
        if judged is False:
            if not units and value.get("doc") is None:
                self.spans.setdefault(row.name("topic"), {})
                return True
            if units:
                return False
        topic, document = row.name("topic"), row.name("doc")
        if judged is not True:
            row.fail(f"judged must be true or missing, not {judged!r:.40}")
        elif units:
            row.fail("judged marks a whole document, without a span or grade", "write it in a line of its own")
        elif row.good and self.judged.setdefault(topic, {}).setdefault(document, row.number) != row.number:
            self.problems.count("exact copies, merged")
        return True

    # --- rows that judge a unit ---

    def read_grade(self, row: ParsedRow) -> None:
        """Read the grade, 1 where there is none; words are numbers already."""
        value = row.value.get("grade", 1.0)
        if grade_of(value) is None or isinstance(value, (bool, str)):
            row.fail(wrong_grade(row.called("grade"), value), EXPECTED)
        else:
            row.grade = float(value) if isinstance(value, float) else value

    def expect_sets(self, row: ParsedRow) -> None:
        """Read sets and hops from the first row on that names one."""
        if self.members is None and any(row.value.get(name) is not None for name in SETS):
            from berrypick.rows.memberships import Memberships

            self.members = Memberships(self.problems, self.bare)

    def read_sets(self, row: ParsedRow) -> None:
        """Read the sets or hops that the unit is in."""
        if self.members is not None:
            row.named = self.members.read(row, row.topic, row.grade)
        elif row.good and row.grade is not None and row.grade > 0:
            self.bare.setdefault(row.topic, []).append(row.number)

    def read_offsets(self, row: ParsedRow) -> None:
        """Read what start and end count, which is the same in all rows."""
        if row.value["start"] is None:
            return
        said = row.value.get("offsets")
        declared = None if said is None else next((unit for unit in OFFSETS if unit == said), None)
        if declared is None and isinstance(said, str):  # anything but a string is another program's field
            remedy = "add +bom (chars+bom) where they count the byte order mark of a text file too"
            row.fail(f"offsets count chars, bytes or utf16, not {said!r:.40}", remedy)
        elif (other := _another(self.offsets, declared, row.number)) is not None:
            here, there = (f"count {one}" if one else "are undeclared" for one in (declared, other[0]))
            row.fail(f"offsets {here} here, and {there} in line {other[1]}", "declare the same in every line")
        unit = str(row.value.get(UNIT, ""))
        if (first := _another(self.units, unit, row.number)) is not None:
            here, there = (f"count {one or 'characters'}" for one in (unit, first[0]))
            row.fail(f"offsets {here} here, and {there} in line {first[1]}", "give the same fields in every line")

    def read_place(self, row: ParsedRow) -> None:
        """Read the place on a page."""
        row.place = row.page_place(empty_allowed=row.grade == 0)

    def check_unit(self, row: ParsedRow) -> bool:
        """Stop at a row with a problem; its topic is known, although a target without area may be its only one."""
        if not row.good:
            self.spans.setdefault(row.topic, {})
        return not row.good

    def read_quote(self, row: ParsedRow) -> bool:
        """Read a quote; without offsets the documents say where it is."""
        value = row.value
        if row.place is not None or (value.get("quote") is None and not _has_text(value)):
            return False
        quote = _quote(row)
        if quote is None:
            return True
        self.quotes.setdefault(row.topic, []).append(quote)
        self.listed_quotes[row.topic] += LISTED in value and quote.grade > 0
        self.spans.setdefault(row.topic, {})
        self.any_span = True
        return not quote.has_offsets

    def read_document(self, row: ParsedRow) -> None:
        """Read the name of the document."""
        row.document = row.name("doc")

    def read_span(self, row: ParsedRow) -> None:
        """Read start and end."""
        if row.place is None:
            row.span = row.offsets(empty_allowed=row.grade == 0)

    def keep(self, row: ParsedRow) -> None:
        """Keep a judged unit: a span, a place on a page, or a whole document."""
        if not row.good or row.grade is None:
            return
        if row.place is not None:
            self._keep_part(row, (row.document, row.place))
        elif row.span is not None:
            self._keep_part(row, (row.document, *row.span))
        else:
            if isinstance(row.value.get("text"), str):
                self.unplaced[row.called("text")] = None
            self.spans.setdefault(row.topic, {})
            self._keep_unit(row, self.whole.setdefault(row.topic, {}), row.document)

    def _keep_part(self, row: ParsedRow, key: tuple[Any, ...]) -> None:
        self.any_span = True
        paged = row.place is not None
        self.with_page.setdefault(paged, row.number)
        if len(self.with_page) > 1:
            what = f"only some spans have a page; line {self.with_page[not paged]} is another kind"
            row.fail(what, "give pages for every span, or for none")
        else:
            self._keep_unit(row, self.spans.setdefault(row.topic, {}), key)

    def _keep_unit(self, row: ParsedRow, known: dict[Any, Judgement], key: Any) -> None:
        """Keep a unit once; a copy of it may name a set that the others do not."""
        assert row.grade is not None
        news = self.members is not None and self.members.add(row.topic, key, row.named)
        if key not in known:
            known[key] = (row.grade, row.number)
        elif known[key][0] != row.grade:
            there = f"{known[key][0]:g} in line {known[key][1]}"
            row.fail(f"the same unit of {row.document} has grade {row.grade:g} here and {there}", ONE_OF_TWO)
        elif not news:
            self.problems.count("exact copies, merged")

    parts = (
        Part.of(add_topic_fields, "topic"),
        Part.of(read_checksum, "checksum"),
        Part.of(read_no_answer, "is_impossible", "answer"),
        Part.of(read_judged, "judged"),
        Part.of(RowParser.read_topic),
        Part.of(read_grade),
        Part.of(expect_sets, *SETS),
        Part.of(read_sets),
        Part.of(read_offsets, "start"),
        Part.of(read_place, *PAGES),
        Part.of(check_unit),
        Part.of(read_quote, "quote", "text"),
        Part.of(read_document),
        Part.of(read_span, "start", "end"),
        Part.of(keep),
    )

    # --- all rows ---

    def truth(self) -> Truth:
        """Make the truth of all rows."""
        for topic in (*self.judged, *self.unanswerable):
            self.spans.setdefault(topic, {})
        if self.members is not None:
            self.members.check()
        relevant = any(grade > 0 for found in self.whole.values() for grade, _ in found.values())
        of_spans = self.any_span or not self.whole or (self.judged and not relevant)
        truth = self._of_spans() if of_spans else self._of_documents()
        several = 0 if self.members is not None else sum(count > 1 for count in self.listed_quotes.values())
        notes = (*truth.notes, *((several_contexts(several),) if several else ()))
        truth = truth.changed(checksums=self.checksums, unread=tuple(self.unplaced), notes=notes)
        return self._without_answers(truth) if self.unanswerable else truth

    def _of_spans(self) -> Truth:
        for found in self.whole.values():
            for document, (grade, line) in found.items():
                if grade > 0:
                    what = f"{document} is judged relevant as a whole, but other lines judge spans"
                    self.problems.report(what, line, remedy="give start and end for every relevant line, or for none")
        topics = {
            topic: spans_topic(
                topic,
                found,
                empty_documents=tuple(self.whole.get(topic, ())),
                quotes=tuple(self.quotes.get(topic, ())),
                judged_documents=tuple(self.judged.get(topic, ())),
                unit=next(iter(self.units), ""),
                **self._set_columns(topic, found),
            )
            for topic, found in self.spans.items()
        }
        return Truth("spans", topics, Origin(self.path, "span-truth"), offsets=next(iter(self.offsets), None))

    def _of_documents(self) -> Truth:
        """Documents judged as a whole and not graded are not relevant, where others are graded as a whole."""
        topics: dict[str, TopicTruth] = {}
        for topic in self.spans:
            found = {document: (0.0, line) for document, line in self.judged.get(topic, {}).items()}
            found |= self.whole.get(topic, {})
            topics[topic] = documents_topic(topic, found, **self._set_columns(topic, found))
        return Truth("documents", topics, Origin(self.path, "span-truth"))

    def _set_columns(self, topic: str, units: Mapping[Any, Judgement]) -> dict[str, Any]:
        return {} if self.members is None else self.members.columns(topic, units)

    def _without_answers(self, truth: Truth) -> Truth:
        """Mark the topics that have no answer, none of which may have relevant text."""
        topics = dict(truth.topics)
        for name, line in self.unanswerable.items():
            topic = topics[name]
            if topic.has_relevant or any(quote.grade > 0 for quote in topic.quotes):
                self.problems.report(f"topic {name} has no answer in one line, but other lines give one", line)
            topics[name] = replace(topic, no_answer=True)
        return replace(truth, topics=topics)


def _units(value: Mapping[str, Any]) -> list[str]:
    """Fields of a row that judge part of a document."""
    return [name for name in _OF_UNITS if value.get(name) is not None]


def _another(known: dict[Any, int], unit: Any, line: int) -> tuple[Any, int] | None:
    """What the first row says, and its line, if this one says something else."""
    if unit in known and len(known) == 1:  # nearly always
        return None
    known.setdefault(unit, line)
    first = next(iter(known))
    return None if first == unit else (first, known[first])


def _has_text(value: Mapping[str, Any]) -> bool:
    """Whether a row has the text of its span beside the offsets; without offsets, ``text`` may be anything."""
    text = value.get("text")
    offsets = value.get("start") is not None and value.get("end") is not None
    return offsets and isinstance(text, str) and bool(text.strip())


def _quote(row: ParsedRow) -> Quote | None:
    """The quote of a row with its offsets; None if something is wrong."""
    text, document = row.value.get("quote"), row.value.get("doc")
    text = row.value["text"] if text is None else text
    if not isinstance(text, str) or not text.strip():
        row.fail("quote must be a non-empty string")
        return None
    name = None if document is None else row.name("doc")
    start, end = row.number_of("start"), row.number_of("end")
    if start is None and end is not None:
        row.fail("the quote has end but no start", "give both, or start, or neither")
    elif start is not None and start < 0:
        row.fail(f"start {start:g} is below 0")
    if not row.good or row.grade is None:
        return None
    sets, hops = (row.named.get(held, ()) for held in SETS.values())
    return Quote(text, name, start, end, float(row.grade), row.number, sets=sets, hops=hops)
