"""INEX assessments in XML."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import InputError
from berrypick.data.origin import Origin
from berrypick.data.truth import EntryPoint, Passage, TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.files.files import head, members
from berrypick.files.line_words import finite
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.inex._inex import Paths, ends_before, whole
from berrypick.formats.inex._xml_files import (
    count_attributes,
    count_unknown,
    forget,
    line_of,
    looks_like,
    streamed,
    tag,
    writable,
)

if TYPE_CHECKING:
    from lxml import etree

NAN = math.nan
Degrees = tuple[float, float, float, float]
#: Elements that are read.
KNOWN = ("file", "element", "path", "passage", "best-entry-point")
#: Attributes that are read, and those that are not needed.
ATTRIBUTES = {"topic", "name", "file", "path", "start", "end", "size", "rsize", "relevance", "coverage"}
ATTRIBUTES |= {"exhaustivity", "exhaustiveness", "specificity"}
ATTRIBUTES |= {"pool", "version", "collection", "inferred", "inpool", "inconsistant", "inconsistent"}


class InexAssessments(Format):
    """INEX assessments in XML, 2002 to 2008: ``<assessments topic="...">`` with a ``<file>`` for every judged document.

    One topic per file, or several ``<assessments>`` under one root; a folder of such files is read as one truth. A
    topic definition, comments and unknown elements are ignored. What is in a ``<file>`` depends on the year.

    * 2002 to 2004: ``<path path exhaustiveness specificity/>``, grades from 0 to 3, or ``U`` or no attribute where
      nobody assessed. In 2002 ``relevance`` from 0 to 3 instead: it is the exhaustivity, and what is relevant counts
      as specific (3). Scale '2002'.
    * 2005 to 2008: ``<best-entry-point path/>`` (from 2006), ``<passage start end size/>`` and ``<element path
      exhaustivity size rsize/>``: size in characters, and how many of them are highlighted. exhaustivity is 1, 2 or
      ``?`` (too small, taken as 0). Early files of 2005 have ``specificity`` from 0 to 1 instead of the sizes, and
      passages without size.
    * A ``<file>`` with nothing in it was judged and holds nothing relevant.

    A file does not say its year, and in 2005 exhaustivity counts, later only specificity does. The rule: with a best
    entry point anywhere it is 2006 or later (scale 'sizes'). Without one it is 2005 (scale '2005') if some
    element has exhaustivity 1 or ``?``, or if specificities stand in place of sizes; else 'sizes'. Where the
    rule cannot know, in a file of 2005 all of whose elements have exhaustivity 2, both scales give the same gains.
    The rule sees all files of a folder at once.

    A document is named by ``name`` or ``file``; the collection is not used. Points are element paths or
    ``parent/text()[k].offset``. White space in paths is left out, steps without a number are [1] (counted).

    Sample::

        <assessments pool="12" topic="289" version="2">
         <file collection="wikipedia" name="2267781">
           <best-entry-point path="/article[1]/p[5]"/>
           <passage start="/article[1]/p[5]/text()[1].89" end="/article[1]/p[5]/text()[1].199" size="111"/>
           <element path="/article[1]/p[5]" exhaustivity="2" size="569" rsize="111"/>
           <element path="/article[1]" exhaustivity="2" size="20376" rsize="111"/>
         </file>
         <file collection="wikipedia" name="851"/>
        </assessments>
    """

    format_name: ClassVar[str] = "inex-assessments"
    holds_unjudged_topics: ClassVar[bool] = True
    positions = "chars"
    role: ClassVar[Role] = "truth"
    begins: ClassVar[tuple[str, ...]] = ("<",)
    marks: ClassVar[tuple[str, ...]] = ("assessments",)
    shape: ClassVar[str] = '<assessments topic="..."><file name="..."><element path="/article[1]" .../></file>'
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)
    holds: ClassVar[frozenset[str]] = frozenset({"entry points", "documents judged as a whole"})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return looks_like(lines, "assessments")

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        """Whether one of the first few XML files of a folder is of this format."""
        return any(cls.sniff(head(name)) for name in _members(path)[:5])

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        campaign = _Campaign()
        if not os.path.isdir(path):
            if not campaign.read(path, problems):
                problems.report("holds no <assessments>", remedy=f"expected {cls.shape}")
            return campaign.truth(path, problems)
        found = _members(path)
        if not found:
            raise InputError("is a folder without XML files", path=path, remedy=f"expected files with {cls.shape}")
        for name in found:
            if not campaign.read(name, replace(problems, path=name)):
                problems.count("XML files without assessments, skipped")
        return campaign.truth(path, problems)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        if value.units != "elements":
            return "the truth does not judge elements"
        for topic in value.topics.values():
            if any(point.point is None for point in topic.entry_points):
                return "entry points are offsets; this format needs paths"
            problem = writable((topic.topic, *topic.documents()))
            if problem:
                return problem
        return ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        several = len(value) != 1
        out.write("<inex-assessments>\n" if several else "")
        for topic in value.topics.values():
            version = "" if value.scale == "2002" else "2"
            out.write(tag("assessments", {"topic": topic.topic, "version": version}, ">\n"))
            _write_files(topic, value.scale, out)
            out.write("</assessments>\n")
        out.write("</inex-assessments>\n" if several else "")

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        topics = value.topics.values()
        return [
            counted(len(value), "topic"),
            counted(sum(len(set(topic.documents())) for topic in topics), "judged document"),
            counted(sum(len(topic) for topic in topics), "element"),
            f"{sum(int((topic.grade > 0).sum()) for topic in topics)} relevant",
            counted(sum(len(topic.passages) for topic in topics), "passage"),
            counted(sum(len(topic.entry_points) for topic in topics), "entry point"),
            f"scale {value.scale}",
        ]


def _members(folder: str) -> list[str]:
    """The XML files of a folder and the folders in it, numbers in their order."""
    return sorted(members(folder, lambda name: name.endswith((".xml", ".xml.gz"))), key=_with_numbers)


def _with_numbers(name: str) -> list[tuple[str, int]]:
    return [(text, int(number or 0)) for text, number in re.findall(r"([^0-9]*)([0-9]*)", name)]


@dataclass
class _Assessed:
    """The assessments of one topic as they are read."""

    topic: str
    where: str  # file and line
    #: Document, path, line; exhaustivity, specificity, size, rsize.
    elements: list[tuple[str, str, int, Degrees]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    points: list[EntryPoint] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)  # document to its line

    def truth(self, scale: str) -> TopicTruth:
        columns = np.array([degrees for *_, degrees in self.elements], dtype=np.float64).reshape(-1, 4).T.copy()
        exhaustivity, specificity, size, rsize = columns
        return TopicTruth(
            self.topic,
            tuple(document for document, *_ in self.elements),
            _relevant(exhaustivity, specificity, scale).astype(np.float64),
            line=np.array([line for _, _, line, _ in self.elements], dtype=np.int64),
            empty_documents=tuple(self.empty),
            path=tuple(path for _, path, *_ in self.elements),
            exhaustivity=exhaustivity,
            specificity=specificity,
            size=size,
            rsize=rsize,
            passages=tuple(self.passages),
            entry_points=tuple(self.points),
            judged_whole=scale != "2002",  # highlighted text; before 2005 elements were judged one by one
        )


def _relevant(exhaustivity: FloatArray, specificity: FloatArray, scale: str) -> Any:
    """Grades above 0 in what the scale looks at; unassessed elements are not relevant."""
    if scale == "sizes":
        return specificity > 0
    if scale == "2005":
        return (exhaustivity != 0) & (specificity > 0)
    return (exhaustivity > 0) & (specificity != 0)


class _Campaign:
    """All topics, from one file or many, and what is needed to tell the year."""

    def __init__(self) -> None:
        self.topics: dict[str, _Assessed] = {}
        self.forms: dict[str, str] = {}  # 'path' or 'element' to where it was seen first
        self.exhaustivity: set[float] = set()
        self.shares = False  # specificity in place of sizes

    def read(self, path: str, problems: Problems) -> bool:
        """Add the assessments of one file; whether there were any."""
        reader: _FileReader | None = None
        found, before = False, len(problems.found)
        paths = Paths(problems)
        for event, element in streamed(path, problems, ("assessments", "file")):
            if element.tag == "assessments":
                found = True
                reader = self._opened(element, path, problems, paths) if event == "start" else None
                if event == "end":
                    count_unknown(element, problems, ("file",))
            elif event == "end" and _within_assessments(element):
                if reader is not None:
                    reader.read(element)
                forget(element, problems, KNOWN)
        return found or len(problems.found) > before

    def _opened(self, element: etree._Element, path: str, problems: Problems, paths: Paths) -> _FileReader | None:
        count_attributes(element, problems, ATTRIBUTES)
        topic, line = (element.get("topic") or "").strip(), line_of(element)
        if not topic:
            problems.report("the assessments have no topic", line, _shown(element))
            return None
        if topic in self.topics:
            what = f"topic {topic} is assessed twice, first in {self.topics[topic].where}"
            problems.report(what, line, _shown(element), "keep one assessment per topic")
            return None
        self.topics[topic] = _Assessed(topic, f"{path}:{line}")
        return _FileReader(self, self.topics[topic], path, problems, paths)

    def truth(self, path: str, problems: Problems) -> Truth:
        if len(self.forms) > 1:
            places = " and ".join(f"<{form}> in {where}" for form, where in self.forms.items())
            problems.report(f"has assessments of different campaigns, {places}")
        scale = self.scale()
        return Truth(
            "elements",
            {topic: assessed.truth(scale) for topic, assessed in self.topics.items()},
            Origin(path, InexAssessments.format_name),
            lengths=self._lengths(problems),
            scale=scale,
        )

    def scale(self) -> str:
        """The rule of the docstring."""
        if "path" in self.forms:
            return "2002"
        if any(assessed.points for assessed in self.topics.values()):
            return "sizes"
        return "2005" if self.shares or self.exhaustivity & {0.0, 1.0} else "sizes"

    def _lengths(self, problems: Problems) -> dict[str, float]:
        """The sizes of root elements are the lengths of documents."""
        lengths: dict[str, float] = {}
        for assessed in self.topics.values():
            for document, path, _, (_, _, size, _) in assessed.elements:
                if path.count("/") > 1 or math.isnan(size):
                    continue
                if lengths.setdefault(document, size) != size:
                    problems.count("documents with different lengths for different topics; the first is used")
        return lengths


@dataclass
class _FileReader:
    """Reads the ``<file>`` elements of one topic."""

    campaign: _Campaign
    into: _Assessed
    source: str
    problems: Problems
    paths: Paths

    def read(self, element: etree._Element) -> None:
        count_attributes(element, self.problems, ATTRIBUTES)
        document = (element.get("name") or element.get("file") or "").strip()
        line = line_of(element)
        if not document:
            self.problems.report("the <file> has no document name", line, _shown(element))
            return
        if document in self.into.files:
            first = self.into.files[document]
            what = f"document {document} is assessed twice for topic {self.into.topic}, first in line {first}"
            self.problems.report(what, line, _shown(element), "keep one of the two")
            return
        self.into.files[document] = line
        if not len(element):
            self.into.empty.append(document)
        known: dict[str, int] = {}
        for child in element:
            self._child(document, child, known)

    def _child(self, document: str, child: etree._Element, known: dict[str, int]) -> None:
        if isinstance(child.tag, str):
            count_attributes(child, self.problems, ATTRIBUTES)
        if child.tag in ("element", "path"):
            self._element(document, child, known)
        elif child.tag == "passage":
            self._passage(document, child)
        elif child.tag == "best-entry-point":
            point = self._point(child, "path")
            if point is not None:
                self.into.points.append(EntryPoint(document, point, line=line_of(child)))
        elif not isinstance(child.tag, str):
            self.problems.report(f"entity in the <file> of {document}", line_of(child))

    def _element(self, document: str, child: etree._Element, known: dict[str, int]) -> None:
        word = child.get("path") or ""
        path = self.paths.element(word)
        if path is None:
            self._wrong(child, f"{word!r} is not a path", "expected /article[1]/bdy[1]/sec[2]")
            return
        line = line_of(child)
        if path in known:
            self._wrong(child, f"{path} of {document} is assessed twice, first in line {known[path]}")
            return
        known[path] = line
        degrees = self._grades(child) if child.tag == "path" else self._sizes(child)
        if degrees is None:
            return
        self.campaign.forms.setdefault(str(child.tag), f"{self.source}:{line}")
        self.into.elements.append((document, path, line, degrees))

    def _grades(self, child: etree._Element) -> Degrees | None:
        """2002 to 2004: exhaustivity and specificity from 0 to 3."""
        if child.get("relevance") is not None:
            relevance = self._grade(child, "relevance", "0123", "U")
            if relevance is None:
                return None
            self.problems.count("elements with a grade of relevance only, treated as fully specific")
            return relevance, 3.0 if relevance > 0 else relevance, NAN, NAN
        name = "exhaustivity" if child.get("exhaustiveness") is None else "exhaustiveness"
        exhaustivity = self._grade(child, name, "0123", "U")
        specificity = self._grade(child, "specificity", "0123", "U")
        if exhaustivity is None or specificity is None:
            return None
        if math.isnan(exhaustivity) or math.isnan(specificity):
            self.problems.count("unassessed elements")
        return exhaustivity, specificity, NAN, NAN

    def _sizes(self, child: etree._Element) -> Degrees | None:
        """2005 on: exhaustivity, and how much of the element is highlighted."""
        exhaustivity = self._grade(child, "exhaustivity", "012", "")
        if exhaustivity is None:
            return None
        found = self._shares(child) if child.get("size") is None else self._highlighted(child)
        if found is None:
            return None
        if not math.isnan(exhaustivity):
            self.campaign.exhaustivity.add(exhaustivity)
        self.campaign.shares |= math.isnan(found[1])
        return exhaustivity, *found

    def _highlighted(self, child: etree._Element) -> tuple[float, float, float] | None:
        size, rsize = whole(child.get("size")), whole(child.get("rsize"))
        if size is None or rsize is None:
            name = "size" if size is None else "rsize"
            self._wrong(child, f"{name} is {_attribute_text(child, name)}, expected a whole number, 0 or more")
            return None
        if rsize > size:
            self._wrong(child, f"{rsize} characters are highlighted in an element of {size}")
            return None
        return rsize / size if size else 0.0, float(size), float(rsize)

    def _shares(self, child: etree._Element) -> tuple[float, float, float] | None:
        share = finite(child.get("specificity") or "")
        if share is None or not 0 <= share <= 1:
            what = "it has neither size and rsize nor a specificity"
            if child.get("specificity") is not None:
                what = f"specificity is {_attribute_text(child, 'specificity')}, expected a number from 0 to 1"
            self._wrong(child, what)
            return None
        return share, NAN, NAN

    def _grade(self, child: etree._Element, name: str, known: str, unassessed: str) -> float | None:
        """A grade; nan where the file does not say; None if it says something else, which is reported."""
        word = (child.get(name) or "").strip()
        if word in ("", unassessed):
            return NAN
        if word == "?" and not unassessed:
            return 0.0
        if len(word) == 1 and word in known:
            return float(word)
        other = f"{unassessed} or none" if unassessed else "?"
        self._wrong(child, f"{name} is {word!r}, expected one of {', '.join(known)}, {other}")
        return None

    def _passage(self, document: str, child: etree._Element) -> None:
        start, end = self._point(child, "start"), self._point(child, "end")
        if start is None or end is None:
            return
        size = whole(child.get("size"))
        if size is None and child.get("size") is not None:
            self._wrong(child, f"size is {_attribute_text(child, 'size')}, expected a whole number, 0 or more")
        elif ends_before(start, end):
            self._wrong(child, "the passage ends before it starts")
        else:
            line = line_of(child)
            self.into.passages.append(Passage(document, start, end, None if size is None else float(size), line))

    def _point(self, child: etree._Element, name: str) -> str | None:
        word = child.get(name) or ""
        point = self.paths.point(word)
        if point is None:
            remedy = "expected /article[1]/bdy[1]/p[5] or /article[1]/bdy[1]/p[5]/text()[1].89"
            self._wrong(child, f"{name} is {_attribute_text(child, name)}, which is not a point in a document", remedy)
        return point

    def _wrong(self, child: etree._Element, what: str, remedy: str = "") -> None:
        self.problems.report(what, line_of(child), _shown(child), remedy)


def _within_assessments(element: etree._Element) -> bool:
    """A topic definition may have a <file> of its own."""
    parent = element.getparent()
    return parent is not None and parent.tag == "assessments"


def _attribute_text(element: etree._Element, name: str) -> str:
    return "missing" if element.get(name) is None else repr(element.get(name))


def _shown(element: etree._Element) -> str:
    return tag(str(element.tag), {str(key): str(value) for key, value in element.attrib.items()}, ">")


def _write_files(topic: TopicTruth, scale: str, out: TextIO) -> None:
    within: dict[str, list[str]] = {document: [] for document in topic.documents()}
    for point in topic.entry_points:
        within[point.document].append(tag("best-entry-point", {"path": point.point or ""}))
    for passage in topic.passages:
        size = "" if passage.size is None else f"{passage.size:.0f}"
        within[passage.document].append(tag("passage", {"start": passage.start, "end": passage.end, "size": size}))
    for row, document in enumerate(topic.document):
        within[document].append(_grades_line(topic, row) if scale == "2002" else _sizes_line(topic, row))
    name = "file" if scale == "2002" else "name"
    for document, found in within.items():
        out.write(" " + tag("file", {name: document}, ">\n" if found else "/>\n"))
        out.writelines(f"   {line}\n" for line in found)
        out.write(" </file>\n" if found else "")


def _grades_line(topic: TopicTruth, row: int) -> str:
    assert topic.path is not None
    exhaustivity, specificity = _at(topic.exhaustivity, row), _at(topic.specificity, row)
    attributes = {"path": topic.path[row], "exhaustiveness": _number(exhaustivity), "specificity": _number(specificity)}
    return tag("path", attributes)


def _sizes_line(topic: TopicTruth, row: int) -> str:
    assert topic.path is not None
    exhaustivity, size = _at(topic.exhaustivity, row), _at(topic.size, row)
    attributes = {"path": topic.path[row], "exhaustivity": "?" if exhaustivity == 0 else _number(exhaustivity)}
    if math.isnan(size):
        attributes["specificity"] = _number(_at(topic.specificity, row))
    else:
        attributes |= {"size": _number(size), "rsize": _number(_at(topic.rsize, row))}
    return tag("element", attributes)


def _at(column: Sequence[float] | FloatArray | None, row: int) -> float:
    return NAN if column is None else float(column[row])


def _number(value: float) -> str:
    """Empty where unknown."""
    if math.isnan(value):
        return ""
    return str(int(value)) if value.is_integer() else repr(value)
