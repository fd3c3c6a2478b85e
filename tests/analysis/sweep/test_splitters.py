"""Splitters of other libraries as chunkers: their chunks get the places they were cut from."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.analysis.sweep.splitters import as_chunker, place_in_order, spans_of

TEXT = "Pick berries early. Pick berries dry.\n\nWash them late. Pick berries early.\n\n\nEat them. " * 4


@given(st.lists(st.sampled_from(["ab", "ba", "a", "b", "aba"]), min_size=1, max_size=8), st.integers(0, 2))
def test_chunks_of_words_are_covered_in_order(words, overlap):
    text = " ".join(words)
    size = overlap + 1
    cut = [words[i : i + size] for i in range(0, len(words), size - overlap)]
    chunks = [" ".join(part) for part in cut]
    while len(chunks) > 1 and len(cut[-1]) <= overlap:  # a chunk that is all overlap
        chunks.pop(), cut.pop()
    spans = place_in_order(chunks, text)
    assert [text[start:end] for start, end in spans] == chunks
    assert spans == sorted(spans) and spans[0][0] == 0 and spans[-1][1] == len(text)
    assert all(not text[end:start].strip() for (_, end), (start, _) in pairwise(spans))


def test_repeated_chunks_get_their_own_places():
    assert place_in_order(["a b", "a b"], " a b\n\na b ") == [(1, 4), (6, 9)]
    assert place_in_order(["one", "two"], "# Head\none\n# Tail\ntwo") == [(7, 10), (18, 21)]  # headings left out
    with pytest.raises(bp.UsageError, match="several times"):
        place_in_order(["one", "two"], "one # Head one two")
    with pytest.raises(bp.UsageError, match="blank"):
        place_in_order(["one", " "], "one ")


def splitters():
    langchain = pytest.importorskip("langchain_text_splitters", reason="the group rag is not installed")
    chonkie = pytest.importorskip("chonkie", reason="the group rag is not installed")
    llama = pytest.importorskip("llama_index.core.node_parser", reason="the group rag is not installed")
    yield langchain.RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=15)
    yield langchain.RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0)
    yield langchain.CharacterTextSplitter(separator="\n\n", chunk_size=60, chunk_overlap=0)
    yield chonkie.RecursiveChunker(chunk_size=40)
    yield chonkie.TokenChunker(chunk_size=40, chunk_overlap=10)
    yield llama.TokenTextSplitter(chunk_size=12, chunk_overlap=4)
    yield llama.MarkdownNodeParser()


def test_splitters_of_libraries_are_placed_exactly():
    seen = 0
    for splitter in splitters():
        function = as_chunker(splitter)
        found = list(function(TEXT))
        spans = spans_of(found, TEXT)
        held = [one if isinstance(one, str) else getattr(one, "text", "") for one in found]
        assert [TEXT[start:end] for start, end in spans] == held, type(splitter).__name__
        starts = [start for start, _ in spans]
        assert starts == sorted(starts) and TEXT[spans[-1][1] :].strip() == "", type(splitter).__name__
        seen += 1
    assert seen == 7


def test_a_sweep_takes_splitters_and_lists_of_strings():
    langchain = pytest.importorskip("langchain_text_splitters", reason="the group rag is not installed")
    splitter = langchain.RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0)
    chunkers = {"langchain": splitter, "lines": lambda text: [line for line in text.split("\n") if line.strip()]}
    truth = {"q": {"guide#39-54": 1}}
    found = bp.sweep({"guide": TEXT.strip()}, truth, chunkers, measures="charR@3", queries={"q": "wash them late"})
    assert {row["chunker"]: row["value"] for row in found.rows} == {"langchain": 1.0, "lines": 1.0}
    alone = bp.sweep({"guide": TEXT.strip()}, truth, splitter, measures="charR@3", queries={"q": "wash them late"})
    assert alone.rows[0]["chunker"] == "RecursiveCharacterTextSplitter"
