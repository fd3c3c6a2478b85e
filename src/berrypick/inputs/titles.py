"""What topics are about, from a file or from the fields of a truth; and runs that name topics by that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike

from berrypick.core.errors import InputError, shorten
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.core.words import counted
from berrypick.formats.base import Problems
from berrypick.formats.io.files import content, file_name
from berrypick.formats.io.line_words import plain_title

#: Fields of topics that are titles where nothing else is said.
TITLE_FIELDS = ("question", "query", "user_input", "input", "title")


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
    fields = truth.fields
    return next((fields[name].values for name in TITLE_FIELDS if name in fields and fields[name].values), {})


@dataclass(frozen=True)
class Titles:
    """The topics of a truth by what they are about, for runs that have nothing but the text of a question."""

    topics: frozenset[str] = frozenset()
    #: Title to its topics.
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, truth: Truth) -> Titles:
        """Those of a truth."""
        named: dict[str, tuple[str, ...]] = {}
        for topic, title in titles_of(truth).items():
            named[plain_title(title)] = (*named.get(plain_title(title), ()), topic)
        return cls(frozenset(truth.topics), named) if named else cls()

    def matched(self, run: Run) -> Run:
        """A run with the names of topics where it has their titles; what could be two topics is refused."""
        if not self.named:
            return run
        found = {name: held for name in run.topics if (held := self.named.get(plain_title(name), ()))}
        changed = {name: self._topic(name, held, run) for name, held in found.items() if held != (name,)}
        if not changed:
            return run
        names = tuple(changed.get(name, name) for name in run.topics)
        for name, topic in changed.items():
            if names.count(topic) > 1:
                what = f"two topics are topic {topic} of the truth, one of them by its question"
                raise self._refused(run, what, name, "name each topic once")
        example = next(iter(changed))
        shown = f"{shorten(example, 60)!r} is {changed[example]}"
        note = f"{counted(len(changed), 'topic')} matched by the question ({shown})"
        traces = {changed.get(name, name): ids for name, ids in run.traces.items()}
        extra = {what: {changed.get(name, name): one for name, one in of.items()} for what, of in run.extra.items()}
        return run.changed(topics=names, traces=traces, extra=extra, notes=(*run.notes, note))

    def _topic(self, name: str, held: tuple[str, ...], run: Run) -> str:
        remedy = "name the topics of the run as the truth does"
        if name in self.topics:
            what = f"is the name of a topic, and the question of topic {next(one for one in held if one != name)}"
            raise self._refused(run, what, name, remedy)
        if len(held) > 1:
            raise self._refused(run, f"is the question of {len(held)} topics, {', '.join(held[:5])}", name, remedy)
        return held[0]

    @staticmethod
    def _refused(run: Run, what: str, name: str, remedy: str) -> InputError:
        return InputError(f"{shorten(name, 80)!r}: {what}", path=run.source or run.tag or None, remedy=remedy)
