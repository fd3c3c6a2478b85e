"""Campaigns' own rules: which measures a task reports, what its runs must satisfy, and where its program differs.

A protocol never changes a measure silently: it is chosen by name and part of every signature.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from berrypick.data.errors import InputError, UsageError, nearest, option
from berrypick.data.run import Run
from berrypick.registry.definitions import Room
from berrypick.registry.registry import Registry


@dataclass(frozen=True)
class Task:
    """A task of campaigns: what it reports where no campaign is named, and what its runs must satisfy."""

    name: str
    measures: str
    #: Names of :data:`~berrypick.evaluation.run_rules.RUN_RULES`, and the repair for runs that break them.
    rules: tuple[str, ...] = ()
    repair: str = ""
    #: Other names that files have for lists of this kind.
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """A campaign: the measures of its tasks, and whether topics that a run does not answer count."""

    name: str
    what: str
    measures: dict[str, str]
    topics: Literal["judged", "run"] = "judged"
    longest: int | None = None
    ignore_elements: tuple[str, ...] = ()
    #: What is reported where neither a task nor a measure is named.
    default: str = ""
    #: Where its program counts otherwise: names of :data:`RULES`, which measures ask for.
    rules: frozenset[str] = frozenset()
    #: The tasks that it brings, by which any evaluation can be made.
    tasks: tuple[Task, ...] = ()
    #: A new version for every change of the rules, so that numbers of two versions are not compared.
    version: str = "1"

    @cached_property
    def checksum(self) -> str:
        """The first 12 hexadecimal digits of SHA-256 over the canonical JSON of the rules."""
        import hashlib

        return hashlib.sha256(self.canonical().encode()).hexdigest()[:12]

    def canonical(self) -> str:
        """Return the rules as canonical JSON: sorted keys, no blanks; all fields but name, description and version."""
        import json

        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _NOT_RULES}
        own["tasks"] = {task.name: {one.name: getattr(task, one.name) for one in fields(task)} for task in self.tasks}
        return json.dumps(_plain(own), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def signed(self) -> list[tuple[str, str]]:
        """What signatures state beside the name; nothing for berrypick's own rules."""
        return [("protocol-version", self.version), ("protocol-sum", self.checksum)] if self.name else []


#: What describes a protocol and does not change a number.
_NOT_RULES = ("name", "what", "version")


def _plain(value: Any) -> Any:
    """A value of JSON; sets in the order of their members, which differs between processes otherwise."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str):
        return [_plain(one) for one in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
    return value


#: Where programs of campaigns count otherwise than the papers say.
RULES = {
    "empty-is-zero": "topics without relevant text score 0",
    "last-rank-repeats": "ranks behind the end of a list have the precision of the last one",
    "charge-in-full": "articles without relevant text are charged in full each time, passages without a place never",
    "beta-1": "text of articles is scored by F with beta 1",
    "segments-again": "results that lead to one segment count again",
    "count-each": "lengths of results are added up, whatever overlaps",
    "count-pairs": "what results and targets have in common is added up pair by pair",
    "empty-is-one": "the precision of an empty list is 1",
    "no-evidence-is-found": "topics without evidence count as found, unless they have no answer",
    "iou-above": "a result matches a target if their intersection over union is above the threshold, not at it",
    "unhittable-is-missed": "topics with nothing that a result could match count as missed",
}


#: Where no campaign is named.
OWN = Protocol("", "no campaign: berrypick's own rules", {})


def _not_a_protocol(value: object) -> str:
    if not isinstance(value, Protocol):
        return "it is not a value of berrypick.evaluation.protocols.base.Protocol"
    if not isinstance(value.version, str) or not re.fullmatch(r"[\w.+-]+", value.version):
        return f"its version is a text such as '1' or '2026.1', not {value.version!r:.40}"
    unknown = next(iter(sorted(value.rules - RULES.keys())), "")
    if unknown:
        return f"it has no rule {unknown!r:.40}{nearest(unknown, list(RULES))}"
    from berrypick.evaluation.run_rules import REPAIRS, RUN_RULES

    for task in value.tasks:
        for name, known in [*((rule, list(RUN_RULES)) for rule in task.rules), (task.repair, ["", *REPAIRS])]:
            if name not in known:
                return f"its task {task.name} has no rule or repair {name!r:.40}{nearest(name, known)}"
    return ""


#: Protocols of campaigns and of other packages.
protocols: Registry[Protocol] = Registry(
    "protocols",
    "protocol",
    Room(
        "berrypick.evaluation.protocols",
        Path(__file__).parent,
        re.compile(r"^(?P<attribute>[a-z]\w*) = (?:Protocol|replace)\(", re.MULTILINE),
    ),
    _not_a_protocol,
    name_of=lambda one: one.attribute.replace("_", "-"),
)


def get_protocol(name: str | None) -> Protocol:
    """Return a protocol by its name; berrypick's own rules without one."""
    if not name:
        return OWN
    found = protocols.find(name)
    if found is None:
        known = protocols.names()
        raise UsageError(f"unknown protocol {name}{nearest(name, known) or '; available: ' + ', '.join(known)}")
    return found


def known_tasks() -> dict[str, Task]:
    """Return the tasks of all protocols, by name."""
    return {task.name: task for protocol in protocols for task in protocol.tasks}


def check_task_name(name: str | None) -> str:
    """Return the name of a task, '' for none; an error if there is no such task."""
    return get_task(name).name if name else ""


def get_task(name: str) -> Task:
    """Return a task by its name."""
    known = known_tasks()
    if name not in known:
        offer = f"; available: {', '.join(known)}"
        raise UsageError(f"unknown task {name}{nearest(name, list(known)) or offer}")
    return known[name]


#: For calls and commands without measures.
NO_MEASURES = (
    f"no measures: name some, e.g. {option('measures', 'EPRUM', flag='m')}, or an INEX task with {option('task')}"
)


def measures_of(protocol: Protocol, task: str) -> str:
    """The measures that a task reports."""
    found = protocol.measures.get(task) if task else protocol.default
    if task and protocol is OWN:
        found = get_task(task).measures
    if not found:
        raise UsageError(
            (f"protocol {protocol.name} has no task {task}; " if task else "")
            + f"give measures with {option('measures', flag='m')}"
        )
    return found


def check_task(run: Run, task: str) -> None:
    """Refuse a run that was made for another task, or breaks the rules of this one, with the lines that break it."""
    wanted = get_task(task)
    if run.ordering.task and run.ordering.task not in (task, *wanted.also):
        asked = [name for name, one in known_tasks().items() if run.ordering.task in (name, *one.also)]
        evaluate = f"evaluate it with {option('task', asked[0])}, or " if asked else ""
        raise InputError(
            f"the run is for task {run.ordering.task}, not {task}",
            path=run.source or run.tag,
            remedy=f"{evaluate}correct the task in the file",
        )
    from berrypick.evaluation.run_rules import RUN_RULES, line_of

    for topic, ranking in run.rankings():
        for rule in wanted.rules:
            pair = RUN_RULES[rule](ranking)
            if pair is not None:
                what, later, earlier = pair
                raise InputError(
                    f"{what} in topic {topic}, which the task {task} does not allow: "
                    f"{ranking.name(later)} after {ranking.name(earlier)} (line {line_of(ranking, earlier)})",
                    path=run.source or run.tag,
                    line=line_of(ranking, later),
                    remedy=f"fix with {option('repair', wanted.repair)}, or omit {option('task')}",
                )
