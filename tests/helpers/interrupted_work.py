"""What the tests of faults share: work worth interrupting, and commands as processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from command_process import command

POSIX = sys.platform != "win32"


def collection(folder: Path, documents: int = 40) -> Path:
    """A folder of XML documents, large enough to be shared by several processes."""
    folder.mkdir(exist_ok=True)
    for number in range(documents):
        text = "".join(f"<sec><p>paragraph {i} of {number}</p></sec>" for i in range(5000))
        (folder / f"d{number}.xml").write_text(f"<article>{text}</article>")
    return folder


def large_run(path: Path, topics: int = 40, results: int = 300) -> Path:
    with open(path, "w") as out:
        out.writelines(f"{t} Q0 d{r} {r + 1} {results - r} sys\n" for t in range(topics) for r in range(results))
    return path


def large_truth(path: Path, topics: int = 40, judged: int = 60) -> Path:
    with open(path, "w") as out:
        out.writelines(f"{t} 0 d{r * 3} {r % 3}\n" for t in range(topics) for r in range(judged))
    return path


def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    """A command, in a session of its own, so that a signal can go to all of its processes as from a terminal."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(command(*arguments), start_new_session=True, **options)  # type: ignore[call-overload]


def finish(child: subprocess.Popen[bytes], timeout: float = 60) -> tuple[int, str, str]:
    """Exit code, output and messages; a process that hangs is an error."""
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        raise AssertionError(f"hangs: {err.decode()}") from None
    return child.returncode, (out or b"").decode(), (err or b"").decode()


def seconds_of(*arguments: object, **options: object) -> float:
    """How long a command takes, so that it can be disturbed at any moment of it."""
    began = time.monotonic()
    code, _, err = finish(start(*arguments, **options))
    assert code == 0, err
    return time.monotonic() - began


def left_behind(folder: Path) -> list[str]:
    """Files that only a command that is running should have."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:  # it has ended
        return []
