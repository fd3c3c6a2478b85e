"""Logs at scale: the memory of a fit of many sessions, and the time of a fit of many counts.

    python benchmarks/logs.py [--sessions N] [--transitions N] [--small]

Sessions of about six pages, as visitors of a site of 5,000 pages leave them, in a file; counts of transitions as
Parquet and CSV, as a database writes them. Each fit is a process of its own, whose largest memory counts. Bounds: a
million sessions within 500 MB, 220,000 distinct transitions within 5 seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

FIT = """
import resource, sys, time, berrypick as bp
import berrypick.analysis.fit.fit
begun = time.process_time()
found = bp.fit("markov", sys.argv[1])
found.write(sys.argv[2])
seconds, memory = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seconds, memory / (1 << 20 if sys.platform == "darwin" else 1 << 10))
"""
PAGES = 5000


def sessions(path: Path, number: int, seed: int = 1) -> None:
    """Pages by Zipf's law; a session ends at each page with probability 1/6, and one in ten returns once."""
    draw = np.random.default_rng(seed)
    with path.open("w") as out:
        for first in range(0, number, 10_000):
            count = min(10_000, number - first)
            lengths = draw.geometric(1 / 6, count)
            pages = np.minimum(draw.zipf(1.3, int(lengths.sum())), PAGES)
            ends = np.cumsum(lengths)
            for end, size in zip(ends.tolist(), lengths.tolist(), strict=True):
                names = [f"/page/{page}" for page in pages[end - size : end].tolist()]
                if size > 3 and end % 10 == 0:
                    names.insert(2, "<")
                out.write(";".join(names) + "\n")


def counts(folder: Path, number: int, seed: int = 1) -> list[Path]:
    """Distinct steps between pages and the ends of sessions, as Parquet and CSV."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    draw = np.random.default_rng(seed)
    pairs = np.unique(draw.integers(0, PAGES * PAGES, int(number * 1.01)))[: number - PAGES]
    source = [f"/page/{page}" for page in (pairs // PAGES).tolist()] + [f"/page/{page}" for page in range(PAGES)]
    target = [f"/page/{page}" for page in (pairs % PAGES).tolist()] + [None] * PAGES
    table = pyarrow.table({"from": source, "to": target, "n": draw.zipf(1.5, len(source)).clip(max=10**6)})
    pyarrow.parquet.write_table(table, folder / "counts.parquet")
    pyarrow.csv.write_csv(table, folder / "counts.csv")
    return [folder / "counts.parquet", folder / "counts.csv"]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=1_000_000)
    parser.add_argument("--transitions", type=int, default=220_000)
    parser.add_argument("--small", action="store_true", help="little of everything, to see that it runs")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as made:
        folder, log = Path(made), Path(made) / "visits.sessions"
        sessions(log, 2_000 if given.small else given.sessions)
        files = [log, *counts(folder, 20_000 if given.small else given.transitions)]
        print(f"{'file':<20}{'seconds':>9}{'MB':>7}")
        for path in files:
            command = [sys.executable, "-c", FIT, str(path), str(folder / "reader.json")]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, memory = map(float, done.stdout.split())
            print(f"{path.name:<20}{seconds:>9.1f}{memory:>7.0f}", flush=True)


if __name__ == "__main__":
    main()
