"""The index of a collection: sizes, offsets, nesting and links of XML documents in one file, without their text.

The file is an Arrow file (``docs/reference/formats/collection-index.md``). pyarrow is imported on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, library
from berrypick.data.words import counted

if TYPE_CHECKING:
    from berrypick.documents.xml.build import IndexSummary


def read_index(path: str | os.PathLike[str]) -> Collection:
    """Read the collection in an index; documents are read from the file when they are used.

    Parameters
    ----------
    path : str or path
        A file that ``berrypick index`` wrote.

    Returns
    -------
    Collection
        Lengths and structure of its documents.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> from berrypick.documents.xml import read_index
    >>> from berrypick.documents.xml import build_index
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.xml"), "w") as file:
    ...     _ = file.write("<a><b>text</b></a>")
    >>> _ = build_index(folder, os.path.join(folder, "a.index"), jobs=1)
    >>> len(read_index(os.path.join(folder, "a.index")))
    1
    """
    _need_arrow()
    from berrypick.documents.xml.read import Index, IndexLengths, IndexStructures

    index = Index(os.fspath(path))
    if not index.facts.documents:
        raise InputError("has no readable document", path=index.path)
    return Collection(IndexLengths(index), index.path, IndexStructures(index))


def describe_index(path: str) -> str:
    """Say what an index of a collection holds.

    Parameters
    ----------
    path : str
        A file that ``berrypick index`` wrote.

    Returns
    -------
    str
        How many documents and elements there are, and how many documents could not be read.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> from berrypick.documents.xml import describe_index
    >>> from berrypick.documents.xml import build_index
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.xml"), "w") as file:
    ...     _ = file.write("<a><b>text</b></a>")
    >>> _ = build_index(folder, os.path.join(folder, "a.index"), jobs=1)
    >>> describe_index(os.path.join(folder, "a.index"))
    'index of a collection, 1 document, 2 elements'
    """
    read_index(path)  # raises if it is damaged or incomplete
    from berrypick.documents.xml.read import Index

    facts = Index(path).facts
    counts = ["index of a collection", counted(facts.documents, "document"), counted(facts.elements, "element")]
    return ", ".join([*counts, *([f"{facts.unreadable} unreadable"] if facts.unreadable else [])])


def build_index(
    folder: str | os.PathLike[str],
    file: str | os.PathLike[str],
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> IndexSummary:
    """Index the XML documents of a folder.

    ``jobs`` processes share the work, by default one for each core. ``progress`` is called with (done, of) as
    documents are finished. An interrupted build is resumed: only files that have changed since are read again.
    Unreadable documents are listed in the index with the reason.
    """
    _need_arrow()
    from berrypick.documents.xml.build import build

    return build(os.fspath(folder), os.fspath(file), jobs, progress)


def _need_arrow() -> None:
    library("pyarrow.ipc", "the index of a collection needs pyarrow", "chunks")
