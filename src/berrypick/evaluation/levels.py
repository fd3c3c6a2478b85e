"""Truth and runs at a coarser unit: files, modules, functions or lines of code, sessions, turns, documents, pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from berrypick.data.arrays import IntArray, Positions
from berrypick.data.boxes import Boxes
from berrypick.data.columns import Coded, unpacked
from berrypick.data.errors import InputError, Message, UsageError, option
from berrypick.data.results import Note
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.evaluation.options import Level
from berrypick.topics.repeats import refuse_duplicates

LEVELS: tuple[Level, ...] = get_args(Level)
#: A name with a part behind a colon, or two: path:Class.method, D1:3. A colon before // or \\ is part of the name.
_NAMED = re.compile(r"(?P<whole>.+?)::?(?!//|\\)(?P<part>[^:\\/][^\\/]*)")
#: Levels that only names tell, in parts of documents as well as in whole ones; and those that whole documents are.
_OF_NAMES, _WHOLE = ("module", "function", "turn"), ("file", "session", "document")
_SHAPES = {"module": "path:Class.method", "function": "path:Class.method", "turn": "D1:3"}
#: Lines that a truth or a run may have at the level of lines.
MOST_LINES = 5_000_000


@dataclass(frozen=True, eq=False)
class _PlacedRows:
    """Places as a truth or a run has them, row by row."""

    names: Sequence[str]
    start: Positions | None
    end: Positions | None
    boxes: Boxes | None
    unit: str  # what start and end count, where that is said


@dataclass
class _Namer:
    """Names of units at a level; ``plain`` counts names that say nothing of it."""

    level: Level
    side: str  # for messages
    plain: dict[str, None] = field(default_factory=dict)
    parted: bool = False  # whether some name has a part

    def units(self, rows: _PlacedRows) -> list[list[str]]:
        """The units of each row."""
        if self.level == "page":
            return self._pages(rows)
        if self.level == "line":
            return self._lines(rows)
        if rows.start is not None and self.level in _OF_NAMES:
            what = f"{self.side} has parts of documents, whose {self.level} is not known"
            raise UsageError(f"{what}: {option('level', self.level)} reads it from names such as {_SHAPES[self.level]}")
        found = [[self.of_name(name)] for name in rows.names]
        if rows.start is not None:  # the part is a place, not in the name
            self.plain.clear()
        return found

    def of_name(self, name: str) -> str:
        """The unit that a whole document is, or is part of."""
        if self.level in ("document", "turn", "function", "line"):
            return name
        found = _NAMED.fullmatch(name)
        if found is None:
            self.plain[name] = None
            return name
        self.parted = True
        if self.level == "module":
            return name[: found.start("part")] + found["part"].partition(".")[0]
        return found["whole"]

    def _pages(self, rows: _PlacedRows) -> list[list[str]]:
        if rows.boxes is None:
            raise UsageError(f"{self.side} has no pages: {option('level', 'page')} needs the field page")
        pages = rows.boxes.page.tolist()
        return [[f"{name}#page={page + 1}"] for name, page in zip(rows.names, pages, strict=True)]

    def _lines(self, rows: _PlacedRows) -> list[list[str]]:
        if rows.start is None or rows.end is None:
            return [[name] for name in rows.names]
        if rows.unit != "lines":
            what = f"{self.side} has offsets that do not count lines"
            raise UsageError(f"{what}: {option('level', 'line')} needs start_line and end_line")
        if float((rows.end - rows.start).sum()) > MOST_LINES:
            raise UsageError(f"{self.side} has more than {MOST_LINES} lines, too many to take one by one")
        places = zip(rows.names, rows.start.tolist(), rows.end.tolist(), strict=True)
        return [[f"{name}:{line + 1}" for line in range(int(low), int(high))] for name, low, high in places]

    def notes(self, before: int, after: int, what: str) -> list[Message]:
        """What became of rows, and which names say nothing of the level."""
        found = [Message(f"{self.side}: {counted(before, what)} are {counted(after, self.level)} at {self._option}")]
        if self.plain and (self.parted or self.level == "module"):  # else names are those of the level already
            few = ", ".join(list(self.plain)[:3])
            many = counted(len(self.plain), "name")
            found.append(Message(f"{self.side}: {many} without a part after a colon, kept as they are ({few})"))
        return found

    @property
    def _option(self) -> str:
        return option("level", self.level)


@dataclass(frozen=True)
class Levels:
    """What the options level and id_pattern make of a truth and of runs.

    Attributes
    ----------
    level : str or None
        The unit that truth and runs are brought to.
    pattern : IdPattern or None
        How ids of documents carry places.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.evaluation.levels import Levels
    >>> truth, notes = Levels.of("file", None).truth(bp.Truth.from_dict({"q": {"a.py:f": 1, "a.py:g": 1}}))
    >>> truth["q"].document
    ('a.py',)
    """

    level: Level | None
    pattern: IdPattern | None

    @classmethod
    def of(cls, level: Level | None, id_pattern: str | None) -> Levels:
        """Make it of the two options; a pattern that is none is refused."""
        return cls(level, None if id_pattern is None else IdPattern.of(id_pattern))

    def truth(self, truth: Truth) -> tuple[Truth, list[Note]]:
        """Return a truth with places read out of names, and at the level, with notes on what became of it."""
        notes: list[Note] = []
        if self.pattern is not None:
            truth, said = truth_by_pattern(truth, self.pattern)
            notes += [Note("id pattern", text) for text in said]
        if self.level is not None:
            truth, said = truth_at_level(truth, self.level)
            notes += [Note("level", text) for text in said]
        return truth, notes

    def run(self, run: Run, duplicates: str | None) -> Run:
        """Return a run in the same way; results that occur twice are refused where ``duplicates`` says so."""
        if self.pattern is not None:
            run = run_by_pattern(run, self.pattern)
        if self.level is not None:
            if (duplicates or run.ordering.duplicates) == "error":
                refuse_duplicates(run)  # which would be merged
            run = run_at_level(run, self.level)
        return run


# --- a truth ----------------------------------------------------------------------------------------------------------


def truth_at_level(truth: Truth, level: Level) -> tuple[Truth, list[Message]]:
    """A truth of the units of a level, each as relevant as the best of its parts and in all of their sets."""
    source = truth.source or "the truth"
    if truth.units == "elements" and level != "document":
        raise UsageError(f"{source} judges elements: {option('level')} takes document for these")
    namer = _Namer(level, source)
    topics = {name: _topic_at_level(topic, namer, source) for name, topic in truth.topics.items()}
    before = sum(len(topic) + sum(not q.has_offsets for q in topic.quotes) for topic in truth.topics.values())
    notes = namer.notes(before, sum(map(len, topics.values())), "judgement")
    return Truth("documents", topics, truth.origin, fields=truth.fields), notes


def _topic_at_level(topic: TopicTruth, namer: _Namer, source: str) -> TopicTruth:
    merged = _Merged()
    rows = _PlacedRows(topic.document, topic.start, topic.end, topic.boxes, topic.unit)
    lines = [None] * len(topic) if topic.line is None else topic.line.tolist()
    for row, units in enumerate(namer.units(rows)):
        sets, hops = topic.sets[row] if topic.sets else (), topic.hops[row] if topic.hops else ()
        merged.add(units, float(topic.grade[row]), lines[row], sets, hops)
    for quote in topic.quotes:
        if quote.has_offsets:
            continue  # among the units
        if quote.document is None or namer.level not in _WHOLE:
            what = f"a quote of topic {topic.topic} has no place yet"
            raise InputError(what, path=source, line=quote.line, remedy="berrypick locate finds it in the documents")
        merged.add([namer.of_name(quote.document)], quote.grade, quote.line, quote.sets, quote.hops)
    for passage in topic.passages:
        merged.add([passage.document], 1.0, passage.line)
    wholes = (*topic.empty_documents, *topic.judged_documents) if namer.level in _WHOLE else ()
    for name in wholes:
        merged.add([namer.of_name(name)], 0.0, None)
    return merged.topic(topic)


class _Merged:
    """Units with their best grade, their first line, and all their sets."""

    def __init__(self) -> None:
        self._grade: dict[str, float] = {}
        self._line: dict[str, int] = {}
        self._sets: dict[str, dict[str, None]] = {}
        self._hops: dict[str, dict[str, None]] = {}

    def add(
        self, units: Iterable[str], grade: float, line: int | None, sets: Sequence[str] = (), hops: Sequence[str] = ()
    ) -> None:
        for unit in units:
            self._grade[unit] = max(grade, self._grade.get(unit, grade))
            self._line.setdefault(unit, line or 0)
            self._sets.setdefault(unit, {}).update(dict.fromkeys(sets))
            self._hops.setdefault(unit, {}).update(dict.fromkeys(hops))

    def topic(self, topic: TopicTruth) -> TopicTruth:
        names = tuple(self._grade)
        return TopicTruth(
            topic.topic,
            names,
            np.array([self._grade[name] for name in names], dtype=np.float64),
            line=None if topic.line is None else np.array([self._line[name] for name in names], dtype=np.int64),
            no_answer=topic.no_answer,
            extra=topic.extra,
            sets=tuple(tuple(self._sets[name]) for name in names) if any(self._sets.values()) else None,
            hops=tuple(tuple(self._hops[name]) for name in names) if any(self._hops.values()) else None,
        )


# --- a run ------------------------------------------------------------------------------------------------------------


def run_at_level(run: Run, level: Level) -> Run:
    """A run of the units of a level, each at its first rank; ranks that hold nothing new are closed up."""
    source = run.source or run.tag or "the run"
    if run.path is not None and level != "document":
        raise UsageError(f"{source} retrieves elements: {option('level')} takes document for these")
    if any(not run.documents[code] for code in np.unique(run.document).tolist()):
        raise InputError("results are texts without the names of their documents", path=source,
                         remedy=f"{option('level')} needs names")  # fmt: skip
    namer = _Namer(level, source)
    names = [run.documents[code] for code in run.document.tolist()]
    units = namer.units(_PlacedRows(names, unpacked(run.start), unpacked(run.end), run.boxes, run.unit))
    kept = _first_rows(run, units)
    made = _rebuilt(run, kept)
    notes = namer.notes(run.size(), made.size(), "result")
    if made.size() == run.size():
        notes = notes[1:]
    return made.changed(notes=(*made.notes, *notes))


def _first_rows(run: Run, units: Sequence[Sequence[str]]) -> list[list[tuple[int, str]]]:
    """By topic, the rows with a unit that is new there."""
    found = []
    for low, high in zip(run.bounds.tolist(), run.bounds[1:].tolist(), strict=False):
        seen: set[str] = set()
        here: list[tuple[int, str]] = []
        for row in range(low, high):
            for unit in units[row]:
                if unit not in seen:
                    seen.add(unit)
                    here.append((row, unit))
        found.append(here)
    return found


def _rebuilt(run: Run, kept: Sequence[Sequence[tuple[int, str]]]) -> Run:
    rows = np.array([row for here in kept for row, _ in here], dtype=np.int64)
    names = {name: code for code, name in enumerate(dict.fromkeys(unit for here in kept for _, unit in here))}
    ranks = [_closed_up(run.rank[[row for row, _ in here]]) for here in kept]
    return run.changed(
        bounds=np.cumsum([0, *map(len, kept)], dtype=np.int64),
        names=Coded(list(names), np.array([names[unit] for here in kept for _, unit in here], dtype=np.int32)),
        item=np.concatenate([*ranks, np.zeros(0, dtype=np.int32)]).astype(np.int32),
        start=None,
        end=None,
        boxes=None,
        unit="",
        path=None,
        path_end=None,
        paths=(),
        score=None if run.score is None else run.score[rows],
        line=None if run.line is None else run.line[rows],
        quoted={},
        of_text=False,
        other_names={},
    )


def _closed_up(rank: IntArray) -> IntArray:
    return np.unique(rank, return_inverse=True)[1].astype(np.int32) if len(rank) else np.zeros(0, dtype=np.int32)


# --- ids that carry places --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IdPattern:
    """A regular expression with groups doc, and start and end, that ids of documents match as a whole."""

    regex: re.Pattern[str]

    @classmethod
    def of(cls, text: str) -> IdPattern:
        """Compile a pattern; an error if it is none, or names no document."""
        try:
            regex = re.compile(text)
        except re.error as error:
            raise UsageError(f"{option('id_pattern')} is not a regular expression: {error}") from None
        groups = set(regex.groupindex)
        if "doc" not in groups or groups - {"doc", "start", "end"} or ("end" in groups and "start" not in groups):
            example = "(?P<doc>.+)_(?P<start>[0-9]+)-(?P<end>[0-9]+)"
            raise UsageError(f"{option('id_pattern')} has groups doc, start and end, as in '{example}'")
        return cls(regex)

    def place(self, name: str, path: str, line: int | None) -> tuple[str, float | None, float | None]:
        """The document, start and end of an id; an error if it does not match."""
        found = self.regex.fullmatch(name)
        if found is None or not found["doc"]:
            raise InputError(f"the id {name!r} does not match {self.regex.pattern!r}", path=path, line=line,
                             remedy=f"correct {option('id_pattern')}, which has to match ids as a whole")  # fmt: skip
        if "start" not in self.regex.groupindex:
            return found["doc"], None, None
        start = self._number(found["start"], name, path, line)
        end = self._number(found["end"], name, path, line) if "end" in self.regex.groupindex else start + 1
        if not 0 <= start < end:
            raise InputError(f"the id {name!r} is not a range: it goes from {start:g} to {end:g}", path=path, line=line,
                             remedy="start is 0 or more, and end is after it")  # fmt: skip
        return found["doc"], start, end

    @staticmethod
    def _number(text: str | None, name: str, path: str, line: int | None) -> float:
        try:
            value = float(text or "")
        except ValueError:
            value = np.nan
        if not abs(value) <= 2**53:
            raise InputError(f"the id {name!r} has no number for its place: {text!r}", path=path, line=line)
        return value

    @property
    def places(self) -> bool:
        """Whether ids say where."""
        return "start" in self.regex.groupindex

    def notes(self, side: str) -> list[Message]:
        """What is assumed."""
        if self.places and "end" not in self.regex.groupindex:
            return [Message(f"{side}: ids have a start but no end: length 1 is assumed ({option('id_pattern')})")]
        return []


def truth_by_pattern(truth: Truth, pattern: IdPattern) -> tuple[Truth, list[Message]]:
    """A truth of whole documents whose ids carry places; any other as it is, with a note."""
    source = truth.source or "the truth"
    if truth.units != "documents":
        return truth, [Message(f"{source} has places of its own: {option('id_pattern')} applies to runs only")]
    topics = {}
    for name, topic in truth.topics.items():
        lines = [None] * len(topic) if topic.line is None else topic.line.tolist()
        places = [pattern.place(one, source, line) for one, line in zip(topic.document, lines, strict=True)]
        if pattern.places:
            start, end = _positions([p[1] for p in places]), _positions([p[2] for p in places])
            topics[name] = replace(topic, document=tuple(p[0] for p in places), start=start, end=end)
            continue
        merged = _Merged()
        for row, (document, _, _) in enumerate(places):
            sets, hops = topic.sets[row] if topic.sets else (), topic.hops[row] if topic.hops else ()
            merged.add([document], float(topic.grade[row]), lines[row], sets, hops)
        topics[name] = merged.topic(topic)
    made = replace(truth, topics=topics, units="spans" if pattern.places else "documents")
    return made, pattern.notes(source)


def run_by_pattern(run: Run, pattern: IdPattern) -> Run:
    """A run of whole documents whose ids carry places; any other as it is."""
    source = run.source or run.tag or "the run"
    if run.points_into_documents:
        return run
    lines = [None] * run.size() if run.line is None else unpacked(run.line).tolist()
    first: dict[int, int | None] = {}
    for code, line in zip(run.document.tolist(), lines, strict=True):
        first.setdefault(code, line)
    placed = {code: pattern.place(run.documents[code], source, line) for code, line in first.items()}
    names = [placed[code][0] for code in run.document.tolist()]
    if not pattern.places:
        units = [[name] for name in names]
        return _rebuilt(run, _first_rows(run, units))
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return run.changed(
        names=Coded(list(known), np.array([known[name] for name in names], dtype=np.int32)),
        start=_positions([placed[code][1] for code in run.document.tolist()]),
        end=_positions([placed[code][2] for code in run.document.tolist()]),
        notes=(*run.notes, *pattern.notes(source)),
    )


def _positions(values: Sequence[float | None]) -> Positions:
    given = np.array(values, dtype=np.float64)
    return given.astype(np.int64) if bool((given == np.floor(given)).all()) else given
