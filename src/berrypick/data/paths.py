"""Element paths: /article[1]/bdy[1]/sec[2]."""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from functools import lru_cache

_STEP = r"/[^/\[\]\s()]+(?:\[[1-9][0-9]{0,14}\])?"
_PATH = re.compile(rf"(?:{_STEP})+/?\Z")


def is_path(text: str) -> bool:
    return _PATH.match(text) is not None


@lru_cache(maxsize=1 << 16)
def normal(path: str) -> str:
    """Every step with its number, no slash at the end: /article/bdy[1]/ becomes /article[1]/bdy[1]."""
    return "".join(step if step.endswith("]") else f"{step}[1]" for step in re.findall(_STEP, path))


def parent(path: str) -> str:
    """The path without its last step; empty for the root."""
    return path.rpartition("/")[0]


def ancestors(path: str) -> list[str]:
    """The paths of the elements around this one, the root first, itself left out."""
    steps = path.split("/")[1:]
    return ["/" + "/".join(steps[:i]) for i in range(1, len(steps))]


def contains(outer: str, inner: str) -> bool:
    """Whether ``outer`` is ``inner`` or an ancestor of it."""
    return inner == outer or inner.startswith(outer + "/")


def nested(one: str, other: str) -> bool:
    """Whether the two elements overlap: one is the other, or contains it."""
    return contains(one, other) or contains(other, one)


def matches(name: str, patterns: Collection[str]) -> bool:
    """Whether an element name is among some names, of which ``*link`` means every name that ends so."""
    return name in patterns or any("*" in one and fnmatchcase(name, one) for one in patterns)


def element_name(path: str) -> str:
    """The tag of the last step."""
    return path.rpartition("/")[2].partition("[")[0]
