"""Panels: parts of the HTML report, one file each in this folder.

A panel is a class derived from :class:`Panel`. Other packages name theirs in an entry point of ``berrypick.panels`` or
call :func:`berrypick.register`. A panel shows tables and sentences, or a drawing by its own script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from berrypick.data.score import Table
from berrypick.registry.definitions import Room
from berrypick.registry.registry import Registry

if TYPE_CHECKING:
    from berrypick.data.results import Results
    from berrypick.evaluation.evaluation import Evaluation


class Panel:
    """A part of the report page, below the table of runs.

    ``parts`` are shown as they are. ``script`` is an ES module that exports ``draw``, a function of what ``data``
    gives, which returns an element. It may import the modules of the report, such as ``'berrypick/dom.js'``;
    :mod:`berrypick.report.html.bundle` says which statements it may use. The page's policy lets it fetch nothing.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    script: ClassVar[str] = ""
    #: Keywords of ``write_report`` that are for panels.
    settings: Mapping[str, Any] = MappingProxyType({})

    def parts(self, evaluation: Evaluation, results: Results) -> Sequence[Table | str]:
        """Return tables and sentences to show; none by default."""
        return ()

    def data(self, evaluation: Evaluation, results: Results) -> Any:
        """Return what the script draws, ready for JSON; None where there is nothing to draw."""
        return None


def panel_data(
    panel: Panel, evaluation: Evaluation, results: Results, settings: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any] | None:
    """Return a panel as the page has it; None where it shows nothing."""
    panel.settings = settings
    parts = [part if isinstance(part, str) else table_data(part) for part in panel.parts(evaluation, results)]
    data = panel.data(evaluation, results)
    if data is None and not parts:
        return None
    return {"name": panel.name, "title": panel.title or panel.name, "parts": parts, "data": data}


def table_data(table: Table) -> dict[str, Any]:
    """Return a table as the report has it, with the columns that are numbers."""
    align = table.align or "<" + ">" * (len(table.header) - 1)
    numeric = [column for column, side in enumerate(align) if side == ">" or _intervals(table, column)]
    return {"title": table.title, "header": list(table.header), "numeric": numeric,
            "rows": [list(row) for row in table.rows]}  # fmt: skip


def _intervals(table: Table, column: int) -> bool:
    """Whether a column has intervals alone, which are numbers, whatever side they are on in a terminal."""
    cells = [row[column] for row in table.rows]
    intervals = [(cell[:1], cell[-1:]) == ("[", "]") for cell in cells if cell != "-"]
    return bool(intervals) and all(intervals)


def _problem(value: Any) -> str:
    if not (isinstance(value, type) and issubclass(value, Panel)):
        return "it is not a class derived from berrypick.report.panels.base.Panel"
    return "" if value.name.isidentifier() else f"its name {value.name!r:.40} is not a word"


#: Our panels, and those of other packages.
panels: Registry[type[Panel]] = Registry(
    "panels",
    "panel",
    Room("berrypick.report.panels", Path(__file__).parent, facts=("name",)),
    _problem,
    name_of=lambda one: one.facts.get("name", ""),
)
