"""What all charts share: panels of one size and theme, joined into a chart that shows itself as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from berrypick.report.chart_theme import ChartTheme
from berrypick.report.export import altair, svg_of

#: More panels than this are unreadable in one picture.
PANELS = 12
#: What is drawn is rounded, so that a picture does not depend on the last digits of the machine.
DIGITS = 6

Rows = list[dict[str, Any]]


def concatenated(panels: Sequence[Any], theme: ChartTheme) -> Any:
    """Panels as one chart of the theme."""
    alt = altair()
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=theme.columns(len(panels)))
    chart = chart.configure(**theme.config())
    object.__setattr__(chart, "__class__", _still(chart.__class__))  # plain assignment would go into the chart
    return chart


@cache
def _still(kind: Any) -> type:
    """A kind of chart that shows itself in notebooks as a picture.

    Altair's own way is a page that fetches its program from the network, and runs whatever a name hides behind
    </script>. Whoever chooses another renderer of Altair's gets that.
    """

    def show(self: Any, *given: Any, **more: Any) -> Any:
        if altair().renderers.active in ("default", "html"):
            return {"image/svg+xml": svg_of(self.to_dict()), "text/plain": f"<{kind.__name__} of berrypick>"}
        return kind._repr_mimebundle_(self, *given, **more)

    return type(kind.__name__, (kind,), {"_repr_mimebundle_": show})


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


def listed(names: Iterable[str]) -> str:
    return ", ".join(names)
