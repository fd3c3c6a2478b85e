"""How often the intervals of ``berrypick fit`` hold the truth.

    python experiments/fit_coverage.py [--seeds N]

N logs of simulated readers for each user model, whose parameters are known; a 95% interval for each parameter from each
log. Printed: the share of the intervals that hold the truth, and the mean of the estimates beside it. The readers of
t2i are simulated with documents that end and recordings that stop; the mean of the distances at which they are seen to
give up, which leaves out everybody else, is printed to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from _collection import arguments
from data import told

import berrypick as bp
from berrypick.data.navigation import LinkTable, Sessions

Random = np.random.Generator
Line = dict[str, Any]
TOLERANCE, SPREAD, THETA, CLOSE, A, LENGTH = 20.0, 0.5, 0.02, 0.005, 0.1, 5000.0
SESSIONS = 150


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=200)
    print(f"95% intervals that hold the truth, of {given.seeds} logs of {SESSIONS} sessions")
    print("user model               parameter    truth  mean estimate    held")
    for name, (parameter, truth) in CASES.items():
        print(f"{name:24} {parameter:11} {truth:6g}  {coverage_line(name, given.seeds)}", flush=True)
    for name, chain in (("markov, even", even_chain), ("markov, uneven", uneven_chain)):
        held, steps = chain_coverage(chain, given.seeds)
        print(f"{name:24} transitions       -  {steps:7} intervals  {held:.3f}", flush=True)
    plain = [np.mean(give_ups(viewers(np.random.default_rng(seed)))) for seed in range(given.seeds)]
    print(f"t2i, mean of the distances at which viewers are seen to give up: {np.mean(plain):.1f}")


def coverage_line(name: str, seeds: int) -> str:
    held, mean = coverage(name, seeds)
    return f"{mean:13.4g}   {held:.3f}"


def coverage(name: str, seeds: int) -> tuple[float, float]:
    """The share of the intervals that hold the truth, and the mean of the estimates."""
    parameter, truth = CASES[name]
    found = [bp.fit(MODELS[name], LOGS[name](np.random.default_rng(seed)), held_out=0) for seed in range(seeds)]
    ends = [one.parameters[parameter] for one in found]
    return float(np.mean([one["low"] <= truth <= one["high"] for one in ends])), float(
        np.mean([e["value"] for e in ends])
    )


# --- readers ---------------------------------------------------------------------------------------------------------


def viewers(random: Random) -> list[Line]:
    """Videos of a limited length with relevant moments here and there; a tolerance for each visit."""
    lines: list[Line] = []
    for session in range(SESSIONS):
        tolerance, rest = TOLERANCE * np.exp(SPREAD * random.normal()), random.uniform(20, 120)
        while True:
            gap = random.exponential(25)
            passed = min(gap, tolerance, rest)
            end = "gave_up" if passed == tolerance else "reached" if passed == gap else "censored"
            lines.append({"session": f"s{session}", "visit": "1", "distance": passed, "end": end})
            rest -= passed
            if end != "reached" or random.random() < 0.1:
                break
    return lines


def give_ups(lines: list[Line]) -> list[float]:
    return [line["distance"] for line in lines if line["end"] == "gave_up"]


def loyal_viewers(random: Random) -> list[Line]:
    """As viewers, but the three visits of a session share half of what their tolerance varies by."""
    lines: list[Line] = []
    for session in range(SESSIONS):
        person = random.normal()
        for visit in range(3):
            own = SPREAD * (np.sqrt(0.5) * person + np.sqrt(0.5) * random.normal())
            tolerance, limit = TOLERANCE * np.exp(own), random.uniform(10, 60)
            end = "gave_up" if tolerance < limit else "censored"
            distance = min(tolerance, limit)
            lines.append({"session": f"s{session}", "visit": str(visit), "distance": distance, "end": end})
    return lines


def trips(reach: Callable[[float], float], scale: float) -> Callable[[Random], list[Line]]:
    """Targets at some distance, reached or missed."""

    def made(random: Random) -> list[Line]:
        distances = random.exponential(scale, SESSIONS)
        return [
            {"distance": d, "end": "reached" if random.random() < reach(d) else "missed"} for d in distances.tolist()
        ]

    return made


def travels(random: Random) -> list[Line]:
    """Readers who give up where the inverse law says, unless they are interrupted or find something before."""
    share = random.random(SESSIONS)
    own, limit = share / (1 - share) / CLOSE, random.exponential(400, SESSIONS)
    return [
        {"distance": min(a, b), "end": "gave_up" if a < b else "reached" if random.random() < 0.5 else "censored"}
        for a, b in zip(own.tolist(), limit.tolist(), strict=True)
    ]


MODELS = {
    "t2i": "t2i", "t2i spread": "t2i", "t2i, 3 visits": "t2i", "distance": "distance",
    "distance, inverse": "distance(law='inverse')", "bep": "bep(L=5000)",
}  # fmt: skip
CASES = {
    "t2i": ("tolerance", TOLERANCE),
    "t2i spread": ("spread", SPREAD),
    "t2i, 3 visits": ("tolerance", TOLERANCE),
    "distance": ("theta", THETA),
    "distance, inverse": ("theta", CLOSE),
    "bep": ("A", A),
}
LOGS: dict[str, Callable[[Random], list[Line]]] = {
    "t2i": viewers,
    "t2i spread": viewers,
    "t2i, 3 visits": loyal_viewers,
    "distance": trips(lambda d: 1 / (1 + np.exp(THETA * d)), 60),
    "distance, inverse": travels,
    "bep": trips(lambda d: A * LENGTH / (A * LENGTH + d), 600),
}


# --- chains ----------------------------------------------------------------------------------------------------------

PAGES = 12


def even_chain(random: Random) -> np.ndarray:
    """Steps from each page to four others and out, drawn evenly."""
    return _chain([random.dirichlet(np.ones(5)) for _ in range(PAGES)], random)


def uneven_chain(random: Random) -> np.ndarray:
    """Shares that fall as 1/rank^2: few links are taken most of the time."""
    shares = 1 / np.arange(1, 6) ** 2.0
    return _chain([random.permutation(shares / shares.sum()) for _ in range(PAGES)], random)


def _chain(shares: list[np.ndarray], random: Random) -> np.ndarray:
    step = np.zeros((PAGES, PAGES + 1))
    for page, own in enumerate(shares):
        others = random.permutation([other for other in range(PAGES) if other != page])[:4]
        step[page, [*others, PAGES]] = 0.85 * own + 0.15 * np.eye(5)[4]
    return step


def walks(step: np.ndarray, random: Random) -> Iterator[tuple[str, ...]]:
    """Sessions from random pages; the recording stops after any step with probability 0.05."""
    for _ in range(SESSIONS):
        page, path = int(random.integers(PAGES)), []
        while page < PAGES:
            path.append(f"p{page}")
            if random.random() < 0.05:
                path.append("?")
                break
            page = int(random.choice(PAGES + 1, p=step[page]))
        yield tuple(path)


def chain_coverage(chain: Callable[[Random], np.ndarray], seeds: int) -> tuple[float, int]:
    """The share of the intervals of transitions that hold the truth, and how many there are."""
    held = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        step = chain(random)
        links = LinkTable({(f"p{a}", f"p{b}"): None for a, b in np.argwhere(step[:, :PAGES] > 0).tolist()})
        found = bp.fit("markov", Sessions(tuple(walks(step, random))), links=links, held_out=0)
        for source, target, _, low, high, _ in found.reader.content["transitions"]:
            held.append(low <= step[int(source[1:]), int(target[1:])] <= high)
    return float(np.mean(held)), len(held)


if __name__ == "__main__":
    with told():
        main()
