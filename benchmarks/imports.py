"""What it costs to begin: importing berrypick and asking for --help, against importing NumPy.

    python benchmarks/imports.py [--repeats N]

Bound: importing berrypick takes at most 2.5 times what importing NumPy takes, both without starting the interpreter.
"""

from __future__ import annotations

import argparse

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
    costs = alternately(commands, chosen.repeats)
    show("To begin", costs)
    theirs = costs["import numpy"]
    for name in list(costs)[1:]:
        print(f"  {name}: {ratio(costs[name], theirs)} times importing NumPy")
    ours = costs["import berrypick"]
    verdict("2.5 times importing NumPy", ours.best <= 2.5 * theirs.best, ratio(ours, theirs))


if __name__ == "__main__":
    main()
