"""The history that a ledger tells: values over time, the best so far, and how often people looked at each truth."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from typing import Any, ClassVar

from berrypick.analysis.comparison.compare import measure_texts
from berrypick.analysis.ledger.ledger_file import BROKEN, Ledger, LedgerLine
from berrypick.analysis.ledger.looks import LookCounts, level_of
from berrypick.data.errors import InputError, UsageError, nearest
from berrypick.data.exchange import Kind
from berrypick.data.results import Note
from berrypick.data.score import Table
from berrypick.data.signature import Signature, unlike
from berrypick.data.words import counted
from berrypick.evaluation.requested import MeasuresGiven
from berrypick.tables.tabular import Tabular, bounds, shown

#: Digits of a checksum that a person reads.
_DIGITS = 12


@dataclass(frozen=True)
class HistoryPoint:
    """One look: the value of a run, and what was known when it was looked at."""

    line: int
    time: str
    run: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    topics: int
    verdict: str | None
    baseline: str | None
    baseline_value: float | None
    #: Which look at this truth, computed in this way, it is; and the level at which "better" was tested.
    look: int
    level: float | None
    #: Looks up to here, summed over all truths that share half of their topics with this one.
    looks_similar: int
    #: The best value up to here of the same truth, signature and choice of topics, baselines included, and whose it is.
    best: float | None
    best_run: str | None
    #: What changed since the point before it: 'truth', 'signature', both, 'choice of topics' (of one truth), or None.
    break_: str | None
    truth: str
    signature: str
    commit: str | None
    increasing: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the row of JSON output."""
        return {name.rstrip("_"): value for name, value in vars(self).items()}


@dataclass(frozen=True)
class LooksAtTruth:
    """How often people looked at one truth by one measure, and the level of the next look."""

    measure: str
    truth: str
    topics: int
    looks: int
    looks_similar: int
    next_level: float | None


@dataclass(frozen=True, repr=False)
class History(Tabular):
    """The result of :func:`history`.

    Attributes
    ----------
    points
        The looks, by measure and then by time.
    looks
        How often each truth was looked at, by measure and signature.
    head
        The checksum of the last line.
    notes
        What is wrong with the ledger.

    Examples
    --------
    >>> import berrypick as bp, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "ledger.jsonl")
    >>> runs = {"base": {"q": {"b": 1}}, "new": {"q": {"a": 1}}}
    >>> compared = bp.compare({"q": {"a": 1}}, runs, "RR", ledger=path)
    >>> found = bp.history(path)
    >>> isinstance(found, bp.History), [(point.run, point.value, point.look) for point in found.points]
    (True, [('new', 1.0, 1)])
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        "line": "count",
        **dict.fromkeys(("time", "run", "measure"), "text"),
        **dict.fromkeys(("value", "low", "high"), "number"),
        "topics": "count",
        **dict.fromkeys(("verdict", "baseline"), "text"),
        "baseline_value": "number",
        "look": "count",
        "level": "number",
        "looks_similar": "count",
        "best": "number",
        **dict.fromkeys(("best_run", "break", "truth", "signature", "commit"), "text"),
        "increasing": "flag",
    }

    points: tuple[HistoryPoint, ...]
    looks: tuple[LooksAtTruth, ...]
    head: str
    notes: tuple[Note, ...] = ()

    @property
    def measures(self) -> list[str]:
        """Names of the measures."""
        return list(dict.fromkeys(point.measure for point in self.points))

    def of(self, measure: str) -> list[HistoryPoint]:
        """Return the points of a measure, by time."""
        return [point for point in self.points if point.measure == measure]

    def stretches(self, measure: str) -> list[list[HistoryPoint]]:
        """Return the points of a measure in stretches without a change of truth or signature."""
        found: list[list[HistoryPoint]] = []
        for point in self.of(measure):
            if point.break_ or not found:
                found.append([])
            found[-1].append(point)
        return found

    def records(self) -> list[dict[str, Any]]:
        return [point.as_dict() for point in self.points]

    def tables(self, places: int = 4) -> list[Table]:
        found = [self._table(points, places) for measure in self.measures for points in self.stretches(measure)]
        rows = [
            [one.measure, one.truth[:_DIGITS], str(one.topics), str(one.looks), str(one.looks_similar),
             "-" if one.next_level is None else f"{one.next_level:.2g}"]
            for one in self.looks
        ]  # fmt: skip
        header = ["measure", "truth", "topics", "looks", "similar truths", "next: better at p <"]
        return [*found, Table("Looks", header, rows, "<<>>>>")]

    def _table(self, points: Sequence[HistoryPoint], places: int) -> Table:
        first = points[0]
        changed = f"; the {first.break_} changed" if first.break_ else ""
        title = f"{first.measure}, truth {first.truth[:_DIGITS]}, {counted(first.topics, 'topic')}{changed}"
        commits = any(point.commit for point in points)
        rows = [
            [point.time[:16].replace("T", " "), point.run, shown(point.value, places),
             bounds(point.low, point.high, places), shown(point.best, places), str(point.look), point.verdict or "-",
             *([(point.commit or "-")[:_DIGITS]] if commits else [])]
            for point in points
        ]  # fmt: skip
        header = ["time", "run", "value", "interval", "best so far", "look", "verdict", *["commit"][: int(commits)]]
        return Table(title, header, rows, "<<>>>><<"[: len(header)])

    def legend(self) -> list[str]:
        return [
            "Best so far: the best value at this truth, baselines included. It rises with the number of looks even if "
            "nothing improves; a verdict of better was tested at the level of its look.",
            "Similar truths: looks summed over truths that share at least half of their topics with this one.",
        ]

    def plot(self, **how: Any) -> Any:
        """Return an Altair chart: values over time with intervals, and the best so far.

        ``how``: width, height ('8.5cm'), font_size.
        """
        from berrypick.report.figures.history_chart import plot_history

        return plot_history(self, **how)

    def write_html(self, path: str | os.PathLike[str]) -> None:
        """Write a self-contained page: a picture and a table for each measure."""
        from berrypick.report.html.history_page import history_page
        from berrypick.tables.written import write_content

        write_content(history_page(self), path)


def history(ledger: str | os.PathLike[str], measures: MeasuresGiven = (), *, ledger_head: str | None = None) -> History:
    """Show a ledger: values over time, the best so far, and the number of looks at each truth.

    Parameters
    ----------
    ledger : str or path
        A file that compare, sweep or assert_retrieval appended to.
    measures : str, Measure or list
        The measures to show; by default all.
    ledger_head : str, optional
        The checksum of a line that the ledger must have, else it is an error: its last lines were cut off.

    Returns
    -------
    History
        A point for each look.

    Examples
    --------
    >>> import berrypick as bp, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "ledger.jsonl")
    >>> truth = {"q": {"a": 1}}
    >>> for place in (2, 1):
    ...     run = {"q": [f"x{i}" for i in range(1, place)] + ["a"]}
    ...     compared = bp.compare(truth, {"base": {"q": ["x", "y", "a"]}, "new": run}, "RR", ledger=path)
    >>> [(point.look, point.value, point.best) for point in bp.history(path, "RR").points]
    [(1, 0.5, 0.5), (2, 1.0, 1.0)]
    """
    read = Ledger.read(ledger)
    read.check_head(ledger_head)
    if not read.lines:
        raise InputError("has no looks", path=read.path, remedy="compare, sweep and assert_retrieval append them: give "
                         "them the ledger")  # fmt: skip
    work = _HistoryWork(read.lines)
    lines = work.chosen(measures)
    notes = [*read.notes, *work.notes]
    return History(tuple(work.points(lines)), tuple(work.totals(lines)), read.head, tuple(notes))


class _HistoryWork:
    """Looks numbered in the order of the ledger, and shown in the order of time."""

    def __init__(self, lines: Sequence[LedgerLine]) -> None:
        self.notes: list[Note] = []
        self.counts = LookCounts()
        self.way: dict[str, int] = {}
        self.number: dict[str, int] = {}
        self.lines = list(lines)
        numbers: dict[tuple[int, str], int] = {}
        for line in lines:
            self.way[line.sum] = self.counts.way(line["truth"], line.signature)
            runs = self.counts.runs(line["truth"], line.signature)
            runs.setdefault(line["run_sum"], line)
            self.number[line.sum] = numbers.setdefault((self.way[line.sum], line["run_sum"]), len(runs))
        self.similar = self._similar_ways()
        times = {line.sum: time for line in lines if (time := _time(line["time"])) is not None}
        if unread := len(lines) - len(times):
            text = f"{counted(unread, 'line')} without a readable time: shown in the order of the ledger"
            self.notes.append(Note(BROKEN, text))
        else:
            self.lines.sort(key=lambda line: times[line.sum])

    def _similar_ways(self) -> list[set[int]]:
        """For each way to compute a value, those of the same signature whose truths share half of their topics."""
        topics: dict[str, set[str]] = {}
        for line in self.lines:
            topics.setdefault(line["truth"], set()).update(line["topic_names"] or ())
        ways = self.counts.ways
        return [
            {j for j, (other, theirs, _) in enumerate(ways)
             if i == j or (_alike(own, theirs) and _share_half(topics[truth], topics[other]))}
            for i, (truth, own, _) in enumerate(ways)
        ]  # fmt: skip

    def chosen(self, measures: MeasuresGiven) -> list[LedgerLine]:
        known = list(dict.fromkeys(line["measure"] for line in self.lines))
        wanted = list(dict.fromkeys(measure_texts(measures))) or known
        for one in wanted:
            if one not in known:
                offer = nearest(one, known) or f"; it has {', '.join(known[:10])}"
                raise UsageError(f"the ledger has no look by {one}{offer}")
        return [line for measure in wanted for line in self.lines if line["measure"] == measure]

    def points(self, lines: Sequence[LedgerLine]) -> Iterator[HistoryPoint]:
        for _, group in groupby(lines, key=lambda line: line["measure"]):
            yield from self._points(list(group))

    def _points(self, lines: Sequence[LedgerLine]) -> Iterator[HistoryPoint]:
        """The points of one measure."""
        best: dict[tuple[int, str], tuple[float, str]] = {}
        seen: dict[int, set[str]] = {}
        before: LedgerLine | None = None
        for line in lines:
            way, key = self.way[line.sum], self._key(line)
            seen.setdefault(way, set()).add(line["run_sum"])
            for name, value in ((line["baseline"], line["baseline_value"]), (line["run"], line["value"])):
                sign = 1 if line["increasing"] else -1
                if value is not None and (key not in best or (value - best[key][0]) * sign > 0):
                    best[key] = value, str(name)
            found, run = best.get(key, (None, None))
            yield HistoryPoint(
                line=line.number, time=line["time"], run=line["run"], measure=line["measure"],
                **{name: line[name] for name in ("value", "low", "high", "verdict", "baseline", "baseline_value")},
                topics=line["n"], look=self.number[line.sum], level=line["level"],
                looks_similar=sum(len(seen.get(other, ())) for other in self.similar[way]),
                best=found, best_run=run, break_=self._changed(before, line), truth=line["truth"],
                signature=line["signature"], commit=line["commit"], increasing=line["increasing"],
            )  # fmt: skip
            before = line

    def _key(self, line: LedgerLine) -> tuple[int, str]:
        """Which values can be compared: those of one truth, signature and choice of topics."""
        return self.way[line.sum], line["topics"]

    def _changed(self, before: LedgerLine | None, line: LedgerLine) -> str | None:
        if before is None or self._key(before) == self._key(line):
            return None
        changed = ["truth"] * (before["truth"] != line["truth"])
        changed += ["signature"] * (not _alike(before.signature, line.signature))
        return " and ".join(changed) or "choice of topics"

    def totals(self, lines: Sequence[LedgerLine]) -> Iterator[LooksAtTruth]:
        last = {self.way[line.sum]: line for line in lines}
        for way in dict.fromkeys(self.way[line.sum] for line in lines):
            line, looks = last[way], len(self.counts.ways[way][2])
            similar = sum(len(self.counts.ways[other][2]) for other in self.similar[way])
            level = None
            if line["level"] is not None and (line["look"] or 0) > 0:
                level = level_of(looks + 1, line["level"] * line["look"] * (line["look"] + 1))
            yield LooksAtTruth(line["measure"], line["truth"], line["n"], looks, similar, level)


def _alike(one: Signature, other: Signature) -> bool:
    return not unlike([one, other])[0]


def _share_half(one: set[str], other: set[str]) -> bool:
    """Whether two truths share at least half of the topics of each."""
    shared = len(one & other)
    return shared > 0 and 2 * shared >= max(len(one), len(other))


def _time(text: str) -> datetime | None:
    """A time; None if it is not one."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)
