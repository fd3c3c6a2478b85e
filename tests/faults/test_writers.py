"""Every command that writes a file, disturbed at the worst moment: all of the new file is written, and it is not yet in
its place. The old one stands, nothing is left beside it, and the same command works afterwards.

In one process: the others here send real signals, to fewer commands."""

import errno
import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.cli import main

TEXT = "Cut the old canes in autumn. Water in July, and never at noon. "
DOCUMENTS = {"guide": TEXT * 3, "notes": TEXT}
TRUTH = [{"topic": str(t), "doc": "notes", "quote": "Water in July", "start": 29, "end": 42} for t in range(4)]
RUN = [{"topic": str(t), "doc": "notes", "start": 0, "end": 40 + t, "score": 1.0 + t} for t in range(4)]
TASK = {"topic": "1", "doc": "notes", "offset": 0, "text": TEXT, "regions": [[0, 27]]}
SQUAD = {"data": [{"title": "t", "paragraphs": [{"context": TEXT, "qas": [
    {"id": "q", "question": "When?", "answers": [{"text": "July", "answer_start": 38}]}]}]}]}  # fmt: skip

#: What is written by which arguments; the word OUT is the file.
WRITERS = {
    "convert": "convert run.jsonl OUT.csv",
    "convert, packed": "convert run.jsonl OUT.jsonl.gz",
    "convert, Parquet": "convert run.jsonl OUT.parquet",
    "convert, documents": "convert squad.json other.jsonl --documents OUT.jsonl",
    "locate": "locate truth.jsonl OUT.jsonl --documents texts.jsonl",
    "locate, report": "locate truth.jsonl other.jsonl --documents texts.jsonl --report OUT.jsonl",
    "pool": "pool run.jsonl --documents texts.jsonl -o OUT.jsonl",
    "annotate": "annotate tasks.jsonl --html OUT.html",
    "relocate": "relocate truth.jsonl --from texts.jsonl --to texts.jsonl -o OUT.jsonl",
    "relocate, report": "relocate truth.jsonl --from texts.jsonl --to texts.jsonl -o other.jsonl --report OUT.jsonl",
    "fit": "fit markov visits.sessions -o OUT.json",
    "index": "index xml OUT.index --jobs 1",
    "report": "report truth.jsonl run.jsonl -m charR@2 --html OUT.html",
    "plot": "plot truth.jsonl run.jsonl OUT.svg -m charR@2",
    "stability": "stability truth.jsonl run.jsonl twice.jsonl -m charR@2 --splits 5 --resamples 100 --plot OUT.svg",
    "abstention": "abstention unanswered.jsonl run.jsonl --plot OUT.svg",
}
PICTURES = ("plot", "stability", "abstention")
#: What happens, and the exit code.
FAULTS = {
    "interrupted": (KeyboardInterrupt(), 130),
    "terminated": (SystemExit(143), 143),  # what the handler of SIGTERM raises
    "full": (OSError(errno.ENOSPC, "No space left on device"), 2),
    "broken": (OSError(errno.EIO, "Input/output error"), 2),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    for name, rows in (("truth", TRUTH), ("run", RUN), ("twice", RUN[:2]), ("tasks", [TASK]),
                       ("texts", [{"doc": name, "text": text} for name, text in DOCUMENTS.items()]),
                       ("unanswered", [*TRUTH[:2], {"topic": "3", "is_impossible": True}])):  # fmt: skip
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "squad.json").write_text(json.dumps(SQUAD))
    (folder / "visits.sessions").write_text("a;b;c\na;c\nb;c;a\n" * 5)
    (folder / "xml").mkdir()
    (folder / "xml" / "d.xml").write_text("<a><b>some text</b></a>")
    return folder


def run(arguments: str, target: Path) -> tuple[object, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stopped:
        main([word.replace("OUT", str(target)) for word in arguments.split()])
    return stopped.value.code, err.getvalue()


@pytest.mark.parametrize("writer", WRITERS)
def test_the_old_or_the_new_file_stands(writer, inputs, tmp_path, monkeypatch):
    if writer in PICTURES:
        pytest.importorskip("vl_convert")
    if writer in ("index", "convert, Parquet"):
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(inputs)
    target = tmp_path / "out"
    (made,) = [tmp_path / word.replace("OUT", "out") for word in WRITERS[writer].split() if word.startswith("OUT")]
    slow = writer in (*PICTURES, "report")
    for fault, code in list(FAULTS.values())[slow :: 2 if slow else 1]:
        old = None if writer == "index" else b"old"  # an index is only made anew
        if old:
            made.write_bytes(old)

        def fail(descriptor: int, fault: BaseException = fault) -> None:
            if os.path.realpath(f"/proc/self/fd/{descriptor}").startswith(str(tmp_path)):
                raise fault

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", fail)
            found, said = run(WRITERS[writer], target)
        assert found == code, said
        assert (made.read_bytes() if made.exists() else None) == old
        assert code != 2 or str(made) in said, "the message names the file"
        left = [path.name for path in tmp_path.iterdir() if path != made]
        assert left == [] or left == ["out.index.partial"], left  # from which the next command goes on
    found, said = run(WRITERS[writer], target)
    assert found == 0, said
    assert made.stat().st_size and made.read_bytes() != b"old"


def test_values_that_are_written_from_python(inputs, tmp_path, monkeypatch):
    """A full disk is an error of ours there, too."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    results, read = bp.evaluate(TRUTH, {"r": RUN}, "charR@2"), bp.read_run(inputs / "run.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for write in (lambda: results.save(tmp_path / "r.json"), lambda: bp.write(read, tmp_path / "x.jsonl"),
                      lambda: bp.pool({"r": RUN}, DOCUMENTS).write(tmp_path / "p.jsonl")):  # fmt: skip
            with pytest.raises(bp.BerrypickError, match=r"cannot be written \(No space left on device\)"):
                write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_device_that_takes_nothing(inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    code, said = run("convert run.jsonl OUT --to span-run", Path("/dev/full"))
    assert code == 2 and "/dev/full: cannot be written (No space left on device)" in said


def test_names_that_are_as_long_as_a_name_can_be(inputs, tmp_path, monkeypatch):
    """The file that is written beside it has a name of its own."""
    monkeypatch.chdir(inputs)
    code, said = run("convert run.jsonl OUT", tmp_path / ("n" * 249 + ".jsonl"))
    assert code == 0, said
