"""How often verdicts claim a difference between runs that are equally good.

Runs are drawn alike, so every "beats" is false. By Holm's correction at most 5% of data sets may contain any. Rates are
compared with that by a binomial test at level .001, so that the short form fails by chance once in a thousand seeds.
"""

import numpy as np
import pytest
from many_cases import at_length
from scipy.stats import binom

import berrypick as bp
from berrypick.data.navigation import ReachTable

CLICKS = ReachTable({("hub", "a"): 0.5, ("hub", "b"): 0.5, ("side", "a"): 0.3, ("side", "b"): 0.8})


def ranks(rng):
    """One answer at a random rank."""
    return {"a": 1}, lambda: {name: -float(i) for i, name in enumerate(rng.permutation(["a", "x", "y", "z"]).tolist())}


def pages(rng):
    """Two answers, and pages that lead to them."""
    names = ["a", "b", "hub", "side", "x", "y"]
    return {"a": 1, "b": 1}, lambda: {name: -float(i) for i, name in enumerate(rng.permutation(names).tolist())}


def passages(rng):
    """A passage that is partly retrieved, with text that nobody judged."""
    return {"d#100-200": 1}, lambda: {f"d#100-{rng.integers(101, 230)}": 1.0}


WORLDS = {
    "RR": (ranks, {}),
    "EPRUM(r=1)": (pages, {"navigation": CLICKS}),
    "charR@1": (passages, {}),
}


def verdicts(measure, runs, topics, seed, **how):
    rng = np.random.default_rng([seed, runs, topics])
    world, options = WORLDS[measure]
    judged, draw = world(rng)
    names = [f"t{i}" for i in range(topics)]
    drawn = {f"r{i}": {name: draw() for name in names} for i in range(runs)}
    found = bp.compare(dict.fromkeys(names, judged), drawn, measure, assumptions=True, resamples=200, **options, **how)
    return [one.verdict for one in found]


def false_alarms(sets, *world, **how):
    """In how many data sets some run beats another."""
    return sum(any(" beats " in one for one in verdicts(*world, seed, **how)) for seed in range(sets))


def most(sets, rate=0.05):
    """More false alarms than this are seen once in a thousand times at most, if the rate is right."""
    return int(binom.ppf(0.999, sets, rate))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["RR", "EPRUM(r=1)"])
def test_ten_equal_runs(measure):
    sets = at_length(40, 1000) if measure == "RR" else at_length(5, 200)
    assert false_alarms(sets, measure, 10, 25) <= most(sets)


@pytest.mark.slow
@pytest.mark.parametrize("topics", [5, 10, 25, 50])
def test_three_equal_runs(topics):
    for measure in WORLDS:
        sets = at_length(20 if measure == "RR" else 6, 300)
        assert false_alarms(sets, measure, 3, topics) <= (0 if topics == 5 else most(sets))


@pytest.mark.slow
@pytest.mark.parametrize("test", ["randomisation", "t"])
def test_two_topics_never_suffice(test):
    for measure in WORLDS:
        assert false_alarms(at_length(8, 300), measure, 5, 2, test=test) == 0


def test_the_bound_can_fail():
    """Without correction some pair of ten equal runs beats another in most data sets."""
    sets = 8
    assert false_alarms(sets, "RR", 10, 25, correction="none") > most(sets)
