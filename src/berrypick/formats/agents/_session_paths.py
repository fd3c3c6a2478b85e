"""Where the paths in a session lie: below a root that is stated, or outside of it. Nothing is guessed."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

_DRIVE = re.compile(r"[A-Za-z]:/")


@dataclass(frozen=True)
class SessionRoot:
    """The folder below which paths count: the name of a folder, a prefix, or '' for the session's working folder."""

    name: str = ""

    def below(self, path: str, working_folder: str, first_folder: str, printed: bool = False) -> str | None:
        """The path below the root; None for one that lies outside.

        A relative path starts at the working folder of its record; ``first_folder`` is that of the session.
        ``printed``: the path was printed by a tool that works there, which prints relative ones.
        """
        place = placed_path(path, working_folder, printed)
        root = plain_path(self.name or first_folder)
        if root == ".":
            return None if posixpath.isabs(place) or place.startswith("../") else place
        if "/" not in root:
            folders = place.split("/")[:-1]
            return "/".join(place.split("/")[folders.index(root) + 1 :]) if root in folders else None
        return place[len(root) + 1 :] if place.startswith(root.rstrip("/") + "/") else None


def plain_path(path: str) -> str:
    """A path with slashes, and without steps up and down."""
    return posixpath.normpath(path.replace("\\", "/")) if path else "."


def placed_path(path: str, working_folder: str, printed: bool = False) -> str:
    """A path as it lies: a relative one at the working folder.

    Where the working folder is relative too, as in logs from which names of people were taken out, paths that were
    given to a tool count from the same place as it; so do those that a tool printed and that begin with its folder.
    """
    plain, folder = plain_path(path), plain_path(working_folder)
    if posixpath.isabs(plain) or _DRIVE.match(plain) or folder == ".":
        return plain
    alike = not printed or plain.split("/")[0] == folder.split("/")[0]
    if not posixpath.isabs(folder) and not _DRIVE.match(folder) and alike:
        return plain
    return posixpath.normpath(posixpath.join(folder, plain))
