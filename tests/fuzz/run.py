"""Fuzz: python tests/fuzz/run.py --inputs 1000000 [--seed N] [--target NAME] [--keep FOLDER]

Inputs are checked in processes with a limit on memory and on the time of one input. An input that does not hold is
kept in a file; put it into tests/fuzz/reproducers, and it is a test from then on.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import os
import random
import re
import resource
import secrets
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "helpers")]

#: Seconds of work that one input may take, and seconds after which the process ends, even if it only waits.
SECONDS, PATIENCE = 5, 60
#: Memory of a process beyond what it has at the start, in bytes.
MEMORY = 1 << 30
#: Inputs for which one process lives.
STRETCH = 20_000


class Hang(BaseException):
    """An input took too long."""


def _too_long(*_: object) -> None:
    raise Hang(f"more than {SECONDS} s")


@contextlib.contextmanager
def bounded():
    """Within this context what takes too long raises Hang, or ends the process if it does not even do that."""
    before = signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    # a timer, because a thread for each input takes as long as most inputs do
    faulthandler.register(signal.SIGALRM, file=sys.__stderr__, chain=True)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.unregister(signal.SIGALRM)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def limit_memory() -> None:
    """No process takes more than MEMORY beyond what Python and its libraries have already.

    Of data, not of addresses: what draws pictures reserves gigabytes of addresses that it never uses.
    """
    taken = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (taken + MEMORY, resource.RLIM_INFINITY))


def problem(target, data: bytes, folder: Path) -> str:
    """What does not hold for an input; empty if all does."""
    try:
        with bounded(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.check(data, folder)
    except (Exception, Hang):
        return traceback.format_exc(limit=-6)
    return ""


def _title(trace: str) -> str:
    """Alike for alike defects: where it was raised, and by what."""
    lines = trace.splitlines()
    places = [line.strip() for line in lines if line.startswith("  File ")]
    kind = next((line for line in lines if re.match(r"[\w.]+(Error|Exception|Hang|Warning)\b", line)), lines[-1])
    where = next((place for place in reversed(places) if "in holds" not in place), "")
    return f"{kind[:60]} in {where.rpartition('/')[2]}"


def keep(folder: Path, target: str, data: bytes, why: str) -> Path:
    path = folder / f"{target}--{hashlib.sha1(data).hexdigest()[:12]}"
    path.write_bytes(data)
    print(f"FAILED {path}\n{why}", flush=True)
    return path


def stretch(seed: str, inputs: int, names: list[str], kept: Path) -> int:
    """Check some inputs; how many failed. Of alike failures one is kept."""
    import fuzz_targets

    known = [target for target in fuzz_targets.targets() if not names or target.name in names]
    shares = [target.share for target in known]
    chance = random.Random(seed)
    failed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
        folder, current = Path(name), kept / f"current-{os.getpid()}"
        for warm in known:  # loads what the target needs, before memory is limited
            problem(warm, warm.make(random.Random(1)), folder)
        limit_memory()
        for _ in range(inputs):
            (target,) = chance.choices(known, shares)
            data = target.make(chance)
            current.write_bytes(target.name.encode() + b"\n" + data)
            why = problem(target, data, folder)
            if why:
                title = f"{target.name}: {_title(why)}"
                failed[title] += 1
                if failed[title] == 1:
                    keep(kept, target.name, data, why)
        current.unlink()
    for title, count in failed.items():
        print(f"{count} times: {title}", flush=True)
    return sum(failed.values())


def _in_process(seed: str, inputs: int, names: list[str], kept: Path) -> bool:
    """Check some inputs in a process of its own; what ended that process is kept, too."""
    child = os.fork()
    if not child:
        code = 3
        try:
            code = 1 if stretch(seed, inputs, names, kept) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    current = kept / f"current-{child}"
    if current.exists():
        target, _, data = current.read_bytes().partition(b"\n")
        keep(kept, target.decode(), data, f"the process ended with {os.waitstatus_to_exitcode(status)}")
        current.unlink()
        return False
    return status == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", default="")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    given = parser.parse_args()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # some inputs name standard input
    seed = given.seed or secrets.token_hex(4)
    given.keep.mkdir(parents=True, exist_ok=True)
    print(f"seed {seed}, {given.inputs} inputs, failures go to {given.keep}", flush=True)
    began, good, done = time.monotonic(), True, 0
    while done < given.inputs:
        count = min(STRETCH, given.inputs - done)
        good &= _in_process(f"{seed}-{done}", count, given.target, given.keep)
        done += count
        print(f"{done} inputs, {time.monotonic() - began:.0f} s", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
