"""Large INEX text runs: AiP and AgP, truth and run read from files, against merely reading the run with polars.

    python benchmarks/files.py [--repeats N] [--large] [--runs N] [--against PYTHON]

--large adds the run of 7.5 million lines. Bounds there: 1.5 times the processor time of polars, and 500 MB. --runs adds
so many runs of 50 topics, against polars reading all of them; bound: 100 MB. --against adds another berrypick. Times
are of whole processes. The last lines are of the reader of lines, which reads what the scanner does not take.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from _processes import alternately, many_passages, passages, ratio, show, verdict

POLARS = "import sys, polars; polars.read_csv(sys.argv[1], separator=' ', has_header=False)"
OURS = "import sys, berrypick as bp; bp.evaluate(sys.argv[2], sys.argv[1], 'AiP AgP', jobs=int(sys.argv[3]))"


POLARS_EACH = "import sys, polars; [polars.read_csv(p, separator=' ', has_header=False) for p in sys.argv[1:]]"
OURS_ALL = "import sys, berrypick as bp; bp.evaluate(sys.argv[1], sys.argv[3:], 'AiP AgP', jobs=int(sys.argv[2]))"


#: Reading lines only; 0.1 had the functions elsewhere.
LINES = """
import sys
try:
    from berrypick.files.files import content
    from berrypick.formats.base import Problems
except ImportError:
    from berrypick.formats._base import Problems, content
for _ in content(sys.argv[1], Problems(sys.argv[1])): pass
"""


def several_runs(runs: int, repeats: int, against: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        truth, paths = many_passages(Path(folder), runs)
        commands = {
            "polars, reading only": ["-c", POLARS_EACH, *paths],
            "berrypick, AiP and AgP": ["-c", OURS_ALL, truth, "1", *paths],
            "berrypick, two processes": ["-c", OURS_ALL, truth, "2", *paths],
        }
        if against:
            commands["the other berrypick"] = [against, "-c", OURS_ALL, truth, "1", *paths]
        costs = alternately(commands, repeats)
    show(f"{runs} runs of 50,000 lines", costs)
    one, two = costs["berrypick, AiP and AgP"], costs["berrypick, two processes"]
    print(f"  {ratio(one, costs['polars, reading only'])} times the time of polars")
    if against:
        print(f"  the other berrypick: {ratio(costs['the other berrypick'], one)} times the time of this one")
    print(f"  two processes: {ratio(two, one)} times the time of one")
    verdict("memory, 100 MB", one.memory < 100, f"{one.memory:.0f} MB")


def reading_lines(lines: int, repeats: int, against: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _, run = passages(Path(folder), lines)
        commands = {"berrypick": ["-c", LINES, run]}
        if against:
            commands["the other berrypick"] = [against, "-c", LINES, run]
        costs = alternately(commands, repeats)
    show(f"{lines} lines, one by one", costs)
    if against:
        print(f"  {ratio(costs['the other berrypick'], costs['berrypick'])} times the time of this one")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--against", help="full path of a Python with another berrypick")
    chosen = parser.parse_args()
    for lines in [50_000, 750_000, *([7_500_000] if chosen.large else [])]:
        with tempfile.TemporaryDirectory() as folder:
            truth, run = passages(Path(folder), lines)
            size = Path(run).stat().st_size / 2**20
            commands = {
                "polars, reading only": ["-c", POLARS, run],
                "berrypick, AiP and AgP": ["-c", OURS, run, truth, "1"],
                "berrypick, two processes": ["-c", OURS, run, truth, "2"],
            }
            if chosen.against:
                commands["the other berrypick"] = [chosen.against, "-c", OURS, run, truth, "1"]
            costs = alternately(commands, chosen.repeats)
        show(f"{lines} lines, {size:.0f} MB", costs)
        theirs, ours = costs["polars, reading only"], costs["berrypick, AiP and AgP"]
        for name in list(costs)[1:]:
            print(f"  {name}: {ratio(costs[name], theirs)} times the time of polars")
        if lines >= 1_000_000:
            times = ours.processor / theirs.processor
            verdict("1.5 times polars", times <= 1.5, f"{times:.2f}")
            verdict("memory, 500 MB", ours.memory <= 500, f"{ours.memory:.0f} MB")
    if chosen.runs:
        several_runs(chosen.runs, chosen.repeats, chosen.against)
    reading_lines(750_000, chosen.repeats, chosen.against)


if __name__ == "__main__":
    main()
