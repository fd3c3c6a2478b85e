"""Tasks in several processes or any executor: results in order, one error, no worker left and no hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import connection
from pathlib import Path
from typing import Any

import pytest

from berrypick.data.errors import BerrypickError, UsageError
from berrypick.workers import workers
from berrypick.workers.workers import WorkerLostError, ordered_map

Step = Callable[[Any], None]


def square(task: int, step: Step) -> int:
    step(1)
    step(task)
    return task * task


@pytest.fixture(params=["fork", "spawn"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(workers, "start_method", lambda: request.param)
    return str(request.param)


@pytest.fixture(params=["threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with ThreadPoolExecutor(2) if request.param == "threads" else ProcessPoolExecutor(2) as made:
        yield made


def test_results_in_order_and_all_steps(method: str) -> None:
    steps: list[int] = []
    assert ordered_map(square, range(50), jobs=3, step=steps.append) == [task * task for task in range(50)]
    assert sorted(steps) == sorted([1] * 50 + list(range(50)))
    assert ordered_map(square, iter([4, 2]), jobs=8) == [16, 4]
    assert ordered_map(square, [], jobs=3) == [] and ordered_map(square, [3], jobs=3) == [9]
    assert multiprocessing.active_children() == []


def test_any_executor(executor: Executor) -> None:
    steps: list[int] = []
    assert ordered_map(square, range(20), jobs=1, executor=executor, step=steps.append) == [t * t for t in range(20)]
    assert sorted(steps) == sorted([1] * 20 + list(range(20)))
    with pytest.raises(UsageError, match="task 2"):
        ordered_map(fail, range(8), jobs=1, executor=executor)
    assert executor.submit(abs, -3).result() == 3  # still the caller's


def fail(task: int, step: Step) -> int:
    if task in (2, 5):
        time.sleep(0.2 if task == 2 else 0)
        raise UsageError(f"task {task}")
    return task


def test_the_error_of_the_first_failing_task() -> None:
    for _ in range(3):
        with pytest.raises(UsageError, match="task 2"):
            ordered_map(fail, range(8), jobs=4)
    assert multiprocessing.active_children() == []


class UnsendableError(Exception):
    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")
        self.unsendable = lambda: None  # also where a library, such as Dask, has taught pickle about exceptions


def fail_unsendably(task: int, step: Step) -> None:
    raise UnsendableError("two", "words")


def test_an_error_that_cannot_be_sent() -> None:
    with pytest.raises(BerrypickError, match="UnsendableError in a worker process: two words"):
        ordered_map(fail_unsendably, range(4), jobs=2)


def test_an_error_of_the_caller_ends_the_workers() -> None:
    def stop(value: int) -> None:
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError):
        ordered_map(square, range(100), jobs=2, step=stop)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("begun", [True, False])
def test_a_signal_while_workers_are_started_leaves_none(begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process would wait for such a worker at its end, and the worker for the end of the process."""
    start = multiprocessing.process.BaseProcess.start

    def interrupted(process: Any) -> None:
        if begun:
            start(process)
        sys.exit(143)

    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", interrupted)
    with pytest.raises(SystemExit):
        ordered_map(square, range(4), jobs=2)
    assert multiprocessing.active_children() == []


def test_work_that_cannot_be_pickled(method: str) -> None:
    here: list[int] = []
    lock = threading.Lock()

    def work(task: int, step: Step) -> int:
        with lock:
            here.append(task)
        return task

    assert ordered_map(work, range(3), jobs=2) == [0, 1, 2]
    assert here == ([0, 1, 2] if method == "spawn" else [])


def test_functions_of_scripts_and_notebooks(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With cloudpickle they are sent by value; without it the work is done here."""
    here: list[int] = []
    exec("def work(task, step):\n    here.append(task)\n    return task", space := {"here": here})
    work = space["work"]
    work.__module__, work.__qualname__ = "__main__", "work"  # as one that a new process does not have
    monkeypatch.setattr(sys.modules["__main__"], "work", work, raising=False)
    assert ordered_map(work, range(3), jobs=2) == [0, 1, 2] and here == []
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    assert ordered_map(work, range(3), jobs=2) == [0, 1, 2]
    assert here == ([0, 1, 2] if method == "spawn" else [])


UNGUARDED = """
import multiprocessing, sys
import berrypick as bp
from berrypick.workers import workers
workers.start_method = lambda: "spawn"
truth = {str(topic): {"a": 1} for topic in range(40)}
runs = {name: {str(topic): {"a": 1.0, "b": 0.5} for topic in range(40)} for name in "xy"}
GUARD
    print(bp.evaluate(truth, runs, "AP", jobs=2).mean())
"""


@pytest.mark.parametrize("guard", ["if __name__ == '__main__':", "if True:"])
def test_a_script_without_a_main_guard_gets_one_message(guard: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED.replace("GUARD", guard), encoding="utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    if "__main__" in guard:
        assert (done.returncode, done.stderr) == (0, "") and "'AP': 1.0" in done.stdout
        return
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("Traceback") == 1, "only that of the script itself"
    assert done.stderr.splitlines()[-1].startswith("berrypick.data.errors.UsageError: on this system every worker")
    assert "below if __name__ == '__main__':, or remove jobs" in done.stderr


def test_processes_of_others_that_run_the_script_again_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "start_method", lambda: "spawn")
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(UsageError, match="below if __name__"):
        ordered_map(square, range(4), jobs=2)


def nested(task: int, step: Step) -> list[Any]:
    return ordered_map(square, range(task), jobs=2)


def in_daemon(answers: Any) -> None:
    answers.send(ordered_map(square, range(4), jobs=2))


def test_inside_other_processes() -> None:
    assert ordered_map(nested, [3, 4], jobs=2) == [[0, 1, 4], [0, 1, 4, 9]]
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=in_daemon, args=(theirs,), daemon=True)
    process.start()
    assert ours.poll(60) and ours.recv() == [0, 1, 4, 9]
    process.join()


def test_processes_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(multiprocessing.context.ForkProcess, "start", full)
    with pytest.raises(BerrypickError, match=r"cannot be started .*temporarily unavailable.*; use one job"):
        ordered_map(square, range(4), jobs=2)


# Lost workers


def die(folder: Path, times: int, task: int, step: Step) -> int:
    """End the process at task 3, the first few times."""
    if task == 3 and len(list(folder.iterdir())) < times:
        (folder / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    step(task)
    return task


def test_what_a_lost_worker_leaves_is_done_again_once(tmp_path: Path, method: str) -> None:
    steps: list[int] = []
    assert ordered_map(partial(die, tmp_path, 1), range(8), jobs=2, step=steps.append) == list(range(8))
    assert sorted(steps) == list(range(8))
    with pytest.raises(WorkerLostError, match=r"worker process ended .*memory.*fewer jobs"):
        ordered_map(partial(die, tmp_path, 3), range(8), jobs=2)
    assert multiprocessing.active_children() == []


def test_a_worker_lost_by_another_executor(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2) as executor, pytest.raises(WorkerLostError, match="memory"):
        ordered_map(partial(die, tmp_path, 1), range(8), jobs=1, executor=executor)


def half_sent(then: Callable[[], object], task: int, step: Step) -> bytes:
    """Let this process stop when it has sent half of its next result."""
    send = connection.Connection._send  # type: ignore[attr-defined]

    def stop(self: object, data: Any) -> None:
        send(self, data[: len(data) // 2])
        then()

    connection.Connection._send = stop  # type: ignore[attr-defined]
    return bytes(100_000)


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_lost_while_it_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.1)
    with pytest.raises(WorkerLostError):
        ordered_map(partial(half_sent, kill_self), range(2), jobs=2)
    assert multiprocessing.active_children() == []


# Ctrl-C

INTERRUPTED = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from functools import partial
from test_workers import half_sent, square, wait
from berrypick.workers import workers
work = {"in a task": lambda task, step: wait(), "in a message": partial(half_sent, wait)}[sys.argv[2]]
try:
    workers.ordered_map(work, range(20), jobs=2)
except KeyboardInterrupt:
    print(workers.ordered_map(square, range(3), jobs=2), signal.getsignal(signal.SIGINT).__name__)
    sys.exit(130)
"""


def wait() -> None:
    os.write(1, b"waiting\n")
    time.sleep(600)


@pytest.mark.parametrize("where", ["in a task", "in a message"])
def test_ctrl_c(where: str) -> None:
    """To all processes, as a terminal sends it; workers end wherever they are, and nothing waits for them."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, Path(__file__).parent, where],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, err
    assert out.splitlines()[-1] == "[0, 1, 4] default_int_handler" and err == ""


@pytest.fixture
def interruptible():
    """Processes in the background begin with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_after_the_last_result() -> None:
    def late(value: int) -> None:
        if value == 7:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        ordered_map(square, range(8), jobs=2, step=late)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
