"""Discriminative power, swap rates and the power of tests: numbers by hand, published ones, slow twins, refusals."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from handmade_results import results
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct
from scipy.stats import t as student

import berrypick as bp
from berrypick.analysis.trust.power import smallest_effect, t_test_power, topics_needed
from berrypick.analysis.trust.stability import StabilityMethod
from berrypick.cli import cli
from berrypick.data.errors import UsageError
from berrypick.statistics import statistics
from berrypick.statistics.discrimination import BINS, _halves, achieved_levels, required_differences, swap_counts


def random_results(runs=4, topics=12, step=0.05, seed=1, measures=("AP", "RR")):
    random = np.random.default_rng(seed)
    easy = random.random((topics, 1)) * 0.3
    made = {
        f"r{i}": {m: np.clip(easy[:, 0] + 0.3 * random.random(topics) + step * i, 0, 1).tolist() for m in measures}
        for i in range(runs)
    }
    return results(made)


# the bootstrap test


def slow_level(differences, resamples, seed, alpha):
    """Sakai 2006, figure 3 and figure 5, draw by draw."""
    z = np.array(differences)
    n = len(z)

    def studentised(values):
        mean, spread = abs(values.mean()), values.std(ddof=1)
        if mean < 1e-12:
            return 0.0
        return math.inf if spread < 1e-12 else mean / (spread / math.sqrt(n))

    w = z - z.mean()
    draws = []
    for _, times in statistics.resample_counts(n, resamples, seed):
        for row in times.astype(int):
            drawn = np.repeat(w, row)
            draws.append((studentised(drawn), abs(drawn.mean())))
    as_far = sum(t >= studentised(z) * (1 - 1e-9) for t, _ in draws)
    wanted = sorted(draws, key=lambda draw: -draw[0])[math.ceil(alpha * resamples) - 1]
    return (1 + as_far) / (1 + resamples), wanted


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12))
def test_levels_same_as_slow_twin(seed, topics):
    random = np.random.default_rng(seed)
    differences = random.normal(0.1, 0.3, (topics, 3))
    asl = achieved_levels(differences, resamples=100, seed=7)
    required = required_differences(differences, resamples=100, seed=7, alpha=0.05)
    for column in range(3):
        level, (t, mean) = slow_level(differences[:, column], 100, 7, 0.05)
        assert asl[column] == pytest.approx(level)
        if math.isfinite(t):
            assert required[column] == pytest.approx(mean)


def test_level_by_hand():
    """Differences 1 and 3, shifted -1 and 1: two of the four draws have no spread around a mean other than 0."""
    asl = achieved_levels(np.array([[1.0], [3.0]]), resamples=10_000, seed=0)
    assert asl[0] == pytest.approx(0.5, abs=0.02)


def test_level_without_spread():
    same = np.full((6, 1), 0.2)
    assert achieved_levels(same, resamples=100, seed=0).tolist() == [1 / 101]
    assert achieved_levels(0 * same, resamples=100, seed=0).tolist() == [1.0]


def test_draws_without_spread_around_zero_are_not_far():
    """Differences 0, .1, .2, shifted -.1, 0, .1: a draw of the second topic alone has t = 0, by slow twin too."""
    differences = np.array([[0.0], [0.1], [0.2]])
    level, _ = slow_level(differences[:, 0], 100, 3, 0.05)
    assert achieved_levels(differences, resamples=100, seed=3)[0] == pytest.approx(level)


def test_topics_without_a_value_are_left_out_of_a_pair():
    random = np.random.default_rng(0)
    whole = random.normal(0.2, 0.3, (8, 2))
    holed = np.vstack([whole, [[np.nan, np.nan]]])
    assert achieved_levels(holed, resamples=100, seed=1).tolist() == (
        achieved_levels(whole, resamples=100, seed=1).tolist()
    )
    assert np.isnan(achieved_levels(holed[-2:], resamples=100, seed=1)).all()  # one topic each


# swaps


def test_swaps_by_hand():
    """Differences 1, 1, -1, -1: of the 6 ways to choose a half, 2 give 1 against -1, and 4 give 0 against 0."""
    found = swap_counts(np.array([[1.0], [1.0], [-1.0], [-1.0]]), splits=6000, seed=0, width=0.01)
    assert found.comparisons.sum() == 6000
    assert found.rate == pytest.approx(1 / 3, abs=0.02)
    assert found.ties.sum() == 6000 - found.swaps.sum() == found.comparisons[0]


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.integers(4, 9))
def test_swaps_same_as_slow_twin(seed, topics):
    random = np.random.default_rng(seed)
    differences = random.normal(0, 0.1, (topics, 3))
    differences[0, 1] = np.nan
    found = swap_counts(differences, splits=20, seed=5, width=0.01)
    counts = {place: [0, 0] for place in range(BINS + 1)}
    for one, other in _halves(topics, 20, 5, 20):
        for half, rest in zip(one, other, strict=True):
            assert half.sum() == rest.sum() == topics // 2 and not (half * rest).any()
            for column in differences.T:
                means = [np.nanmean(column[side > 0]) for side in (half, rest)]
                place = min(int(abs(means[0]) / 0.01 + 1e-9), BINS)
                counts[place][0] += 1
                counts[place][1] += means[0] * means[1] < 0
    assert [list(pair) for pair in zip(found.comparisons.tolist(), found.swaps.tolist(), strict=True)] == list(
        counts.values()
    )


def test_trusted_differences():
    found = swap_counts(np.array([[0.5]] * 8), splits=10, seed=0, width=0.01)
    assert found.trusted() == BINS and found.rate == 0
    found = swap_counts(np.array([[1.0], [-1.0], [1.0], [-1.0]]), splits=50, seed=0, width=0.01)
    assert found.trusted() is None


# stability


def test_stability():
    made = random_results()
    found = bp.stability(made, resamples=200, splits=100)
    assert [one.measure for one in found.measures] == ["AP", "RR"]
    one = found["AP"]
    assert one.topics == 12 and len(one.pairs) == 6
    assert one.power.value == pytest.approx(np.mean([asl <= 0.05 for *_, asl in one.pairs]))
    assert one.power.low <= one.power.value <= one.power.high
    assert one.swap_rate.low <= one.swap_rate.value <= one.swap_rate.high
    assert found.records() == bp.stability(made, resamples=200, splits=100).records()
    first, second, difference, _ = one.pairs[0]
    values = made.per_topic()
    assert difference == pytest.approx(
        np.mean(list(values[first]["AP"].values())) - np.mean(list(values[second]["AP"].values()))
    )
    assert "jackknife" in str(found) and "AP" in found._repr_html_()


def test_signature_has_the_digits_of_numpy_numbers():
    method = StabilityMethod(confidence=np.float32(0.9), seed=np.int64(2**53 + 1))
    assert dict(method.fields())["confidence"] == "0.899999976158"
    assert dict(method.fields())["seed"] == "9007199254740993"


def test_intervals_same_as_slow_twin():
    """A fifth of the topics is left out, 100 times."""
    made = random_results(runs=3, topics=10, measures=("AP",))
    one = bp.stability(made, resamples=100, splits=50)["AP"]
    values = made.per_topic()
    table = np.array([list(values[run]["AP"].values()) for run in made.runs]).T
    pairs = np.array([table[:, i] - table[:, j] for i, j in itertools.combinations(range(3), 2)]).T
    random = np.random.default_rng([4, 0])
    shares = []
    for _ in range(100):
        kept = np.sort(random.permutation(10)[:8])
        shares.append(np.mean([slow_level(pairs[kept, p], 100, 0, 0.05)[0] <= 0.05 for p in range(3)]))
    half = 1.959963984540054 * math.sqrt(8 / 2 * np.var(shares))
    assert one.power.low == pytest.approx(max(0, one.power.value - half))
    assert one.power.high == pytest.approx(min(1, one.power.value + half))


def test_same_runs_cannot_be_told_apart():
    same = results({"a": {"AP": [0.1, 0.5, 0.3, 0.2]}, "b": {"AP": [0.1, 0.5, 0.3, 0.2]}})
    one = bp.stability(same, resamples=100, splits=10)["AP"]
    assert (one.power.value, one.swap_rate.value, one.required) == (0, 0, 0)


def test_stability_of_smaller_is_better_and_wide_values():
    wide = results({"a": {"ESL": [40.0, 50, 60, 70]}, "b": {"ESL": [45.0, 52, 80, 100]}})
    assert bp.stability(wide, resamples=100, splits=10)["ESL"].swaps.width == pytest.approx(1.0)


def test_few_pairs_are_told():
    notes = [str(note) for note in bp.stability(random_results(runs=3), resamples=100, splits=10).notes]
    assert "shares of 3 pairs of runs are coarse, and so are their intervals" in notes


def test_stability_refuses():
    with pytest.raises(UsageError, match="stability needs two runs or more, not 1"):
        bp.stability(results({"a": {"AP": [0.1] * 5}}))
    with pytest.raises(UsageError, match="stability needs 4 topics or more, not 3"):
        bp.stability(results({"a": {"AP": [0.1] * 3}, "b": {"AP": [0.2] * 3}}))
    with pytest.raises(UsageError, match="splits must be at least 1"):
        bp.stability(random_results(), splits=0)
    with pytest.raises(UsageError, match="splits must be at most 10000000"):
        bp.stability(random_results(), splits=10**400)
    with pytest.raises(UsageError, match="these options have no effect on a prepared evaluation"):
        bp.stability(random_results(), user="hierarchy")


def test_stability_is_drawn():
    found = bp.stability(random_results(), resamples=100, splits=20)
    chart = found.plot(width="12cm").to_dict()
    assert len(chart["concat"]) == 2
    with pytest.raises(UsageError, match="no option 'colour'"):
        found.plot(colour="red")


# power


@pytest.mark.parametrize(("effect", "topics"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_published_sizes(effect, topics):
    """The usual table of sample sizes of a paired t-test, level .05, power .8 (G*Power)."""
    assert topics_needed(effect) == topics
    assert t_test_power(effect, topics) >= 0.8 > t_test_power(effect, topics - 1)


@settings(max_examples=12)
@given(st.floats(0.05, 1), st.integers(5, 400), st.sampled_from([0.01, 0.05, 0.1]))
def test_power_same_as_scipy(effect, topics, alpha):
    """SciPy's noncentral t, where it is a number: of the lower tail it often is not."""
    critical = student.ppf(1 - alpha / 2, topics - 1)
    upper = nct.sf(critical, topics - 1, effect * math.sqrt(topics))
    found = t_test_power(effect, topics, alpha)
    if not math.isnan(upper):
        assert upper - 1e-9 <= found <= upper + alpha / 2 + 1e-9


def test_power_as_often_as_drawn_tests_find_it():
    """100,000 t-tests of 8 differences with mean .7 and deviation 1, and two cases where SciPy's value is nan."""
    random = np.random.default_rng(4)
    for effect, topics, alpha in ((0.7, 8, 0.05), (2.0, 13, 0.01), (8.0, 2, 0.05)):
        drawn = random.normal(effect, 1, (100_000, topics))
        t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(topics))
        found = float((np.abs(t) > student.ppf(1 - alpha / 2, topics - 1)).mean())
        assert t_test_power(effect, topics, alpha) == pytest.approx(found, abs=0.006)


def test_power_is_a_probability_that_grows():
    for topics in (2, 3, 13, 1000, 10**7):
        values = [t_test_power(d / math.sqrt(topics), topics, 0.05) for d in np.linspace(0, 50, 101)]
        assert values[0] == pytest.approx(0.05) and all(np.diff(values) >= -1e-12) and values[-1] <= 1


@settings(max_examples=12)
@given(st.floats(0.3, 2), st.sampled_from([0.5, 0.8, 0.95]))
def test_topics_needed_same_as_counting_up(effect, power):
    topics = next(n for n in itertools.count(2) if t_test_power(effect, n) >= power)
    assert topics_needed(effect, power) == topics


def test_smallest_effect_is_found_with_the_wanted_power():
    for topics in (2, 3, 12, 472, 100_000):
        effect = smallest_effect(topics, 0.9, 0.01)
        assert t_test_power(effect, topics, 0.01) == pytest.approx(0.9, abs=1e-6)
    assert topics_needed(1e-9) is None


def test_power_by_hand():
    """Differences .1 and .3 in turn: mean .2, deviation .1 sqrt(10/9). To detect .05 at power .8 takes 37 topics."""
    made = results({"a": {"AP": [0.5, 0.7] * 5}, "b": {"AP": [0.4] * 10}})
    found = bp.power(made, detect=0.05, resamples=100)[0]
    deviation = 0.1 * math.sqrt(10 / 9)
    assert found.deviation == pytest.approx(deviation)
    assert found.needed == topics_needed(0.05 / deviation) == 37
    assert found.smallest == pytest.approx(smallest_effect(10) * deviation)
    assert found.pairs[0].difference == pytest.approx(0.2)
    assert found.needed_interval[0] <= found.needed <= found.needed_interval[1]


def test_power_of_several_pairs_and_differences():
    made = random_results(runs=4, topics=20, measures=("AP",))
    some, more = bp.power(made, detect=[0.02, 0.05], resamples=200).measures
    deviations = [pair.deviation for pair in some.pairs]
    assert len(deviations) == 6 and some.deviation == pytest.approx(np.median(deviations))
    assert some.smallest_largest == pytest.approx(smallest_effect(20) * max(deviations))
    assert some.needed > more.needed and some.needed_largest == topics_needed(0.02 / max(deviations))
    draws = []
    values = made.per_topic()
    topics = sorted(made.topics)  # draws go by the names of topics
    table = np.array([[values[run]["AP"][topic] for topic in topics] for run in made.runs]).T
    for _, times in statistics.resample_counts(20, 200, 0):
        for row in times.astype(int):
            drawn = np.repeat(table, row, axis=0)
            spreads = [np.std(drawn[:, i] - drawn[:, j], ddof=1) for i, j in itertools.combinations(range(4), 2)]
            draws.append(np.median(spreads) * math.sqrt(20 / 19))
    assert some.deviation_interval == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))


def test_power_without_difference_to_detect():
    found = bp.power(random_results(), resamples=100)
    assert [one.detect for one in found.measures] == [None, None] and found[0].needed is None
    assert "needs topics" not in str(found)


def test_pairs_without_spread_are_told():
    made = results({"a": {"AP": [0.1, 0.2, 0.3]}, "b": {"AP": [0.2, 0.3, 0.4]}, "c": {"AP": [0.5, 0.1, 0.2]}})
    found = bp.power(made, detect=0.1, resamples=100)
    assert len(found[0].pairs) == 2
    assert any("1 pair of runs whose differences are all equal" in str(note) for note in found.notes)
    alone = bp.power(results({"a": {"AP": [0.1, 0.2]}, "b": {"AP": [0.1, 0.2]}}), detect=0.1, resamples=100)
    assert alone[0].needed is None and alone[0].smallest is None and json.loads(alone.table("json"))


def test_power_refuses():
    for wrong in (0, -0.1, math.nan):
        with pytest.raises(UsageError, match="takes a difference above 0"):
            bp.power(random_results(), detect=wrong)
    with pytest.raises(UsageError, match=r"power must be between 0\.05"):
        bp.power(random_results(), power=0.01)
    with pytest.raises(UsageError, match="power needs two runs or more"):
        bp.power(results({"a": {"AP": [0.1] * 5}}))


# the command line


@pytest.fixture
def files(tmp_path):
    random = np.random.default_rng(2)
    (tmp_path / "truth.qrels").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(12)))
    for tag in "ab":
        ranks = random.integers(1, 6, 12)
        lines = [f"{t} Q0 {'d' if k == ranks[t] else 'x'}{t + 100 * (k != ranks[t]) * k} {k} {9 - k} {tag}\n"
                 for t in range(12) for k in range(1, 6)]  # fmt: skip
        (tmp_path / f"{tag}.run").write_text("".join(lines))
    return [str(tmp_path / name) for name in ("truth.qrels", "a.run", "b.run")]


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words)])


def test_command_lines(files, tmp_path):
    picture = tmp_path / "figure.svg"
    done = run(
        "stability", *files, "-m", "AP EPRUM", "--resamples", 100, "--splits", 20, "--plot", picture, "-o", "json"
    )
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [row["measure"] for row in rows] == ["AP", "EPRUM"]
    assert len(rows[0]["levels"]) == 1 and len(rows[0]["swaps"]) == BINS + 1
    assert picture.read_text().startswith("<svg")
    done = run("power", *files, "-m", "AP", "--detect", "0.03", "--resamples", 100, "-o", "json")
    (row,) = json.loads(done.stdout)
    assert row["detect"] == 0.03 and row["topics_needed"] > 12 and "test:t|power:0.8" in row["signature"]
    for command in ("stability", "power"):
        for output in ("table", "markdown", "latex", "csv", "tsv", "jsonl"):
            done = run(command, *files, "-m", "AP", "--resamples", 100, "-o", output)
            assert done.exit_code == 0 and "AP" in done.stdout, (command, output)
