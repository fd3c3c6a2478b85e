"""What becomes of one run: its numbers, their signatures, and what a person should know about them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from berrypick._version import __version__
from berrypick.asked import AnyMeasure, Asked
from berrypick.core import spec as specs
from berrypick.core.errors import InputError, UsageError
from berrypick.core.judged import Curve, Judged, Score
from berrypick.core.navigation import LinkTable, Navigation, Sessions
from berrypick.core.results import ALL, Row, mean
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.judging import _ranking, judge, refuse_duplicates
from berrypick.measures import _documents as document_measures
from berrypick.measures._base import Measure
from berrypick.measures.overlap import Overlap, repeated_share
from berrypick.relevance import idealism as ideal
from berrypick.setting import Setting, uses
from berrypick.users import UserModel


def _topics(truth: Truth, run: Run, setting: Setting) -> list[str]:
    if setting.topics == "judged":
        return list(truth.topics)
    return [topic for topic in truth.topics if topic in run]


def _has_relevant(truth: Truth, topic: str) -> bool:
    return truth.topics[topic].has_relevant


@dataclass
class Part:
    """What is found out about topics of a run."""

    found: dict[tuple[str, str], Score] = field(default_factory=dict)
    drawn: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    shared: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    repeats: int = 0
    #: By topic, how much of the retrieved text was retrieved before.
    overlap: dict[str, float] = field(default_factory=dict)
    reader_notes: dict[str, int] = field(default_factory=dict)


class Outcome:
    """The rows of one run."""

    def __init__(
        self, name: str, truth: Truth, run: Run, setting: Setting, asked: Sequence[Asked], curves: bool
    ) -> None:
        self.name, self.truth, self.run, self.setting, self.asked, self.curves = (
            name,
            truth,
            run,
            setting,
            asked,
            curves,
        )
        self.topics = _topics(truth, run, setting)
        self.part = Part()

    def check(self) -> None:
        if not any(topic in self.truth for topic in self.run.topics):
            raise InputError(
                f"answers none of the {plural(len(self.truth), 'judged topic')} of {self.truth.source or 'the truth'} "
                f"(truth: {some(list(self.truth.topics))}; run: {some(list(self.run.topics))})",
                path=self.run.source or self.run.tag,
            )
        refuse_duplicates(self.run, self.setting)

    def asks(self, theirs: bool) -> bool:
        """Whether any measure is of ir_measures, or any of ours."""
        return any(isinstance(one.measure, document_measures.DocumentMeasure) == theirs for one in self.asked)

    def absorb(self, part: Part) -> None:
        """What another process found."""
        self.part.found.update(part.found)
        self.part.drawn.update(part.drawn)
        self.part.shared.update(part.shared)
        self.part.repeats += part.repeats
        self.part.overlap.update(part.overlap)
        for note, count in part.reader_notes.items():
            self.part.reader_notes[note] = self.part.reader_notes.get(note, 0) + count

    def work_out(self, topics: Sequence[str], step: Callable[[int], None]) -> None:
        for topic in topics:
            self.judge(topic)
            self._measure_overlap(topic)
            step(1)

    def _measure_overlap(self, topic: str) -> None:
        """Results that point into documents may repeat one another; whoever does not ask how much is told."""
        if self.run.start is None or topic not in self.run or any(isinstance(o.measure, Overlap) for o in self.asked):
            return
        share = repeated_share(_ranking(self.run, topic, self.setting))
        if share is not None and _has_relevant(self.truth, topic):
            self.part.overlap[topic] = share

    def judge(self, topic: str) -> None:
        ours = [one for one in self.asked if isinstance(one.measure, Measure)]
        if not ours:
            return
        by_reader: dict[str | None, Judged] = {}
        for one in ours:
            assert isinstance(one.measure, Measure)
            reader = one.measure.user_model()
            if reader not in by_reader:
                setting = self.setting.read_by(one.measure)
                by_reader[reader] = judge(self.truth, self.run, topic, setting)
                self._note(by_reader[reader], setting.user, first=len(by_reader) == 1)
            judged = by_reader[reader]
            with named(one.text):
                self._score(one.text, one.measure, judged)

    def _note(self, judged: Judged, user: UserModel, first: bool) -> None:
        if first and judged.ranking.repeated is not None:
            self.part.repeats += int(judged.ranking.repeated.sum())
        for note in user.notes(judged.ranking, judged.targets) if len(judged.targets) else ():
            self.part.reader_notes[note] = self.part.reader_notes.get(note, 0) + 1

    def _score(self, text: str, measure: Measure, judged: Judged) -> None:
        key = (text, judged.topic)
        if not len(judged.targets):
            self.part.found[key] = Score(None)
            return
        if not judged.answered:
            self.part.found[key] = measure.unanswered(judged)
            if self.curves and self.part.found[key].value is not None:
                self.part.drawn[key] = self.part.shared[key] = measure.unanswered_curve()
            return
        self.part.found[key] = measure.of(judged)
        if self.curves and measure.has_curve():
            self.part.drawn[key] = measure.curve(judged)
            if self.part.found[key].value is not None:
                self.part.shared[key] = measure.common_curve(judged)

    def score_documents(self, topics: Sequence[str] | None = None) -> None:
        theirs = [one for one in self.asked if isinstance(one.measure, document_measures.DocumentMeasure)]
        if not theirs:
            return
        values = document_measures.score(self.truth, self.run, [one.measure for one in theirs], topics)  # type: ignore[misc]
        for one in theirs:
            assert isinstance(one.measure, document_measures.DocumentMeasure)
            for topic in self.topics if topics is None else topics:
                defined = _has_relevant(self.truth, topic)
                value = values.get((one.measure, topic), 0.0)
                self.part.found[one.text, topic] = Score(value if defined else None)

    def rows(self) -> list[Row]:
        return [
            Row(
                self.name,
                topic,
                one.text,
                self.part.found[one.text, topic].value,
                self._signature(one, [self.part.found[one.text, topic]]),
                self.part.drawn.get((one.text, topic)),
                self.part.shared.get((one.text, topic)),
            )
            for topic in self.topics
            for one in self.asked
        ]

    def means(self) -> list[Row]:
        rows = []
        for one in self.asked:
            scores = [self.part.found[one.text, topic] for topic in self.topics]
            value = mean([score.value for score in scores])
            if isinstance(one.measure, document_measures.DocumentMeasure) and one.measure.summed:
                value = sum(score.value for score in scores if score.value is not None)
            curve = None
            if self.curves and isinstance(one.measure, Measure) and one.measure.has_curve():
                curve = mean_curve([c for t in self.topics if (c := self.part.shared.get((one.text, t))) is not None])
            rows.append(Row(self.name, ALL, one.text, value, self._signature(one, scores), curve))
        return rows

    def _signature(self, one: Asked, scores: Sequence[Score]) -> str:
        parts = [*_own_part(one.measure), *self._setting_part(one.measure), *_signed(scores), f"v:{__version__}"]
        return "|".join(dict.fromkeys(parts))

    def _setting_part(self, measure: AnyMeasure) -> list[str]:
        setting = self.setting
        parts = []
        depends = measure.depends_on if isinstance(measure, Measure) else ()
        if "user" in depends:
            reader = setting.read_by(measure).user
            parts.append(f"user:{reader}")
            if setting.world.navigation is not None and uses(reader, setting.world.navigation):
                parts.append(f"navigation:{fingerprint(setting.world.navigation)}")
        if setting.left_out:
            parts.append(f"left_out:{','.join(sorted(setting.left_out))}")
        if "idealism" in depends:
            parts.append(f"idealism:{ideal.describe(self.truth.grades(), setting.idealism)}")
        if "effort" in depends:
            parts.append(f"effort:{setting.effort}")
        line = setting.world.line
        if line is not None and (("effort" in depends and setting.effort == "tokens") or self._reads_tokens(measure)):
            parts.append(f"tokenizer:{line.name}")
        if "units" in depends and setting.units is not None:
            parts.append(f"units:{setting.units}")
        if setting.protocol.name:
            parts.append(f"protocol:{setting.protocol.name}")
        if setting.task:
            parts.append(f"task:{setting.task}")
        if setting.repair:
            parts.append(f"repair:{setting.repair}")
        return [*parts, f"duplicates:{setting.duplicates or self.run.duplicates}", f"topics:{setting.topics}"]

    def _reads_tokens(self, measure: AnyMeasure) -> bool:
        """Whether the reader of a measure counts tokens, whatever effort is counted in."""
        if not isinstance(measure, Measure) or "user" not in measure.depends_on:
            return False
        return getattr(self.setting.read_by(measure).user, "unit", None) == "tokens"

    def notes(self) -> list[str]:
        found = list(self.run.notes)
        ignored = sum(1 for topic in self.run.topics if topic not in self.truth)
        if ignored:
            found.append(f"{plural(ignored, 'topic')} of the run not in the truth, ignored")
        absent = sum(1 for topic in self.topics if topic not in self.run and _has_relevant(self.truth, topic))
        if absent:
            found.append(f"{plural(absent, 'judged topic')} missing from the run, counted 0")
        empty = sum(1 for topic in self.topics if not _has_relevant(self.truth, topic))
        if empty:
            found.append(
                "1 judged topic has nothing relevant; its value is undefined and left out of means"
                if empty == 1
                else f"{empty} judged topics have nothing relevant; their values are undefined and left out of means"
            )
        navigation = self.setting.world.navigation
        if navigation is None:  # else somebody may move from what is retrieved to what is judged
            found += strangers(self.truth, self.run)
        if navigation is not None and not self._meets(navigation):
            found.append(
                f"no unit of the run or the truth occurs in {navigation.source or 'the navigation'}, "
                "so nobody moves anywhere"
            )
        repeats = self.part.repeats
        if repeats:
            found.append(
                "1 result repeats an earlier one of the same topic; it reaches and gains nothing"
                if repeats == 1
                else f"{repeats} results repeat an earlier one of the same topic; they reach and gain nothing"
            )
        if self.part.overlap:
            shares = list(self.part.overlap.values())
            found.append(
                f"Overlap {mean(shares):.4f}: the share of what is retrieved that was retrieved before "
                f"({plural(len(shares), 'topic')})"
            )
        found += [f"{note} ({plural(count, 'topic')})" for note, count in self.part.reader_notes.items()]
        for one in self.asked:
            found += self._measure_notes(one)
        return [f"{self.name}: {note}" for note in found]

    def _meets(self, navigation: Navigation) -> bool:
        """Whether the navigation knows anything of what is judged or retrieved."""
        units = set(navigation.units)
        if not units or not units.isdisjoint(self.run.documents):
            return not units or not self.run.points_into_documents or self._names_met(units)
        return any(not units.isdisjoint(topic.document) for topic in self.truth.topics.values())

    def _names_met(self, units: set[str]) -> bool:
        rankings = (ranking for _, ranking in self.run.rankings())
        return any(ranking.name(row) in units for ranking in rankings for row in range(len(ranking)))

    def _measure_notes(self, one: Asked) -> list[str]:
        counts: dict[str, int] = {}
        above = undefined = 0
        for topic in self.topics:
            score = self.part.found[one.text, topic]
            for note in score.notes:
                counts[note] = counts.get(note, 0) + 1
            above += score.value is not None and score.value > 1 + 1e-9
            undefined += score.value is None and _has_relevant(self.truth, topic) and topic in self.run
        if above and isinstance(one.measure, Measure) and one.measure.increasing and one.measure.above_one:
            counts[f"values above 1: {one.measure.above_one}"] = above
        if undefined:
            counts["undefined, and left out of the mean"] = undefined
        return [f"{one.text}: {note} ({plural(count, 'topic')})" for note, count in counts.items()]


def strangers(truth: Truth, run: Run) -> list[str]:
    """A note if no document of a run is judged for any topic: most likely the two name documents differently."""
    answered = [topic for topic in run.topics if topic in truth]
    for topic in answered[:10]:  # this is where nearly all runs show that they know the documents
        ranking, judged = run.ranking(topic), set(truth.topics[topic].documents())
        if any(ranking.documents[code] in judged for code in ranking.document.tolist()):
            return []
    known = {name for topic in truth.topics.values() for name in topic.documents()}
    if not known or not known.isdisjoint(run.documents):
        return []
    why = next((why for why, key in _ALIKE.items() if not {key(name) for name in known}.isdisjoint(
        key(name) for name in run.documents)), "")  # fmt: skip
    remedy = f"; names differ in their {why}: name documents alike in both" if why else ""
    return [f"none of the run's documents is judged (truth: {some(sorted(known))}; run: {some(run.documents)}){remedy}"]


#: What names may differ in, and what is left of them without it.
_ALIKE: dict[str, Callable[[str], str]] = {
    "endings": lambda name: name.rpartition(".")[0] or name,
    "folders": lambda name: name.rpartition("/")[2],
    "folders and endings": lambda name: Path(name).stem,
    "capitals": str.lower,
}


def _own_part(measure: AnyMeasure) -> list[str]:
    if not isinstance(measure, Measure):
        return [str(measure), "by:ir_measures"]
    return [
        specs.render(measure.name(), {}, measure.at),
        *(
            f"{key}:{value:.12g}" if isinstance(value, float) else f"{key}:{value}"
            for key, value in measure.given().items()
            if key != "user"
        ),
    ]


def _signed(scores: Sequence[Score]) -> list[str]:
    """Extra parts of the values; where topics differ, all of them are named."""
    found: dict[str, dict[str, None]] = {}
    for score in scores:
        for key, value in score.signed:
            found.setdefault(key, {})[value] = None
    return [f"{key}:{'+'.join(values)}" for key, values in found.items()]


def mean_curve(curves: Sequence[Curve]) -> Curve:
    """Point by point. A curve by rank goes on at its last value; one by level ends where it is not defined any more."""
    longest = max(curves, key=len, default=[])
    by_rank = bool(longest) and isinstance(longest[0][0], int)
    known = [dict(curve) for curve in curves]
    points: Curve = []
    for x, _ in longest:
        last = [curve[-1][1] if curve else 0.0 for curve in curves]
        values = [found.get(x, last[i] if by_rank else None) for i, found in enumerate(known)]
        points.append((x, mean(values) or 0.0))
    return points


def fingerprint(navigation: Navigation) -> str:
    """A short name for the content of a navigation file, so that signatures of different readers differ."""
    if isinstance(navigation, Sessions):
        parts = [";".join(path) for path in navigation.paths]
    elif isinstance(navigation, LinkTable):
        parts = [f"{a}\t{b}" for a, b in navigation.rows]
    else:
        parts = [f"{a}\t{b}\t{p!r}" for (a, b), p in navigation.rows.items()]
    return f"{zlib.crc32(chr(10).join(sorted(parts)).encode()):08x}"


def unique_names(runs: Sequence[Run]) -> list[str]:
    """The tag of each run, else the stem of its file; made unique by the stem, then by a number."""
    stems = [Path(run.source.removesuffix(".gz")).stem if run.source else run.tag or "run" for run in runs]
    names = [run.tag or stem for run, stem in zip(runs, stems, strict=True)]
    clash = {name for name in names if names.count(name) > 1}
    names = [stem if name in clash else name for name, stem in zip(names, stems, strict=True)]
    used: set[str] = set()
    for i, name in enumerate(names):
        candidate, n = name, 2
        while candidate in used:
            candidate, n = f"{name}-{n}", n + 1
        used.add(candidate)
        names[i] = candidate
    return names


class named:
    """Puts the measure's name in front of an error about what it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if type(error) is UsageError and not str(error).startswith(self.name.partition("(")[0].partition("@")[0]):
            verb = str(error).startswith(("needs", "reads", "counts"))
            raise UsageError(f"{self.name}{' ' if verb else ': '}{error}") from None


def some(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
