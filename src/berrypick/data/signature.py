"""Signatures: how a number was computed, and in which parts signatures differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from berrypick.data.sums import SUMS, Fields


class Signature:
    """How a number was computed: the measure, every parameter and option that it depends on, and sums of the truth.

    Attributes
    ----------
    measure
        The measure in its canonical form.
    fields
        Pairs of name and value.
    sums
        Checksums of the truth, or a function that returns them; they come before the last field, the version.

    Examples
    --------
    >>> import berrypick as bp
    >>> str(bp.Signature("RR", (("rel", "1"), ("topics", "judged"))))
    'RR|rel:1|topics:judged'
    """

    __slots__ = ("_own", "_sums", "measure")

    def __init__(self, measure: str, fields: Fields = (), sums: Fields | Callable[[], Fields] = ()) -> None:
        """``sums`` are checksums of the truth, or a function that returns them; they come before the last field, which
        is the version."""
        self.measure, self._own, self._sums = measure, fields, sums

    @property
    def fields(self) -> Fields:
        """Pairs of name and value."""
        if callable(sums := self._sums):
            self._sums = sums = sums()  # and the truth is not kept any longer
        return (*self._own[:-1], *sums, *self._own[-1:])

    def with_fields(self, *more: tuple[str, str]) -> Signature:
        """Return the same with more fields, before the sums of the truth and the version."""
        return Signature(self.measure, (*self._own[:-1], *more, *self._own[-1:]), self._sums)

    def with_sums(self, sums: Fields | Callable[[], Fields]) -> Signature:
        """Return the same with these sums of the truth; a function is called when they are looked at."""
        return Signature(self.measure, self._own, sums)

    def __str__(self) -> str:
        return "|".join([self.measure, *(f"{key}:{value}" for key, value in self.fields)])

    def __repr__(self) -> str:
        return f"Signature({self.measure!r}, {self.fields!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signature):
            return NotImplemented
        return (self.measure, self.fields) == (other.measure, other.fields)

    def __hash__(self) -> int:
        return hash((self.measure, self.fields))

    def __reduce__(self) -> tuple[type[Signature], tuple[str, Fields]]:
        """Sent to another process without the truth that sums are of."""
        return Signature, (self.measure, self.fields)

    def __getitem__(self, key: str) -> str:
        return dict(self.fields)[key]

    def get(self, key: str, default: str = "") -> str:
        """Return the value of a field, or a default."""
        known = self.fields if key in SUMS else self._own
        return dict(known).get(key, default)

    def parts(self, key: str) -> list[str]:
        """Return the values of a field that has several, joined by +; none where it has none."""
        return [value for value in self.get(key).split("+") if value]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature from a results file."""
        measure, *parts = text.split("|")
        fields = [(key, value) for key, _, value in (part.partition(":") for part in parts)]
        sums = tuple(field for field in fields if field[0] in SUMS)
        return cls(measure, tuple(field for field in fields if field[0] not in SUMS), sums)


#: Parts that are stated where a value was computed from them; who does not state one says that it was not, or is older.
OBSERVED = ("user", "idealism", "effort", "lengths", "sizes", "quant", "tokenizer", "missing")


def unlike(signatures: Sequence[Signature]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the parts in which signatures differ, and those that only some state, which is no difference.

    Sums of the truth are left out: whoever compares numbers of two truths is told so apart.
    """
    counts = Counter(part for one in signatures for part in {("", one.measure), *one.fields} if part[0] not in SUMS)
    parts = {part for part, count in counts.items() if count < len(signatures)}
    keys = Counter(key for key, _ in parts)
    some = {(key, value) for key, value in parts if key in OBSERVED and keys[key] == 1}
    return parts - some, some
