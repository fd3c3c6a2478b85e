"""Results, comparisons, correlations and sweeps as Arrow tables."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from handmade_results import results

import berrypick as bp
from berrypick.analysis.sweep.sweep import Sweep

VALUES = {"a": {"AP": [0.5, None, 0.25], "charR@5": [1.0, 0.5, 0.0]}, "b": {"AP": [None] * 3, "charR@5": [0.0, 1, 0.5]}}


def everything():
    """One of each class that is a table, with the rows it must have."""
    made = results(VALUES)
    compared = bp.compare(made, baseline="a", resamples=200)
    changed = bp.diff(made, results({"a": {"AP": [0.5, 0.5, 0.5], "charR@5": [1.0, 0.5, 0.0]}, "b": VALUES["b"]}))
    correlated = bp.correlate(
        results({run: dict.fromkeys(("AP", "charR@5"), values["charR@5"]) for run, values in VALUES.items()})
    )
    swept = Sweep(({"size": 100, "by": "words"}, {"size": None, "by": 3}), ("a", "b"), (4, None), made)
    return {
        "results": (made, made._columns(), len(made)),
        "comparison": (compared, None, len(compared.rows())),
        "difference": (changed, changed._columns(), len(changed.changes)),
        "correlations": (correlated, None, len(correlated)),
        "sweep": (swept, None, len(swept.rows)),
    }


@pytest.mark.parametrize("name", ["results", "comparison", "difference", "correlations", "sweep"])
def test_pyarrow_polars_duckdb_and_pandas_read_the_same_rows(name):
    value, columns, count = everything()[name]
    table = pa.table(value)
    assert table.num_rows == count > 0
    rows = table.to_pylist()
    if columns is not None:
        assert table.to_pydict() == columns
    assert pl.DataFrame(value).to_dicts() == rows
    found = duckdb.sql("select * from value")
    assert [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()] == rows
    frame = pd.DataFrame.from_arrow(value) if hasattr(pd.DataFrame, "from_arrow") else table.to_pandas()
    assert list(frame.columns) == table.column_names and len(frame) == count


def test_rows_are_those_of_the_other_outputs():
    made = everything()
    assert pa.table(made["comparison"][0]).to_pylist() == made["comparison"][0].rows()
    assert pa.table(made["difference"][0]).to_pylist() == made["difference"][0].records()
    rows = pa.table(made["sweep"][0]).to_pylist()
    assert [row["by"] for row in rows] == ["words", "words", "3", "3"]  # values of two types are texts
    assert [{**row, "by": None} for row in rows] == [{**row, "by": None} for row in made["sweep"][0].rows]
