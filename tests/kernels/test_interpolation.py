"""Heights of lines through corners: the compiled form is numpy.interp, to the bit."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick import kernels
from berrypick.kernels import interpolation

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)
LINES = st.lists(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=8), min_size=1, max_size=4)


def test_docstrings():
    assert doctest.testmod(interpolation).failed == 0


@given(LINES, st.data())
def test_many_lines_at_once(lines, data):
    corners = [
        tuple(np.array(column) for column in zip(*sorted(line, key=lambda corner: corner[0]), strict=True))
        for line in lines
    ]
    places = [x for line in lines for x, _ in line]
    asked = data.draw(st.lists(st.tuples(st.integers(0, len(lines) - 1), FINITE | st.sampled_from(places)), max_size=9))
    number, position = np.array([n for n, _ in asked], dtype=np.int64), np.array([x for _, x in asked])
    found = interpolation.interpolate(corners, number, position)
    assert found.tolist() == [float(np.interp(x, *corners[n])) for n, x in asked]


def test_the_plain_form(monkeypatch):
    corners = [(np.array([0.0, 4.0]), np.array([0.0, 1.0])), (np.array([1.0]), np.array([7.0]))]
    line, position = np.array([0, 1, 0, 0, 1]), np.array([1, 0, 9, -1, 5])
    found = interpolation.interpolate(corners, line, position)
    monkeypatch.setattr(kernels, "_native", None)
    assert found.tolist() == interpolation.interpolate(corners, line, position).tolist() == [0.25, 7.0, 1.0, 0.0, 7.0]


def test_what_the_compiled_form_refuses():
    if (compiled := kernels.native()) is None:
        pytest.skip("no compiled kernels")
    x, y, out = np.array([0.0, 4.0]), np.array([0.0, 1.0]), np.empty(1)
    line, position = np.zeros(1, dtype=np.int64), np.zeros(1)
    for given_lines, number, where, to in [
        ([(x, y)], line + 1, position, out), ([(x, y)], line - 1, position, out), ([], line, position, out),
        ([(x, y[:1])], line, position, out), ([(x[:0], y[:0])], line, position, out),
        ([(x, y)], line, position, x[:1]), ([(x, y)], line, np.zeros(2), out),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=r"line|corner|values|memory"):
            compiled.interpolate(given_lines, number, where, to)
    for wrong in ([(x.astype(np.int64), y)], [x], ["ab"], [(x[::2], y[::2], y)]):
        with pytest.raises((TypeError, RuntimeError, ValueError)):
            compiled.interpolate(wrong, line, position, out)
