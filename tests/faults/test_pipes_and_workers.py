"""Readers that go away, workers that are lost, and bombs under a limit on memory."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from command_process import command
from interrupted_work import POSIX, children, collection, finish, large_run, large_truth, seconds_of, start
from many_cases import at_length

resource = pytest.importorskip("resource", reason="limits of POSIX")
pytestmark = pytest.mark.skipif(not POSIX, reason="pipes and signals of POSIX")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    return {"truth": large_truth(folder / "t.qrels"), "run": large_run(folder / "r.run"), "folder": folder}


def read_a_little(arguments, size):
    """A command whose reader takes so many bytes and goes."""
    child = start(*arguments)
    assert child.stdout is not None
    child.stdout.read(size)
    child.stdout.close()
    child.stdout = None
    return finish(child)


@pytest.mark.parametrize("size", [0, 3000])
def test_commands_whose_reader_goes(inputs, size):
    """The gate is what counts: its code and reason do not depend on the reader."""
    evaluate = [inputs["truth"], inputs["run"], "-m", "AP P@5", "-q"]
    calls = [
        (["evaluate", *evaluate, "-o", "json"], 0),
        (["compare", *evaluate[:4], "-o", "tsv", "--fail-under", "P@5=0.99"], 1),
        (["compare", *evaluate[:4], "-o", "json", "--fail-under", "P@5=0.99"], 1),
        (["compare", *evaluate[:4], "-o", "markdown", "--fail-under", "P@5=0.01"], 0),
        (["list", "measures"], 0),
        (["show", "measure", "EPRUM"], 0),
        (["explain", inputs["truth"], inputs["run"], "--topic", "1", "-m", "EPRUM"], 0),
    ]
    for arguments, expected in calls if size == 0 else calls[: at_length(2, 7)]:
        code, _, err = read_a_little(arguments, size)
        assert code == expected, (arguments, err)
        assert ("not met" in err) == (expected == 1)
        assert "Traceback" not in err and "BrokenPipe" not in err


@pytest.mark.parametrize("closed", [1, 2])
def test_streams_that_are_closed_from_the_start(inputs, closed):
    shell = f'exec "$@" {closed}>&-'
    arguments = command("compare", inputs["truth"], inputs["run"], "-m", "P@5", "--fail-under", "P@5=0.99")
    done = subprocess.run(["sh", "-c", shell, "sh", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == (1 if closed == 2 else 2), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
@pytest.mark.parametrize("name", ["evaluate", "index"])
def test_workers_that_are_killed(inputs, name, tmp_path):
    """What a lost worker had to do is done again, or its loss is told; never half a result."""
    if name == "index":
        arguments = ["index", collection(inputs["folder"] / "xml"), tmp_path / "out.index", "--jobs", "2"]
    else:
        arguments = ["evaluate", inputs["truth"], inputs["run"], "-m", "EPRUM PRUM", "--units", "100000", "-q",
                     "-o", "json", "--jobs", "2"]  # fmt: skip
    lasts = seconds_of(*arguments)
    code, expected, _ = finish(start(*arguments))
    expected = (tmp_path / "out.index").read_bytes() if name == "index" else json.loads(expected)
    chance, killed = random.Random(name), 0
    turns = int(os.environ.get("BERRYPICK_FAULTS", "2"))
    for turn in range(10 * turns):  # workers may come and go between two looks
        if turn >= turns and killed:
            break
        (tmp_path / "out.index").unlink(missing_ok=True)
        child = start(*arguments)
        until = time.monotonic() + 2 * lasts
        while not children(child.pid) and child.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.3) * lasts if 0 < turn < turns else 0)
        for worker in children(child.pid)[:1]:
            os.kill(worker, signal.SIGKILL)
            killed += 1
        code, out, err = finish(child)
        assert code in (0, 2), err
        assert "Traceback" not in err
        if code == 2:
            assert "a worker process ended" in err and out == "", err
        elif name == "evaluate":
            assert json.loads(out) == expected
        else:
            assert (tmp_path / "out.index").read_bytes() == expected
    assert killed, "no worker was found"


def bombs(folder):
    """Small files that become large: (name, arguments)."""
    lines = b"1 Q0 document 1 1.5 r\n"
    packed_ones = (
        ("lines", lines, b"1 Q0 document 1 1.5 r\n" * 50_000),
        ("comments", b"", b"# comment line\n" * 70_000),
        ("a line", b"1 Q0 ", b"x" * (1 << 20)),
        ("a JSON string", b'{"topic": "', b"x" * (1 << 20)),
        ("a CSV cell", b'topic,doc\n1,"', b"x" * (1 << 20)),
        ("an attribute", b'<assessments topic="', b"x" * (1 << 20)),
        ("a comment", b'<assessments topic="1"><!-- ', b"x" * (1 << 20)),
        ("elements", b'<assessments topic="1">', b"<a/>" * 250_000),
        ("elements of a document", b'<assessments topic="1"><file name="d">', b'<passage size="1"/>' * 50_000),
        ("lists", b'{"data": [', b"[]," * 350_000),
        ("objects", b'[{"id": 1, "data": {"text": "x"}, "annotations": [', b'{"":0},' * 150_000),
        ("a line of lists", b'{"topic": [', b"[]," * 350_000),
    )
    for name, begin, rest in packed_ones[:: at_length(2, 1)]:  # to unpack a gigabyte takes a second or more
        packed = folder / f"{name}.gz"
        parts = 18 * 64 * 2**20 // len(rest)  # of a megabyte, which follow each other in one file
        packed.write_bytes(gzip.compress(begin) + gzip.compress(rest) * parts)
        yield f"{name}, packed", ["check", packed]
    yield from parquet_bombs(folder)
    nested = folder / "nested.xml"
    nested.write_text("<a>" * 200_000)
    yield "nested XML", ["check", nested]
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    (folder / "lol.xml").write_text(f'<!DOCTYPE a [<!ENTITY e0 "lol">{entities}]><assessments topic="&e11;"/>')
    yield "entities", ["check", folder / "lol.xml"]
    (folder / "deep.jsonl").write_text('{"topic": "1", "doc": ' + "[" * 2_000_000 + "\n")
    yield "nested JSON", ["check", folder / "deep.jsonl"]
    (folder / "cell.csv").write_text('topic,doc,start,end\n1,"' + "x" * 9_000_000)
    yield "an open quotation mark", ["check", folder / "cell.csv"]
    (folder / "line.run").write_text("1 Q0 " + "x" * 9_000_000)
    yield "one long line", ["check", folder / "line.run"]
    (folder / "digits.qrels").write_text("1 0 a " + "9" * 9_000_000 + "\n")
    yield "one long number", ["check", folder / "digits.qrels"]
    (folder / "grade.qrels").write_text("1 0 a 2147483647\n")
    (folder / "one.run").write_bytes(lines)
    yield "a large grade", ["evaluate", folder / "grade.qrels", folder / "one.run", "-m", "AP nDCG"]
    (folder / "at.qrels").write_text("1 0 document 1\n")
    yield (
        "a large cut-off",
        ["evaluate", folder / "at.qrels", folder / "one.run", "-m", "P@99999999999 nxCG@99999999999"],
    )


def parquet_bombs(folder):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 25_000_000  # in half a megabyte
    same = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), ["d"])
    start = pa.array(np.arange(rows, dtype=np.int32))
    table = pa.table([same, same, start, start], ["topic", "doc", "start", "end"])
    codes = dict.fromkeys(["start", "end"], "DELTA_BINARY_PACKED")  # what rises evenly takes no room
    parquet.write_table(table, folder / "rows.parquet", use_dictionary=["topic", "doc"], column_encoding=codes)
    yield "rows of Parquet", ["check", folder / "rows.parquet"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_bombs_under_a_limit_on_memory(tmp_path):
    """Files under 10 MB take less than 1 GB, with all that Python and its libraries take, and less than a minute."""
    limit = 1 << 30
    base = 700 << 20  # what numpy, pyarrow and lxml map before a file is read

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (limit + base, limit + base))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    for name, arguments in bombs(tmp_path):
        assert all(not os.path.exists(word) or os.path.getsize(word) < 10 << 20 for word in map(str, arguments))
        with open(tmp_path / "said", "w+b") as out:
            child = subprocess.Popen(
                command(*arguments), stdout=out, stderr=out, preexec_fn=limited,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = code = os.waitstatus_to_exitcode(status)
            out.seek(0)
            said = out.read().decode()
        assert code in (0, 2), (name, code, said[-500:])
        assert usage.ru_maxrss * 1024 < limit, (name, usage.ru_maxrss, said[-500:])
        assert "Traceback" not in said and "not enough memory" not in said, (name, said[-500:])
