"""How collections are told from other files: XML documents in a folder, or their index."""

from __future__ import annotations

import os
from typing import TypeVar

from berrypick.data.collection import Collection
from berrypick.data.run import Run
from berrypick.data.truth import Truth

T = TypeVar("T", Truth, Run)

#: What the name of an XML document's file ends with and the name of the document does not.
SUFFIXES = (".xml", ".page")
#: The first bytes of an Arrow file, and of an unfinished index.
ARROW = b"ARROW1"
UNFINISHED = b'{"berrypick index": "unfinished"'


def is_index(path: str | os.PathLike[str]) -> bool:
    """Return whether a file starts like an index; whoever reads it checks the rest."""
    try:
        with open(path, "rb") as file:
            return file.read(len(UNFINISHED)).startswith((ARROW, UNFINISHED))
    except (OSError, ValueError):  # no such file, or no name of one: whoever reads it says so
        return False


def indexed_collection(path: str) -> Collection:
    """Read the collection in an index."""
    from berrypick.documents.xml import read_index

    found: Collection = read_index(path)
    return found


def folder_collection(path: str) -> Collection:
    """Read the XML documents in a folder."""
    from berrypick.documents.xml.folder import read_folder

    found: Collection = read_folder(path)
    return found


def resolved(value: T, collection: Collection) -> T:
    """Return a truth or a run with paths and points in XML documents as offsets."""
    from berrypick.documents.xml.resolve import resolve_elements

    return resolve_elements(value, collection)
