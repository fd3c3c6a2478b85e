"""The queries of docs/how-to/logs.md, run by DuckDB and by Spark."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import berrypick as bp

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "logs.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_query_of_duckdb_counts_sessions(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    paths = [["home", "docs", "install"], ["home", "docs"], ["docs", "home", "docs"], ["home"]]
    clicks = pandas.DataFrame(
        [{"session": i, "time": j, "page": page} for i, path in enumerate(paths) for j, page in enumerate(path)]
    )
    clicks.sample(frac=1, random_state=1).to_parquet(tmp_path / "clicks.parquet")
    monkeypatch.chdir(tmp_path)
    (query,) = blocks("sql")
    duckdb.sql(query)
    expected = bp.fit("markov", paths, held_out=0).reader.content
    found = bp.fit("markov", "counts.parquet", held_out=0).reader.content
    assert sorted(found["transitions"]) == sorted(expected["transitions"])
    assert found["visits"] == expected["visits"] and found["parameters"] == expected["parameters"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Spark about versions, sockets and its own code
def test_spark_scores_the_runs_of_a_table(monkeypatch):
    if shutil.which("java") is None:
        pytest.skip("Spark: Java is missing; install a Java runtime (default-jre-headless)")
    pytest.importorskip("pyspark", reason="Spark: pip install --group spark")
    from pyspark.sql import SparkSession

    monkeypatch.setitem(os.environ, "PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:
        truth = [{"topic": "q1", "doc": "a", "start": 0, "end": 10}, {"topic": "q2", "doc": "b", "start": 5, "end": 9}]
        rows = [("small", "q1", "a", 0, 5, 1), ("small", "q2", "b", 5, 9, 1), ("large", "q1", "a", 0, 20, 1),
                ("large", "q2", "c", 0, 9, 1)]  # fmt: skip
        results = spark.createDataFrame(rows, "run string, topic string, doc string, start long, end long, rank long")
        code = next(block for block in blocks("python") if "applyInArrow" in block)
        held = {"truth": truth, "results": results}
        exec(code, held)
        found = {(row.run, row.measure): row.value for row in held["scores"].collect()}
    finally:
        spark.stop()
    # by hand: small finds half of q1 and all of q2; large all of q1, half of what it returns, and nothing of q2
    assert found == {("small", "charR@5"): 0.75, ("small", "charP@5"): 1.0, ("large", "charR@5"): 0.5,
                     ("large", "charP@5"): 0.25}  # fmt: skip
