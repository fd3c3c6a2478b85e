"""10,000 regions pooled from 20 runs of 500 topics, and read back from an export of Label Studio.

    python benchmarks/pool.py

Texts and runs are generated. The line at the end gives seconds, and how many regions are pooled in the time in which
the runs are evaluated once.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

import berrypick as bp

TOPICS, RUNS, DEPTH = 500, 20, 10


def main() -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghij", k=rng.randrange(2, 9))) for _ in range(500)]
    texts = bp.Texts({f"d{i}": " ".join(rng.choices(words, k=4000)) for i in range(200)})
    truth = {f"q{t}": {f"d{t % 200}#{1000}-{1400}": 1} for t in range(TOPICS)}
    runs = {}
    for number in range(RUNS):
        runs[f"run{number}"] = {
            topic: [
                {"doc": f"d{(t + rng.randrange(3)) % 200}", "start": (a := 200 * rng.randrange(40)), "end": a + 200}
                for _ in range(DEPTH)
            ]
            for t, topic in enumerate(truth)
        }
    begin = time.perf_counter()
    prepared = bp.Evaluation.prepare(truth, runs, "charP@10 charR@10", documents=texts)
    systems = list(prepared.runs.values())
    prepared.run()
    evaluated = time.perf_counter() - begin
    begin = time.perf_counter()
    found = bp.pool(systems, texts, truth=truth, depth=DEPTH)
    regions = sum(len(task.regions) for task in found)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.json"
        found.write(path, "label-studio")
        pooled = time.perf_counter() - begin
        tasks = json.loads(path.read_text(encoding="utf-8"))
        for task in tasks:
            data = task["data"]
            result = [{"value": {"start": a - data["offset"], "end": b - data["offset"], "labels": ["irrelevant"]}}
                      for a, b in data["regions"]]  # fmt: skip
            task["annotations"] = [{"completed_by": 1, "result": result}]
        path.write_text(json.dumps(tasks), encoding="utf-8")
        begin = time.perf_counter()
        bp.read_truth(path)
        read = time.perf_counter() - begin
    print(f"{regions} regions of {len(found)} tasks pooled in {pooled:.2f} s, read back in {read:.2f} s; ", end="")
    print(f"{RUNS} runs prepared and evaluated in {evaluated:.2f} s ({pooled / evaluated:.2f} times)")


if __name__ == "__main__":
    main()
