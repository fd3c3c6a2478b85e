"""The page of a ledger's history: a picture and a table for each measure, in one file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from berrypick.analysis.ledger.history import History, HistoryPoint
from berrypick.data.errors import as_flags, one_line
from berrypick.data.words import counted
from berrypick.report.html.report_page import asset
from berrypick.report.html.static_page import name, static_page, wide

GENERATOR = '<meta name="generator" content="berrypick history">'
#: Top and bottom of a picture, in pixels.
_TOP, _BOTTOM = 12.0, 228.0
#: More looks than this have a picture without intervals and a table of the last ones.
_MOST = 400
_PLACES = 4
_NUMERIC = ' class="numeric"'


def history_page(found: History) -> str:
    """All measures of a history, one after the other."""
    body = [
        _KEY,
        *(_measure(found, measure, place == 0) for place, measure in enumerate(found.measures)),
        _looks(found),
    ]
    said = "".join(f"<li>{name(as_flags(note))}</li>" for note in found.notes)
    if said:
        body.insert(0, f'<section class="notice"><h2>Notes</h2><ul>{said}</ul></section>')
    body.append(f"<p>Head of the ledger: <code>{escape(found.head)}</code></p>")
    runs = len({point.run for point in found.points})
    about = escape(f"{counted(len(found.points), 'look')}, {counted(runs, 'run')}")
    return static_page("History of retrieval", "History of retrieval", about, body, asset("history.css"), GENERATOR)


def _measure(found: History, measure: str, first: bool) -> str:
    points = found.of(measure)
    days = f'<p class="days"><span>{_day(points[0])}</span><span>{_day(points[-1])}</span></p>'
    way = "" if points[0].increasing else ' <span class="direction">smaller is better</span>'
    heading = f"<h2{' class=first' if first else ''}>{name(measure)}{way}</h2>"
    return heading + _picture(points) + days + _table(measure, points)


class _Scale:
    """Where values lie between bottom and top."""

    def __init__(self, points: Sequence[HistoryPoint]) -> None:
        values = [value for one in points for value in (one.value, one.low, one.high, one.best) if value is not None]
        low, high = min(values, default=0.0), max(values, default=1.0)
        room = (high - low) * 0.05 or 0.05
        self.low, self.high = low - room, high + room
        if low >= 0 and high <= 1:
            self.low, self.high = max(self.low, 0.0), min(self.high, 1.0)

    def y(self, value: float) -> str:
        return f"{_BOTTOM - (_BOTTOM - _TOP) * (value - self.low) / (self.high - self.low):.1f}"

    def lines(self) -> str:
        values = _ticks(self.low, self.high)
        return "".join(
            f'<line class="grid" x1="0" x2="100%" y1="{self.y(value)}" y2="{self.y(value)}"/>'
            f'<text x="-3.2rem" y="{self.y(value)}" dy=".3em">{value:.4g}</text>'
            for value in values
        )


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two ends, about five."""
    least = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(least))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= least)
    return [round(number * step, 12) for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _picture(points: Sequence[HistoryPoint]) -> str:
    """Intervals, values and the best so far; places across are shares of the width, so text keeps its size."""
    scale = _Scale(points)
    across = [f"{100 * (place + 0.5) / len(points):.3f}%" for place in range(len(points))]
    drawn: list[str] = []
    steps: list[str] = []
    for place, point in enumerate(points):
        x = across[place]
        if point.break_:
            edge = f"{100 * place / len(points):.3f}%"
            drawn.append(f'<line class="break" x1="{edge}" x2="{edge}" y1="{_TOP}" y2="{_BOTTOM}"/>')
        if point.low is not None and point.high is not None and len(points) <= _MOST:
            ends = f'y1="{scale.y(point.low)}" y2="{scale.y(point.high)}"'
            drawn.append(f'<line class="spread" x1="{x}" x2="{x}" {ends}/>')
        follows = points[place + 1] if place + 1 < len(points) else None
        if point.best is not None and follows is not None and not follows.break_ and follows.best is not None:
            next_x, y, next_y = across[place + 1], scale.y(point.best), scale.y(follows.best)
            steps.append(f'<line class="best" x1="{x}" x2="{next_x}" y1="{y}" y2="{y}"/>')
            if y != next_y:
                steps.append(f'<line class="best" x1="{next_x}" x2="{next_x}" y1="{y}" y2="{next_y}"/>')
    for x, point in zip(across, points, strict=True):
        if point.value is not None:
            better = " better" if point.verdict == "better" else ""
            label = f"<title>{escape(one_line(point.run)[:200])}: {point.value:.{_PLACES}f}</title>"
            steps.append(f'<circle class="look{better}" cx="{x}" cy="{scale.y(point.value)}" r="4">{label}</circle>')
    summary = f"{counted(len(points), 'value')} over time; the table below has them"
    inner = "".join(drawn + steps)
    return f'<svg class="history drawn" role="img" aria-label="{summary}">{scale.lines()}{inner}</svg>'


def _table(measure: str, points: Sequence[HistoryPoint]) -> str:
    commits = any(point.commit for point in points)
    heads = ["Time", "Run", "Value", "Best so far", "Look", "Verdict", *["Commit"][: int(commits)]]
    numeric = {"Value", "Best so far", "Look"}
    columns = "".join(f'<th scope="col"{_NUMERIC if head in numeric else ""}>{head}</th>' for head in heads)
    rows = []
    for point in points[-_MOST:]:
        if point.break_:
            said = f"The {point.break_} changed: {counted(point.topics, 'topic')}, truth {point.truth[:12]}"
            rows.append(f'<tr class="changed"><td colspan="{len(heads)}">{name(said)}</td></tr>')
        rows.append(_row(point, commits))
    left_out = len(points) - _MOST
    before = f"<p>The last {_MOST} looks; the ledger has {left_out} earlier ones.</p>" if left_out > 0 else ""
    table = f'<table class="data"><thead><tr>{columns}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return before + wide(f"Looks by {measure}", table)


def _row(point: HistoryPoint, commits: bool) -> str:
    spread = ""
    if point.low is not None and point.high is not None:
        spread = f' <span class="interval quiet">{point.low:.{_PLACES}f} to {point.high:.{_PLACES}f}</span>'
    verdict = point.verdict if point.verdict in ("better", "worse") else ""
    commit = f"<td>{name((point.commit or '-')[:12])}</td>" if commits else ""
    return (
        f'<tr><td class="time">{name(point.time[:16].replace("T", " "))}</td><th scope="row">{name(point.run)}</th>'
        f"<td{_NUMERIC}>{_number(point.value)}{spread}</td><td{_NUMERIC}>{_number(point.best)}</td>"
        f'<td{_NUMERIC}>{point.look}</td><td class="{verdict}">{name(point.verdict or "-")}</td>{commit}</tr>'
    )


def _looks(found: History) -> str:
    heads = ("Measure", "Truth", "Topics", "Looks", "Looks at similar truths", "Next look: better at p <")
    columns = "".join(f'<th scope="col"{_NUMERIC if place > 1 else ""}>{escape(head)}</th>' for place, head in
                      enumerate(heads))  # fmt: skip
    rows = "".join(
        f'<tr><th scope="row">{name(one.measure)}</th><td>{name(one.truth[:12])}</td><td{_NUMERIC}>{one.topics}</td>'
        f"<td{_NUMERIC}>{one.looks}</td><td{_NUMERIC}>{one.looks_similar}</td>"
        f"<td{_NUMERIC}>{'-' if one.next_level is None else format(one.next_level, '.2g')}</td></tr>"
        for one in found.looks
    )
    said = "".join(f"<p>{escape(line)}</p>" for line in found.legend())
    table = f'<table class="data"><thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>'
    return f"<h2>Looks</h2>{said}{wide('Looks', table)}"


def _day(point: HistoryPoint) -> str:
    return escape(one_line(point.time[:10]))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.{_PLACES}f}"


def _sample(drawn: str, text: str) -> str:
    return f'<li><svg class="history" aria-hidden="true">{drawn}</svg>{text}</li>'


_KEY = '<ul class="key">' + "".join(
    _sample(drawn, text)
    for drawn, text in (
        ('<circle class="look" cx="50%" cy="50%" r="4"/>', "value of a run"),
        ('<circle class="look better" cx="50%" cy="50%" r="4"/>', "better, tested at the level of its look"),
        ('<line class="spread" x1="50%" x2="50%" y1="0" y2="100%"/>', "interval over topics"),
        ('<line class="best" x1="0" x2="100%" y1="50%" y2="50%"/>', "best so far"),
        ('<line class="break" x1="50%" x2="50%" y1="0" y2="100%"/>', "the truth or the signature changed"),
    )
) + "</ul>"  # fmt: skip
