"""What other parts give to a difference: directions of measures, names of runs, groups, hostile names, pipes."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from handmade_results import results
from smaller_is_better import TRUTH, Dwell, runs

import berrypick as bp


@pytest.fixture(scope="module")
def dwelt():
    return bp.evaluate(TRUTH, runs(), [Dwell()])


def test_diff(dwelt):
    worse = dwelt.only(runs=["quick"]).renamed({"quick": "run"})
    better = dwelt.only(runs=["slow"]).renamed({"slow": "run"})
    found = bp.diff(better, worse, force=True)
    assert (found.summaries[0].better, found.summaries[0].worse) == (12, 0)


@pytest.mark.parametrize("file_first", [True, False])
def test_diff_of_results_and_a_file_takes_the_direction_that_is_known(dwelt, tmp_path, file_first):
    slow = dwelt.only(runs=["slow"]).renamed({"slow": "run"})
    quick = dwelt.only(runs=["quick"]).renamed({"quick": "run"})
    path = tmp_path / "results.json"
    path.write_text(json.dumps((slow if file_first else quick).records()), encoding="utf-8")
    found = bp.diff(path, quick) if file_first else bp.diff(slow, path)
    assert (found.summaries[0].better, found.summaries[0].worse) == (12, 0)
    assert not found.notes


def test_diff_of_files_says_that_the_direction_is_not_known(dwelt, tmp_path):
    for name, one in (("old", dwelt["slow"]), ("new", dwelt["quick"])):
        records = one.renamed({"slow": "run", "quick": "run"}).records()
        (tmp_path / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
    found = bp.diff(tmp_path / "old.json", tmp_path / "new.json")
    assert [str(note) for note in found.notes] == [
        "Dwell: not a measure known here; better and worse are counted as if larger values were better"
    ]


def of_runs(**values: float):
    return bp.concat(
        *(bp.evaluate({"q": {"a": 1}}, {name: {"q": {"a": value}}}, "AP") for name, value in values.items())
    )


def test_diff_renames_the_runs_of_a_sweep(berrypick, tmp_path):
    old, new = of_runs(**{"size=100,k1=1.2": 1.0, "same": 1.0}), of_runs(**{"size=200,k1=1.2": 1.0, "same": 1.0})
    for name, found in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(found.records()))
    done = berrypick(
        "diff", tmp_path / "old.json", tmp_path / "new.json", "--rename", "size=100,k1=1.2=size=200,k1=1.2"
    )
    assert done.code == 0, done.err
    assert not bp.diff(old, new, rename={"size=100,k1=1.2": "size=200,k1=1.2"})
    assert not bp.diff(old, new, rename=["size=100,k1=1.2=size=200,k1=1.2"])
    with pytest.raises(bp.UsageError, match="no run v1 to rename"):
        bp.diff(old, new, rename=["v1=v2"])
    both = of_runs(**{"a": 1.0, "a=b": 1.0}), of_runs(**{"b=c": 1.0, "c": 1.0})
    with pytest.raises(bp.UsageError, match="could mean 'a' to 'b=c' or 'a=b' to 'c'"):
        bp.diff(*both, rename=["a=b=c"])


def test_a_difference_compares_topics_and_says_so(tmp_path, berrypick):
    files = tmp_path
    (files / "truth.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 10, "domain": "law"}\n')
    (files / "run.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 2}\n')
    inputs = (files / "truth.jsonl", files / "run.jsonl", "-m", "charR", "--by", "domain")
    (files / "old.json").write_text(berrypick("evaluate", *inputs, "-q", "-o", "json").out)
    done = berrypick("diff", files / "old.json", files / "old.json")
    assert done.code == 0 and "means of groups are not compared" in done.err and done.out.count("\n") == 1


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_results_with_odd_names_are_compared(tmp_path, berrypick, odd):
    record = {"topic": f"1{odd}2", "doc": f"d{odd}", "start": 0, "end": 10}
    (tmp_path / "t.jsonl").write_text(json.dumps(record), "utf-8")
    (tmp_path / "r.jsonl").write_text(json.dumps({**record, "score": 1, "tag": f"s{odd}s"}), "utf-8")
    done = berrypick("evaluate", tmp_path / "t.jsonl", tmp_path / "r.jsonl", "-m", "EPRUM charR@5", "-q", "-o", "jsonl")
    (tmp_path / "h.jsonl").write_text(done.out, "utf-8")
    assert berrypick("diff", tmp_path / "h.jsonl", tmp_path / "h.jsonl", "--fail-if-different").code == 0


@pytest.mark.parametrize("value", [-1, object()])
def test_values_of_wrong_types(value):
    one = bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP")
    for given in ({"tolerance": value, "new": one}, {"new": value}):
        with pytest.raises(bp.UsageError):
            bp.diff(one, **given)


@pytest.mark.parametrize("name", ["=1+1", "+SUM(A1)", "-1+1", "@cmd", "\t=1", "＝1+1", "=cmd|' /C calc'!A0"])
def test_text_in_csv_is_no_formula(name):
    found = bp.diff(results({name: {"AP": [0.1, 0.2]}}), results({name: {"AP": [0.3, 0.1]}}))
    cells = [cell for row in csv.reader(io.StringIO(found.table("csv"), newline="")) for cell in row]
    assert f"'{name}" in cells
    for cell in cells:
        assert not cell.startswith(tuple("=+-@\t＝")) or re.fullmatch(r"[+-]\d+(\.\d+)?(e-?\d+)?", cell)
    raw = csv.reader(io.StringIO(found.table("tsv"), newline=""), delimiter="\t")
    assert name in {cell for row in raw for cell in row}
    assert name in {record["run"] for record in json.loads(found.table("json"))}


def test_types_do_not_depend_on_the_values():
    pa = pytest.importorskip("pyarrow")
    undefined = results({"a": {"AP": [None]}, "b": {"AP": [None]}})
    schema = pa.table(bp.diff(undefined, undefined)).schema
    assert not any(pa.types.is_null(field.type) for field in schema)
    assert all(pa.types.is_float64(schema.field(name).type) for name in ("old", "new", "change"))
