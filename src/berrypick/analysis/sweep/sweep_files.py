"""The files in which a sweep keeps its runs: their names are the settings, for a later sweep to read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from berrypick.data.errors import UsageError, option

#: Bytes that the name of a file may have, in the file systems in use.
LONGEST_NAME = 255


def file_of(folder: str, name: str) -> Path:
    """The file of a run. A colon would name a stream inside of a file on Windows."""
    return Path(folder) / f"{name.replace(':', '%3A')}.jsonl"


def prepare_folder(folder: str, names: Sequence[str]) -> str:
    """Make the folder, after it is clear that every run can be written to a file of its own there."""
    for name in names:
        long = len(os.fsencode(file_of(folder, name).name))
        if long > LONGEST_NAME:
            raise UsageError(
                f"the run {name[:60]}... cannot be kept: its settings make a file name of {long} bytes, and "
                f"{LONGEST_NAME} is the maximum; give functions short names (chunkers={{'short': ...}}) and grids "
                f"short values, or remove {option('keep')}"
            )
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid name"
        raise UsageError(f"{option('keep')}: the folder {folder} cannot be made ({why})") from None
    _refuse_kept(folder, names)
    return folder


def _refuse_kept(folder: str, names: Sequence[str]) -> None:
    """Runs of an earlier sweep are not overwritten: names leave out what does not vary, so they may be other runs."""
    there = [file.name for file in (file_of(folder, name) for name in names) if os.path.exists(file)]
    if there:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise UsageError(
            f"{folder} already has {there[0]}{more}, which a sweep would overwrite: "
            f"give another folder with {option('keep')}, or remove them"
        )


def refuse_overwriting(file: Path) -> None:
    """Where the file system takes two names for one (upper and lower case), the second run would replace the first."""
    if os.path.exists(file):
        what = f"{file} already has a run of this sweep: this file system ignores case"
        raise UsageError(f"{what}; give the functions or values other names, or remove {option('keep')}")
