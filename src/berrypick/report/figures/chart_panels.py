"""What all charts share: panels of one size, joined into a chart that has a theme and shows itself as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from berrypick.report.figures.chart_theme import ChartTheme
from berrypick.report.figures.export import altair, svg_of

#: More panels than this are unreadable in one picture.
PANELS = 12
#: What is drawn is rounded, so that a picture does not depend on the last digits of the machine.
DIGITS = 6

Rows = list[dict[str, Any]]


def concatenated(panels: Sequence[Any], theme: ChartTheme) -> Any:
    """Panels as one chart of the theme."""
    alt = altair()
    return _with_theme(
        panels[0] if len(panels) == 1 else alt.concat(*panels, columns=theme.columns(len(panels))), theme
    )


def _with_theme(chart: Any, theme: ChartTheme) -> Any:
    if not hasattr(chart, "_theme"):
        object.__setattr__(chart, "__class__", _themed(chart.__class__, theme))  # = would be part of the chart
    return chart


@cache
def _themed(kind: Any, theme: ChartTheme) -> type:
    """A kind of chart that has a theme and shows itself in notebooks as a picture.

    The configuration of the theme is added when the whole chart is turned into a specification: Altair combines no
    charts that have one. Altair's own way to show a chart is a page that fetches its program from the network, and runs
    whatever a name hides behind </script>. Whoever chooses another renderer of Altair's gets that.
    """
    alt = altair()

    def to_dict(self: Any, *given: Any, context: dict[str, Any] | None = None, **more: Any) -> Any:
        chart = self
        if (context or {}).get("top_level", True):
            own = {} if self.config is alt.Undefined else self.config.to_dict()
            chart = self.copy(deep=False)
            chart.config = alt.Config(**_merged(theme.config(), own))
        return kind.to_dict(chart, *given, context=context, **more)

    def show(self: Any, *given: Any, **more: Any) -> Any:
        if alt.renderers.active in ("default", "html"):
            return {"image/svg+xml": svg_of(self.to_dict()), "text/plain": f"<{kind.__name__} of berrypick>"}
        return kind._repr_mimebundle_(self, *given, **more)

    def combining(name: str) -> Any:
        return lambda self, other: _with_theme(getattr(kind, name)(self, other), theme)

    operators = {name: combining(name) for name in ("__add__", "__and__", "__or__")}
    body = {"_theme": theme, "to_dict": to_dict, "_repr_mimebundle_": show, **operators}
    return type(kind.__name__, (kind,), body)


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Nested dictionaries as one; where both have a value, that of the second."""
    found = dict(one)
    for name, value in other.items():
        both = isinstance(value, dict) and isinstance(found.get(name), dict)
        found[name] = _merged(found[name], value) if both else value
    return found


def panel_size(theme: ChartTheme, panels: int) -> dict[str, Any]:
    width = theme.panel(panels)
    rows = -(-panels // theme.columns(panels))
    height = width * 0.62 if theme.height is None else max(30.0, theme.height / rows - 6 * theme.font)
    return {"width": round(width, 2), "height": round(height, 2)}


def tick_count(theme: ChartTheme, panels: int) -> int:
    return max(2, int(theme.panel(panels) / (theme.font * 5)))


def value_range(values: Iterable[float | None]) -> list[float]:
    """From 0, or below it, to the largest value."""
    known = [value for value in values if value is not None]
    low, high = min(0.0, *known), max(0.0, *known)
    return [rounded(low), rounded(high) if high > low else 1.0]


def rounded(value: float) -> float:
    return value if isinstance(value, int) else round(float(value), DIGITS)
