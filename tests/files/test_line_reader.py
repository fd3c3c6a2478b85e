"""The reader of lines, which decodes many at once, against reading one line after the other."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from berrypick.data.errors import InputError
from berrypick.files import files as _files
from berrypick.formats.base import Problems

LONGEST = 24
PIECES = [
    *[b"a", b"word", b" ", b"\t", b"#", b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\r\r\n", b"\x0b", b"\x1c", b"\x00"],
    *[
        "é".encode(),
        "\u2028".encode(),
        "\x85".encode("latin-1"),
        b"\xff",
        b"\xe2\x80",
        codecs.BOM_UTF8,
        b"0123456789abcdef",
    ],
]


def one_by_one(data: bytes, problems: Problems, encoding: str, errors: str) -> Iterator[tuple[int, str]]:
    stream, number = io.BytesIO(data), 0
    while raw := stream.readline(LONGEST):
        number += 1
        if len(raw) == LONGEST and not raw.endswith(b"\n"):
            raise _files.line_too_long("f", number)
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if raw.lstrip().startswith(codecs.BOM_UTF8):
            what = "begins with a byte order mark, which is only valid at the start of a file"
            problems.report(what, number, remedy="remove it; joined files have one each")
            continue
        text = _files.decode_line(raw, number, problems, encoding, errors)
        if text is not None:
            yield number, text


def outcome(found: Iterator[tuple[int, str]], problems: Problems) -> tuple[list[tuple[int, str]], str, list[str]]:
    """The lines up to an error, the error, and what was reported."""
    read, error = [], ""
    try:
        for line in found:
            read.append(line)
    except InputError as stopped:
        error = str(stopped)
    return read, error, [str(problem) for problem in problems.found]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join),
    st.integers(1, 40),
    st.sampled_from([("utf-8", "strict"), ("utf-8", "replace"), ("latin-1", "strict")]),
    st.booleans(),
)
def test_lines_are_those_read_one_by_one(data: bytes, buffer: int, decoding: tuple[str, str], strict: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files, "LONGEST", LONGEST)
        patch.setattr(_files, "open_bytes", lambda path: io.BufferedReader(io.BytesIO(data), buffer))
        ours, theirs = Problems("f", strict=strict), Problems("f", strict=strict)
        expected = outcome(one_by_one(data, theirs, *decoding), theirs)
        assert outcome(_files.lines("f", ours, *decoding), ours) == expected
