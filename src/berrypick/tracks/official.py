"""Official results of a track: scores of all runs, the leaderboard, and what each team compares itself with."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from berrypick.analysis.comparison.compare import compare_results
from berrypick.analysis.comparison.comparison import Comparison, Method
from berrypick.data.errors import InputError, UsageError
from berrypick.data.exchange import Kind
from berrypick.data.results import Note, Results
from berrypick.data.score import Table
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions
from berrypick.given.convert import RunFile, as_truth
from berrypick.statistics.letters import letters, shown_letters
from berrypick.statistics.topic_values import TIE
from berrypick.tables.tabular import Tabular, bounds, shown
from berrypick.tracks.submissions import TrackCheck, check_track
from berrypick.tracks.track_file import Track, read_track
from berrypick.workers.progress import ProgressLike, as_progress


@dataclass(frozen=True)
class Standing:
    """A run on the leaderboard, by the first measure."""

    place: int | None  # None without a value
    run: str
    team: str
    value: float | None
    low: float | None
    high: float | None
    letters: tuple[str, ...]


@dataclass(frozen=True)
class TopicStanding:
    """One topic of a team under one measure: its own values by run, and the median and best of all runs."""

    topic: str
    own: Mapping[str, float | None]
    median: float | None
    best: float | None
    worst: float | None


@dataclass(frozen=True, eq=False)
class TrackResults(Tabular):
    r"""The official results of a track.

    Attributes
    ----------
    track
        The track.
    results
        The scores of all runs, topic by topic.
    standings
        The runs by the first measure, the best first.
    comparison
        The paired tests under the first measure, with Holm's correction.
    teams
        Run to team.
    notes
        Notes about the numbers.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> contents = {
    ...     "truth.qrels": "1 0 jam 1\n",
    ...     "track.toml": 'name = "Berries"\ntruth = "truth.qrels"\nmeasures = "RR"\n',
    ...     "good.run": "1 Q0 jam 1 2.0 good\n",
    ... }
    >>> for name, text in contents.items():
    ...     with open(os.path.join(folder, name), "w") as file:
    ...         _ = file.write(text)
    >>> found = bp.track(os.path.join(folder, "track.toml"), [os.path.join(folder, "good.run")])
    >>> isinstance(found, bp.TrackResults), found.topics_of("good", "RR")[0].best
    (True, 1.0)
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("run", "team", "letters", "measure", "signature"), "text"),
        **dict.fromkeys(("value", "low", "high"), "number"),
        "place": "count",
    }

    track: Track
    results: Results
    standings: tuple[Standing, ...]
    comparison: Comparison
    teams: Mapping[str, str]
    notes: tuple[Note, ...] = field(default=())

    @property
    def measure(self) -> str:
        """The measure of the leaderboard."""
        return self.results.measures[0]

    def team_names(self) -> list[str]:
        """Return the teams, that of the best run first."""
        return list(dict.fromkeys(one.team for one in self.standings))

    def runs_of(self, team: str) -> list[str]:
        """Return the runs of a team, the best first."""
        return [one.run for one in self.standings if one.team == team]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of ``evaluate`` with their teams; means of the first measure also have their standing."""
        places = {one.run: one for one in self.standings}
        by_run: dict[str, list[dict[str, Any]]] = {run: [] for run in self.results.runs}
        for row in self.results.topic_rows:
            by_run[row.run].append({**row.as_dict(), "team": self.teams[row.run]})
        for row in self.results.mean_rows:
            more: dict[str, Any] = {"team": self.teams[row.run]}
            if row.measure == self.measure:
                one = places[row.run]
                more |= {"place": one.place, "low": one.low, "high": one.high, "letters": shown_letters(one.letters)}
            by_run[row.run].append({**row.as_dict(), **more})
        return [row for rows in by_run.values() for row in rows]

    def rows(self) -> list[dict[str, Any]]:
        """Return the leaderboard."""
        return [
            {"place": one.place, "run": one.run, "team": one.team, "letters": shown_letters(one.letters),
             "value": one.value, "low": one.low, "high": one.high}
            for one in self.standings
        ]  # fmt: skip

    def tables(self, places: int = 4) -> list[Table]:
        rows = [
            ["-" if one.place is None else str(one.place), one.run, one.team, shown_letters(one.letters),
             shown(one.value, places), bounds(one.low, one.high, places)]
            for one in self.standings
        ]  # fmt: skip
        return [Table("", ["place", "run", "team", "letters", self.measure, "95% interval"], rows, "><<<><")]

    def legend(self) -> list[str]:
        return [LETTERS]

    @cached_property
    def _values(self) -> dict[str, dict[str, dict[str, float | None]]]:
        return self.results.per_topic()

    def topics_of(self, team: str, measure: str) -> list[TopicStanding]:
        """Return the topics with a team's own values, and the median and best of all runs."""
        values = self._values
        better = max if self.results.info(measure).higher_is_better else min
        worse = min if better is max else max
        found = []
        for topic in self.results.topics:
            every = {run: values[run][measure].get(topic) for run in self.results.runs}
            known = [value for value in every.values() if value is not None]
            own = {run: every[run] for run in self.runs_of(team)}
            if known:
                found.append(TopicStanding(topic, own, statistics.median(known), better(known), worse(known)))
            else:
                found.append(TopicStanding(topic, own, None, None, None))
        return found

    def write_pages(self, folder: str | PathLike[str]) -> list[str]:
        """Write results.json, leaderboard.html and a page per team into a folder, all or nothing."""
        from berrypick.tracks.folder import write_folder

        return write_folder(self, folder)


LETTERS = (
    "Runs that share a letter are not significantly different: paired randomisation test over topics, "
    "Holm's correction for all pairs, p at most 0.05."
)


def track(
    track: Track | str | PathLike[str],
    runs: Iterable[str | PathLike[str]],
    *,
    folder: str | PathLike[str] | None = None,
    progress: ProgressLike = None,
) -> TrackResults:
    r"""Compute the official results of a track, and write the pages that publish them.

    Parameters
    ----------
    track : Track, str or path
        The track, or its file.
    runs : list of str or path
        The files that were handed in, one run each. A run that breaks a rule of the track is an error.
    folder : str or path, optional
        The folder to write: results.json, leaderboard.html, and a page per team. It is new, empty, or written by an
        earlier call.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).

    Returns
    -------
    TrackResults
        The scores, and the runs by the first measure.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> folder = tempfile.mkdtemp()
    >>> def written(name, text):
    ...     with open(os.path.join(folder, name), "w") as file:
    ...         _ = file.write(text)
    ...     return os.path.join(folder, name)
    >>> _ = written("truth.qrels", "1 0 jam 1\n2 0 tea 1\n")
    >>> berries = written("track.toml", 'name = "Berries"\ntruth = "truth.qrels"\nmeasures = "RR"\n')
    >>> good = written("good.run", "1 Q0 jam 1 2.0 good\n2 Q0 tea 1 1.0 good\n")
    >>> poor = written("poor.run", "1 Q0 ham 1 2.0 poor\n1 Q0 jam 2 1.0 poor\n")
    >>> found = bp.track(berries, [good, poor], folder=os.path.join(folder, "pages"))
    >>> [(one.place, one.run, one.value) for one in found.standings]
    [(1, 'good', 1.0), (2, 'poor', 0.25)]
    """
    track = track if isinstance(track, Track) else read_track(track)
    found = official_results(check_track(track, runs), progress)
    if folder is not None:
        found.write_pages(folder)
    return found


def official_results(check: TrackCheck, progress: ProgressLike = None) -> TrackResults:
    """Score submissions that break no rule."""
    track = check.track
    if check.problems:
        first = check.problems[0]
        raise InputError(
            first.message,
            path=first.file,
            line=first.line,
            remedy=f"{check.line}; berrypick check --track lists them: correct or remove the files",
        )
    if not check.submissions:
        raise UsageError("there are no runs to score")
    if not track.truth:
        remedy = 'add a line such as truth = "judged.qrels"'
        raise InputError("has no truth, which scores need", path=track.source, remedy=remedy)
    truth = as_truth(track.truth)
    unjudged = _unjudged_topics(track, truth)
    given = {"task": track.task, "protocol": track.protocol, "collection": track.collection}
    options: dict[str, Any] = {name: value for name, value in given.items() if value}
    runs = [RunFile(one.file, track.format or None) for one in check.submissions]
    evaluation = Evaluation._from_options(
        truth, runs, track.measures, EvaluationOptions.from_arguments(options, "track")
    )
    results = evaluation.run(progress=as_progress(progress))
    teams = _teams(results, check)
    comparison = compare_results(results.only(measures=results.measures[:1]), None, Method())
    notes = [*comparison.notes, *(note for note in results.notes if note not in comparison.notes), *check.notes]
    if unjudged:
        notes.append(Note("unjudged topics", "topics of the track without judgements, not scored", count=unjudged))
    return TrackResults(track, results, _standings(results, comparison, teams), comparison, teams, tuple(notes))


def _unjudged_topics(track: Track, truth: Truth) -> int:
    """How many topics of the track have no judgements; judged topics outside the track are an error."""
    if track.topics is None:
        return 0
    other = [topic for topic in truth.topics if topic not in track.topics]
    if other:
        what = f"judges {counted(len(other), 'topic')} that the track does not list: {', '.join(other[:5])}"
        remedy = f"add them to the topics of {track.source}, or remove them from the truth: no run may answer them"
        raise InputError(what, path=track.truth, remedy=remedy)
    return sum(topic not in truth.topics for topic in track.topics)


def _teams(results: Results, check: TrackCheck) -> dict[str, str]:
    """Run to team, by the files of both."""
    by_file = {one.file: one.team for one in check.submissions}
    return {run: by_file[results.run_facts[run].source] for run in results.runs}


def _standings(results: Results, comparison: Comparison, teams: Mapping[str, str]) -> tuple[Standing, ...]:
    measure = results.measures[0]
    sign = -1 if results.info(measure).higher_is_better else 1
    estimates = {run: comparison.estimate(measure, run) for run in results.runs}

    def goodness(run: str) -> tuple[bool, float, str]:
        value = estimates[run].value
        return value is None, 0.0 if value is None else sign * value, run

    order = sorted(results.runs, key=goodness)
    marks = letters(_different(comparison, order))
    found: list[Standing] = []
    for number, (run, own) in enumerate(zip(order, marks, strict=True), start=1):
        one = estimates[run]
        before = found[-1].value if found else None
        same = before is not None and one.value is not None and math.isclose(before, one.value, abs_tol=TIE)
        place = None if one.value is None else found[-1].place if same else number
        found.append(Standing(place, run, teams[run], one.value, one.low, one.high, own))
    return tuple(found)


def _different(comparison: Comparison, order: Sequence[str]) -> Any:
    """Which runs the corrected tests tell apart, as a symmetric matrix."""
    at = {run: i for i, run in enumerate(order)}
    different = np.zeros((len(order), len(order)), dtype=bool)
    for pair in comparison.pairs:
        if pair.significant:
            different[at[pair.run], at[pair.versus]] = different[at[pair.versus], at[pair.run]] = True
    return different
