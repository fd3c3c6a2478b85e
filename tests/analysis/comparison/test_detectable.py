"""The smallest drop that a gate would report: by hand, and against simulated runs and a test written here."""

from __future__ import annotations

import doctest
import json
import math
from itertools import product

import numpy as np
import pytest
from handmade_results import results
from many_cases import at_length

import berrypick as bp
from berrypick.analysis.comparison import detectable
from berrypick.analysis.comparison.gates import Gates
from berrypick.data.errors import UsageError
from berrypick.pytest import assert_retrieval


def printed(run, baseline, clusters=None, margin=None, must_see=None, measure="AP", **how):
    """What the gate of a comparison says, of values by topic."""
    given = results({"base": {measure: list(baseline)}, "new": {measure: list(run)}})
    cluster = None if clusters is None else {str(topic): f"c{one}" for topic, one in enumerate(clusters)}
    compared = bp.compare(given, cluster=cluster, **how)
    return Gates({}, {}, "base", margin, must_see).with_detectable(compared).detectable[measure, "new", "base"]


def test_the_examples_in_the_module():
    assert doctest.testmod(detectable).failed == 0


# by hand


def binomial_tail(least, count, share):
    return sum(math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(least, count + 1))


def solved(power):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < 0.8 else (low, middle)
    return high


def test_equal_hits_by_hand():
    """30 topics, hit rate 0.6. Five misses have p = 2/32, six 2/64; so the gate reports six, and each topic drawn is
    one of them with a probability that is the drop: 0.2507. Were 18 topics always hits, it would be 0.6 times the share
    of them that has six misses: 0.2421."""
    hits = [1.0] * 18 + [0.0] * 12
    by_hand = solved(lambda drop: binomial_tail(6, 30, drop))
    assert by_hand == pytest.approx(0.2507, abs=1e-4)
    assert 0.6 * solved(lambda share: binomial_tail(6, 18, share)) == pytest.approx(0.2421, abs=1e-4)
    assert printed(hits, hits).drop == pytest.approx(by_hand, abs=0.004)
    # of three comparisons, one needs p at most 0.05/3: seven misses
    assert detectable.Sight(np.array(hits), np.array(hits), detectable.GateTest(0.05 / 3)).smallest().drop == (
        pytest.approx(solved(lambda drop: binomial_tail(7, 30, drop)), abs=0.004)
    )


def test_equal_hits_with_a_margin_by_hand():
    """A margin of 0.3 on 30 topics: more than 9 losses."""
    hits = [1.0] * 30
    assert printed(hits, hits, margin=0.3).drop == pytest.approx(
        solved(lambda drop: binomial_tail(10, 30, drop)), abs=0.004
    )


def test_costs_that_are_hits_count_the_other_way():
    lower = printed([0.0] * 18 + [1.0] * 12, [0.0] * 18 + [1.0] * 12, measure="Overlap").drop
    assert lower == printed([1.0] * 18 + [0.0] * 12, [1.0] * 18 + [0.0] * 12).drop


def test_two_scores_by_enumeration():
    """Six topics, all draws of six and all sign changes of each: the gate needs all six to be worse."""
    differences = np.array([0.03, -0.02, 0.01, -0.04, 0.05, 0.0])
    around = (differences - differences.mean()) * math.sqrt(6 / 5)
    draws = around[np.array(list(product(range(6), repeat=6)))]
    by_hand = np.quantile(
        draws.max(axis=1), 0.8, method="inverted_cdf"
    )  # all differences of a larger drop are negative
    errors = draws.std(axis=1)
    by_hand *= 1 + 1.2 * errors.var() / errors.mean() ** 2  # what the spread is not known for certain adds
    assert printed(0.5 + differences, [0.5] * 6).drop == pytest.approx(by_hand, abs=0.002)


def test_one_cluster_for_each_topic_changes_nothing():
    draw = np.random.default_rng(5)
    run, base = draw.random(20), draw.random(20)
    assert printed(run, base, clusters=range(20)).drop == pytest.approx(printed(run, base).drop, rel=1e-9)


def test_better_and_worse_runs_have_the_drop_of_their_spread():
    draw = np.random.default_rng(6)
    base = draw.random(25)
    noise = draw.normal(0, 0.05, 25)
    one, other = printed(base + noise, base), printed(base + noise - 0.3, base)
    assert one.drop == pytest.approx(other.drop, rel=1e-6)
    assert printed(base - noise, base, measure="Overlap").drop == pytest.approx(one.drop, rel=0.1)


def test_the_others_of_a_family_leave_a_smaller_level():
    draw = np.random.default_rng(7)
    base = draw.random(25)
    values = {name: {"AP": list(base + draw.normal(0, 0.05, 25))} for name in ("base", "new", "b", "c", "d")}
    gates = Gates({}, {}, "base")
    alone = bp.compare(results({name: values[name] for name in ("base", "new")}))
    key = ("AP", "new", "base")
    one = gates.with_detectable(alone).detectable[key].drop
    assert gates.with_detectable(bp.compare(results(values))).detectable[key].drop > one
    assert gates.with_detectable(bp.compare(results(values), correction="none")).detectable[key].drop == one


# nothing to say


def test_equal_scores_say_nothing():
    found = printed([0.5, 0.25, 0.75] * 5, [0.5, 0.25, 0.75] * 5)
    assert found.drop is None and not found.blind
    assert found.reason == "the differences of the runs are equal on 15 topics"
    assert printed([0.5, 0.25] * 5, [0.25, 0.0] * 5).drop is None
    assert printed([0.5, 0.25, 0.75] * 5, [0.5, 0.25, 0.75] * 5, must_see=0.01).drop is None, "not known, not refused"


def test_too_few_topics_see_nothing():
    found = printed([0.1, 0.2, 0.4, 0.5], [0.2, 0.1, 0.3, 0.9])
    assert found.drop is None and found.blind and found.reason == "no drop can be significant on 4 topics"
    few = printed([1.0] + [0.0] * 19, [1.0] + [0.0] * 19)
    assert few.drop is None and few.blind and few.reason.startswith("a drop of the hit rate from 0.05 to 0 is not")


# must_see


def test_must_see_says_how_many_topics():
    hits = [1.0] * 18 + [0.0] * 12
    assert printed(hits, hits, must_see=0.26).drop < 0.26
    with pytest.raises(UsageError, match=r"would miss a drop of 0\.1 too often on 30 topics") as error:
        printed(hits, hits, must_see=0.1)
    assert "about 78 topics would be enough" in str(error.value)
    # by hand, six misses among 78 topics; among 77 they are less than 0.8 probable
    assert binomial_tail(6, 78, 0.1) == pytest.approx(0.8, abs=0.01)
    assert printed(hits, hits, must_see=0.7).drop < 0.26, "larger than the hit rate, and seen all the same"
    with pytest.raises(UsageError, match="no number of topics would be enough"):
        printed([1.0] + [0.0] * 19, [1.0] + [0.0] * 19, must_see=0.1)


def test_must_see_of_scores_is_enough():
    draw = np.random.default_rng(8)
    base, noise = draw.random(30), draw.normal(0, 0.1, 30)
    with pytest.raises(UsageError, match="topics would be enough") as error:
        printed(base + noise, base, must_see=0.02)
    needed = int(str(error.value).split("about ")[1].split()[0])
    times = round(needed / 30)
    assert printed(list(base + noise) * times, list(base) * times).drop == pytest.approx(0.02, abs=0.002)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf, 0.01])
def test_wrong_drops_to_see(wrong):
    with pytest.raises(
        UsageError, match=r"must_see= is the drop that the gate must see, above margin=, which is 0\.01"
    ):
        Gates({}, {}, "base", 0.01, wrong)


def test_must_see_needs_a_baseline():
    with pytest.raises(UsageError, match="must_see= needs fail_if_worse="):
        Gates({}, {}, None, None, 0.1)


# simulated: runs are drawn from a law, and a test written here decides


def reported_by_signs(sums, random):
    """Which columns of sums of units are significantly negative, by 999 random sign changes."""
    signs = random.choice([-1.0, 1.0], size=(999, len(sums)))
    total = sums.sum(axis=0)
    p = (1 + (np.abs(signs @ sums) >= np.abs(total) - 1e-9).sum(axis=0)) / 1000
    return (p <= 0.05) & (total < 0)


def reported_hits(gains, losses):
    pairs = list(zip(gains.tolist(), losses.tolist(), strict=True))
    tail = {(up, down): 2 * binomial_tail(down, up + down, 0.5) for up, down in set(pairs)}
    p = np.array([tail[pair] for pair in pairs])
    return (p <= 0.05) & (losses > gains)


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "least"), [(8, 0.62), (15, 0.75), (30, 0.75), (80, 0.75)])
def test_power_at_the_drop_of_scores(topics, least):
    """On 8 topics it is lower, as docs/how-to/ci.md says."""
    random, power = np.random.default_rng(topics), []

    def drawn(*size):  # many ties and a long tail, as of retrieval
        return random.exponential(0.2, size) * random.choice([-1, 0, 1], size)

    for _ in range(at_length(60, 300)):
        drop = printed(0.5 + drawn(topics), [0.5] * topics, resamples=100).drop
        power.append(reported_by_signs(drawn(topics, 200) - drop, random).mean())
    assert least <= np.mean(power) <= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("topics", [30, 100])
@pytest.mark.parametrize("changed", [0.0, 0.2])
def test_power_at_the_drop_of_hits(topics, changed):
    """A hit rate of 0.6; a share of the topics is redrawn, and the drop turns hits into misses."""
    random, power = np.random.default_rng(topics), []

    def drawn(*size, drop=0.0):
        base = random.random(size) < 0.6
        run = np.where(random.random(size) < changed, random.random(size) < 0.6, base)
        return base, run & (random.random(size) >= drop / 0.6)

    for _ in range(at_length(40, 400)):
        base, run = drawn(topics)
        drop = printed(run.astype(float), base.astype(float), resamples=100).drop
        base, run = drawn(topics, 200, drop=min(drop, 0.6))
        power.append(reported_hits((run & ~base).sum(axis=0), (base & ~run).sum(axis=0)).mean())
    assert 0.75 <= np.mean(power) <= 0.85


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count", "topics"), [("scores", 40, 3), ("hits", 40, 3), ("hits", 25, 4)])
def test_power_at_the_drop_with_clusters(kind, count, topics):
    """Clusters of topics that change together; of 25, two or three change."""
    random, power, codes = np.random.default_rng(3), [], np.repeat(np.arange(count), topics)

    def scores(*size, drop=0.0):
        shared = np.repeat(random.normal(0, 0.1, (count, *size)), topics, axis=0)
        return shared + random.normal(0, 0.05, (len(codes), *size)) - drop, np.zeros((len(codes), *size))

    def hits(*size, drop=0.0):
        base = np.repeat(random.random((count, *size)) < 0.6, topics, axis=0)
        other = np.repeat(random.random((count, *size)) < 0.6, topics, axis=0)
        run = np.where(np.repeat(random.random((count, *size)) < 0.2, topics, axis=0), other, base)
        return (run & (random.random((len(codes), *size)) >= drop / 0.6)).astype(float), base.astype(float)

    drawn = scores if kind == "scores" else hits
    for _ in range(at_length(40, 400)):
        run, base = drawn()
        drop = printed(run + (kind == "scores"), base, codes, resamples=100).drop
        run, base = drawn(200, drop=min(drop, 0.6) if kind == "hits" else drop)
        power.append(reported_by_signs((run - base).reshape(count, topics, 200).sum(axis=1), random).mean())
    assert 0.75 <= np.mean(power) <= 0.85


# where it is said


@pytest.fixture
def written(files):
    truth = "".join(f"{t} 0 a 1\n" for t in range(30))
    runs = {f"{name}_run": "".join(f"{t} Q0 {'a' if t < 18 else 'b'} 1 1 {name}\n" for t in range(30))
            for name in ("base", "new")}  # fmt: skip
    return files(truth_qrels=truth, **runs)


def test_the_command_says_it(berrypick, written):
    command = ("compare", *written.values(), "-m", "P@1", "--fail-if-worse", "base")
    done = berrypick(*command, "-o", "json")
    ((given,),) = (row["comparisons"] for row in json.loads(done.out) if row["run"] == "new")
    assert given["detectable"] == pytest.approx(0.2507, abs=0.004)
    assert ["detectable" in one for row in json.loads(done.out) for one in row["comparisons"]] == [False, True]
    drop = f"{given['detectable']:.4g}"
    said = f"P@1 of new against base would report a true drop of {drop} or more with a probability of at least 0.8"
    said += " on 30 topics"
    passed = "passed: P@1 of new against base: no significant drop"
    assert f"gate: {said}\n{passed}\n" in done.err
    assert done.err.count("true drop") == 1
    with_margin = berrypick(*command, "--margin", "0.2").err
    assert "gate: P@1 of new against base, margin 0.2, would report a true drop of" in with_margin
    assert "passed: P@1 of new against base, margin 0.2: no significant drop of more than 0.2\n" in with_margin
    assert f"* {passed}\n* {said}\n" in berrypick(*command, "-o", "markdown").out
    assert f"<system-out>{said}</system-out>" in berrypick(*command, "-o", "junit").out
    assert "detectable" not in berrypick(*command[:-2], "-o", "json").out
    assert berrypick(*command, "-o", "json") == done, "the same every time"


def test_must_see_of_the_command(berrypick, written):
    command = ("compare", *written.values(), "-m", "P@1")
    assert berrypick(*command, "--fail-if-worse", "base", "--must-see", "0.3").code == 0
    done = berrypick(*command, "--fail-if-worse", "base", "--must-see", "0.1")
    assert done.code == 2 and done.out == "" and "about 78 topics would be enough" in done.err
    done = berrypick(*command, "--must-see", "0.1")
    assert done.code == 2 and "--must-see needs --fail-if-worse" in done.err


def test_a_test_with_pytest_says_it():
    truth = {str(topic): {"a": 1} for topic in range(30)}
    base = {topic: {"a" if int(topic) < 18 else "b": 1.0} for topic in truth}
    found = assert_retrieval(truth, {"new": base}, "P@1 >= 0.5", baseline=base)
    assert found.detectable == {"new": {"P@1": pytest.approx(0.2507, abs=0.004)}}
    assert assert_retrieval(truth, {"new": base}, "P@1 >= 0.5").detectable == {}
    with pytest.raises(AssertionError, match=r"P@1 of new against baseline would report a true drop of 0\.25") as error:
        assert_retrieval(truth, {"new": base}, "P@1 >= 0.9", baseline=base)
    assert str(error.value).startswith("new: P@1 is 0.6000, must be >= 0.9\n"), (
        "the reason is what pytest's summary shows"
    )
    with pytest.raises(AssertionError, match="P@1 of new against baseline would report a true drop of"):
        assert_retrieval(truth, {"new": {topic: {"b": 1.0} for topic in truth}}, "P@1 >= 0", baseline=base)
