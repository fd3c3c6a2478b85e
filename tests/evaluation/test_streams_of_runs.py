"""Runs given as files are read, scored and dropped one after the other; the results are those of runs in memory."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

import berrypick as bp
from berrypick import formats
from berrypick.given.convert import RunFile

MEASURES = "AP nDCG@10 EPRUM infAP"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, list[str]]:
    """Five runs, two with one tag, one that leaves topics out."""
    truth = tmp_path / "truth.qrels"
    truth.write_text("".join(f"{t} 0 d{d} {(d + t) % 3}\n" for t in range(1, 8) for d in range(6)))
    runs = []
    for i, tag in enumerate(["a", "b", "same", "same", "e"]):
        lines = [
            f"{t} Q0 d{(d * (i + 2)) % 7} {d} {9 - d} {tag}\n" for t in range(1 + (i == 4) * 3, 9) for d in range(7)
        ]
        path = tmp_path / f"{i}.run"
        path.write_text("".join(lines))
        runs.append(str(path))
    return str(truth), runs


@pytest.mark.parametrize("jobs", [1, 2, 9])
@pytest.mark.parametrize("topics", ["judged", "run"])
def test_files_give_what_values_give(files: Any, jobs: int, topics: str) -> None:
    truth, paths = files
    steps: list[tuple[int, int]] = []
    values = bp.evaluate(truth, [bp.read_run(path) for path in paths], MEASURES, topics=topics)
    found = bp.evaluate(truth, paths, MEASURES, topics=topics, jobs=jobs, progress=lambda *step: steps.append(step))
    assert list(found) == list(values)
    assert found.notes == values.notes and found.run_facts == values.run_facts
    assert found.runs == ("a", "b", "2", "3", "e")
    if jobs < 9:  # else topics are shared, and those that are not asked for are not among them
        assert steps[-1] == (35, 35)


def test_one_run_is_kept_at_a_time(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[bp.Run]] = []
    most = 0
    read = formats.read_any

    def counting(path: Any, role: str, format: str | None = None, **part: Any) -> Any:
        nonlocal most
        gc.collect()
        run = read(path, role, format, **part)
        if role != "run":
            return run
        alive.append(weakref.ref(run))
        most = max(most, sum(one() is not None for one in alive))
        return run

    monkeypatch.setattr(formats, "read_any", counting)
    bp.evaluate(files[0], files[1], MEASURES)
    assert len(alive) == 5 and most <= 2  # one that is read, one whose last topics are still cached


def test_names_patterns_and_formats(files: Any, tmp_path: Path) -> None:
    truth, paths = files
    assert bp.evaluate(truth, {"x": paths[0], "y": paths[1]}, "AP").runs == ("x", "y")
    assert bp.evaluate(truth, str(tmp_path / "*.run"), "AP").runs == ("a", "b", "2", "3", "e")
    assert bp.evaluate(truth, (path for path in paths[:2]), "AP").runs == ("a", "b")
    assert bp.evaluate(truth, [RunFile(path, "trec-run") for path in paths[:2]], "AP").runs == ("a", "b")
    prepared = bp.Evaluation.prepare(truth, paths, "AP")
    assert list(prepared.runs) == ["a", "b", "2", "3", "e"] and repr(prepared).startswith("Evaluation(7 topics, 5 runs")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_bad(files: Any, jobs: int) -> None:
    truth, paths = files
    with pytest.raises(bp.InputError, match="no such file"):
        bp.evaluate(truth, [*paths, "nowhere.run"], "AP", jobs=jobs)
    Path(paths[3]).write_text("1 Q0 d1 1 1.0 t\n1 Q0 d2 2 nan t\n")
    with pytest.raises(bp.InputError, match=r"3\.run:2: the score 'nan' is not a finite number"):
        bp.evaluate(truth, paths, "AP", jobs=jobs)
    Path(paths[1]).write_text("1 Q0 d1 1 1.0 t\n1 Q0 d1 2 0.5 t\n")
    with pytest.raises(bp.InputError, match=r"1\.run:2: d1 is retrieved twice"):
        bp.evaluate(truth, paths, "AP", jobs=jobs)
