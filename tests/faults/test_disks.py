"""Disks that are full or broken, and files that may not be read."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command_process import command
from interrupted_work import collection, large_run, large_truth, left_behind

resource = pytest.importorskip("resource", reason="limits of POSIX")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="devices and limits of Linux")

#: Every write into a regular file fails after so many bytes of it, as on a full disk; reading fails for a name.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long left = -1;
static int regular(int file) { struct stat s; return fstat(file, &s) == 0 && S_ISREG(s.st_mode); }
static int watched(int file) {
    char link[64], path[4096];
    const char *name = getenv("FAULT_NAME");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0 || !name) return 0;
    path[n] = 0;
    return strstr(path, name) != NULL;
}
ssize_t write(int file, const void *data, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (getenv("FAULT_WRITE") && regular(file) && watched(file)) {
        if (left < 0) left = atol(getenv("FAULT_WRITE"));
        if (left < (long)count) { errno = ENOSPC; return -1; }
        left -= count;
    }
    return real(file, data, count);
}
ssize_t read(int file, void *data, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    static long seen;
    if (!real) real = dlsym(RTLD_NEXT, "read");
    if (getenv("FAULT_READ") && watched(file) && (seen += count) > atol(getenv("FAULT_READ"))) {
        errno = EIO;
        return -1;
    }
    return real(file, data, count);
}
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory) -> Path:
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("broken disks: there is no C compiler")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True)
    return folder / "shim.so"


def run(*arguments, shim=None, limit=None, **environment):
    # a limited process would leave bytecode of a few bytes behind, with which no later process starts
    more = {"PYTHONDONTWRITEBYTECODE": "1"}
    if shim:
        more["LD_PRELOAD"] = str(shim)
    before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=120, preexec_fn=before,
        env={**os.environ, **more, **environment},
    )  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    return {
        "truth": large_truth(folder / "truth-file.qrels", 10, 20),
        "run": large_run(folder / "run-file.run", 10, 2000),
        "xml": collection(folder / "xml", 3),
    }


def writers(inputs, folder):
    yield ["convert", inputs["run"], folder / "out.jsonl"], folder / "out.jsonl"
    yield ["convert", inputs["run"], folder / "out.run.gz", "--to", "trec-run"], folder / "out.run.gz"
    yield ["index", inputs["xml"], folder / "out.index", "--jobs", "1"], folder / "out.index"
    if shutil.which("true") and _has_pictures():
        yield ["report", inputs["truth"], inputs["run"], "-m", "AP", "--html", folder / "out.html"], folder / "out.html"
        yield ["plot", inputs["truth"], inputs["run"], "-m", "AP", folder / "out.svg"], folder / "out.svg"


def _has_pictures():
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        return False
    return True


def refused(done, target, old):
    assert done.returncode == 2, (done.args, done.stderr)
    assert "Traceback" not in done.stderr and len(done.stderr.strip()) > 20
    assert (target.read_bytes() if target.exists() else None) == old


@pytest.mark.parametrize("space", [0, 700])
def test_a_full_disk(inputs, shim, tmp_path, space):
    """One message, the file that was there stands, and nothing is left beside it."""
    for arguments, target in list(writers(inputs, tmp_path))[: None if space else 3]:
        old = None if target.suffix == ".index" else b"old"
        if old:
            target.write_bytes(old)
        done = run(*arguments, shim=shim, FAULT_WRITE=str(space), FAULT_NAME=str(tmp_path))
        refused(done, target, old)
        assert left_behind(tmp_path) == [], arguments


def test_a_limit_on_the_size_of_files(inputs, tmp_path):
    for arguments, target in list(writers(inputs, tmp_path))[:3]:
        refused(run(*arguments, limit=600), target, None)
        assert left_behind(tmp_path) == [], arguments


@pytest.mark.parametrize("output", ["table", "tsv", "json", "csv", "markdown", "latex"])
def test_output_to_a_full_device(inputs, output):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("evaluate", inputs["truth"], inputs["run"], "-m", "AP", "-o", output),
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2 and "could not be written" in done.stderr and "Traceback" not in done.stderr


def test_files_that_cannot_be_read_to_the_end(inputs, shim, tmp_path):
    """EIO from the first byte or later, for truth, run, lengths and documents."""
    (tmp_path / "lengths.tsv").write_text("d1\t100\n" * 1)
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "d1.txt").write_text("some text" * 5000)
    evaluate = ["evaluate", inputs["truth"], inputs["run"], "-m", "AP"]
    for name, arguments in (
        ("truth-file", evaluate),
        ("run-file", evaluate),
        ("lengths", [*evaluate, "--collection", tmp_path / "lengths.tsv"]),
        ("run-file", ["check", inputs["run"]]),
        ("run-file", ["convert", inputs["run"], tmp_path / "out.jsonl"]),
        ("d1.xml", ["index", inputs["xml"], tmp_path / "out.index", "--jobs", "1"]),
    ):
        for after in ("0", "70000") if name == "run-file" else ("0",):
            done = run(*arguments, shim=shim, FAULT_READ=after, FAULT_NAME=name)
            assert done.returncode == (0 if arguments[0] == "index" else 2), (arguments, done.stderr)
            said = done.stderr + done.stdout
            assert name in said and "Input/output error" in said and "Traceback" not in said, (arguments, said)


def test_what_cannot_be_read_although_it_is_there(inputs, tmp_path):
    """The memory of a process is a file whose first byte cannot be read."""
    for arguments in (
        ["evaluate", inputs["truth"], "/proc/self/mem", "-m", "AP"],
        ["evaluate", "/proc/self/mem", inputs["run"], "-m", "AP"],
        ["evaluate", inputs["truth"], inputs["run"], "-m", "AP", "--navigation", "/proc/self/mem"],
        ["evaluate", inputs["truth"], inputs["run"], "-m", "AP", "--collection", "/proc/self/mem"],
        ["evaluate", inputs["truth"], inputs["run"], "-m", "AP", "--documents", "/proc/self/mem"],
        ["check", "/proc/self/mem"],
        ["diff", "/proc/self/mem", "/proc/self/mem"],
    ):
        done = run(*arguments)
        said = done.stderr + done.stdout
        assert done.returncode == 2 and "/proc/self/mem" in said and "Traceback" not in said, (arguments, said)
        assert "could not be written" not in said, arguments


def test_folders_that_may_not_be_written(inputs, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.geteuid() == 0:  # root may write everywhere but in the file system of the kernel
        closed = Path("/proc/self")
    done = run("convert", inputs["run"], closed / "out.jsonl")
    assert done.returncode == 2 and "out.jsonl: cannot be written" in done.stderr and "Traceback" not in done.stderr
