"""Words and sentences of any script: the plain tokenizer, the built-in retrievers, the sentence chunker, tokenizers of
other libraries."""

from __future__ import annotations

import socket
import subprocess
import sys
from itertools import pairwise, product

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.documents.tokens import get_tokenizer, words

HINDI = "रसभरी जुलाई में पकती है। पुरानी शाखाएँ काट दो। सूखे दिन में तोड़ो।"
CHINESE = "树莓七月成熟。秋天剪掉老枝。干燥时采摘！"


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop: 3.14, foo_bar!", ["Don't", "stop", ":", "3.14", ",", "foo_bar", "!"]),
        ("हिन्दी में है।", ["हिन्दी", "में", "है", "।"]),
        ("我爱北京。", ["我", "爱", "北", "京", "。"]),
        ("カタカナ", ["カタカナ"]),
        ("👩\u200d👩\u200d👧 e\u0301t\u0301", ["👩\u200d👩\u200d👧", "e\u0301t\u0301"]),
        (" \r\n\t ", []),
        # an apostrophe joins two letters (WB6, WB7), not a letter and what is none
        ("'apple 'bread", ["'", "apple", "'", "bread"]),
        ("l'ami d’eau o'er", ["l'ami", "d’eau", "o'er"]),
        ("say 'apple', 'a'", ["say", "'", "apple", "'", ",", "'", "a", "'"]),
        ("1.5 1.a a.1 a.b 1,000 a,b", ["1.5", "1", ".", "a", "a", ".", "1", "a.b", "1,000", "a", ",", "b"]),
        ("a1b _a_ __ a_1_カ カa", ["a1b", "_a_", "__", "a_1_カ", "カ", "a"]),
        ('א\'ב א\' א"ב א" a"b', ["א'ב", "א'", 'א"ב', "א", '"', "a", '"', "b"]),
        ("🇦🇧🇨 🇦\u200d🇧🇨", ["🇦🇧", "🇨", "🇦\u200d🇧", "🇨"]),
        ("a\u200d👩 👩🏽\u200d💻", ["a\u200d👩", "👩🏽\u200d💻"]),
        ("\u0301a \u0301", ["\u0301", "a", " \u0301"]),
    ],
)
def test_words_are_those_of_uax_29(text, expected):
    assert cut(text) == expected


def _kinds(text: str) -> list[str]:
    return [next(kind for kind in KINDS if regex.match(rf"\p{{WB={kind}}}", one)) for one in text]


# fmt: off
KINDS = [
    "CR", "LF", "Newline", "Extend", "ZWJ", "Format", "Katakana",
    "Hebrew_Letter", "ALetter", "Single_Quote", "Double_Quote", "MidNumLet", "MidLetter", "MidNum",
    "Numeric", "ExtendNumLet", "Regional_Indicator", "WSegSpace", "Other",
]
# fmt: on
LINE_ENDS, EXTENDING = ("CR", "LF", "Newline"), ("Extend", "Format", "ZWJ")
LETTER = ("ALetter", "Hebrew_Letter")
JOINED = (*LETTER, "Numeric", "Katakana", "ExtendNumLet")


def _is_boundary(text: str, kinds: list[str], at: int) -> bool:
    """The rules of UAX #29, one after the other."""
    before, after = kinds[at - 1], kinds[at]
    if (before, after) == ("CR", "LF"):  # WB3
        return False
    if before in LINE_ENDS or after in LINE_ENDS:  # WB3a, WB3b
        return True
    if before == "ZWJ" and regex.match(r"\p{ExtPict}", text[at]):  # WB3c
        return False
    if before == after == "WSegSpace":  # WB3d
        return False
    if after in EXTENDING:  # WB4
        return False
    left = [i for i in range(at) if kinds[i] not in EXTENDING or i == 0 or kinds[i - 1] in LINE_ENDS]
    right = [i for i in range(at, len(text)) if kinds[i] not in EXTENDING or kinds[i - 1] in LINE_ENDS]
    b, bb = (kinds[left[-n]] if len(left) >= n else "" for n in (1, 2))
    a, aa = (kinds[right[n]] if len(right) > n else "" for n in (0, 1))
    middle = ("MidLetter", "MidNumLet", "Single_Quote")
    of_numbers = ("MidNum", "MidNumLet", "Single_Quote")
    flags = 0
    while flags < len(left) and kinds[left[-1 - flags]] == "Regional_Indicator":
        flags += 1
    joined = (
        (b in LETTER and a in LETTER)  # WB5
        or (b in LETTER and a in middle and aa in LETTER)  # WB6
        or (bb in LETTER and b in middle and a in LETTER)  # WB7
        or (b == "Hebrew_Letter" and a == "Single_Quote")  # WB7a
        or (b == "Hebrew_Letter" and a == "Double_Quote" and aa == "Hebrew_Letter")  # WB7b
        or (bb == "Hebrew_Letter" and b == "Double_Quote" and a == "Hebrew_Letter")  # WB7c
        or (b == a == "Numeric")  # WB8
        or (b in LETTER and a == "Numeric")  # WB9
        or (b == "Numeric" and a in LETTER)  # WB10
        or (bb == "Numeric" and b in of_numbers and a == "Numeric")  # WB11
        or (b == "Numeric" and a in of_numbers and aa == "Numeric")  # WB12
        or (b == a == "Katakana")  # WB13
        or (b in JOINED and a == "ExtendNumLet")  # WB13a
        or (b == "ExtendNumLet" and a in JOINED)  # WB13b
        or (b == a == "Regional_Indicator" and flags % 2 == 1)  # WB15, WB16
    )
    return not joined


def _by_the_rules(text: str) -> list[str]:
    kinds = _kinds(text)
    borders = [0, *(at for at in range(1, len(text)) if _is_boundary(text, kinds, at)), len(text)]
    pieces = [text[a:b] for a, b in pairwise(borders)]
    return [piece for piece in pieces if piece and not piece.isspace()]


#: One or two characters of each kind.
OF_EACH = "\r\n\x0b\u0301\u200d\xadカアאבabé'\"’.:,;1２_\u203f🇦🇧 \u3000👩Ⓜ♥我-\t"


@settings(max_examples=1500, deadline=None)
@given(st.text(alphabet=OF_EACH, max_size=12))
def test_tokens_follow_the_rules_one_by_one(text):
    assert cut(text) == _by_the_rules(text)


@pytest.mark.slow
def test_tokens_of_all_triples_of_kinds():
    of_each = dict(zip(_kinds(OF_EACH), OF_EACH, strict=True)) | {"pictograph": "👩"}
    assert len(of_each) == len(KINDS) + 1
    for triple in product(of_each.values(), repeat=3):
        text = "".join(triple)
        assert cut(text) == _by_the_rules(text), text.encode("unicode_escape")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["🇦", "_", "a'", "1.", "\u0301", 'א"', ".", "ab _", "\u200d"])
def test_long_texts_of_one_kind_are_cut_in_one_pass(unit):
    """A pass for each character would never end."""
    covered = sum(end - start for start, end in words(unit * 300_000))
    assert covered == 300_000 * len(unit.replace(" ", ""))


def test_a_hindi_word_is_one_token_and_an_ideograph_too():
    assert len(cut(HINDI)) == len(HINDI.replace("।", " ।").split())
    assert len(cut(CHINESE)) == len(CHINESE)


@given(st.text(alphabet="ab é1_.,'\n\r我क्\u0301😀ー", max_size=40))
def test_tokens_cover_all_but_white_space_in_order(text):
    spans = words(text)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(at in covered or character.isspace() for at, character in enumerate(text))


def test_files_that_are_no_tokenizers(tmp_path):
    pytest.importorskip("tokenizers")
    (tmp_path / "wrong.json").write_text('{"version": 1}')
    with pytest.raises(bp.InputError, match=r"wrong.json: is not a tokenizer of Hugging Face"):
        get_tokenizer(str(tmp_path / "wrong.json"))
    with pytest.raises(bp.InputError, match="no such file"):
        get_tokenizer(str(tmp_path / "none.json"))
    with pytest.raises(bp.UsageError, match=r"expected 'words', 'tiktoken:ENCODING', or a file tokenizer.json"):
        get_tokenizer("bert-base-uncased")


@pytest.mark.slow
def test_an_encoding_that_cannot_be_downloaded_is_one_line(tmp_path, monkeypatch):
    pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "socket", _refused)
    monkeypatch.setattr(socket, "create_connection", _refused)
    with pytest.raises(
        bp.UsageError, match="downloads the encoding 'p50k_edit' at its first use, which failed"
    ) as error:
        get_tokenizer("tiktoken:p50k_edit")
    assert "\n" not in str(error.value) and "TIKTOKEN_CACHE_DIR" in str(error.value)


def _refused(*_: object, **__: object) -> None:
    raise OSError("no network here\nsecond line")


@pytest.mark.slow
def test_words_need_no_network_and_loading_needs_no_regex():
    code = (
        "import sys, socket\n"
        "socket.socket = None\n"
        "import berrypick as bp\n"
        "assert 'regex' not in sys.modules and 'tokenizers' not in sys.modules\n"
        "from berrypick.documents.tokens import words\n"
        "assert len(words('a b')) == 2"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
