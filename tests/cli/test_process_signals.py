"""Signals are not lost: not while a module is loaded, where extensions take them for errors, nor in destructors."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

#: Does what NumPy's compiled modules do with an exception that comes while they are loaded.
MODULE = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.{name})
    time.sleep(0.05)
except BaseException:
    raise ImportError("failed to import") from None
"""
PROGRAM = """
import sys, time
from berrypick.cli.process import set_up_process

set_up_process()
try:
    import {module}
    {then}
    time.sleep(30)
except KeyboardInterrupt:
    sys.exit(130)
finally:
    print("loaded" if "{module}" in sys.modules else "lost")
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_waits_until_a_module_is_loaded(name, tmp_path):
    (tmp_path / "interrupted.py").write_text(MODULE.format(name=name))
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(module="interrupted", then="")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (found.returncode, found.stdout, found.stderr) == (128 + getattr(signal, name), "loaded\n", "")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_at_another_time_is_taken_at_once(name, tmp_path):
    kill = f"os.kill(os.getpid(), {int(getattr(signal, name))})"
    program = PROGRAM.format(module="os", then=f"{kill}; os._exit(9)")
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stdout, found.stderr) == (128 + getattr(signal, name), "loaded\n", "")


#: A destructor and a callback, in which Python drops exceptions, says so, and goes on.
DROPS = """
import os, signal, sys, time, weakref
from berrypick.cli.process import set_up_process

class Thing:
    def __del__(self):
        os.kill(os.getpid(), signal.{name}) if {which} else None

set_up_process()
try:
    thing = Thing()
    kept = weakref.ref(thing, lambda _: None if {which} else os.kill(os.getpid(), signal.{name}))
    del thing
    print("gone", flush=True)
    time.sleep(30)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("which", [True, False], ids=["destructor", "callback"])
def test_a_signal_where_exceptions_are_dropped_comes_again(name, which):
    program = DROPS.format(name=name, which=which)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
    assert (found.returncode, found.stderr) == (128 + getattr(signal, name), "")


def test_other_exceptions_of_a_destructor_are_said():
    program = DROPS.format(name="SIGINT", which=True).replace("os.kill(os.getpid(), signal.SIGINT)", "1 / 0")
    found = subprocess.run(
        [sys.executable, "-c", program.replace("sleep(30)", "sleep(0)")], capture_output=True, text=True, timeout=20
    )
    assert (found.returncode, found.stdout) == (0, "gone\n")
    assert "ZeroDivisionError" in found.stderr
