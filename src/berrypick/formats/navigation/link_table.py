"""Tables of links."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

from berrypick.data.navigation import LinkTable
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import cell_problem, finite
from berrypick.formats.base import Format, Problems, Role


class Links(Format):
    """Links between pages, separated by a TAB: ``from to``. A link given twice counts once.

    Blank lines and lines that begin with # are ignored.

    Sample::

        home	pricing
        home	docs
    """

    format_name: ClassVar[str] = "links"
    role: ClassVar[Role] = "navigation"
    marks: ClassVar[tuple[str, ...]] = ("\t",)
    shape: ClassVar[str] = "from TAB to"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        pairs = [line.split("\t") for line in lines]
        if not all(len(pair) == 2 and ";" not in pair[0] + pair[1] for pair in pairs):
            return False
        # names and numbers: lengths of documents, not links
        return not (
            all(finite(pair[1]) is not None for pair in pairs) and any(finite(pair[0]) is None for pair in pairs)
        )

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> LinkTable:
        rows: dict[tuple[str, str], None] = {}
        for number, text in content(path, problems):
            fields = text.split("\t")
            if len(fields) != 2 or not all(fields):
                remedy = "columns are separated by a TAB" if len(text.split()) == 2 else ""
                problems.report(f"is not {cls.shape}", number, text, remedy)
                continue
            if (fields[0], fields[1]) in rows:
                problems.count("links given more than once")
            rows[fields[0], fields[1]] = None
        return LinkTable(rows, path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return cell_problem(value.units) if isinstance(value, LinkTable) else "it is not a table of links"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for source, target in value.rows:
            out.write(f"{source}\t{target}\n")

    @classmethod
    def describe(cls, value: LinkTable) -> list[str]:
        return [counted(len(value.rows), "link"), counted(len(value.units), "page")]
