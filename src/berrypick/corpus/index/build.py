"""Make an index of a folder of XML documents: in bundles, by several processes, going on from an earlier attempt.

Every finished bundle is added to a file beside the index (``partial``), so that an interruption costs no more
than the bundles being worked on. When all documents are there the index is written from it and takes its place at once.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import connection
from multiprocessing.context import BaseContext
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from berrypick._version import __version__
from berrypick.core.errors import BerrypickError, InputError, UsageError
from berrypick.core.gc import gc_paused
from berrypick.corpus.folder import find_documents
from berrypick.corpus.index import write as index_write
from berrypick.corpus.index.columns import VERSION, Facts
from berrypick.corpus.index.partial import Finished, Partial, finished, packed
from berrypick.corpus.index.scan import Source, scan
from berrypick.corpus.xml_documents import document_name

#: How large a bundle gets: enough for its documents to share the cost of a pass, and small enough for a cache.
BYTES = 1_000_000
DOCUMENTS = 1_000
#: For fewer bundles than this, processes take longer to start than they save.
WORTH_PROCESSES = 4

Progress = Callable[[int, int], None]


class Work(NamedTuple):
    """What becomes one bundle."""

    folder: str
    sources: list[Source]


@dataclass(frozen=True)
class Made:
    """What has been made."""

    file: str
    facts: Facts
    problems: list[str]  # what is wrong with documents that could not be read
    kept: int  # documents that an earlier attempt had read
    remarks: list[str]  # on what an earlier attempt had left

    def notes(self) -> list[str]:
        facts = self.facts
        found = [f"{self.file}: {facts.documents} documents, {facts.elements} elements"]
        if facts.unreadable:
            all_documents = facts.documents + facts.unreadable
            found.append(f"{facts.unreadable} of {all_documents} documents could not be read and are left out")
        if self.kept:
            found.append(f"{self.kept} documents had been read by an earlier attempt")
        return found + self.remarks


def build(top: str, target: str, jobs: int | None = None, progress: Progress | None = None) -> Made:
    """Make an index; see ``index.build_index``."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is the number of processes, not {jobs}")
    files = {_storable(name): path for name, path in find_documents(top).items()}
    _check_target(target, top, files)
    work = {"folder": _storable(os.path.realpath(top)), "made_by": f"berrypick {__version__}", "version": VERSION}
    _keep_memory()
    with gc_paused(), _writing(target), Partial(f"{target}.partial", work) as partial:
        todo = _Todo(top, files, finished(partial.batches()))
        done = 0
        with contextlib.closing(_bundles(iter(todo), jobs or os.cpu_count() or 1)) as bundles:
            for bundle, documents in bundles:
                partial.add(bundle)
                done += documents
                if progress is not None:
                    progress(todo.kept + done, len(files))
        facts, problems = _finish(target, sorted(files), partial)
        partial.remove()
    return Made(target, facts, problems, todo.kept, partial.remarks)


def _keep_memory() -> None:
    """Let the process keep memory that it has freed: every bundle needs the same again.

    The C library of Linux gives large pieces back to the system at once, until one has been freed that was larger.
    Getting them anew takes a tenth of the time of everything. Nothing is written to this one, so it costs nothing.
    """
    np.empty(30_000_000, dtype=np.uint8)


def _storable(name: str) -> str:
    """File names may hold bytes that are no characters."""
    return name.encode("utf-8", "backslashreplace").decode()


def _check_target(target: str, top: str, files: Mapping[str, str]) -> None:
    if os.path.isdir(target):
        raise InputError("is a folder, a file to write is expected", path=target)
    parent = os.path.dirname(target) or "."
    if not os.path.isdir(parent):
        raise InputError(f"the folder {parent} does not exist", path=target)
    inside = os.path.relpath(os.path.realpath(target), os.path.realpath(top)).replace(os.sep, "/")
    if os.path.exists(target) and document_name(inside) in files and document_name(inside) != inside:
        raise InputError("is a document of the collection", path=target, remedy="name another file for the index")


@contextlib.contextmanager
def _writing(target: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", path=target) from error


def _finish(target: str, documents: list[str], partial: Partial) -> tuple[Facts, list[str]]:
    """Write the index and put it in its place."""
    batches = partial.batches()
    known = finished(batches)
    rows = np.array([known[name][2:] for name in documents], dtype=np.int64)
    del known
    whole = f"{partial.path}.arrow"
    try:
        written = index_write.write(whole, documents, batches, rows)
        os.replace(whole, target)
    finally:
        with contextlib.suppress(OSError):
            os.remove(whole)
    return written


class _Todo:
    """Bundles of documents yet to be read, and how many need not be."""

    def __init__(self, folder: str, files: Mapping[str, str], known: Mapping[str, Finished]) -> None:
        self.kept = 0
        self._folder, self._files, self._known = folder, files, known

    def __iter__(self) -> Iterator[Work]:
        work, size = Work(self._folder, []), 0
        for name, path in self._files.items():
            source = _source(name, path)
            done = self._known.get(name)
            if done is not None and done[:2] == source[2:]:
                self.kept += 1
                continue
            work.sources.append(source)
            size += source.size
            if size >= BYTES or len(work.sources) >= DOCUMENTS:
                yield work
                work, size = Work(self._folder, []), 0
        if work.sources:
            yield work


def _source(name: str, path: str) -> Source:
    try:
        status = os.stat(path)
    except OSError:
        return Source(name, path, -1, -1)  # reading it will say why
    return Source(name, path, status.st_size, status.st_mtime_ns)


def read_bundle(work: Work) -> pa.Buffer:
    """Read the documents of a bundle."""
    bundle = scan([source for source in work.sources if _is_named(source)])
    bad = [source for source in work.sources if source.name in bundle.problems or not _is_named(source)]
    problems = {source.name: _told(work.folder, source, bundle.problems.get(source.name)) for source in bad}
    return packed(bundle, work.sources, problems)


def _is_named(source: Source) -> bool:
    """Whether the name of a file is text. (It has been made storable, and that leaves a backslash.)"""
    return "\\" not in source.name or source.path.encode("utf-8", "ignore").decode() == source.path


def _told(folder: str, source: Source, error: InputError | None) -> str:
    """What is wrong, with the file as seen from the folder, and the line."""
    place = _storable(os.path.relpath(source.path, folder))
    if error is None:
        return f"{place}: the name of the file is not in UTF-8"
    return f"{place}:{error.line}: {error.what}" if error.line else f"{place}: {error.what}"


def _bundles(todo: Iterator[Work], jobs: int) -> Generator[tuple[pa.Buffer, int], None, None]:
    """Finished bundles in any order, with the number of documents in each."""
    few = list(islice(todo, WORTH_PROCESSES))
    if jobs > 1 and len(few) == WORTH_PROCESSES:
        yield from _by_processes(chain(few, todo), jobs)
        return
    for work in chain(few, todo):
        yield read_bundle(work), len(work.sources)


def _by_processes(todo: Iterator[Work], jobs: int) -> Iterator[tuple[pa.Buffer, int]]:
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, _context(), initializer=_settle_in)
    running: dict[Future[pa.Buffer], int] = {}
    try:
        with _starting():
            for work in islice(todo, 2 * jobs):
                running[pool.submit(read_bundle, work)] = len(work.sources)
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield future.result(), running.pop(future)
                for work in islice(todo, 1):
                    running[pool.submit(read_bundle, work)] = len(work.sources)
    except BrokenProcessPool:
        raise BerrypickError(
            "a process that read documents was ended from outside, perhaps for lack of memory\n"
            "  what was finished is kept: the same command goes on from there, with --jobs 1 in a single process"
        ) from None
    finally:
        if running:  # what they are at is not wanted any more, and may take long
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
        pool.shutdown(cancel_futures=True)


def _context() -> BaseContext:
    """Forked processes start at once; on macOS system libraries do not survive it."""
    able = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
    return multiprocessing.get_context("fork" if able else "spawn")


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Let processes started here know nothing of Ctrl-C: it is for us to end them. One typed now comes afterwards."""
    able = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if able else set()
    try:
        with warnings.catch_warnings():
            # Python warns of threads in a process that is forked; a progress bar is one, and of no use to the others
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        if able:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle_in() -> None:
    """In a new process: leave interruptions to the one that started it, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _keep_memory()
    gc.disable()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
