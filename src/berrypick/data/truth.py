"""The truth: what was judged, topic by topic, and the targets that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray, Narrow, Positions
from berrypick.data.errors import InputError, UsageError, shorten
from berrypick.data.exchange import Exchanged, Kind
from berrypick.data.observed import records
from berrypick.data.origin import Composed, Origin
from berrypick.data.pointers import Pointers, Records
from berrypick.data.run import Grouped, first_of
from berrypick.data.words import counted, plain_title

if TYPE_CHECKING:
    from berrypick.data.boxes import Boxes

#: What offsets in a text count: Unicode code points, bytes of UTF-8, or UTF-16 units; with ``+bom`` also the byte order
#: mark at the start of a text file.
Offsets = Literal["chars", "bytes", "utf16", "chars+bom", "bytes+bom", "utf16+bom"]
OFFSETS: tuple[Offsets, ...] = get_args(Offsets)
#: How judgements of several annotators are merged.
MergeRule = Literal["union", "majority", "intersection"]
#: Grades go as far as this, up and down: gains of 2^grade stay finite, and programs that count by grade end soon.
LARGEST_GRADE = 1000


@dataclass(frozen=True)
class TopicField:
    """One field: its value for each topic that has one. ``problem`` says why it cannot tell topics apart."""

    values: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


class TopicFields:
    """Collects fields row by row. A field belongs to topics if all rows of a topic agree on it.

    Questions are compared up to white space, and a topic with two of them has none: other topics keep theirs.
    """

    def __init__(self, without: Collection[str] = (), questions: Collection[str] = ()) -> None:
        self._without, self._questions = frozenset(without), frozenset(questions)
        self._values: dict[str, dict[str, Any]] = {}
        self._problems: dict[str, str] = {}
        #: By field and topic, two questions that differ, and where.
        self._differing: dict[tuple[str, str], str] = {}

    def add(self, topic: str, row: Mapping[str, Any], place: str) -> None:
        """The fields of one row; ``place`` is how messages refer to it."""
        for name, value in row.items():
            if name in self._without or name in self._problems or value is None:
                continue
            if not isinstance(value, (str, int, float)):
                self._drop(name, f"its value is neither text nor a number ({place})")
                continue
            known = self._values.setdefault(name, {}).setdefault(topic, value)
            if known is not value and known != value:
                first, second = (shorten(repr(_text(one)), 40) for one in (known, value))
                if name not in self._questions:
                    self._drop(name, f"topic {topic} has {first} and {second} ({place})")
                elif plain_title(str(known)) != plain_title(str(value)):
                    self._differing.setdefault((name, topic), f"{first} and {second} ({place})")

    def _drop(self, name: str, problem: str) -> None:
        self._values.pop(name, None)
        self._problems[name] = problem

    def notes(self) -> list[str]:
        """Return a note on topics that have two questions each."""
        if not self._differing:
            return []
        (_, topic), two = next(iter(self._differing.items()))
        count = len({topic for _, topic in self._differing})
        if count == 1:
            return [f"topic {topic} has two questions, {two}: a run cannot name it by either"]
        return [
            f"{count} topics have two questions each, such as topic {topic}, {two}: a run cannot name them by either"
        ]

    def found(self) -> dict[str, TopicField]:
        """Every field by its name."""
        good = {
            name: TopicField(
                {topic: _text(value) for topic, value in values.items() if (name, topic) not in self._differing}
            )
            for name, values in self._values.items()
        }
        return good | {name: TopicField({}, problem) for name, problem in self._problems.items()}


def _text(value: str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True)
class Passage:
    """Highlighted text between two points: element paths, or ``parent/text()[k].offset``."""

    document: str
    start: str
    end: str
    size: float | None = None
    line: int | None = None


@dataclass(frozen=True)
class EntryPoint:
    """Where reading of a document should best begin: a point as a path, or an offset where known."""

    document: str
    point: str | None = None
    offset: float | None = None
    line: int | None = None


@dataclass(frozen=True)
class Quote:
    """Relevant text as quoted: to be found in its document, or in any if none is named.

    ``start`` settles which one of several places is meant; with ``end`` as well, the quote checks the offsets.
    """

    text: str
    document: str | None = None
    start: float | None = None
    end: float | None = None
    grade: float = 1.0
    line: int | None = None
    prefix: str = ""  # text before it and after it, which chooses between several places
    suffix: str = ""
    #: The sufficient sets, or the hops, that it is part of.
    sets: tuple[str, ...] = ()
    hops: tuple[str, ...] = ()

    @property
    def has_offsets(self) -> bool:
        """Whether offsets are given, so that the quote only checks them."""
        return self.document is not None and self.start is not None and self.end is not None


@dataclass(frozen=True, eq=False)
class Highlighted:
    """Relevant text: spans of documents, overlaps allowed."""

    document: tuple[str, ...]
    start: Positions
    end: Positions
    boxes: Boxes | None = None
    unit: str = ""

    def rows(self, kept: IntArray) -> Highlighted:
        """Some of the spans."""
        names = tuple(self.document[row] for row in kept.tolist())
        boxes = None if self.boxes is None else self.boxes[kept]
        return Highlighted(names, self.start[kept], self.end[kept], boxes, self.unit)


@dataclass(frozen=True, eq=False)
class TopicTruth(Records):
    """The judged units of one topic in file order: whole documents, spans of them, or elements.

    Elements have a path, and grades (exhaustivity and specificity, 0 to 3, or exhaustivity 0 to 2) or sizes (of all
    text, and of the highlighted text in it); what a file does not say is nan. Their ``grade`` is 1 if relevant.
    """

    topic: str
    document: tuple[str, ...]
    grade: FloatArray
    start: Positions | None = None
    end: Positions | None = None
    line: IntArray | None = None
    #: Documents judged as a whole to hold nothing relevant (only where the units are spans).
    empty_documents: tuple[str, ...] = ()
    path: tuple[str, ...] | None = None
    exhaustivity: FloatArray | None = None
    specificity: FloatArray | None = None
    size: FloatArray | None = None
    rsize: FloatArray | None = None
    passages: tuple[Passage, ...] = ()
    entry_points: Sequence[EntryPoint] = ()
    #: What each unit is about (TREC Genomics).
    aspects: tuple[tuple[str, ...], ...] | None = None
    #: Highlighted text as spans, where elements are judged and the documents' structure is known.
    highlighted: Highlighted | None = None
    #: Relevant text as quoted. Those with offsets are among the units above as well.
    quotes: tuple[Quote, ...] = ()
    #: Documents judged as a whole: text of theirs that is not marked relevant is judged not to be.
    judged_documents: tuple[str, ...] = ()
    #: Whether every document above was judged as a whole, as assessors of INEX do.
    judged_whole: bool = False
    #: Whether the truth says that the topic has no answer.
    no_answer: bool = False
    #: Where units are places on pages; start and end are then their extent in pages.
    boxes: Boxes | None = None
    #: What start and end count, where fields of the input say so: lines (half open, from 0) or seconds.
    unit: str = ""
    #: The sets that each unit is in, where the truth names some: all units of one set are a sufficient answer.
    sets: tuple[tuple[str, ...], ...] | None = None
    #: The hops that each unit is in: one unit of every hop is a sufficient answer. A topic has sets or hops, not both.
    hops: tuple[tuple[str, ...], ...] | None = None
    #: What a format says of the topic beside its units, by name, for the measures that know that name.
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def names_sets(self) -> bool:
        """Whether sets or hops are named, by units or by quotes that wait for their places."""
        named = self.sets is not None or self.hops is not None
        return named or any(quote.sets or quote.hops for quote in self.quotes)

    @cached_property
    def has_relevant(self) -> bool:
        """Whether anything is relevant."""
        return bool((self.grade > 0).any()) or bool(self.passages)

    @cached_property
    def unanswerable(self) -> bool:
        """Whether the topic has no answer: the truth says so, or what it judges is not relevant, all of it."""
        if self.has_relevant or any(quote.grade > 0 for quote in self.quotes):
            return False
        judged = bool((self.grade == 0).any()) or bool(self.empty_documents) or bool(self.judged_documents)
        return self.no_answer or judged

    @cached_property
    def whole_documents(self) -> frozenset[str]:
        """Documents judged as a whole."""
        if self.judged_whole:
            return frozenset(self.documents())
        graded = zip(self.document, self.grade.tolist(), strict=True) if self.start is None and not self.path else ()
        judged = (document for document, grade in graded if grade >= 0)
        return frozenset((*self.empty_documents, *self.judged_documents, *judged))

    def judged_spans(self) -> Highlighted:
        """Text that was judged, relevant or not, besides documents judged as a whole."""
        if self.start is not None and self.end is not None:
            rows = np.flatnonzero(self.grade >= 0)
            return Highlighted(self.document, self.start, self.end, self.boxes, self.unit).rows(rows)
        none = np.zeros(0, dtype=np.int64)
        return self.highlighted or Highlighted((), none, none)

    def relevant_text(self) -> Highlighted | None:
        """Relevant text as spans; None where only elements or whole documents are known."""
        return self._relevant_text

    @cached_property
    def _relevant_text(self) -> Highlighted | None:
        if self.start is None or self.end is None:
            return self.highlighted
        rows = np.flatnonzero(self.grade > 0)
        text = Highlighted(self.document, self.start, self.end, self.boxes, self.unit)
        return text if len(rows) == len(self.document) else text.rows(rows)

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"TopicTruth({first_of(len(self), 'judgement', self.name)})"

    def name(self, row: int) -> str:
        """Return how a judged unit is written."""
        if self.path is not None:
            return self.document[row] + self.path[row]
        return self.placed_name(self.document[row], row)

    def record(self, row: int) -> dict[str, Any]:
        """Return one judgement as a dictionary; of an element with what is known of it."""
        found: dict[str, Any] = {"doc": self.document[row]}
        if self.path is not None:
            found["element"] = self.path[row]
        found |= self.place(row)
        found["grade"] = float(self.grade[row])
        found |= self.memberships(row)
        known = {name: getattr(self, name) for name in ("exhaustivity", "specificity", "size", "rsize")}
        return found | {name: float(of[row]) for name, of in known.items() if of is not None and of[row] == of[row]}

    def memberships(self, row: int) -> dict[str, Any]:
        """Return the set or the hop of a unit as a row of a file has it: a name, a list of several, nothing."""
        return in_sets("" if self.sets is None else self.sets[row], "" if self.hops is None else self.hops[row])

    @cached_property
    def elements(self) -> dict[tuple[str, str], int]:
        """Rows of judged elements by document and path."""
        return {key: row for row, key in enumerate(zip(self.document, self.path or (), strict=False))}

    def documents(self) -> Iterator[str]:
        """Every judged document, once."""
        passages = (passage.document for passage in self.passages)
        points = (point.document for point in self.entry_points)
        yield from dict.fromkeys((*self.document, *passages, *points, *self.empty_documents, *self.judged_documents))


def in_sets(sets: Sequence[str], hops: Sequence[str]) -> dict[str, Any]:
    """Name sets and hops as a row of a file does: a name, a list of several, nothing."""
    named = {"set": sets, "hop": hops}
    return {kind: names[0] if len(names) == 1 else list(names) for kind, names in named.items() if names}


@dataclass(frozen=True, eq=False)
class DocumentGrades:
    """Judged documents topic by topic, each once; those of topic i are bounds[i]:bounds[i+1].

    A document is as relevant as the best part of it that is judged.
    """

    names: list[str]
    grade: IntArray
    bounds: IntArray
    position: Mapping[str, int]  # of each topic

    def of_topics(self, topics: Sequence[str]) -> DocumentGrades:
        """Those of some topics, in their order."""
        places = [self.position[topic] for topic in topics]
        if places == list(range(len(self.bounds) - 1)):
            return self
        bounds = self.bounds.tolist()
        parts = [slice(bounds[i], bounds[i + 1]) for i in places]
        return DocumentGrades(
            [name for part in parts for name in self.names[part]],
            np.concatenate([self.grade[part] for part in parts] or [self.grade[:0]]),
            np.cumsum([0, *(part.stop - part.start for part in parts)], dtype=np.int64),
            {topic: i for i, topic in enumerate(topics)},
        )

    @cached_property
    def topic(self) -> IntArray:
        """The topic of each judged document."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    def relevant(self, least: int) -> IntArray:
        """How many documents of each topic have a grade of at least so much."""
        topics = len(self.bounds) - 1
        return self.once(least, lambda: np.bincount(self.topic[self.grade >= least], minlength=topics))

    def once(self, key: Any, make: Callable[[], Narrow]) -> Narrow:
        """What does not depend on a run, made for the first one."""
        if key not in self._made:
            made = make()
            made.flags.writeable = False  # for all runs
            self._made[key] = made
        return self._made[key]

    @cached_property
    def _made(self) -> dict[Any, Narrow]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be made again."""
        return {name: value for name, value in vars(self).items() if name != "_made"}

    @cached_property
    def best_first(self) -> tuple[IntArray, IntArray, IntArray]:
        """Topic, rank from 0 and grade of every document of an ideal list: the best grades first."""
        order = np.lexsort((-self.grade, self.topic))
        rank = np.arange(len(order)) - self.bounds[self.topic]
        return self.topic, rank, self.grade[order]


def _all_grades(topics: Collection[TopicTruth]) -> FloatArray:
    return np.concatenate([topic.grade for topic in topics] or [np.zeros(0)])


def check_whole_grades(topics: Collection[TopicTruth]) -> None:
    """Measures of whole documents count whole grades; an error that names the first other one."""
    if not np.any(_all_grades(topics) % 1):
        return
    for topic in topics:
        for row in np.flatnonzero(topic.grade % 1)[:1].tolist():
            raise UsageError(
                f"document measures count whole grades; {topic.document[row]} has {topic.grade[row]:g} "
                f"in topic {topic.topic}"
            )


def _document_grades(topic: TopicTruth) -> tuple[Sequence[str], FloatArray]:
    wholes = (*topic.empty_documents, *topic.judged_documents)
    if not wholes and not topic.passages and len(set(topic.document)) == len(topic.document):
        return topic.document, topic.grade
    grades: dict[str, float] = dict.fromkeys(wholes, 0.0)
    for passage in topic.passages:
        grades[passage.document] = 1.0
    for document, value in zip(topic.document, topic.grade.tolist(), strict=True):
        grades[document] = max(value, grades.get(document, value))
    return list(grades), np.array(list(grades.values()), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Truth(Composed, Exchanged):
    """All judgements, topic by topic.

    Create one with ``from_dict``, ``from_records``, ``from_frame`` or ``from_file``. ``truth[topic]`` has the
    judgements of a topic, ``list(truth)`` the topics, and ``len(truth)`` counts them.

    Attributes
    ----------
    units
        What was judged.
    topics
        Topic to its judgements.
    origin
        The file and its parser: ``source``, ``format``, ``notes``, ``skipped``, ``unread``, ``foreign``.
    lengths
        Lengths of judged documents, where the truth has them.
    scale
        How elements are graded: 'sizes' (specificity rsize/size, 2006 on), '2005' (exhaustivity 0-2 with sizes), '2002'
        (exhaustivity and specificity from 0 to 3); empty where units are not elements.
    offsets
        What the offsets of spans count, where the file says so.
    fields
        What is known of topics besides their judgements, by name.
    checksums
        Checksums of the texts that offsets were made on, by document.
    texts
        Texts that the file holds itself, by document: what its offsets are checked against.
    annotators
        Where the truth names who judged: what each of them said, by topic. The topics above are the union of it; who
        changes them changes these as well, or leaves them out.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = bp.Truth.from_dict({"q1": {"guide#0-40": 1}, "q2": None})
    >>> truth
    Truth(spans of 2 topics)
    >>> list(truth["q1"]), truth.unanswerable
    ([{'doc': 'guide', 'start': 0, 'end': 40, 'grade': 1.0}], ('q2',))
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("topic", "doc", "element", "quote", "offsets", "annotator", "set", "hop"), "text"),
        **dict.fromkeys(("grade", "exhaustivity", "specificity", "size", "rsize"), "number"),
    }

    _parts: ClassVar[Mapping[str, type]] = {"origin": Origin}

    units: Literal["documents", "spans", "elements"]
    topics: Mapping[str, TopicTruth]
    origin: Origin = field(default_factory=Origin)
    lengths: Mapping[str, float] = field(default_factory=dict)
    scale: str = ""
    offsets: Offsets | None = None
    fields: Mapping[str, TopicField] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    annotators: Mapping[str, Mapping[str, TopicTruth]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (np.abs(_all_grades(self.topics.values())) <= LARGEST_GRADE).all():
            return
        for topic in self.topics.values():
            wrong = ~(np.abs(topic.grade) <= LARGEST_GRADE)
            if wrong.any():
                raise _grade_refused(topic, int(np.argmax(wrong)), self.source)

    def __repr__(self) -> str:
        source = f", {shorten(self.source, 80)!r}" if self.source else ""
        return f"Truth({self.units} of {counted(len(self), 'topic')}{source})"

    def __len__(self) -> int:
        return len(self.topics)

    def __contains__(self, topic: object) -> bool:
        return topic in self.topics

    def __iter__(self) -> Iterator[str]:
        """Go through the topics; ``truth[topic]`` has the judgements of one."""
        return iter(self.topics)

    def _topic(self, topic: str) -> TopicTruth:
        return self.topics[topic]

    @classmethod
    def from_file(cls, path: str | PathLike[str], format: str | None = None) -> Truth:
        """Read a truth from a file; see :func:`read_truth`."""
        from berrypick.formats import read_truth

        return read_truth(path, format)

    @classmethod
    def from_dict(cls, judgements: Mapping[str, Any]) -> Truth:
        """Build a truth from ``{topic: {document: grade}}`` or ``{topic: [judgements]}``; None is a topic without an
        answer."""
        from berrypick.given.convert import truth_of_dict

        return truth_of_dict(judgements)

    @classmethod
    def from_frame(cls, frame: Any, *, columns: Mapping[str, str] | None = None) -> Truth:
        """Build a truth from a data frame; see :func:`truth_from_frame`."""
        from berrypick.inputs.frames import truth_from_frame

        return truth_from_frame(frame, columns=columns)

    @classmethod
    def from_records(cls, records: Iterable[Any]) -> Truth:
        """Build a truth from records, named tuples or dictionaries with topic, doc, and start, end, grade or quote."""
        from berrypick.inputs.given_back import truth_of_records

        return truth_of_records(records)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each judgement, as lines of JSON have it; documents' checksums follow."""
        from berrypick.inputs.given_back import truth_records

        return truth_records(self)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{topic: {document: grade}}``, spans as ``document#start-end``, None for a topic without an answer;
        where there is more to judgements, such as quotes, ``{topic: [{"doc": .., "quote": ..}, ..]}``. Fields of topics
        and annotators are in :meth:`to_records` alone."""
        from berrypick.inputs.given_back import truth_dict

        return truth_dict(self)

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        """What evaluations keep of it, by measures and options; not for other processes."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_kept"}

    @cached_property
    def has_entry_points(self) -> bool:
        """Whether any topic has an entry point."""
        return any(topic.entry_points for topic in self.topics.values())

    @cached_property
    def of_pages(self) -> bool:
        """Whether places on pages are judged."""
        return any(topic.boxes is not None for topic in self.topics.values())

    @cached_property
    def unit(self) -> str:
        """What offsets count, where fields of the input say so: lines or seconds; '' where they do not."""
        return next((topic.unit for topic in self.topics.values() if topic.unit), "")

    @cached_property
    def beside(self) -> frozenset[str]:
        """What there is beside graded units, which few formats hold."""
        topics = self.topics.values()
        there = {
            "entry points": self.has_entry_points,
            "aspects": any(topic.aspects is not None for topic in topics),
            "quotes without offsets": any(not quote.has_offsets for topic in topics for quote in topic.quotes),
            "places on pages": self.of_pages,
            "lines": self.unit == "lines",
            "seconds": self.unit == "seconds",
            "sets": any(topic.names_sets for topic in topics),
            "documents judged as a whole": any(
                topic.empty_documents or topic.judged_documents or topic.judged_whole for topic in topics
            ),
        }
        extra = (name for topic in topics for name in topic.extra)
        return frozenset((*(name for name, has in there.items() if has), *extra))

    @cached_property
    def relevant_topics(self) -> frozenset[str]:
        """The topics with anything relevant."""
        topics = self.topics.values()
        bounds = np.cumsum([0, *map(len, topics)])
        relevant = np.append(0, np.cumsum(_all_grades(topics) > 0))[bounds]
        found = zip(self.topics.items(), np.diff(relevant).tolist(), strict=True)
        return frozenset(name for (name, topic), count in found if count or topic.passages)

    @cached_property
    def judges_text(self) -> bool:
        """Whether parts of documents are judged, and the rest of these documents need not be."""
        return self.units == "spans" and not all(topic.judged_whole for topic in self.topics.values())

    @cached_property
    def unanswerable(self) -> tuple[str, ...]:
        """The topics without an answer."""
        return tuple(name for name, topic in self.topics.items() if topic.unanswerable)

    def grades(self) -> set[float]:
        """Return every grade that occurs in any topic."""
        return self._grades

    @cached_property
    def document_grades(self) -> DocumentGrades:
        """The grades of whole documents, of all topics."""
        topics = self.topics.values()
        check_whole_grades(topics)
        found = [_document_grades(topic) for topic in topics]
        return DocumentGrades(
            list(chain.from_iterable(names for names, _ in found)),
            np.concatenate([grade for _, grade in found] or [np.zeros(0)]).astype(np.int64),
            np.cumsum([0, *(len(names) for names, _ in found)], dtype=np.int64),
            {topic: i for i, topic in enumerate(self.topics)},
        )

    @cached_property
    def _grades(self) -> set[float]:
        return {*_all_grades(self.topics.values()).tolist()}


def _grade_refused(topic: TopicTruth, row: int, source: str) -> InputError:
    what = f"the grade {topic.grade[row]:.12g} of {topic.document[row]} for topic {topic.topic} is not a grade"
    line = None if topic.line is None else int(topic.line[row])
    remedy = f"grades are numbers from -{LARGEST_GRADE} to {LARGEST_GRADE}"
    return InputError(what, path=source or None, line=line, remedy=remedy)


@records(idealism="idealism")
@dataclass(frozen=True, eq=False)
class Targets(Pointers):
    """The ideal units of one topic: what a reader wants to see, and what it is worth."""

    document: tuple[str, ...]
    grade: FloatArray
    gain: FloatArray
    idealism: FloatArray
    start: Positions | None = None
    end: Positions | None = None
    path: tuple[str, ...] | None = None  # where targets are elements
    size: FloatArray | None = None  # their lengths, nan where unknown
    boxes: Boxes | None = None  # where targets are places on pages
    unit: str = ""  # what start and end count, where that is said: lines or seconds

    def __len__(self) -> int:
        return len(self.document)

    @property
    def of_documents(self) -> bool:
        """Whether they are whole documents."""
        return self.start is None and self.path is None

    def name(self, index: int) -> str:
        if self.path is not None:
            return self.document[index] + self.path[index]
        return self.placed_name(self.document[index], index)

    def names(self) -> list[str]:
        return [self.name(index) for index in range(len(self))]

    @cached_property
    def grouped(self) -> tuple[list[str], Grouped]:
        """The documents that have targets, and their targets in truth order."""
        number = {name: i for i, name in enumerate(dict.fromkeys(self.document))}
        code = np.fromiter(map(number.__getitem__, self.document), dtype=np.int64, count=len(self))
        bounds = np.cumsum([0, *np.bincount(code, minlength=len(number)).tolist()], dtype=np.int64)
        return list(number), Grouped(np.argsort(code, kind="stable"), bounds, np.arange(len(number)))

    def by_document(self) -> dict[str, IntArray]:
        """For each document with targets, their indices in truth order."""
        names, found = self.grouped
        return {name: found.rows(i) for i, name in enumerate(names)}
