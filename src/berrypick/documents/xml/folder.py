"""A folder of XML documents as a collection, read on demand.

A document is a file whose name ends in .xml or .page; its name is the way to it from the folder, without that suffix.
Other files are passed over, and so is what begins with a dot. A symbolic link to a file counts if the file is in the
folder too, else it is an error, as are pipes and devices; links to folders are not followed.

Documents are parsed at first use: looking through the names of a large collection costs no more than listing its
files. What is wrong with a document is therefore said when it is touched, with file and line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError
from berrypick.documents.collection_files import SUFFIXES
from berrypick.documents.lazy import OfDocuments
from berrypick.documents.xml.lazy_structures import LazyStructures
from berrypick.documents.xml.structure import Structure
from berrypick.documents.xml.xml_documents import document_name, read_length, read_structure, read_text
from berrypick.files.files import check_member


def read_folder(path: str | os.PathLike[str]) -> Collection:
    """Read the XML documents in a folder and the folders inside it as a collection; each is parsed when it is used.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    Collection
        Lengths and structure of its documents.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> from berrypick.documents.xml.folder import read_folder
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.xml"), "w") as file:
    ...     _ = file.write("<a><b>text</b></a>")
    >>> read_folder(folder).structures["a"].paths
    ('/a[1]', '/a[1]/b[1]')
    """
    files = find_documents(path)
    return Collection(Lengths(files), os.fspath(path), Structures(files))


def find_documents(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The files of all documents in a folder by the documents' names, in the order of these."""
    top = os.fspath(folder)
    if not os.path.isdir(top):
        raise InputError("is not a folder", path=top)
    found: dict[str, str] = {}
    for name, file in sorted(_files(top)):
        if name in found:
            raise InputError(
                f"duplicate document {name}, also in {found[name]}", path=file, remedy="rename one of them"
            )
        found[name] = file
    if not found:
        raise InputError(f"holds no XML documents ({' or '.join(SUFFIXES)})", path=top)
    return found


def _files(top: str) -> Iterator[tuple[str, str]]:
    """Documents and their files, from the folder's listing alone: no file is opened."""
    real_top = os.path.realpath(top)
    folders = [("", top)]
    while folders:
        prefix, folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((f"{prefix}{name}/", entry.path))
                    elif entry.is_symlink() and entry.is_dir():
                        check_member(entry.path, real_top)
                    elif name.lower().endswith(SUFFIXES):
                        if not entry.is_file(follow_symlinks=False):
                            check_member(entry.path, real_top)
                        yield prefix + document_name(name), entry.path
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=folder) from error


class Structures(LazyStructures):
    """The structure of each document, parsed at first use; recent ones are cached."""

    def read(self, name: str) -> Structure:
        return read_structure(self._source[name], name=name, known=self._source)

    def text(self, name: str) -> str:
        """The text of a document, as offsets count it."""
        return read_text(self._source[name])


class Lengths(OfDocuments[float]):
    """The length of each document, computed at first use and cached."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(files)
        self._known: dict[str, float] = {}

    def __getitem__(self, name: str) -> float:
        if name not in self._known:
            self._known[name] = read_length(self._source[name])
        return self._known[name]
