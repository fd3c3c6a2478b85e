"""Tasks shared by several processes, or by any ``concurrent.futures.Executor``, with the results in task order.

Where processes are forked they share the memory of the parent; elsewhere work and tasks are sent to each of them once.
After that only the numbers of tasks and their results travel. An executor gets the tasks a few at a time; a worker that
does not know the work yet asks for it, so it is sent about once to each.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import uuid
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from multiprocessing import connection
from queue import Empty, SimpleQueue
from typing import Any

from berrypick.core.errors import BerrypickError, UsageError
from berrypick.core.results import Note

Step = Callable[[Any], None]
#: Does one task. What it passes to its second argument reaches the caller's ``step`` when the task is finished.
Work = Callable[[Any, Step], Any]
#: Seconds without a result after which to check that all processes are alive.
PATIENCE = 5.0
#: Tasks that an executor has at a time: at first, and at most where the number of its workers is not known.
FEWEST, MOST = 4, 1024
#: Works of executors that a worker keeps.
KEPT = 2
#: Set where processes of ours are started anew, and the exit code of one that would start others at once.
SPAWNED, UNGUARDED = "BERRYPICK_SPAWNED", 87

_Messages = SimpleQueue["Future[Any] | None"]


class WorkerLostError(BerrypickError):
    """A worker process ended before its work was done."""


class _NotLoadedError(BerrypickError):
    """A new process cannot load the work, such as a measure that is defined in a notebook."""


def ordered_map(
    work: Work, tasks: Iterable[Any], *, jobs: int, executor: Executor | None = None, step: Step | None = None
) -> list[Any]:
    """The results of all tasks, in their order.

    ``jobs`` processes share the tasks, unless there is an ``executor``, whose workers then do; it gets the tasks as it
    finishes others, so that an iterator of them need not fit into memory. Work that cannot be sent where it has to
    be is done in this process. If several tasks fail, the error of the first of them is raised, as in a single process.
    If a process of ours is lost, what was not finished is done again, once.
    """
    step = step or _ignore
    if executor is not None:
        return _executor_map(executor, work, tasks, step)
    todo = list(tasks)
    results: dict[int, Any] = {}
    jobs = min(jobs, len(todo), 61 if sys.platform == "win32" else jobs)  # as many as Windows can wait for
    if jobs <= 1 or is_daemonic():
        return [work(task, step) for task in todo]
    try:
        shared = (work, todo) if start_method() == "fork" else _pack((work, todo))
    except (pickle.PicklingError, AttributeError, TypeError):
        return [work(task, step) for task in todo]
    for _ in range(2):
        pool = _Processes(shared, jobs)
        try:
            with contextlib.suppress(BrokenExecutor), _interrupts() as messages, pool:
                return _gather(pool.submit_number, len(todo), results, step, messages, pool)
        except _NotLoadedError:
            return [work(task, step) for task in todo]
        pool.check_guard()
    raise _lost()


def process_pool(jobs: int) -> Executor:
    """An executor of our own processes, for tasks that come from an iterator."""
    return _Processes(None, jobs)


def is_daemonic() -> bool:
    """Whether this process is a daemonic one, such as a worker of Dask, which cannot start others."""
    return multiprocessing.current_process().daemon


def jobs_notes(jobs: int) -> list[Note]:
    """A note where ``jobs`` processes were wanted and cannot be started."""
    if jobs <= 1 or not is_daemonic():
        return []
    return [Note("jobs", f"computed in one process instead of {jobs}: a daemonic process cannot start others")]


def start_method() -> str:
    """Forked processes share memory and start at once; on macOS system libraries do not survive it."""
    able = multiprocessing.get_all_start_methods()
    return "fork" if "fork" in able and sys.platform != "darwin" else "spawn"


def _ignore(value: Any) -> None:
    """The default step."""


def _lost() -> WorkerLostError:
    return WorkerLostError("a worker process ended before its work was done; if memory ran out, use fewer jobs")


#: For scripts where processes are not forked.
NO_GUARD = (
    "on this system every worker process loads the script again, which then starts workers itself: put what the script "
    "does below if __name__ == '__main__':, or leave jobs out"
)

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


def _executor_map(executor: Executor, work: Work, tasks: Iterable[Any], step: Step) -> list[Any]:
    key = uuid.uuid4().hex
    _works[key] = work  # threads, and processes forked from now on, have it without being sent it
    try:
        with contextlib.suppress(BrokenExecutor), _interrupts() as messages:
            return _Dispatch(executor, key, work, messages).gather(iter(tasks), step)
        if isinstance(executor, _Processes):
            executor.check_guard()
        raise _lost()
    finally:
        _works.pop(key, None)


class _Dispatch:
    """Tasks on their way through an executor.

    Few are sent at first and more as results come back, until every worker has some: a worker answers a task whose work
    it does not know with None, and the task is sent again, with the work. A worker that joins late, or replaces one
    that was lost, is no different from others.
    """

    def __init__(self, executor: Executor, key: str, work: Work, messages: _Messages) -> None:
        self.executor, self.key, self.work, self.messages = executor, key, work, messages
        self.waiting: dict[Future[Any], tuple[int, Any]] = {}
        self.failures: dict[int, BaseException] = {}
        self.results: dict[int, Any] = {}
        self.packed: bytes | None = None
        workers: int | None = getattr(executor, "_max_workers", None)  # of executors that know
        self.most = 2 * workers if workers else MOST
        self.room = min(FEWEST, self.most)

    def gather(self, tasks: Iterator[Any], step: Step) -> list[Any]:
        try:
            while self._fill(tasks) or self.waiting:
                if self.failures and not self._earlier():
                    break
                try:
                    done = self.messages.get(timeout=PATIENCE)  # on Windows Ctrl-C is only seen between two calls
                except Empty:
                    continue
                if done is None:
                    raise KeyboardInterrupt
                for value in self._receive(done):
                    step(value)
        finally:
            for future in self.waiting:
                future.cancel()
        if self.failures:
            raise self.failures[min(self.failures)]
        return [self.results[number] for number in range(len(self.results))]

    def _earlier(self) -> bool:
        """Whether a task before the first one that failed may fail, too."""
        return any(number < min(self.failures) for number, _ in self.waiting.values())

    def _fill(self, tasks: Iterator[Any]) -> bool:
        """Send tasks until there are enough; False when none is left."""
        while len(self.waiting) < self.room and not self.failures:
            number = len(self.results) + len(self.waiting)
            try:
                task = next(tasks)
            except StopIteration:
                return False
            except BerrypickError as error:  # of an iterator that reads files: earlier tasks come first
                self.failures[number] = error
                return False
            self._send(number, task, None)
        return bool(self.waiting)

    def _send(self, number: int, task: Any, packed: bytes | None) -> None:
        try:
            future = self.executor.submit(_call_known, self.key, packed, task)
        except BrokenExecutor:
            raise
        except RuntimeError as error:
            raise UsageError(f"the executor takes no tasks: {error}") from error
        self.waiting[future] = number, task
        future.add_done_callback(self.messages.put)

    def _receive(self, done: Future[Any]) -> list[Any]:
        """Keep a result; the values of its steps."""
        number, task = self.waiting.pop(done)
        try:
            answer = done.result()
        except BrokenExecutor:
            raise
        except CancelledError:
            raise _lost() from None
        except Exception as error:
            # that of Dask, when workers were lost with a task again and again
            self.failures[number] = _lost() if type(error).__name__ == "KilledWorker" else error
            return []
        if answer is None:
            self.packed = self.packed or _pack(self.work)
            self._send(number, task, self.packed)
            return []
        self.results[number], values = answer
        self.room = min(self.room + 1, self.most)
        return list(values)


def _pack(work: Any) -> bytes:
    """Classes and functions of a notebook or script are sent by value where cloudpickle is installed, as with Dask."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        return pickle.dumps(work)
    packed: bytes = cloudpickle.dumps(work)
    return packed


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
        if getattr(multiprocessing.current_process(), "_inheriting", False):  # a new process that loads the script
            if os.environ.get(SPAWNED):
                os._exit(UNGUARDED)  # the parent says why, once
            raise UsageError(NO_GUARD)
        self._known: list[Any] = []
        with _starting():
            super().__init__(jobs, multiprocessing.get_context(start_method()), initializer=_start, initargs=(shared,))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _starting():
            future = super().submit(fn, *args, **kwargs)
        self._known = list((self._processes or {}).values()) or self._known
        return future

    def check_guard(self) -> None:
        """After the pool has broken: say so if its processes ended because they ran the script again."""
        if any(process.exitcode == UNGUARDED for process in self._known):
            raise UsageError(NO_GUARD)

    def submit_number(self, number: int) -> Future[Any]:
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
    os.environ[SPAWNED] = "1"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if able else set()
    try:
        with warnings.catch_warnings():
            # Python warns of threads in a process that is forked; the workers use none of what those hold
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    except (OSError, NotImplementedError) as error:
        raise BerrypickError(f"worker processes cannot be started ({error}); use one job") from error
    finally:
        os.environ.pop(SPAWNED, None)
        if able:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the workers

_shared: Any = None
#: Works of executors by key: in this process those that are under way, in a worker those it was sent last.
_works: OrderedDict[str, Work] = OrderedDict()


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
        try:
            _shared = pickle.loads(_shared)
        except Exception as error:
            raise _NotLoadedError(f"a worker process cannot load the work: {error}") from None
    work, tasks = _shared
    return _call(work, tasks[number])


def _call_known(key: str, packed: bytes | None, task: Any) -> tuple[Any, list[Any]] | None:
    """A task of an executor; None if its work has not been sent to this process yet."""
    work = _works.get(key)
    if work is None:
        if packed is None:
            return None
        work = _works[key] = pickle.loads(packed)
        while len(_works) > KEPT:
            _works.popitem(last=False)
    return _call(work, task)


def _call(work: Work, task: Any) -> tuple[Any, list[Any]]:
    """The result of a task and the values of its steps."""
    values: list[Any] = []
    try:
        return work(task, values.append), values
    except Exception as error:
        failure = _sendable(error)
    raise failure  # not within except: Dask teaches pickle to send what an exception was raised in the course of


def _sendable(error: Exception) -> Exception:
    """The error, or one that says the same: an error that cannot be sent would take the pool with it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return BerrypickError(f"{type(error).__name__} in a worker process: {error}")
    return error
