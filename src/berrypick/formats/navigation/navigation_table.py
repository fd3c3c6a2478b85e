"""Tables of reach or of transitions."""

from __future__ import annotations

from typing import Any, ClassVar, TextIO

from berrypick.data.navigation import ReachTable
from berrypick.data.words import counted
from berrypick.files.files import content
from berrypick.files.line_words import cell_problem, finite
from berrypick.formats.base import Format, Problems, Role


class NavigationTable(Format):
    """Probabilities of getting from one unit to another, separated by TABs: ``from to probability``.

    Under user model table they are probabilities of ever reaching, under markov of the next step. Blank lines and
    lines that begin with # are ignored. A unit reaches itself with 1 unless the table says otherwise.

    Sample::

        home	pricing	0.4
        home	docs	0.35
    """

    format_name: ClassVar[str] = "navigation-table"
    role: ClassVar[Role] = "navigation"
    marks: ClassVar[tuple[str, ...]] = ("\t",)
    before: ClassVar[tuple[str, ...]] = ("links",)
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = "from TAB to TAB probability"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".txt")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        fields = lines[0].split("\t")
        return len(fields) == 3 and finite(fields[2]) is not None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> ReachTable:
        rows: dict[tuple[str, str], float] = {}
        where: dict[tuple[str, str], int] = {}
        for number, text in content(path, problems):
            fields = text.split("\t")
            if len(fields) != 3 or not fields[0] or not fields[1]:
                remedy = "columns are separated by a TAB" if len(text.split()) == 3 else ""
                problems.report(f"is not {cls.shape}", number, text, remedy)
                continue
            probability = finite(fields[2])
            if probability is None or not 0 <= probability <= 1:
                problems.report(
                    f"{fields[2]!r} is not a probability", number, text, "a probability must be between 0 and 1"
                )
                continue
            pair = (fields[0], fields[1])
            if pair in rows:
                problems.report(f"the step is given twice, first in line {where[pair]}", number, text)
                continue
            rows[pair], where[pair] = probability, number
        return ReachTable(rows, path)

    @classmethod
    def accepts(cls, value: Any) -> str:
        return cell_problem(value.units) if isinstance(value, ReachTable) else "it is not a table of reach"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        for (source, target), probability in value.rows.items():
            out.write(f"{source}\t{target}\t{probability!r}\n")

    @classmethod
    def describe(cls, value: ReachTable) -> list[str]:
        return [counted(len(value.rows), "step"), counted(len(value.units), "unit")]
