"""What topics are about, from a file or from the fields of a truth; and runs that name topics by that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike

import numpy as np

from berrypick.data.errors import InputError, shorten
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted, plain_title
from berrypick.files.files import content, file_name
from berrypick.files.problems import Problems


def read_titles(path: str | PathLike[str]) -> dict[str, str]:
    """A file of topics and what they are about, with a TAB between."""
    found: dict[str, str] = {}
    name = file_name(path)
    for number, line in content(name, Problems(name)):
        topic, tab, title = line.partition("\t")
        if not tab:
            remedy = "a line is a topic, a TAB, and its title"
            raise InputError("has no TAB", path=name, line=number, text=line, remedy=remedy)
        if found.setdefault(topic.strip(), title.strip()) != title.strip():
            raise InputError(f"the topic {topic.strip()} has another title above", path=name, line=number, text=line)
    return found


def titles_of(truth: Truth) -> Mapping[str, str]:
    """What a truth itself says of what its topics are about; empty if it says nothing."""
    if not (fields := truth.fields):
        return {}
    from berrypick.rows.fields import QUESTIONS  # not for files without fields

    return next((fields[name].values for name in QUESTIONS if name in fields and fields[name].values), {})


@dataclass(frozen=True)
class Titles:
    """The topics of a truth by what they are about, for runs that have nothing but the text of a question."""

    topics: tuple[str, ...] = ()
    #: Question to its topics, up to white space.
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, truth: Truth) -> Titles:
        """Those of a truth."""
        named: dict[str, tuple[str, ...]] = {}
        for topic, title in titles_of(truth).items():
            named[plain_title(title)] = (*named.get(plain_title(title), ()), topic)
        return cls(tuple(truth.topics), named)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.topics)

    @cached_property
    def _spaced(self) -> dict[str, tuple[str, ...]]:
        """Names of topics up to white space: they may be questions."""
        found: dict[str, tuple[str, ...]] = {}
        for topic in self.topics:
            found[plain_title(topic)] = (*found.get(plain_title(topic), ()), topic)
        return found

    @cached_property
    def _are_places(self) -> bool:
        """Whether topics are called 1, 2 .. as those that only their questions name: an id of a run is another number,
        unless the question is the same."""
        return all(topic == str(place) for place, topic in enumerate(self.topics, start=1))

    def matched(self, run: Run) -> Run:
        """A run with the names of topics where it has their ids or questions; what could be two topics is refused."""
        if not self.named and not run.of_topics.asked and self._known.issuperset(run.topics):
            return run
        if run.texts.row_ids and self._known.issuperset(run.texts.row_ids):
            by_row = _by_row_ids(run)
            run = by_row if self._by_id(by_row) else run
        run = run.changed(row_ids=()) if run.texts.row_ids else run
        by_id = self._by_id(run)
        by_question = {
            name: held
            for name in run.topics
            if name not in by_id and (held := self.topics_of(run.of_topics.asked.get(name, name))) and held != (name,)
        }
        changed = {**by_id, **{name: self._topic(name, held, run) for name, held in by_question.items()}}
        if not changed:
            self._refuse_rows_from_zero(run)
            return run
        names = tuple(changed.get(name, name) for name in run.topics)
        self._refuse_two(run, names, changed)
        facts = run.of_topics
        notes = [f"{note} ({shorten(facts.asked.get(first, first), 60)!r} is {changed[first]})" for note, first in (
            (f"{counted(len(by_id), 'topic')} matched by the id beside the question", next(iter(by_id), "")),
            (f"{counted(len(by_question), 'topic')} matched by the question", next(iter(by_question), "")),
        ) if first]  # fmt: skip
        traces = {changed.get(name, name): ids for name, ids in facts.traces.items()}
        costs = {changed.get(name, name): one for name, one in facts.costs.items()}
        extra = {what: {changed.get(name, name): one for name, one in of.items()} for what, of in facts.extra.items()}
        return run.changed(topics=names, traces=traces, costs=costs, extra=extra, notes=(*run.notes, *notes), asked={})

    def topics_of(self, question: str) -> tuple[str, ...]:
        """Return the topics that have a question, or are called so up to white space."""
        plain = plain_title(question)
        found = self.named.get(plain, ())
        if found or question in self._known or " " not in plain:  # one word is a name, whose white space counts
            return found
        return self._spaced.get(plain, ())

    def _by_id(self, run: Run) -> dict[str, str]:
        """Names in the run to topics of the truth, by the ids that stand beside the questions of the run. Ids whose
        questions are those of other topics are not the truth's."""
        named = {*run.topics}
        found: dict[str, str] = {}
        for own, question in run.of_topics.asked.items():
            held = self.named.get(plain_title(question), ())
            if own not in self._known or (self._are_places and self.named and own not in held):
                continue
            if held and own not in held:
                return {}
            found[question if question in named else own] = own
        return found

    def _refuse_rows_from_zero(self, run: Run) -> None:
        """An error if topics are numbered from 1 by their places, and those of the run from 0."""
        numbers = range(len(self.topics))
        if self.named and self._are_places and "0" in run.topics and {*run.topics} <= {*map(str, numbers)}:
            what = (
                f"has topics from 0 to {max(map(int, run.topics))}, but the truth has topics from 1 to {len(numbers)}"
            )
            remedy = "name the topics of the run by their questions, or from 1"
            raise InputError(what, path=run.source or run.tag or None, remedy=remedy)

    def _refuse_two(self, run: Run, names: Sequence[str], changed: Mapping[str, str]) -> None:
        """An error if two lists of a run are those of one topic."""
        first: dict[str, str] = {}
        for name, topic in zip(run.topics, names, strict=True):
            other = first.setdefault(topic, name)
            if other != name and (name in changed or other in changed):
                places = " and ".join(f"{shorten(one, 60)!r}{_line_in(run, one)}" for one in (other, name))
                what = f"two topics are topic {topic} of the truth: {places}"
                raise InputError(what, path=run.source or run.tag or None, remedy="keep one of them")

    def _topic(self, name: str, held: tuple[str, ...], run: Run) -> str:
        if len(held) > 1:
            what = f"is the question of {len(held)} topics, {', '.join(held)}"
            raise self._refused(run, what, name, "name them in the run by a field topic or id, as the truth does")
        if name in self._known and name not in run.of_topics.asked:
            what = f"is the name of a topic, and the question of topic {held[0]}"
            raise self._refused(run, what, name, "name the topics of the run as the truth does")
        return held[0]

    @staticmethod
    def _refused(run: Run, what: str, name: str, remedy: str) -> InputError:
        return InputError(f"{shorten(name, 80)!r}: {what}", path=run.source or run.tag or None, remedy=remedy)


def _by_row_ids(run: Run) -> Run:
    """A run with the ids of its rows as topics."""
    questions = np.repeat(np.array(run.topics, dtype=object), np.diff(run.bounds)).tolist()
    asked = dict(zip(run.texts.row_ids, questions, strict=True))
    unread = tuple(name for name in run.origin.unread if name != "id")
    return run.regrouped(run.texts.row_ids).changed(asked=asked, unread=unread, row_ids=())


def _line_in(run: Run, topic: str) -> str:
    """Where the results of a topic begin, where that is known."""
    lines = run.ranking(topic).line if run.source else None
    return "" if lines is None or not len(lines) else f" (line {int(lines.min())})"
