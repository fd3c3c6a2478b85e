"""A folder as a collection: names, laziness, links, and what does not belong."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from berrypick.data.errors import InputError
from berrypick.documents.xml import folder as folders
from berrypick.documents.xml import lazy_structures as lazy
from berrypick.documents.xml.folder import find_documents, read_folder
from berrypick.documents.xml.structure import Structure
from berrypick.documents.xml.xml_documents import link_target, structure_of

Fill = Callable[..., Path]


@pytest.fixture
def fill(tmp_path: Path) -> Fill:
    """Write files into a folder."""

    def write(**files: str) -> Path:
        for name, text in files.items():
            file = tmp_path / "docs" / name.replace("__", "/").replace("_xml", ".xml").replace("_page", ".page")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return tmp_path / "docs"

    return write


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents parsed so far, in order."""
    seen: list[str] = []

    def structure(path: str, **options: object) -> Structure:
        seen.append(Path(path).stem)
        return structure_of(Path(path).read_bytes(), path=path, **options)  # type: ignore[arg-type]

    def length(path: str) -> int:
        seen.append(Path(path).stem)
        return structure_of(Path(path).read_bytes(), path=path).length

    monkeypatch.setattr(folders, "read_structure", structure)
    monkeypatch.setattr(folders, "read_length", length)
    return seen


def test_names(fill: Fill) -> None:
    top = fill(b_xml="<a/>", an__1995__a1032_xml="<a/>", an__x_page="<a/>", readme="no", x__y="no", an__b_XML="<a/>")
    (top / "UPPER.XML").write_text("<a/>")
    (top / ".hidden.xml").write_text("<a/>")
    (top / ".git").mkdir()
    (top / ".git" / "c.xml").write_text("<a/>")
    assert list(find_documents(top)) == ["UPPER", "an/1995/a1032", "an/x", "b"]


def test_nothing_is_parsed_before_it_is_asked_for(fill: Fill, parsed: list[str]) -> None:
    collection = read_folder(fill(b_xml="<a>four</a>", a_xml="<a>12</a>", c_xml="<a><b>"))
    assert (len(collection), len(collection.structures)) == (3, 3)
    assert list(collection.lengths) == list(collection.structures) == ["a", "b", "c"]
    assert "c" in collection.lengths and "d" not in collection.lengths
    assert "c" in collection.structures and "d" not in collection.structures
    assert bool(collection.structures)
    assert parsed == []
    assert collection.lengths["b"] == collection.lengths["b"] == 4
    assert parsed == ["b"]
    assert collection.structures["a"] is collection.structures["a"]
    assert parsed == ["b", "a"]


def test_total_and_mean(fill: Fill) -> None:
    collection = read_folder(fill(a_xml="<a> 1  2 </a>", b_xml="<a>three</a>"))
    assert (collection.total, collection.mean_length) == (10, 5)
    assert {name: structure.length for name, structure in collection.structures.items()} == dict(collection.lengths)
    assert collection.source.endswith("docs")


def test_what_is_wrong_is_said_when_touched(fill: Fill) -> None:
    top = fill(a_xml="<a/>", b_xml="<a>\n<b></a>")
    collection = read_folder(top)
    for touch in (lambda: collection.structures["b"], lambda: collection.lengths["b"], lambda: collection.total):
        with pytest.raises(InputError) as caught:
            touch()
        assert (caught.value.path, caught.value.line) == (str(top / "b.xml"), 2)


def test_a_document_that_is_not_there(fill: Fill) -> None:
    collection = read_folder(fill(a_xml="<a/>"))
    assert collection.structures.get("b") is None and collection.lengths.get("b") is None
    with pytest.raises(KeyError):
        collection.structures["b"]


def test_only_the_last_structures_are_kept(fill: Fill, parsed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "KEPT", 2)
    collection = read_folder(fill(a_xml="<a/>", b_xml="<a/>", c_xml="<a/>"))
    for name in "abacab":
        assert collection.structures[name].length == 0
    assert parsed == ["a", "b", "c", "b"]


def test_collections_travel_to_other_processes(fill: Fill) -> None:
    collection = read_folder(fill(a_xml="<a>12</a>"))
    before = collection.structures["a"].length
    copy = pickle.loads(pickle.dumps(collection))
    assert copy.structures["a"].length == copy.lengths["a"] == before == 2


def test_folders_without_documents(fill: Fill, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for top in (tmp_path / "empty", fill(readme="no")):
        with pytest.raises(InputError, match=r"holds no XML documents \(\.xml or \.page\)"):
            read_folder(top)
    for top in (tmp_path / "none", tmp_path / "docs" / "readme"):
        with pytest.raises(InputError, match="is not a folder"):
            read_folder(top)


def test_two_files_of_one_name(fill: Fill) -> None:
    with pytest.raises(InputError, match=r"duplicate document a, also in .*a\.page"):
        read_folder(fill(a_xml="<a/>", a_page="<a/>"))


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_symbolic_links(fill: Fill, tmp_path: Path) -> None:
    top = fill(a_xml="<a/>", sub__b_xml="<a/>")
    (tmp_path / "outside").mkdir()
    (top / "loop").symlink_to(top)
    (top / "dangling.xml").symlink_to(top / "none.xml")
    (top / "alias.xml").symlink_to(top / "sub" / "b.xml")
    assert list(find_documents(top)) == ["a", "alias", "dangling", "sub/b"]
    (tmp_path / "outside" / "secret.xml").write_text("<a/>")
    (tmp_path / "docs-beside.xml").write_text("<a/>")
    for target in (tmp_path / "outside" / "secret.xml", tmp_path / "docs-beside.xml", tmp_path / "outside"):
        (top / "strange.xml").symlink_to(target)
        with pytest.raises(InputError) as error:
            find_documents(top)
        assert error.value.path == str(top / "strange.xml")
        (top / "strange.xml").unlink()


def test_a_folder_reached_by_a_link(fill: Fill, tmp_path: Path) -> None:
    fill(a_xml="<a/>")
    (tmp_path / "way").symlink_to(tmp_path / "docs")
    assert list(find_documents(tmp_path / "way")) == ["a"]


# Links


@pytest.mark.slow
@pytest.mark.parametrize(
    ("href", "name", "target"),
    [
        ("b.xml", "a", "b"),
        ("b", "a", "b"),
        ("b.page#sec", "a", "b"),
        ("b.xml?x=1#y", "a", "b"),
        ("b.xml", "s/a", "s/b"),
        ("../b.xml", "s/a", "b"),
        ("../t/./b.xml", "s/a", "t/b"),
        ("/t/b.xml", "s/a", "t/b"),
        ("s/../b.xml", "a", "b"),
        ("two%20words.xml", "a", "two words"),
        (" b.xml ", "a", "b"),
        ("v1.2.xml", "a", "v1.2"),
        ("a.xml#here", "a", None),
        ("a.xml", "a", None),
        ("../s/a.xml", "s/a", None),
        ("#here", "a", None),
        ("", "a", None),
        ("../b.xml", "a", None),
        ("../../docs/b.xml", "s/a", None),
        ("http://x.org/b.xml", "a", None),
        ("mailto:b.xml", "a", None),
        ("//x.org/b.xml", "a", None),
        ("http://[", "a", None),
        (".", "a", None),
        ("..", "s/a", None),
        (".xml", "a", None),
    ],
)
def test_where_links_lead(href: str, name: str, target: str | None) -> None:
    assert link_target(href, name) == target


def test_links_of_a_document() -> None:
    data = b"""<a xmlns:xlink="http://www.w3.org/1999/xlink" href="r.xml">
      <b href = 'one.xml'/>href="text.xml" <!-- <b href="no.xml"/> --><?p href="no.xml"?>
      <c xlink:href="two.xml#x"
         url="three.page"/><c title="a href=" href="four.xml" x=' url="no.xml"'/>
      <d x='href="no.xml"'>url="no.xml"</d><d data-url="no.xml" ahref="no.xml"/> url="no.xml"
      <e href="a&amp;b.xml"/><e href="one.xml"/><e href="http://x.org/one.xml"/><e href="#x"/><e href="self.xml"/>
    </a>"""
    document = structure_of(data, name="self")
    assert [(document.path(element), target) for element, target in document.links] == [
        ("/a[1]", "r"),
        ("/a[1]/b[1]", "one"),
        ("/a[1]/c[1]", "two"),
        ("/a[1]/c[1]", "three"),
        ("/a[1]/c[2]", "four"),
        ("/a[1]/e[1]", "a&b"),
        ("/a[1]/e[2]", "one"),
    ]


def test_links_stay_in_the_collection(fill: Fill) -> None:
    link = "<a><b href='{}'/><b href='none.xml'/></a>"
    collection = read_folder(fill(s__a_xml=link.format("../b.xml"), b_xml=link.format("s/a.xml#x")))
    assert collection.structures["s/a"].links == ((1, "b"),)
    assert collection.structures["b"].links == ((1, "s/a"),)
