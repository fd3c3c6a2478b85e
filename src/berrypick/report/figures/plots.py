"""A figure for a paper, as ``berrypick plot`` makes it: arguments are checked before the evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from berrypick.data.errors import UsageError, option
from berrypick.data.results import Note, Results
from berrypick.data.words import counted
from berrypick.report.figures import charts
from berrypick.report.figures.chart_theme import PAPER, ChartTheme, sized
from berrypick.report.figures.export import check_pixels, check_target, converter, write_picture
from berrypick.statistics.statistics import check_draws


@dataclass(frozen=True)
class Figure:
    """Where to, what, how large, and how sure."""

    target: str | PathLike[str]
    kind: charts.Kind | None
    theme: ChartTheme
    dpi: int
    how: dict[str, Any]

    @classmethod
    def of(cls, target: str, kind: Any, settings: dict[str, Any]) -> Figure:
        """From options, which are taken out of ``settings``; whatever would fail later fails here."""
        ending = check_target(target)
        converter()
        how = {name: settings.pop(name) for name in ("until", "band", "baseline", "confidence", "resamples", "seed")}
        width, height, font, dpi = (settings.pop(name) for name in ("width", "height", "font_size", "dpi"))
        theme = sized(width=width, height=height, font_size=font, theme=PAPER)
        if ending == ".png" and theme.width and theme.height:
            check_pixels(theme.width, theme.height, dpi)
        check_draws(how["confidence"], how["resamples"], how["seed"])
        return cls(target, kind, theme, dpi, how)

    def draw(self, results: Results) -> tuple[str, list[Note]]:
        """Draw results and write the file; what was drawn, in a sentence, and what a person should know about it."""
        kind = self.kind or charts.suggested(results)
        if kind == "curves":
            self._check_curves(results)
        size = write_picture(
            charts.plot(results, kind, theme=self.theme, **self.how), self.target, self.theme, self.dpi
        )
        runs = len(results.runs)
        return f"{kind} of {counted(runs, 'run')}, {size}", _notes(results, kind)

    def _check_curves(self, results: Results) -> None:
        """What :func:`charts.curves` would refuse, in the words of the command line."""
        begins = [row.curve[0][0] for row in results.mean_rows if row.curve]
        if not begins:
            measures = ", ".join(dict.fromkeys(row.measure for row in results.mean_rows))
            able = any(info.has_curve for info in results.measure_info.values())
            why = "no topic has a value" if able else f"the measures have none; {_WITHOUT_CURVE} shows them"
            raise UsageError(f"{option('kind', 'curves')}: there is no curve of {measures} to draw: {why}")
        until = self.how["until"]
        if until is not None and until < min(begins):
            raise UsageError(f"{option('until', until)}: nothing to draw, curves begin at {min(begins):g}")


_WITH_GROUPS = f"{option('kind', 'curves')} or {option('kind', 'means')}"
_WITHOUT_CURVE = f"{option('kind', 'topics')} or {option('kind', 'means')}"


def _notes(results: Results, kind: str) -> list[Note]:
    """What is not in the picture."""
    if kind == "curves":
        flat = [row.measure for row in results.mean_rows if not row.curve]
        text = f"has no curve to draw; {_WITHOUT_CURVE} shows it"
        return [Note("not drawn", text, measure=measure) for measure in dict.fromkeys(flat)]
    if kind in ("means", "together"):
        return []
    groups = [Note("not drawn", f"groups are not in the picture; {_WITH_GROUPS} shows them")]
    missing: dict[str, set[str]] = {}
    for row in results.topic_rows:
        if row.value is None:
            missing.setdefault(row.measure, set()).add(row.topic)
    return (groups if results.groups is not None else []) + [
        Note("not drawn", f"not drawn: {counted(len(some), 'topic')} without a value", measure=measure)
        for measure, some in missing.items()
    ]
