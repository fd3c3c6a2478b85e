"""Texts as they are in files, offsets in other units, tokens and what they cost."""

from __future__ import annotations

import json

import handmade
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.documents.checked import checked_run, checked_truth
from berrypick.documents.offsets import Units
from berrypick.documents.texts import Texts, read_texts
from berrypick.documents.tokens import corners, get_tokenizer, token_offsets, words

# --- texts ------------------------------------------------------------------------------------------------------------


def test_a_folder_is_read_without_changing_a_character(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_bytes("\u00e9\n".encode())
    (tmp_path / ".hidden").write_bytes(b"x")
    texts = read_texts(tmp_path)
    assert list(texts) == ["a.md", "sub/b.txt"] and len(texts) == 2
    assert texts["a.md"] == texts["a"] == "one\r\ntwo\r"
    assert "sub/b" in texts and "b" not in texts and texts.canonical("sub/b") == "sub/b.txt"
    assert texts.collection.lengths["a.md"] == 9


def test_a_name_without_its_ending_is_not_guessed(tmp_path):
    (tmp_path / "a.md").write_text("1")
    (tmp_path / "a.txt").write_text("2")
    assert "a" not in read_texts(tmp_path)


def test_lines_of_json_are_read(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"doc": "a", "text": "x\\r\\ny"}\r\n{"doc": 7, "text": "\\ufeffz"}\n')
    texts = read_texts(path)
    assert dict(texts) == {"a": "x\r\ny", "7": "\ufeffz"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"doc": "a"}\n', "doc or text is missing"),
        (b'{"doc": "a", "text": "x"}\n{"doc": "a", "text": "y"}\n', "duplicate document a"),
        (b"\n", "no documents"),
        (b"nonsense\n", "is not JSON"),
    ],
)
def test_bad_documents_are_told(tmp_path, content, problem):
    path = tmp_path / "texts.jsonl"
    path.write_bytes(content)
    with pytest.raises(bp.InputError, match=problem):
        read_texts(path)


def test_an_empty_folder_and_bytes_that_are_no_text_are_errors(tmp_path):
    with pytest.raises(bp.InputError, match="no text or PDF files"):
        read_texts(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"ok\n\xff\xfe")
    with pytest.raises(bp.InputError, match=r"a\.txt:2: is not UTF-8"):
        read_texts(tmp_path)["a.txt"]


# --- offsets ----------------------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from("ab\u00e9\u20ac\U0001f353\r\n"), min_size=1, max_size=40)


@given(texts)
def test_offsets_in_bytes_and_utf16_units(text):
    for counting, size in (("bytes", lambda t: len(t.encode())), ("utf16", lambda t: len(t.encode("utf-16-le")) // 2)):
        units = Units(text, counting)
        given = np.array([size(text[:i]) for i in range(len(text) + 1)])
        places, split = units.characters(given)
        assert places.tolist() == list(range(len(text) + 1)) and not len(split)
        inside = np.array([i for i in range(size(text)) if i not in set(given.tolist())], dtype=np.int64)
        assert len(units.characters(inside)[1]) == len(inside)


TEXT = "caf\u00e9 \U0001f353 end"


def run_and_truth(start, end):
    return handmade.span_truth({"1": [("d", start, end)]}), handmade.span_run({"1": [("d", start, end)]})


@pytest.mark.parametrize(("offsets", "start", "end"), [("chars", 7, 10), ("utf16", 8, 11), ("bytes", 11, 14)])
def test_the_same_span_in_three_units(offsets, start, end):
    truth, run = run_and_truth(start, end)
    expected, _ = run_and_truth(7, 10)
    found = checked_truth(truth, Texts({"d": TEXT}), offsets)
    assert found.topics["1"].start.tolist() == expected.topics["1"].start.tolist() == [7]
    assert checked_run(run, Texts({"d": TEXT}), offsets).end.tolist() == [10]
    value = bp.evaluate(
        truth, handmade.span_run({"1": [("d", start, end)]}), "IoU", documents={"d": TEXT}, offsets=offsets
    )
    assert value.mean_rows[0].value == 1


@pytest.mark.parametrize(
    ("offsets", "start", "end", "problem"),
    [
        ("chars", 0, 11, "beyond the end"),
        ("bytes", 4, 6, "inside a character"),
        ("utf16", 0, 6, "inside a character"),
        ("bytes", 0, 99, "beyond the end"),
    ],
)
def test_offsets_that_cannot_be_are_told(offsets, start, end, problem):
    truth, run = run_and_truth(start, end)
    good_truth, good_run = run_and_truth(0, 1)
    for pair in ((truth, good_run), (good_truth, run)):
        with pytest.raises(bp.InputError, match=problem):
            bp.evaluate(*pair, "charR", documents={"d": TEXT}, offsets=offsets)


def test_an_unknown_document_is_told_where(files):
    line = '{"topic": "1", "doc": "d", "start": 0, "end": 1}\n'
    paths = files(truth_jsonl=line, run_jsonl=line + line.replace('"d"', '"e"'))
    with pytest.raises(bp.InputError, match="document e is not in") as error:
        bp.evaluate(paths["truth_jsonl"], paths["run_jsonl"], "charR", documents={"d": TEXT})
    assert "run.jsonl:2" in str(error.value)


def test_the_command_line_takes_documents_and_offsets(files, tmp_path, berrypick):
    documents = tmp_path / "texts"
    documents.mkdir()
    (documents / "d.txt").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    paths = files(
        truth_jsonl=json.dumps({"topic": "1", "doc": "d", "start": 11, "end": 14}),
        run_jsonl=json.dumps({"topic": "1", "doc": "d.txt", "start": 11, "end": 14, "score": 1}),
    )
    options = ["--documents", documents, "--offsets", "bytes", "-o", "json", "-m"]
    done = berrypick("evaluate", paths["truth_jsonl"], paths["run_jsonl"], *options, "charR IoU")
    assert [row["value"] for row in json.loads(done.out)] == [1, 1]
    told = berrypick("explain", paths["truth_jsonl"], paths["run_jsonl"], "--topic", "1", *options[:4], "-m", "charR")
    assert "d.txt#7-10" in told.out
    without = berrypick("evaluate", paths["truth_jsonl"], paths["run_jsonl"], "--offsets", "bytes", "-m", "charR")
    assert without.code == 2 and "--documents" in without.err


# --- tokens -----------------------------------------------------------------------------------------------------------


def test_the_plain_tokenizer():
    text = "It's 3.5 \u00e9t\u00e9s, ok_1!"
    assert [text[a:b] for a, b in words(text)] == ["It's", "3.5", "\u00e9t\u00e9s", ",", "ok_1", "!"]


def test_token_offsets():
    tokens = token_offsets(Texts({"d": "one two  three"}))
    assert tokens.length("d") == 3
    assert tokens.to_tokens("d", np.array([0, 3, 4, 7, 9, 14, 99])).tolist() == [0, 1, 1, 2, 2, 3, 3]
    assert tokens.to_tokens("d", np.array([1])).tolist() == [pytest.approx(1 / 3)]
    assert tokens.to_chars("d", np.array([1.0, 2.5])).tolist()[1] == pytest.approx(11.5)
    with pytest.raises(bp.InputError, match="e is not in the texts"):
        tokens.to_tokens("e", np.array([1]))


@given(texts, st.data())
def test_costs_add_up_wherever_text_is_cut(text, data):
    tokens = token_offsets(Texts({"d": text}))
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    at = np.array([0, *places, len(text)])
    assert tokens.between("d", at[:-1], at[1:]).sum() == pytest.approx(tokens.length("d"))
    assert (np.diff(tokens.to_tokens("d", np.arange(len(text) + 1))) >= 0).all()


@pytest.mark.parametrize("wrong", [["a"], [(0, 1, 2)], 1.5, [(3, 1)], [(0, 99)], [(0, 3), (1, 4)], [5, 3], None])
def test_what_is_no_tokenizer_is_told(wrong):
    with pytest.raises(bp.InputError, match="token"):
        token_offsets(Texts({"d": "abcdef"}), lambda text: wrong).length("d")


def test_texts_without_tokens():
    for text in ("", "  \n"):
        assert token_offsets(Texts({"d": text})).length("d") == 0
    assert corners([], 5, "x")[1].tolist() == [0, 0]


def test_unknown_tokenizers_are_refused():
    for name in ("wordz", "tiktoken:", "tiktoken"):
        with pytest.raises(bp.UsageError, match="tokenizer"):
            get_tokenizer(name)
    with pytest.raises(bp.UsageError, match="callable"):
        get_tokenizer(7)


def test_tokenizers_and_tokens_need_documents():
    truth, run = run_and_truth(0, 1)
    for options in ({"effort": "tokens"}, {"tokenizer": "words"}, {"offsets": "utf16"}):
        with pytest.raises(bp.UsageError, match="documents="):
            bp.evaluate(truth, run, "EPRUM", **options)


def test_tiktoken_counts(encoding):
    text = "the the \U0001f353!"
    tokens = token_offsets(Texts({"d": text}), encoding)
    assert tokens.name == "tiktoken:own"
    count = len(encoding.encode(text))
    assert tokens.length("d") == count
    at = text.index("\U0001f353")
    assert tokens.between("d", np.array([at]), np.array([at + 1])).tolist() == [
        4
    ]  # its bytes are tokens of one character
    assert tokens.to_tokens("d", np.arange(len(text) + 1))[-1] == count


def test_an_encoding_that_tiktoken_does_not_have(encoding):
    with pytest.raises(bp.UsageError, match="no encoding 'nonsense'"):
        get_tokenizer("tiktoken:nonsense")


def test_texts_are_tokenized_once_for_many_evaluations(monkeypatch):
    """A tokenizer with a name finds the tokens of a text once; one's own object may change, and is asked again."""
    from berrypick.documents import tokens

    asked = []
    monkeypatch.setattr(tokens, "words", lambda text: asked.append(text) or [(0, 1), (2, 4)])
    texts, others = bp.read_texts({"d": "a bc", "e": "d ef"}), bp.read_texts({"d": "g hi"})
    for _ in range(3):
        assert tokens.token_offsets(texts).length("d") == tokens.token_offsets(texts, "words").length("d") == 2
    assert asked == ["a bc"]
    tokens.token_offsets(texts).length("e")
    tokens.token_offsets(others).length("d")
    assert asked == ["a bc", "d ef", "g hi"]
    sizes = iter([3, 4])
    own = [tokens.token_offsets(texts, lambda text: next(sizes)).length("d") for _ in range(2)]
    assert own == [3, 4]
