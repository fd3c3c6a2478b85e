"""Tokens: what language models are charged for, and a fair measure of reading.

The plain tokenizer, ``words``, needs nothing: a token is a run of letters, digits and underscores, or a single other
character that is no white space (the regular expression :data:`WORDS`). ``tiktoken:NAME`` counts as that encoding
does, if tiktoken is installed. From the library, any callable will do that takes a text and returns the spans of its
tokens, or the offsets at which they end, or only how many there are (then they are taken to be of equal length).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from berrypick.core.errors import InputError, UsageError, option
from berrypick.core.token_offsets import Corners, TokenOffsets
from berrypick.corpus.texts import Texts

#: A token of the plain tokenizer.
WORDS = r"\w+|[^\w\s]"
_WORDS = re.compile(WORDS)

Tokenizer = Callable[[str], Any]


def token_offsets(texts: Texts, tokenizer: str | Tokenizer | None = None) -> TokenOffsets:
    """Documents counted in tokens; each is read and tokenized at first use."""
    name, function = get_tokenizer(tokenizer)
    return TokenOffsets(name, _DocumentTokens(texts, function, name), texts.source)


def get_tokenizer(given: str | Tokenizer | None) -> tuple[str, Tokenizer]:
    if given is None or given == "words":
        return "words", words
    if isinstance(given, str):
        kind, _, encoding = given.partition(":")
        if kind != "tiktoken" or not encoding:
            raise UsageError(f"unknown tokenizer {given!r}: expected 'words' or 'tiktoken:ENCODING'")
        return given, _tiktoken(encoding)
    if callable(getattr(given, "decode_with_offsets", None)):  # an Encoding of tiktoken
        return f"tiktoken:{getattr(given, 'name', 'own')}", _by_encoding(given)
    if not callable(given):
        raise UsageError(f"tokenizer must be a name or a callable, not {type(given).__name__}")
    return getattr(given, "__name__", type(given).__name__), given


def words(text: str) -> list[tuple[int, int]]:
    """The spans of the plain tokenizer's tokens."""
    return [match.span() for match in _WORDS.finditer(text)]


def _tiktoken(name: str) -> Tokenizer:
    try:
        import tiktoken
    except ModuleNotFoundError:
        raise UsageError(
            f"tokenizer tiktoken:{name} needs tiktoken: pip install 'berrypick[tokens]', or omit {option('tokenizer')}"
        ) from None
    try:
        encoding = tiktoken.get_encoding(name)
    except ValueError:
        known = ", ".join(tiktoken.list_encoding_names())
        raise UsageError(f"tiktoken has no encoding {name!r}; it has {known}") from None
    except Exception as error:  # its tables come from the network at the first use
        raise UsageError(f"tiktoken cannot load the encoding {name!r}: {error}") from None
    return _by_encoding(encoding)


def _by_encoding(encoding: Any) -> Tokenizer:
    def spans(text: str) -> list[tuple[int, int]]:
        tokens = encoding.encode(text, disallowed_special=())
        _, starts = encoding.decode_with_offsets(tokens)
        # several tokens may make up one character: they start at the same place, and share it
        return list(zip(starts, [*starts[1:], len(text)], strict=True))

    return spans


class _DocumentTokens(Mapping[str, Corners]):
    """Document to corners, made on demand."""

    def __init__(self, texts: Texts, tokenizer: Tokenizer, name: str) -> None:
        self.texts, self.tokenizer, self.name = texts, tokenizer, name
        self.known: dict[str, Corners] = {}

    def __getitem__(self, document: str) -> Corners:
        if document not in self.known:
            text = self.texts[document]
            self.known[document] = corners(self.tokenizer(text), len(text), f"tokenizer {self.name} on {document}")
        return self.known[document]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def corners(tokens: Any, length: int, who: str) -> Corners:
    """What a tokenizer returned as a rising line over the characters of the text."""
    if isinstance(tokens, (int, np.integer)) and not isinstance(tokens, bool):
        return np.array([0.0, max(length, 1)]), np.array([0.0, float(tokens)])
    spans = _spans(tokens, who)
    if not len(spans):
        return np.array([0.0, max(length, 1)]), np.zeros(2)
    start, end = spans[:, 0], spans[:, 1]
    if (start < 0).any() or (end > length).any() or (end < start).any() or (np.diff(start) < 0).any():
        raise InputError(f"{who}: tokens must lie in the text, in order, and end after they start")
    # tokens that start at the same place share the text up to where the last of them ends
    first, members = np.unique(start, return_counts=True)
    last = np.maximum.reduceat(end, np.concatenate([[0], np.cumsum(members)[:-1]]))
    if (first[1:] < last[:-1]).any():
        raise InputError(f"{who}: tokens overlap")
    after = np.cumsum(members)
    x = np.stack([first, np.maximum(last, first)], axis=1).ravel()
    y = np.stack([after - members, after], axis=1).ravel()
    x, y = np.concatenate([[0], x, [length]]), np.concatenate([[0], y, [y[-1]]])
    kept = np.concatenate([(np.diff(x) > 0) | (np.diff(y) > 0), [True]])
    return x[kept].astype(np.float64), y[kept].astype(np.float64)


def _spans(tokens: Any, who: str) -> np.typing.NDArray[np.int64]:
    """Spans, or the offsets at which tokens end, as rows of start and end."""
    try:
        found = np.asarray(list(tokens) if not isinstance(tokens, (Sequence, np.ndarray)) else tokens)
        if not found.size:
            return np.zeros((0, 2), dtype=np.int64)
        if found.dtype.kind not in "iu" or found.ndim not in (1, 2) or (found.ndim == 2 and found.shape[1] != 2):
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(
            f"{who}: a tokenizer returns spans (start, end), the offsets at which tokens end, or their number"
        ) from None
    if found.ndim == 1:
        found = np.stack([np.concatenate([[0], found[:-1]]), found], axis=1)
    return found.astype(np.int64)
