"""Two simple pictures as SVG, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 380, 56, 48, 34, 96
STYLE = (
    "<style>text{font:12px sans-serif;fill:#444}.t{font-size:14px}line,path{fill:none}.g{stroke:#8884}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>"
)


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - min(max(value, 0.0), 1.05) * (HEIGHT - BOTTOM - TOP)


def _frame(title: str, across: str, up: str) -> list[str]:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>{STYLE}",
        f'<text class="t" x="{LEFT}" y="20">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {HEIGHT / 2})">{escape(up)}</text>',
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line class="g" x1="{_x(0)}" x2="{_x(1)}" y1="{_y(tick):.1f}" y2="{_y(tick):.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{_y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        parts.append(f'<text x="{_x(tick):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick:g}</text>')
    return parts


def curves_svg(curves: Mapping[str, Sequence[tuple[float, float]]], title: str, across: str, up: str) -> str:
    """Curves from dark to light in the order given, with a legend."""
    parts = _frame(title, across, up)
    for i, (name, points) in enumerate(curves.items()):
        hue = 265 - 230 * i / max(len(curves) - 1, 1)  # violet to orange, distinct in lightness too
        colour = f"hsl({hue:.0f} 70% {35 + 25 * i / max(len(curves) - 1, 1):.0f}%)"
        route = " ".join(f"{'L' if j else 'M'}{_x(x):.1f} {_y(y):.1f}" for j, (x, y) in enumerate(points))
        parts.append(f'<path d="{route}" stroke="{colour}" stroke-width="1.8"/>')
        y = TOP + 12 + 18 * i
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 14}" x2="{WIDTH - RIGHT + 34}" y1="{y}" y2="{y}" '
            f'stroke="{colour}" stroke-width="3"/>'
        )
        parts.append(f'<text x="{WIDTH - RIGHT + 40}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def scatter_svg(points: Sequence[Sequence[float]], title: str, across: str, up: str) -> str:
    """A cloud of dots; points are (vertical, horizontal)."""
    dots = "".join(
        f'<circle cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="2.2" fill="#3b6fb6" fill-opacity=".35"/>' for y, x in points
    )
    return "\n".join([*_frame(title, across, up), dots, "</svg>\n"])
