"""Document lengths."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

from berrypick.data.collection import Collection
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import cell_problem, finite
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.json_lines import Fields, plain, records, write_lines


def add_length(
    lengths: dict[str, float], document: str, length: float, line: int, text: str, problems: Problems
) -> None:
    """A length that is not below 0, and the only one of its document."""
    if length < 0:
        problems.report(f"the length {length:g} is below 0", line, text)
    elif document in lengths and lengths[document] != length:
        problems.report(f"document {document} has two lengths, {lengths[document]:g} and {length:g}", line, text)
    else:
        lengths[document] = length


class _LengthFormat(Format):
    """Lengths of documents."""

    role: ClassVar[Role] = "collection"

    @classmethod
    def accepts(cls, value: Any) -> str:
        return "" if isinstance(value, Collection) else "it is not a collection of documents"

    @classmethod
    def describe(cls, value: Collection) -> list[str]:
        return [counted(len(value), "document"), f"total length {value.total:g}"]


class DocumentLengths(_LengthFormat):
    """Lengths of documents, a TAB between name and length: ``document length``, in characters or seconds.

    Blank lines and lines that begin with # are ignored.

    Sample::

        guide.md	5210
        lecture-3	2710.5
    """

    format_name: ClassVar[str] = "document-lengths"
    role = "collection"
    marks: ClassVar[tuple[str, ...]] = ("\t",)
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = "document TAB length"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return all(len(f := line.split("\t")) == 2 and finite(f[1]) is not None for line in lines)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Collection:
        lengths: dict[str, float] = {}
        for number, text in content(path, problems):
            fields = text.split("\t")
            length = finite(fields[1]) if len(fields) == 2 else None
            if length is None or not fields[0]:
                problems.report(f"is not {cls.shape}", number, text)
                continue
            add_length(lengths, fields[0], plain(length), number, text, problems)
        return Collection(lengths, path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return super().accepts(value) or cell_problem(value.lengths)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for document, length in value.lengths.items():
            out.write(f"{document}\t{plain(length)}\n")


class SpanLengths(_LengthFormat):
    """Lengths of documents as JSON Lines: ``doc`` and ``length``.

    Sample::

        {"doc": "guide.md", "length": 5210}
    """

    format_name: ClassVar[str] = "span-lengths"
    role = "collection"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"length"',)
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = '{"doc": "guide.md", "length": 5210}'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"length"' in lines[0] and '"topic"' not in lines[0]

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Collection:
        lengths: dict[str, float] = {}
        for number, text, value in records(path, problems):
            fields = Fields(number, text, value, problems)
            document, length = fields.name("doc"), fields.number_of("length")
            if fields.good and length is None:
                fields.fail("length is missing")
            if fields.good and length is not None:
                add_length(lengths, document, length, number, text, problems)
        return Collection(lengths, path)

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_lines(({"doc": name, "length": plain(length)} for name, length in value.lengths.items()), out)
