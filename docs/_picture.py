"""The picture of the demonstration: one panel per part, a line per run, a point per user model."""

from __future__ import annotations

from html import escape

from berrypick.demo import video, web

PANEL, GAP, LEFT, TOP, HEIGHT = 340, 60, 60, 96, 220
STYLES = (("a", "circle", ""), ("b", "square", "7 4"), ("c", "triangle", "2 3"))


def picture() -> str:
    panels = [(web.TITLE, web.numbers()), (video.TITLE, video.numbers())]
    width = LEFT + len(panels) * PANEL + (len(panels) - 1) * GAP + 30
    body = [panel(name, numbers, LEFT + i * (PANEL + GAP)) for i, (name, numbers) in enumerate(panels)]
    label = "EPRUM of the three systems of each part of the demonstration, by reader: the best system changes"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 56}" width="{width}" '
        f'role="img" aria-label="{label}">\n<title>{label}</title>\n<style>\n{STYLE}</style>\n'
        + '<rect class="ground" width="100%" height="100%" rx="8"/>\n'
        + f'<text class="head" x="{LEFT}" y="28">The same results, different readers</text>\n'
        + f'<text x="{LEFT}" y="48">EPRUM, larger is better; the best system of each reader has a full mark</text>\n'
        + "".join(body)
        + "</svg>\n"
    )


# colours that people with any colour vision tell apart, darker on light and lighter on dark ground
STYLE = """.ground { fill: #fff; }
text { font: 13px system-ui, sans-serif; fill: #57606a; }
.head { font-size: 17px; font-weight: 600; fill: #24292f; }
.part { font-weight: 600; fill: #24292f; }
.grid { stroke: #8c959f; stroke-opacity: .35; }
.line { fill: none; stroke-width: 2.5; }
.a { stroke: #0072b2; } .b { stroke: #b85200; } .c { stroke: #00795a; }
.mark { fill: #fff; stroke-width: 2.5; }
.a.best { fill: #0072b2; } .b.best { fill: #b85200; } .c.best { fill: #00795a; }
text.a { fill: #0072b2; stroke: none; } text.b { fill: #b85200; stroke: none; } text.c { fill: #00795a; stroke: none; }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117; }
text { fill: #9198a1; } .head, .part { fill: #f0f6fc; }
.a { stroke: #56b4e9; } .b { stroke: #e69f00; } .c { stroke: #2fc79d; } .mark { fill: #0d1117; }
.a.best { fill: #56b4e9; } .b.best { fill: #e69f00; } .c.best { fill: #2fc79d; }
text.a { fill: #56b4e9; } text.b { fill: #e69f00; } text.c { fill: #2fc79d; }
}
"""


def panel(name: str, numbers: dict[str, dict[str, float | None]], left: int) -> str:
    readers = list(numbers)
    systems = list(numbers[readers[0]])
    columns = [left + round(i * (PANEL - 70) / (len(readers) - 1)) for i in range(len(readers))]
    out = [f'<text class="part" x="{left}" y="{TOP - 18}">{escape(name)}</text>\n']
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        out.append(f'<path class="grid" d="M{left - 8} {y(tick)}H{columns[-1] + 8}"/>\n')
        out.append(f'<text x="{left - 14}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>\n')
    for column, reader in zip(columns, readers, strict=True):
        out.append(f'<text x="{column}" y="{TOP + HEIGHT + 26}" text-anchor="middle">{escape(reader)}</text>\n')
    labels = spread({system: y(numbers[readers[-1]][system] or 0.0) for system in systems})
    for system, (style, shape, dash) in zip(systems, STYLES, strict=True):
        values = [numbers[reader][system] or 0.0 for reader in readers]
        points = " ".join(f"{x},{y(value)}" for x, value in zip(columns, values, strict=True))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        out.append(f'<polyline class="line {style}" points="{points}"{dashed}/>\n')
        for x, reader, value in zip(columns, readers, values, strict=True):
            best = " best" if value == max(v or 0.0 for v in numbers[reader].values()) else ""
            out.append(f'<path class="mark {style}{best}" d="{mark(shape, x, y(value))}"/>\n')
        out.append(f'<text class="{style}" x="{columns[-1] + 14}" y="{labels[system] + 4}">{escape(system)}</text>\n')
    return "".join(out)


def y(value: float) -> float:
    return round(TOP + HEIGHT * (1 - value), 1)


def spread(places: dict[str, float], least: float = 16) -> dict[str, float]:
    """Labels moved down until none covers another."""
    found: dict[str, float] = {}
    last = -least
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        last = max(place, last + least)
        found[name] = last
    return found


def mark(shape: str, x: float, y: float) -> str:
    if shape == "circle":
        return f"M{x - 5} {y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"
    if shape == "square":
        return f"M{x - 4.5} {y - 4.5}h9v9h-9z"
    return f"M{x} {y - 6}l5.5 10h-11z"
