"""Files that are broken, or out to do harm: one error each, with file and line, and nothing worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from berrypick.data.errors import InputError
from berrypick.documents.xml.xml_documents import read_length, read_structure, read_text, structure_of, text_of


def refused(tmp_path: Path, data: bytes) -> InputError:
    """The one error that all ways of reading a file end in."""
    file = tmp_path / "document.xml"
    file.write_bytes(data)
    messages = set()
    for read in (read_structure, read_text, read_length):
        with pytest.raises(InputError) as caught:
            read(file)
        messages.add(str(caught.value))
    assert len(messages) == 1
    assert caught.value.path == str(file)
    return caught.value


def laughs(use: str) -> bytes:
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 10))
    return f'<!DOCTYPE a [\n<!ENTITY l0 "ha">\n{levels}]>\n<a>{use}</a>'.encode()


def test_a_billion_laughs(tmp_path: Path) -> None:
    error = refused(tmp_path, laughs("&l9;"))
    assert "entity" in str(error) and error.line is not None


def test_a_billion_laughs_in_an_attribute(tmp_path: Path) -> None:
    error = refused(tmp_path, laughs('<b c="&l9;"/>'))
    assert "entity" in str(error) and error.line == 13


def test_quadratic_blow_up(tmp_path: Path) -> None:
    data = f'<!DOCTYPE a [<!ENTITY x "{"x" * 100_000}">]>\n<a>{"&x;" * 1000}</a>'.encode()
    assert "entity" in str(refused(tmp_path, data))


def test_an_external_entity(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    data = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]>\n<a>\n&x;</a>'.encode()
    error = refused(tmp_path, data)
    assert "the text has the entity &x;" in error.what and "secret" not in str(error)
    assert error.line == 3
    assert "&#233;" in error.remedy


def test_an_external_entity_in_an_attribute(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    data = b'<!DOCTYPE a [<!ENTITY x SYSTEM "secret.txt">]>\n<a>\n<b href="&x;"/></a>'
    assert "secret" not in str(refused(tmp_path, data))


def test_an_external_dtd_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.dtd").write_text('<!ENTITY e "x"><!ATTLIST a href CDATA "q.xml">')
    file = tmp_path / "a.xml"
    file.write_bytes(b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>text</a>')
    assert (read_text(file), read_structure(file).links) == ("text", ())
    assert refused(tmp_path, b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>te\n&e;xt</a>').line == 3


def test_a_parameter_entity_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.dtd").write_text("<!ENTITY e 'x'>")
    data = b'<!DOCTYPE a [<!ENTITY % p SYSTEM "a.dtd"> %p;]>\n<a>text</a>'
    assert structure_of(data).length == 4


def test_harmless_declarations() -> None:
    data = b'<!DOCTYPE a [<!ENTITY e "x"><!ELEMENT a ANY>]>\n<a b="&e;">&lt;&#233;&#x1F600;&apos;</a>'
    assert text_of(data) == "<é😀'"
    assert structure_of(data).length == 4


def test_an_internal_entity_in_the_text(tmp_path: Path) -> None:
    error = refused(tmp_path, b'<!DOCTYPE a [<!ENTITY e "x">]>\n<a>\n<b>&e;</b></a>')
    assert (error.line, "&e;" in error.what) == (3, True)


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"", 1, "empty"),
        (b"  \n ", None, ""),
        (b"no mark-up", 1, ""),
        (b"<a>\n<b>text</b>\n", None, "Premature end"),
        (b"<a>\n<b>", 2, "Premature end"),
        (b"<a>\n<b></a>", 2, "mismatch"),
        (b"<a/><b/>", 1, ""),
        (b"<a>\n\xe9\xff</a>", 2, ""),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', 1, "ncoding"),
        (b"<a>\n\x00</a>", 2, ""),
        (b"<a>&nope;</a>", 1, "nope"),
        (b"<a>&#0;</a>", 1, ""),
        (b"<a><n:b/></a>", 1, "n"),
        (b'<a xmlns:n="x&gt;&lt;b/&gt;"><n:b/></a>', 1, "URI"),
    ],
)
def test_broken_files(tmp_path: Path, data: bytes, line: int | None, what: str) -> None:
    error = refused(tmp_path, data)
    assert error.what.startswith("cannot be read as XML: ")
    assert what in error.what and "\n" not in error.what and "XML_PARSE" not in error.what
    assert error.line is not None and line in (None, error.line)


def test_depth(tmp_path: Path) -> None:
    error = refused(tmp_path, b"<a>" * 10_000 + b"x" + b"</a>" * 10_000)
    assert "depth" in error.what and "XML_PARSE" not in error.what
    deep = structure_of(b"<a>" * 250 + b"x" + b"</a>" * 250)
    assert len(deep) == 250 and set(deep.size.tolist()) == {1}
    assert deep.path_of_span(0, 1) == "/a[1]"
    assert deep.element("/a" * 250) == 249


def test_white_space_only() -> None:
    data = b"<a>" + b" \n" * 500_000 + b"<b/>" + b"\t" * 100 + b"</a>"
    document = structure_of(data)
    assert (document.length, text_of(data)) == (1, " ")
    assert document.span_of_path("/a[1]/b[1]") == (1, 1)
    assert document.offset_of_point("/a[1]/text()[1].999999") == 1
    assert document.point_at(1, last=True) == "/a[1]/text()[1].1"


def test_many_elements_far_down() -> None:
    """Long paths times many elements: none of the paths is made unless asked for."""
    data = b"<long-name>" * 200 + b"<b/>" * 20_000 + b"</long-name>" * 200
    document = structure_of(data)
    assert document.element("/long-name" * 200 + "/b[20000]") == 20_199
    assert len(document.descendants(199)) == 20_000


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        read_structure(tmp_path / "none.xml")
    assert caught.value.path == str(tmp_path / "none.xml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(encoding: str) -> None:
    declared = "utf-8" if encoding.startswith("utf-8") else encoding
    data = f'<?xml version="1.0" encoding="{declared}"?>\n<a>é  <b>ü</b></a>'.encode(encoding)
    assert text_of(data) == "é ü"
    assert structure_of(data).span_of_path("/a[1]/b[1]") == (2, 3)
