"""Commands that are killed, terminated or interrupted at any moment: the old or the new file stands, nothing else is
left, and the next command works."""

import json
import os
import random
import re
import signal
import time
from functools import cache

import pytest
from interrupted_work import POSIX, collection, finish, large_run, large_truth, left_behind, seconds_of, start

pytestmark = pytest.mark.skipif(not POSIX, reason="signals of POSIX")

#: How often each command is disturbed; make fuzz does it more often.
TIMES = int(os.environ.get("BERRYPICK_FAULTS", "1"))
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, getattr(signal, "SIGKILL", 9): -9}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """(name, arguments up to the output, name of the output) of commands that write a file."""
    folder = tmp_path_factory.mktemp("work")
    few, run = large_truth(folder / "t.qrels", 3, 10), large_run(folder / "r.run")
    small = large_run(folder / "small.run", 3, 30)
    return {
        "convert": (["convert", run], "out.jsonl"),
        "index": (["index", collection(folder / "xml"), "--jobs", "2"], "out.index"),
        "fit": (["fit", "markov", many_sessions(folder / "s.sessions"), "-o"], "out.json"),
        "report": (["report", few, small, "-m", "AP EPRUM", "--html"], "out.html"),
    }


@pytest.fixture(scope="module")
def undisturbed(work, tmp_path_factory):
    """How long a command takes if nothing disturbs it, and what it writes; worked out once for all signals."""

    @cache
    def run(name):
        folder, target = tmp_path_factory.mktemp(name), work[name][1]
        return seconds_of(*arguments(work[name], target), cwd=folder), (folder / target).read_bytes()

    return run


def many_sessions(path):
    chance = random.Random(1)
    path.write_text("".join(";".join(chance.choices("abcdefgh", k=6)) + "\n" for _ in range(20_000)))
    return path


def arguments(given, target):
    words, _ = given
    if words[0] == "index":
        return [words[0], words[1], target, *words[2:]]
    return [*words, target]


#: Python drops an interruption that comes while its import system lets go of a lock, says so, and goes on.
LOST = re.compile(
    r"Exception ignored in: <function _get_module_lock\.<locals>\.cb .*?KeyboardInterrupt: ?\n", re.DOTALL
)


@pytest.mark.parametrize("number", list(CODES), ids=[number.name for number in CODES])
@pytest.mark.parametrize("name", ["convert", "fit", "index", "report"])
def test_the_old_or_the_new_file_stands(work, undisturbed, name, number, tmp_path):
    if name == "report":
        pytest.importorskip("vl_convert")
    target = tmp_path / work[name][1]
    command = arguments(work[name], target.name)  # a page tells the name of its file as it was given
    lasts, new = undisturbed(name)
    chance = random.Random(f"{name}{number}")
    ended = set()
    for turn in range(10 * TIMES):
        if turn >= TIMES and ended - {0}:
            break
        if name == "index":  # an index is only made anew
            target.unlink(missing_ok=True)
        else:
            target.write_bytes(b"old")
        began = time.monotonic()
        child = start(*command, cwd=tmp_path)
        time.sleep(lasts * chance.uniform(0.3, 0.95))
        if child.poll() is None:
            os.killpg(child.pid, number)
        code, _, err = finish(child)
        ended.add(code)
        if code == 0:  # the first time of all may have been a slow one
            lasts = min(lasts, time.monotonic() - began)
        assert code in (0, CODES[number], -number), err  # a signal that comes before Python is up ends it at once
        assert "Traceback" not in LOST.sub("", err)
        if name == "index":
            sound = not target.exists() or target.read_bytes() == new or code != 0
        else:
            sound = target.read_bytes() in (b"old", new)
            if number != signal.SIGKILL and code != -number:
                assert left_behind(tmp_path) == []
        assert sound, "neither the old nor the new file"  # the bytes themselves would be compared for minutes
    code, _, err = finish(start(*command, cwd=tmp_path))  # also where an index has been begun
    assert code == 0, err
    again = target.read_bytes() == new
    assert again, "another file than without signals"
    assert ended - {0}, "no command was disturbed"


def test_an_interrupted_evaluation_with_workers_ends_at_once(tmp_path):
    """Many times, because a hang needs an unlucky moment."""
    truth, run = large_truth(tmp_path / "t.qrels"), large_run(tmp_path / "r.run")
    command = ["evaluate", truth, run, "-m", "EPRUM PRUM AP", "--units", "100000", "--jobs", "2", "-o", "json"]
    lasts = seconds_of(*command)
    chance = random.Random(1)
    for _ in range(2 * TIMES):
        child = start(*command)
        time.sleep(lasts * chance.uniform(0.4, 1.0))
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGINT)
        code, out, err = finish(child)
        assert code in (0, 130, -signal.SIGINT), err
        assert out == "" or json.loads(out), out  # all of it, even if the signal came when it had been printed
        assert "Traceback" not in err
