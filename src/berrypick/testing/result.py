"""What came of trying laws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from berrypick.data.errors import shorten
from berrypick.data.laws import LAWS
from berrypick.data.results import Note
from berrypick.data.score import Table
from berrypick.tables.tabular import Tabular

#: Rows of a smallest case that a sentence names.
SHOWN = 6


@dataclass(frozen=True)
class BrokenLaw:
    """A law that a measure declares and breaks, with the smallest variant that was found to break it."""

    measure: str
    law: str
    run: str
    topic: str
    #: What was changed, and the values before and after it.
    what: str
    value: float | None
    changed: float | None
    #: Where the variant ended in an error instead of a value.
    error: str = ""
    #: The smallest case: what is judged for the topic, and what is retrieved.
    truth: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One sentence with both values."""
        after = f"the error '{shorten(self.error)}'" if self.error else _shown(self.changed)
        where = f"topic {self.topic}" + (f" of {self.run}" if self.run else "")
        return shorten(
            f"{self.measure} breaks {self.law}: {where}, {_shown(self.value)} becomes {after} ({self.what}); "
            f"smallest case: truth {_some(self.truth)}; run {_some(self.results)}",
            1000,
        )


@dataclass(frozen=True)
class LawRow:
    """One law of one measure."""

    measure: str
    law: str
    variants: int = 0
    #: Why there was no variant; '' if there was any.
    idle: str = ""
    broken: BrokenLaw | None = None

    @property
    def found(self) -> str:
        """In a word."""
        return "broken" if self.broken else f"not tried: {self.idle}" if not self.variants else "holds"


@dataclass(frozen=True, eq=False)
class Laws(Tabular):
    """The laws that measures declare, tested on variants of a truth and runs.

    Attributes
    ----------
    laws
        Rows with measure, law and number of variants.
    seed
        The random seed of the variants.
    notes
        Notes for the user.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.laws({"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "a": 2}}, "RR", only="score-scale", variants=2)
    >>> isinstance(found, bp.Laws), found.line
    (True, '1 law, 2 variants, 0 broken')
    """

    laws: tuple[LawRow, ...]
    seed: int = 0
    notes: tuple[Note, ...] = field(default=())

    @property
    def tried(self) -> tuple[LawRow, ...]:
        """Return the laws of which there were variants."""
        return tuple(row for row in self.laws if row.variants)

    @property
    def not_tried(self) -> tuple[LawRow, ...]:
        """Return the laws that these files have no variants for."""
        return tuple(row for row in self.laws if not row.variants)

    @property
    def broken(self) -> tuple[BrokenLaw, ...]:
        """Return the laws that do not hold, each with the smallest variant that breaks it."""
        return tuple(row.broken for row in self.laws if row.broken is not None)

    @property
    def line(self) -> str:
        """Return the result in one line."""
        laws, variants = len(self.tried), sum(row.variants for row in self.laws)
        return (
            f"{laws:,} law{'s' * (laws != 1)}, {variants:,} variant{'s' * (variants != 1)}, {len(self.broken)} broken"
        )

    def __repr__(self) -> str:
        return f"Laws({self.line})"

    def records(self) -> list[dict[str, Any]]:
        found = []
        for row in self.laws:
            record: dict[str, Any] = {"measure": row.measure, "law": row.law, "variants": row.variants}
            record |= {"found": "not tried" if not row.variants else row.found, "why": row.idle, "seed": self.seed}
            if row.broken is not None:
                one = row.broken
                record |= {"run": one.run, "topic": one.topic, "what": one.what, "value": one.value}
                record |= {"changed": one.changed, "error": one.error}
                record |= {"truth": list(one.truth), "results": list(one.results)}
            found.append(record)
        return found

    def rows(self) -> list[dict[str, Any]]:
        columns = ("measure", "law", "variants", "found", "why", "run", "topic", "what", "value", "changed", "error")
        return [{name: record.get(name) for name in columns} for record in self.records()]

    def tables(self, places: int = 4) -> list[Table]:
        rows = [[row.measure, row.law, f"{row.variants:,}", row.found] for row in self.laws]
        return [Table("", ["measure", "law", "variants", "found"], rows, align="<<><")]

    def legend(self) -> list[str]:
        names = dict.fromkeys(row.law for row in self.laws if row.broken)
        said = [f"{name}: the value {LAWS[name]}." for name in names]
        return [*map(str, self.broken), *said, self.line]


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.12g}"


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) or "nothing") + more
