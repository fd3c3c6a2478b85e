"""Document measures (AP, nDCG@10, P@10) on TREC runs, from files to means, against those who are installed.

    python benchmarks/documents.py [--repeats N] [--large] [--runs N]

Peers: pytrec_eval and ir_measures, each called as its own documentation shows; ranx, if it is installed, on the smaller
run (it compiles, and takes minutes on the larger one); trec_eval, if it is on the PATH or TREC_EVAL names it. --large
adds a run of 7 million lines, --runs so many runs of 50 topics.
Bounds, of processor time: 3.5 times as fast as pytrec_eval at 7 million lines, no slower than trec_eval at 500,000, 4
times as fast as trec_eval (or pytrec_eval) over 200 runs with less than 100 MB.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from _processes import alternately, documents, many_documents, ratio, show, verdict

PYTREC = """
import sys, pytrec_eval
with open(sys.argv[1]) as f: qrel = pytrec_eval.parse_qrel(f)
evaluator = pytrec_eval.RelevanceEvaluator(qrel, {'map', 'ndcg_cut_10', 'P_10'})
for path in sys.argv[2:]:
    with open(path) as f: run = pytrec_eval.parse_run(f)
    found = evaluator.evaluate(run)
    for name in ('map', 'ndcg_cut_10', 'P_10'):
        pytrec_eval.compute_aggregated_measure(name, [values[name] for values in found.values()])
"""
IR_MEASURES = """
import sys, ir_measures
from ir_measures import AP, nDCG, P
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
ir_measures.calc_aggregate([AP, nDCG@10, P@10], qrels, run)
"""
RANX = """
import sys, ranx
qrels, run = ranx.Qrels.from_file(sys.argv[1], kind='trec'), ranx.Run.from_file(sys.argv[2], kind='trec')
ranx.evaluate(qrels, run, ['map', 'ndcg@10', 'precision@10'], make_comparable=True)
"""
OURS = "import sys, berrypick as bp; bp.evaluate(sys.argv[1], sys.argv[2:], 'AP nDCG@10 P@10')"
TWO = "import sys, berrypick as bp; bp.evaluate(sys.argv[1], sys.argv[2:], 'AP nDCG@10 P@10', jobs=2)"
#: trec_eval reads one run at a time.
EACH = """
import subprocess, sys
for path in sys.argv[3:]:
    subprocess.run([sys.argv[1], '-c', '-m', 'map', '-m', 'ndcg_cut.10', '-m', 'P.10', sys.argv[2], path],
                   stdout=subprocess.DEVNULL, check=True)
"""


def trec_eval() -> str | None:
    found = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    return os.path.abspath(found) if found else None


def one_run(lines: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = documents(Path(folder), lines)
        size = Path(files[1]).stat().st_size / 2**20
        commands = {"pytrec_eval": ["-c", PYTREC, *files], "ir_measures": ["-c", IR_MEASURES, *files]}
        if importlib.util.find_spec("ranx") and lines < 5_000_000:
            commands["ranx"] = ["-c", RANX, *files]
        if program := trec_eval():
            commands["trec_eval"] = [program, "-c", "-m", "map", "-m", "ndcg_cut.10", "-m", "P.10", *files]
        costs = alternately({**commands, "berrypick": ["-c", OURS, *files]}, repeats)
    show(f"{lines} lines, {size:.0f} MB", costs)
    ours = costs["berrypick"]
    for name in commands:
        print(f"  {name}: {ratio(costs[name], ours)} times the time of berrypick")
    if lines >= 5_000_000:
        speed = costs["pytrec_eval"].processor / ours.processor
        verdict("3.5 times pytrec_eval", speed >= 3.5, f"{speed:.2f}")
    if "trec_eval" in costs and lines < 5_000_000:
        speed = costs["trec_eval"].processor / ours.processor
        verdict("no slower than trec_eval", speed >= 1, f"{speed:.2f}")


def several_runs(runs: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        truth, paths = many_documents(Path(folder), runs)
        peer = "trec_eval" if trec_eval() else "pytrec_eval"
        commands = {peer: ["-c", PYTREC, truth, *paths]}
        if program := trec_eval():
            commands[peer] = ["-c", EACH, program, truth, *paths]
        ours = {"berrypick": ["-c", OURS, truth, *paths], "two processes": ["-c", TWO, truth, *paths]}
        costs = alternately({**commands, **ours}, repeats)
    show(f"{runs} runs of 50,000 lines", costs)
    speed = costs[peer].processor / costs["berrypick"].processor
    print(f"  two processes: {ratio(costs['two processes'], costs['berrypick'])} times the time of one")
    verdict(f"4 times {peer}", speed >= 4, f"{speed:.2f}")
    verdict("memory, 100 MB", costs["berrypick"].memory < 100, f"{costs['berrypick'].memory:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--runs", type=int, default=0)
    chosen = parser.parse_args()
    for lines in [500_000, *([7_000_000] if chosen.large else [])]:
        one_run(lines, chosen.repeats)
    if chosen.runs:
        several_runs(chosen.runs, chosen.repeats)


if __name__ == "__main__":
    main()
