"""The random sample of topics that people should judge, where a model judges all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from berrypick.data.errors import UsageError, option
from berrypick.data.words import counted


def sample_topics(topics: Iterable[str], count: int, seed: int = 0) -> list[str]:
    """Draw topics at random, without replacement.

    Topics are ordered by a checksum of the seed and their name, and the first ones are taken. The order of lines does
    not matter, and a larger sample with the same seed has all topics of a smaller one.

    >>> sample_topics(["q1", "q2", "q3", "q4"], 2, seed=1)
    ['q3', 'q4']
    """
    known = sorted(set(topics))
    if not 1 <= count <= len(known):
        raise UsageError(
            f"{option('sample', count)}: the runs have {counted(len(known), 'topic')}; a sample has between 1 and "
            f"{len(known)}"
        )
    return sorted(sorted(known, key=lambda topic: _place(topic, seed))[:count])


def sample_text(sample: Sequence[str], topics: Iterable[str], seed: int) -> str:
    """Say which sample it is, as tasks and the judging page show it."""
    return f"random sample of {len(sample)} of {counted(len(set(topics)), 'topic')}, seed {seed}"


def _place(topic: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{topic}".encode("utf-8", "surrogatepass")).digest()
