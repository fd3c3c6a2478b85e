"""Products of matrices by one thread, and as many as before behind it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from berrypick.statistics import statistics
from berrypick.workers import blas_threads
from berrypick.workers.blas_threads import one_blas_thread


class Library:
    """A library that remembers what it was told."""

    def __init__(self, threads):
        self.threads, self.told = threads, []

    def controls(self):
        return (lambda: self.threads), self.change

    def change(self, threads):
        self.threads = threads
        self.told.append(threads)


@pytest.fixture
def library(monkeypatch):
    made = Library(8)
    monkeypatch.setattr(blas_threads, "_controls", made.controls)
    return made


def test_one_within_and_as_many_as_before_behind(library):
    with one_blas_thread():
        assert library.threads == 1
        with one_blas_thread():
            assert library.threads == 1
        assert library.threads == 1
    assert library.threads == 8 and library.told == [1, 8]
    with pytest.raises(ValueError, match="within"), one_blas_thread():
        raise ValueError("within")
    assert library.threads == 8


def test_threads_that_overlap_leave_the_number_as_it_was(library):
    meet = Barrier(4)

    def work(_):
        with one_blas_thread():
            meet.wait(30)
            return library.threads

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [1] * 4
    assert library.threads == 8


def test_a_library_with_one_thread_is_left_alone(monkeypatch):
    made = Library(1)
    monkeypatch.setattr(blas_threads, "_controls", made.controls)
    with one_blas_thread():
        pass
    assert made.told == []


def test_intervals_are_drawn_by_one_thread(library, monkeypatch):
    seen = []
    block = statistics._bootstrap_block
    monkeypatch.setattr(statistics, "_bootstrap_block", lambda *given: seen.append(library.threads) or block(*given))
    statistics.bootstrap(np.arange(12.0).reshape(6, 2))
    assert seen == [1] and library.threads == 8


def test_the_library_of_this_installation():
    """Found where wheels of NumPy put it; nothing happens where it is another one."""
    controls = blas_threads._controls()
    if controls is None:
        pytest.skip("OpenBLAS: NumPy has brought none along")
    before = controls[0]()
    assert 1 <= before < 10_000
    with one_blas_thread():
        assert controls[0]() == 1
    assert controls[0]() == before


def test_without_controls_nothing_changes(monkeypatch):
    monkeypatch.setattr(blas_threads, "_controls", lambda: None)
    with one_blas_thread():
        assert blas_threads._inside == 0
