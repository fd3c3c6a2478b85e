"""Ledgers under writers at the same time, writers that are killed, and full disks: nothing is lost or torn."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from command_process import command
from many_cases import at_length

from berrypick.analysis.ledger.ledger_file import Ledger
from berrypick.data.errors import InputError
from berrypick.files import append
from berrypick.files.append import appending

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
TOPICS = 8

#: A process that appends looks: each a run that nobody else has.
WRITER = """
import sys
import berrypick as bp
path, first, count, name = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
truth = {f"q{t}": {"a": 1} for t in range(8)}
base = {t: {"b": 2.0, "a": 1.0} for t in truth}
for number in range(first, first + count):
    run = {t: {"a" if number >> i & 1 else "b": 1.0} for i, t in enumerate(truth)}
    print(bp.compare(truth, {"base": base, f"{name}-{number}": run}, "RR", ledger=path).looks.popitem()[1].number,
          flush=True)
"""


def writer(path: Path, first: int, count: int, name: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), str(first), str(count), name]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_two_writers(tmp_path):
    """Every look has a line, and no two have one number."""
    path, count = tmp_path / "ledger.jsonl", at_length(20, 100)
    both = [writer(path, first, count, name) for first, name in ((1, "one"), (1 + count, "two"))]
    numbers = [int(line) for one in both for line in one.communicate(timeout=120)[0].split()]
    assert [one.returncode for one in both] == [0, 0]
    ledger = Ledger.read(path)
    assert sorted(numbers) == list(range(1, 2 * count + 1)) == [line["look"] for line in ledger.lines]
    assert ledger.notes == () and len({line["run"] for line in ledger.lines}) == 2 * count


def test_a_killed_writer(tmp_path):
    """What it said it had written is there, and the next writer goes on."""
    path, said = tmp_path / "ledger.jsonl", 0
    for attempt in range(at_length(2, 20)):
        process = writer(path, 1 + 50 * attempt % 200, 50, f"killed{attempt}")
        assert process.stdout is not None
        for _ in range(3 + attempt):
            said = max(said, int(process.stdout.readline()))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert len(Ledger.read(path).lines) >= said
    last = writer(path, 255, 1, "last")
    assert int(last.communicate(timeout=60)[0]) == len(Ledger.read(path).lines) > said
    assert [note.kind for note in Ledger.read(path).notes if note.kind != "ledger cut short"] == []


@pytest.fixture
def files(tmp_path):
    truth, base, new = (tmp_path / name for name in ("truth.qrels", "base.run", "new.run"))
    truth.write_text("".join(f"q{t} 0 a 1\n" for t in range(TOPICS)))
    base.write_text("".join(f"q{t} Q0 b 1 1.0 base\n" for t in range(TOPICS)))
    new.write_text("".join(f"q{t} Q0 {'ab'[t % 2]} 1 1.0 new\n" for t in range(TOPICS)))
    return [truth, base, new]


@pytest.mark.parametrize("space", [0, 100])
def test_a_full_disk(tmp_path, files, space):
    """The file is limited to what it has and a part of a line: the command fails, and the ledger is what it was."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "ledger.jsonl"
    first = writer(path, 1, 2, "first")
    first.communicate(timeout=60)
    before = path.read_bytes()
    limit = len(before) + space

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    words = command("compare", *files, "-m", "RR", "--ledger", path)
    # a limited process would leave bytecode of a few bytes behind, with which no later process starts
    alone = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limited, timeout=60, env=alone)
    assert done.returncode == 2 and f"{path}: cannot be written (File too large)" in done.stderr
    assert done.stdout == "", "a look that is not recorded is not shown"
    assert path.read_bytes() == before and Ledger.read(path).notes == ()
    assert subprocess.run(words, capture_output=True, timeout=60).returncode == 0
    assert len(Ledger.read(path).lines) == 3


def test_a_new_ledger_on_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(InputError, match="No space left"), appending(str(tmp_path / "l.jsonl")) as file:
        file.append(b"x\n")
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_was_written_is_taken_back(tmp_path, monkeypatch):
    """The first half of a line is on the disk when it is full, and when somebody interrupts the writer."""
    path = tmp_path / "l.jsonl"
    path.write_bytes(b"old\n")
    real = os.write
    for fault in (OSError(28, "No space left on device"), KeyboardInterrupt()):
        calls = []

        def half(handle: int, data: bytes, fault: BaseException = fault, calls: list[int] = calls) -> int:
            calls.append(1)
            if len(calls) > 1:
                raise fault
            return real(handle, bytes(data)[:2])

        with monkeypatch.context() as patched, appending(str(path)) as file:
            patched.setattr(os, "write", half)
            with pytest.raises((InputError, KeyboardInterrupt)):
                file.append(b"new line\n")
        assert len(calls) == 2 and path.read_bytes() == b"old\n"


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_goes_away_while_a_writer_waits(tmp_path, monkeypatch, replaced):
    """The first writer fails and takes its new file back, or git puts another one there: nothing goes to a file that
    nobody can read any more."""
    path, waits = tmp_path / "l.jsonl", threading.Event()
    real = append._try_lock

    def told(handle: int, name: str) -> bool:
        if locked := real(handle, name):
            return locked
        waits.set()
        return False

    def other() -> None:
        with appending(str(path)) as file:
            file.append(file.content() + b"other\n")

    monkeypatch.setattr(append, "_try_lock", told)
    thread = threading.Thread(target=other)

    def fails() -> None:
        with appending(str(path)):
            thread.start()
            assert waits.wait(30)
            if replaced:
                path.with_suffix(".new").write_bytes(b"pulled\n")
                path.with_suffix(".new").replace(path)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    thread.join(60)
    assert path.read_bytes() == (b"pulled\n" * 2 if replaced else b"") + b"other\n"


def test_files_that_cannot_be_locked_or_written(tmp_path, monkeypatch):
    """A network disk without locks, and a file of somebody else: root may write it, so the call is replaced."""
    fcntl = pytest.importorskip("fcntl")

    def refuses(error: OSError) -> Callable[..., None]:
        def refused(*given: object) -> None:
            raise error

        return refused

    for module, name, error, said in (
        (fcntl, "flock", OSError(95, "Operation not supported"), r"cannot lock it \(.*\n *keep it on a local disk"),
        (os, "open", PermissionError(13, "Permission denied"), r"cannot be written \(.*\n *make it writable"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, refuses(error))
            with pytest.raises(InputError, match=said), appending(str(tmp_path / "l.jsonl")):
                pass
