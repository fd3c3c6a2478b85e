"""Every experiment of this folder, one after the other: `make experiments`, or

    python experiments/all.py [FOLDER] [--out FOLDER]

With a folder of XML documents that link to each other, the papers' experiments run on the bundled campaign and there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from _collection import arguments

HERE = Path(__file__).parent
ON_COLLECTIONS = ("degraded_runs", "correlation", "recall_bases")
ALONE = (
    "normal_law",
    "trust",
    "interval_coverage",
    "fit_coverage",
    "reader_coverage",
    "wikispeedia_readers",
    "ideal_bounds",
)


def main() -> None:
    given = arguments(__doc__ or "")
    topics = ["--topics", str(given.topics)] if given.topics else []
    seeds = ["--seeds", str(given.seeds)] if given.topics else []
    for folder in [None, given.collection] if given.collection else [None]:
        for name in ON_COLLECTIONS:
            out = [] if given.out is None else ["--out", str(given.out / ("linked" if folder else "campaign"))]
            run(name, *([folder] if folder else []), *topics, *seeds, *out)
    for name in ALONE:
        run(name, *topics, *seeds, *([] if given.out is None else ["--out", str(given.out)]))


def run(name: str, *words: str) -> None:
    print(f"\n== {name} {' '.join(words)}", flush=True)
    done = subprocess.run([sys.executable, str(HERE / f"{name}.py"), *words], check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
