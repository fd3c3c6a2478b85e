"""What topics are about, from a file."""

from __future__ import annotations

from os import PathLike, fspath

from berrypick.core.errors import InputError
from berrypick.formats._files import open_bytes


def read_titles(path: str | PathLike[str]) -> dict[str, str]:
    """A file of topics and what they are about, with a TAB between."""
    found: dict[str, str] = {}
    name = fspath(path)
    with open_bytes(name) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise InputError("is not UTF-8 text", path=name, line=number, remedy="save it as UTF-8") from None
            if not line.strip() or line.startswith("#"):
                continue
            topic, tab, title = line.partition("\t")
            if not tab:
                raise InputError(
                    "has no TAB", path=name, line=number, text=line, remedy="a line is a topic, a TAB, and its title"
                )
            found[topic.strip()] = title.strip()
    return found
