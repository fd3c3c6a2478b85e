"""Means over topics that people judged, with the help of a model, against a plain twin and by simulation.

The worlds are those of experiments/model_assisted.py, whose figures docs/how-to/few-judgements.md shows; here in short,
and at length under ``make fuzz``.
"""

from __future__ import annotations

import math
import statistics as plain
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from many_cases import at_length, each
from scipy import stats

from berrypick.statistics.model_assisted import assisted_means, linear_values

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "experiments"))
simulation = import_module("model_assisted")
DRAWN = at_length(1500, 8000)


def twin(y, f, u):
    """Section by section of the definition, on lists."""
    n, m = len(y), len(u)
    cov = sum((a - plain.mean(y)) * (b - plain.mean(f)) for a, b in zip(y, f, strict=True)) / (n - 1)
    spread = plain.variance(f)
    weight = 0.0 if spread == 0 else min(1.0, max(0.0, cov / (spread * (1 + n / m))))
    rest = [a - weight * b for a, b in zip(y, f, strict=True)]
    value = weight * plain.mean(u) + plain.mean(rest)
    variance = weight**2 * plain.variance(u) / m + plain.variance(rest) / n
    return weight, value, variance


def columns(*lists):
    return [np.array(values, dtype=float)[:, None] for values in lists]


def test_by_hand():
    """y = 1 0 1 0 and f = 1 0 1 1: cov 1/6 over var(f) 1/4 and 1 + 4/4; y - f/3 is 2/3 0 2/3 -1/3, around 1/4."""
    found = assisted_means(*columns([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1]))
    assert found.weight[0] == pytest.approx(1 / 3)
    assert found.value[0] == pytest.approx(1 / 3 * 3 / 4 + 1 / 4)
    assert found.variance[0] == pytest.approx(1 / 9 / 4 / 4 + (25 + 9 + 25 + 49) / 144 / 3 / 4)
    assert found.alone[0] == pytest.approx(1 / 3 / 4)
    assert found.freedom == 3


@pytest.mark.parametrize("seed", range(at_length(30, 500)))
def test_like_the_twin(seed):
    random = np.random.default_rng(seed)
    n, m = int(random.integers(3, 30)), int(random.integers(2, 60))
    y = random.random(n + m) if seed % 2 else random.integers(0, 2, n + m).astype(float)
    f = random.uniform(-1, 1) * y + random.normal(size=n + m) * (seed % 3)
    found = assisted_means(*columns(y[:n], f[:n], f[n:]))
    if np.ptp(y[:n]) == 0:
        assert found.flat[0] and found.weight[0] == 0 and found.value[0] == y[0]
        return
    weight, value, variance = twin(y[:n].tolist(), f[:n].tolist(), f[n:].tolist())
    assert found.weight[0] == pytest.approx(weight, abs=1e-12)
    assert found.value[0] == pytest.approx(value)
    assert found.variance[0] == pytest.approx(variance)
    assert found.worth[0] * n == pytest.approx(plain.variance(y[:n].tolist()) / variance)
    t, p = found.tests
    assert t[0] == pytest.approx(value / math.sqrt(variance))
    assert p[0] == pytest.approx(2 * stats.t.sf(abs(t[0]), n - 1))
    assert found.half_width(0.9)[0] == pytest.approx(stats.t.ppf(0.95, n - 1) * math.sqrt(variance))


def test_clusters_of_one_topic_change_nothing():
    random = np.random.default_rng(1)
    y, f, u = columns(random.random(12), random.random(12), random.random(20))
    plainly, clustered = assisted_means(y, f, u), assisted_means(y, f, u, (np.arange(12), np.arange(12, 32)))
    assert clustered.variance == pytest.approx(plainly.variance)
    assert clustered.freedom == plainly.freedom


def test_a_cluster_in_both_parts_adds_its_residuals():
    """Three clusters of two topics each, in both parts; residuals are summed before they are squared."""
    random = np.random.default_rng(2)
    y, f, u = columns(random.random(6), random.random(6), random.random(6))
    of = np.array([0, 0, 1, 1, 2, 2])
    found = assisted_means(y, f, u, (of, of))
    rest, weight = (y - found.weight * f)[:, 0], found.weight[0]
    expected = 0.0
    for cluster in range(3):
        own = sum(rest[of == cluster] - rest.mean()) / 6 / math.sqrt(1 - 1 / 3)
        other = weight * sum(u[of == cluster, 0] - u.mean()) / 6 / math.sqrt(1 - 1 / 3)
        expected += (own + other) ** 2
    assert found.variance[0] == pytest.approx(expected)
    assert found.freedom == pytest.approx(2)


def test_copies_of_topics_as_clusters_are_worth_one_topic():
    """Each topic ten times, as a cluster: the variance of the single topics."""
    random = np.random.default_rng(3)
    y, f, u = columns(random.random(15), random.random(15), random.random(30))
    once = assisted_means(y, f, u)
    times = [np.repeat(part, 10, axis=0) for part in (y, f, u)]
    many = assisted_means(*times, (np.repeat(np.arange(15), 10), np.repeat(np.arange(15, 45), 10)))
    assert many.variance == pytest.approx(once.variance)
    assert assisted_means(*times).variance < once.variance / 5


def test_undefined_values_leave_the_mean_of_the_defined_ones():
    values = np.array([0.2, np.nan, 0.9, 0.4, np.nan])
    linear = linear_values(values)
    assert linear.mean() == pytest.approx(0.5)
    assert linear[1] == pytest.approx(0.5)
    assert linear[0] == pytest.approx(0.5 - 0.3 / 0.6)


def error(share):
    return 3 * np.sqrt(share * (1 - share) / DRAWN)


@pytest.mark.slow
@each(["name", "people"], [(name, n) for name in simulation.SCORES for n in simulation.PEOPLE])
def test_intervals_of_scores_hold_the_mean(name, people):
    found = simulation.simulate(simulation.SCORES[name], people, DRAWN)
    assert found.held > 0.93 - error(0.93), f"{name}: {found.held:.3f} of {people}"


@pytest.mark.slow
@each(["name", "people"], [(name, n) for name in simulation.HITS for n in simulation.PEOPLE])
def test_intervals_of_hits_hold_the_mean(name, people):
    found = simulation.simulate(simulation.HITS[name], people, DRAWN)
    least = 0.89 if people == 20 else 0.92
    assert found.held > least - error(least), f"{name}: {found.held:.3f} of {people}"


@pytest.mark.slow
def test_hits_with_few_misses_have_intervals_that_are_too_narrow():
    """Five misses of 50 by people: what the page and a note say."""
    for name, world in simulation.MANY_HITS.items():
        assert 0.85 < simulation.simulate(world, 50, DRAWN).held < 0.92, name


@pytest.mark.slow
def test_a_biased_model_alone_misses_the_mean_and_assists_people():
    found = simulation.simulate(simulation.WORLDS["scores, biased model"], 50, DRAWN)
    assert found.width <= 0.6
    assert found.model_alone == pytest.approx(0.05, abs=error(0.05) + 0.005)


useless = [name for name in (*simulation.SCORES, *simulation.HITS) if "useless" in name]


@pytest.mark.slow
@each(["name", "people"], [(name, n) for name in useless for n in simulation.PEOPLE])
def test_a_useless_model_costs_nothing(name, people):
    assert simulation.simulate(simulation.WORLDS[name], people, DRAWN).width <= 1.05


@pytest.mark.slow
@each(["people", "hits"], [(n, hits) for n in (20, 50) for hits in (False, True)])
def test_equal_systems_differ_in_a_twentieth_of_cases(people, hits):
    """Differences of two equally good runs, by people and by a model that is biased against one of them."""
    random = np.random.default_rng(people)
    shape = (500, DRAWN)
    draw = (lambda: (random.random(shape) < 0.6).astype(float)) if hits else (lambda: random.beta(1.2, 1, shape))
    one, other = draw(), draw()
    judge = simulation.biased_hits if hits else simulation.biased_scores
    y, f = one - other, judge(random, one) - (simulation.noisy_hits if hits else simulation.noisy_scores)(random, other)
    _, p = assisted_means(y[:people], f[:people], f[people:]).tests
    assert np.mean(p <= 0.05) < (0.08 if people == 20 else 0.065) + error(0.05)
