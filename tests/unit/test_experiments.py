"""The papers' experiments run, on a small collection, and the synthetic runs do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.synthetic import degraded, ideal_run
from berrypick.corpus.folder import read_folder
from berrypick.corpus.resolve import resolve_truth

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGN = ROOT / "src" / "berrypick" / "demo" / "campaign"


@pytest.fixture(scope="module")
def collection():
    return read_folder(CAMPAIGN / "collection")


@pytest.fixture(scope="module")
def truth(collection):
    return resolve_truth(bp.read_truth(CAMPAIGN / "assessments.xml"), collection)


def test_ideal_run_is_ideal(truth, collection) -> None:
    run = ideal_run(truth)
    measures = "EPRUM(user='hierarchy') MAep(base='ideal') nxCG@3 nxCG@10"
    (means,) = bp.evaluate(truth, run, measures, collection=collection).mean().values()
    assert means == pytest.approx(dict.fromkeys(means, 1.0))


def test_degraded_without_moves_is_the_same_run(truth, collection) -> None:
    ideal = ideal_run(truth)
    same = degraded(ideal, collection, 0.0, seed=1)
    assert [same.paths[i] for i in same.path] == [ideal.paths[i] for i in ideal.path]


def test_degraded_stays_in_its_document_and_line(truth, collection) -> None:
    ideal = ideal_run(truth)
    moved = degraded(ideal, collection, 0.9, seed=2)
    assert [moved.documents[i] for i in moved.document] == [ideal.documents[i] for i in ideal.document]
    pairs = [(moved.paths[int(a)], ideal.paths[int(b)]) for a, b in zip(moved.path, ideal.path, strict=True)]
    assert all(a == b or a.startswith(b + "/") or b.startswith(a + "/") for a, b in pairs)
    assert sum(a != b for a, b in pairs) > len(pairs) / 2
    again = degraded(ideal, collection, 0.9, seed=2)
    assert np.array_equal(again.path, moved.path)


def test_more_moves_score_less(truth, collection) -> None:
    ideal = ideal_run(truth)
    runs = [degraded(ideal, collection, m, seed=5) for m in (0.0, 0.4, 0.9)]
    means = bp.evaluate(truth, runs, "EPRUM(user='hierarchy')", collection=collection).mean()
    values = [means[run.tag]["EPRUM(user='hierarchy')"] for run in runs]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("script", ["degraded_runs", "correlation", "recall_bases"])
def test_scripts_run(script, tmp_path) -> None:
    command = [sys.executable, str(ROOT / "experiments" / f"{script}.py"), str(CAMPAIGN / "collection")]
    done = subprocess.run(
        [*command, "--topics", "4", "--out", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "topics" in done.stdout
    for picture in tmp_path.glob("*.svg"):
        assert picture.read_text().startswith("<svg")
