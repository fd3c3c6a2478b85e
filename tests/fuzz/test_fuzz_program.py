"""The program that fuzzes: what fails, crashes, hangs or takes all memory is found, kept, and stays found."""

import faulthandler
import os
import subprocess
import sys
import time
from pathlib import Path

import fuzz_targets
import pytest
import run

REPRODUCERS = sorted((Path(__file__).parent / "reproducers").iterdir())


@pytest.mark.parametrize("path", REPRODUCERS, ids=[path.name for path in REPRODUCERS])
def test_what_failed_once(path, tmp_path):
    """Inputs that found a defect; the name of a file says which target it is for."""
    (target,) = [one for one in fuzz_targets.targets() if one.name == path.name.partition("--")[0]]
    assert not (why := run.problem(target, path.read_bytes(), tmp_path)), why


class Faulty(fuzz_targets.Target):
    """A target that fails for some inputs, in one of several ways."""

    name, share = "faulty", 1000

    def __init__(self, way):
        self.way = way

    def make(self, chance):
        return b"bad" if chance.random() < 0.2 else b"good"

    def check(self, data, folder):
        if data == b"good":
            return
        if self.way == "crash":
            faulthandler.disable()  # no trace of it among the output of the tests
            os.abort()
        elif self.way == "hang":
            while True:
                pass
        elif self.way == "wait":
            time.sleep(600)
        elif self.way == "memory":
            bytearray(3 << 30)
        else:
            raise KeyError("bare")


@pytest.mark.parametrize("way", ["exception", "crash", "hang", "wait", "memory"])
def test_every_kind_of_failure_is_found_and_kept(way, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(fuzz_targets, "targets", lambda: [Faulty(way)])
    monkeypatch.setattr(run, "SECONDS", 0.2)
    monkeypatch.setattr(run, "PATIENCE", 1)
    monkeypatch.setattr(run, "problem", _patient(run.problem))
    assert not run._in_process("seed", 20, [], tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"bad"]
    assert "FAILED" in capfd.readouterr().out


def _patient(problem):
    """Without the first call, which only loads what the target needs."""
    calls = []

    def called(target, data, folder):
        calls.append(data)
        return "" if len(calls) == 1 else problem(target, data, folder)

    return called


def test_the_seed_repeats_a_run(tmp_path):
    command = [sys.executable, run.__file__, "--inputs", "30", "--target", "specifications", "--keep", str(tmp_path)]
    done = subprocess.run([*command, "--seed", "7"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("seed 7, 30 inputs")
    assert list(tmp_path.iterdir()) == []
