"""Inputs of a sweep: folders of runs, texts of any script, measures of documents; and what is kept."""

from __future__ import annotations

import os

import pytest
from whole_documents import lines, one_and_two, quiet

import berrypick as bp
from berrypick.analysis.sweep.chunkers import fixed
from berrypick.analysis.sweep.retrievers import bm25, fts5


def test_a_sweep_does_not_overwrite_the_runs_of_another(tmp_path):
    texts, queries = {"d": "Cut the old canes. Pick dry berries. Eat them soon."}, {"q": "old dry soon"}
    truth = {"q": [{"doc": "d", "start": 19, "end": 36}]}

    def sweep(k1: float):
        grid = {"size": [20, 30], "k1": [k1]}
        return bp.sweep(texts, truth, fixed, bm25, "charR@5", queries=queries, grid=grid, keep=tmp_path / "kept")

    sweep(1.2)
    kept = {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    assert set(kept) == {"size=20.jsonl", "size=30.jsonl"}
    with pytest.raises(bp.UsageError, match=r"kept already has size=20.jsonl and 1 more, .* overwrite"):
        sweep(0.5)
    assert {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()} == kept


LINE = b"1 Q0 document 1 1.5 r\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "link", "dangling"])
def test_what_is_no_run_of_a_folder_is_refused_by_name(tmp_path, kind):
    """It was passed over without a word."""
    top = tmp_path / "runs"
    top.mkdir()
    (top / "size=1.run").write_bytes(LINE)
    (tmp_path / "secret").write_bytes(LINE)
    strange = top / "size=2.run"
    if kind == "pipe":
        os.mkfifo(strange)
    else:
        strange.symlink_to({"link": tmp_path / "secret", "dangling": tmp_path / "none"}[kind])
    with pytest.raises(bp.InputError) as error:
        bp.sweep(truth={"1": {"document": 1}}, runs=top, measures="AP")
    assert error.value.path == str(strange)


class Noise(bp.Measure):
    """Retrieved characters that are not relevant."""

    higher_is_better = False

    def compute(self, topic):
        ranking, targets = topic.spans
        relevant = sum(targets.end - targets.start)
        return float(sum(ranking.end - ranking.start) - relevant)


def test_sweep():
    documents = {"d": "apple pear plum. " * 20}
    swept = bp.sweep(
        documents,
        {"q": {"d#0-5": 1}},
        fixed,
        fts5,
        [Noise()],
        queries={"q": "apple"},
        grid={"size": [20, 80], "overlap": [0]},
    )
    values = {row["size"]: row["value"] for row in swept.rows}
    assert swept.best()["size"] == min(values, key=values.get) == 20
    starred = [cell for cell in swept.heatmap("size", "overlap").split() if cell.endswith("*")]
    assert starred and {float(cell[:-1]) for cell in starred} == {min(values.values())}


@pytest.fixture
def written(files):
    return one_and_two(files)


def test_a_sweep_that_chooses_by_documents_warns(tmp_path, written):
    (tmp_path / "runs").mkdir()
    for size in (1, 2):
        (tmp_path / "runs" / f"size={size}.jsonl").write_text(lines("x", start=900, end=950, rank=1))
    swept = bp.sweep(truth=written["truth_jsonl"], measures="MRR charR", runs=tmp_path / "runs")
    with pytest.warns(bp.BerrypickWarning, match="spanRR counts spans"):
        swept.best("MRR")
    quiet(lambda: swept.best("charR"))


def test_jobs_of_a_wrong_type():
    for value in (-1, object()):
        with pytest.raises(bp.UsageError):
            bp.sweep({"d": "a"}, {"q": {"d#0-1": 1}}, queries={"q": "a"}, jobs=value)
