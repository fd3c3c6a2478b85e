"""Tokens: what language models are charged for, and a fair measure of reading.

The plain tokenizer, ``words``, takes the words of Unicode's standard segmentation (UAX #29, without tailoring), each
ideograph a word, and single marks such as commas; white space is none. ``tiktoken:NAME`` counts as that encoding does,
if tiktoken is installed; it downloads the encoding once. A file ``tokenizer.json`` is a tokenizer of Hugging Face's
tokenizers, which asks nothing of the network. From the library, objects of both will do, and any callable that takes a
text and returns the spans of its tokens, or the offsets at which they end, or only how many there are (then they are
taken to be of equal length).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from itertools import chain
from os import PathLike, fspath
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import FloatArray, Positions
from berrypick.data.errors import InputError, UsageError, option, shorten
from berrypick.data.run import Ranking
from berrypick.documents.lazy import OfDocuments
from berrypick.documents.sentences import sentence_spans
from berrypick.documents.texts import Texts
from berrypick.documents.token_offsets import WORDS, Corners, Tokenizer, TokenOffsets
from berrypick.files.files import read_whole
from berrypick.kernels.interpolation import interpolate


def token_offsets(texts: Texts, tokenizer: str | Tokenizer | None = None) -> TokenOffsets:
    """Documents counted in tokens; each is read and tokenized at first use."""
    name, function = get_tokenizer(tokenizer)
    made = _DocumentTokens(texts, function, name)
    if tokenizer is None or isinstance(tokenizer, (str, PathLike)):  # a name says what it is, an object may change
        made.known = _found_before.setdefault(texts, {}).setdefault(name, made.known)
    return TokenOffsets(name, made, texts.source)


def sentence_offsets(texts: Texts) -> TokenOffsets:
    """Documents counted in sentences; each is read and cut at first use."""
    made = _DocumentTokens(texts, sentence_spans, SENTENCES)
    made.known = _found_before.setdefault(texts, {}).setdefault(SENTENCES, made.known)
    return TokenOffsets(SENTENCES, made, texts.source)


#: The name of sentences in signatures, which is that of no tokenizer.
SENTENCES = "sentences"
#: The tokens of texts by the name of the tokenizer: many evaluations in turn may ask for those of the same texts.
_found_before: WeakKeyDictionary[Texts, dict[str, dict[str, Corners]]] = WeakKeyDictionary()


def token_costs(tokens: TokenOffsets, ranking: Ranking, start: Positions, end: Positions) -> FloatArray:
    """Tokens between start and end in the document of each pointer."""
    codes, line = np.unique(ranking.document, return_inverse=True)
    lines = [tokens.corners_of(ranking.documents[code]) for code in codes.tolist()]
    found = interpolate(lines, np.concatenate([line, line]), np.concatenate([end, start]))
    return found[: len(line)] - found[len(line) :]


def get_tokenizer(given: str | Tokenizer | None) -> tuple[str, Tokenizer]:
    if given is None or given in ("words", WORDS):
        return WORDS, words
    if isinstance(given, (str, PathLike)):
        name = fspath(given)
        kind, _, encoding = name.partition(":")
        if kind == "tiktoken" and encoding:
            return name, _tiktoken(encoding)
        if name.endswith(".json"):
            return _tokenizers_file(name)
        expected = "'words', 'tiktoken:ENCODING', or a file tokenizer.json of Hugging Face"
        raise UsageError(f"unknown tokenizer {name!r}: expected {expected}")
    if callable(getattr(given, "decode_with_offsets", None)):  # an Encoding of tiktoken
        return f"tiktoken:{getattr(given, 'name', 'own')}", _by_encoding(given)
    if type(given).__module__.partition(".")[0] == "tokenizers" and callable(getattr(given, "to_str", None)):
        content = given.to_str()  # type: ignore[attr-defined]
        return f"tokenizers:{_digest(content.encode())}", _by_tokenizers(content, "the tokenizer")
    if not callable(given):
        raise UsageError(f"tokenizer must be a name or a callable, not {type(given).__name__}")
    return getattr(given, "__name__", type(given).__name__), given


def words(text: str) -> list[tuple[int, int]]:
    """The spans of the plain tokenizer's tokens: from one word boundary of UAX #29 to the next, without white space."""
    word, joined = _word_patterns()
    spans = [match.span() for match in word.finditer(text) if not match[0].isspace()]
    if _JOINER not in text:
        return spans
    inside = {match.end() for match in joined.finditer(text)}
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if start in inside and kept and kept[-1][1] == start:
            kept[-1] = kept[-1][0], end
        else:
            kept.append((start, end))
    return kept


_JOINER = "\u200d"


@cache
def _word_patterns() -> tuple[Any, Any]:
    """Text between two word boundaries; and a joiner before a pictograph, behind which there is no boundary (WB3c).

    The boundaries that the library regex knows itself are others: none before a vowel that follows an apostrophe, with
    or without a letter before that, which makes one token of 'apple and two of 'bread. Its properties of characters are
    used. Repetitions are possessive, so that no character is looked at again and again.
    """
    import regex  # not for everybody who loads the package

    def one_of(*kinds: str) -> str:
        """A character of some kinds, and what extends it (WB4)."""
        return "(?:[" + "".join(rf"\p{{WB={kind}}}" for kind in kinds) + f"]{extended})"

    extended = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
    hebrew, letter = one_of("Hebrew_Letter"), one_of("ALetter", "Hebrew_Letter")
    in_word, in_number = (one_of(kind, "MidNumLet", "Single_Quote") for kind in ("MidLetter", "MidNum"))
    quote, double = one_of("Single_Quote"), one_of("Double_Quote")
    number, katakana, joint = one_of("Numeric"), one_of("Katakana"), one_of("ExtendNumLet")
    # WB5 to WB12: letters and digits, with an apostrophe or a full stop between two of a kind
    letters = f"(?:{hebrew}{double}(?={hebrew})|{letter}(?:{in_word}(?={letter}))?)"
    digits = f"{number}(?:{in_number}(?={number}))?"
    core = f"(?:(?:{letters}|{digits})++|{katakana}++)"
    # WB13a, WB13b: low lines join all of these; WB7a: an apostrophe behind a Hebrew letter
    word = f"{joint}*+{core}(?:{joint}++{core})*+{joint}*+(?:(?<={hebrew}){quote})?|{joint}++"
    flag, space = one_of("Regional_Indicator"), r"\p{WB=WSegSpace}"
    rest = rf"\r\n|[\p{{WB=CR}}\p{{WB=LF}}\p{{WB=Newline}}]|{flag}{flag}?|{space}++{extended}|.{extended}"
    # what most of English text is, and quick to see; \K: the space before a word is no part of the match
    plain = r" ?\K[A-Za-z]++(?=[ ,\n])| (?=[A-Za-z])"
    return regex.compile(f"{plain}|{word}|{rest}", regex.DOTALL), regex.compile(rf"{_JOINER}(?=\p{{ExtPict}})")


def _tiktoken(name: str) -> Tokenizer:
    try:
        import tiktoken
    except ImportError:
        raise UsageError(
            f"tokenizer tiktoken:{name} needs tiktoken: pip install 'berrypick[tokens]', or omit {option('tokenizer')}"
        ) from None
    try:
        encoding = tiktoken.get_encoding(name)
    except ValueError:
        known = ", ".join(tiktoken.list_encoding_names())
        raise UsageError(f"tiktoken has no encoding {name!r}; it has {known}") from None
    except Exception as error:  # whatever its download raises
        why = shorten(str(error).partition("\n")[0], 100) or type(error).__name__
        raise UsageError(
            f"tiktoken downloads the encoding {name!r} at its first use, which failed ({why}); set TIKTOKEN_CACHE_DIR "
            f"to a folder that has it, or use {option('tokenizer', 'words')} or a file tokenizer.json"
        ) from None
    return _by_encoding(encoding)


def _tokenizers_file(path: str) -> tuple[str, Tokenizer]:
    """A tokenizer of Hugging Face's tokenizers from its file; the name has the start of a digest of its content."""
    raw = read_whole(path)
    try:
        content = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", path=path) from None
    return f"tokenizers:{os.path.basename(path)}:{_digest(raw)}", _by_tokenizers(content, path)


def _digest(content: bytes) -> str:
    import hashlib  # loads OpenSSL

    return hashlib.sha256(content).hexdigest()[:8]


def _by_tokenizers(content: str, where: str) -> Tokenizer:
    try:
        from tokenizers import Tokenizer as Loaded
    except ImportError:
        raise UsageError(f"{where} needs tokenizers: pip install 'berrypick[tokens]'") from None
    try:
        loaded = Loaded.from_str(content)
    except Exception as error:  # the library has no type of its own for it
        raise InputError(
            f"is not a tokenizer of Hugging Face's tokenizers ({shorten(str(error), 100)})", path=where
        ) from None
    loaded.no_truncation()  # a tokenizer saved with a model cuts texts and fills them up, without a word
    loaded.no_padding()

    def spans(text: str) -> list[tuple[int, int]]:
        return list(loaded.encode(text, add_special_tokens=False).offsets)

    return spans


def _by_encoding(encoding: Any) -> Tokenizer:
    def spans(text: str) -> list[tuple[int, int]]:
        tokens = encoding.encode(text, disallowed_special=())
        _, starts = encoding.decode_with_offsets(tokens)
        # several tokens may make up one character: they start at the same place, and share it
        return list(zip(starts, [*starts[1:], len(text)], strict=True))

    return spans


class _DocumentTokens(OfDocuments[Corners]):
    """Document to corners, made on demand."""

    def __init__(self, texts: Texts, tokenizer: Tokenizer, name: str) -> None:
        super().__init__(texts)
        self.tokenizer, self.name = tokenizer, name
        self.known: dict[str, Corners] = {}

    def __getitem__(self, document: str) -> Corners:
        if document not in self.known:
            text = self._source[document]
            found = self.tokenizer(text)
            if self.tokenizer is words:  # whose spans need no check
                found = np.fromiter(chain.from_iterable(found), np.int64, 2 * len(found)).reshape(-1, 2)
            self.known[document] = corners(found, len(text), f"tokenizer {self.name} on {document}")
        return self.known[document]


def corners(tokens: Any, length: int, who: str) -> Corners:
    """What a tokenizer returned as a rising line over the characters of the text."""
    if isinstance(tokens, (int, np.integer)) and not isinstance(tokens, bool):
        return np.array([0.0, max(length, 1)]), np.array([0.0, float(tokens)])
    spans = _spans(tokens, who)
    if not len(spans):
        return np.array([0.0, max(length, 1)]), np.zeros(2)
    start, end = spans[:, 0], spans[:, 1]
    if (start < 0).any() or (end > length).any() or (end < start).any() or (np.diff(start) < 0).any():
        raise InputError(f"{who}: tokens must be in the text, in order, and end after they start")
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
