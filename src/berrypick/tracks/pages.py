"""The pages of a track: the leaderboard, and one per team. Each is one file that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources

from berrypick._version import __version__
from berrypick.data.errors import as_flags, one_line
from berrypick.data.results import Note
from berrypick.data.words import counted
from berrypick.evaluation.protocols.base import get_protocol
from berrypick.report.html.static_page import name, static_page, wide
from berrypick.statistics.letters import shown_letters
from berrypick.tracks.official import LETTERS, Standing, TopicStanding, TrackResults

GENERATOR = '<meta name="generator" content="berrypick track">'
#: Digits of a value.
_PLACES = 4
#: Colours of runs that the style sheet has.
_COLOURS = 8
_NUMERIC = ' class="numeric"'
_NO_MARK = '<span class="mark"></span>'
_NONE = '<span class="quiet" title="undefined">-</span>'


def leaderboard_page(found: TrackResults, pages: Mapping[str, str]) -> str:
    """All runs by the first measure; ``pages`` are the files of teams."""
    others = found.results.measures[1:]
    means = found.results.mean()
    scale = _Scale([value for one in found.standings for value in (one.value, one.low, one.high)])
    rows = []
    for one in found.standings:
        more = "".join(f'<td class="numeric">{_number(means[one.run][measure])}</td>' for measure in others)
        rows.append(
            f'<tr><td class="numeric">{_place(one)}</td><th scope="row">{name(one.run)}'
            f'<a class="team-link" href="{escape(_address(pages[one.team]))}">{name(one.team)}</a></th>'
            f'<td class="tie-letters">{escape(shown_letters(one.letters))}</td>'
            f'<td class="estimate"><span class="mean">{_number(one.value)}</span>{_interval(one)}'
            f"{scale.whisker(one.low, one.value, one.high)}</td>{more}</tr>"
        )
    heads = "".join(f'<th scope="col"{_NUMERIC}>{name(measure)}{_way(found, measure)}</th>' for measure in others)
    table = (
        '<thead><tr><th scope="col" class="numeric">Place</th><th scope="col">Run, team</th>'
        '<th scope="col">Letters</th>'
        f'<th scope="col">{name(found.measure)}{_way(found, found.measure)}</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>"
    )
    body = [
        f'<h2 class="first">Runs by {name(found.measure)}</h2>',
        f"<p>{escape(LETTERS)} Intervals: 95%, over topics (bootstrap; Wilson's where all values are 0 or 1).</p>",
        wide("Leaderboard", f'<table class="data board">{table}</table>'),
        _made(found, found.notes),
    ]
    runs, teams = counted(len(found.standings), "run"), counted(len(pages), "team")
    about = f"{runs} of {teams}, {counted(len(found.results.topics), 'topic')}"
    return _page(found.track.name, name(found.track.name), escape(about), body)


def team_page(found: TrackResults, team: str, leaderboard: str) -> str:
    """What a team compares itself with: topic by topic its own values, the median and the best of all runs."""
    runs = found.runs_of(team)
    standings = [one for one in found.standings if one.team == team]
    topics = found.topics_of(team, found.measure)
    rows = [
        f'<tr><th scope="row">{_run(i, one.run, len(runs))}</th><td class="numeric">{_place(one)}</td>'
        f'<td class="tie-letters">{escape(shown_letters(one.letters))}</td>'
        f'<td class="numeric">{_number(one.value)}{_interval(one)}</td>{_counts(found, topics, one.run)}</tr>'
        for i, one in enumerate(standings)
    ]
    heads = ("Place", "Letters", found.measure, "Topics above the median", "at it", "below it")
    columns = "".join(f'<th scope="col"{"" if head == "Letters" else _NUMERIC}>{name(head)}</th>' for head in heads)
    body = [
        f'<h2 class="first">Runs by {name(found.measure)}</h2>',
        wide("Runs of the team", f'<table class="data"><thead><tr><th scope="col">Run</th>{columns}</tr></thead>'
              f"<tbody>{''.join(rows)}</tbody></table>"),
        f"<p>{escape(LETTERS)}</p>",
        f"<h2>Topics</h2><p>Own values, and the median and best of all {len(found.standings)} runs of the track."
        ' <span class="better">&#9650;</span> is better than the median, <span class="worse">&#9660;</span> worse.</p>',
        *(_topics(found, team, measure, first=i == 0) for i, measure in enumerate(found.results.measures)),
        _made(found, [note for note in found.notes if note.run in ("", *runs)]),
    ]  # fmt: skip
    about = f'<a href="{escape(leaderboard)}">{name(found.track.name)}</a>, {escape(counted(len(runs), "run"))}'
    return _page(f"{team}, {found.track.name}", name(team), about, body)


def _topics(found: TrackResults, team: str, measure: str, first: bool) -> str:
    """One measure, topic by topic."""
    runs, topics = found.runs_of(team), found.topics_of(team, measure)
    higher = found.results.info(measure).higher_is_better
    scale = _Scale([value for one in topics for value in (one.best, one.worst)])
    titles = found.track.topics or {}
    rows = []
    for one in topics:
        words = titles.get(one.topic, "")
        title = f'<span class="title quiet" dir="auto">{escape(one_line(words))}</span>' if words else ""
        own = "".join(f"<td{_NUMERIC}>{_against(one, run, higher)}</td>" for run in runs)
        rows.append(
            f'<tr><th scope="row" class="topic">{name(one.topic)}{title}</th>{own}'
            f"<td{_NUMERIC}>{_number(one.median)}</td><td{_NUMERIC}>{_number(one.best)}</td>"
            f'<td class="plotted">{scale.topic(one, runs)}</td></tr>'
        )
    means = [_number(_mean([one.own[run] for one in topics])) + _NO_MARK for run in runs]
    means += [_number(_mean([one.median for one in topics])), _number(_mean([one.best for one in topics]))]
    cells = "".join(f"<td{_NUMERIC}>{mean}</td>" for mean in means)
    heads = "".join(f'<th scope="col"{_NUMERIC}>{_run(i, run, len(runs))}</th>' for i, run in enumerate(runs))
    key = "circle: own; tick: median; ring: best; line: all runs"
    table = (
        f'<table class="data topics-of-team"><thead><tr><th scope="col">Topic</th>{heads}'
        f'<th scope="col"{_NUMERIC}>Median</th><th scope="col"{_NUMERIC}>Best</th>'
        f'<th scope="col" class="plotted">{escape(scale.said)}<span class="direction">{key}</span></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>"
        f'<tfoot><tr><th scope="row">Mean over topics</th>{cells}<td class="plotted"></td></tr></tfoot></table>'
    )
    shown = "open" if first else ""
    summary = f"<summary><h3>{name(measure)}</h3>{_way(found, measure)}</summary>"
    return f'<details class="fold measure" {shown}>{summary}{wide(f"Topics under {measure}", table)}</details>'


class _Scale:
    """Where values lie on a line: from 0 to 1 if they all do, else from the least to the largest."""

    def __init__(self, values: Sequence[float | None]) -> None:
        known = [value for value in values if value is not None]
        self.low = min([0.0, *known])
        self.high = max([1.0, *known]) if not known or max(known) <= 1 else max(known)

    @property
    def said(self) -> str:
        return f"{self.low:.4g} to {self.high:.4g}"

    def at(self, value: float) -> str:
        """In percent, with room for a mark at both ends."""
        return f"{3 + 94 * (value - self.low) / (self.high - self.low):.2f}%"

    def whisker(self, low: float | None, value: float | None, high: float | None) -> str:
        if low is None or value is None or high is None:
            return ""
        return (
            '<svg class="whisker" height="12" aria-hidden="true">'
            f'<line class="track-line" x1="3%" x2="97%" y1="6" y2="6"/>'
            f'<line class="range-line" x1="{self.at(low)}" x2="{self.at(high)}" y1="6" y2="6"/>'
            f'<circle class="own-0" cx="{self.at(value)}" cy="6" r="4"/></svg>'
        )

    def topic(self, one: TopicStanding, runs: Sequence[str]) -> str:
        """The runs of a team on the line from the worst to the best of all runs."""
        if one.median is None or one.best is None or one.worst is None:
            return ""
        own = "".join(
            f'<circle class="own-{i % _COLOURS}" cx="{self.at(value)}" cy="9" r="4"/>'
            for i, run in enumerate(runs)
            if (value := one.own[run]) is not None
        )
        return (
            '<svg class="whisker" height="18" aria-hidden="true">'
            f'<line class="track-line" x1="3%" x2="97%" y1="9" y2="9"/>'
            f'<line class="range-line" x1="{self.at(one.worst)}" x2="{self.at(one.best)}" y1="9" y2="9"/>'
            f'<line class="median-line" x1="{self.at(one.median)}" x2="{self.at(one.median)}" y1="2" y2="16"/>'
            f'<circle class="best-ring" cx="{self.at(one.best)}" cy="9" r="6.5"/>{own}</svg>'
        )


def _made(found: TrackResults, said: Sequence[Note]) -> str:
    """How the numbers were made: track, protocol, signatures, notes."""
    track = found.track
    facts = {"Track": track.name}
    if track.protocol:
        protocol = get_protocol(track.protocol)
        facts["Protocol"] = f"{protocol.name}, version {protocol.version}, checksum {protocol.checksum}"
    facts |= {"Task": track.task} if track.task else {}
    facts |= {"Most results per topic": str(track.depth)} if track.depth is not None else {}
    facts |= {"berrypick": __version__}
    pairs = "".join(f"<dt>{escape(key)}</dt><dd>{name(value)}</dd>" for key, value in facts.items())
    signatures = {str(row.signature): row.measure for row in found.results.mean_rows}
    listed = "".join(f"<li>{name(text)}</li>" for text in signatures)
    notes = "".join(f"<li>{name(as_flags(note))}</li>" for note in said)
    warned = f'<section class="notice calm"><h2>Notes</h2><ul>{notes}</ul></section>' if notes else ""
    return (
        f'{warned}<details class="fold"><summary>How the numbers were made</summary><dl class="pairs">{pairs}</dl>'
        f'<h3>Signatures</h3><ul class="small signatures">{listed}</ul></details>'
    )


def _against(one: TopicStanding, run: str, higher: bool) -> str:
    """A value of a team, and on which side of the median it is."""
    value = one.own[run]
    side = _side(value, one.median, higher)
    if not side:
        return _number(value) + _NO_MARK
    sign, word, said = ("&#9650;", "better", "better than") if side > 0 else ("&#9660;", "worse", "worse than")
    return (
        f'{_number(value)}<span class="mark {word}" aria-hidden="true">{sign}</span>'
        f'<span class="unseen">, {said} the median</span>'
    )


def _side(value: float | None, median: float | None, higher: bool) -> int:
    """1 better than the median, -1 worse, 0 at it or unknown."""
    if value is None or median is None or value == median:
        return 0
    return 1 if (value > median) == higher else -1


def _counts(found: TrackResults, topics: Sequence[TopicStanding], run: str) -> str:
    higher = found.results.info(found.measure).higher_is_better
    sides = [_side(one.own[run], one.median, higher) for one in topics if one.own[run] is not None]
    return "".join(f"<td{_NUMERIC}>{sides.count(side)}</td>" for side in (1, 0, -1))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _way(found: TrackResults, measure: str) -> str:
    return "" if found.results.info(measure).higher_is_better else ' <span class="direction">smaller is better</span>'


def _place(one: Standing) -> str:
    return _NONE if one.place is None else str(one.place)


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.{_PLACES}f}"


def _interval(one: Standing) -> str:
    if one.low is None or one.high is None:
        return ""
    return f' <span class="interval">{one.low:.{_PLACES}f} to {one.high:.{_PLACES}f}</span>'


def _run(number: int, run: str, count: int) -> str:
    """A run of a team, with the colour that it has in the plots."""
    if count == 1:
        return name(run)
    circle = f'<circle class="own-{number % _COLOURS}" cx="5" cy="5" r="4"/>'
    dot = f'<svg class="dot" width="10" height="10" aria-hidden="true">{circle}</svg>'
    return f'<span class="run">{dot}{name(run)}</span>'


def _address(name: str) -> str:
    from urllib.parse import quote

    return quote(name)


def _page(title: str, heading: str, about: str, body: Sequence[str]) -> str:
    return static_page(title, heading, about, body, _asset("track.css"), GENERATOR)


@cache
def _asset(name: str) -> str:
    return resources.files("berrypick.tracks").joinpath("assets", name).read_text(encoding="utf-8").strip()
