"""INEX submissions in XML."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TextIO

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.run import Ranking, Run
from berrypick.files.line_words import finite
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.inex._inex import NOWHERE, Paths, ends_before, nowhere, run_problem, unlocated_note, whole
from berrypick.formats.inex._xml_files import (
    count_attributes,
    forget,
    line_of,
    looks_like,
    streamed,
    tag,
    text_of,
    writable,
)
from berrypick.rows.values import result_counts

if TYPE_CHECKING:
    from lxml import etree

#: What campaigns call their tasks, letters only and without CO or CO+S in front, and our words for them.
TASKS = {
    "thorough": "thorough",
    "focused": "focused",
    "focussed": "focused",
    "relevantincontext": "relevant-in-context",
    "allincontext": "relevant-in-context",  # its name in the first drafts of 2006
    "bestincontext": "best-in-context",
    "fetchbrowse": "fetch-browse",
    "fetchandbrowse": "fetch-browse",
    "co": "co",  # 2002 to 2004, before lists of different kinds were asked for
    "cas": "cas",
    "scas": "cas",
    "vcas": "cas",
}
_WRITTEN_TASKS = {
    "thorough": "Thorough",
    "focused": "Focused",
    "relevant-in-context": "RelevantInContext",
    "best-in-context": "BestInContext",
    "fetch-browse": "CO.FetchBrowse",
    "co": "CO",
    "cas": "CAS",
}
Kind = Literal["paths", "offsets", "entry points"]
#: Kind of result, where it starts, where it ends.
Pointer = tuple[Kind, str, str] | tuple[Kind, int, int]

NAN = math.nan
_POINTERS = ("path", "passage", "fol")
#: Elements that are read, and those that are not needed.
_KNOWN = {"inex-submission", "topic", "result", "file", *_POINTERS, "rank", "rsv"}
_KNOWN |= {"in", "topic-fields", "description", "collections", "collection"}
_ATTRIBUTES = {"participant-id", "run-id", "task", "query", "result-type", "topic-id"}
_ATTRIBUTES |= {"start", "end", "offset", "length"}
_ATTRIBUTES |= {"topic-part", "file"}  # the first is not needed, the second belongs to elements around results
_PATH = "/article[1]/bdy[1]/sec[2]"


class InexSubmission(Format):
    """INEX submission in XML, 2002 to 2010: ``<inex-submission run-id task>`` with its ``<topic topic-id>`` elements.

    A topic holds ``<result>`` elements, each with a ``<file>`` and then ``<path>`` (an element), ``<passage start
    end/>`` (between two points) or ``<fol offset length/>`` (characters; without length an entry point; offset X or
    -1 if it could not be located, which counts as 18 characters, not relevant). Elements and passages may be mixed.
    A result may have several of them, which then share its rank. Results may be grouped by document: an element
    around them may hold the ``<file>`` of all of them.

    With ``<rank>``, which may start at 0, the order is by rank, and results of the same rank are tied; else with
    ``<rsv>`` by that, largest first, file order within ties; else the order of the file. All results have a rank, or
    none has. ``<in>``, ``<topic-fields/>``, ``<description>`` and ``<collections>`` are ignored. The run is named
    by run-id, and its task is said in our words: thorough, focused, relevant-in-context, best-in-context,
    fetch-browse; of 2002 to 2004 co and cas (CAS, SCAS, VCAS), which are evaluated as thorough.

    Sample::

        <inex-submission participant-id="12" run-id="mysystem" task="Focused" query="automatic" result-type="element">
         <topic topic-id="289">
          <result><in>wikipedia</in><file>2267781</file><path>/article[1]/body[1]/p[5]</path><rank>1</rank></result>
         </topic>
        </inex-submission>
    """

    format_name: ClassVar[str] = "inex-submission"
    positions = "chars"
    role: ClassVar[Role] = "run"
    begins: ClassVar[tuple[str, ...]] = ("<",)
    marks: ClassVar[tuple[str, ...]] = ("inex-submission",)
    shape: ClassVar[str] = '<inex-submission run-id="..."><topic topic-id="..."><result><file>...</file><path>...'
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return looks_like(lines, "inex-submission")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        rows = _ResultRows(problems)
        for event, element in streamed(path, problems, ("inex-submission", "topic", "result")):
            if event == "start":
                rows.open(element)
            else:
                rows.close(element)
                forget(element, problems, _KNOWN)
        if not rows.opened and not problems.found:
            problems.report("holds no <inex-submission>", remedy=f"expected {cls.shape}")
        return rows.run(path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return run_problem(value, "a submission") or writable(
            (*value.topics, *value.documents, *value.paths, value.tag.strip() or "run")
        )

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        kind = "fol" if value.path is None else "element" if value.path_end is None else "passage"
        attributes = {"run-id": value.tag, "task": _WRITTEN_TASKS.get(value.ordering.task, ""), "result-type": kind}
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        out.write(tag("inex-submission", attributes, ">\n"))
        for topic, ranking in value.rankings():
            out.write(" " + tag("topic", {"topic-id": topic}, ">\n"))
            for row in range(len(ranking)):
                out.write(f"  <result>{''.join(_result_lines(ranking, row))}</result>\n")
            out.write(" </topic>\n")
        out.write("</inex-submission>\n")

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        named = (("task", value.ordering.task), ("tag", value.tag))
        return [*result_counts(value), *(f"{what} {word}" for what, word in named if word)]


def task_in_our_words(word: str) -> str:
    """The task; empty for one that is none of ours."""
    letters = re.sub(r"[^a-z]", "", re.sub(r"^(vvcas|co\+?s?)\W", "", word.strip().lower()))
    return TASKS.get(letters.removeprefix("restricted"), "")


class _ResultRows:
    """The columns of a run as its results are read."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.paths = Paths(problems)
        self.names: dict[str, str] = {}  # one string for every name, however often it is read
        self.document: list[str] = []
        self.topic: list[str] = []
        self.rank, self.score, self.line = array("d"), array("d"), array("q")
        self.start, self.end = array("q"), array("q")
        self.path: list[str] = []
        self.path_end: list[str] = []
        self.kind: Kind | None = None
        self.opened = False
        self.tag = self.task = ""
        self.notes: tuple[str, ...] = ()
        self.unlocated = 0
        self.topics: dict[str, int] = {}  # to their lines
        self.inside = ""  # the topic being read
        self.in_topic = False  # also in one that is refused
        self.group: tuple[etree._Element, str] | None = None  # the element around results, and the file it names

    def open(self, element: etree._Element) -> None:
        count_attributes(element, self.problems, _ATTRIBUTES)
        if element.tag == "inex-submission":
            self._name(element)
        elif element.tag == "topic":
            self.in_topic, self.inside = True, self._topic(element)

    def close(self, element: etree._Element) -> None:
        if element.tag == "result":
            self._add(element)
        elif element.tag == "topic":
            if self.inside and (not self.topic or self.topic[-1] != self.inside):
                self.problems.count("topics without results")
            self.in_topic, self.inside = False, ""

    def _name(self, root: etree._Element) -> None:
        """What the root says of the run."""
        self.opened = True
        self.tag = (root.get("run-id") or "").strip()
        task = (root.get("task") or "").strip()
        self.task = task_in_our_words(task)
        if task and not self.task:
            self.notes = (f"unknown task {task}",)

    def _topic(self, element: etree._Element) -> str:
        name, line = (element.get("topic-id") or "").strip(), line_of(element)
        if not name:
            self.problems.report("the topic has no topic-id", line, _shown(element))
        elif name in self.topics:
            what = f"duplicate topic {name}, first in line {self.topics[name]}"
            self.problems.report(what, line, _shown(element), "put all results of a topic together")
        else:
            self.topics[name] = line
            return name
        return ""

    def _add(self, result: etree._Element) -> None:
        line = line_of(result)
        if not self.in_topic:
            self.problems.count("results outside of any <topic>, ignored")
        children: dict[str, etree._Element] = {}
        pointers: list[Pointer | None] = []
        for child in result:
            count_attributes(child, self.problems, _ATTRIBUTES)
            if child.tag in _POINTERS:
                pointers.append(self._pointer(child))
            elif child.tag in children and child.tag in ("file", "rank", "rsv"):
                self.problems.report(f"the result has two <{child.tag}>", line_of(child), _shown(result))
            else:
                children[child.tag] = child
        document = self._text(children["file"]) if "file" in children else self._file_of_group(result)
        if not document:
            self.problems.report("the result has no file", line, _shown(result))
        elif not pointers:
            what = f"the result in {document} has no path, passage or fol"
            self.problems.report(what, line, _shown(result))
        order = self._order(children, line)
        if not self.inside or not document or order is None:
            return
        for pointer in pointers:
            if pointer is not None and self._same_kind(pointer[0], line):
                self._append(document, *order, line, pointer)

    def _append(self, document: str, rank: float, score: float, line: int, pointer: Pointer) -> None:
        self.topic.append(self.inside)
        self.document.append(self.names.setdefault(document, document))
        self.rank.append(rank)
        self.score.append(score)
        self.line.append(line)
        _, first, last = pointer
        if isinstance(first, str):
            self.path.append(first)
            self.path_end.append(str(last))
        else:
            self.start.append(first)
            self.end.append(int(last))

    def _text(self, element: etree._Element) -> str:
        found = text_of(element)
        if found is None:
            what = f"the <{element.tag}> contains more than text"
            self.problems.report(what, line_of(element), remedy="replace entities by their text, remove markup")
        return found or ""

    def _file_of_group(self, result: etree._Element) -> str:
        """The file that an element around this and other results names for all of them."""
        parent = result.getparent()
        if parent is None or parent.tag == "topic":
            return ""
        if self.group is None or self.group[0] is not parent:  # elements before a result are freed
            inner = parent.find("file")
            self.group = parent, (parent.get("file") or "") if inner is None else self._text(inner)
        return self.group[1]

    def _order(self, children: dict[str, etree._Element], line: int) -> tuple[float, float] | None:
        """Rank and score, nan where there is none; None if the result has no place in the order, which is reported."""
        rank = self._number(children, "rank")
        ranked = not math.isnan(rank)
        score = self._number(children, "rsv", needed=not ranked)
        if math.isinf(rank) or math.isinf(score):
            return None
        first = (self.rank[0], self.score[0]) if self.line else (rank, score)
        for name, here, there in (("rank", rank, first[0]), ("rsv", score, first[1])):
            if math.isnan(here) != math.isnan(there) and not (ranked and name == "rsv"):
                what = f"only some results have <{name}>"
                self.problems.report(what, line, remedy=f"give {name} for every result, or for none")
                return None
        return rank, score

    def _number(self, children: dict[str, etree._Element], name: str, needed: bool = True) -> float:
        """A rank or score; nan where there is none, infinite where it is needed and no number, which is reported."""
        if name not in children:
            return NAN
        word = self._text(children[name])
        value = finite(word)
        if value is not None and (name == "rsv" or (value >= 0 and value.is_integer())):
            return value
        if not needed:
            return NAN
        expected = "a whole number, 0 or more" if name == "rank" else "a finite number"
        self.problems.report(f"the {name} is {word!r}, expected {expected}", line_of(children[name]))
        return math.inf

    def _pointer(self, child: etree._Element) -> Pointer | None:
        if child.tag == "path":
            word = self._text(child)
            path = self.paths.element(word)
            if path is None:
                self.problems.report(f"{word!r} is not a path", line_of(child), remedy=f"expected {_PATH}")
            return None if path is None else ("paths", path, "")
        return self._passage(child) if child.tag == "passage" else self._characters(child)

    def _passage(self, child: etree._Element) -> Pointer | None:
        points = []
        for name in ("start", "end"):
            point = self.paths.point(child.get(name) or "")
            if point is None:
                remedy = f"expected {_PATH} or {_PATH}/text()[1].89"
                self.problems.report(f"the {name} is not a point in a document", line_of(child), _shown(child), remedy)
                return None
            points.append(point)
        if ends_before(*points):
            self.problems.report("the passage ends before it starts", line_of(child), _shown(child), rule="range")
            return None
        return "paths", points[0], points[1]

    def _characters(self, child: etree._Element) -> Pointer | None:
        kind: Kind = "offsets" if child.get("length") is not None else "entry points"
        if (child.get("offset") or "").strip() in NOWHERE:
            self.unlocated += 1
            return kind, *nowhere(self.unlocated - 1)
        offset, length = whole(child.get("offset")), whole(child.get("length") or "0")
        if offset is None or length is None:
            what = f"the {'offset' if offset is None else 'length'} is not a whole number, 0 or more"
            self.problems.report(what, line_of(child), _shown(child))
            return None
        return kind, offset, offset + length

    def _same_kind(self, kind: Kind, line: int) -> bool:
        self.kind = self.kind or kind
        if kind != self.kind:
            what = f"the result has {kind}, the first one (line {self.line[0]}) has {self.kind}"
            self.problems.report(what, line, remedy="a submission holds one kind of result")
        return kind == self.kind

    def run(self, path: str) -> Run:
        rank, score = np.array(self.rank, dtype=np.float64), np.array(self.score, dtype=np.float64)
        ranked, without = bool(len(rank)) and not np.isnan(rank[0]), int(np.isnan(score).sum())
        if 0 < without < len(score):
            self.problems.count("results without a usable rsv, which is not needed", without)
        return assemble(
            tag=self.tag,
            topic=self.topic,
            document=self.document,
            start=None if self.path else np.array(self.start, dtype=np.int64),
            end=None if self.path else np.array(self.end, dtype=np.int64),
            path=self.path or None,
            path_end=self.path_end if any(self.path_end) else None,
            score=None if without else score,
            rank=rank if ranked else None,
            line=np.array(self.line, dtype=np.int64),
            task=self.task,
            order="rank" if ranked else "file" if without or not len(score) else "score",
            source=path,
            format=InexSubmission.format_name,
            duplicates="error",
            notes=(*self.notes, *unlocated_note(self.unlocated)),
        )


def _shown(element: etree._Element) -> str:
    return tag(str(element.tag), {str(key): str(value) for key, value in element.attrib.items()}, ">")


def _result_lines(ranking: Ranking, row: int) -> Iterator[str]:
    """What is in a result."""
    yield f"<file>{escape(ranking.documents[int(ranking.document[row])], quote=False)}</file>"
    if ranking.path is not None:
        first, last = ranking.path_of(row)
        yield tag("passage", {"start": first, "end": last}) if last else f"<path>{escape(first, quote=False)}</path>"
    else:
        assert ranking.start is not None and ranking.end is not None
        start, end = int(ranking.start[row]), int(ranking.end[row])
        offset, length = ("X", "X") if start < 0 else (str(start), str(end - start))
        yield tag("fol", {"offset": offset, "length": length})
    yield f"<rank>{int(ranking.rank[row]) + 1}</rank>"
    if ranking.score is not None and np.isfinite(ranking.score[row]):
        yield f"<rsv>{float(ranking.score[row])!r}</rsv>"
