"""Problems found in a file: raised at the first one, or collected for ``check``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from berrypick.data.errors import InputError

#: So many labels outside the vocabulary are named in a count of them.
_NAMED = 3


@dataclass
class Problems:
    """Problems that a reader reports. Strict: the first one is raised. Otherwise they are collected, up to a limit."""

    path: str
    strict: bool = True
    limit: int = 1000
    found: list[InputError] = field(default_factory=list)
    #: What a reader skipped or met by design, to be shown as counts.
    counts: dict[str, int] = field(default_factory=dict)
    #: Labels outside the vocabulary of a format: by what was said of them, each with its lines.
    foreign: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def report(
        self, what: str, line: int | None = None, text: str | None = None, remedy: str = "", rule: str = ""
    ) -> None:
        error = InputError(what, path=self.path, line=line, text=text, remedy=remedy, rule=rule)
        if self.strict:
            raise error
        if len(self.found) < self.limit:
            self.found.append(error)

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by

    def label(self, what: str, label: Any, line: int) -> None:
        """Count a label outside the vocabulary, under its name; ``what`` says which it is, and what it counts as."""
        self.foreign.setdefault(what, {}).setdefault(repr(label)[:60], []).append(line)

    def told(self) -> dict[str, int]:
        """Return the counts, those of labels outside the vocabulary with the names of the most frequent ones."""
        found = dict(self.counts)
        for what, labels in self.foreign.items():
            named = sorted(labels, key=lambda label: -len(labels[label]))
            more = f", {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            found[f"{what} ({', '.join(named[:_NAMED])}{more})"] = sum(map(len, labels.values()))
        return found

    def first_lines(self) -> dict[str, int]:
        """Return every label outside the vocabulary with the line where it first stands."""
        every = ((what, label, lines) for what, of in self.foreign.items() for label, lines in of.items())
        return {f"{what}: {label}": lines[0] for what, label, lines in every}
