"""The charting library, kept between commands: putting it together takes two seconds, and it is always the same.

It lies in ``berrypick`` of the folder for caches: ``$XDG_CACHE_HOME``, else ``~/.cache`` (``%LOCALAPPDATA%`` on
Windows). With ``BERRYPICK_CACHE`` it lies in another folder, or nowhere if that is empty.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from berrypick.core.errors import InputError
from berrypick.formats.io.files import atomic_writer


def kept_script(name: str, make: Callable[[], str]) -> str:
    """Return a script from its file in the cache, or make it and keep it.

    A file that is not whole is made anew; a folder that cannot be written costs time, and nothing else.
    """
    folder = cache_folder()
    if folder is None:
        return make()
    path = folder / name
    with suppress(OSError, UnicodeDecodeError):
        head, _, script = path.read_bytes().decode("utf-8").partition("\n")
        if head == _head(script):
            return script
    script = make()
    with suppress(OSError, InputError):
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_writer(str(path)) as out:
            out.write(f"{_head(script)}\n{script}")
    return script


def cache_folder() -> Path | None:
    """Return where scripts are kept; None where nothing is."""
    own = os.environ.get("BERRYPICK_CACHE")
    if own is not None:
        return Path(own) if own else None
    try:
        root = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # there is no home
        return None
    return Path(root) / "berrypick" if Path(root).is_absolute() else None


def _head(script: str) -> str:
    return f"// sha256 {sha256(script.encode()).hexdigest()}"
