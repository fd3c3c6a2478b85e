"""Intervals of hits, differences of hits and costs: against SciPy, root finding and plain loops, and in comparisons."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from many_cases import each
from scipy import optimize, stats

import berrypick as bp
from berrypick.statistics import statistics
from berrypick.statistics.intervals import difference_intervals, mean_intervals, normality

Z = stats.norm.ppf(0.975)


def column(values):
    return np.array(values, dtype=np.float64)[:, None]


def ends(found, place=0):
    return found.low[place], found.high[place]


# --- hits -------------------------------------------------------------------------------------------------------------


def test_hits_have_wilsons_interval():
    for topics in (2, 5, 10, 37):
        for count in range(topics + 1):
            found = mean_intervals(column([1] * count + [0] * (topics - count)), confidence=0.9)
            expected = stats.binomtest(count, topics).proportion_ci(0.9, method="wilson")
            assert ends(found) == pytest.approx(tuple(expected), abs=1e-12) and found.kind[0] == "wilson"


def test_ten_of_ten():
    """10/(10 + z^2) = 10/13.8415."""
    assert ends(mean_intervals(np.ones((10, 1)))) == (pytest.approx(0.72247, abs=5e-6), 1.0)
    assert ends(mean_intervals(np.zeros((10, 1)))) == (0.0, pytest.approx(0.27753, abs=5e-6))


def test_copies_of_topics_in_clusters_add_nothing():
    """Four clusters of three equal topics: three hits of four clusters. The variance over clusters is .75 x .25/3, that
    of 12 single topics .75 x .25/12, the design effect 4: 3 topics, Student's quantile with 3 degrees of freedom."""
    values, clusters = column(np.repeat([1, 1, 1, 0], 3)), np.repeat(np.arange(4), 3)
    t = stats.t.ppf(0.975, 3)
    centre, half = 0.75 + t * t / 6, t * math.sqrt(0.75 * 0.25 / 3 + t * t / 36)
    expected = ((centre - half) / (1 + t * t / 3), (centre + half) / (1 + t * t / 3))
    assert ends(mean_intervals(values, clusters=clusters)) == pytest.approx(expected)
    always = mean_intervals(np.ones((12, 1)), clusters=clusters)  # four clusters, whatever their size
    assert ends(always) == (pytest.approx(4 / (4 + t * t)), 1.0)


def test_clusters_of_opposite_topics_are_worth_no_more_than_topics():
    """Each cluster has a hit and a miss: no spread between clusters, so the design effect is 1, not 0."""
    values, clusters = column([1, 0] * 10), np.repeat(np.arange(10), 2)
    t = stats.t.ppf(0.975, 9)
    half = t * math.sqrt(0.25 / 20 + t * t / 1600) / (1 + t * t / 20)
    assert ends(mean_intervals(values, clusters=clusters)) == pytest.approx((0.5 - half, 0.5 + half))


# --- differences of hits ----------------------------------------------------------------------------------------------


def by_root_finding(above: int, below: int, topics: int, z: float) -> tuple[float, float]:
    """The differences d at which the score test of d just rejects. The probability q of a difference of -1 that is most
    likely under d is found by maximising the likelihood itself."""

    def score(d: float) -> float:
        def unlikely(q: float) -> float:
            chances = ((above, q + d), (below, q), (topics - above - below, 1 - 2 * q - d))
            return -sum(count * math.log(max(chance, 1e-300)) for count, chance in chances if count)

        first, last = max(0.0, -d), (1 - d) / 2
        q = optimize.minimize_scalar(unlikely, bounds=(first, last), method="bounded", options={"xatol": 1e-12}).x
        q = min((q, first, last), key=unlikely)
        seen_less = above - below - topics * d
        return seen_less / math.sqrt(topics * (2 * q + d - d * d)) if abs(seen_less) > 1e-12 else 0.0

    seen, near = (above - below) / topics, 1e-9
    low = optimize.brentq(lambda d: score(d) - z, -1 + near, seen) if below < topics else -1.0
    high = optimize.brentq(lambda d: score(d) + z, seen, 1 - near) if above < topics else 1.0
    return low, high


def differences(above: int, below: int, topics: int):
    return column([1] * above + [-1] * below + [0] * (topics - above - below))


@pytest.mark.slow
def test_differences_of_hits_have_tangos_interval():
    for topics in (2, 5, 12, 30):
        for above in range(0, topics + 1, 1 + topics // 6):
            for below in range(0, topics - above + 1, 1 + topics // 5):
                found = difference_intervals(differences(above, below, topics), hits=True)
                assert found.kind[0] == "tango"
                assert ends(found) == pytest.approx(by_root_finding(above, below, topics, Z), abs=1e-5)


def test_published_interval():
    """Bentur et al. (2009), 1 and 7 of 21 children: -.517 to -.026 (Fagerland, Lydersen and Laake, Statistics in
    Medicine 33, 2014)."""
    assert ends(difference_intervals(differences(1, 7, 21), hits=True)) == pytest.approx((-0.517, -0.026), abs=5e-4)


def test_ties():
    """z^2/(n + z^2), to both sides; never [0, 0]."""
    expected = Z**2 / (30 + Z**2)
    assert ends(difference_intervals(np.zeros((30, 1)), hits=True)) == pytest.approx((-expected, expected))
    assert ends(difference_intervals(np.ones((5, 1)), hits=True))[1] == 1.0
    clusters = np.repeat(np.arange(6), 5)
    t = stats.t.ppf(0.975, 5)
    tied = difference_intervals(np.zeros((30, 1)), hits=True, clusters=clusters)
    assert ends(tied) == pytest.approx((-t * t / (6 + t * t), t * t / (6 + t * t)))


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 20))
@example(0, 0, 2)
def test_turning_a_pair_round_turns_its_interval_round(above, below, ties):
    values = differences(above, below, above + below + ties + 2)
    low, high = ends(difference_intervals(values, hits=True))
    assert ends(difference_intervals(-values, hits=True)) == pytest.approx((-high, -low), abs=1e-12)
    assert -1 <= low <= values.mean() <= high <= 1


# --- costs ------------------------------------------------------------------------------------------------------------


def test_costs_have_coxs_interval():
    costs = [1.0, 2.0, 3.0, 5.0, 9.0, 30.0]
    logs = [math.log(cost) for cost in costs]
    mean = math.fsum(logs) / 6
    variance = math.fsum((one - mean) ** 2 for one in logs) / 5
    half = stats.t.ppf(0.975, 5) * math.sqrt(variance / 6 + variance**2 / 10)
    found = mean_intervals(column(costs), costs=True)
    middle = mean + variance / 2
    assert ends(found) == pytest.approx((math.exp(middle - half), math.exp(middle + half))) and found.kind[0] == "cox"


def test_clusters_of_copies_widen_coxs_interval():
    """As over one copy of each, but for n where n - 1 would be right."""
    costs = np.random.default_rng(1).lognormal(0, 1, 20)
    alone = mean_intervals(column(costs), costs=True)
    copies = mean_intervals(column(np.repeat(costs, 10)), costs=True, clusters=np.repeat(np.arange(20), 10))
    blind = mean_intervals(column(np.repeat(costs, 10)), costs=True)
    wide, narrow = (math.log(high / low) for low, high in map(ends, (copies, blind)))
    assert wide == pytest.approx(math.log(alone.high[0] / alone.low[0]), rel=0.2) and wide > 2.5 * narrow


@each("costs", [[0, 0, 5, 7, 1, 12], [1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 10], [0, 1, 1, 0, 0], [1e-3, 1, 1, 1, 1, 1, 1]])
def test_other_costs_have_a_studentised_interval(costs):
    """Zeros have no logarithm, and of two values Cox's interval would be far off; one draw after the other."""
    found = mean_intervals(column(costs), costs=True, resamples=400, seed=3)
    mean = np.mean(costs)
    error = np.std(costs, ddof=1) / math.sqrt(len(costs))
    drawn = np.random.default_rng([1, 3]).integers(0, len(costs), size=(400, len(costs)))
    t: list[float] = []
    for row in drawn.tolist():
        own = [costs[i] for i in row]
        spread = np.std(own, ddof=1) / math.sqrt(len(own))
        t.append((np.mean(own) - mean) / spread if spread > 1e-9 else math.copysign(math.inf, np.mean(own) - mean))
    known = [one for one in t if math.isfinite(one)]
    below, above = np.quantile(np.clip(t, min(known), max(known)), [0.025, 0.975])
    wide = statistics.bootstrap(column(costs), resamples=400, seed=3)
    low, high = max(0.0, min(mean - above * error, wide.low[0])), max(mean - below * error, wide.high[0])
    assert found.kind[0] == "studentised" and ends(found) == pytest.approx((low, high))


def test_a_cost_of_one_is_not_a_hit():
    found = mean_intervals(np.ones((10, 2)), costs=np.array([True, False]))
    assert found.kind.tolist() == ["equal", "wilson"] and np.isnan(found.low).tolist() == [True, False]


def test_the_test_of_normality():
    """W' is a squared correlation with normal scores; p-values of normal values are even."""
    random = np.random.default_rng(2)
    values = random.normal(size=(30, 2000))
    p = normality(values)
    for level in (0.01, 0.05, 0.5):
        assert np.mean(p <= level) == pytest.approx(level, abs=0.01 + 3 * math.sqrt(level * (1 - level) / 2000))
    own = np.log(random.gamma(0.3, size=50))
    scores = stats.norm.ppf((np.arange(1, 51) - 0.375) / 50.25)
    fit = stats.pearsonr(np.sort(own), scores).statistic ** 2
    size = math.log(math.log(50)) - math.log(50)
    spread = 1.0308 - 0.26758 * (math.log(math.log(50)) + 2 / math.log(50))
    expected = stats.norm.sf((math.log(1 - fit) - (1.0521 * size - 1.2725)) / spread)
    assert normality(own[:, None])[0] == pytest.approx(expected) and expected < 0.05


# --- other values -----------------------------------------------------------------------------------------------------


def test_values_without_spread_have_no_interval():
    found = mean_intervals(np.array([[0.3, 0.1], [0.3, 0.2]]))
    assert found.kind.tolist() == ["equal", "expanded"] and np.isnan(ends(found)).all()
    assert difference_intervals(np.full((4, 1), -0.5)).kind[0] == "equal"
    assert mean_intervals(np.ones((1, 1))).kind[0] == "few"
    assert mean_intervals(np.ones((4, 1)), clusters=np.zeros(4, dtype=np.int64)).kind[0] == "few"


def test_scores_have_the_bootstrap():
    values = np.random.default_rng(0).random((12, 70))
    values[:, 3], values[:, 66] = 1.0, 0.5
    clusters = np.repeat(np.arange(4), 3)
    for method in statistics.INTERVALS:
        found = mean_intervals(values, resamples=200, method=method, clusters=clusters)
        plain = statistics.bootstrap(values, resamples=200, method=method, clusters=clusters)
        drawn = found.kind == method
        assert drawn.sum() == 68
        assert np.allclose(found.low[drawn], plain.low[drawn]) and np.allclose(found.high[drawn], plain.high[drawn])


# --- comparisons ------------------------------------------------------------------------------------------------------

TRUTH = {f"q{n:02}": {"x": 1} for n in range(30)}
RANKED = {1: {"x": 3.0, "y": 2.0, "z": 1.0}, 2: {"y": 3.0, "x": 2.0, "z": 1.0}, 3: {"y": 3.0, "z": 2.0, "x": 1.0}}


def ranked(ranks):
    return {topic: RANKED[rank] for topic, rank in zip(TRUTH, ranks, strict=False)}


def compared(runs, measures, topics=30, **options):
    truth = dict(list(TRUTH.items())[:topics])
    return bp.compare(truth, {name: ranked(ranks[:topics]) for name, ranks in runs.items()}, measures, **options)


def notes(found, kind):
    return [str(note) for note in found.notes if note.kind == kind]


def test_gates_on_hits_see_what_ten_topics_show():
    found = compared({"a": [1] * 10}, "P@1", 10)
    one = found.estimate("P@1", "a")
    assert (one.low, one.high, one.interval) == (pytest.approx(0.72247, abs=5e-6), 1.0, "wilson")
    assert "Intervals: Wilson's for hits (all values 0 or 1)." in str(found)
    assert "[0.7225, 1.0000]" in str(found) and found.notes == ()


def test_ties_of_hits_and_of_scores():
    """The same list twice: no topic differs, whatever the measure."""
    ranks = [1, 2, 3] * 10
    found = compared({"a": ranks, "b": ranks}, "P@1 RR", test="t")
    for measure in ("P@1", "RR"):
        pair = found.pair(measure, "b", "a")
        assert (pair.low, pair.high) == pytest.approx((-0.113513, 0.113513), abs=1e-6) and pair.interval == "tango"
    assert found.estimate("RR", "a").interval == "expanded"
    assert "expanded percentile bootstrap" in str(found) and "Tango's for differences of hits" in str(found)


def test_no_spread_no_interval():
    found = compared({"a": [1] * 12, "b": [2] * 12}, "RR", 12)
    pair, one = found.pair("RR", "b", "a"), found.estimate("RR", "b")
    assert (pair.low, pair.high, pair.interval, pair.significant) == (None, None, "equal", True)
    assert (one.low, one.high, one.interval) == (None, None, "equal")
    assert found.estimate("RR", "a").interval == "wilson"
    assert notes(found, "no interval") == [
        "RR: no interval where all topics have the same value: b",
        "RR: no interval where all topics differ alike: b and a",
    ]


def test_differences_of_hits_over_the_topics_that_both_have():
    """One run has a value that is not a hit, on a topic that the other does not answer."""
    truth = {**{f"{n}": {"x": 1} for n in range(10)}, "odd": {"x": 1}}
    one = {topic: RANKED[3 if topic == "odd" else 1] for topic in truth}
    other = {topic: RANKED[1] for topic in truth if topic != "odd"}
    found = bp.compare(truth, {"one": one, "other": other}, "RR", topics="run")
    assert found.estimate("RR", "one").interval == "expanded"
    assert found.pair("RR", "other", "one").interval == "tango" and found.pair("RR", "other", "one").unpaired == 1


def test_the_interval_of_costs():
    truth = [{"topic": f"{n}", "doc": "a", "start_line": 1, "end_line": 4} for n in range(8)]
    lines = [9, 5, 14, 40, 22, 7, 11, 18]
    run = [{"topic": f"{n}", "doc": "a", "start_line": 1, "end_line": length, "rank": 1}
           for n, length in enumerate(lines)]  # fmt: skip
    one = bp.compare(truth, {"a": run}, "CostAt").estimate("CostAt", "a")
    expected = mean_intervals(column(lines), costs=True)
    assert one.value == np.mean(lines) and one.interval == "cox" and (one.low, one.high) == ends(expected)
    equal = bp.compare(truth, {"a": [{**row, "end_line": 1 + 3} for row in run]}, "CostAt(cost='steps')")
    assert equal.estimate("CostAt(cost='steps')", "a").interval == "equal"


def test_groups_of_an_evaluation():
    truth = {f"{n}": {"x": 1} for n in range(20)}
    kinds = {topic: "ab"[int(topic) < 10] for topic in truth}
    results = bp.evaluate(truth, {"a": dict.fromkeys(truth, RANKED[1])}, "P@1", by=kinds)
    rows = [row for row in json.loads(results.table("json")) if row["group"] is not None and row["topic"] == "all"]
    assert [row["low"] for row in rows] == [pytest.approx(0.72247, abs=5e-6)] * 2
    assert {row["interval"] for row in rows} == {"wilson"}
    second = bp.evaluate(truth, {"a": dict.fromkeys(truth, RANKED[2])}, "RR", by=kinds)
    assert "0.5000 [no spread]" in second.table()


def test_notes_give_the_simulated_figure():
    few = compared({"a": [1, 2, 3, 2, 1]}, "RR", 5)
    assert notes(few, "few topics") == [
        "some means are over 5 topics; with fewer than 10 topics, 95% intervals are too narrow: over 5, about 91 of "
        "100 hold the mean"
    ]
    other = compared({"a": [1, 2, 3, 2, 1]}, "RR", 5, confidence=0.9)
    assert notes(other, "few topics")[0].endswith("90% intervals are too narrow")
    ranks = [1, 2, 3] * 10
    decided = compared({"a": ranks, "b": [3, 3, 2, *ranks[3:]]}, "RR")
    assert notes(decided, "narrow interval") == [
        "RR: 95% intervals of differences are too narrow where few topics differ (with 3, about 84 of 100 hold the "
        "difference): b and a"
    ]


# --- groups -----------------------------------------------------------------------------------------------------------


def grouped(family):
    """Three groups of ten topics; b is worse in the first."""
    kinds = {topic: "xyz"[n // 10] for n, topic in enumerate(TRUTH)}
    runs = {"a": [1, 2] * 15, "b": [3] * 10 + [2, 1] * 10, "c": [2, 3, 1] * 10}
    return compared(runs, "RR P@1", by=kinds, family=family)


def test_groups_belong_to_the_family_of_all():
    found = grouped("all")
    tables = [found, *found.groups.values()]
    pairs = [pair for table in tables for pair in table.pairs]
    assert len(pairs) == 4 * 2 * 3
    order = sorted(range(24), key=lambda i: pairs[i].p)
    least = 0.0
    for place, i in enumerate(order):  # Holm's correction, step by step
        least = max(least, min(1.0, pairs[i].p * (24 - place)))
        assert pairs[i].p_adjusted == pytest.approx(least)
    assert "Holm correction over the 24 comparisons of all measures and groups." in str(found)
    assert not notes(found, "groups")


def test_groups_without_an_interval_are_told():
    found = grouped("measure")
    assert notes(found, "no interval") == ["no interval where all values, or all differences, of a group are equal: x"]


def test_groups_outside_the_family_are_told():
    found = grouped("measure")
    worst = found.groups["x"].pair("P@1", "b", "a")
    assert worst.p_adjusted < grouped("all").groups["x"].pair("P@1", "b", "a").p_adjusted
    assert notes(found, "groups") == [
        "p-values are not corrected for the 3 groups: between equally good runs, some group would be significant in up "
        "to 14% of cases; correct over groups with family='all'"
    ]
    assert "each group by itself" in str(found)
    alone = compared({"a": [1, 2] * 15}, "RR", by={topic: topic[:2] for topic in TRUTH})
    assert not notes(alone, "groups")
