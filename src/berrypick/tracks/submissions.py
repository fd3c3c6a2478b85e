"""Checks of submissions: every place where a run breaks a rule of its track."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick import formats
from berrypick.data.arrays import BoolArray, IntArray
from berrypick.data.errors import InputError, nearest, shorten
from berrypick.data.exchange import Kind
from berrypick.data.results import Note
from berrypick.data.run import Ranking, Run, repeated_pointers
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.evaluation.protocols.base import get_task
from berrypick.evaluation.run_rules import RUN_RULES
from berrypick.files.files import content, file_name, is_parquet, is_stream, lines, reusable
from berrypick.files.problems import Problems
from berrypick.tables.tabular import Tabular
from berrypick.tracks.track_file import Track, read_track

#: What a submission can break. ``format`` is a line that cannot be read, ``task`` a rule of the track's task.
Rule = Literal[
    "topic", "document", "depth", "tag", "duplicate", "range", "missing-topic", "runs", "format", "task"
]  # fmt: skip
#: The column of the tag in formats whose every line has one.
_TAG_COLUMN = {"trec-run": 5, "inex-fol-run": 5, "genomics-run": 6}
#: Among so many names the nearest to a misspelt one is looked for.
_FEW = 5000


@dataclass(frozen=True)
class TrackProblem:
    """A place where a submission breaks a rule of its track."""

    file: str
    line: int | None
    rule: Rule
    message: str

    def __str__(self) -> str:
        """FILE:LINE: message."""
        return shorten(f"{self.file}{'' if self.line is None else f':{self.line}'}: {self.message}", 1000)


@dataclass(frozen=True)
class Submission:
    """A run that was handed in."""

    file: str
    tag: str
    team: str


@dataclass(frozen=True, eq=False)
class TrackCheck(Tabular):
    r"""The result of a check of submissions: the problems, file by file and line by line.

    Attributes
    ----------
    track
        The track.
    problems
        Every problem with its file, line, rule and message.
    submissions
        The runs with their tags and teams, without files that cannot be read.
    notes
        What was not checked.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> track = os.path.join(tempfile.mkdtemp(), "track.toml")
    >>> with open(track, "w") as file:
    ...     _ = file.write('name = "Berries"\n')
    >>> found = bp.check_track(track, ["missing.run"])
    >>> isinstance(found, bp.TrackCheck), str(found.problems[0]), found.line
    (True, 'missing.run: no such file', '0 runs of 0 teams: 1 problem in 1 file')
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {"file": "text", "line": "count", "rule": "text", "message": "text"}

    track: Track
    problems: tuple[TrackProblem, ...]
    submissions: tuple[Submission, ...]
    notes: tuple[Note, ...] = field(default=())

    def records(self) -> list[dict[str, Any]]:
        """Return file, line, rule and message of every problem."""
        return [{"file": one.file, "line": one.line, "rule": one.rule, "message": one.message} for one in self.problems]

    def tables(self, places: int = 4) -> list[Table]:
        rows = [[one.file, "-" if one.line is None else str(one.line), one.rule, one.message] for one in self.problems]
        return [Table("", ["file", "line", "rule", "message"], rows, "<><<")] if rows else []

    def legend(self) -> list[str]:
        return [self.line]

    @property
    def line(self) -> str:
        """All in one line."""
        files = len({one.file for one in self.problems})
        teams = len({one.team for one in self.submissions})
        found = f"{counted(len(self.problems), 'problem')} in {counted(files, 'file')}"
        read = f"{counted(len(self.submissions), 'run')} of {counted(teams, 'team')}"
        return f"{read}: {found if self.problems else 'no problems'}"


def check_track(track: Track | str | PathLike[str], runs: Iterable[str | PathLike[str]]) -> TrackCheck:
    r"""Check submissions against the rules of a track.

    Parameters
    ----------
    track : Track, str or path
        The track, or its file.
    runs : list of str or path
        The files that were handed in, one run each.

    Returns
    -------
    TrackCheck
        Every problem with its file, line, rule and message.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> track, run = os.path.join(folder, "track.toml"), os.path.join(folder, "a.run")
    >>> with open(track, "w") as file:
    ...     _ = file.write('name = "Berries"\ntopics = ["1"]\n')
    >>> with open(run, "w") as file:
    ...     _ = file.write("1 Q0 jam 1 2.0 ana-1\n2 Q0 tea 1 1.0 ana-1\n")
    >>> [(one.line, one.rule) for one in bp.check_track(track, [run]).problems]
    [(2, 'topic')]
    """
    track = track if isinstance(track, Track) else read_track(track)
    found: list[TrackProblem] = []
    submissions: list[Submission] = []
    limits: set[str] = set()
    given = [runs] if isinstance(runs, (str, PathLike)) else list(runs)
    for one in given:
        path = file_name(one)
        with reusable(path):
            check = _FileCheck(track, path)
            check.run(submissions, limits)
        found += check.found
    missing = ", ".join(track.unchecked)
    notes = [Note("unchecked", f"{track.source or 'the track'} has no {missing}: not checked")] if missing else []
    notes += [Note("unchecked", one) for one in sorted(limits)]
    return TrackCheck(track, tuple(found), tuple(submissions), tuple(notes))


class _FileCheck:
    """The problems of one file."""

    def __init__(self, track: Track, path: str) -> None:
        self.track, self.path = track, path
        self.found: list[TrackProblem] = []

    def report(self, rule: Rule, line: int | None, message: str) -> None:
        self.found.append(TrackProblem(self.path, line, rule, message))

    def run(self, submissions: list[Submission], limits: set[str]) -> None:
        """Check a file; whoever handed it in is added to the submissions before."""
        run = self._read()
        if run is None:
            return
        tags = self._tags(run)
        team = self._check_tags(run, tags, submissions)
        if team:
            self._check_runs(tags[run.tag], team, submissions)
        submissions.append(Submission(self.path, run.tag, team or run.tag))
        self._check_topics(run)
        places = _Places(self.track, run, limits)
        for topic, ranking in run.rankings():
            self._check_ranking(topic, ranking, places)
        self.found.sort(key=lambda one: (one.line is None, one.line or 0))

    def _read(self) -> Run | None:
        problems = Problems(self.path, strict=False, limit=1 << 62)
        try:
            run: Run | None = formats.read_any(self.path, "run", self.track.format or None, problems)
        except InputError as error:
            problems.found.append(error)
            run = None
        for one in problems.found:
            remedy = f"; {one.remedies[0]}" if run is not None and any(one.remedies) else ""
            rule: Rule = "range" if one.rule == "range" else "format"
            self.report(rule, one.line or (1 if self._has_lines() else None), f"{one.what}{remedy}")
        return run

    def _has_lines(self) -> bool:
        if not os.path.isfile(self.path) and not is_stream(self.path):
            return False
        try:
            return not is_parquet(self.path)
        except InputError:  # damaged
            return True

    # the file as a whole

    def _tags(self, run: Run) -> dict[str, int | None]:
        """Every tag of the file with the line where it first stands."""
        found: dict[str, int | None] = {}
        column = _TAG_COLUMN.get(run.format)
        if column is not None:
            for number, text in content(self.path, Problems(self.path, strict=False)):
                words = text.split()
                if len(words) > column:
                    found.setdefault(words[column], number)
        return found if run.tag in found else {run.tag: self._tag_line(run.tag)}

    def _tag_line(self, tag: str) -> int | None:
        """The first line with the tag in quotes, as JSON and XML have it; else line 1."""
        if not self._has_lines():
            return None
        written = {f'"{tag}"', json.dumps(tag), f'"{escape(tag)}"', f"'{tag}'"}
        for number, text in lines(self.path, Problems(self.path, strict=False)):
            if any(one in text for one in written):
                return number
        return 1

    def _check_tags(self, run: Run, tags: Mapping[str, int | None], before: Sequence[Submission]) -> str | None:
        """Whose run it is, None if no tag says it."""
        teams = {tag: self.track.team(tag) for tag in tags}
        for tag, team in teams.items():
            if team is None:
                self.report("tag", tags[tag], f"the tag {tag} does not match {self.track.tag}")
            elif tag != run.tag:
                first = tags[run.tag]
                self.report("tag", tags[tag], f"the tag {tag} differs from {run.tag} in line {first}: one run per file")
        same = next((one for one in before if one.tag == run.tag), None)
        if same is not None:
            self.report("tag", tags[run.tag], f"the tag {run.tag} is that of {same.file}, too: give every run its own")
        return teams[run.tag]

    def _check_runs(self, line: int | None, team: str, before: Sequence[Submission]) -> None:
        most = self.track.runs_per_team
        own = [one.file for one in before if one.team == team]
        if most is not None and len(own) >= most:
            earlier = f"{', '.join(own[:3])}{' ..' * (len(own) > 3)}"
            self.report(
                "runs", line, f"run {len(own) + 1} of team {team}, which may submit {most}; earlier ones: {earlier}"
            )

    def _check_topics(self, run: Run) -> None:
        known = self.track.topics
        if known is None:
            return
        for topic in run.topics:
            if topic not in known:
                offer = nearest(topic, list(known)) if len(known) < _FEW else ""
                size = counted(run.size(topic), "result")
                self.report(
                    "topic", _first_line(run.ranking(topic)), f"topic {topic} is not in the track: {size}{offer}"
                )
        if self.track.all_topics:
            last = self._last_line()
            for topic in known:
                if topic not in run:
                    self.report("missing-topic", last, f"the file ends without results for topic {topic}")

    def _last_line(self) -> int | None:
        if not self._has_lines():
            return None
        return max((number for number, _ in lines(self.path, Problems(self.path, strict=False))), default=1)

    # one topic

    def _check_ranking(self, topic: str, ranking: Ranking, places: _Places) -> None:
        deepest = self.track.depth
        if deepest is not None and ranking.ranks > deepest:
            row = int(np.argmax(ranking.rank >= deepest))
            what = (
                f"result {deepest + 1} of topic {topic}, {ranking.ranks} in all: the track allows {deepest} per topic"
            )
            self.report("depth", _line(ranking, row), what)
        self._check_duplicates(topic, ranking)
        for row, rule, what in places.problems(ranking):
            self.report(rule, _line(ranking, row), what)
        if self.track.task:
            self._check_task(topic, ranking)

    def _check_duplicates(self, topic: str, ranking: Ranking) -> None:
        repeated, first = repeated_pointers(ranking)
        for row in np.flatnonzero(repeated).tolist():
            before = _line(ranking, int(first[row]))
            where = "" if before is None else f", first in line {before}"
            what = f"{shorten(ranking.name(row), 200)} is retrieved twice for topic {topic}{where}"
            self.report("duplicate", _line(ranking, row), what)

    def _check_task(self, topic: str, ranking: Ranking) -> None:
        kept = ranking.rows(~repeated_pointers(ranking)[0])  # duplicates are reported as such
        for rule in get_task(self.track.task).rules:
            broken = RUN_RULES[rule](kept)
            if broken is not None:
                what, later, earlier = broken
                both = f"{shorten(kept.name(later), 200)} after {shorten(kept.name(earlier), 200)}"
                told = f"{what} in topic {topic}, which the task {self.track.task} does not allow: {both}"
                self.report("task", _line(kept, later), told)


class _Places:
    """Which results of a run are in no document of the track, or beyond the end of theirs."""

    def __init__(self, track: Track, run: Run, limits: set[str]) -> None:
        known = track.documents
        self.names = [] if known is None or len(known) > _FEW else list(known)
        self.run, self.known = run, known
        self.structures = {} if track.collection is None else track.collection.structures
        #: Of each document of the run: is it known, and how long is it (nan where that is not known)?
        self.unknown: BoolArray = np.zeros(len(run.documents), dtype=bool)
        self.length = np.full(len(run.documents), np.nan)
        if known is None:
            return
        counts_otherwise = run.boxes is not None or run.unit == "lines"
        for code, name in enumerate(run.documents):
            self.unknown[code] = name not in known
            length = None if self.unknown[code] or counts_otherwise else known[name]
            self.length[code] = np.nan if length is None else length
        if counts_otherwise and run.start is not None:
            limits.add(f"{run.source}: places on pages and in lines are not checked against the lengths of documents")

    def problems(self, ranking: Ranking) -> Iterator[tuple[int, Rule, str]]:
        """(row, rule, what) of a topic."""
        unknown = self.unknown[ranking.document]
        for row in np.flatnonzero(unknown).tolist():
            name = ranking.documents[int(ranking.document[row])]
            offer = nearest(name, self.names) if self.names else ""
            yield row, "document", f"document {shorten(name, 200)} is not in the collection{offer}"
        if ranking.path is not None:
            yield from self._elements(ranking, np.flatnonzero(~unknown))
        elif ranking.start is not None and ranking.end is not None:
            length = self.length[ranking.document]
            start, end = ranking.start.astype(np.float64), ranking.end.astype(np.float64)
            beyond = (end > length) & (start >= 0)  # below 0 is a passage that could not be located
            for row in np.flatnonzero(beyond).tolist():
                what = f"{shorten(ranking.name(row), 200)} ends after its document, which ends at {length[row]:.12g}"
                yield row, "range", what

    def _elements(self, ranking: Ranking, rows: IntArray) -> Iterator[tuple[int, Rule, str]]:
        """Elements that their documents do not have."""
        for row in rows.tolist():
            name = ranking.documents[int(ranking.document[row])]
            if name not in self.structures:
                continue
            structure = self.structures[name]
            first, last = ranking.path_of(row)
            find: Callable[..., Any] = structure.span_of_passage if last else structure.span_of_path
            try:
                find(*filter(None, (first, last)))
            except InputError as error:
                yield row, "range", f"{shorten(ranking.name(row), 200)}: {error.what}"


def _line(ranking: Ranking, row: int) -> int | None:
    return None if ranking.line is None else int(ranking.line[row])


def _first_line(ranking: Ranking) -> int | None:
    return int(ranking.line.min()) if ranking.line is not None and len(ranking) else None
