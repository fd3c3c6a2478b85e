"""Rank correlation: numbers by hand and from the literature, SciPy and slow twins, guards, the command line."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from handmade_results import results
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.cli import cli
from berrypick.data.errors import InputError, UsageError
from berrypick.statistics import statistics
from berrypick.statistics.rank_correlation import kendall_tau, tau_ap

X = np.array([[0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]])
Y = np.array([[0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]])
#: Means .4 .3 .2 .1 under AP and .3 .4 .1 .2 under RR; ESL ranks the runs as AP does.
FOUR = {
    name: {"AP": [ap - 0.05, ap + 0.05], "RR": [rr - 0.02, rr + 0.02], "ESL": [esl, esl]}
    for name, ap, rr, esl in (("a", 0.4, 0.3, 1), ("b", 0.3, 0.4, 2), ("c", 0.2, 0.1, 3), ("d", 0.1, 0.2, 4))
}


def slow_tau(one, other):
    """tau-b, pair by pair."""
    pairs = list(itertools.combinations(range(len(one)), 2))
    signs = [[np.sign(values[i] - values[j]) for i, j in pairs] for values in (one, other)]
    ordered = [sum(sign != 0 for sign in side) for side in signs]
    if not ordered[0] * ordered[1]:
        return math.nan
    return sum(a * b for a, b in zip(*signs, strict=True)) / math.sqrt(ordered[0] * ordered[1])


def slow_tau_ap(reference, estimate):
    """tau_AP, run by run down the estimate."""
    shares = []
    for i in range(len(estimate)):
        above = [j for j in range(len(estimate)) if estimate[j] > estimate[i]]
        if above:
            shares.append(sum(reference[j] > reference[i] for j in above) / len(above))
    if not shares or len(set(reference)) == 1:
        return math.nan
    return 2 * sum(shares) / len(shares) - 1


def test_published_numbers():
    """The examples of Urbano and Marrero's package ircor."""
    assert kendall_tau(X, Y)[0] == pytest.approx(0.7777778, abs=5e-8)
    assert tau_ap(X, Y)[0] == pytest.approx(0.7491182, abs=5e-8)
    x, y = (np.round(values * 5) / 5 for values in (X, Y))
    assert kendall_tau(x, y)[0] == pytest.approx(0.75)
    assert (tau_ap(x, y)[0] + tau_ap(y, x)[0]) / 2 == pytest.approx(0.6269841, abs=5e-8)


def test_by_hand():
    """Two neighbours swapped at the top, and two at the bottom: 4 of 6 pairs agree, so tau is 2/6.

    Down the second ranking b a d c: a has b above, wrongly (0); d has b and a (1); c has b, a, d, of which d wrongly
    (2/3). The mean is 5/9, so tau_AP is 1/9; the other way round it is the same.
    """
    found = bp.correlate(results(FOUR), measures="AP RR", resamples=100)[0]
    assert found.tau.value == pytest.approx(1 / 3) and found.tau_ap.value == pytest.approx(1 / 9)
    assert found.tau_ap_b.value == pytest.approx(1 / 9)
    assert (found.concordant, found.discordant, found.tied) == (4, 2, 0)
    assert (found.runs, found.topics, found.reason) == (4, 2, "")


def test_direction_of_measures():
    """ESL grows from a to d, and smaller is better: the same ranking as AP's."""
    found = bp.correlate(results(FOUR), measures=["AP", "ESL"], resamples=100)[0]
    assert (found.tau.value, found.tau_ap.value) == (1, 1)


def test_ties_by_hand():
    """AP orders all three pairs, RR two of them, both alike: 2/sqrt(3 x 2)."""
    tied = results({"a": {"AP": [3.0], "RR": [2.0]}, "b": {"AP": [2.0], "RR": [1.0]}, "c": {"AP": [1.0], "RR": [1.0]}})
    found = bp.correlate(tied, resamples=100)[0]
    assert found.tau.value == pytest.approx(2 / math.sqrt(6)) and found.tied == 1


def test_means_that_differ_by_rounding_are_tied():
    near = results(
        {"a": {"AP": [0.3], "RR": [1.0]}, "b": {"AP": [0.1 + 0.2], "RR": [0.5]}, "c": {"AP": [0.1], "RR": [0]}}
    )
    assert bp.correlate(near, resamples=100)[0].tied == 1


values = st.integers(2, 7).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2))


@given(values)
def test_same_as_scipy_and_slow_twins(sides):
    from scipy.stats import kendalltau

    one, other = ([float(value) for value in side] for side in sides)
    fast = kendall_tau(np.array([one]), np.array([other]))[0]
    with np.errstate(invalid="ignore"):
        theirs = kendalltau(one, other).statistic
    assert fast == pytest.approx(theirs, nan_ok=True) and fast == pytest.approx(slow_tau(one, other), nan_ok=True)
    ahead = tau_ap(np.array([one]), np.array([other]))[0]
    assert ahead == pytest.approx(slow_tau_ap(one, other), nan_ok=True)


def test_intervals_same_as_slow_twin():
    """Resample by resample, mean by mean, with an undefined value among them."""
    random = np.random.default_rng(3)
    made = {f"r{i}": {m: list(random.random(7) + 0.1 * i) for m in ("AP", "RR")} for i in range(5)}
    made["r2"]["RR"][4] = None
    found = bp.correlate(results(made), resamples=300, seed=11)[0]
    draws = []
    for _, times in statistics.resample_counts(7, 300, 11):
        for row in times.astype(int):
            means = []
            for measure in ("AP", "RR"):
                drawn = [[made[run][measure][t] for t in range(7) for _ in range(row[t])] for run in made]
                means.append([np.mean([v for v in values if v is not None]) for values in drawn])
            draws.append((slow_tau(*means), slow_tau_ap(*means)))
    for column, agreement in zip(np.array(draws).T, (found.tau, found.tau_ap), strict=True):
        low, high = np.quantile(column, [0.025, 0.975])
        assert agreement.low == pytest.approx(min(low, agreement.value))
        assert agreement.high == pytest.approx(max(high, agreement.value))


def test_the_same_seed_gives_the_same_intervals():
    some, same, others = (bp.correlate(results(FOUR), measures="AP RR", resamples=200, seed=s) for s in (1, 1, 2))
    assert some.records() == same.records()
    assert some[0].tau == others[0].tau  # two topics that rank alike


def test_two_truths():
    second = {run: {"AP": [1 - value for value in values["AP"]]} for run, values in FOUR.items()}
    found = bp.correlate({"full": results(FOUR), "turned": results(second)}, resamples=100)
    assert len(found) == 1 and found[0].tau.value == -1 and found[0].tau_ap.value == -1
    assert (found[0].source, found[0].versus_source) == ("full", "turned")
    assert "full" in str(found) and "turned" in str(found)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({"a": {"AP": [0.1, 0.2], "RR": [1, 0]}}, "a ranking needs two runs or more, not 1"),
        ({"a": {"AP": [0.1, 0.3], "RR": [1, 0]}, "b": {"AP": [0.3, 0.1], "RR": [1, 1]}}, "a ranking ties all runs"),
        ({"a": {"AP": [0.1], "RR": [None]}, "b": {"AP": [0.3], "RR": [0.1]}}, "needs two runs or more, not 1"),
    ],
)
def test_undefined_is_null_with_a_reason(made, reason):
    (record,) = bp.correlate(results(made), resamples=100).records()
    assert reason in record["reason"]
    names = ("tau", "low", "high", "tau_ap", "tau_ap_low", "tau_ap_high", "tau_ap_b", "tau_ap_b_low", "tau_ap_b_high")
    assert [record[name] for name in names] == [None] * len(names)
    assert reason in str(bp.correlate(results(made), resamples=100))


def test_resamples_that_tie_all_runs_are_counted():
    """The runs differ on one topic of two: a quarter of the resamples miss it."""
    made = {"a": {"AP": [1.0, 0.5], "RR": [1, 0]}, "b": {"AP": [0.0, 0.5], "RR": [0, 0]}}
    found = bp.correlate(results(made), resamples=400)
    assert 60 < found[0].undefined_resamples < 140
    assert any(note.kind == "undefined resamples" for note in found.notes)
    assert (found[0].tau.low, found[0].tau.high) == (1, 1)


def test_runs_and_topics_of_one_side_only_are_told():
    one = results({"a": {"AP": [0.1, 0.2]}, "b": {"AP": [0.3, 0.4]}, "c": {"AP": [0.5, 0.6]}})
    other = results({"a": {"AP": [0.1, 0.2, 0.1]}, "b": {"AP": [0.3, 0.4, 0.2]}, "z": {"AP": [0.5, 0.6, 0.1]}})
    found = bp.correlate(one, other, resamples=100)
    assert found[0].runs == 2 and found[0].topics == 3
    kinds = {note.kind: str(note) for note in found.notes}
    assert "2 runs without a mean in both rankings skipped: c, z" in kinds["runs left out"]
    assert "(1 topic)" in kinds["topics differ"]


def test_means_only_have_no_intervals():
    whole = results(FOUR)
    found = bp.correlate(bp.Results([], whole.mean_rows, (), whole.measure_info), measures="AP RR", resamples=100)
    assert found[0].tau.value == pytest.approx(1 / 3) and found[0].tau.low is None
    assert [note.kind for note in found.notes] == ["no intervals"]


def test_wrong_usage():
    with pytest.raises(UsageError, match="needs results"):
        bp.correlate()
    with pytest.raises(UsageError, match="AP alone cannot be correlated"):
        bp.correlate(results({"a": {"AP": [1.0]}}))
    with pytest.raises(UsageError, match="no measure in common"):
        bp.correlate(results({"a": {"AP": [1.0]}}), results({"a": {"RR": [1.0]}}))
    with pytest.raises(UsageError, match="not among the measures"):
        bp.correlate(results(FOUR), measures="nDCG")
    with pytest.raises(UsageError, match="resamples must be at least 100"):
        bp.correlate(results(FOUR), resamples=5)
    twice = results({"a": {"AP": [1.0, 2.0], "RR": [1.0, 2.0]}, "b": {"AP": [1.0, 1.0], "RR": [1.0, 0.0]}})
    repeated = bp.Results([*twice.topic_rows, twice.topic_rows[0]], twice.mean_rows, (), twice.measure_info)
    with pytest.raises(InputError, match="occurs twice"):
        bp.correlate(repeated, resamples=100)


# the command line


@pytest.fixture
def saved(tmp_path) -> Path:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results(FOUR).records()))
    return path


def run(*words):
    return CliRunner().invoke(cli, ["correlate", *map(str, words)])


def test_command_line(saved, tmp_path):
    done = run(saved, "-m", "AP RR", "--resamples", 100, "-o", "json")
    (row,) = json.loads(done.stdout)
    assert row["tau"] == pytest.approx(1 / 3) and row["low"] <= row["tau"] <= row["high"]
    assert row["signature"] == "tau_b|interval:percentile|confidence:0.95|resamples:100|seed:0"
    for output in ("table", "markdown", "latex", "csv", "tsv", "jsonl"):
        done = run(saved, "--resamples", 100, "-o", output)
        assert done.exit_code == 0 and "0.3333" in done.stdout, output
    other = tmp_path / "other.json"
    other.write_text(saved.read_text())
    rows = json.loads(run(saved, other, "--resamples", 100, "-o", "json").stdout)
    assert [(row["measure"], row["tau"]) for row in rows] == [("AP", 1), ("RR", 1), ("ESL", 1)]
    assert {(row["source"], row["versus_source"]) for row in rows} == {("results", "other")}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1" + "0" * 400])
def test_values_that_are_no_numbers_are_refused(saved, value):
    saved.write_text(saved.read_text().replace("0.45", value, 1))
    with pytest.raises(InputError, match="neither a number nor null"):
        bp.correlate(saved)


def test_unknown_measure_is_told(saved):
    saved.write_text(saved.read_text().replace('"RR"', '"Mine"'))
    found = bp.correlate(saved, resamples=100)
    assert "Mine: not a measure known here" in str(found)
