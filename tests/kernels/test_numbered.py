"""Documents numbered as they are met, text counted once, articles scored at once: compiled, plain, and by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.kernels import _native
from berrypick.kernels.relevant_text import Measured, MeasuredText, first_seen, numbered_documents, once, read_lists

KERNELS = ["numpy", pytest.param("native", marks=pytest.mark.skipif(_native is None, reason="no compiled kernels"))]
rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(-2, 12)), max_size=30)


def columns(given: list[tuple[int, int, int]]) -> list[np.ndarray]:
    return [
        np.array(column, dtype=np.int64)
        for column in ([d for d, _, _ in given], [a for _, a, _ in given], [a + n for _, a, n in given])
    ]


@pytest.mark.parametrize("kernels", KERNELS)
def test_documents_are_numbered_in_the_order_of_appearance(kernels, monkeypatch):
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    rng = np.random.default_rng(1)
    for size in (0, 1, 7, 3000):
        document = rng.integers(0, max(1, size // 2), size) * 10 ** rng.integers(0, 12)
        number, code = numbered_documents(document)
        assert code.tolist() == list(dict.fromkeys(document.tolist()))
        assert code[number].tolist() == document.tolist()


@pytest.mark.parametrize("kernels", KERNELS)
@given(rows)
def test_text_is_counted_once(kernels, given):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERRYPICK_KERNELS", kernels)
        document, start, end = columns(given)
        letters = {(d, i) for d, a, n in given for i in range(a, a + n)}
        assert once(document, start, end) == len(letters)
        assert first_seen(document, start, end, {})[0].sum() == len(letters)


@pytest.mark.parametrize("kernels", KERNELS)
@given(st.lists(st.tuples(rows, rows), max_size=4), st.permutations(range(6)))
def test_lists_of_topics_are_read_as_each_by_itself(kernels, topics, codes):
    """The list of each topic and its relevant text, whose documents have other codes, or none."""
    codes = [-1 if code > 3 else code for code in codes]
    found = [columns(row) for row, _ in topics]
    bounds = np.cumsum([0, *(len(one[0]) for one in found)])
    document, start, end = (
        (np.concatenate([np.zeros(0, dtype=np.int64), *column]) for column in zip(*found, strict=True))
        if found
        else (np.zeros(0, dtype=np.int64),) * 3
    )
    texts = [MeasuredText.merged(d, 6, a, np.maximum(a, b)) for d, a, b in (columns(text) for _, text in topics)]
    whole = MeasuredText.one_by_one([one for text in texts for one in text.measured()], start[:0], end[:0])
    first = 6 * np.arange(len(topics))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERRYPICK_KERNELS", kernels)
        read = read_lists(
            bounds, document, start, end, (first, first + 6), np.array(codes * len(topics), dtype=np.int64), whole
        )
    for i, (low, high) in enumerate(pairwise(bounds.tolist())):
        own = [column[low:high] for column in read]
        texts_of = {code: texts[i].measured()[name] for name, code in enumerate(codes) if code >= 0}
        new, good = first_seen(*found[i], texts_of)
        assert (own[0].tolist(), own[1].tolist()) == (new.tolist(), good.tolist())
        met = list(dict.fromkeys(found[i][0].tolist()))
        assert own[2].tolist() == [met.index(code) for code in found[i][0].tolist()]
        place = {code: 6 * i + name for name, code in enumerate(codes) if code >= 0}
        assert own[3].tolist() == [place.get(code, -1) for code in found[i][0].tolist()]


def test_text_far_out_is_counted_too():
    document, start = np.zeros(3, dtype=np.int64), np.array([0, 2**60, 2**60 + 5], dtype=np.int64)
    assert once(document, start, start + 10) == 25


@given(rows)
def test_relevant_text_of_documents_is_that_of_each(given):
    document, start, end = columns([(d, a, max(n, 0)) for d, a, n in given])
    text = MeasuredText.merged(document, 6, start, end)
    for i, measured in enumerate(text.measured()):
        own = Measured(start[document == i], end[document == i])
        assert measured.start.tolist() == own.start.tolist() and measured.end.tolist() == own.end.tolist()
        assert measured.total == own.total == text.total[i]
    some = text.of_documents(np.array([4, 1, 3]))
    assert [m.start.tolist() for m in some.measured()] == [text.measured()[i].start.tolist() for i in (4, 1, 3)]
