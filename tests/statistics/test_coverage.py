"""How often printed intervals hold the true mean, and how often tests find what is not there.

The worlds are those of experiments/mean_coverage.py, whose figures are in docs/explanation/intervals.md; here in short,
and at length under ``make fuzz``. A share of n sets of topics is known up to three standard errors.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from many_cases import at_length, each

from berrypick.analysis.comparison.interval_notes import HELD, HELD_COSTS, HELD_DIFFERING
from berrypick.statistics.intervals import difference_intervals, mean_intervals
from berrypick.statistics.statistics import adjusted, bootstrap, randomisation_test

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "experiments"))
simulation = import_module("mean_coverage")

DRAWN = at_length(1000, 6000)
TOPICS = simulation.TOPICS


def error(share: float, drawn: int = DRAWN) -> float:
    return 3 * np.sqrt(share * (1 - share) / drawn)


def holds(name: str, topics: int, least: float) -> None:
    share = simulation.held(simulation.WORLDS[name], topics, DRAWN)
    assert share > least - error(least), f"{name}: {share:.3f} over {topics} topics"


@each(["name", "topics"], [(name, topics) for name in simulation.SCORES for topics in TOPICS])
def test_scores(name, topics):
    holds(name, topics, 0.89 if topics == 5 else 0.93)


@each(["name", "topics"], [(name, n) for name in simulation.WORLDS if name.startswith("hits") for n in TOPICS])
def test_hits_and_their_differences(name, topics):
    """Shares of hits take few values, so that coverage jumps around .95."""
    holds(name, topics, 0.91)


@each(["name", "topics"], [(f"costs, {name}", topics) for name in ("log-normal(.5)", "log-normal(1)", "exponential")
                           for topics in TOPICS])  # fmt: skip
def test_costs(name, topics):
    holds(name, topics, 0.90 if topics == 5 else 0.93)


@pytest.mark.parametrize("topics", HELD_COSTS)
def test_costs_with_zeros_hold_as_often_as_the_note_says(topics):
    """Of sets of topics that have zeros: others have Cox's interval."""
    values = simulation.WORLDS["costs, 20% are 0"].draw(np.random.default_rng(topics), (topics, 2 * DRAWN))
    values = values[:, (values == 0).any(axis=0) & (values > 0).any(axis=0)]
    low, high, kind = mean_intervals(values, costs=True, resamples=1000)
    assert set(kind) == {"studentised"}
    mean, said = simulation.WORLDS["costs, 20% are 0"].mean, HELD_COSTS[topics] / 100
    assert np.mean((low <= mean) & (mean <= high)) == pytest.approx(said, abs=0.015 + error(said, values.shape[1]))


@pytest.mark.parametrize("topics", HELD)
def test_few_topics_hold_as_often_as_the_note_says(topics):
    """The figure of a note is that of the scores that fare worst."""
    shares = [simulation.held(world, topics, 2 * DRAWN) for world in simulation.SCORES.values()]
    assert min(shares) == pytest.approx(HELD[topics] / 100, abs=0.01 + error(HELD[topics] / 100, 2 * DRAWN))


def test_few_differing_topics_hold_as_often_as_the_note_says():
    """Of 25 topics a fifth differ on average; counted by how many do."""
    drawn = 8 * DRAWN
    random = np.random.default_rng(5)
    values = (random.random((25, drawn)) < 0.15) * random.normal(0.1, 0.3, (25, drawn))
    differing = (values != 0).sum(axis=0)
    low, high = bootstrap(values, resamples=500)
    held = (low <= 0.015) & (high >= 0.015)
    for count, said in HELD_DIFFERING.items():
        own = held[differing == count]
        assert own.mean() == pytest.approx(said / 100, abs=0.05 + error(said / 100, len(own)))


@each(["name", "clusters"], [(name, count) for name in simulation.CLUSTERED for count in simulation.CLUSTERS])
def test_clusters(name, clusters):
    """Sizes are log-normal; with 5 clusters intervals hold as often as over 5 topics."""
    share = simulation.held_by_clusters(name, clusters, DRAWN)
    least = 0.90 if clusters == 5 else 0.91
    assert share > least - error(least), f"{name}: {share:.3f} over {clusters} clusters"


SYMMETRIC = [name for name in simulation.EQUAL if name != "exponential"]


@each(["test", "name", "topics"], [(test, name, n) for test in simulation.TESTS for name in SYMMETRIC for n in TOPICS])
def test_levels(test, name, topics):
    """Equally good runs. Student's test is not made for tenths, of which 5 or 10 may have hardly any spread."""
    share = simulation.apart(test, simulation.EQUAL[name], topics, DRAWN)
    level = 0.08 if (test, name) == ("t", "in tenths") and topics <= 10 else 0.055
    assert share < level + error(level), f"{test}: {share:.3f} of {name} over {topics} topics"


@each(["test", "topics"], [(test, n) for test in simulation.TESTS for n in TOPICS])
def test_levels_where_differences_are_skewed(test, topics):
    """Equal means of skewed differences are not what the tests assume; the page says how far off they are."""
    share = simulation.apart(test, simulation.EQUAL["exponential"], topics, DRAWN)
    level = 0.12 if test == "t" and topics == 5 else 0.1 if topics <= 10 else 0.08
    assert share < level + error(level)


@each(["test", "shape", "clusters"], [(test, shape, count) for test in simulation.TESTS
                                      for shape in ("bell-shaped", "exponential")
                                      for count in simulation.CLUSTERS])  # fmt: skip
def test_levels_of_clusters(test, shape, clusters):
    """Cluster sizes are log-normal. CR2 keeps .068 for symmetric effects and .092 for exponential ones."""
    share = simulation.apart_by_clusters(test, shape, clusters, DRAWN)
    level = {"bell-shaped": 0.068, "exponential": 0.092}[shape]
    level = 0.05 if (test, shape) == ("randomisation", "bell-shaped") else level
    level = 0.09 if test == "bootstrap" else level  # a share of significant pairs, not a mark
    assert share < level + error(level), f"{test}: {share:.3f} of {shape} over {clusters} clusters"


def test_groups_in_one_family():
    """Twelve groups of eight topics and all topics: corrected together, few data sets mark any difference."""
    sets = at_length(300, 2000)
    random = np.random.default_rng(6)
    any_marked = {"each by itself": 0, "one family": 0}
    for _ in range(sets):
        values = random.normal(0, 1, (8, 12))
        p = np.append(randomisation_test(values).p, randomisation_test(values.reshape(-1, 1), resamples=499).p)
        any_marked["each by itself"] += bool((p[:-1] <= 0.05).any())
        any_marked["one family"] += bool((adjusted(p) <= 0.05).any())
    assert any_marked["each by itself"] / sets > 0.3
    assert any_marked["one family"] / sets < 0.05 + error(0.05, sets)


def test_ties_of_hits_hold_what_could_be():
    """Where no topic differs the interval holds every difference that thirty ties leave likely."""
    low, high, _ = difference_intervals(np.zeros((30, 1)), hits=True)
    share = high[0]  # a run that is better on this share of topics ties on thirty of them with probability
    assert low[0] == -share and 0.02 < (1 - share) ** 30 < 0.05
