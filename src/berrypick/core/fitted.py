"""A user model whose parameters were estimated from a log, as ``berrypick fit`` writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from berrypick.core.navigation import ReachTable

#: The version of the file's content.
VERSION = 1


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
