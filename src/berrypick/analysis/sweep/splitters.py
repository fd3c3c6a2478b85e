"""Splitters of LangChain, LlamaIndex and chonkie as chunkers, and lists of strings placed in the text they were cut of.

Splitters drop white space between chunks and repeat text where chunks overlap. Strings are placed in order: each chunk
begins and ends after the one before, and between two of them, before the first and after the last there is white space
only. So repeated text gets the places that it was cut from. Where a splitter leaves out more than white space, each
chunk must be in the text once; a chunk that is not there is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from berrypick.data.errors import UsageError, shorten

Span = tuple[int, int]
_SPACE = re.compile(r"\s*")
#: Names under which objects keep their texts and their offsets.
_TEXTS = ("text", "page_content", "content")
_OFFSETS = (("start_index", "end_index"), ("start_char_idx", "end_char_idx"))


@dataclass(frozen=True)
class _Splitter:
    """A splitter of another library, called by one of its methods; a value that can be sent to other processes."""

    splitter: Any
    method: str

    @property
    def __name__(self) -> str:
        return type(self.splitter).__name__

    def __call__(self, text: str) -> Any:
        given: Any = text
        if self.method == _OF_NODES:
            from llama_index.core import Document  # whoever has such a splitter has it

            given = [Document(text=text)]
        return getattr(self.splitter, self.method)(given)


#: How parsers of LlamaIndex are called that do not cut plain texts.
_OF_NODES = "get_nodes_from_documents"


def as_chunker(given: Any) -> Any:
    """Return a function of a text for a splitter of LangChain, LlamaIndex or chonkie; anything else as it is."""
    if isinstance(given, (type, partial)) or hasattr(given, "__name__"):
        return given
    methods = ("split_text", _OF_NODES, *(() if callable(given) else ("chunk",)))
    method = next((name for name in methods if callable(getattr(given, name, None))), "")
    return _Splitter(given, method) if method else given


def spans_of(found: Sequence[Any], text: str) -> Sequence[Any]:
    """Return the pairs of (start, end) for strings or chunk objects; pairs stay as they are."""
    texts = [one if isinstance(one, str) else _text_of(one) for one in found]
    if not found or any(one is None for one in texts):
        return found
    own = [_own_span(one, held, text) for one, held in zip(found, texts, strict=True)]
    if all(span is not None for span in own):
        return own
    return place_in_order([str(one) for one in texts], text)


def _text_of(chunk: Any) -> str | None:
    if isinstance(chunk, tuple):
        return None
    return next((held for name in _TEXTS if isinstance(held := getattr(chunk, name, None), str)), None)


def _own_span(chunk: Any, held: str | None, text: str) -> Span | None:
    """The offsets that a chunk states, where the text there is its own."""
    for first, last in _OFFSETS:
        start, end = getattr(chunk, first, None), getattr(chunk, last, None)
        if type(start) is int and type(end) is int and 0 <= start < end and text[start:end] == held:
            return start, end
    return None


def place_in_order(chunks: Sequence[str], text: str) -> list[Span]:
    """Return where chunks are in the text that they were cut of, in order; the earliest places that fit all of them.

    >>> place_in_order(["ab ab", "ab ab", "ab ab"], "ab ab ab ab")
    [(0, 5), (3, 8), (6, 11)]
    >>> place_in_order(["ab ab", "ab ab"], "ab ab ab ab")
    [(0, 5), (6, 11)]
    """
    blank = next((number for number, chunk in enumerate(chunks, start=1) if not chunk.strip()), 0)
    if blank:
        raise UsageError(f"chunk {blank} is blank: skip it")
    found: list[Span] = []
    tried = [0]  # where to look next for the chunk of each depth
    bad = set[tuple[int, int, int]]()
    while len(found) < len(chunks):
        depth = len(found)
        span = _next(chunks[depth], text, tried[depth], found[-1] if found else (-1, 0), depth + 1 == len(chunks))
        if span is None or (depth, *span) in bad:
            if span is not None:
                tried[depth] = span[0] + 1
                continue
            tried.pop()
            if not found:
                return _only_places(chunks, text)
            bad.add((len(found) - 1, *found.pop()))
            continue
        tried[depth] = span[0] + 1
        found.append(span)
        tried.append(span[0] + 1)
    return found


def _next(chunk: str, text: str, since: int, before: Span, is_last: bool) -> Span | None:
    """The next place of a chunk after the one before it, without text that no chunk has in between or at the end."""
    space = _SPACE.match(text, before[1])
    limit = (space.end() if space else before[1]) + len(chunk)  # white space may be left out
    start = text.find(chunk, max(since, before[0] + 1), limit)
    while start >= 0:
        end = start + len(chunk)
        if end > before[1] and not (is_last and text[end:].strip()):
            return start, end
        start = text.find(chunk, start + 1, limit)
    return None


def _only_places(chunks: Sequence[str], text: str) -> list[Span]:
    """Places of chunks between which text was left out, where each occurs once; else an error names one that does not.

    Headings and separators are such text.
    """
    found: list[Span] = []
    for number, chunk in enumerate(chunks, start=1):
        start = text.find(chunk)
        if start < 0 or text.find(chunk, start + 1) >= 0:
            several = "is not in the text word for word" if start < 0 else "is in the text several times"
            what = f"chunk {number}, {shorten(chunk, 60)!r}, {several}, so its place is unknown"
            raise UsageError(f"{what}: give a function that returns (start, end) pairs")
        found.append((start, start + len(chunk)))
    return found
