"""The order of lines in a truth changes no interval and no p-value; equal differences are decided by sign changes."""

from __future__ import annotations

import json
import random

import pytest

import berrypick as bp
from berrypick.measures.continuation.coverage import coverage_band

TOPICS = [f"q{n}" for n in range(45)]


def span(topic: str, start: int, end: int, **more: object) -> str:
    return json.dumps({"topic": topic, "doc": "d", "start": start, "end": end, **more}) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """45 topics, so that sign changes are drawn; two truths with the same lines in another order."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(7)
    truth = [span(t, 0, 100, kind="ab"[n % 2], source=f"s{n % 20}") for n, t in enumerate(TOPICS)]
    (tmp_path / "one.jsonl").write_text("".join(truth))
    draw.shuffle(truth)
    (tmp_path / "other.jsonl").write_text("".join(truth))
    for name, low, high in (("a", 20, 100), ("b", 30, 100), ("c", 10, 90)):
        lines = [span(t, 0, draw.randint(low, high), rank=1, tag=name) for t in TOPICS]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    return tmp_path


RUNS = ("a.jsonl", "b.jsonl", "c.jsonl")


def rounded(value):
    """Sums of bounds over unjudged text are added up in the order of the truth; nothing else is rounded."""
    if isinstance(value, dict):
        return {k: round(v, 12) if k in ("unjudged_low", "unjudged_high") else rounded(v) for k, v in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def by_key(rows):
    """Rows in an order of their own: groups come by the order of topics."""
    return sorted(json.dumps(rounded(row), sort_keys=True) for row in rows)


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "-m", "charR IoU"),
        ("compare", "-m", "charR", "--interval", "bca"),
        ("compare", "-m", "charR", "--interval", "percentile", "--test", "t"),
        ("compare", "-m", "charR", "--cluster", "source"),
        ("compare", "-m", "charR", "--by", "kind"),
        pytest.param(
            ("compare", "-m", "EPRUM", "--over", "distance(theta=0.01..1)", "--resamples", "200"),
            marks=pytest.mark.slow,
        ),
        ("evaluate", "-m", "charR", "--by", "kind"),
        ("stability", "-m", "charR IoU", "--resamples", "200"),
        ("stability", "-m", "charR", "--resamples", "200", "--cluster", "source"),
        ("power", "-m", "charR", "--detect", "0.03", "--resamples", "200"),
        ("power", "-m", "charR", "--detect", "0.03", "--resamples", "200", "--cluster", "source"),
    ],
    ids=" ".join,
)
def test_the_order_of_lines_changes_nothing(berrypick, folder, command):
    name, *more = command
    found = [berrypick(name, truth, *RUNS, *more, "-o", "json") for truth in ("one.jsonl", "other.jsonl")]
    assert [done.code for done in found] == [0, 0], found[0].err
    one, other = (json.loads(done.out) for done in found)

    assert one and by_key(one) == by_key(other)


def test_correlations(berrypick, folder):
    texts = []
    for truth in ("one.jsonl", "other.jsonl"):
        saved = berrypick("evaluate", truth, *RUNS, "-m", "charR IoU", "-q", "-o", "json").out
        (folder / "saved.json").write_text(saved)
        texts.append(berrypick("correlate", "saved.json", "--resamples", "200", "-o", "json").out)
    assert texts[0] == texts[1] and json.loads(texts[0])[0]["low"] is not None


def test_curves(folder):
    from berrypick.analysis.comparison.curves import bands

    made = [bp.evaluate(truth, "a.jsonl", "iP@0.5 EPRUM", curves=True) for truth in ("one.jsonl", "other.jsonl")]
    assert bands(made[0]) == bands(made[1]) != []
    curves = [[(0, 0), (100, 1)], [(0, 0), (200, 1)], [(0, 0), (300, 0.5)]]
    assert coverage_band(curves, budget=300) == coverage_band(curves[::-1], budget=300)


def test_python_dictionaries(folder):
    truth = {t: {"x": 1} for t in TOPICS}
    draw = random.Random(1)
    runs = {name: {t: {("x" if draw.random() < 0.6 else "y"): 2.0, "z": 1.0} for t in TOPICS} for name in "ab"}
    one = bp.compare(truth, runs, "P@1").pairs
    other = bp.compare(dict(reversed(truth.items())), runs, "P@1").pairs
    assert one == other and one[0].topics == 45


def drop(topics: int, new: float, folder, **options) -> bp.Comparison:
    """Two runs that differ by the same amount in each topic."""
    truth = {f"q{n}": {"x": 1} for n in range(topics)}
    ranks = {1.0: {"x": 2.0, "y": 1.0}, 0.5: {"y": 2.0, "x": 1.0}}
    runs = {"old": dict.fromkeys(truth, ranks[1.0]), "new": dict.fromkeys(truth, ranks[new])}
    return bp.compare(truth, runs, "RR", **options)


@pytest.mark.parametrize("test", ["t", "randomisation"])
@pytest.mark.parametrize("topics", [2, 3, 5, 31, 60])
def test_equal_differences(folder, topics, test):
    """Only 2 of the 2^n sign changes keep all signs alike: p = 2^(1-n)."""
    (pair,) = drop(topics, 0.5, folder, test=test).pairs
    assert pair.difference == -0.5
    assert pair.p == pytest.approx(2.0 ** (1 - topics), rel=1e-12)
    assert pair.exact is True and pair.statistic is None
    assert pair.significant == (2.0 ** (1 - topics) <= 0.05)


def test_no_differences(folder):
    for test in ("t", "randomisation"):
        (pair,) = drop(5, 1.0, folder, test=test).pairs
        assert pair.p == 1.0 and pair.difference == 0 and not pair.significant


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_equal_differences_in_clusters(folder, test):
    """Signs change by cluster: three clusters of two topics, 2^(1-3)."""
    clusters = {f"q{n}": f"c{n // 2}" for n in range(6)}
    (pair,) = drop(6, 0.5, folder, test=test, cluster=clusters).pairs
    assert pair.p == 0.25 and pair.exact is True and pair.statistic is None


def test_clusters_with_equal_means(folder):
    """Two clusters, each with the differences -.5 and 0: no spread between clusters, which proves little."""
    truth = {f"q{n}": {"x": 1} for n in range(4)}
    best, second = {"x": 2.0, "y": 1.0}, {"y": 2.0, "x": 1.0}
    runs = {"old": dict.fromkeys(truth, best), "new": {f"q{n}": (second, best)[n % 2] for n in range(4)}}
    clusters = {f"q{n}": f"c{n // 2}" for n in range(4)}
    (pair,) = bp.compare(truth, runs, "RR", test="t", cluster=clusters).pairs
    assert pair.difference == -0.25 and pair.p == 0.5 and pair.exact is True and pair.statistic is None


def test_the_row_says_exact(berrypick, folder):
    (folder / "t.qrels").write_text("1 0 x 1\n2 0 x 1\n")
    (folder / "old.run").write_text("1 Q0 x 1 1 old\n2 Q0 x 1 1 old\n")
    (folder / "new.run").write_text("1 Q0 y 1 1 new\n2 Q0 y 1 1 new\n")
    done = berrypick("compare", "t.qrels", "old.run", "new.run", "-m", "RR", "--test", "t", "-o", "json")
    [row] = [row for row in json.loads(done.out) if row["run"] == "new"]
    [pair] = row["comparisons"]
    assert (pair["p"], pair["exact"], pair["statistic"], pair["significant"]) == (0.5, True, None, False)
    gate = berrypick("compare", "t.qrels", "old.run", "new.run", "-m", "RR", "--test", "t", "--fail-if-worse", "old")
    assert gate.code == 0
