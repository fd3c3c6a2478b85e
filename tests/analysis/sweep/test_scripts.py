"""Built-in retrievers and the sentence chunker on texts of any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.analysis.sweep.chunkers import sentences
from berrypick.analysis.sweep.retrievers import Chunk, bm25, fts5

HINDI = "रसभरी जुलाई में पकती है। पुरानी शाखाएँ काट दो। सूखे दिन में तोड़ो।"


CHINESE = "树莓七月成熟。秋天剪掉老枝。干燥时采摘！"


JAPANESE = "ラズベリーは七月に実る。秋に古い枝を切る。"


THAI = "ราสเบอร์รี่สุกในเดือนกรกฎาคม"


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("." * 1_000_000, 1),
        ('."' * 500_000, 1),
        ("." * 500_000 + '"' * 500_000 + "x", 1),
        ("?!… " * 250_000, 250_000),
        ("．1" * 300_000, 1),
    ],
)
def test_rows_of_full_stops_are_cut_in_one_pass(text, expected):
    assert len(sentences(text)) == expected
