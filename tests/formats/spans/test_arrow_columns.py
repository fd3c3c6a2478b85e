"""Parquet and data frames, read column by column through Arrow and row by row: the same runs and judgements."""

from __future__ import annotations

import numpy as np
import pytest
from comparable_values import told
from drawn_spans import SHAPES, outcome_of, value_of

import berrypick as bp
from berrypick.data.errors import BerrypickError
from berrypick.formats.base import Problems
from berrypick.formats.spans import span_table
from berrypick.formats.spans.span_table import SpanTableRun, SpanTableTruth
from berrypick.inputs import frames
from berrypick.rows.arrow_columns import in_order

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

FLAT = [shape for shape in SHAPES if not any("." in name or name in ("list", "object", "null") for name in shape)]
ODD = [None, float("nan"), -1, 2**53, 2**60, "x", "", True, 1.5, "a\0b", "a\nb"]


def table_of(draw, shape, rows):
    columns = {name: [value_of(name, draw, row) for row in range(rows)] for name in shape}
    made = {}
    for name, values in columns.items():
        column = pa.array([float(value) for value in values] if {*map(type, values)} == {int, float} else values)
        if draw.random() < 0.3 and pa.types.is_string(column.type):
            column = column.dictionary_encode()
        made[name] = column
    return pa.table(made)


def outcome(path, monkeypatch, direct):
    if not direct:
        monkeypatch.setattr(span_table, "typed_parquet", lambda *given: None)
    found = outcome_of(SpanTableRun, path)
    try:
        truth = told(SpanTableTruth.read(str(path), Problems(str(path))))
    except BerrypickError as error:
        truth = str(error)
    monkeypatch.undo()
    return found, truth


@pytest.mark.parametrize("seed", range(40))
def test_parquet_is_read_the_same_column_by_column(seed, tmp_path, monkeypatch):
    draw = np.random.default_rng(seed)
    table = table_of(draw, FLAT[seed % len(FLAT)], 30)
    path = tmp_path / "run.parquet"
    if seed % 3 == 2:  # one value that is odd
        name, row = str(draw.choice(table.column_names)), int(draw.integers(30))
        values = table[name].to_pylist()
        values[row] = ODD[int(draw.integers(len(ODD)))]
        try:
            table = table.set_column(table.column_names.index(name), name, pa.array(values))
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # a column of Arrow has values of one type
            values[row] = None
            table = table.set_column(table.column_names.index(name), name, pa.array(values))
    parquet.write_table(table, path, row_group_size=11)
    assert outcome(path, monkeypatch, True) == outcome(path, monkeypatch, False)


@pytest.mark.parametrize("unit", [("start", "end"), ("start_line", "end_line"), ("start_time", "end_time")])
def test_judged_parquet_is_read_the_same(unit, tmp_path, monkeypatch):
    rows = range(20)
    columns = {"topic": [f"q{row // 3}" for row in rows], "doc": [f"d{row % 4}" for row in rows]}
    columns |= {unit[0]: [2 * row + 1 for row in rows], unit[1]: [2 * row + 5 for row in rows]}
    path = tmp_path / "truth.parquet"
    parquet.write_table(pa.table({**columns, "grade": [float(row % 2) for row in rows]}), path)
    found = outcome(path, monkeypatch, True)
    assert found == outcome(path, monkeypatch, False) and not isinstance(found[1], str)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas"])
def test_frames_are_read_the_same_column_by_column(seed, kind, monkeypatch):
    draw = np.random.default_rng(seed)
    table = table_of(draw, [name for name in FLAT[seed % len(FLAT)] if name != "tag"], 40)
    frame = table if kind == "arrow" else pytest.importorskip("polars").from_arrow(table) if kind == "polars" else table
    frame = frame.to_pandas() if kind == "pandas" else frame

    def read():
        try:
            run = bp.run_from_frame(frame)
        except BerrypickError as error:
            return str(error)
        return told(run)

    fast = read()
    monkeypatch.setattr(frames, "arrow_column", lambda *given: None)
    assert fast == read()


def test_names_are_in_the_order_of_their_first_appearance():
    draw = np.random.default_rng(1)
    for _ in range(50):
        names = [
            f"n{one}" for one in draw.integers(0, 6, 7)
        ]  # a dictionary may hold a name twice, or one that no row has
        codes = draw.integers(0, len(names), 12).astype(np.int32)
        found = in_order(names, codes)
        held = [names[code] for code in codes]
        assert list(found.names) == list(dict.fromkeys(held))
        assert [found.names[code] for code in found.codes] == held


def test_many_equal_rows_are_read_however_small_the_file_is(tmp_path):
    rows = 300_000
    path = tmp_path / "run.parquet"
    columns = {"topic": ["q"] * rows, "doc": ["a"] * rows, "start": [1] * rows, "end": [9] * rows}
    parquet.write_table(pa.table({**columns, "rank": np.arange(rows)}), path)
    assert path.stat().st_size < 2_000_000
    assert bp.read_run(path).size() == rows
