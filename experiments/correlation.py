"""EPRUM section 7: how EPRUM and MAep agree over runs and topics.

    python experiments/correlation.py FOLDER [--out FOLDER]

48 runs of BM25 over elements at four granularities; Pearson's correlation of the two measures over all pairs of run and
topic, over the best values, and Kendall's tau between the two rankings of the runs.
"""

from __future__ import annotations

import numpy as np
from _collection import ReaderContext, arguments
from _drawing import scatter_svg
from scipy.stats import kendalltau, pearsonr

import berrypick as bp

EPRUM, MAEP = "EPRUM(user='hierarchy')", "MAep(base='ideal')"


def main() -> None:
    asked = arguments(__doc__ or "")
    world = ReaderContext(asked.collection, asked.topics, asked.seed)
    runs = list(world.runs())
    results = bp.evaluate(world.truth, runs, [EPRUM, MAEP], collection=world.collection)
    pairs = np.array(
        [
            (values[EPRUM][topic], values[MAEP][topic])
            for values in results.per_topic().values()
            for topic in world.truth.topics
        ]
    )
    means = np.array([(values[EPRUM], values[MAEP]) for values in results.mean().values()])
    best = pairs[np.argsort(-pairs.min(axis=1))[: len(pairs) // 13]]
    print(f"{len(runs)} runs x {len(world.truth)} topics: {len(pairs)} pairs of values")
    print(f"Pearson over all pairs             {pearsonr(*pairs.T).statistic:.3f}   (paper: 0.75)")
    print(f"Pearson over the best {len(best):4} pairs     {pearsonr(*best.T).statistic:.3f}   (paper: about 0.9)")
    print(f"Kendall's tau of the run rankings  {kendalltau(*means.T).statistic:.3f}")
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
        picture = scatter_svg(pairs.tolist(), "EPRUM and MAep, one dot per run and topic", "MAep", "EPRUM")
        (asked.out / "correlation.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
