"""How people move between units: tables of reach or transition, tables of links, recorded sessions, a fitted reader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

#: In a session: the visitor went back to the page visited before.
BACK = "<"
#: At the end of a session: the recording stopped there, and how the visitor went on is not known.
CUT = "?"


@dataclass(frozen=True, eq=False)
class ReachTable:
    """``from to probability``: of reaching (user model table) or of the next step (user model markov)."""

    rows: Mapping[tuple[str, str], float] = field(repr=False)
    source: str = ""

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Every unit named, in file order."""
        return tuple(dict.fromkeys(unit for pair in self.rows for unit in pair))


@dataclass(frozen=True, eq=False)
class LinkTable:
    """``from to``: which page links to which; each pair counts once."""

    rows: Mapping[tuple[str, str], None] = field(repr=False)
    source: str = ""
    #: What the reader skipped, merged or assumed, and how often.
    skipped: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def units(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(unit for pair in self.rows for unit in pair))


@dataclass(frozen=True, eq=False)
class Sessions:
    """Visited paths, one per session; :data:`BACK` is a return to the page before, :data:`CUT` an unknown end."""

    paths: tuple[tuple[str, ...], ...] = field(repr=False)
    source: str = ""

    @cached_property
    def units(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(unit for path in self.paths for unit in path if unit not in (BACK, CUT)))


Navigation = ReachTable | LinkTable | Sessions


#: The version of the file's content.
FITTED_VERSION = 1


@dataclass(frozen=True, eq=False)
class FittedReader:
    """The content of the file: the user model as text, its parameters with intervals, data, split, checks.

    A chain has ``transitions`` besides: from, to, probability, the ends of its interval, how often it was seen.
    """

    content: Mapping[str, Any]
    source: str = ""

    @property
    def user(self) -> str:
        """The text of the user model."""
        text: str = self.content["user"]
        return text

    @cached_property
    def transitions(self) -> ReachTable | None:
        """The chain, where the user model is one."""
        rows = self.content.get("transitions")
        if rows is None:
            return None
        return ReachTable({(row[0], row[1]): row[2] for row in rows}, self.source or "the fitted user model")

    @property
    def checksum(self) -> str:
        return content_checksum(self.content)


def content_checksum(content: Mapping[str, Any]) -> str:
    """A short name for everything in the file but itself; the same whenever and wherever it is written."""
    import hashlib  # loads OpenSSL

    rest = {key: value for key, value in content.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
