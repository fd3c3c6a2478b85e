"""How the index of a collection is told from other files; the add-on index reads and writes it."""

from __future__ import annotations

import os

from berrypick.core.collection import Collection
from berrypick.core.doors import functions

#: The first bytes of an Arrow file, and of an unfinished index.
ARROW = b"ARROW1"
UNFINISHED = b'{"berrypick index": "unfinished"'


def is_index(path: str | os.PathLike[str]) -> bool:
    """Say whether a file starts like an index; whoever reads it checks the rest."""
    try:
        with open(path, "rb") as file:
            return file.read(len(UNFINISHED)).startswith((ARROW, UNFINISHED))
    except (OSError, ValueError):  # no such file, or no name of one: whoever reads it says so
        return False


def indexed_collection(path: str) -> Collection:
    """Read the collection in an index."""
    found: Collection = functions.need("read_index", "the index of a collection")(path)
    return found
