"""Large work in the shapes that people have: certified ideal lists, chains of many pages, comparisons, long runs.

    python benchmarks/large.py [ROW ...] [--scale S] [--repeats N] [--against PYTHON]

ideal    certified ideal lists of one topic with 24 targets and 96 hubs that lead to four of them each, EPRUM, all
         recall values; against greedy lists
markov   EPRUM of 20 topics by readers who wander among 100,000 pages; against the same by the NumPy kernels, which take
         minutes at scale 1
compare  50 systems on 50 topics by 3 measures, with 10,000 resamples and the default number of sign changes, which
         grows with the pairs, and with 20,000 of both; against one product of matrices of the size of the resamples
inex     AiP and AgP of an INEX run of 5,000 topics x 1,500 lines; against a scan of its words
trec     AP, nDCG@10 and P@10 of a TREC run of 7,000 topics x 1,000 lines; against a scan of its words, pytrec_eval
         where it is installed, and trec_eval where $TREC_EVAL names it

Every piece of work is a process of its own, threads are as a user has them. Growth is that of processor time without
what loading takes, from half the size to the whole; loading is that of a first number, of files with one topic for
INEX and TREC. ``--against`` names a Python with another berrypick.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _processes import documents, passages
from navigation import pages
from shapes import EVALUATE, PYTREC, TREC_EVAL, tell

IDEAL = """
import sys, json, time, berrypick as bp
truth, links = json.load(open(sys.argv[1]))
from berrypick.data.navigation import ReachTable
table = ReachTable({(source, target): p for source, target, p in links})
begun = time.process_time()
if sys.argv[2] == "greedy":
    bp.evaluate(truth, {"s": {"q": {"p0": 1.0}}}, "EPRUM(ideal='greedy')", navigation=table)
else:
    bp.ideal_lists(truth, "EPRUM", navigation=table)
print("seconds", time.process_time() - begun)
"""
WANDER = "import sys, berrypick as bp; bp.evaluate(*sys.argv[1:3], 'EPRUM', navigation=sys.argv[3], user='markov')"
COMPARE = """
import sys, json, time, berrypick as bp
truth, runs = json.load(open(sys.argv[1]))
results = bp.evaluate(truth, dict(list(runs.items())[: int(sys.argv[2])]), "AP nDCG@10 P@10")
begun = time.process_time()
found = bp.compare(results, **({"resamples": int(sys.argv[3])} if len(sys.argv) > 3 else {}))
print("seconds", time.process_time() - begun)
"""
PRODUCT = """
import sys, time, numpy as np
pairs, resamples, topics = map(int, sys.argv[1:])
drawn, values = np.ones((resamples, topics)), np.ones((topics, 64))
begun = time.process_time()
for _ in range(-(-pairs // 64)): drawn @ values
print("seconds", time.process_time() - begun)
"""
WORDS = """
import sys, numpy as np
words = 0
with open(sys.argv[1], "rb", buffering=0) as file:
    while block := file.read(1 << 22):
        black = np.frombuffer(block, dtype=np.uint8) > 32
        words += int(np.count_nonzero(black[1:] & ~black[:-1]))
"""


def ideal(folder: Path, scale: float, repeats: int, against: str | None) -> None:
    commands = {}
    for name, targets in (
        ("ideal_lists", max(6, round(24 * scale))),
        ("ideal_lists, half", max(6, round(24 * scale)) // 2),
    ):
        draw = np.random.default_rng(6)
        links = [
            (f"hub{hub}", f"p{page}", round(float(draw.random()), 3))
            for hub in range(4 * targets)
            for page in draw.choice(targets, min(4, targets), replace=False).tolist()
        ]
        path = folder / f"{targets}.json"
        path.write_text(json.dumps([{"q": {f"p{page}": 1 for page in range(targets)}}, links]))
        commands[name] = ["-c", IDEAL, str(path), "certified"]
        if name == "ideal_lists":
            commands["greedy lists"] = ["-c", IDEAL, str(path), "greedy"]
    tell(f"certified ideal lists, {max(6, round(24 * scale))} targets", others(commands, against), repeats, own=True)


def markov(folder: Path, scale: float, repeats: int, against: str | None) -> None:
    commands = {}
    for name, count in (("berrypick", round(100_000 * scale)), ("berrypick, half", round(50_000 * scale))):
        commands[name] = ["-c", WANDER, *pages(folder, count, 20)]
    plain = ["/usr/bin/env", "BERRYPICK_KERNELS=numpy", sys.executable, *commands["berrypick"]]
    commands = others(commands, against) | {"NumPy kernels": plain}
    costs = tell(f"markov, {round(100_000 * scale)} pages, 20 topics", commands, repeats)
    print(f"  {costs['berrypick'].memory:.0f} MB")


def compare(folder: Path, scale: float, repeats: int, against: str | None) -> None:
    draw, systems = np.random.default_rng(3), max(4, round(50 * scale))
    truth = {f"t{t}": {f"d{d}": int(draw.integers(0, 3)) for d in range(60)} for t in range(50)}
    runs = {
        f"run{s:02d}": {
            topic: {name: float(grade + draw.normal(0, 0.5 + s / 40)) for name, grade in judged.items()}
            for topic, judged in truth.items()
        }
        for s in range(systems)
    }
    path = folder / "runs.json"
    path.write_text(json.dumps([truth, runs]))
    pairs = systems * (systems - 1) // 2
    for told, how, resamples in (("by default", [], 10_000), ("as asked for", ["20000"], 20_000)):
        commands = {
            "compare": ["-c", COMPARE, str(path), str(systems), *how],
            "compare, half": ["-c", COMPARE, str(path), str(systems // 2), *how],
            "one product of matrices": ["-c", PRODUCT, str(3 * pairs), str(resamples), "50"],
        }
        title = f"compare of {systems} systems, {pairs} pairs x 3 measures, {resamples} resamples {told}"
        tell(title, others(commands, against), repeats, own=True)


def inex(folder: Path, scale: float, repeats: int, against: str | None) -> None:
    commands = {}
    topics = max(2, round(5000 * scale))
    for name, count in (("berrypick", topics), ("berrypick, half", topics // 2)):
        truth, run = passages(folder, 1500 * count, topics=count)
        commands[name] = ["-c", EVALUATE, truth, "AiP AgP", run]
        commands.setdefault("words scanned", ["-c", WORDS, run])
    truth, run = passages(folder, 1500, topics=1)
    commands["loading"] = ["-c", EVALUATE, truth, "AiP AgP", run]
    costs = tell(f"INEX run, {topics} topics x 1500 lines", others(commands, against), repeats)
    print(f"  {costs['berrypick'].memory:.0f} MB")


def trec(folder: Path, scale: float, repeats: int, against: str | None) -> None:
    commands: dict[str, list[str]] = {}
    topics = max(2, round(7000 * scale))
    for name, count in (("berrypick", topics), ("berrypick, half", topics // 2)):
        truth, run = documents(folder, 1000 * count)
        commands[name] = ["-c", EVALUATE, truth, "AP nDCG@10 P@10", run]
        if name == "berrypick":
            commands["words scanned"] = ["-c", WORDS, run]
            if importlib.util.find_spec("pytrec_eval"):
                commands["pytrec_eval"] = ["-c", PYTREC, truth, run]
            if program := os.environ.get("TREC_EVAL"):
                commands["trec_eval"] = ["/bin/bash", "-c", TREC_EVAL, "-", program, truth, run]
    truth, run = documents(folder, 1000)
    commands["loading"] = ["-c", EVALUATE, truth, "AP nDCG@10 P@10", run]
    costs = tell(f"TREC run, {topics} topics x 1000 lines", others(commands, against), repeats)
    print(f"  {costs['berrypick'].memory:.0f} MB")


def others(commands: dict[str, list[str]], against: str | None) -> dict[str, list[str]]:
    """The commands, and the first of them by another berrypick."""
    name = next(iter(commands))
    return commands | ({f"{name}, the other": [against, *commands[name]]} if against else {})


ROWS: dict[str, Callable[[Path, float, int, str | None], None]] = {
    row.__name__: row for row in (ideal, markov, compare, inex, trec)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all unless named")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--against", help="full path of a Python with another berrypick")
    chosen = parser.parse_args()
    for name in chosen.rows or ROWS:
        if name not in ROWS:
            parser.error(f"no row {name}: there are {', '.join(ROWS)}")
        with tempfile.TemporaryDirectory() as folder:
            ROWS[name](Path(folder), chosen.scale, chosen.repeats, chosen.against)


if __name__ == "__main__":
    main()
