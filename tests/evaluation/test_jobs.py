"""Several processes give what one gives: rows, order, notes, messages."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import berrypick as bp
from berrypick.data.errors import BerrypickError, UsageError
from berrypick.workers import workers

TOPICS = 23


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, list[str]]:
    truth, runs = [], {"a": [], "b": []}  # type: ignore[var-annotated]
    for topic in range(1, TOPICS + 1):
        truth += [f"{topic} Q0 d{d} {100 if d % 3 else 0} 1000" + (" 10 10:100" if d % 3 else "") for d in range(5)]
        for name, lines in runs.items():
            if topic % 7 or name == "a":
                lines += [f"{topic} Q0 d{d} {d + 1} {9 - d} {name} {10 * d + topic} 150" for d in range(6)]
    (tmp_path / "truth").write_text("\n".join(truth))
    for name, lines in runs.items():
        (tmp_path / name).write_text("\n".join(lines))
    return str(tmp_path / "truth"), [str(tmp_path / name) for name in runs]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_the_same_rows_notes_and_order(files: Any, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "start_method", lambda: method)
    seen: list[tuple[int, int]] = []
    asked = "AiP AgP EPRUM AP P@2 NumRet"
    one = bp.evaluate(*files, asked, curves=True)
    many = bp.evaluate(*files, asked, curves=True, jobs=3, progress=lambda done, of: seen.append((done, of)))
    assert list(many) == list(one)
    assert many.notes == one.notes
    assert seen == [(k, 2 * TOPICS) for k in range(1, 2 * TOPICS + 1)]


def test_notes_are_counted_once(files: Any) -> None:
    doubled = Path(files[1][0])
    lines = doubled.read_text().splitlines()
    doubled.write_text("\n".join([*lines, *lines[::5]]))
    for jobs in (1, 2, 50):
        results = bp.evaluate(files[0], files[1][0], "AiP", duplicates="keep", jobs=jobs)
        assert any(f"{len(lines[::5])} results repeat" in note for note in map(str, results.notes))


@pytest.mark.parametrize("asked", ["AiP BEPD(L=5) T2I(tolerance=15,budget=300) GRPng@0.5", "P@2 GRP@0.5", "charP PRUM"])
def test_the_same_message(files: Any, asked: str) -> None:
    told = []
    for jobs in (1, 3):
        with pytest.raises(BerrypickError) as error:
            bp.evaluate(*files, asked, jobs=jobs)
        told.append((type(error.value), str(error.value)))
    assert told[0] == told[1]


def test_a_run_that_is_refused(files: Any) -> None:
    second = Path(files[1][1])
    second.write_text(second.read_text() + "\n" + second.read_text().splitlines()[0])
    told = []
    for jobs in (1, 3):
        with pytest.raises(BerrypickError) as error:
            bp.evaluate(*files, "AiP", jobs=jobs)
        told.append(str(error.value))
    assert told[0] == told[1]
    assert "twice" in told[0]


def test_jobs_is_a_number_of_processes(files: Any) -> None:
    with pytest.raises(UsageError, match="jobs"):
        bp.evaluate(*files, "AiP", jobs=0)


SLOW = """
import sys, time
from berrypick import cli, evaluate
from berrypick.measures.passages.aip import AiP
AiP.compute = AiP.score_block = lambda self, *given: time.sleep(60)
print("ready", flush=True)
cli.main(["evaluate", *sys.argv[1:], "-m", "AiP", "--jobs", "2"])
"""


def test_interrupted(files: Any) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, files[0], *files[1]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in told
