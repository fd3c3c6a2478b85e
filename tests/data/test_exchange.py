"""Results in other libraries: names of metrics, Arrow tables."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys

import pyarrow as pa
import pytest
from handmade_results import results

import berrypick as bp
from berrypick.data import exchange as arrow
from berrypick.data import results as metric_names
from berrypick.data.exchange import arrow_stream
from berrypick.data.results import TopicGroups
from berrypick.measures import registry

#: MLflow's rule for names of metrics, without the characters that only some of its versions and stores accept.
MLFLOW = re.compile(r"[A-Za-z0-9_.-]{1,250}")
VALUES = {"a": {"AP": [0.5, None, 0.25], "charR@5": [1.0, 0.5, 0.0]}, "b": {"AP": [None] * 3, "charR@5": [0.0, 1, 0.5]}}


# metrics


def test_metrics_of_one_run_are_a_dictionary():
    assert results({"a": VALUES["a"]}).metrics() == {"AP": 0.375, "charR_at_5": 0.5}


def test_metrics_of_several_runs_are_a_dictionary_each_without_undefined_means():
    assert results(VALUES).metrics() == {"a": {"AP": 0.375, "charR_at_5": 0.5}, "b": {"charR_at_5": 0.5}}
    assert results({}).metrics() == {}


def test_every_name_is_one_that_mlflow_accepts():
    assert doctest.testmod(metric_names).failed == 0
    asked = [*registry.names(), "AgP(score='t2i',tolerance=300)@.5", "é(x='ü/..')", "@", "..", "m" * 300, "m" * 301]
    found = metric_names.metric_names(asked)
    assert list(found) == asked
    assert all(MLFLOW.fullmatch(name) and not name.startswith(".") for name in found.values())


def test_names_stay_apart():
    found = metric_names.metric_names(["P@5", "P_at_5", "p_AT_5", "f(x='a b')", "f(x='a,b')"])
    assert list(found.values()) == ["P_at_5", "P_at_5_2", "p_AT_5_3", "f_x_a_b", "f_x_a_b_2"]
    many = metric_names.metric_names(f"{'m' * 300}{i}" for i in range(20))
    assert len({name.lower() for name in many.values()}) == 20


def test_mlflow_takes_them(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow-skinny is not installed", exc_type=ImportError)
    from mlflow.utils.validation import _validate_metric_name

    for name in metric_names.metric_names([*registry.names(), "AgP(score='t2i',tolerance=300)@.5", "m" * 300]).values():
        _validate_metric_name(name)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = mlflow.MlflowClient(tracking_uri=(tmp_path / "runs").as_uri())
    run = client.create_run(client.create_experiment("one")).info.run_id
    metrics = results({"a": VALUES["a"]}).metrics()
    for name, value in metrics.items():
        client.log_metric(run, name, value)
    assert client.get_run(run).data.metrics == metrics


def test_wandb_takes_rows(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="wandb: make test GROUPS=integrations installs it")
    made = results(VALUES)
    table = wandb.Table(columns=made.columns, data=made.rows())
    assert table.columns == made.columns and table.data == [list(row.values()) for row in made.records()]
    means = wandb.Table(columns=made.columns, data=made.rows(per_topic=False))
    assert [row[1] for row in means.data] == ["all"] * len(made.mean_rows)
    with wandb.init(mode="offline", dir=tmp_path) as run:
        run.log({"results": table, **results({"a": VALUES["a"]}).metrics()})
    (saved,) = tmp_path.rglob("*.table.json")
    assert json.loads(saved.read_text(encoding="utf-8")) == {"columns": made.columns, "data": made.rows()}


# Arrow


def test_types_do_not_depend_on_the_values():
    undefined = results({"a": {"AP": [None]}, "b": {"AP": [None]}})
    for one in (undefined, bp.compare(undefined, resamples=100), results({})):
        schema = pa.table(one).schema
        assert not any(pa.types.is_null(field.type) for field in schema)
        assert all(pa.types.is_float64(schema.field(n).type) for n in ("value", "old", "p") if n in schema.names)


def test_groups_are_a_column():
    from dataclasses import replace

    made = replace(results(VALUES), groups=TopicGroups("kind", {"0": "x"}))
    assert pa.table(made).column_names[-1] == "group"
    assert pa.table(made).schema.field("group").type == pa.string()


def test_names_that_cannot_be_encoded_are_escaped():
    table = pa.table(results({"a\udcff": {"AP": [1.0]}}))
    assert table["run"].to_pylist() == ["a\\udcff"] * 2
    assert pa.table(_Wrapped({"x": ["\udcff", "y"]}))["x"].to_pylist() == ["\\udcff", "y"]


def test_a_schema_can_be_requested():
    large = pa.schema([pa.field("x", pa.large_string())])
    assert pa.table(_Wrapped({"x": ["y"]}), schema=large).schema == large


class _Wrapped:
    def __init__(self, columns):
        self.columns = columns

    def __arrow_c_stream__(self, requested_schema=None):
        return arrow_stream(self.columns, {}, requested_schema)


def test_without_pyarrow_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(bp.UsageError, match=r"needs pyarrow: pip install 'berrypick\[frames\]'"):
        arrow.arrow_stream({}, {})


def test_results_do_not_load_pyarrow():
    code = "import sys, berrypick.analysis.comparison.compare; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
