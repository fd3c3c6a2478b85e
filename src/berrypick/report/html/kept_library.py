"""The charting library, kept between commands: putting it together takes two seconds, and it is always the same.

It is kept in the folder that ``BERRYPICK_CACHE`` names, and nowhere if there is none: nobody asked for another file.
The folder must be trusted: its script becomes part of every report, and the checksum only detects torn files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from berrypick.data.errors import InputError
from berrypick.files.files import atomic_writer


def kept_script(name: str, make: Callable[[], str]) -> str:
    """Return a script from its file in the cache, or make it and keep it.

    A file that is not whole is made anew; a folder that cannot be written costs time, and nothing else.
    """
    named = os.environ.get("BERRYPICK_CACHE")
    if not named:
        return make()
    folder = Path(named)
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


def _head(script: str) -> str:
    return f"// sha256 {sha256(script.encode()).hexdigest()}"
