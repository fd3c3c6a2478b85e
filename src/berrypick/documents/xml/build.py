"""Build an index of a folder of XML documents: in bundles, by several processes, resuming an earlier attempt.

Every finished bundle is added to a file beside the index (``partial``), so that an interruption loses only the bundles
in progress. When all documents are there the index is written from that file and replaces an older one at once.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from berrypick._version import __version__
from berrypick.data.errors import InputError, UsageError
from berrypick.documents.xml import write as index_write
from berrypick.documents.xml.folder import find_documents
from berrypick.documents.xml.index_columns import VERSION, Facts
from berrypick.documents.xml.partial import FinishedDocument, Partial, finished_documents, pack_bundle
from berrypick.documents.xml.structure_scan import Source, scan
from berrypick.documents.xml.xml_documents import document_name
from berrypick.files.files import replace_file
from berrypick.kernels import LARGE_BYTES, missing_notes
from berrypick.workers.progress import gc_paused
from berrypick.workers.workers import WorkerLostError, jobs_notes, ordered_map

#: The size of a bundle: its documents share the cost of array operations, and fit into a cache.
BYTES = 1_000_000
DOCUMENTS = 1_000
#: With fewer bundles than this, starting processes takes longer than they save.
WORTH_PROCESSES = 4

Progress = Callable[[int, int], None]


class BundleTask(NamedTuple):
    """The documents of one bundle."""

    folder: str
    sources: list[Source]


@dataclass(frozen=True)
class IndexSummary:
    """The outcome of a build."""

    file: str
    facts: Facts
    problems: list[str]  # what is wrong with documents that could not be read
    reused: int  # documents that an earlier attempt had read
    remarks: list[str]  # on the file of an earlier attempt, and on processes that could not be started

    def notes(self) -> list[str]:
        facts = self.facts
        found = [f"{self.file}: {facts.documents} documents, {facts.elements} elements"]
        if facts.unreadable:
            all_documents = facts.documents + facts.unreadable
            found.append(f"{facts.unreadable} of {all_documents} documents could not be read and were skipped")
        if self.reused:
            found.append(f"{self.reused} documents were read by an earlier attempt")
        return found + self.remarks


def build(top: str, target: str, jobs: int | None = None, progress: Progress | None = None) -> IndexSummary:
    """Build an index; see ``index.build_index``."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is the number of processes, not {jobs}")
    files = {_storable(name): path for name, path in find_documents(top).items()}
    _check_target(target, top, files)
    work = {"folder": _storable(os.path.realpath(top)), "made_by": f"berrypick {__version__}", "version": VERSION}
    _keep_memory()
    with gc_paused(), _writing(target), Partial(f"{target}.partial", work) as partial:
        todo = _to_read(top, files, finished_documents(partial.batches()))
        reused = done = len(files) - sum(len(task.sources) for task in todo)

        def keep(bundle: tuple[pa.Buffer, int]) -> None:
            nonlocal done
            partial.add(bundle[0])
            done += bundle[1]
            if progress is not None:
                progress(done, len(files))

        several = 1 if len(todo) < WORTH_PROCESSES else jobs or os.cpu_count() or 1
        _read_all(todo, several, keep)
        facts, problems = _finish(target, sorted(files), partial)
        partial.remove()
    large = sum(source.size for task in todo for source in task.sources) >= LARGE_BYTES
    notes = [*jobs_notes(several), *missing_notes(large)]
    return IndexSummary(target, facts, problems, reused, [*partial.remarks, *map(str, notes)])


def _read_all(todo: Sequence[BundleTask], jobs: int, keep: Callable[[tuple[pa.Buffer, int]], None]) -> None:
    """Read all bundles, and keep each as soon as it is finished."""
    try:
        ordered_map(read_bundle, todo, jobs=jobs, step=keep)
    except WorkerLostError as error:
        raise WorkerLostError(*error.lines, "finished documents are kept: run the same command to continue") from None


def _keep_memory() -> None:
    """Let the process keep memory that it has freed: every bundle needs the same again.

    The C library of Linux returns large blocks to the system at once, until a larger one has been freed. Allocating
    them anew takes a tenth of the time of a build. This block is never written to, so it costs nothing.
    """
    np.empty(30_000_000, dtype=np.uint8)


def _storable(name: str) -> str:
    """A name in valid UTF-8: file names may contain other bytes."""
    return name.encode("utf-8", "backslashreplace").decode()


def _check_target(target: str, top: str, files: Mapping[str, str]) -> None:
    if os.path.isdir(target):
        raise InputError("is a folder, expected a file to write", path=target)
    parent = os.path.dirname(target) or "."
    if not os.path.isdir(parent):
        raise InputError(f"the folder {parent} does not exist", path=target)
    try:
        inside = os.path.relpath(os.path.realpath(target), os.path.realpath(top)).replace(os.sep, "/")
    except ValueError:  # on another drive of Windows
        return
    if os.path.exists(target) and document_name(inside) in files and document_name(inside) != inside:
        raise InputError("is a document of the collection", path=target, remedy="name another file for the index")


@contextlib.contextmanager
def _writing(target: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", path=target) from error


def _finish(target: str, documents: list[str], partial: Partial) -> tuple[Facts, list[str]]:
    """Write the index and move it to its place."""
    batches = partial.batches()
    known = finished_documents(batches)
    rows = np.array([known[name][2:] for name in documents], dtype=np.int64)
    del known
    whole = f"{partial.path}.arrow"
    try:
        written = index_write.write(whole, documents, batches, rows)
        replace_file(whole, target)
    finally:
        with contextlib.suppress(OSError):
            os.remove(whole)
    return written


def _to_read(folder: str, files: Mapping[str, str], known: Mapping[str, FinishedDocument]) -> list[BundleTask]:
    """The documents that an earlier attempt has not read, or not as they are now, in bundles."""
    todo: list[BundleTask] = []
    size = 0
    for name, path in files.items():
        source = _source(name, path)
        done = known.get(name)
        if done is not None and done[:2] == source[2:]:
            continue
        if not todo or size >= BYTES or len(todo[-1].sources) >= DOCUMENTS:
            todo.append(BundleTask(folder, []))
            size = 0
        todo[-1].sources.append(source)
        size += source.size
    return todo


def _source(name: str, path: str) -> Source:
    try:
        status = os.stat(path)
    except OSError:
        return Source(name, path, -1, -1)  # reading it fails with the reason
    return Source(name, path, status.st_size, status.st_mtime_ns)


def read_bundle(task: BundleTask, step: Callable[[tuple[pa.Buffer, int]], None]) -> None:
    """Read the documents of a bundle, and hand them over with their number."""
    bundle = scan([source for source in task.sources if _has_utf8_name(source)])
    bad = [source for source in task.sources if source.name in bundle.problems or not _has_utf8_name(source)]
    problems = {source.name: _problem(task.folder, source, bundle.problems.get(source.name)) for source in bad}
    step((pack_bundle(bundle, task.sources, problems), len(task.sources)))


def _has_utf8_name(source: Source) -> bool:
    """Whether the name of a file is valid UTF-8. (If not, ``_storable`` has put a backslash into it.)"""
    return "\\" not in source.name or source.path.encode("utf-8", "ignore").decode() == source.path


def _problem(folder: str, source: Source, error: InputError | None) -> str:
    """The reason why a document is unreadable, after its file, relative to the folder, and the line."""
    place = _storable(os.path.relpath(source.path, folder))
    if error is None:
        return f"{place}: the name of the file is not in UTF-8"
    return f"{place}:{error.line}: {error.what}" if error.line else f"{place}: {error.what}"
