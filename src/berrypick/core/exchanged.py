"""What a truth and a run share: they are looked up by topic, and give themselves back as other libraries want them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from os import PathLike
from typing import Any

from berrypick.core.arrow import Frames, columns_of
from berrypick.core.errors import BerrypickWarning, nearest
from berrypick.core.words import counted


class Exchanged(Frames):
    """A truth or a run, by topic; subclasses have the topics and the records."""

    def __iter__(self) -> Iterator[str]:
        """Go through the topics."""
        raise NotImplementedError

    def _topic(self, topic: str) -> Any:
        raise NotImplementedError

    def to_records(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def __getitem__(self, topic: object) -> Any:
        name = str(topic)
        if name not in self:
            known = list(self)
            offer = nearest(name, known) or f"; it has {', '.join(known[:8])}{' ..' * (len(known) > 8)}"
            raise KeyError(f"no topic {name!r}{offer}")
        return self._topic(name)

    def __contains__(self, topic: object) -> bool:
        raise NotImplementedError

    def keys(self) -> list[str]:
        """Return the topics."""
        return list(self)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Go through the topics with what each has."""
        for topic in self:
            yield topic, self._topic(topic)

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Write a file, atomically; the format follows from how its name ends unless given. See :func:`write`."""
        from berrypick import formats

        formats.write(self, path, format)

    def _columns(self) -> dict[str, list[Any]]:
        """A table has no row for a topic without results and for a checksum; that there are some is a warning."""
        records = self.to_records()
        rows = [_row(record) for record in records if "topic" in record and "results" not in record]
        if left_out := len(records) - len(rows):
            text = f"{counted(left_out, 'record')} without a row: topics without results, or checksums"
            warnings.warn(f"{text}; to_records() has them", BerrypickWarning, stacklevel=3)
        return columns_of(rows)


def _row(record: dict[str, Any]) -> dict[str, Any]:
    """In a table None says nothing: a topic without an answer is said by a flag."""
    if "doc" in record or record.get("answer", "") is not None:
        return record
    return {**{name: value for name, value in record.items() if name != "answer"}, "is_impossible": True}
