"""Making an index: interrupted and continued, by several processes, whole or not at all."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from berrypick.data.errors import InputError, UsageError
from berrypick.documents.xml import build as index_build
from berrypick.documents.xml import build_index, read_index
from berrypick.documents.xml import folder as folders
from berrypick.documents.xml.folder import read_folder
from berrypick.workers import workers

Command = Callable[..., Any]
COLUMNS = ("parent", "start", "end", "text_parent", "text_raw_length", "dropped")


def filled(folder: Path, count: int, size: int = 200) -> Path:
    """Documents of about so many bytes, each a little different."""
    folder.mkdir()
    for i in range(count):
        paragraph = f"\n  <p>Paragraph of   <b>{i}</b>, see <a href='{(i * 7) % count:05d}.xml'>that</a>.</p>"
        text = f"<article><title>Nr. {i}</title>{paragraph * (1 + (size + i % 97) // len(paragraph))}\n</article>"
        (folder / f"{i:05d}.xml").write_text(text)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path / "docs", 60)


@pytest.fixture
def small_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_build, "DOCUMENTS", 5)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents read so far."""
    seen: list[str] = []
    scan = index_build.scan
    monkeypatch.setattr(index_build, "scan", lambda sources: seen.extend(s.name for s in sources) or scan(sources))  # type: ignore[func-returns-value]
    return seen


def assert_same_as_folder(index: Path, folder: Path) -> None:
    ours, theirs = read_index(index), read_folder(folder)
    for name in ours.structures:
        one, other = ours.structures[name], theirs.structures[name]
        assert (one.name, one.length, one.links) == (other.name, other.length, other.links)
        assert all(np.array_equal(getattr(one, column), getattr(other, column)) for column in COLUMNS)


def interrupted(folder: Path, target: Path, after: int) -> None:
    """Ctrl-C after so many documents."""

    def stop(done: int, of: int) -> None:
        if done >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index(folder, target, jobs=1, progress=stop)


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# One after the other


def test_progress(folder: Path, tmp_path: Path, small_bundles: None) -> None:
    seen: list[tuple[int, int]] = []
    made = build_index(folder, tmp_path / "x", jobs=1, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(k, 60) for k in range(5, 61, 5)]
    assert (made.facts.documents, made.facts.unreadable, made.reused, made.problems) == (60, 0, 0, [])
    assert left(tmp_path) == {"docs", "x"}


def test_the_same_folder_gives_the_same_bytes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(folder, tmp_path / "x", jobs=1)
    monkeypatch.setattr(index_build, "BYTES", 1000)
    build_index(folder, tmp_path / "y", jobs=1)
    build_index(folder, tmp_path / "z", jobs=3)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes() == (tmp_path / "z").read_bytes()


def test_an_old_index_is_replaced_at_the_end(folder: Path, tmp_path: Path, small_bundles: None) -> None:
    (tmp_path / "x").write_text("old")
    interrupted(folder, tmp_path / "x", 20)
    assert (tmp_path / "x").read_text() == "old"
    build_index(folder, tmp_path / "x", jobs=1)
    assert_same_as_folder(tmp_path / "x", folder)


def test_the_collector_is_as_before(folder: Path, tmp_path: Path, small_bundles: None) -> None:
    import gc

    seen = []
    build_index(folder, tmp_path / "x", jobs=1, progress=lambda done, of: seen.append(gc.isenabled()))
    assert gc.isenabled() and not any(seen)
    interrupted(folder, tmp_path / "y", 20)
    assert gc.isenabled()


# Interrupted


def test_going_on(folder: Path, tmp_path: Path, read: list[str], small_bundles: None) -> None:
    interrupted(folder, tmp_path / "x", 20)
    assert left(tmp_path) == {"docs", "x.partial"}
    assert read == [f"{i:05d}" for i in range(20)]
    read.clear()
    seen: list[tuple[int, int]] = []
    made = build_index(folder, tmp_path / "x", jobs=1, progress=lambda done, of: seen.append((done, of)))
    assert read == [f"{i:05d}" for i in range(20, 60)]
    assert made.reused == 20 and seen[0] == (25, 60) and seen[-1] == (60, 60)
    assert "20 documents were read by an earlier attempt" in made.notes()
    assert left(tmp_path) == {"docs", "x"}
    build_index(folder, tmp_path / "fresh", jobs=1)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "fresh").read_bytes()


def test_files_that_have_changed_are_read_again(
    folder: Path, tmp_path: Path, read: list[str], small_bundles: None
) -> None:
    interrupted(folder, tmp_path / "x", 30)
    read.clear()
    (folder / "00003.xml").write_text("<article>now another</article>")
    (folder / "00007.xml").write_text((folder / "00007.xml").read_text())
    os.utime(folder / "00007.xml", ns=(1, 1))
    (folder / "00011.xml").unlink()
    (folder / "00012.xml").write_text("<article>")
    (folder / "0000a.xml").write_text("<article>new <a href='00011.xml'/></article>")
    made = build_index(folder, tmp_path / "x", jobs=1)
    assert made.reused == 26
    assert set(read) == {"00003", "00007", "0000a", "00012", *(f"{i:05d}" for i in range(30, 60))}
    assert len(read) == len(set(read))
    assert (made.facts.documents, made.facts.unreadable) == (59, 1)
    assert_same_as_folder(tmp_path / "x", folder)
    build_index(folder, tmp_path / "fresh", jobs=1)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "fresh").read_bytes()


@pytest.mark.parametrize("damage", ["cut", "cut in the frame", "noise", "other bytes", "nothing", "other work"])
def test_a_partial_that_was_not_written_to_its_end(
    folder: Path, tmp_path: Path, small_bundles: None, read: list[str], damage: str
) -> None:
    interrupted(folder, tmp_path / "x", 30)
    partial = tmp_path / "x.partial"
    data = partial.read_bytes()
    kept = {
        "cut": (data[:-100], 25),
        "cut in the frame": (data[: data.index(b"\n") + 6], 0),
        "noise": (data + os.urandom(50), 30),
        "other bytes": (data[:-100] + bytes(100), 25),
        "nothing": (b"", 0),
        "other work": (data.replace(b"docs", b"dogs", 1), 0),
    }
    partial.write_bytes(kept[damage][0])
    read.clear()
    made = build_index(folder, tmp_path / "x", jobs=1)
    assert made.reused == kept[damage][1] and len(read) == 60 - made.reused
    said = {"nothing": [], "other work": [f"{partial} is from another folder or version and is replaced"]}
    assert made.remarks == said.get(damage, [f"{partial} was incomplete; what is missing is read again"])
    assert made.notes()[-1] == (made.remarks or made.notes())[-1]
    assert_same_as_folder(tmp_path / "x", folder)
    assert left(tmp_path) == {"docs", "x"}


def test_something_else_in_the_place_of_the_partial(berrypick: Command, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "x.partial").write_text("my notes")
    done = berrypick("index", folder, tmp_path / "x")
    assert done.code == 2 and "Traceback" not in done.err
    what = f"{tmp_path / 'x'}.partial: is another file at the place of the unfinished index"
    assert done.err.startswith(f"berrypick: {what}") and "remove it" in done.err
    assert (tmp_path / "x.partial").read_text() == "my notes"


def test_interrupted_while_the_index_is_written(
    folder: Path, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, *others: Any) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(index_build.index_write, "write", full)
    with pytest.raises(InputError, match=r"x: cannot be written \(No space left on device\)"):
        build_index(folder, tmp_path / "x", jobs=1)
    assert left(tmp_path) == {"docs", "x.partial"}
    monkeypatch.undo()
    assert build_index(folder, tmp_path / "x", jobs=1).reused == 60


def test_two_at_the_same_time(folder: Path, tmp_path: Path, small_bundles: None) -> None:
    def another(done: int, of: int) -> None:
        with pytest.raises(InputError, match=r"x.partial: is being written by another process"):
            build_index(folder, tmp_path / "x", jobs=1)

    build_index(folder, tmp_path / "x", jobs=1, progress=another)
    assert_same_as_folder(tmp_path / "x", folder)


# Processes

#: The command with small bundles, noting in a file what it reads; at a certain document it stops and waits.
WATCHED = """
import sys, time
from berrypick.documents.xml import build as index_build
log, stop = sys.argv[1:3]
index_build.DOCUMENTS = 5
scan = index_build.scan
def watched(sources):
    with open(log, "a") as file:
        if stop and sources[-1].name >= stop:
            file.write("waiting\\n")
            file.flush()
            time.sleep(600)
        file.write("".join(source.name + "\\n" for source in sources))
    return scan(sources)
index_build.scan = watched
from berrypick.cli import main
main(sys.argv[3:])
"""


class Watched:
    """The command ``index`` with so many jobs, watched from outside."""

    def __init__(self, folder: Path, target: Path, jobs: int, stop: str = "") -> None:
        self.log = target.with_suffix(f".log{stop}")
        self.partial = target.with_name(f"{target.name}.partial")
        command = [sys.executable, "-c", WATCHED, self.log, stop, "index", folder, target, "--jobs", jobs]
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )

    def read(self) -> list[str]:
        return self.log.read_text().split() if self.log.exists() else []

    def wait_for(self, condition: Callable[[], bool]) -> None:
        for _ in range(6000):
            if condition():
                return
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.01)
        raise AssertionError("nothing happened")

    def wait_until_stopped(self, jobs: int, bundles: int) -> None:
        self.wait_for(lambda: self.read().count("waiting") == jobs and len(frames(self.partial)) == bundles)

    def ended(self) -> tuple[int, str]:
        out, err = self.process.communicate(timeout=60)
        assert out == b""
        return self.process.returncode, err.decode()


def frames(partial: Path) -> list[int]:
    """The lengths of the bundles that are whole, as docs/reference/formats/collection-index.md says."""
    data = partial.read_bytes()
    place, found = data.index(b"\n") + 1, []
    while place + 12 <= len(data) and place + 12 + int.from_bytes(data[place : place + 8], "little") <= len(data):
        found.append(int.from_bytes(data[place : place + 8], "little"))
        place += 12 + found[-1]
    return found


@pytest.fixture
def some_broken(folder: Path) -> Path:
    (folder / "00020.xml").write_text("<article>\n\n<p></article>")
    (folder / "00040.xml").write_text("")
    return folder


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_ctrl_c_and_again(some_broken: Path, tmp_path: Path, jobs: int) -> None:
    target = tmp_path / "x"
    first = Watched(some_broken, target, jobs, "00030")
    first.wait_until_stopped(jobs, 6)
    os.killpg(first.process.pid, signal.SIGINT)  # as a terminal does: to all processes
    code, told = first.ended()
    assert code == 130
    assert told.strip() == f"note: interrupted; run the same command to continue from {target}.partial"
    assert left(tmp_path) == {"docs", "x.partial", first.log.name}
    again = Watched(some_broken, target, jobs)
    code, told = again.ended()
    assert code == 0 and "note: 30 documents were read by an earlier attempt\n" in told
    assert sorted(again.read()) == [f"{i:05d}" for i in range(30, 60)]
    assert f"{some_broken}/00020.xml:3: cannot be read as XML" in told  # read by the first
    assert f"{some_broken}/00040.xml:1: cannot be read as XML" in told  # and by the second
    assert "note: 2 of 60 documents could not be read and were skipped\n" in told
    assert left(tmp_path) == {"docs", "x", first.log.name, again.log.name}
    build_index(some_broken, tmp_path / "fresh", jobs=1)
    assert target.read_bytes() == (tmp_path / "fresh").read_bytes()
    assert_same_as_folder(target, some_broken)


def test_ctrl_c_before_anything_is_kept(berrypick: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(top: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(index_build, "find_documents", stop)
    done = berrypick("index", tmp_path, tmp_path / "x")
    assert done.code == 130 and done.err.strip() == "" and left(tmp_path) == set()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for as Linux shows them")
def test_a_killed_worker_is_one_message(folder: Path, tmp_path: Path) -> None:
    first = Watched(folder, tmp_path / "x", 2, "00030")
    first.wait_until_stopped(2, 6)
    os.kill(children(first.process.pid)[0], signal.SIGKILL)
    first.wait_until_stopped(4, 6)  # others do its work
    os.kill(children(first.process.pid)[0], signal.SIGKILL)
    code, told = first.ended()
    assert code == 2 and "Traceback" not in told and "finished documents are kept" in told
    assert told.startswith("berrypick: a worker process ended before its work was done; if memory ran out, use fewer")
    assert left(tmp_path) == {"docs", "x.partial", first.log.name}
    again = Watched(folder, tmp_path / "x", 2)
    assert again.ended()[0] == 0 and sorted(again.read()) == [f"{i:05d}" for i in range(30, 60)]
    assert_same_as_folder(tmp_path / "x", folder)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for as Linux shows them")
def test_workers_end_with_the_first_process(folder: Path, tmp_path: Path) -> None:
    first = Watched(folder, tmp_path / "x", 2, "00030")
    first.wait_until_stopped(2, 6)
    workers = children(first.process.pid)
    assert len(workers) == 2
    first.process.kill()
    first.process.communicate(timeout=60)
    for _ in range(6000):
        if not any(is_alive(worker) for worker in workers):
            break
        time.sleep(0.01)
    assert not any(is_alive(worker) for worker in workers)
    assert build_index(folder, tmp_path / "x", jobs=1).reused == 30


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_several_processes(
    some_broken: Path, tmp_path: Path, jobs: int, small_bundles: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = build_index(some_broken, tmp_path / "x", jobs=jobs)
    assert (made.facts.documents, made.facts.unreadable, len(made.problems)) == (58, 2, 2)
    assert_same_as_folder(tmp_path / "x", some_broken)


def test_spawned_processes(
    some_broken: Path, tmp_path: Path, small_bundles: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on systems that cannot fork."""
    monkeypatch.setattr(workers, "start_method", lambda: "spawn")
    made = build_index(some_broken, tmp_path / "x", jobs=2)
    assert (made.facts.documents, made.facts.unreadable) == (58, 2)
    assert_same_as_folder(tmp_path / "x", some_broken)


def test_a_full_disk_ends_the_workers(
    folder: Path, tmp_path: Path, small_bundles: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object, content: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(index_build.Partial, "add", full)
    with pytest.raises(InputError, match=r"x: cannot be written \(No space left on device\)"):
        build_index(folder, tmp_path / "x", jobs=2)
    assert multiprocessing.active_children() == []


# Wrong usage, and what the folder may hold


def test_wrong_usage(berrypick: Command, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="jobs"):
        build_index(folder, tmp_path / "x", jobs=0)
    with pytest.raises(InputError, match=r"00001.xml: is a document of the collection"):
        build_index(folder, folder / "00001.xml")
    for arguments, message in (
        ((tmp_path / "none", tmp_path / "x"), "none: is not a folder"),
        ((folder / "00001.xml", tmp_path / "x"), "00001.xml: is not a folder"),
        ((folder, tmp_path), "is a folder, expected a file to write"),
        ((folder, tmp_path / "none" / "x"), "the folder .*none does not exist"),
        ((folder, folder / "00001.xml"), "name another file"),
        ((folder, tmp_path / "x", "--jobs", "0"), "--jobs"),
        ((folder,), "FILE"),
    ):
        done = berrypick("index", *arguments)
        assert done.code == 2 and re.search(message, done.err) and "Traceback" not in done.err
    (tmp_path / "empty").mkdir()
    done = berrypick("index", tmp_path / "empty", tmp_path / "x")
    assert done.code == 2 and "holds no XML documents" in done.err
    assert left(tmp_path) == {"docs", "empty"}


def test_a_target_that_cannot_be_written(berrypick: Command, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "x.partial").mkdir()
    done = berrypick("index", folder, tmp_path / "x")
    assert done.code == 2 and "x.partial: cannot be written" in done.err and "Traceback" not in done.err


def plainly_found(top: Path) -> dict[str, str]:
    """Documents and their files, by asking every file what it is."""
    found = {}
    for place, inner, files in os.walk(top):
        inner[:] = [name for name in inner if not name.startswith(".")]
        for name in files:
            path = Path(place) / name
            leads_out = path.is_symlink() and top.resolve() not in path.resolve().parents
            if not name.startswith(".") and path.suffix.lower() in (".xml", ".page") and not leads_out:
                found[path.relative_to(top).with_suffix("").as_posix()] = str(path)
    return found


def test_which_files_are_documents(folder: Path, tmp_path: Path) -> None:
    (folder / "UPPER.XML").write_text("<a/>")
    (folder / ".hidden.xml").write_text("<a/>")
    (folder / "sub" / "deep.er").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "c.xml").write_text("<a/>")
    (folder / "sub" / "deep.er" / "x.page").write_text("<a/>")
    (folder / "sub" / "readme.txt").write_text("<a/>")
    (folder / "sub.xml").mkdir()
    (folder / "sub.xml" / "y.xml").write_text("<a/>")
    (tmp_path / "outside.xml").write_text("<a/>")
    (folder / "out.xml").symlink_to(tmp_path / "outside.xml")
    with pytest.raises(InputError, match=r"out\.xml: is a link to a file outside the folder"):
        folders.find_documents(folder)
    (folder / "out.xml").unlink()
    (folder / "in.xml").symlink_to(folder / "00001.xml")
    (folder / "gone.xml").symlink_to(folder / "nowhere.xml")
    (folder / "round").symlink_to(folder)
    found = folders.find_documents(folder)
    assert list(found.items()) == sorted(plainly_found(folder).items())
    assert {"UPPER", "sub/deep.er/x", "sub.xml/y", "in", "gone"} <= set(found)
    made = build_index(folder, tmp_path / "x", jobs=1)
    assert made.problems == ["gone.xml: cannot be read: No such file or directory"]
    (folder / "00001.page").write_text("<a/>")
    with pytest.raises(InputError, match="duplicate document 00001"):
        folders.find_documents(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files that are no text")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in (b"a\xff.xml", b"back\\slash.xml", "é.xml".encode()):
        Path(os.fsdecode(os.fsencode(tmp_path / "docs") + b"/" + name)).write_text("<a>x</a>")
    made = build_index(tmp_path / "docs", tmp_path / "x", jobs=1)
    assert made.problems == ["a\\udcff.xml: the name of the file is not in UTF-8"]
    assert list(read_index(tmp_path / "x").structures) == ["back\\slash", "é"]


def test_no_bar_in_a_pipe(folder: Path, tmp_path: Path, process: Command) -> None:
    done = process("index", folder, tmp_path / "x")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [f"note: {tmp_path / 'x'}: 60 documents, {elements(folder)} elements"]


def elements(folder: Path) -> int:
    return sum(len(structure) for structure in read_folder(folder).structures.values())


def test_a_bar_on_a_terminal(folder: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "berrypick.cli", "index", str(folder), str(tmp_path / "x")]
    running = subprocess.Popen(command, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # how a terminal says that the other end is closed
        pass
    os.close(ours)
    assert running.wait(timeout=60) == 0
    assert b"indexing" in shown and b"documents" in shown and b"60/60" in shown


def test_memory_does_not_grow_with_the_collection(tmp_path: Path) -> None:
    """Ten times the documents, in a process each: what grows is the little that is known of each file."""
    peaks = []
    for count in (200, 2000):
        filled(tmp_path / f"docs{count}", count, 10_000)
        code = (
            "import json, resource, sys; from berrypick.documents.xml import build_index; "
            "made = build_index(sys.argv[1], sys.argv[2], jobs=1); "
            "print(json.dumps([made.facts.elements, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))"
        )
        command = [sys.executable, "-c", code, str(tmp_path / f"docs{count}"), str(tmp_path / f"x{count}")]
        peaks.append(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))
    assert peaks[1][0] > 9 * peaks[0][0]
    grown = (peaks[1][1] - peaks[0][1]) * 1024
    assert grown < 60_000_000  # the index has a few MB, the structures as objects would have hundreds
