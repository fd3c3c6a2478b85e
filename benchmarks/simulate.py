"""Simulated readers of the bundled campaign, against merely drawing the random numbers, and how the work grows.

    python benchmarks/simulate.py [--readers N]

Readers x results that lead to a target, in all topics of all runs, is the number of random numbers that a simulation
draws at least if every list has readers of its own; drawing so many is the measure. Times are processor times of one
process; `berrypick simulate --jobs` shares them out. Bounds: 15 times the drawing, 30 times for readers who differ in
tolerance, 100 times for those who walk from page to page, which takes several draws; growth linear in readers.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from _processes import verdict

from berrypick.analysis.simulation.simulation import simulate
from berrypick.demo import campaign, web
from berrypick.evaluation.evaluation import Evaluation

FILES = campaign.FOCUSED.files
USERS = {"hierarchy": 15, "distance": 15, "coverage": 15, "t2i(tolerance=300,spread=0.5)": 30}


def evaluations() -> dict[str, tuple[Evaluation, float]]:
    """Evaluations by user model, and the most times the drawing that each may take."""
    found = {}
    for user, most in USERS.items():
        runs = [FILES.path(run) for run in campaign.ELEMENTS]
        options = {"collection": FILES.path(campaign.COLLECTION), "ignore_elements": campaign.LEFT_OUT}
        found[user] = Evaluation.prepare(FILES.path(FILES.truth), runs, "EPRUM", user=user, **options), most
    pages = [web.FILES.path(run) for run in web.FILES.runs]
    visits = web.FILES.path("visits.sessions")
    found["markov, web"] = (
        Evaluation.prepare(web.FILES.path("answers.qrels"), pages, "EPRUM", user="markov", navigation=visits),
        100,
    )
    return found


def simulating(evaluation: Evaluation, readers: int) -> float:
    begun = time.process_time()
    simulate(evaluation, readers=readers)
    return time.process_time() - begun


def drawing(evaluation: Evaluation, readers: int) -> float:
    random = np.random.Generator(np.random.SFC64(0))
    events = sum(len(evaluation.judge(run, topic).reach.events) for run in evaluation.runs
                 for topic in evaluation.truth.topics)  # fmt: skip
    begun = time.process_time()
    for _ in range(events):
        random.random(readers)
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=1_000_000)
    readers = parser.parse_args().readers
    for user, (evaluation, most) in evaluations().items():
        simulating(evaluation, 1000)  # loads and reads
        took, half, floor = (
            simulating(evaluation, readers),
            simulating(evaluation, readers // 2),
            drawing(evaluation, readers),
        )
        lists = len(evaluation.runs) * len(evaluation.truth)
        each = 1e9 * took / readers / lists
        print(f"{user}: {readers:,} readers x {lists} lists, {took:.1f} s, {each:.0f} ns a reader")
        verdict(f"{most} times the drawing", took <= most * floor, f"{took / floor:.1f}")
        verdict("linear in readers", took <= 2.5 * half, f"twice the readers take {took / half:.2f} times as long")


if __name__ == "__main__":
    main()
