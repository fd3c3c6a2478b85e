"""What it costs to begin: importing berrypick and asking for --help, against importing NumPy.

    python benchmarks/imports.py [--repeats N]

Bounds: importing berrypick takes at most 2.5 times what importing NumPy takes, both without starting the interpreter;
one small evaluation from the command line takes at most twice a process that imports NumPy.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from _processes import alternately, ratio, show, verdict

TIMED = "import time; begun = time.perf_counter(); {0}; print('seconds', time.perf_counter() - begun)"
HELP = """
try:
    from berrypick.cli import main; main(['--help'])
except SystemExit:
    pass
"""
FIRST_NUMBER = "import berrypick as bp; bp.eprum([[.4, .4], [.6, .4], [1, 0]])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    chosen = parser.parse_args()
    timed_help = f"import time; begun = time.perf_counter()\n{HELP}\nprint('seconds', time.perf_counter() - begun)"
    commands = {
        "import numpy": ["-c", TIMED.format("import numpy")],
        "import berrypick": ["-c", TIMED.format("import berrypick")],
        "a first EPRUM": ["-c", TIMED.format(FIRST_NUMBER)],
        "import its evaluation": ["-c", TIMED.format("from berrypick import evaluate, read_run")],
        "berrypick --help": ["-c", timed_help],
    }
    with tempfile.TemporaryDirectory() as folder:
        truth, run = Path(folder) / "t.qrels", Path(folder) / "r.run"
        truth.write_text("1 0 a 1\n1 0 b 0\n")
        run.write_text("1 Q0 b 1 2.0 sys\n1 Q0 a 2 1.0 sys\n")
        commands["berrypick evaluate"] = ["-m", "berrypick", "evaluate", str(truth), str(run), "-m", "AP nDCG@10 P@10"]
        commands["a process with NumPy"] = ["-c", "import numpy"]
        costs = alternately(commands, chosen.repeats)
    show("To begin", costs)
    small = costs["berrypick evaluate"].processor / costs["a process with NumPy"].processor
    verdict("one small evaluation, twice NumPy", small <= 2, f"{small:.2f} of processor time")
    theirs = costs["import numpy"]
    for name in list(costs)[1:-2]:
        print(f"  {name}: {ratio(costs[name], theirs)} times importing NumPy")
    ours = costs["import berrypick"]
    verdict("2.5 times importing NumPy", ours.best <= 2.5 * theirs.best, ratio(ours, theirs))


if __name__ == "__main__":
    main()
