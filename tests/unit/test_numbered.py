"""Documents numbered as they are met, text counted once, articles scored at once: compiled, plain, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick.kernels import _native
from berrypick.kernels.relevant_text import Measured, MeasuredText, first_seen, numbered_documents, once

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
