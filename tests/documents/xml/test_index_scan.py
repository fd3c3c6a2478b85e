"""Documents read many at a time, against the same documents read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.data.errors import InputError
from berrypick.documents.xml.structure import Structure
from berrypick.documents.xml.structure_scan import Bundle, Source, scan
from berrypick.documents.xml.xml_documents import structure_of


def written(folder: Path, documents: dict[str, bytes]) -> list[Source]:
    sources = []
    for name, data in documents.items():
        path = folder / f"{name.replace('/', '-')}.xml"
        path.write_bytes(data)
        sources.append(Source(name, str(path), len(data)))
    return sources


def structures(bundle: Bundle) -> dict[str, Structure]:
    """A bundle taken apart again, in the plainest way."""
    found = {}
    places = dict.fromkeys(("elements", "texts", "drops", "links"), 0)
    for i, document in enumerate(bundle.documents):
        rows = {}
        for number, place in places.items():
            count = int(bundle.columns[number][i])
            rows[number] = slice(place, place + count)
            places[number] += count
        elements, texts, drops, links = rows.values()
        starts, lengths = (bundle.columns[f"dropped_{what}"][drops].tolist() for what in ("start", "length"))
        found[document] = Structure(
            name=tuple(bundle.vocabulary[code] for code in bundle.columns["name"][elements]),
            parent=bundle.columns["parent"][elements].astype(np.int64),
            start=bundle.columns["start"][elements].astype(np.int64),
            end=bundle.columns["end"][elements].astype(np.int64),
            length=int(bundle.columns["length"][i]),
            text_parent=bundle.columns["text_parent"][texts].astype(np.int64),
            text_raw_length=bundle.columns["text_raw_length"][texts].astype(np.int64),
            dropped=np.array([a + j for a, b in zip(starts, lengths, strict=True) for j in range(b)], dtype=np.int64),
            links=tuple(zip(bundle.columns["link_element"][links].tolist(), targets(bundle)[links], strict=True)),
        )
    return found


def targets(bundle: Bundle) -> list[str]:
    """The document that each link leads to."""
    return [bundle.targets[code] for code in bundle.columns["link_target"]]


def same(one: Structure, other: Structure) -> bool:
    columns = ("parent", "start", "end", "text_parent", "text_raw_length", "dropped")
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
    plain = ("name", "length", "links")
    return arrays and all(getattr(one, name) == getattr(other, name) for name in plain)


def alone(source: Source) -> Structure | InputError:
    try:
        return structure_of(Path(source.path).read_bytes(), path=source.path, name=source.name)
    except InputError as error:
        return error


def compare(folder: Path, documents: dict[str, bytes]) -> Bundle:
    sources = written(folder, documents)
    bundle = scan(sources)
    found = structures(bundle)
    assert set(found) | set(bundle.problems) == set(documents) and not set(found) & set(bundle.problems)
    for source in sources:
        expected = alone(source)
        if isinstance(expected, InputError):
            assert str(bundle.problems[source.name]) == str(expected)
        else:
            assert same(found[source.name], expected), documents[source.name]
    return bundle


# Everyday documents need no tree

EVERYDAY = {
    "plain": b"<a>one<b>two</b> three</a>",
    "empty": b"<a/>",
    "no text": b"<a><b/><b></b></a>",
    "only white": b"<a> \n <b> </b> </a>",
    "declared": b'<?xml version="1.0" encoding="UTF-8"?>\n<a>t\xc3\xa9xt</a>\n',
    "latin": b'<?xml version="1.0" encoding="ISO-8859-1"?><a b="\xe9" href="\xe9.xml">t\xe9xt \xa0</a>',
    "ascii": b'<?xml version="1.0" encoding="us-ascii" standalone="yes" ?><a>t</a>',
    "scripts": "<a>Ünïcödé <b>日本語 текст</b> 😀 <c>x</c></a>".encode(),
    "names": "<é><日本/><é/></é>".encode(),
    "long names": b"<a><" + b"n" * 40 + b"/><" + b"n" * 23 + b"/><" + b"n" * 24 + b"/></a>",
    "names alike": b"<a1234567><a12345678/><a1234567/><b12345678><b12345679/></b12345678></a1234567>",
    "prefixes": b'<p:a xmlns:p="u" xmlns:q="v"><q:a/><a/><p:b/></p:a>',
    "attributes": b"<a  b = '1'\n c=\"2\" ><b\n/><b\t></b\n></a >",
    "comments": b"<!-- <x> --><a>o<!-- > <y> -- -->ne<!---->two</a><!-- </a> -->".replace(b" -- -->", b" -->"),
    "instructions": b"<?p <x> ?><a>o<?q > ?>ne<?r?></a><?s?>",
    "sections": b"<a>x <![CDATA[<b> & ]] > ]]> <![CDATA[]]>y<b><![CDATA[ <!-- ]]></b></a>",
    "nested secrets": b"<a><!-- <![CDATA[ --><![CDATA[ <!-- ]]><?p <!-- ?>t<!-- ?> --></a>",
    "references": b"<a b='&lt;&#10;'>&lt;b&gt; &amp;amp; &#233;&#xE9;&#x1F600;&quot;&apos;</a>",
    "white references": b"<a>x&#32;&#x20; &#10;&#xA;y&#9;<b>&#13;</b>&#013;</a>",
    "ends of lines": b"<a>x\r\n\r\ny\rz<b>\r</b>\r\n</a>\r\n",
    "stray": b"<a b='>' c=\"a>b\">x > y -> <b d='<>'.replace/></a>".replace(b"d='<>'.replace", b"d='>>'"),
    "quotes": b'<a b="it\'s" c=\'say "\'>it\'s "so"<b/></a>',
    "document type": b"<!DOCTYPE a PUBLIC \"p/q\" 's[>'>\n<a>text</a>",
    "document type first": b"<!DOCTYPE a><a>text</a>",
    "identifiers": b'<a xml:id="x"><b xml:id="y"/><b xml:id=\'z.1\'/></a>',
    "deep": b"<a>x" * 100 + b"y" + b"</a>" * 100,
    "across": b"<a>x <b> <c/> y </b>\n<!-- --> z</a>",
    "no-break": "<a>x\u00a0 \u00a0 y\u2003 z</a>".encode(),
    "signs": b"<a>what?! !? <b>?</b>! <c/>&amp;!?</a>",
}


def test_everyday_documents(tmp_path: Path) -> None:
    compare(tmp_path, EVERYDAY)


@pytest.mark.parametrize("name", EVERYDAY)
def test_each_alone(tmp_path: Path, name: str) -> None:
    compare(tmp_path, {name: EVERYDAY[name]})


# Unusual and broken ones

ODD = {
    "declarations": b'<!DOCTYPE a [<!ENTITY e "<x>"> <!ATTLIST b href CDATA "q.xml">]><a><b/>text</a>',
    "declarations later": b"<!-- <!DOCTYPE a> --><!DOCTYPE a [<!ELEMENT a ANY>]><a>text</a>",
    "hidden declarations": b'<!DOCTYPE a SYSTEM "s>" [<!ENTITY e "<!--">]><a>text<!-- --></a>',
    "byte order mark": b"\xef\xbb\xbf<a>text</a>",
    "white before": b"\n<a>text</a>",
    "utf-16": "<a>téxt</a>".encode("utf-16"),
    "utf-16 without mark": '<?xml version="1.0" encoding="utf-16le"?><a>téxt</a>'.encode("utf-16-le"),
    "windows": '<?xml version="1.0" encoding="windows-1252"?><a>\u20ac</a>'.encode("cp1252"),
    "too deep to be sure": b"<a>" * 129 + b"x" + b"</a>" * 129,
    "version": b'<?xml version="1.1"?><a>text</a>',
}

BAD = {
    "entity": b'<!DOCTYPE a SYSTEM "no.dtd">\n<a>\n&nbsp;</a>',
    "unknown entity": b"<a>&nbsp;</a>",
    "open": b"<a>\n<b></a>",
    "nothing": b"",
    "two roots": b"<a/><b/>",
    "prefix": b"<a>\n<n:b/></a>",
    "attribute prefix": b"<a n:b='1'/>",
    "twice": b"<a b='1' b='2'/>",
    "same identifier": b'<a xml:id="x">\n<b xml:id="x"/></a>',
    "no identifier": b'<a xml:id="1 2"/>',
    "bytes": b"<a>\xff</a>",
    "very deep": b"<a>" * 300 + b"</a>" * 300,
    "long text": b"<a>" + b"x" * 10_000_001 + b"</a>",
}


def test_odd_documents(tmp_path: Path) -> None:
    bundle = compare(tmp_path, ODD | BAD)
    assert set(bundle.problems) == set(BAD)


def test_all_together(tmp_path: Path) -> None:
    compare(tmp_path, EVERYDAY | ODD | BAD)
    assert len(scan([]).documents) == 0


@pytest.mark.parametrize("name", [name for name in BAD if name != "very deep"])
def test_a_bad_document_does_not_harm_the_next(tmp_path: Path, name: str) -> None:
    documents = {"x": b"<a>x</a>", name: BAD[name], "y": b"<a>y</a>", "z": BAD["open"], "u": b"<a>u</a>"}
    compare(tmp_path, documents)


def test_files_that_are_not_what_they_were(tmp_path: Path) -> None:
    """Grown, shrunk, or gone since their size was asked for."""
    (tmp_path / "a.xml").write_bytes(b"<a>" + b"x" * 3_000_000 + b"</a>")
    for size in (-1, 0, 1, 5, 3_000_000, 3_000_007, 9_999_999):
        bundle = scan([Source("a", str(tmp_path / "a.xml"), size)])
        assert bundle.columns["length"].tolist() == [3_000_000]
    bundle = scan([Source("b", str(tmp_path / "b.xml"), 5)])
    assert "No such file" in str(bundle.problems["b"]) and bundle.documents == []


def test_a_file_whose_offsets_an_index_cannot_hold(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"<a/>")
    bundle = scan([Source("a", str(tmp_path / "a.xml"), 2**31), Source("b", str(tmp_path / "a.xml"), 4)])
    assert "is too large" in str(bundle.problems["a"]) and bundle.documents == ["b"]


# Links


def test_links(tmp_path: Path) -> None:
    documents = {
        "x/a": b"""<a xmlns:xlink="u" href="b.xml"><b xlink:href='../c.page#d'>href="e.xml"</b>
            <c title='href="f.xml"' url = "/g&#46;xml?q" /><!-- <d href="h.xml"/> --><d
            href='i%20j.xml' url="k.xml"/><e base-url="l.xml" hrefs="m.xml" xhref="n.xml"/>
            <f href=""/><g href="a.xml"/><h href="http://x/o.xml"/><i t=">" href="p.xml">, href=q.xml</i>
            <m t="see href=" u="w.xml"/><n t="see href='x.xml'"/><o t='see href="' href="y.xml"/><j href="r
            s.xml"/><k t='"' href="t&amp;u.xml"/><l t="it's" href="v.xml"/></a>""",
        "x/b": b"<a>href='a.xml' url</a>",
        "c": "<a>é<é é='ü' href='ö.xml'/></a>".encode(),
    }
    bundle = compare(tmp_path, documents)
    assert targets(bundle)[:6] == ["x/b", "c", "g", "x/i j", "x/k", "x/p"]
    assert bundle.columns["links"].tolist()[1:] == [0, 1]


def test_links_of_mallard(tmp_path: Path) -> None:
    documents = {
        "C/help/a": b"""<page xmlns="http://projectmallard.org/1.0/" id="a"><info><link type="guide" xref="index#top"/>
            <link type='seealso' xref='b-2'/></info><p><link xref="#here">x</link><link xref="a#here">y</link>
            <link xref="c.d">z</link> xref="e" <link xref="f&#x67;" href="http://x/h"/></p></page>""",
        "C/help/b-2": b'<page xmlns="http://projectmallard.org/1.0/" id="b-2"><link href="a" xref="a"/></page>',
        "top": b'<page xmlns:m="u" id="top"><link m:xref="C/help/a"/><link anxref="b"/></page>',
    }
    bundle = compare(tmp_path, documents)
    first = ["C/help/index", "C/help/b-2", "C/help/c.d", "C/help/fg"]
    assert targets(bundle) == [*first, "C/help/a", "C/help/a", "C/help/a"]
    assert bundle.columns["links"].tolist() == [4, 2, 1]


# Anything at all

TEXTS = [" ", "\n", "\t ", "\r\n", "x", "word ", "é", "日本", "😀", "\u00a0", ">", "]", "!", "?", "href='a.xml'"]
REFERENCES = ["&amp;", "&lt;", "&#32;", "&#xA;", "&#233;"]
HIDDEN = ["<!-- c -->", "<!-- <b> -->", "<?p q?>", "<![CDATA[ <b> ]]>", "<![CDATA[]]>"]
CHANGES = [b"", b"<", b">", b"&", b"'", b'"', b"/", b"\r", b"\xe9", b"]]>", b"<!--", b"x:"]

PIECES = st.sampled_from(TEXTS + REFERENCES + HIDDEN)
NAMES = st.sampled_from(["a", "b", "sec", "p:b", "é", "a-long-name-of-an-element", "aaaaaaaa", "aaaaaaaab"])
SPACES = st.sampled_from([" ", "\n"])
EQUALS = st.sampled_from(["=", "=", "=", " = ", "\n="])
HREFS = ["d1", "d1#b", "#b", "a.xml", "a.xml#b", "b/c.page", "a&#32;b", "h:&amp;", "é &lt;", "a&gt;.xml", "a>.xml"]
VALUES = st.sampled_from([*HREFS, "", "x", ">", "it's", "href=", "see href=", " xref='b'", ' url="b" ', "\n "])
QUOTES = st.sampled_from("\"'")


@st.composite
def tags(draw: st.DrawFn) -> tuple[str, str]:
    name = draw(NAMES)
    names = draw(st.lists(st.sampled_from(["href", "url", "xref", "x", "p:href", "title"]), unique=True, max_size=3))
    attributes = [f"{draw(SPACES)}{key}{draw(EQUALS)}{quoted(draw(VALUES), draw(QUOTES))}" for key in names]
    return f"<{name}{''.join(attributes)}", name


def quoted(value: str, quote: str) -> str:
    return quote + value.replace(quote, "") + quote


def elements(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def whole(tag: tuple[str, str], inside: Sequence[str], short: bool) -> str:
        return f"{tag[0]}/>" if short and not inside else f"{tag[0]}>{''.join(inside)}</{tag[1]}>"

    return st.builds(whole, tags(), st.lists(content, max_size=5), st.booleans())


CONTENT = st.recursive(PIECES, lambda content: st.one_of(PIECES, elements(content)), max_leaves=25)
HEADS = st.sampled_from(["", '<?xml version="1.0"?>', "<!-- <a> -->\n", "<!DOCTYPE r>", "<!DOCTYPE r [ ]>", "<?p?>"])
DOCUMENTS = st.builds(
    lambda head, inside: f"{head}<r xmlns:p='u'>{''.join(inside)}</r>".encode(), HEADS, st.lists(CONTENT, max_size=6)
)


@given(st.lists(DOCUMENTS, min_size=1, max_size=4))
def test_generated_documents(tmp_path_factory: pytest.TempPathFactory, documents: list[bytes]) -> None:
    compare(tmp_path_factory.mktemp("docs"), {f"d{i}": data for i, data in enumerate(documents)})


@given(DOCUMENTS, st.data())
def test_broken_documents(tmp_path_factory: pytest.TempPathFactory, data: bytes, draw: st.DataObject) -> None:
    """Whatever is done to a document, both ways of reading it agree on what it then is, or that it is none."""
    for _ in range(draw.draw(st.integers(1, 3))):
        place = draw.draw(st.integers(0, len(data)))
        change = draw.draw(st.sampled_from(CHANGES))
        data = data[:place] + change + data[place + draw.draw(st.integers(0, 2)) :]
    compare(tmp_path_factory.mktemp("docs"), {"d": data, "e": b"<a>x <b> y</b></a>"})
