"""How collections are told from other files: XML documents in a folder, or their index, which an add-on reads."""

from __future__ import annotations

import os
from typing import TypeVar

from berrypick.core.collection import Collection
from berrypick.core.doors import functions

T = TypeVar("T")

#: What the name of an XML document's file ends with and the name of the document does not.
SUFFIXES = (".xml", ".page")
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


def folder_collection(path: str) -> Collection:
    """Read the XML documents in a folder."""
    found: Collection = functions.need("read_folder", "a folder of XML documents")(path)
    return found


def resolved(value: T, collection: Collection) -> T:
    """Return a truth or a run with paths and points in XML documents as offsets."""
    found: T = functions.need("resolve_elements", "a collection of XML documents")(value, collection)
    return found
