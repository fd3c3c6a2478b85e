"""Work in several processes, with the results in the order of the tasks.

Tasks are numbers of a list that every worker knows, so that little is sent to and fro: where processes are forked they
share the memory of the first one, elsewhere the work is sent to each of them once. The first task that fails, in the
order of the tasks, is the one whose error is raised, as if there had been one process.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from berrypick.core.errors import BerrypickError


class Work(Protocol):
    """What workers do. Must be sendable where processes cannot be forked."""

    def __call__(self, task: int, step: Callable[[int], None]) -> Any:
        """Do one task; ``step`` is called with the number of things done, for those who watch."""


def start_method() -> str:
    """Forked processes share memory and start at once; on macOS system libraries do not survive it."""
    able = multiprocessing.get_all_start_methods()
    return "fork" if "fork" in able and sys.platform != "darwin" else "spawn"


def in_order(work: Work, tasks: int, jobs: int, step: Callable[[int], None]) -> list[Any]:
    """The results of all tasks, in their order."""
    if jobs <= 1 or tasks <= 1:
        return [work(task, step) for task in range(tasks)]
    try:
        crew = _Crew(work, min(jobs, tasks))
    except (pickle.PicklingError, AttributeError, TypeError):
        return [work(task, step) for task in range(tasks)]  # work that cannot be sent stays here
    try:
        return crew.run(tasks, step)
    finally:
        crew.dismiss()


class _Crew:
    """The workers: each is given one task at a time."""

    def __init__(self, work: Work, size: int) -> None:
        method = start_method()
        context: Any = multiprocessing.get_context(method)
        self.ends: list[Connection] = []
        self.workers: list[Any] = []
        self.busy: dict[Connection, int] = {}
        try:
            for _ in range(size):
                ours, theirs = context.Pipe()
                inherited = [*self.ends, ours] if method == "fork" else []
                worker = context.Process(target=_serve, args=(theirs, inherited, work), daemon=True)
                with warnings.catch_warnings():
                    # Python warns of threads in a process that is forked; the workers use none of what those hold
                    warnings.simplefilter("ignore", DeprecationWarning)
                    worker.start()
                theirs.close()
                self.ends.append(ours)
                self.workers.append(worker)
        except BaseException:
            self.dismiss()
            raise

    def run(self, tasks: int, step: Callable[[int], None]) -> list[Any]:
        results: dict[int, Any] = {}
        failures: dict[int, BaseException] = {}
        given = 0
        idle = list(self.ends)
        while len(results) + len(failures) < tasks:
            while idle and given < tasks and not failures:
                self._give(idle.pop(), given)
                given += 1
            if failures and not any(task < min(failures) for task in self.busy.values()):
                raise failures[min(failures)]
            for end in wait(list(self.busy)):
                assert isinstance(end, Connection)
                kind, value = self._heard(end)
                if kind == "step":
                    step(value)
                    continue
                (results if kind == "done" else failures)[self.busy.pop(end)] = value
                idle.append(end)
        if failures:
            raise failures[min(failures)]
        return [results[task] for task in range(tasks)]

    def _give(self, end: Connection, task: int) -> None:
        try:
            end.send(task)
        except OSError:
            raise self._lost(end) from None
        self.busy[end] = task

    def _heard(self, end: Connection) -> tuple[str, Any]:
        try:
            message: tuple[str, Any] = end.recv()
        except (EOFError, OSError):
            raise self._lost(end) from None
        return message

    def _lost(self, end: Connection) -> BerrypickError:
        worker = self.workers[self.ends.index(end)]
        worker.join(5)
        code = worker.exitcode
        why = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return BerrypickError(
            f"a worker process ended before its work was done ({why}); "
            "if memory ran out, use fewer processes with --jobs"
        )

    def dismiss(self) -> None:
        for end in self.ends:
            end.close()
        for worker in self.workers:
            worker.kill()
        for worker in self.workers:
            worker.join()
            worker.close()


def _serve(end: Connection, others: list[Connection], work: Work) -> None:
    """A worker: tasks in, results out, until the first process goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is interrupted, and ends its workers
    for other in others:
        other.close()  # inherited; while it is open here, that worker would not notice that the first process has gone
    while True:
        try:
            task = end.recv()
        except (EOFError, OSError):
            return
        try:
            message = ("done", work(task, lambda count: end.send(("step", count))))
        except Exception as error:
            message = ("failed", error)
        try:
            end.send(message)
        except OSError:
            return
        except Exception as error:  # what cannot be sent is told in words
            told = message[1] if message[0] == "failed" else error
            end.send(("failed", BerrypickError(f"{type(told).__name__} in a worker process: {told}")))
