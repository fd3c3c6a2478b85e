"""Files that are one JSON value: reading them, and the lines where things stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from berrypick.data.errors import TOO_DEEP
from berrypick.files.files import read_whole
from berrypick.files.limits import json_cost
from berrypick.files.problems import Problems
from berrypick.files.strict_json import RepeatedName, strict_json


class JsonSource:
    """The text of a file, read from start to end along with its value, so that problems have a line."""

    def __init__(self, text: str = "") -> None:
        self.text, self._at, self.line = text, 0, 1
        self._ascii = False  # whether the last string that was found has its letters escaped
        #: Characters that may be searched in vain: each vain search goes to the end of the file.
        self._left = 8 * len(text)

    def line_of(self, word: Any, name: str = "") -> int:
        """The line of the next place of a string that the value has next; that of the last one if it is not found.
        A whole number is looked for as what this name has."""
        found = -1
        if isinstance(word, str):
            for ascii_only in (self._ascii, not self._ascii):
                if found < 0 and not (word.isascii() and ascii_only != self._ascii):  # else both forms are the same
                    found = self._find(json.dumps(word, ensure_ascii=ascii_only))
                    self._ascii = ascii_only if found >= 0 else self._ascii
        elif type(word) is int:
            found = self._find(re.compile(rf"{re.escape(json.dumps(name))}\s*:\s*{word}(?![\d.eE])"))
        if found >= 0:
            self.line += self.text.count("\n", self._at, found)
            self._at = found
        return self.line

    def line_of_object(self, value: Any) -> int:
        """The line of an object that the value has next: that of its first text."""
        texts = value.values() if isinstance(value, Mapping) else ()
        word = next((one for one in texts if isinstance(one, str) and one), None)
        if word is None:
            return self.line
        line = self.line_of(word)
        self.skip()  # the next object may begin with the same text
        return line

    def _find(self, wanted: str | re.Pattern[str]) -> int:
        if self._left < 0:
            return -1
        if isinstance(wanted, str):
            found = self.text.find(wanted, self._at)
        else:
            match = wanted.search(self.text, self._at)
            found = match.start() if match else -1
        if found < 0:
            self._left -= len(self.text) - self._at
        return found

    def skip(self) -> None:
        """Past the word that was found last."""
        self._at += 1


def load(path: str, problems: Problems) -> tuple[Any, JsonSource]:
    """The value of a JSON file, None and a reported problem if it is none."""
    return _loaded(read_whole(path, json_cost), problems)


def load_each(path: str, problems: Problems) -> Iterator[tuple[int, Any]]:
    """The values of a file with JSON objects one after the other, each on lines of its own, with their lines."""
    line = 1
    for raw in _BETWEEN.split(read_whole(path, json_cost)):
        value, _ = _loaded(raw, problems, line - 1)
        if value is not None:
            yield line, value
        line += raw.count(b"\n") + 1


#: Between two objects; inside of one, a comma would be there.
_BETWEEN = re.compile(rb"(?<=\})[ \t\r]*\n(?=\s*\{)")


def _loaded(raw: bytes, problems: Problems, before: int = 0) -> tuple[Any, JsonSource]:
    """The value of JSON text after so many lines."""
    try:
        text = raw.decode("utf-8-sig")
        value = strict_json(text)
        if value is None:
            problems.report("is null", before + 1)
        return value, JsonSource(text)
    except json.JSONDecodeError as error:
        problems.report(f"is not JSON ({error.msg})", before + error.lineno, remedy="the file is one JSON value")
    except UnicodeDecodeError as error:
        line = before + raw.count(b"\n", 0, error.start) + 1
        problems.report("is not UTF-8 text", line, remedy="save the file as UTF-8")
    except RecursionError:
        problems.report(TOO_DEEP, before + 1)
    except RepeatedName as error:
        problems.report(str(error), before + error.line, remedy=error.remedy)
    except ValueError as error:
        problems.report(f"is not JSON ({error})", before + 1)
    return None, JsonSource()


def objects(value: Any, what: str, source: JsonSource, problems: Problems) -> Iterator[dict[str, Any]]:
    """The objects of a list; anything else is reported."""
    if not isinstance(value, list):
        problems.report(f"{what} must be a list", source.line)
        return
    for one in value:
        if isinstance(one, dict):
            yield one
        else:
            problems.report(f"{what} must be a list of objects", source.line, repr(one)[:80])


def starts_object(lines: list[str], *names: str) -> bool:
    """Whether the first lines of a file begin a JSON object and have these names."""
    text = "\n".join(lines).lstrip("\ufeff \t\n")
    return text.startswith("{") and all(f'"{name}"' in text for name in names)


_EMPTY_ENTRY = r'"(?:[^"\\]|\\.)*"\s*:\s*(?:\[\s*\]|\{\s*\})'
_EMPTY_ENTRIES = re.compile(rf"(\{{\s*){_EMPTY_ENTRY}\s*(?:,\s*{_EMPTY_ENTRY}\s*)*(,\s*)?")


def from_first_filled(text: str) -> str:
    """The beginning of an object of topics without the empty lists and objects that it begins with: what follows says
    what kind of results it holds."""
    return _EMPTY_ENTRIES.sub(r"\1", text, count=1) if _EMPTY_ENTRIES.match(text) else text


def holds_only_empty(text: str) -> bool:
    """Whether a text is an object of topics, each with an empty list or object."""
    found = _EMPTY_ENTRIES.match(text)
    return found is not None and found[2] is None and text[found.end() :].strip() == "}"
