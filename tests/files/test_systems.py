"""Windows and macOS as far as they can be simulated: encodings, ends of lines, open files, folders, drives, locks."""

from __future__ import annotations

import ast
import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from parsed_files import parsed

import berrypick as bp
from berrypick import cli
from berrypick.cli import output
from berrypick.cli.process import set_up_process
from berrypick.files import files as _files

NAME = "r\u00e9sum\u00e9 \u2192 \U0001f600"
ROOT = Path(bp.__file__).parent


@pytest.fixture
def named(tmp_path):
    """A truth and a run whose names no small encoding has."""
    (tmp_path / "t.jsonl").write_text(json.dumps({"topic": "1", "doc": NAME}), encoding="utf-8")
    (tmp_path / "r.jsonl").write_text(
        json.dumps({"topic": "1", "doc": NAME, "score": 1, "run": NAME}), encoding="utf-8"
    )
    return tmp_path


# standard output


#: Prints an evaluation in one way after the other.
EVERY_OUTPUT = """
import sys
from berrypick.cli import main
for output in sys.argv[3:]:
    try:
        main(["evaluate", *sys.argv[1:3], "-m", "AP", "-o", output])
    except SystemExit as stopped:
        assert not stopped.code, output
    print("the next one", flush=True)
"""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "utf-16"])
def test_an_encoding_without_the_characters(encoding, named):
    outputs = ["table", "json", "tsv", "csv", "markdown"]
    arguments = [sys.executable, "-c", EVERY_OUTPUT, str(named / "t.jsonl"), str(named / "r.jsonl"), *outputs]
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(arguments, capture_output=True, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    utf8 = encoding == "ascii"  # as click has it: nobody means ASCII
    texts = done.stdout.decode("utf-8" if utf8 else encoding).split("the next one")
    for how, text in zip(outputs, texts[:-1], strict=True):
        assert "AP" in text and ("1.0" in text), how
        assert utf8 or how == "json" or NAME in text or "\\u2192" in text, how


class Small(io.TextIOWrapper):
    """A stream as Windows makes it for a pipe."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="cp1252", newline="\r\n")

    @property
    def bytes(self):
        self.flush()
        return self.buffer.getvalue()


def test_pipes_and_files_get_utf8_and_plain_ends_of_lines(named, monkeypatch):
    stream = Small()
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as stopped:
        cli.main(["evaluate", str(named / "t.jsonl"), str(named / "r.jsonl"), "-m", "AP", "-o", "tsv"])
    assert not stopped.value.code
    assert stream.bytes.decode("utf-8").splitlines(keepends=True)[1] == f"{NAME}\tall\tAP\t1.0\n"


def test_a_terminal_keeps_its_encoding(monkeypatch):
    stream = Small()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", stream)
    set_up_process()
    stream.write("\u00e9\u2192\n")
    assert stream.bytes == b"\xe9\\u2192\r\n"


def test_a_reader_that_goes_is_an_invalid_argument_on_windows(monkeypatch):
    gone, other = OSError(errno.EINVAL, "Invalid argument"), OSError(errno.ENOSPC, "No space left on device")
    assert output.is_broken_pipe(BrokenPipeError(errno.EPIPE, "")) and not output.is_broken_pipe(gone)
    monkeypatch.setattr(sys, "platform", "win32")
    assert output.is_broken_pipe(gone) and not output.is_broken_pipe(other)


# files


def text_files(tree):
    """(line, name of the function) of calls that open a text file without an encoding, or write one without newline."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if name not in ("open", "fdopen", "read_text", "write_text", "NamedTemporaryFile", "TextIOWrapper") or (
            name == "open" and (owner == "os" or (isinstance(node.func, ast.Attribute) and owner != "gzip"))
        ):
            continue
        given = {keyword.arg for keyword in node.keywords}
        modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if any("b" in mode and len(mode) <= 3 for mode in modes):
            continue
        if any(isinstance(arg, ast.IfExp) and "b" in ast.unparse(arg) for arg in node.args):
            continue  # "r+b" or "w+b"
        writes = name == "write_text" or any(mode in ("w", "a", "x") for mode in modes)
        if "encoding" not in given or (writes and "newline" not in given and name != "write_text"):
            yield node.lineno, name


def test_text_files_are_opened_with_an_encoding_and_written_with_plain_ends_of_lines():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in ROOT.rglob("*.py")
        for line, name in text_files(parsed(path))
        if not (name == "read_text" and path.name in ("folder.py", "xml_documents.py"))  # ours: corpus.xml_documents
    ]
    standard = ["cli/process.py"] * 2  # standard output and error, where they were closed
    assert [one.rpartition(":")[0].rpartition(":")[0].replace(os.sep, "/") for one in found] == standard, found


def test_the_check_of_text_files_finds_some():
    wrong = "open(p)\nopen(p, 'w', encoding='utf-8')\nPath(p).read_text()\nos.fdopen(h)\n"
    right = "open(p, 'rb')\nos.open(p)\nopen(p, 'w', encoding='utf-8', newline='')\nPath(p).read_text(encoding='x')\n"
    assert [line for line, _ in text_files(ast.parse(wrong))] == [1, 2, 3, 4]
    assert list(text_files(ast.parse(right))) == []


def test_no_command_uses_the_encoding_of_the_system(named):
    options = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    options += ["-W", "ignore::EncodingWarning:lazy_loader"]  # it opens our stub, which is ASCII
    for arguments in (["demo"], ["evaluate", "t.jsonl", "r.jsonl", "-m", "AP"], ["convert", "r.jsonl", "out.jsonl"]):
        line = [sys.executable, *options, "-m", "berrypick", *arguments]
        done = subprocess.run(line, cwd=named, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()


def test_a_folder_that_is_opened_without_permission_is_a_folder(tmp_path, monkeypatch):
    """Windows says EACCES where Linux says EISDIR."""

    class Denied(_files._File):
        def __init__(self, file, path):
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(_files, "_File", Denied)
    with pytest.raises(bp.InputError, match="is a folder, expected a file"):
        bp.read_run(tmp_path, "trec-run")
    (tmp_path / "x.run").write_text("1 Q0 a 1 1 x\n")
    with pytest.raises(bp.InputError, match=r"cannot be read \(Permission denied\)"):
        bp.read_run(tmp_path / "x.run")


def test_everything_that_is_written_is_closed_before_it_gets_its_name(windows_files, tmp_path):
    run = bp.run_from_objects({"1": {"a#0-5": 1.0}})
    results = bp.evaluate({"1": {"a#0-10": 1}}, run, "charR@5")
    for _ in range(2):
        for ending in ("jsonl", "csv", "parquet", "jsonl.gz"):
            bp.write(run, tmp_path / f"run.{ending}")
        for ending in ("json", "jsonl", "parquet"):
            results.save(tmp_path / f"results.{ending}")
        bp.write_report({"1": {"a#0-10": 1}}, run, "charR@5", html=tmp_path / "report.html")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    with open(tmp_path / "run.csv", "rb"), pytest.raises(bp.InputError, match="cannot be replaced"):
        bp.write(run, tmp_path / "run.csv")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_name_with_a_drive_is_a_file(monkeypatch, tmp_path):
    r"""C:\x.run is neither a scheme nor a pattern."""
    monkeypatch.chdir(tmp_path)
    Path("C:\\runs\\a.run").write_text("1 Q0 a 1 1 x\n")
    assert bp.evaluate({"1": {"a": 1}}, "C:\\runs\\a.run", "AP")["AP"] == 1
    with pytest.raises(bp.InputError, match="no such file"):
        bp.read_run("D:\\none.run")


def test_modules_of_posix_alone_are_not_needed():
    """What Windows does not have is absent; evaluation, index and workers load and run."""
    code = """
import sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "_posixsubprocess_none"):
    sys.modules[name] = None
import os, signal
for name in ("fork", "pread", "sched_getaffinity", "getuid", "mkfifo"):
    if hasattr(os, name): delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGPIPE", "pthread_sigmask"):
    if hasattr(signal, name): delattr(signal, name)
import tempfile, pathlib
import berrypick as bp
from berrypick.workers import workers
from berrypick.documents.xml import build_index
from berrypick.cli import main
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "xml").mkdir()
(folder / "xml" / "a.xml").write_text("<a><b>x</b></a>", encoding="utf-8")
build_index(folder / "xml", folder / "x.idx")
assert len(bp.read_collection(folder / "x.idx").structures) == 1
with workers._starting():
    pass
try:
    main(["demo"])
except SystemExit as stopped:
    assert not stopped.code
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_test_modules_load_without_what_posix_alone_has():
    """Continuous integration collects all of them on Windows."""
    tests = Path(__file__).resolve().parents[1]
    for path in tests.rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            names = [alias.name for alias in getattr(node, "names", [])] if isinstance(node, ast.Import) else []
            assert not {"fcntl", "grp", "pty", "pwd", "resource", "termios"} & set(names), f"{path}:{node.lineno}"
            if isinstance(node, ast.Assign):
                assert "signal.SIGKILL" not in ast.unparse(node), f"{path}:{node.lineno}"
