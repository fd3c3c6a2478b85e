"""Folders of brat standoff annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from berrypick.core.truth import Truth
from berrypick.formats._annotations import Annotated, Mark, describe, truth_of
from berrypick.formats.base import Format, Problems, Role

_TEXT_BOUND = re.compile(r"T\S*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t")


class Brat(Format):
    """A folder of brat standoff files: for each topic a folder, for each document a ``.ann`` beside its ``.txt``.

    Text-bound annotations (``T1<TAB>relevant 11 29<TAB>Cut the old canes.``) are spans; labels mean what they mean in
    label-studio. Fragments of one annotation (``0 5;11 29``) are several spans. Relations, events, attributes and notes
    are skipped and counted. Offsets are characters of the text file, whose name without extension is the document.

    Sample::

        T1	relevant 11 29	Cut the old canes.
        T2	irrelevant 0 10	See below.
    """

    format_name: ClassVar[str] = "brat"
    role: ClassVar[Role] = "truth"
    shape: ClassVar[str] = "FOLDER/TOPIC/DOCUMENT.ann beside FOLDER/TOPIC/DOCUMENT.txt"

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        return next(Path(path).glob("*/**/*.ann"), None) is not None

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        if not Path(path).is_dir():
            problems.report("is a file, and brat annotations are a folder", remedy=f"expected {cls.shape}")
            return Truth("spans", {}, path, cls.format_name)
        return truth_of(_annotated(path, problems), problems, path, cls.format_name, ("chars",))

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        return describe(value)


def _annotated(path: str, problems: Problems) -> Iterator[Annotated]:
    for file in sorted(Path(path).glob("*/**/*.ann")):
        topic, *rest = file.relative_to(path).with_suffix("").parts
        text_file = file.with_suffix(".txt")
        if not text_file.is_file():
            problems.report(f"{file}: has no text beside it", remedy=f"expected {text_file}")
            continue
        marks = []
        text = text_file.read_bytes().decode("utf-8-sig")
        for line in file.read_text(encoding="utf-8-sig").splitlines():
            found = _TEXT_BOUND.match(line)
            if found is None:
                if line.strip():
                    problems.count("lines that mark no text, skipped")
                continue
            for fragment in found[2].split(";"):
                start, end = fragment.split()
                marks.append(Mark(int(start), int(end), found[1]))
        yield Annotated(topic, "/".join(rest), text, 0, "", tuple(marks))
