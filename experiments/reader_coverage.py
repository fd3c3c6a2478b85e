"""How often the interval of a measure over fitted readers holds the value for the readers who left the log.

    python experiments/reader_coverage.py [--seeds N]

N logs of simulated readers for each user model, those of fit_coverage.py. From each log a user model is fitted, and a
run is evaluated with it: a 95% interval of EPRUM and of ExpectedRatio over 100 readers that the log might as well have
given. Printed: the share of the intervals that hold the value for the readers who were simulated, and the mean width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from _collection import arguments
from data import told
from fit_coverage import (
    CLOSE,
    LENGTH,
    LOGS,
    MODELS,
    PAGES,
    SPREAD,
    THETA,
    TOLERANCE,
    A,
    even_chain,
    uneven_chain,
    walks,
)

import berrypick as bp
from berrypick.data.navigation import LinkTable, ReachTable, Sessions

#: By measure, the value for those who left the log, and the ends of the interval.
Case = dict[str, tuple[float, float, float]]
MEASURES = ("EPRUM", "ExpectedRatio@3")
#: The readers who left the logs.
TRUE = {
    "t2i": f"t2i(tolerance={TOLERANCE},spread={SPREAD})",
    "t2i, 3 visits": f"t2i(tolerance={TOLERANCE},spread={SPREAD})",
    "distance": f"distance(theta={THETA})",
    "distance, inverse": f"distance(theta={CLOSE},law='inverse')",
    "bep": f"bep(A={A},L={LENGTH})",
}
CHAINS = {"markov, even": even_chain, "markov, uneven": uneven_chain}


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=200)
    print(f"95% intervals over readers that hold the value for those who left the log, of {given.seeds} logs")
    print(f"{'user model':20} {'measure':16}   held  mean width")
    for name in (*TRUE, *CHAINS):
        for measure, (held, width) in coverage(name, given.seeds).items():
            print(f"{name:20} {measure:16} {held:6.3f}  {width:10.4f}", flush=True)


def coverage(name: str, seeds: int, readers: int = 100) -> dict[str, tuple[float, float]]:
    """By measure, the share of the intervals that hold the value, and their mean width."""
    found = list(chain_cases(CHAINS[name], seeds, readers) if name in CHAINS else distance_cases(name, seeds, readers))
    return {
        measure: (
            float(np.mean([low - 1e-9 <= truth <= high + 1e-9 for truth, low, high in of])),
            float(np.mean([high - low for _, low, high in of])),
        )
        for measure, of in ((measure, [case[measure] for case in found]) for measure in MEASURES)
    }


def distance_cases(name: str, seeds: int, readers: int) -> Iterator[Case]:
    """One document with five targets, and results near to and far from them."""
    scale = 2000.0 if name == "bep" else 60.0
    spots = [0.4, 1.3, 1.9, 3.2, 4.8]
    truth = [{"topic": "q", "doc": "d", "start": scale * x, "end": scale * x + 1} for x in spots]
    run = [{"topic": "q", "doc": "d", "start": scale * x, "end": scale * x + 1, "rank": rank}
           for rank, x in enumerate((0.3, 1.0, 1.6, 2.9, 4.5), 1)]  # fmt: skip
    options = {"collection": {"d": 6 * scale}}
    true = bp.evaluate(truth, run, list(MEASURES), user=TRUE[name], **options).mean()["run"]
    for seed in range(seeds):
        reader = bp.fit(MODELS[name], LOGS[name](np.random.default_rng(seed)), held_out=0)
        yield intervals(true, bp.evaluate(truth, run, list(MEASURES), user=reader, reader_draws=readers, **options))


def chain_cases(
    chain: Callable[[Any], Any], seeds: int, readers: int
) -> Iterator[dict[str, tuple[float, float, float]]]:
    """Three target pages, and three others as results."""
    pages = [f"p{page}" for page in range(PAGES)]
    truth, run = {"q": dict.fromkeys(pages[:3], 1)}, {"q": {page: 9.0 - i for i, page in enumerate(pages[3:6])}}
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        step = chain(random)
        taken = np.argwhere(step[:, :PAGES] > 0).tolist()
        table = ReachTable({(pages[a], pages[b]): float(step[a, b]) for a, b in taken})
        links = LinkTable({(pages[a], pages[b]): None for a, b in taken})
        true = bp.evaluate(truth, run, list(MEASURES), user="markov", navigation=table).mean()["run"]
        reader = bp.fit("markov", Sessions(tuple(walks(step, random))), links=links, held_out=0)
        yield intervals(true, bp.evaluate(truth, run, list(MEASURES), user=reader, reader_draws=readers))


def intervals(true: dict[str, Any], found: bp.Results) -> Case:
    """The value for the readers who left the log, and the ends of the interval."""
    rows = {row["measure"]: row for row in found.records(per_topic=False)}
    return {name: (true[name], rows[name]["reader_low"], rows[name]["reader_high"]) for name in MEASURES}


if __name__ == "__main__":
    with told():
        main()
