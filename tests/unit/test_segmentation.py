"""Words and sentences of any script: the plain tokenizer, the built-in retrievers, the sentence chunker, tokenizers of
other libraries."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.analysis.chunkers import sentences
from berrypick.analysis.retrievers import Chunk, bm25, fts5
from berrypick.corpus.tokens import get_tokenizer, words

HINDI = "रसभरी जुलाई में पकती है। पुरानी शाखाएँ काट दो। सूखे दिन में तोड़ो।"
CHINESE = "树莓七月成熟。秋天剪掉老枝。干燥时采摘！"
JAPANESE = "ラズベリーは七月に実る。秋に古い枝を切る。"
THAI = "ราสเบอร์รี่สุกในเดือนกรกฎาคม"


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
    ],
)
def test_words_are_those_of_uax_29(text, expected):
    assert cut(text) == expected


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


def test_the_signature_names_the_segmentation():
    truth, run = {"q": [{"doc": "d", "start": 0, "end": 5}]}, {"q": [{"doc": "d", "start": 0, "end": 9}]}
    results = bp.evaluate(truth, run, "Coverage(budget=9)", documents={"d": HINDI}, effort="tokens")
    assert "tokenizer:words-uax29" in str(results.mean_rows[0].signature)


# --- retrievers and the sentence chunker ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query", "best"),
    [
        (HINDI, "शाखाएँ काट", "पुरानी शाखाएँ काट दो।"),
        (CHINESE, "老枝", "秋天剪掉老枝。"),
        (JAPANESE, "古い枝", "秋に古い枝を切る。"),
        ("Ягоды зреют в июле. Ветви режут осенью.", "осенью ветви", "Ветви режут осенью."),
    ],
)
@pytest.mark.parametrize("retriever", [bm25, fts5])
def test_scripts_with_marks_and_without_spaces_are_searched(text, query, best, retriever):
    chunks = [Chunk("d", start, end, text[start:end]) for start, end in sentences(text)]
    chunks += [Chunk("e", i, i + 1, f"other {i}") for i in range(5)]  # so that words are rare
    found = retriever(chunks, {"q": query})["q"]
    assert found and chunks[found[0][0]].text == best


@pytest.mark.parametrize("retriever", [bm25, fts5])
def test_thai_is_searched_by_pairs_of_characters(retriever):
    chunks = [Chunk("d", 0, len(THAI), THAI), *(Chunk("e", i, i + 1, f"other {i}") for i in range(5))]
    assert [place for place, _ in retriever(chunks, {"q": "กรกฎาคม"})["q"]] == [0]


@given(st.lists(st.text(alphabet="ab 我爱北京क्षि.é", min_size=1, max_size=12), min_size=4, max_size=8))
def test_both_retrievers_agree_in_any_script(texts):
    """SQLite drops accents; apart from these the two are one formula over the same words."""
    chunks = [Chunk("d", i, i + 1, text.replace("é", "e")) for i, text in enumerate(texts)]
    queries = {"q": chunks[0].text + " a"}
    one, other = dict(bm25(chunks, queries)["q"]), dict(fts5(chunks, queries)["q"])
    assert set(one) == set(other)
    assert all(one[place] == pytest.approx(other[place], rel=1e-9) for place in one)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HINDI, ["रसभरी जुलाई में पकती है।", "पुरानी शाखाएँ काट दो।", "सूखे दिन में तोड़ो।"]),
        (CHINESE, ["树莓七月成熟。", "秋天剪掉老枝。", "干燥时采摘！"]),
        ("価格は３．１４です．次です。", ["価格は３．１４です．", "次です。"]),
        ("هل نضجت؟ نعم.", ["هل نضجت؟", "نعم."]),
        ("बोला “चलो।” गया॥ फिर", ["बोला “चलो।”", "गया॥", "फिर"]),
        ("One. Two? 3.5 Three.", ["One.", "Two?", "3.5 Three."]),
    ],
)
def test_sentences_of_other_scripts(text, expected):
    assert [text[start:end] for start, end in sentences(text)] == expected


# --- tokenizers of other libraries ------------------------------------------------------------------------------------


def saved(tmp_path, truncation: bool = False):
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "red": 1, "berry": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    if truncation:
        made.enable_truncation(2)
        made.enable_padding(length=64)
    made.save(str(tmp_path / "tokenizer.json"))
    return made, tmp_path / "tokenizer.json"


@pytest.mark.parametrize("truncation", [False, True])
def test_a_tokenizer_of_hugging_face_from_a_file(tmp_path, berrypick, files, truncation):
    made, path = saved(tmp_path, truncation)
    for given_as in (str(path), path, made):
        name, function = get_tokenizer(given_as)
        assert function("red berry, é dark") == [(0, 3), (4, 9), (9, 10), (11, 12), (13, 17)]
        assert name.startswith("tokenizers:")
    assert made.truncation is None or truncation  # the object of a person is left as it is
    written = files(truth_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 9, "grade": 1}\n',
                    run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 17, "rank": 1}\n',
                    texts_jsonl=json.dumps({"doc": "d", "text": "red berry, é dark"}) + "\n")  # fmt: skip
    done = berrypick("evaluate", written["truth_jsonl"], written["run_jsonl"], "-m", "Coverage(budget=5)", "--effort",
                     "tokens", "--tokenizer", path, "--documents", written["texts_jsonl"], "-o", "json")  # fmt: skip
    assert done.code == 0, done.err
    assert "tokenizer:tokenizers:tokenizer.json:" in json.loads(done.out)[0]["signature"]


def test_files_that_are_no_tokenizers(tmp_path):
    pytest.importorskip("tokenizers")
    (tmp_path / "wrong.json").write_text('{"version": 1}')
    with pytest.raises(bp.InputError, match=r"wrong.json: is not a tokenizer of Hugging Face"):
        get_tokenizer(str(tmp_path / "wrong.json"))
    with pytest.raises(bp.InputError, match="no such file"):
        get_tokenizer(str(tmp_path / "none.json"))
    with pytest.raises(bp.UsageError, match=r"expected 'words', 'tiktoken:ENCODING', or a file tokenizer.json"):
        get_tokenizer("bert-base-uncased")


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


def test_words_need_no_network_and_loading_needs_no_regex():
    code = (
        "import sys, socket\n"
        "socket.socket = None\n"
        "import berrypick as bp\n"
        "assert 'regex' not in sys.modules and 'tokenizers' not in sys.modules\n"
        "from berrypick.corpus.tokens import words\n"
        "assert len(words('a b')) == 2"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
