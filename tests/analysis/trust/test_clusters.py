"""Stability, power and correlation where whole clusters of topics are resampled: plain loops, and clusters of one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import berrypick as bp
from berrypick.statistics import statistics
from berrypick.statistics.discrimination import achieved_levels, required_differences, swap_counts
from berrypick.statistics.rank_correlation import kendall_tau


def campaign(clusters, size, runs=3, seed=3):
    """Ranks of the one relevant document: what a cluster is like counts for more than its topics."""
    random = np.random.default_rng(seed)
    topics = [f"c{c}t{t}" for c in range(clusters) for t in range(size)]
    truth = {topic: {"good": 1} for topic in topics}
    found = {}
    for run in range(runs):
        easy = random.integers(1, 4 + run, clusters)
        found[f"run{run}"] = {
            topic: {**{f"x{i}": 9.0 - i for i in range(int(rank) - 1)}, "good": 9.0 - int(rank) + 1}
            for topic in topics
            for rank in [easy[int(topic[1 : topic.index("t")])] + random.integers(0, 2)]
        }
    return truth, found, {topic: topic[: topic.index("t")] for topic in topics}


def differences(truth, runs):
    values = bp.evaluate(truth, runs, "RR").per_topic()
    table = np.array([[values[run]["RR"][topic] for run in runs] for topic in truth])
    pairs = [(i, j) for i in range(len(runs)) for j in range(i + 1, len(runs))]
    return np.stack([table[:, i] - table[:, j] for i, j in pairs], axis=1)


def t_of(values, groups):
    """The cluster-robust t of the mean, by definition."""
    mean, count, total = np.mean([x for g in groups for x in values[g]]), len(groups), sum(map(len, groups))
    residuals = [sum(values[i] - mean for i in g) for g in groups]
    variance = count / (count - 1) * sum(r * r for r in residuals) / total**2
    return mean, (0.0 if mean == 0 else math.inf if variance < 1e-18 else abs(mean) / math.sqrt(variance))


def test_levels_and_required_differences_by_plain_loops():
    truth, runs, _ = campaign(6, 3)
    table = differences(truth, runs)
    codes = np.repeat(np.arange(6), 3)
    members = [np.flatnonzero(codes == c) for c in range(6)]
    levels = achieved_levels(table, resamples=200, seed=1, clusters=codes)
    needed = required_differences(table, resamples=200, seed=1, alpha=0.05, clusters=codes)
    for column, level, takes in zip(table.T, levels, needed, strict=True):
        observed = t_of(column, members)[1]
        shifted = column - column.mean()
        drawn = []
        for _, times in statistics.resample_counts(6, 200, 1):
            for row in times:
                drawn.append(t_of(shifted, [members[c] for c, n in enumerate(row) for _ in range(int(n))]))
        assert level == pytest.approx((1 + sum(t >= observed * (1 - 1e-7) for _, t in drawn)) / 201)
        tenth = sorted(drawn, key=lambda one: -one[1])[math.ceil(0.05 * 200) - 1]
        assert takes == pytest.approx(abs(tenth[0]), abs=1e-9)


def test_swaps_are_between_halves_of_the_clusters():
    truth, runs, _ = campaign(6, 2)
    table = differences(truth, runs)
    codes = np.repeat(np.arange(6), 2)
    found = swap_counts(table, splits=50, seed=2, width=0.01, clusters=codes)
    random = np.random.default_rng([3, 2])
    order = random.permuted(np.tile(np.arange(6), (50, 1)), axis=1)
    swaps = ties = 0
    for row in order:
        halves = [table[np.isin(codes, part)].mean(axis=0) for part in (row[:3], row[3:])]
        product = np.sign(np.round(halves[0], 12)) * np.sign(np.round(halves[1], 12))
        swaps, ties = swaps + int((product < 0).sum()), ties + int((product == 0).sum())
    assert (int(found.swaps.sum()), int(found.ties.sum())) == (swaps, ties)


@pytest.mark.slow
def test_clusters_of_one_topic_change_nothing():
    truth, runs, _ = campaign(12, 1)
    alone = {topic: topic for topic in truth}
    for of, how in ((bp.stability, {"resamples": 200, "splits": 50}), (bp.power, {"detect": 0.1, "resamples": 200})):
        plain, clustered = (of(truth, runs, "RR", **how, **more).records()[0] for more in ({}, {"cluster": alone}))
        for key, value in plain.items():
            if isinstance(value, float):
                assert clustered[key] == pytest.approx(value, abs=1e-9), key
    results = bp.evaluate(truth, runs, "RR P@1")
    one, other = (bp.correlate(results, resamples=200, cluster=c)[0].tau for c in (None, alone))
    assert one == other


@pytest.mark.slow
def test_stability_leaves_out_clusters_and_says_so():
    truth, runs, of = campaign(8, 4, runs=4)
    found = bp.stability(truth, runs, "RR", cluster=of, resamples=200, splits=50)
    row = found.records()[0]
    assert row["clusters"] == 8 and "cluster:cluster" in row["signature"]
    assert "halves of the clusters of topics" in str(found)
    assert any("fewer than 10 clusters" in str(note) for note in found.notes)
    with pytest.raises(bp.UsageError, match="stability needs 4 clusters or more, not 2"):
        bp.stability(truth, runs, "RR", cluster={topic: (topic[1] < "4" and "x") or "y" for topic in truth})


@pytest.mark.slow
def test_power_of_clusters_by_the_noncentral_t():
    from scipy.stats import nct
    from scipy.stats import t as student

    truth, runs, of = campaign(9, 4, runs=2)
    column = differences(truth, runs)[:, 0]
    members = [np.flatnonzero(np.array(list(of.values())) == f"c{c}") for c in range(9)]
    mean, t = t_of(column, members)
    deviation = abs(mean) / t * 3  # sqrt(9) times the standard error
    found = bp.power(truth, runs, "RR", detect=0.2, cluster=of, resamples=100)
    row = found.records()[0]
    assert row["deviation"] == pytest.approx(deviation)
    assert row["clusters"] == 9 and row["topics_needed"] == 4 * row["clusters_needed"]

    def power(clusters, effect):
        border = student.ppf(0.975, clusters - 1)
        return 1 - nct.cdf(border, clusters - 1, effect * math.sqrt(clusters))

    needed = row["clusters_needed"]
    assert power(needed, 0.2 / deviation) >= 0.8 > power(needed - 1, 0.2 / deviation)
    assert power(9, row["smallest_difference"] / deviation) == pytest.approx(0.8, abs=1e-3)
    assert row["comparisons"][0]["topics"] == 36
    plain = bp.power(truth, runs, "RR", detect=0.2, resamples=100).records()[0]
    assert plain["topics_needed"] < row["topics_needed"]  # the topics of a cluster are alike
    draws = []
    for _, times in statistics.resample_counts(9, 100, 0):
        for line in times:
            drawn = [members[c] for c, n in enumerate(line) for _ in range(int(n))]
            at, far = t_of(column, drawn)
            draws.append(0.0 if math.isinf(far) or not at else abs(at) / far * 3 * math.sqrt(9 / 8))
    low, high = np.quantile(draws, [0.025, 0.975])
    assert (row["deviation_low"], row["deviation_high"]) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.slow
def test_five_clusters_are_never_significant_and_power_says_so():
    truth, runs, of = campaign(5, 20)
    found = bp.power(truth, runs, "RR", cluster=of, resamples=100)
    assert any("gives no p-value below 0.0625 on 5 clusters" in str(note) for note in found.notes)
    compared = bp.compare(truth, runs, "RR", cluster=of, resamples=100)
    assert min(pair.p for pair in compared.pairs) >= 0.0625
    assert not any("no p-value" in str(note) for note in bp.power(truth, runs, "RR", resamples=100).notes)


def test_correlation_draws_whole_clusters():
    truth, runs, of = campaign(6, 3, runs=5)
    results = bp.evaluate(truth, runs, "RR P@1")
    found = bp.correlate(results, cluster=of, resamples=300)
    values = results.per_topic()
    tables = [np.array([[values[run][name][topic] for run in runs] for topic in truth]) for name in ("RR", "P@1")]
    taus = []
    for _, times in statistics.resample_counts(6, 300, 0):
        for row in times:
            drawn = [3 * c + i for c, n in enumerate(row) for i in range(3) for _ in range(int(n))]
            one, other = (table[drawn].mean(axis=0)[None, :] for table in tables)
            taus.append(kendall_tau(one, other)[0])
    low, high = np.quantile([tau for tau in taus if not np.isnan(tau)], [0.025, 0.975])
    value = found[0].tau.value
    assert (found[0].tau.low, found[0].tau.high) == (pytest.approx(min(low, value)), pytest.approx(max(high, value)))
    assert "clusters of topics (cluster)" in str(found)
    prepared = bp.Evaluation.prepare(truth, runs, "RR P@1")
    assert bp.correlate(prepared, cluster="doc", resamples=100)[0].tau.low is None  # all topics share one document


@pytest.mark.slow
def test_the_commands_take_clusters(tmp_path, berrypick):
    truth, runs, of = campaign(5, 3)
    files = {"truth.qrels": [f"{t} 0 good 1" for t in truth], "clusters.tsv": [f"{t}\t{c}" for t, c in of.items()]}
    for name, run in runs.items():
        files[f"{name}.run"] = [f"{t} Q0 {d} 0 {s} {name}" for t, docs in run.items() for d, s in docs.items()]
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    inputs = [tmp_path / "truth.qrels", *(tmp_path / f"{name}.run" for name in runs)]
    cluster = ("--cluster", tmp_path / "clusters.tsv", "--resamples", "100", "-o", "json")
    for command in ("stability", "power"):
        done = berrypick(command, *inputs, "-m", "RR", *cluster)
        assert done.code == 0 and json.loads(done.out)[0]["clusters"] == 5, done.err
    bp.evaluate(inputs[0], inputs[1:], "RR P@1").save(tmp_path / "saved.json")
    done = berrypick("correlate", tmp_path / "saved.json", *cluster)
    assert done.code == 0 and "cluster:clusters.tsv" in json.loads(done.out)[0]["signature"]
    refused = berrypick("correlate", tmp_path / "saved.json", "--cluster", "field")
    assert refused.code == 2 and "results do not have the fields of topics; give a file" in refused.err
    missing = berrypick("power", *inputs, "-m", "RR", "--cluster", "fild")
    assert missing.code == 2 and "no such field of topics" in missing.err
