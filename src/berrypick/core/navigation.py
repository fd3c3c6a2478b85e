"""How people move between units: tables of reach or transition, tables of links, recorded sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

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
