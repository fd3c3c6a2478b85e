"""Tasks shared by several processes, or by any ``concurrent.futures.Executor``, with the results in task order.

Where processes are forked they share the memory of the parent; elsewhere work and tasks are sent to each of them once.
After that only the numbers of tasks and their results travel.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import connection
from queue import Empty, SimpleQueue
from typing import Any

from berrypick.core.errors import BerrypickError

Step = Callable[[Any], None]
#: Does one task. What it passes to its second argument reaches the caller's ``step`` when the task is finished.
Work = Callable[[Any, Step], Any]
#: Seconds without a result after which to check that all processes are alive.
PATIENCE = 5.0

_Messages = SimpleQueue["Future[Any] | None"]


class WorkerLostError(BerrypickError):
    """A worker process ended before its work was done."""


def ordered_map(
    work: Work, tasks: Iterable[Any], *, jobs: int, executor: Executor | None = None, step: Step | None = None
) -> list[Any]:
    """The results of all tasks, in their order.

    ``jobs`` processes share the tasks, unless there is an ``executor``, which then gets the work with each task. Work
    that cannot be pickled where it has to be is done in this process. If several tasks fail, the error of the first of
    them is raised, as in a single process. If a process is lost, what was not finished is done again, once.
    """
    todo = list(tasks)
    step = step or _ignore
    results: dict[int, Any] = {}
    if executor is not None:
        with contextlib.suppress(BrokenExecutor), _interrupts() as messages:
            return _gather(lambda i: executor.submit(_call, work, todo[i]), len(todo), results, step, messages)
        raise _lost()
    jobs = min(jobs, len(todo), 61 if sys.platform == "win32" else jobs)  # as many as Windows can wait for
    if jobs <= 1 or multiprocessing.current_process().daemon:  # daemonic processes cannot start others
        return [work(task, step) for task in todo]
    try:
        shared = (work, todo) if start_method() == "fork" else pickle.dumps((work, todo))
    except (pickle.PicklingError, AttributeError, TypeError):
        return [work(task, step) for task in todo]
    for _ in range(2):
        with contextlib.suppress(BrokenExecutor), _interrupts() as messages, _Processes(shared, jobs) as pool:
            return _gather(pool.submit_number, len(todo), results, step, messages, pool)
    raise _lost()


def start_method() -> str:
    """Forked processes share memory and start at once; on macOS system libraries do not survive it."""
    able = multiprocessing.get_all_start_methods()
    return "fork" if "fork" in able and sys.platform != "darwin" else "spawn"


def _ignore(value: Any) -> None:
    """The default step."""


def _lost() -> WorkerLostError:
    return WorkerLostError("a worker process ended before its work was done; if memory ran out, use fewer jobs")


# In the parent


def _gather(
    submit: Callable[[int], Future[Any]],
    count: int,
    results: dict[int, Any],
    step: Step,
    messages: _Messages,
    pool: _Processes | None = None,
) -> list[Any]:
    """Fill in the results that are missing, and pass on steps, as tasks finish."""
    waiting: dict[Future[Any], int] = {}
    failures: dict[int, BaseException] = {}
    try:
        for number in range(count):
            if number not in results:
                future = submit(number)
                waiting[future] = number
                future.add_done_callback(messages.put)
        for number in range(count):
            while number not in results:
                if number in failures:
                    raise failures[number]
                try:
                    done = messages.get(timeout=PATIENCE)
                except Empty:
                    if pool is not None:
                        pool.check()
                    continue
                if done is None:
                    raise KeyboardInterrupt
                finished = waiting.pop(done)
                error = done.exception()
                if error is not None:
                    failures[finished] = error
                    continue
                results[finished], values = done.result()
                for value in values:
                    step(value)
    finally:
        for future in waiting if pool is None else ():  # our own pool ends, with all that it has to do
            future.cancel()
    return [results[number] for number in range(count)]


@contextlib.contextmanager
def _interrupts() -> Iterator[_Messages]:
    """A queue for finished futures, in which Ctrl-C arrives as None.

    A KeyboardInterrupt in the middle of the executor's code could leave its locks held for ever.
    """
    messages: _Messages = SimpleQueue()
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        messages.put(None)

    in_main = threading.current_thread() is threading.main_thread()
    takes_over = in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if takes_over:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield messages
    finally:
        if takes_over:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if interrupted:
            raise KeyboardInterrupt


class _Processes(ProcessPoolExecutor):
    """Processes that know the work and the tasks, and that may be killed at any time."""

    def __init__(self, shared: Any, jobs: int) -> None:
        with _starting():
            super().__init__(jobs, multiprocessing.get_context(start_method()), initializer=_start, initargs=(shared,))

    def submit_number(self, number: int) -> Future[Any]:
        with _starting():
            return self.submit(_call_shared, number)

    def check(self) -> None:
        """End the pool if a process has gone: the pool does not notice while it is reading a result."""
        if connection.wait([process.sentinel for process in self._processes.values()], timeout=0):
            self._kill()

    def _kill(self) -> None:
        for process in self._processes.values():
            process.kill()
        # A process may have been killed with a result half sent. The pool reads on until the end of the pipe, and that
        # is only seen when this process has closed it for writing, too.
        self._result_queue._writer.close()  # type: ignore[attr-defined]

    def __exit__(self, *error: Any) -> None:
        if error[0] is not None:
            self._kill()
        self.shutdown()


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Block Ctrl-C in processes that are started here, until they ignore it themselves."""
    able = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if able else set()
    try:
        with warnings.catch_warnings():
            # Python warns of threads in a process that is forked; the workers use none of what those hold
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    except (OSError, NotImplementedError) as error:
        raise BerrypickError(f"worker processes cannot be started ({error}); use one job") from error
    finally:
        if able:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the workers

_shared: Any = None


def _start(shared: Any) -> None:
    """In a new process: leave Ctrl-C to the parent, and end with it."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _call_shared(number: int) -> tuple[Any, list[Any]]:
    global _shared
    if isinstance(_shared, bytes):
        _shared = pickle.loads(_shared)
    work, tasks = _shared
    return _call(work, tasks[number])


def _call(work: Work, task: Any) -> tuple[Any, list[Any]]:
    """The result of a task and the values of its steps."""
    values: list[Any] = []
    try:
        return work(task, values.append), values
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an error that cannot be sent would take the pool with it
            raise BerrypickError(f"{type(error).__name__} in a worker process: {error}") from None
        raise
