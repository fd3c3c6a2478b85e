"""Track files: what an organiser fixes for all participants of a track, as TOML."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

from berrypick import formats
from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, UsageError, nearest, nesting_refused
from berrypick.documents.collection_files import is_index
from berrypick.evaluation.evaluation_context import read_collection
from berrypick.evaluation.protocols.base import get_protocol, get_task
from berrypick.evaluation.requested import resolve_measures
from berrypick.files.files import content, file_name, head, read_whole
from berrypick.files.line_words import finite
from berrypick.files.problems import Problems

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Seconds after which the pattern of tags is given up.
_PATIENCE = 2


@dataclass(frozen=True)
class Track:
    """A track: what runs must look like, and how they are scored.

    Attributes
    ----------
    name
        The name of the track.
    source
        The track file.
    topics
        Topic to title; None where the track lists none.
    documents
        Document to length, None for a length that is not known; None where the track lists no documents.
    collection
        The collection that evaluation needs, where all lengths or the structure are known.
    truth
        The file of judgements; empty before there are any.
    format
        The format of runs; empty to detect it.
    task
        The task of runs.
    protocol
        The campaign whose rules apply.
    measures
        The measures, the first of which orders the leaderboard; empty for those of the protocol and task.
    depth
        The most results per topic.
    runs_per_team
        The most runs of a team.
    tag
        The pattern of tags, with a group ``team``.
    all_topics
        Whether runs must have results for every topic.
    """

    name: str
    source: str = ""
    topics: Mapping[str, str] | None = None
    documents: Mapping[str, float | None] | None = field(default=None, repr=False)
    collection: Collection | None = field(default=None, repr=False)
    truth: str = ""
    format: str = ""
    task: str = ""
    protocol: str = ""
    measures: str = ""
    depth: int | None = None
    runs_per_team: int | None = None
    tag: str = ""
    all_topics: bool = False

    @cached_property
    def _pattern(self) -> Any:
        import regex

        return regex.compile(self.tag) if self.tag else None

    def team(self, tag: str) -> str | None:
        """Return the team of a run by its tag, None if the tag does not match; without a pattern each run is a team."""
        if self._pattern is None:
            return tag
        try:
            found = self._pattern.fullmatch(tag, timeout=_PATIENCE)
        except TimeoutError:
            what = f"the pattern of tags takes longer than {_PATIENCE} seconds for {tag!r:.60}"
            raise InputError(what, path=self.source, remedy="simplify it: avoid nested repetitions") from None
        return (found["team"] or None) if found else None

    @property
    def unchecked(self) -> list[str]:
        """What the track does not fix, so that nobody checks it."""
        missing = {"topics": self.topics, "collection": self.documents, "depth": self.depth, "tag": self.tag or None}
        return [key for key, value in missing.items() if value is None]


def read_track(path: str | PathLike[str]) -> Track:
    """Read a track file; paths in it are relative to its folder.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "track.toml")
    >>> with open(path, "w") as file:
    ...     _ = file.write('name = "Berries 2026"\\ndepth = 100\\n')
    >>> read_track(path).depth
    100
    """
    return _Parser(file_name(path)).track()


class _Parser:
    """The keys of one file, with the lines where they stand."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.text = read_whole(path).decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise InputError("is not UTF-8 text", path=path, line=line, remedy="save the file as UTF-8") from None
        self.keys = self._loaded()

    def _loaded(self) -> dict[str, Any]:
        with nesting_refused(self.path, "a track file has only top-level keys"):
            try:
                return tomllib.loads(self.text)
            except ValueError as error:  # not only of TOML: numbers with thousands of digits
                at = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
                what = str(error)[: at.start()] if at else str(error)
                line = None if at is None else int(at[1] or self.text.count("\n") + 1)
                shown = None if line is None else self.text.split("\n")[line - 1]
                remedy = "a line is key = value: put texts in quotes, but not numbers or true"
                raise InputError(f"is not TOML: {what}", path=self.path, line=line, text=shown, remedy=remedy) from None

    def line(self, key: str) -> int | None:
        """The line of a top-level key: the first that begins with it where what is above it is complete."""
        lines = self.text.split("\n")
        begins = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
        for number, text in enumerate(lines, start=1):
            if begins.match(text):
                try:
                    if key not in tomllib.loads("\n".join(lines[: number - 1])):
                        return number
                except ValueError:
                    continue  # inside a text of several lines
        return None

    def wrong(self, key: str, what: str, remedy: str = "") -> InputError:
        return InputError(f"{key} {what}", path=self.path, line=self.line(key), remedy=remedy)

    def track(self) -> Track:
        known = [name for name in Track.__dataclass_fields__ if name not in ("source", "documents")]
        for key in self.keys:
            if key not in known:
                offer = nearest(key, known) or f"; known keys: {', '.join(known)}"
                raise InputError(f"unknown key {key}{offer}", path=self.path, line=self.line(key))
        if "name" not in self.keys:
            raise InputError("has no name", path=self.path, remedy='add a line such as name = "Berries 2026"')
        given: dict[str, Any] = {key: getattr(self, f"_{key}")(key) for key in self.keys}
        track = Track(source=self.path, **given.pop("collection", {}), **given)
        if track.runs_per_team is not None and not track.tag:
            raise self.wrong("runs_per_team", "needs tag, which names the team of each run", _TAG)
        if track.all_topics and track.topics is None:
            raise self.wrong("all_topics", "needs topics", "list them, or name a file of lines topic TAB title")
        return track

    # one method per key

    def _text(self, key: str) -> str:
        value = self.keys[key]
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, f"must be a text, not {value!r:.60}")
        return value

    _name = _text

    def _measures(self, key: str) -> str:
        value = self.keys[key]
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            value = " ".join(value)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, f"must be a text or a list of texts, not {value!r:.60}", "e.g. 'charR@5 spanRR'")
        self._checked(key, lambda: resolve_measures(value))
        return value

    def _path(self, key: str) -> str:
        path = os.path.join(os.path.dirname(self.path), self._text(key))
        if "\0" in path or not os.path.exists(path):
            remedy = "paths are relative to the folder of the track file"
            raise self.wrong(key, f"names a file that does not exist: {path}", remedy)
        return path

    _truth = _path

    def _number(self, key: str) -> int:
        value = self.keys[key]
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(key, f"must be a whole number of at least 1, not {value!r:.60}")
        return value

    _depth = _runs_per_team = _number

    def _all_topics(self, key: str) -> bool:
        if not isinstance(self.keys[key], bool):
            raise self.wrong(key, f"must be true or false, not {self.keys[key]!r:.60}")
        return bool(self.keys[key])

    def _checked(self, key: str, check: Callable[[], Any]) -> str:
        """A text that names something known."""
        try:
            check()
        except UsageError as error:
            raise self.wrong(key, f"is wrong: {error}") from None
        return self._text(key) if isinstance(self.keys[key], str) else ""

    def _format(self, key: str) -> str:
        return self._checked(key, lambda: formats.by_name(self._text(key), "run"))

    def _task(self, key: str) -> str:
        return self._checked(key, lambda: get_task(self._text(key)))

    def _protocol(self, key: str) -> str:
        return self._checked(key, lambda: get_protocol(self._text(key)))

    def _tag(self, key: str) -> str:
        import regex

        try:
            pattern = regex.compile(self._text(key))
        except regex.error as error:
            raise self.wrong(key, f"is not a regular expression: {error}", _TAG) from None
        if "team" not in pattern.groupindex:
            raise self.wrong(key, "has no group team, which names the team of each run", _TAG)
        return self._text(key)

    def _topics(self, key: str) -> dict[str, str]:
        value = self.keys[key]
        if not isinstance(value, list):
            return read_topics(self._path(key))
        names = [str(one) if isinstance(one, int) and not isinstance(one, bool) else one for one in value]
        if not names or not all(isinstance(one, str) and one for one in names):
            raise self.wrong(key, "must be a file, or a list of names that are not empty")
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.wrong(key, f"lists {twice!r:.60} twice")
        return dict.fromkeys(names, "")

    def _collection(self, key: str) -> dict[str, Any]:
        path = self._path(key)
        if os.path.isdir(path) or is_index(path) or next(iter(head(path, 1)), "").startswith("{"):
            found = read_collection(path)
            return {"documents": found.lengths, "collection": found}
        lengths = read_documents(path)
        known = {name: length for name, length in lengths.items() if length is not None}
        complete = len(known) == len(lengths)
        return {"documents": lengths, "collection": Collection(known, path) if complete else None}


_TAG = "e.g. tag = '(?P<team>[a-z]+)-[0-9]'"


def read_topics(path: str) -> dict[str, str]:
    """A file of topics, ``topic TAB title``; the title may be missing."""
    found: dict[str, str] = {}
    for number, text in content(path, Problems(path)):
        name, tab, title = text.partition("\t")
        topic = name.strip()
        if not topic or (not tab and len(topic.split()) > 1):
            remedy = "a line is a topic, a TAB, and its title"
            raise InputError("has no topic before a TAB", path=path, line=number, text=text, remedy=remedy)
        if topic in found:
            raise InputError(f"topic {topic} is listed twice", path=path, line=number, text=text)
        found[topic] = title.strip()
    if not found:
        raise InputError("has no topics", path=path, remedy="a line is a topic, a TAB, and its title")
    return found


def read_documents(path: str) -> dict[str, float | None]:
    """A file of documents, ``doc`` or ``doc TAB length``."""
    found: dict[str, float | None] = {}
    for number, text in content(path, Problems(path)):
        name, tab, word = text.partition("\t")
        length = finite(word.strip()) if tab else None
        if not name or (tab and (length is None or length < 0)):
            remedy = "a line is a document, or a document, a TAB, and its length"
            raise InputError("is not a document with its length", path=path, line=number, text=text, remedy=remedy)
        if name in found:
            raise InputError(f"document {name} is listed twice", path=path, line=number, text=text)
        found[name] = length
    if not found:
        raise InputError("has no documents", path=path, remedy="a line is a document, a TAB, and its length")
    return found
