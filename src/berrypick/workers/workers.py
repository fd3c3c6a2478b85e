"""Tasks shared by several processes, or by any ``concurrent.futures.Executor``, with the results in task order.

Where processes are forked they share the memory of the parent; elsewhere work and tasks are sent to each of them once.
After that only the numbers of tasks and their results travel, through a pipe for each process. An executor gets the
tasks a few at a time, small ones in batches; a worker that does not know the work yet asks for it, so it is sent
about once to each.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import pickle
import platform
import signal
import sys
import threading
import time
import traceback
import uuid
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from queue import Empty, SimpleQueue
from typing import Any

from berrypick.data.errors import BerrypickError, UsageError
from berrypick.data.results import Note

Step = Callable[[Any], None]
#: Does one task. What it passes to its second argument reaches the caller's ``step`` when the task is finished.
Work = Callable[[Any, Step], Any]
#: Seconds after which to look whether Ctrl-C was pressed: on Windows it is only seen between two calls.
PATIENCE = 5.0
#: Tasks that an executor has at first; later two more for each of its workers that is known.
FEWEST = 4
#: Seconds that a batch of small tasks takes a worker of an executor, about, and the most tasks of one.
BATCH_SECONDS, MOST_TOGETHER = 0.5, 64
#: Works of executors that a worker keeps.
KEPT = 2
#: Set where processes of ours are started anew, and the exit code of one that would start others at once.
SPAWNED, UNGUARDED = "BERRYPICK_SPAWNED", 87


class WorkerLostError(BerrypickError):
    """A worker process ended before its work was done."""


def ordered_map(
    work: Work,
    tasks: Iterable[Any],
    *,
    jobs: int,
    executor: Executor | None = None,
    step: Step | None = None,
    stream: bool = False,
    together: bool = False,
) -> list[Any]:
    """Return the results of all tasks, in their order.

    ``jobs`` processes share the tasks, unless there is an ``executor``, whose workers then do. It gets the tasks as it
    finishes others, so that an iterator of them need not fit into memory; processes do if they are a ``stream``. Small
    tasks may go ``together``: an executor, which spends a millisecond or more on each, gets them in batches. Work
    that cannot be sent where it has to be is done in this process. If several tasks fail, the error of the first of
    them is raised, as in a single process. If a process of ours is lost, what was not finished is done again, once.
    """
    if executor is not None:
        return _executor_map(executor, work, tasks, step or _ignore, together)
    if not stream:  # their numbers travel
        todo = list(tasks)
        jobs, work, tasks = min(jobs, len(todo)), partial(_numbered, work, todo), range(len(todo))
    if jobs <= 1 or is_daemonic():
        return [work(task, step or _ignore) for task in tasks]
    return _process_map(work, _Collected(tasks, step or _ignore), min(jobs, 61) if sys.platform == "win32" else jobs)


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
    "does below if __name__ == '__main__':, or remove jobs"
)


def _numbered(work: Work, tasks: list[Any], number: int, step: Step) -> Any:
    """Do one of the tasks that all processes know."""
    return work(tasks[number], step)


class _Collected:
    """Tasks that are under way, by what brings their answers, and the results and errors of others."""

    def __init__(self, tasks: Iterable[Any], step: Step) -> None:
        self.tasks, self.step, self.taken = iter(tasks), step, 0
        self.waiting: dict[Any, tuple[int, Any]] = {}
        self.again: list[tuple[int, Any]] = []
        self.failures: dict[int, BaseException] = {}
        self.results: dict[int, Any] = {}

    def next(self) -> tuple[int, Any] | None:
        """A task to do, with its number; None if there is none, or one has failed."""
        if self.again:
            return self.again.pop()
        try:
            task = None if self.failures else next(self.tasks)
        except StopIteration:
            return None
        except BerrypickError as error:  # of an iterator that reads files: earlier tasks come first
            self.failures[self.taken] = error
        if self.failures:
            return None
        self.taken += 1
        return self.taken - 1, task

    def unfinished(self) -> bool:
        """Whether to wait: after a failure only for tasks before it, which may fail, too."""
        return any(not self.failures or number < min(self.failures) for number, _ in self.waiting.values())

    def keep(self, number: int, result: Any, values: list[Any]) -> None:
        self.results[number] = result
        for value in values:
            self.step(value)

    def do_here(self, work: Work) -> list[Any]:
        """Do in this process what is left."""
        self.take_back()
        while (one := self.next()) is not None:
            self.keep(one[0], work(one[1], self.step), [])
        return self.all()

    def take_back(self) -> None:
        """All that is under way will be done again, in order."""
        self.again = sorted([*self.again, *self.waiting.values()], key=lambda one: -one[0])
        self.waiting.clear()

    def all(self) -> list[Any]:
        if self.failures:
            raise self.failures[min(self.failures)]
        return [self.results[number] for number in range(self.taken)]


# Processes of our own


class _NotLoadedError(Exception):
    """A new process cannot load the work, such as a measure that is defined in a notebook."""


class _RemoteError(Exception):
    """Where in a worker process an error was raised."""


def _process_map(work: Work, found: _Collected, jobs: int) -> list[Any]:
    try:
        shared = work if start_method() == "fork" else _pack(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        return found.do_here(work)
    for _ in range(2):
        try:
            with _processes(shared, jobs) as processes:
                if _share(found, list(processes)):
                    return found.all()
        except _NotLoadedError:
            return found.do_here(work)
        if any(process.exitcode == UNGUARDED for process in processes.values()):
            raise UsageError(NO_GUARD)
        found.take_back()
    raise _lost()


@contextlib.contextmanager
def _processes(shared: Any, jobs: int) -> Iterator[dict[Any, Any]]:
    """Processes that know the work, by our ends of their pipes; in the end all are killed, wherever they are."""
    context: Any = multiprocessing.get_context(start_method())
    made: dict[Any, Any] = {}
    try:
        with _starting():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                made[ours] = context.Process(target=_serve, args=(theirs, shared))  # known even if a signal comes now
                made[ours].start()
                theirs.close()  # else the end of the process would not be seen
        yield made
    finally:
        started = [process for process in made.values() if process.pid is not None]
        for process in started:
            process.kill()
        for process in started:
            process.join()
        for pipe in made:
            pipe.close()


def _share(found: _Collected, idle: list[Any]) -> bool:
    """Send a task to each process that is idle, as long as there are any; False if a process was lost."""
    while True:
        while idle and (one := found.next()) is not None:
            found.waiting[pipe := idle.pop()] = one
            try:
                pipe.send(one[1])
            except OSError:
                return False
        if not found.unfinished():
            return True
        ready: list[Any] = wait(list(found.waiting), timeout=PATIENCE)
        for pipe in ready:
            try:
                answer = pipe.recv()
            except (EOFError, OSError):
                return False
            if answer is None:
                raise _NotLoadedError
            number, _ = found.waiting.pop(pipe)
            idle.append(pipe)
            result, values, error, place = answer
            if error is None:
                found.keep(number, result, values)
            else:
                error.__cause__ = _RemoteError(place) if place else None
                found.failures[number] = error


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Block Ctrl-C in processes that are started here, until they ignore it themselves."""
    able = hasattr(signal, "pthread_sigmask")
    is_spawned = os.environ.get(SPAWNED)
    os.environ[SPAWNED] = "1"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if able else set()
    try:
        with warnings.catch_warnings():
            # Python warns of threads in a process that is forked; the workers use none of what those hold
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    except (OSError, NotImplementedError) as error:
        raise BerrypickError(f"worker processes cannot be started ({error}); use one job") from error
    except RuntimeError:  # of a new process that loads the script
        if is_spawned:
            os._exit(UNGUARDED)  # the parent says why, once
        raise UsageError(NO_GUARD) from None
    finally:
        os.environ.pop(SPAWNED, None)
        if able:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Any, shared: Any) -> None:
    """In a new process: do tasks until the parent ends it, or ends itself. Ctrl-C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=follow, args=(parent.sentinel,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        try:
            work = pickle.loads(shared) if isinstance(shared, bytes) else shared
        except Exception:
            pipe.send(None)
            return
        while True:
            task = pipe.recv()
            try:
                answer = (*_call(work, task), None, "")
                packed = ForkingPickler.dumps(answer)
            except Exception as error:  # where it comes from is said unless it is ours
                place = "" if isinstance(error, BerrypickError) else traceback.format_exc()
                packed = ForkingPickler.dumps((None, [], _sendable(error), place))
            pipe.send_bytes(packed)


# Executors of others


def _executor_map(
    executor: Executor, work: Work, tasks: Iterable[Any], step: Step, together: bool = False
) -> list[Any]:
    key = uuid.uuid4().hex
    work = partial(_one_by_one, work) if together else work
    _works[key] = work  # threads, and processes forked from now on, have it without being sent it
    try:
        with contextlib.suppress(BrokenExecutor):
            if together:
                batches: list[list[Any]] = _BatchDispatch(executor, key, work, tasks, step).gather()
                return [result for results in batches for result in results]
            return _Dispatch(executor, key, work, tasks, step).gather()
        raise _lost()
    finally:
        _works.pop(key, None)


class _Dispatch(_Collected):
    """Tasks on their way through an executor.

    Few are sent at first and more as workers are known: a worker answers a task whose work it does not know with None,
    and the task is sent again, with the work. A worker that joins late, or replaces one that was lost, is no different
    from others.
    """

    def __init__(self, executor: Executor, key: str, work: Work, tasks: Iterable[Any], step: Step) -> None:
        super().__init__(tasks, step)
        self.executor, self.key, self.work = executor, key, work
        self.done: SimpleQueue[Future[Any]] = SimpleQueue()
        self.packed: bytes | None = None
        self.workers: set[object] = set()

    def gather(self) -> list[Any]:
        try:
            while True:
                while len(self.waiting) < FEWEST + 2 * len(self.workers) and (one := self.next()) is not None:
                    self._send(*one, None)
                if not self.unfinished():
                    return self.all()
                with contextlib.suppress(Empty):
                    self._receive(self.done.get(timeout=PATIENCE))
        finally:
            for future in self.waiting:
                future.cancel()

    def _send(self, number: int, task: Any, packed: bytes | None) -> None:
        try:
            future = self.executor.submit(_call_known, self.key, packed, task)
        except BrokenExecutor:
            raise
        except RuntimeError as error:
            raise UsageError(f"the executor takes no tasks: {error}") from error
        self.waiting[future] = number, task
        future.add_done_callback(self.done.put)

    def _receive(self, done: Future[Any]) -> None:
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
            return
        if answer is None:
            self.packed = self.packed or _pack(self.work)
            self._send(number, task, self.packed)
            return
        result, values, worker = answer
        self.workers.add(worker)
        self.keep(number, result, values)


class _Batches:
    """Tasks in batches, which grow as it becomes known how long a task takes: one by one at first."""

    def __init__(self, tasks: Iterable[Any]) -> None:
        self.tasks, self.size = iter(tasks), 1
        self.quickest = math.inf
        self.failure: BerrypickError | None = None

    def __iter__(self) -> Iterator[list[Any]]:
        return self

    def __next__(self) -> list[Any]:
        found: list[Any] = []
        try:
            while self.failure is None and len(found) < self.size:
                found.append(next(self.tasks))
        except StopIteration:
            pass
        except BerrypickError as error:  # tasks before it come first
            self.failure = error
        if found:
            return found
        if self.failure is not None:
            raise self.failure
        raise StopIteration

    def took(self, seconds: float, many: int) -> None:
        """Learn from a batch; the first of a worker takes longer than others."""
        self.quickest = min(self.quickest, seconds / many)
        self.size = max(1, min(MOST_TOGETHER, int(BATCH_SECONDS / max(self.quickest, 1e-6))))


class _BatchDispatch(_Dispatch):
    """Batches of tasks on their way through an executor."""

    def __init__(self, executor: Executor, key: str, work: Work, tasks: Iterable[Any], step: Step) -> None:
        self.batches = _Batches(tasks)
        super().__init__(executor, key, work, self.batches, step)

    def keep(self, number: int, result: Any, values: list[Any]) -> None:
        seconds, results = result
        self.batches.took(seconds, len(results))
        super().keep(number, results, values)


def _one_by_one(work: Work, tasks: list[Any], step: Step) -> tuple[float, list[Any]]:
    """Do the tasks of a batch, and tell how long they took; the first that fails ends it."""
    begun = time.perf_counter()
    results = [work(task, step) for task in tasks]
    return time.perf_counter() - begun, results


def _pack(work: Any) -> bytes:
    """Classes and functions of a notebook or script are sent by value where cloudpickle is installed, as with Dask."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        return pickle.dumps(work)
    packed: bytes = cloudpickle.dumps(work)
    return packed


#: Works of executors by key: in this process those that are under way, in a worker those it was sent last.
_works: OrderedDict[str, Work] = OrderedDict()


def _call_known(key: str, packed: bytes | None, task: Any) -> tuple[Any, list[Any], object] | None:
    """A task of an executor, and who did it; None if its work has not been sent to this process yet."""
    work = _works.get(key)
    if work is None:
        if packed is None:
            return None
        work = _works[key] = pickle.loads(packed)
        while len(_works) > KEPT:
            _works.popitem(last=False)
    return *_call(work, task), (platform.node(), os.getpid(), threading.get_ident())


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
