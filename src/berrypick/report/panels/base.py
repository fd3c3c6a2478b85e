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

    ``parts`` are shown as they are. ``script`` is JavaScript that sets ``berry.panels[name]`` to a function of what
    ``data`` gives, which returns an element; the page's policy lets it run and nothing be fetched.
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
    numeric = [column for column, side in enumerate(align) if side == ">"]
    return {"title": table.title, "header": list(table.header), "numeric": numeric,
            "rows": [list(row) for row in table.rows]}  # fmt: skip


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
