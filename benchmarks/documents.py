"""Document measures (AP, nDCG@10, P@10) on TREC runs, from files to means, against pytrec_eval and ir_measures.

    python benchmarks/documents.py [--repeats N] [--large]

Each is called as its own documentation shows. --large adds the run of 7 million lines. Bound: no slower than
ir_measures. Times are of whole processes.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from _processes import alternately, documents, ratio, show, verdict

PYTREC = """
import sys, pytrec_eval
with open(sys.argv[1]) as f: qrel = pytrec_eval.parse_qrel(f)
with open(sys.argv[2]) as f: run = pytrec_eval.parse_run(f)
found = pytrec_eval.RelevanceEvaluator(qrel, {'map', 'ndcg_cut_10', 'P_10'}).evaluate(run)
for name in ('map', 'ndcg_cut_10', 'P_10'):
    pytrec_eval.compute_aggregated_measure(name, [values[name] for values in found.values()])
"""
IR_MEASURES = """
import sys, ir_measures
from ir_measures import AP, nDCG, P
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
ir_measures.calc_aggregate([AP, nDCG@10, P@10], qrels, run)
"""
OURS = "import sys, berrypick as bp; bp.evaluate(sys.argv[1], sys.argv[2], 'AP nDCG@10 P@10')"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    chosen = parser.parse_args()
    for lines in [500_000, *([7_000_000] if chosen.large else [])]:
        with tempfile.TemporaryDirectory() as folder:
            files = documents(Path(folder), lines)
            size = Path(files[1]).stat().st_size / 2**20
            commands = {
                "pytrec_eval": ["-c", PYTREC, *files],
                "ir_measures": ["-c", IR_MEASURES, *files],
                "berrypick": ["-c", OURS, *files],
            }
            costs = alternately(commands, chosen.repeats)
        show(f"{lines} lines, {size:.0f} MB", costs)
        ours, theirs = costs["berrypick"], costs["ir_measures"]
        print(f"  against pytrec_eval: {ratio(ours, costs['pytrec_eval'])} times the time")
        verdict("no slower than ir_measures", ours.best <= theirs.best, ratio(ours, theirs))


if __name__ == "__main__":
    main()
