"""Folders of brat standoff annotations."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from berrypick.files.files import check_member, lines, members
from berrypick.formats.annotation.annotation_export import Annotated, AnnotationExport, Mark, same_text
from berrypick.formats.base import Problems

_TEXT_BOUND = re.compile(r"T\S*\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)\t")


class Brat(AnnotationExport):
    """A folder of brat standoff files: for each topic a folder, for each document a ``.ann`` beside its ``.txt``.

    Text-bound annotations (``T1<TAB>relevant 11 29<TAB>Cut the old canes.``) are spans; labels mean what they mean in
    label-studio. Fragments of one annotation (``0 5;11 29``) are several spans. Relations, events, attributes and notes
    are skipped and counted. Offsets are characters of the text file, whose name without extension is the document; the
    text of an annotation must stand there. A single ``.ann`` file is of the topic that its folder is called.

    Sample::

        T1	relevant 11 29	Cut the old canes.
        T2	irrelevant 0 10	See below.
    """

    format_name: ClassVar[str] = "brat"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("T",)
    marks: ClassVar[tuple[str, ...]] = ("\t",)
    shape: ClassVar[str] = "FOLDER/TOPIC/DOCUMENT.ann beside FOLDER/TOPIC/DOCUMENT.txt"

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _TEXT_BOUND.match(lines[0]) is not None

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        return next(_files(path), None) is not None

    @classmethod
    def annotated(cls, path: str, problems: Problems) -> Iterator[Annotated]:
        top = Path(path)
        if not top.is_dir():
            yield _document(top, top.resolve().parent.name, top.stem, problems)
            return
        found = sorted(_files(path))
        if not found:
            problems.report("has no .ann files of topics", remedy=f"expected {cls.shape}")
        for file in found:
            topic, *rest = file.relative_to(top).with_suffix("").parts
            yield _document(file, topic, "/".join(rest), replace(problems, path=str(file)))


def _files(folder: str) -> Iterator[Path]:
    """The annotations in folders of topics."""
    top = Path(folder)
    return (file for name in members(folder, lambda name: name.endswith(".ann")) if (file := Path(name)).parent != top)


def _document(file: Path, topic: str, document: str, problems: Problems) -> Annotated:
    marks: list[Mark] = []
    said: list[tuple[int, list[Mark], str]] = []
    for number, line in lines(str(file), problems):
        found = _TEXT_BOUND.match(line)
        if not line.strip():
            continue
        if found is None and line[:1] in "REAMN#*":
            problems.count("lines that mark no text, skipped")
        elif found is None:
            problems.report("is not a brat annotation", number, line, "expected T1, TAB, label start end, TAB, text")
        else:
            fragments = [fragment.split() for fragment in found[2].split(";")]
            said.append((number, [Mark(int(a), int(b), found[1]) for a, b in fragments], line[found.end() :]))
            marks += said[-1][1]
    beside = file.with_suffix(".txt")
    if os.path.lexists(beside):
        check_member(str(beside), os.path.realpath(file.parent))
        text = beside.read_bytes().decode("utf-8-sig", errors="replace")
        for number, parts, given in said:
            there = " ".join(text[mark.start : mark.end] for mark in parts)
            within = all(mark.start < mark.end <= len(text) for mark in parts)  # others are an error by themselves
            if within and given.strip() and not same_text(given, there):
                what = f"the span of {document} is not {given!r:.60} but {there!r:.60}"
                problems.report(what, number, remedy="correct the offsets, or give the text that was annotated")
        return Annotated(topic, document, text, 0, "", tuple(marks))
    problems.count("files without their text, whose spans are not checked")
    return Annotated(topic, document, None, 0, "", tuple(marks))
