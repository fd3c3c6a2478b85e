"""What the scorer of FEVER computes."""

from __future__ import annotations

from berrypick.evaluation.protocols.base import Protocol

fever = Protocol(
    "fever",
    "the scorer of FEVER: precision of the first five sentences, 1 where nothing is predicted; recall by whole sets",
    {},
    default="charP@5 Enough@5",
    rules=frozenset({"count-pairs", "empty-is-one", "no-evidence-is-found"}),
)
