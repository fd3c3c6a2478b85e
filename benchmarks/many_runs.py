"""Many TREC runs of 500 topics, a thousand documents each: one process, two, a Dask cluster of two; time and memory.

    python benchmarks/many_runs.py [RUNS]

RUNS files (16 by default, 20 MB each, in a temporary folder; a few minutes) are evaluated by AP, nDCG@10 and P@10.
The last lines say what a run costs, what is left when there are no runs to read, and what 10,000 runs would take if
every run costs the same: an extrapolation, not a measurement. Memory is that of the process that asks, for all runs and
for half of them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from _processes import Cost, alternately, many_documents, ratio, show

MEASURES = "AP nDCG@10 P@10"
TOPICS = 500

ALONE = """
import sys, berrypick as bp
bp.evaluate(sys.argv[1], sys.argv[3:], "AP nDCG@10 P@10", jobs=int(sys.argv[2]))
"""
DASK = """
import sys, time, berrypick as bp
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(lambda: __import__("berrypick").evaluate)
        begun = time.perf_counter()
        bp.evaluate(sys.argv[1], sys.argv[2:], "AP nDCG@10 P@10", executor=client.get_executor())
        print("seconds", time.perf_counter() - begun)
"""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth, runs = many_documents(folder, count, TOPICS)
        half = runs[: count // 2]
        (folder / "cluster.py").write_text(DASK)  # workers are started from a file
        costs = alternately(
            {
                "one process": ["-c", ALONE, truth, "1", *runs],
                "one process, half": ["-c", ALONE, truth, "1", *half],
                "two processes": ["-c", ALONE, truth, "2", *runs],
                "Dask, two workers": [sys.executable, str(folder / "cluster.py"), truth, *runs],
            },
            repeats=1,
        )
    show(f"{count} runs of {TOPICS} topics, {MEASURES}", costs)
    _tell(count, costs)


def _tell(count: int, costs: dict[str, Cost]) -> None:
    one, half = costs["one process"], costs["one process, half"]
    each = (one.processor - half.processor) / (count - count // 2)
    print(f"  two processes / one: {ratio(costs['two processes'], one)}")
    print(f"  Dask, two workers / one: {ratio(costs['Dask, two workers'], one)}")
    print(f"  memory, all runs / half of them: {one.memory / half.memory:.2f}")
    print(f"  processor time of a run: {each:.2f} s; of everything else: {one.processor - count * each:.2f} s")
    print(f"  10,000 runs at that rate (not measured): {10_000 * each / 3600:.1f} hours of one core")


if __name__ == "__main__":
    main()
