"""Clusters of topics: resampled and tested as a whole, against plain loops over topics."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.statistics import statistics
from berrypick.statistics.clusters import cluster_freedom

numbers = st.floats(-1, 1).map(lambda x: round(x, 3))
worlds = st.lists(st.tuples(numbers, st.integers(0, 4)), min_size=2, max_size=9).filter(
    lambda rows: len({cluster for _, cluster in rows}) > 1
)


def columns(rows):
    values = np.array([[value] for value, _ in rows])
    codes = {cluster: i for i, cluster in enumerate(dict.fromkeys(cluster for _, cluster in rows))}
    return values, np.array([codes[cluster] for _, cluster in rows])


def members(clusters):
    return [[i for i, own in enumerate(clusters) if own == cluster] for cluster in range(max(clusters) + 1)]


def bias_reduced(clusters):
    """Bell and McCaffrey's correction for a mean, by matrices: rows that turn values into corrected sums of residuals
    over n, and the degrees of freedom of the sum of their squares."""
    n = len(clusters)
    hat = np.full((n, n), 1 / n)
    rows = []
    for group in members(clusters.tolist()):
        values, vectors = np.linalg.eigh(np.eye(len(group)) - hat[np.ix_(group, group)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        rows.append(np.ones(len(group)) @ root @ (np.eye(n) - hat)[group] / n)
    rows = np.array(rows)
    covariance = rows @ rows.T  # of independent topics with variance 1
    return rows, np.trace(covariance) ** 2 / np.trace(covariance @ covariance)


@given(worlds, st.sampled_from(["percentile", "expanded"]))
def test_intervals_agree_with_drawing_whole_clusters_one_by_one(rows, method):
    from scipy import stats

    values, clusters = columns(rows)
    groups = members(clusters.tolist())
    drawn = np.random.default_rng([1, 7]).integers(0, len(groups), size=(200, len(groups)))
    means = []
    for row in drawn.tolist():
        topics = [i for group in row for i in groups[group]]
        means.append(math.fsum(values[i, 0] for i in topics) / len(topics))
    tail = 0.025
    if method == "expanded":
        kept = 1 - sum((len(group) / len(rows)) ** 2 for group in groups)
        tail = stats.norm.cdf(stats.t.ppf(0.025, bias_reduced(clusters)[1]) / math.sqrt(kept))
    expected = np.quantile(means, [tail, 1 - tail])
    low, high = statistics.bootstrap(values, resamples=200, seed=7, method=method, clusters=clusters)
    assert [low[0], high[0]] == pytest.approx(expected, abs=1e-9)


@given(worlds)
@example([(1.0, 0), (1.0, 1), (1.0, 1)])
def test_the_randomisation_test_turns_whole_clusters(rows):
    values, clusters = columns(rows)
    sums = [math.fsum(values[i, 0] for i in group) for group in members(clusters.tolist())]
    seen = abs(math.fsum(sums))
    signs = list(itertools.product((-1, 1), repeat=len(sums)))
    extreme = sum(abs(math.fsum(s * x for s, x in zip(sign, sums, strict=True))) >= seen - 1e-9 for sign in signs)
    found = statistics.randomisation_test(values, clusters=clusters)
    assert found.p[0] == pytest.approx(extreme / len(signs))
    without_spread = values[0, 0] != 0 and (values == values[0]).all()
    expected = math.nan if without_spread else values.mean()
    assert found.statistic[0] == pytest.approx(expected, nan_ok=True)


@given(worlds)
def test_the_t_test_takes_the_variance_of_clusters(rows):
    from scipy import stats

    values, clusters = columns(rows)
    corrected, freedom = bias_reduced(clusters)
    mean, error = values.mean(), math.sqrt(((corrected @ values) ** 2).sum())
    found = statistics.t_test(values, clusters=clusters)
    if error > 1e-6:
        assert found.statistic[0] == pytest.approx(mean / error, abs=1e-9)
        assert found.p[0] == pytest.approx(2 * stats.t.sf(abs(mean / error), freedom))


def test_degrees_of_freedom():
    """Clusters of one size have G - 1. Sizes 4, 1, 1: h^2/(1 - h) is 4/3, 1/30, 1/30, and 1/(.5 + .18) by hand."""
    assert cluster_freedom(np.repeat([0, 1, 2], 2)) == pytest.approx(2)
    assert cluster_freedom(np.array([0, 0, 0, 0, 1, 2])) == pytest.approx(1 / 0.68)
    assert cluster_freedom(np.arange(7)) == pytest.approx(6)


@given(st.lists(numbers, min_size=2, max_size=40), st.sampled_from(statistics.INTERVALS))
def test_one_topic_in_each_cluster_changes_nothing(values, method):
    column, alone = np.array(values)[:, None], np.arange(len(values))
    plain = statistics.bootstrap(column, resamples=100, method=method)
    assert np.array_equal(statistics.bootstrap(column, resamples=100, method=method, clusters=alone), plain)
    assert statistics.randomisation_test(column, clusters=alone).p == statistics.randomisation_test(column).p
    assert statistics.t_test(column, clusters=alone).p == pytest.approx(statistics.t_test(column).p, nan_ok=True)


def test_intervals_are_wider_where_topics_of_a_cluster_go_together():
    """With ten copies of each of twenty values there are twenty values, whatever the number of topics."""
    values = np.random.default_rng(3).random(20)
    copies, clusters = np.repeat(values, 10)[:, None], np.repeat(np.arange(20), 10)
    alone = statistics.bootstrap(values[:, None])
    together = statistics.bootstrap(copies, clusters=clusters)
    assert np.array(together) == pytest.approx(np.array(alone))
    blind = statistics.bootstrap(copies)
    assert (together.high - together.low) > 2.5 * (blind.high - blind.low)


def test_a_single_cluster_has_no_interval():
    one = np.zeros(4, dtype=np.int64)
    low, high = statistics.bootstrap(np.ones((4, 1)), clusters=one)
    assert np.isnan(low[0]) and np.isnan(high[0]) and np.isnan(statistics.t_test(np.ones((4, 1)), clusters=one).p[0])


# --- compare ----------------------------------------------------------------------------------------------------------

DOCUMENTS = "aaaabbbbccccddddeeee"
TRUTH = {str(i): {f"{name}#{10 * i}-{10 * i + 10}": 1} for i, name in enumerate(DOCUMENTS)}
GOOD = {str(i): {f"{name}#{10 * i}-{10 * i + 9}": 1} for i, name in enumerate(DOCUMENTS)}
POOR = {str(i): {f"{name}#{10 * i}-{10 * i + 2 + ord(name) % 5}": 1} for i, name in enumerate(DOCUMENTS)}
RUNS = {"good": GOOD, "poor": POOR}


def compared(**options):
    return bp.compare(TRUTH, RUNS, "charR", resamples=500, **options)


def test_questions_about_one_document_are_one_cluster():
    found = compared(cluster="doc")
    pair = found.pair("charR", "poor", "good")
    assert found.clusters == 5 and found.method.cluster == "doc"
    assert pair.p == pytest.approx(2 / 2**5) and pair.topics == 20  # five signs, not twenty
    plain = compared().pair("charR", "poor", "good")
    assert plain.p < 1e-3 and plain.difference == pair.difference
    assert pair.high - pair.low > 1.5 * (plain.high - plain.low)
    assert found.estimate("charR", "good").signature["cluster"] == "doc"
    assert "bootstrap over 5 clusters of topics (doc)" in str(found)
    assert any("fewer than 10 clusters" in str(note) for note in found.notes)


def test_topics_that_share_any_document_go_together():
    truth = {"1": {"a#0-9": 1, "b#0-9": 1}, "2": {"b#10-19": 1}, "3": {"c#0-9": 1}, "4": {"a#20-29": 1}}
    run = {topic: dict.fromkeys(units, 1) for topic, units in truth.items()}
    assert bp.compare(truth, {"x": run, "y": run}, "charR", cluster="doc", resamples=100).clusters == 2


@pytest.mark.slow
def test_clusters_by_field_file_and_mapping(tmp_path, berrypick):
    expected = compared(cluster="doc").pair("charR", "poor", "good")
    mapping = {str(i): name for i, name in enumerate(DOCUMENTS)}
    assert compared(cluster=mapping).pair("charR", "poor", "good") == expected
    files = {"plain.tsv": "", "head.tsv": "topic\tcluster\n", "two.csv": "topic,book\n"}
    for name, text in files.items():
        mark = "," if name.endswith("csv") else "\t"
        (tmp_path / name).write_text(text + "".join(f"{t}{mark}{c}\n" for t, c in mapping.items()))
        assert compared(cluster=str(tmp_path / name)).pair("charR", "poor", "good") == expected
    table = tmp_path / "two.csv"
    assert compared(cluster="book", topic_table=table).pair("charR", "poor", "good") == expected
    assert not any("no effect" in str(note) for note in compared(cluster="book", topic_table=table).notes)
    results = bp.evaluate(TRUTH, RUNS, "charR")
    known = bp.compare(results, cluster=mapping, resamples=500).pair("charR", "poor", "good")
    assert known == replace(expected, unjudged=None)  # results know no text nobody judged
    with pytest.raises(bp.UsageError, match="results do not have the fields"):
        bp.compare(results, cluster="doc")
    (tmp_path / "bad.tsv").write_text("1\tx\n2 y\n")
    with pytest.raises(bp.InputError, match=r"bad\.tsv:2"):
        compared(cluster=str(tmp_path / "bad.tsv"))
    with pytest.raises(bp.UsageError, match="no such field"):
        compared(cluster="nothing")
    (tmp_path / "truth.jsonl").write_text(
        "".join(
            json.dumps({"topic": str(i), "doc": name, "start": 10 * i, "end": 10 * i + 10, "book": name}) + "\n"
            for i, name in enumerate(DOCUMENTS)
        )
    )
    for name, run in RUNS.items():
        rows = [(t, *unit.split("#")) for t, units in run.items() for unit in units]
        lines = [{"topic": t, "doc": d, "start": int(p.split("-")[0]), "end": int(p.split("-")[1]), "score": 1}
                 for t, d, p in rows]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    inputs = [tmp_path / f"{name}.jsonl" for name in ("truth", "good", "poor")]
    done = berrypick("compare", *inputs, "-m", "charR", "--cluster", "book", "--resamples", "500", "-o", "json")
    assert json.loads(done.out)[1]["comparisons"][0]["p"] == pytest.approx(expected.p)


def test_topics_without_a_cluster_are_their_own_and_told():
    found = compared(cluster={"0": "a", "1": "a"})
    assert found.clusters == 19
    assert any("18 topics without cluster, each a cluster of its own" in str(note) for note in found.notes)
    alone = compared(cluster={topic: topic for topic in TRUTH})
    assert alone.pair("charR", "poor", "good").p == compared().pair("charR", "poor", "good").p
    assert any("clusters change nothing" in str(note) for note in alone.notes)


def test_undefined_topics_leave_their_clusters():
    """Columns over different topics have different clusters; each is treated by itself."""
    truth = {**TRUTH, "x": {"z#0-10": 0}}
    found = bp.compare(truth, RUNS, "charR Overlap", cluster="doc", resamples=100)
    assert found.estimate("charR", "good").topics == 20 and found.estimate("charR", "good").undefined == 1
