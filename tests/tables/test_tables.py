"""Tables in files: names are text there, whatever they hold."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from handmade_results import results
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import berrypick as bp
from berrypick.data.score import Table
from berrypick.tables import tables
from berrypick.tables.text import render

HOSTILE = [
    "<script>alert(1)</script>",
    "![x](https://example.org/pixel.png)",
    "[click](javascript:alert(1))",
    "a|b",
    "`code`",
    "**bold** _it_ ~~gone~~",
    "back\\|slash\\",
    "&lt;b&gt; &amp; &#x3c;",
    "https://example.org www.example.org",
    "<https://example.org>",
    "line\nbreak\r\nand\u2028more",
    "=1+1",
]


class Words(HTMLParser):
    """The cells and the tags of a table."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert all(name == "style" for name, _ in attrs)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data if data.strip() or self.cells[-1] else ""


def rendered(text: str) -> Words:
    return Words(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))


def one_line(name: str) -> str:
    return " ".join(name.splitlines()).strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["evaluate", "compare", "compare runs", "diff"])
def test_markdown_shows_names_as_they_are(name, kind):
    made = results({name: {"AP": [0.1, 0.2]}, "two": {"AP": [0.2, 0.4]}})
    other = results({name: {"AP": [0.1, 0.3]}, "two": {"AP": [0.2, 0.4]}})
    page = {
        "evaluate": lambda: render(made, "markdown", True, 4),
        "compare": lambda: bp.compare(made).table("markdown"),
        "compare runs": lambda: bp.compare(made).table("markdown", layout="runs"),
        "diff": lambda: bp.diff(made, other).table("markdown"),
    }[kind]()
    assert "<script" not in page and "https://" not in page and "www." not in page
    found = rendered(page)
    # GitHub makes links of bare addresses, which this renderer does not: above, they are not written as such
    assert found.tags <= {"table", "thead", "tbody", "tr", "th", "td", "strong", "p", "br", "sup"}
    assert one_line(name) in [cell.strip() for cell in found.cells]


#: Marks that turn the direction of writing, which are escaped.
TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(
    st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters=TURNS), min_size=1, max_size=30
    )
)
@example("\\|")
@example("*a*b*")
@example("<!--")
def test_any_name_is_itself_in_markdown(name):
    if not name.strip():
        return
    page = tables.markdown(Table("", ["n", "v"], [[name, "1"]]))
    cells = rendered(page).cells
    assert [" ".join(cell.split()) for cell in cells] == ["n", "v", " ".join(name.split()), "1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["=1+1", "+SUM(A1)", "-1+1", "@cmd", "\t=1", "＝1+1", "=cmd|' /C calc'!A0"])
@pytest.mark.parametrize("kind", ["evaluate", "compare"])
def test_text_in_csv_is_no_formula(name, kind):
    made = results({name: {"AP": [0.1, 0.2]}, "two": {"AP": [0.2, 0.4]}})
    written = {
        "evaluate": lambda output: render(made, output, True, None),
        "compare": lambda output: bp.compare(made).table(output),
    }[kind]
    rows = list(csv.reader(io.StringIO(written("csv"), newline="")))
    assert f"'{name}" in {cell for row in rows for cell in row}
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(tuple("=+-@\t＝")) or re.fullmatch(r"[+-]\d+(\.\d+)?(e-?\d+)?", cell)
    raw = csv.reader(io.StringIO(written("tsv"), newline=""), delimiter="\t")
    assert name in {cell for row in raw for cell in row}
    records = json.loads(written("json"))
    assert name in {record["run"] for record in records}


def test_numbers_stay_numbers():
    assert tables.separated([{"a": -0.5, "b": "-1", "c": "+2.5", "d": -3, "e": None, "f": True}], "abcdef", "csv") == (
        "a,b,c,d,e,f\n-0.5,-1,+2.5,-3,,true\n"
    )


def test_latex():
    made = results({"a|b_c&d%\\{x}^~#$": {"AP": [0.1, 0.2]}, "two": {"AP": [0.2, 0.4]}})
    escaped = r"a|b\_c\&d\%\textbackslash{}\{x\}\textasciicircum{}\textasciitilde{}\#\$"
    assert escaped in render(made, "latex", True, 4)
    assert escaped in bp.compare(made).table("latex") and escaped in bp.compare(made).table("latex", layout="details")
    odd = results({"a\nb": {"AP": [0.1, 0.2]}})
    assert "a b & " in render(odd, "latex", True, 4)


def test_json_holds_no_nan():
    with pytest.raises(bp.UsageError, match="a measure gives None where undefined"):
        render(results({"a": {"AP": [float("nan")]}}), "json", True, 4)
