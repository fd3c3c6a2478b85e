"""The folder of a track's official results: written as a whole, or not at all."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Mapping
from os import PathLike
from tempfile import mkdtemp

from berrypick.data.errors import InputError, UsageError
from berrypick.files.files import atomic_writer, file_name
from berrypick.tables.tables import json_text
from berrypick.tracks.official import TrackResults
from berrypick.tracks.pages import GENERATOR, leaderboard_page, team_page

LEADERBOARD, RESULTS = "leaderboard.html", "results.json"
#: Names that files of teams must not have, without their endings: ours, and those of devices on Windows.
_TAKEN = {"leaderboard", "results", "index", "con", "prn", "aux", "nul",
          *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}  # fmt: skip
#: Characters of a file name that comes from a team.
_LONGEST = 50


def write_folder(found: TrackResults, folder: str | PathLike[str]) -> list[str]:
    """Write results.json, leaderboard.html and a page per team, and return the paths.

    The files are written into a new folder beside the target, which then takes its place: whoever looks sees all of
    them or none.
    """
    names = page_names(found.team_names())
    pages = {RESULTS: json_text(found.records(), "json"), LEADERBOARD: leaderboard_page(found, names)}
    pages |= {name: team_page(found, team, LEADERBOARD) for team, name in names.items()}
    given = file_name(folder)
    target = os.path.realpath(given) if given and "\0" not in given else ""
    if not target:
        raise UsageError(f"{given!r:.60} is not a folder to write")
    try:
        _refuse_others(target, given)
        parent = os.path.dirname(target)
        if not os.path.isdir(parent):
            raise InputError(f"the folder {parent} does not exist", path=given)
        fresh = mkdtemp(prefix=".berrypick-", dir=parent)
        try:
            _fill(fresh, pages)
            _swap(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", path=given) from None
    return [os.path.join(given, name) for name in pages]


def _fill(folder: str, pages: Mapping[str, str]) -> None:
    for name, page in pages.items():
        with atomic_writer(os.path.join(folder, name)) as out:
            out.write(page.encode("utf-8", "backslashreplace").decode())  # names may hold lone surrogates
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(folder, 0o777 & ~umask)


def _swap(fresh: str, target: str) -> None:
    """Put a folder in the place of another, whose files are removed when the new ones are there."""
    if not os.path.isdir(target):
        os.rename(fresh, target)
        return
    old = mkdtemp(prefix=".berrypick-", dir=os.path.dirname(target))
    try:
        os.rename(target, os.path.join(old, "old"))
        try:
            os.rename(fresh, target)
        except BaseException:
            os.rename(os.path.join(old, "old"), target)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _refuse_others(target: str, given: str) -> None:
    """Refuse a folder that holds anything but the files of an earlier call."""
    if not os.path.lexists(target):
        return
    if not os.path.isdir(target):
        raise InputError("is a file, expected a folder to write", path=given)
    for entry in sorted(os.scandir(target), key=lambda one: one.name):
        if not _is_ours(entry):
            what = f"holds {entry.name}, which berrypick track did not write"
            raise InputError(what, path=given, remedy="name a folder that is new, empty, or of an earlier call")


def _is_ours(entry: os.DirEntry[str]) -> bool:
    if not entry.is_file(follow_symlinks=False):
        return False
    if entry.name == RESULTS:
        return True
    with open(entry.path, "rb") as file:
        return entry.name.endswith(".html") and GENERATOR.encode() in file.read(2048)


def page_names(teams: Iterable[str]) -> dict[str, str]:
    """A file for each team: letters, digits, dot, hyphen and underscore of its name, different in more than case."""
    taken = {*_TAKEN}
    found = {}
    for team in teams:
        plain = unicodedata.normalize("NFC", team.encode("utf-8", "replace").decode())
        stem = re.sub(r"[^\w.-]+", "_", plain)[:_LONGEST].strip(".") or "team"
        name, number = stem, 1
        while _folded(name) in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(_folded(name))
        found[team] = f"{name}.html"
    return found


def _folded(name: str) -> str:
    """How file systems compare names that ignore case; on Windows a device may have an ending."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return folded.partition(".")[0] if folded.partition(".")[0] in _TAKEN else folded
