"""Nuggets with their importance, and what an answer says of each, as the AutoNuggetizer writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TextIO

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.origin import Origin
from berrypick.data.run import Run
from berrypick.data.truth import TopicFields, TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Fields, records, write_lines

#: Under which nuggets lie beside a topic, in truths and in runs.
NUGGETS = "nuggets"
IMPORTANCES = ("vital", "okay")
ASSIGNMENTS = ("support", "partial_support", "not_support")
#: What is said of labels that are none of these.
_NO_IMPORTANCE = "importances other than vital and okay, which count for of='all' alone"
_NO_ASSIGNMENT = "assignments other than support, partial_support and not_support, which count as 0"
_ONCE = "a topic has one line: give its nuggets there"


@dataclass(frozen=True)
class Nugget:
    """A fact that an answer is to state."""

    text: str
    importance: str


@dataclass(frozen=True)
class Assigned:
    """What an answer says of a nugget."""

    text: str
    assignment: str


def numbered(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Return each text with how often it stood there before, so that copies are told apart."""
    seen: Counter[str] = Counter()
    found = []
    for text in texts:
        found.append((text, seen[text]))
        seen[text] += 1
    return found


class NuggetTruth(Format):
    """Nuggets with their importance, one JSON object a topic: ``qid`` and ``nuggets`` with ``text`` and ``importance``.

    ``importance`` is vital or okay; other labels are counted and named, and count for ``Nuggets(of='all')`` alone. A
    file of assignments serves as truth and as run: the truth reads ``importance``, the run ``assignment``. ``query`` is
    the title of the topic.

    Sample::

        {"qid": "1", "query": "Are berries sweet?", "nuggets": [{"text": "Ripe ones are", "importance": "vital"}]}
        {"qid": "2", "query": "Do hedges grow?", "nuggets": [{"text": "In spring", "importance": "okay"}]}
    """

    format_name: ClassVar[str] = "nuggets"
    role: ClassVar[Role] = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"importance"',)
    shape: ClassVar[str] = '{"qid": "1", "nuggets": [{"text": "Ripe berries are sweet", "importance": "vital"}]}'
    json_names: ClassVar[tuple[str, ...]] = ("qid", "query", "nuggets", "importance")
    holds_empty_topics: ClassVar[bool] = True
    default_measures: ClassVar[str] = "Nuggets Nuggets(strict=True) Nuggets(of='weighted') Nuggets(of='all')"
    holds: ClassVar[frozenset[str]] = frozenset({NUGGETS})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines[0]) and '"importance"' in lines[0]

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        topics: dict[str, TopicTruth] = {}
        titles = TopicFields(questions=("question",))
        for fields, topic in _topics(path, problems):
            found = tuple(
                Nugget(text, label) for text, label in _labelled(fields, "importance", IMPORTANCES, _NO_IMPORTANCE)
            )
            if fields.good:
                titles.add(topic, {"question": fields.value.get("query")}, f"{path}:{fields.number}")
                topics[topic] = TopicTruth(topic, (), np.zeros(0), extra={NUGGETS: found})
        return Truth("documents", topics, Origin(path, cls.format_name), fields=titles.found())

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        bare = next((name for name, topic in value.topics.items() if NUGGETS not in topic.extra or len(topic)), None)
        return "" if bare is None else f"topic {bare} has judged units, or no nuggets"

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_lines(_truth_lines(value), out)

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        found = Counter(one.importance for topic in value.topics.values() for one in topic.extra[NUGGETS])
        counts = [f"{found[label]} {label}" for label in IMPORTANCES]
        return [counted(len(value), "topic"), counted(found.total(), "nugget"), *counts]


class NuggetRun(Format):
    """What a run says of nuggets, one JSON object a topic: ``qid`` and ``nuggets`` with ``text`` and ``assignment``.

    ``assignment`` is support, partial_support or not_support, as an assessor or a language model judged the answer;
    other labels are counted and named, and count as not supported. Nuggets are those of the truth by their text, copies
    of a text by their order. ``run_id`` names the run.

    Sample::

        {"qid": "1", "run_id": "mine", "nuggets": [{"text": "Ripe ones are", "assignment": "support"}]}
        {"qid": "2", "run_id": "mine", "nuggets": [{"text": "In spring", "assignment": "not_support"}]}
    """

    format_name: ClassVar[str] = "nuggets-run"
    role: ClassVar[Role] = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"assignment"',)
    shape: ClassVar[str] = '{"qid": "1", "nuggets": [{"text": "Ripe berries are sweet", "assignment": "support"}]}'
    json_names: ClassVar[tuple[str, ...]] = ("qid", "query", "run_id", "nuggets", "assignment")
    holds_empty_topics: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({NUGGETS})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines[0]) and '"assignment"' in lines[0]

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        topics: dict[str, tuple[Assigned, ...]] = {}
        tag = ""
        for fields, topic in _topics(path, problems):
            own = fields.value.get("run_id")
            if topics and isinstance(own, str) and own != tag:
                fields.fail(f"run {own} after run {tag or 'without a name'}", "give every run a file of its own")
            found = tuple(
                Assigned(text, label) for text, label in _labelled(fields, "assignment", ASSIGNMENTS, _NO_ASSIGNMENT)
            )
            if fields.good:
                tag = own if isinstance(own, str) else tag
                topics[topic] = found
        empty = assemble(tag=tag, topic=[], document=[], source=path, format=cls.format_name)
        return empty.with_empty(topics).changed(extra={NUGGETS: topics})

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Run):
            return "it is not a run"
        if value.size():
            return "it has results"
        said = value.of_topics.extra.get(NUGGETS, {})
        bare = next((topic for topic in value.topics if topic not in said), None)
        return "" if bare is None and said else "it has no nuggets" + (f" in topic {bare}" if said else "")

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_lines(_run_lines(value), out)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        found = Counter(one.assignment for held in value.of_topics.extra[NUGGETS].values() for one in held)
        counts = [f"{found[label]} {label}" for label in ASSIGNMENTS]
        tag = [f"tag {value.tag}"] if value.tag else []
        return [counted(len(value.topics), "topic"), counted(found.total(), "nugget"), *counts, *tag]


def _looks(line: str) -> bool:
    return line.lstrip().startswith("{") and {"qid", "nuggets"} <= set(line_names(line))


def _topics(path: str, problems: Problems) -> Iterator[tuple[Fields, str]]:
    """Every line with its topic, each of which has one line."""
    seen: dict[str, int] = {}
    for number, text, value in records(path, problems):
        fields = Fields(number, text, value, problems)
        topic = fields.name("qid")
        if topic in seen and fields.good:
            fields.fail(f"topic {topic} is also in line {seen[topic]}", _ONCE)
        seen.setdefault(topic, number)
        if fields.good:
            yield fields, topic


def _labelled(fields: Fields, name: str, known: Sequence[str], foreign: str) -> Iterator[tuple[str, str]]:
    """The texts of nuggets with one of their labels; those outside the vocabulary are counted."""
    held = fields.value.get("nuggets")
    if not isinstance(held, list) or not all(isinstance(one, dict) for one in held):
        fields.fail("nuggets must be a list of objects")
        return
    for place, nugget in enumerate(held, start=1):
        text, label = nugget.get("text"), nugget.get(name)
        if not isinstance(text, str) or not text.strip():
            fields.fail(f"nugget {place} has no text")
        elif not isinstance(label, str):
            fields.fail(f"nugget {place} has no {name}", f"{name} is one of {', '.join(known)}")
        else:
            if label not in known:
                fields.problems.label(foreign, label, fields.number)
            yield text, label


def _truth_lines(value: Truth) -> Iterator[dict[str, Any]]:
    titles = value.fields["question"].values if "question" in value.fields else {}
    for name, topic in value.topics.items():
        title = {"query": titles[name]} if name in titles else {}
        nuggets = [{"text": one.text, "importance": one.importance} for one in topic.extra[NUGGETS]]
        yield {"qid": name, **title, "nuggets": nuggets}


def _run_lines(value: Run) -> Iterator[dict[str, Any]]:
    tag = {"run_id": value.tag} if value.tag else {}
    for topic in value.topics:
        nuggets = [{"text": one.text, "assignment": one.assignment} for one in value.of_topics.extra[NUGGETS][topic]]
        yield {"qid": topic, **tag, "nuggets": nuggets}
