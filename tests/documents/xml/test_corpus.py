"""Documents as trees on a line: generated XML against a twin that looks at one character after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from xml.dom import Node, minidom

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.data.errors import InputError
from berrypick.documents.xml.structure import Structure
from berrypick.documents.xml.xml_documents import structure_of, text_of

# Documents

PIECES = [" ", "  ", "\n", "\t \n", "a", "bc", "x y", "é", "漢", "😀", "\u00a0", ";", '"', "'", ">", 'href="q.xml"']
PIECES += ["&lt;", "&amp;", "&gt;", "&quot;", "&#233;", "&#x20;", "&#13;", "&#10;", "\r\n", "&#8195;", "&amp;lt;", "]-"]
NAMES = ["a", "b", "sec", "sec-1", "p.q", "é", "漢字", "n:a", "m:a"]
ATTRIBUTES = ["", "", ' x="1"', ' x=">"', " x='\"&lt;'", ' n:y="/"', '\n x = "a\tb" ', ' x="&amp;;&#13;"', ' href="c"']
OTHERS = ["<!-- a > <b> &amp; -->", "<!---->", "<?p <b>/?>", "<?p?>", "<![CDATA[ <b>&amp; ]]>", "<![CDATA[]]>"]

texts = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


def _element(name: str, attributes: str, content: list[str], short: bool) -> str:
    inside = "".join(content)
    return f"<{name}{attributes}/>" if short and not inside else f"<{name}{attributes}>{inside}</{name} >"


def _elements(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        _element, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES), st.lists(content, max_size=5), st.booleans()
    )


contents = st.recursive(texts | st.sampled_from(OTHERS), _elements, max_leaves=25)
SPACES = ' xmlns:n="urn:n" xmlns:m="urn:m" xmlns:o="urn:n"'
documents = st.builds(
    lambda parts, before, after: f"{before}<article{SPACES}>{''.join(parts)}</article>{after}".encode(),
    st.lists(contents, max_size=6),
    st.sampled_from(["", '<?xml version="1.0"?>\n', "<!-- <x> -->", "<!DOCTYPE article [<!ENTITY e 'x'>]>\n"]),
    st.sampled_from(["", "\n", "<!-- > -->\n", "<?p ?>"]),
)


# The twin


@dataclass
class Twin:
    """Every character of the text as written with the elements it is in, gathered by hand."""

    paths: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    inside: list[set[int]] = field(default_factory=list)  # the characters of each element, as written
    opened: list[int] = field(default_factory=list)  # how many characters stand before each element
    written: list[str] = field(default_factory=list)
    nodes: dict[str, list[int]] = field(default_factory=dict)  # the characters of each text node

    def element(self, node: Node, path: str, above: list[int]) -> None:
        row = len(self.paths)
        self.paths.append(path)
        self.parents.append(above[-1] if above else -1)
        self.inside.append(set())
        self.opened.append(len(self.written))
        seen: dict[str, int] = {}
        texts, in_text = 0, False
        for child in node.childNodes:
            if child.nodeType in (Node.TEXT_NODE, Node.CDATA_SECTION_NODE):
                if child.data and not in_text:
                    texts, in_text = texts + 1, True
                for character in child.data:
                    for holder in [*above, row]:
                        self.inside[holder].add(len(self.written))
                    self.nodes.setdefault(f"{path}/text()[{texts}]", []).append(len(self.written))
                    self.written.append(character)
                continue
            in_text = False
            if child.nodeType == Node.ELEMENT_NODE:
                name = child.nodeName.split(":")[-1]
                seen[name] = seen.get(name, 0) + 1
                self.element(child, f"{path}/{name}[{seen[name]}]", [*above, row])

    def white(self, place: int) -> bool:
        return self.written[place] in " \t\r\n"

    @cached_property
    def kept(self) -> list[int]:
        return [i for i in range(len(self.written)) if not (i and self.white(i) and self.white(i - 1))]

    def offset(self, place: int) -> int:
        return sum(i < place for i in self.kept)

    def characters(self, element: int) -> set[int]:
        return {self.offset(i) for i in self.kept if i in self.inside[element]}


def twin_of(data: bytes) -> Twin:
    twin = Twin()
    root = minidom.parseString(data).documentElement
    twin.element(root, f"/{root.nodeName}[1]", [])
    return twin


# Both together


@given(documents)
def test_the_tree_and_the_line(data: bytes) -> None:
    structure, twin = structure_of(data), twin_of(data)
    assert list(structure.paths) == twin.paths
    assert structure.parent.tolist() == twin.parents
    assert structure.length == len(twin.kept)
    for element in range(len(structure)):
        span = range(structure.start[element], structure.end[element])
        assert set(span) == twin.characters(element)
        assert structure.start[element] == twin.offset(twin.opened[element])
        assert structure.path(element) == twin.paths[element]


@given(documents)
def test_the_text_is_the_line(data: bytes) -> None:
    twin = twin_of(data)
    assert text_of(data) == "".join(" " if twin.white(i) else twin.written[i] for i in twin.kept)


@given(documents)
def test_text_nodes(data: bytes) -> None:
    structure, twin = structure_of(data), twin_of(data)
    rows = zip(structure.text_parent.tolist(), structure.text_position.tolist(), strict=True)
    assert [f"{structure.path(parent)}/text()[{k}]" for parent, k in rows] == list(twin.nodes)
    assert structure.text_raw_length.tolist() == [len(node) for node in twin.nodes.values()]


@given(documents)
def test_every_point_has_its_offset(data: bytes) -> None:
    structure, twin = structure_of(data), twin_of(data)
    for node, places in twin.nodes.items():
        for offset in range(len(places) + 1):
            expected = twin.offset(places[0] + offset)
            assert structure.offset_of_point(f"{node}.{offset}") == expected
            assert structure.offset_of_point(f"{node}.{offset}", last=True) == expected
        assert structure.offset_of_point(node) == twin.offset(places[0])
        assert structure.offset_of_point(node, last=True) == twin.offset(places[-1] + 1)
        with pytest.raises(InputError, match="beyond its text node"):
            structure.offset_of_point(f"{node}.{len(places) + 1}")


@given(documents)
def test_offsets_to_points_and_back(data: bytes) -> None:
    structure = structure_of(data)
    for offset in range(structure.length + 1):
        assert structure.offset_of_point(structure.point_at(offset)) == offset
        assert structure.offset_of_point(structure.point_at(offset, last=True), last=True) == offset


@given(documents)
def test_a_passage_holds_its_characters(data: bytes) -> None:
    """The point where a passage starts is in the node of its first character, where it ends in that of its last."""
    structure, twin = structure_of(data), twin_of(data)
    for offset, place in enumerate(twin.kept):
        node = next(name for name, places in twin.nodes.items() if place in places)
        start, end = structure.point_at(offset), structure.point_at(offset + 1, last=True)
        assert start.startswith(f"{node}.") and end.startswith(f"{node}.")
        assert structure.span_of_passage(start, end) == (offset, offset + 1)


@given(documents)
def test_paths_to_spans_and_back(data: bytes) -> None:
    structure = structure_of(data)
    for path in structure.paths:
        start, end = structure.span_of_path(path)
        found = structure.path_of_span(start, end)
        assert structure.span_of_path(found) == (start, end)
        assert end == start or path.startswith(found)  # the outermost of several that are the same text
        assert structure.span_of_passage(path, path) == (start, end)


@given(documents, st.data())
def test_covering(data: bytes, draw: st.DataObject) -> None:
    structure, twin = structure_of(data), twin_of(data)
    start, end = sorted(draw.draw(st.tuples(*[st.integers(0, structure.length)] * 2)))
    found = structure.path_of_span(start, end)
    element = twin.paths.index(found)
    assert set(range(start, end)) <= twin.characters(element)
    for other in range(len(structure)):
        if end > start and set(range(start, end)) <= twin.characters(other):
            ours, theirs = len(twin.characters(element)), len(twin.characters(other))
            assert ours < theirs or (ours == theirs and twin.paths[other].startswith(found))


@given(documents, st.data())
def test_assessed(data: bytes, draw: st.DataObject) -> None:
    structure, twin = structure_of(data), twin_of(data)
    place = st.integers(0, structure.length)
    spans = [sorted(span) for span in draw.draw(st.lists(st.tuples(place, place), max_size=5))]
    highlighted = {i for start, end in spans for i in range(start, end)}
    expected = [
        (element, len(twin.characters(element)), len(twin.characters(element) & highlighted))
        for element in range(len(structure))
        if twin.characters(element) & highlighted
    ]
    columns = structure.assessed([start for start, _ in spans], [end for _, end in spans])
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert all(column.dtype == np.int64 for column in columns)


@given(documents)
def test_ancestors_and_descendants(data: bytes) -> None:
    structure, twin = structure_of(data), twin_of(data)
    for element, path in enumerate(twin.paths):
        below = [i for i, other in enumerate(twin.paths) if other.startswith(f"{path}/")]
        assert list(structure.descendants(element)) == below
        above = [i for i, other in enumerate(twin.paths) if path.startswith(f"{other}/")]
        assert structure.ancestors(element) == above[::-1]


# By hand

DOCUMENT = b"""<article>
  <title>On  <em> bees </em>
  </title><p>Honey &amp; wax<br/>more</p><!-- no -->tail
</article>"""
LINE = " On bees Honey & waxmoretail "


@pytest.fixture
def document() -> Structure:
    return structure_of(DOCUMENT)


def test_an_example(document: Structure) -> None:
    assert text_of(DOCUMENT) == LINE
    assert document.length == len(LINE)
    assert document.span_of_path("/article[1]/title[1]") == (1, 9)
    # The space before bees belongs to the title, where the run starts; the one behind it to em.
    assert [LINE[slice(*document.span_of_path(path))] for path in document.paths] == [
        LINE,
        "On bees ",
        "bees ",
        "Honey & waxmore",
        "",
    ]


def test_points_count_characters_as_written(document: Structure) -> None:
    title, em = "/article[1]/title[1]", "/article[1]/title[1]/em[1]"
    assert document.offset_of_point(f"{title}/text()[1].0") == 1
    assert document.offset_of_point(f"{title}/text()[1].3") == 4
    assert document.offset_of_point(f"{title}/text()[1].4") == 4  # the second space was dropped
    assert document.offset_of_point(f"{em}/text()[1].1") == 4
    assert document.offset_of_point(f"{em}/text()[1].2") == 5
    assert document.span_of_passage(f"{em}/text()[1].1", f"{em}/text()[1].5") == (4, 8)
    assert document.offset_of_point("/article[1]/p[1]/text()[1].7") == LINE.index("wax") - 1  # &amp; is one


def test_comments_split_text_nodes() -> None:
    document = structure_of(b"<a>one<!-- x -->two<![CDATA[three]]>four<?p q?></a>")
    assert document.text_raw_length.tolist() == [3, 12]
    assert document.offset_of_point("/a[1]/text()[2].3") == 6


def test_the_end_of_a_passage_is_exclusive_unless_asked_otherwise() -> None:
    """As X-Rai wrote them; 89 to 199 are 110 characters, of which the file of 2006 says 111."""
    document = structure_of(b"<article><p>" + b"x" * 569 + b"</p></article>")
    points = [f"/article[1]/p[1]/text() [1].{offset}" for offset in (89, 199)]
    assert document.span_of_passage(*points) == (89, 199)
    assert document.span_of_passage(*points, inclusive=True) == (89, 200)


def test_assessed_by_hand(document: Structure) -> None:
    start = LINE.index("bees")
    elements, size, rsize = document.assessed([start, start + 2], [start + 3, start + 8])
    assert [document.paths[i] for i in elements] == [
        "/article[1]",
        "/article[1]/title[1]",
        "/article[1]/title[1]/em[1]",
        "/article[1]/p[1]",
    ]
    assert size.tolist() == [len(LINE), 8, 5, 15]
    assert rsize.tolist() == [8, 5, 5, 3]


@pytest.mark.parametrize(
    "variant",
    ["/article/p", "/article[1]/p[1]/", "/article[1]/p", " /article[1] / p[1]", "/x:article[1]/p[01]"],
)
def test_paths_as_met_in_the_field(document: Structure, variant: str) -> None:
    assert document.path(document.element(variant)) == "/article[1]/p[1]"


def test_points_as_met_in_the_field(document: Structure) -> None:
    for variant in ("/article/p/text().3", "/article[1]/p[1]/text()[1].3/", "/article[1]/p[1]/text() [1].3"):
        assert document.offset_of_point(variant) == 12


@pytest.mark.parametrize(
    ("point", "what"),
    [
        ("", "is not the path of an element"),
        ("/", "is not the path of an element"),
        ("article[1]", "is not the path of an element"),
        ("/article[1]//p[1]", "is not the path of an element"),
        ("/article[1]/p[x]", "is not the path of an element"),
        ("/article[1]/p[1][2]", "is not the path of an element"),
        ("/article[1]/@id", "the document has no element"),
        ("/article[1]/text()[1].-1", "is not the path of an element"),
        ("/article[1]/text()[1].1.5", "is not the path of an element"),
        ("/article[1]/p[" + "9" * 5000 + "]", "is not the path of an element"),
        ("/article[1]/p[2]", "the document has no element /article\\[1\\]/p\\[2\\]"),
        ("/article[1]/p[0]", "the document has no element"),
        ("/book[1]", "its root is /article\\[1\\], book\\[1\\] does not exist"),
        ("/article[1]/bdy[1]/sec[1]", "/article\\[1\\] exists, bdy\\[1\\] does not exist"),
        ("/article[1]/p[2]/text()[1].0", "the document has no element"),
        ("/article[1]/p[1]/text()[3].0", "has no text node"),
        ("/article[1]/p[1]/text()[2].5", "beyond its text node\n.*the node has 4 characters"),
    ],
)
def test_points_that_lead_nowhere(document: Structure, point: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        document.offset_of_point(point)
    assert caught.value.path is None  # whoever read the point knows file and line


def test_spans_that_are_none(document: Structure) -> None:
    for start, end in ((-1, 3), (5, 4), (0, len(LINE) + 1)):
        with pytest.raises(InputError, match="is not a span of the document"):
            document.path_of_span(start, end)
        with pytest.raises(InputError, match="is not a span of the document"):
            document.assessed([start], [end])
    with pytest.raises(InputError, match="is not a span"):
        document.point_at(len(LINE) + 1)
    with pytest.raises(InputError, match="before it starts"):
        document.span_of_passage("/article[1]/p[1]/text()[1].3", "/article[1]/title[1]")


def test_a_document_without_text() -> None:
    document = structure_of(b"<a><b/></a>")
    assert (document.length, text_of(b"<a><b/></a>")) == (0, "")
    assert document.point_at(0) == document.point_at(0, last=True) == "/a[1]"
    assert document.path_of_span(0, 0) == "/a[1]"
    assert [len(column) for column in document.assessed([0], [0])] == [0, 0, 0]
    assert [len(column) for column in document.assessed([], [])] == [0, 0, 0]
