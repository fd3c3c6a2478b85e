"""What topics are about, from a file."""

from __future__ import annotations

from os import PathLike

from berrypick.core.errors import InputError
from berrypick.formats.base import Problems
from berrypick.formats.io.files import content, file_name


def read_titles(path: str | PathLike[str]) -> dict[str, str]:
    """A file of topics and what they are about, with a TAB between."""
    found: dict[str, str] = {}
    name = file_name(path)
    for number, line in content(name, Problems(name)):
        topic, tab, title = line.partition("\t")
        if not tab:
            remedy = "a line is a topic, a TAB, and its title"
            raise InputError("has no TAB", path=name, line=number, text=line, remedy=remedy)
        if found.setdefault(topic.strip(), title.strip()) != title.strip():
            raise InputError(f"the topic {topic.strip()} has another title above", path=name, line=number, text=line)
    return found
