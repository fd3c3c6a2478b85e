"""Standard error that cannot be written: results and exit codes are those they would be."""

import subprocess
import sys

import pytest
from command_process import command
from every_command import invocations, write_inputs
from interrupted_work import POSIX
from many_cases import at_length

pytestmark = pytest.mark.skipif(not POSIX, reason="redirections of a shell")

#: Full, closed, and open for reading only.
STREAMS = ["2>/dev/full", "2>&-", "2</dev/null"]


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "out").mkdir()
    return invocations(write_inputs(folder, "n"), folder / "out")


def redirected(stream, *arguments):
    shell = ["sh", "-c", f'exec "$@" {stream}', "sh", *command(*arguments)]
    return subprocess.run(shell, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("stream", STREAMS)
def test_every_command_ends_with_its_code(calls, stream):
    if sys.platform == "darwin" and "full" in stream:
        pytest.skip("there is no /dev/full")
    for name in calls if "full" in stream else ("compare", "check", "show"):
        by_code = dict(calls[name])  # one for each code; in every run only that of the worst, which has most to say
        for code in sorted(by_code)[-at_length(1, 3) :]:
            done = redirected(stream, name, *by_code[code])
            assert done.returncode == code, (name, by_code[code], done.returncode)
            assert "Traceback" not in done.stdout + done.stderr


def test_results_are_printed_all_the_same(calls):
    code, arguments = calls["compare"][0]
    plain = subprocess.run(command("compare", *arguments), capture_output=True, text=True, timeout=120)
    assert plain.returncode == code == 1 and "not met" in plain.stderr
    usages = [["--nonsense"], [], ["compare"], ["evaluate", "none", "none", "-m", "AP"]]
    for stream in STREAMS[sys.platform == "darwin" :]:  # which has no /dev/full
        assert redirected(stream, "compare", *arguments).stdout == plain.stdout
        for usage in usages[: None if stream == STREAMS[-1] else at_length(1, 4)]:
            assert redirected(stream, *usage).returncode == 2
