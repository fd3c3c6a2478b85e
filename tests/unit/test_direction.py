"""A measure of one's own where smaller is better is the right way round wherever runs are ranked."""

from __future__ import annotations

import json

import pytest
from quick_and_slow import TRUTH, Dwell, runs

import berrypick as bp
from berrypick.report.text import best
from berrypick.report.text import render as render_results


@pytest.fixture(scope="module")
def results():
    return bp.evaluate(TRUTH, runs(), [Dwell()])


def test_values(results):
    assert results.mean() == {"slow": {"Dwell": 2.0}, "quick": {"Dwell": 0.0}}
    assert results.info("Dwell").higher_is_better is False


def test_comparison(results):
    compared = bp.compare(results, baseline="quick")
    slow = compared.pair("Dwell", "slow", "quick")
    assert slow.worse and not slow.better and (slow.wins, slow.losses) == (0, 12)
    assert compared.estimate("Dwell", "quick").beats == ("a",) and compared.estimate("Dwell", "slow").beats == ()
    assert "Dwell, smaller is better" in str(compared)
    assert r"\textbf{0.0000}" in compared.table("latex") and r"\textbf{2.0000}" not in compared.table("latex")
    assert "font-weight:bold" in compared._repr_html_().split("0.0000")[0].rsplit("<td", 1)[1]


def test_gates(results):
    compared = bp.compare(results)
    (reason,) = compared.unmet(worse_than="quick")
    assert reason.startswith("slow: Dwell is significantly worse than quick, 2.0000 against 0.0000")
    assert compared.unmet(worse_than="slow") == []


def test_best_of_a_table(results):
    assert best(results) == [(1, 1)]
    marked = []
    render_results(results, "table", False, 4, lambda table, strong: marked.extend(strong) or "")
    assert marked == [(1, 1)]
    assert "font-weight:bold" in results._repr_html_().split("0.0000")[0].rsplit("<td", 1)[1]


def test_diff(results):
    worse = results.only(runs=["quick"]).renamed({"quick": "run"})
    better = results.only(runs=["slow"]).renamed({"slow": "run"})
    found = bp.diff(better, worse, force=True)
    assert (found.summaries[0].better, found.summaries[0].worse) == (12, 0)


@pytest.mark.parametrize("file_first", [True, False])
def test_diff_of_results_and_a_file_takes_the_direction_that_is_known(results, tmp_path, file_first):
    slow = results.only(runs=["slow"]).renamed({"slow": "run"})
    quick = results.only(runs=["quick"]).renamed({"quick": "run"})
    path = tmp_path / "results.json"
    path.write_text(json.dumps((slow if file_first else quick).records()), encoding="utf-8")
    found = bp.diff(path, quick) if file_first else bp.diff(slow, path)
    assert (found.summaries[0].better, found.summaries[0].worse) == (12, 0)
    assert not found.notes


def test_diff_of_files_says_that_the_direction_is_not_known(results, tmp_path):
    for name, one in (("old", results["slow"]), ("new", results["quick"])):
        records = one.renamed({"slow": "run", "quick": "run"}).records()
        (tmp_path / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
    found = bp.diff(tmp_path / "old.json", tmp_path / "new.json")
    assert [str(note) for note in found.notes] == [
        "Dwell: not a measure known here; better and worse are counted as if larger values were better"
    ]
